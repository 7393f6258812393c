"""The directive ``run``: Python that is run while the site is built, with what it gives.

All blocks of a page share their names, like cells of a notebook. What is printed is shown, then the
value of the last expression: a figure as a picture, what has a view for notebooks as that
view. Files that the code writes are put on the site and linked. Code that fails, or warns, fails
the build.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import shutil
import warnings
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

FOLDER = "_gallery"  # within the sources, where Sphinx looks for pictures; not kept


class Run(SphinxDirective):
    """Run the content; ``alt`` describes the picture that it draws."""

    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """The code, then what it gave."""
        code = "\n".join(self.content)
        folder = Path(self.env.srcdir) / FOLDER / self.env.docname
        folder.mkdir(parents=True, exist_ok=True)
        names = self.env.temp_data.setdefault("names of run", {})
        before = {path.name for path in folder.iterdir()}
        try:
            printed, value = run_code(code, names, folder)
        except Exception as error:
            raise self.error(f"This code fails with {type(error).__name__}: {error}") from error
        shown = nodes.literal_block(code, code, language="python")
        self.set_source_info(shown)
        content: list[nodes.Node] = [shown]
        if printed:
            content.append(
                nodes.literal_block(printed, printed, language="text", classes=["printed"])
            )
        new = sorted(path.name for path in folder.iterdir() if path.name not in before)
        if new:
            content.append(self._links(new))
        return content + self._view(value, folder)

    def _view(self, value: Any, folder: Path) -> list[nodes.Node]:
        if hasattr(value, "savefig"):
            if "alt" not in self.options:
                raise self.error("A picture needs :alt:, words for those who cannot see it.")
            name = f"picture-{self.env.new_serialno('picture')}.png"
            value.savefig(folder / name, dpi=150, bbox_inches="tight", facecolor="white")
            uri = f"/{FOLDER}/{self.env.docname}/{name}"
            return [nodes.image(uri=uri, alt=self.options["alt"], classes=["picture"])]
        if hasattr(value, "_repr_html_"):
            view = f'<div class="notebook-view">{value._repr_html_()}</div>'
            return [nodes.raw(view, view, format="html")]
        if value is not None:
            text = repr(value)
            return [nodes.literal_block(text, text, language="text", classes=["printed"])]
        return []

    def _links(self, files: list[str]) -> nodes.Node:
        links = nodes.paragraph("", "Open: ", classes=["files"])
        for i, name in enumerate(files):
            links += nodes.Text(", " if i else "")
            links += nodes.reference("", name, refuri=f"files/{name}", internal=False)
        return links


def run_code(code: str, names: dict[str, Any], folder: Path) -> tuple[str, Any]:
    """What the code prints, and the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(tree, "<page>", "exec"), names)
            value = None
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
    finally:
        os.chdir(before)
    return printed.getvalue().rstrip(), value


def begin(app: Any) -> None:
    """Start without the files of an earlier build."""
    shutil.rmtree(Path(app.srcdir) / FOLDER, ignore_errors=True)


def copy_files(app: Any, exception: Exception | None) -> None:
    """Put the files that the code wrote, but for pictures, on the site."""
    made = Path(app.srcdir) / FOLDER
    if exception is None and app.builder.format == "html" and made.exists():
        files = Path(app.outdir) / "files"
        files.mkdir(exist_ok=True)
        for path in made.glob("*/*"):
            if not path.name.startswith("picture-"):
                shutil.copy(path, files / path.name)


def setup(app: Any) -> dict[str, Any]:
    """Offer the directive; pages are read one after the other, as code shares a folder."""
    app.add_directive("run", Run)
    app.connect("builder-inited", begin)
    app.connect("build-finished", copy_files)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
