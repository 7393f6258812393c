"""Options for reading text files, shared by every command that reads a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from elseif.cli.option_groups import Gathered, gathering, option

READING = "Reading text files"
_OPTIONS: dict[str, tuple[Any, Any, str, str]] = {
    "sep": (
        str | None, None, "CHARACTER",
        "Field separator, such as ';' or tab; by default, it is detected.",
    ),
    "decimal": (
        str | None, None, ".|,",
        "Decimal sign of numbers; by default, a comma only where it is unambiguous.",
    ),
    "thousands": (
        str | None, None, "CHARACTER",
        "Thousands separator, such as , in 12,345; by default, only where it is unambiguous.",
    ),
    "encoding": (
        str | None, None, "NAME",
        "Encoding, such as cp1252; by default UTF-8, or UTF-16 if the file shows it.",
    ),
    "na_values": (
        list[str], [], "TEXT",
        "Text to read as a missing value, in addition to NA, n/a and the like; may be repeated.",
    ),
    "date_format": (
        str | None, None, "dmy|mdy|PATTERN",
        "How dates are written: the day first, the month first, or a pattern such as %d.%m.%y; "
        "by default, it is inferred from the dates of the file.",
    ),
}  # fmt: skip


def takes_text_format(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options, which it gets as one TextFormat, ``text``."""
    options = []
    for name, (kind, default, metavar, text) in _OPTIONS.items():
        dashed = f"--{name.replace('_', '-')}"
        declared = typer.Option(dashed, metavar=metavar, help=text, rich_help_panel=READING)
        options.append(option(name, default, Annotated[kind, declared]))
    return gathering(command, text=Gathered(options, _text_format))


def _text_format(**given: Any) -> Any:
    from elseif.tables.text_files import TextFormat  # loaded when a table is read

    return TextFormat(**given)
