"""For autodoc: a dataclass's fields with the comments beside them, as its attributes."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

FIELD = re.compile(r"^    (\w+): ([^=#\n]+?)(?: = [^#\n]+?)?(?:  # (.+))?$", re.MULTILINE)


def field_lines(cls: type) -> list[str]:
    """A docstring's section of attributes."""
    fields = {field.name for field in dataclasses.fields(cls)}
    lines = ["", "Attributes", "----------"]
    for name, kind, comment in FIELD.findall(inspect.getsource(cls)):
        if name in fields:
            lines += [f"{name} : {kind}", f"    {_sentence(comment)}" if comment else ""]
    return lines


def _sentence(comment: str) -> str:
    return comment[0].upper() + comment[1:].rstrip(".") + "."


def add_fields(
    app: Any, what: str, name: str, documented: Any, options: Any, lines: list[str]
) -> None:
    """Append them before the docstring is turned into reStructuredText."""
    if what == "class" and dataclasses.is_dataclass(documented) and "Attributes" not in lines:
        while lines and not lines[-1]:
            lines.pop()
        lines += field_lines(documented)


def hide_signature(
    app: Any, what: str, name: str, documented: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Leave out how a dataclass is made: people are given them, and the fields follow."""
    return ("", "") if what == "class" and dataclasses.is_dataclass(documented) else None


def setup(app: Any) -> dict[str, Any]:
    """Run before napoleon, which reads sections."""
    app.connect("autodoc-process-docstring", add_fields, priority=400)
    app.connect("autodoc-process-signature", hide_signature)
    return {"parallel_read_safe": True}
