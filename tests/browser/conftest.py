"""Pages in a real browser: Debian's Chromium, offline, with every complaint recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    sync_playwright,
)

from elseif.tables.conditions import Condition
from tests.browser.models import Model, clinical, model_of

AXE_VERSION = "4.10.3"
NAMES = ("chromium", "chromium-browser", "google-chrome")
WATCH = """
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
  });
"""
PHONE, LAPTOP = (360, 740), (1366, 768)

Screenshot = Callable[[Page, str], Path]


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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a worker."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "Chromium is not installed; scripts/install_for_tests.sh installs it."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Open a file; the test fails in the end if its page complained or asked for anything."""
    opener = OpenPage(chromium)
    yield opener
    opener.close()
    assert opener.complaints == []


@pytest.fixture
def screenshot(tmp_path: Path) -> Screenshot:
    """Save a picture of the whole page, in SCREENSHOTS if that is set."""
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))

    def take(page: Page, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility checker axe-core, from npm: too large to keep here."""
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    command = [npm or "npm", "pack", f"axe-core@{AXE_VERSION}", "--silent"]
    done = npm and subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done or done.returncode:
        reason = "axe-core could not be had from npm: " + (done.stderr if done else "no npm here.")
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode("utf-8")


@pytest.fixture(scope="session")
def patients() -> tuple[pd.DataFrame, pd.Series]:
    return clinical()


@pytest.fixture(scope="session")
def stroke(patients: tuple[pd.DataFrame, pd.Series]) -> Model:
    """A list that asks for every kind of column."""
    order = ("I", "II", "III", "IV")
    return model_of(
        [
            [
                Condition("admitted", "<=", np.datetime64("2019-12-01")),
                Condition("ldl", "is missing"),
            ],
            [Condition("nyha", "<=", "II", order), Condition("prior stroke", "is true")],
            [Condition("prior stroke", "is true")],
            [Condition("age", ">", 60.0), Condition("ldl", ">", 3.3)],
            [Condition("ward", "in", ("stroke unit", "neurology"))],
            [Condition("smoking", "=", "current"), Condition("age", "<=", 75.0)],
            [Condition("systolic_bp", "between", (140.0, 160.0))],
        ],
        *patients,
    )
