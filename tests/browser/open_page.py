"""Files opened in a real browser, offline, with every complaint of their pages recorded."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page

WATCH = """
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
  });
"""
PHONE, LAPTOP = (360, 740), (1366, 768)


class OpenPage:
    """Opens files, and records what their pages complain of or ask for.

    Console errors and warnings, uncaught exceptions, dialogues, violations of the page's
    policy and requests other than for the file itself all count.
    """

    def __init__(self, browser: Browser) -> None:
        self.complaints: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def __call__(
        self,
        path: Path,
        width: int = LAPTOP[0],
        height: int = LAPTOP[1],
        dark: bool = False,
        init_script: str | None = None,
    ) -> Page:
        """The page of a file, in a window of a size, in a light or a dark theme."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale="en-GB",
        )
        self._contexts.append(context)
        context.add_init_script(WATCH)
        if init_script is not None:
            context.add_init_script(init_script)
        page = context.new_page()
        url = path.resolve().as_uri()
        page.on("request", lambda request: self._on_request(request.url, url))
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("console", self._on_console)
        page.on("dialog", self._on_dialog)
        page.goto(url)
        return page

    def close(self) -> None:
        """Ask the pages for violations of their policies, and close them."""
        for context in self._contexts:
            for page in context.pages:
                self.complaints.extend(page.evaluate("() => window.violations"))
            context.close()

    def _on_request(self, asked: str, own: str) -> None:
        if asked != own and not asked.startswith(("data:", "blob:")):
            self.complaints.append(f"request: {asked}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialogue: {dialog.message}")
        dialog.dismiss()
