"""Options for reading text files, shared by every command that reads a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

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
    signature = inspect.signature(command, eval_str=True)
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[
                kind,
                typer.Option(
                    f"--{name.replace('_', '-')}",
                    metavar=metavar,
                    help=text,
                    rich_help_panel=READING,
                ),
            ],
        )
        for name, (kind, default, metavar, text) in _OPTIONS.items()
    ]
    own = [p.replace(kind=p.KEYWORD_ONLY) for n, p in signature.parameters.items() if n != "text"]
    # settings stay last, where they are looked for
    parameters = sorted([*own, *options], key=lambda p: p.name == "settings")

    @wraps(command)
    def with_options(**given: Any) -> None:
        from elseif.tables.text_files import TextFormat  # loaded when a table is read

        text = TextFormat(**{name: given.pop(name) for name in _OPTIONS})
        command(**given, text=text)

    del with_options.__wrapped__  # whose signature has no options
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options
