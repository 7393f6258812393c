"""Strict reading of YAML: no repeated keys, references or code, and limited depth and size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elseif.errors import ParamError
from elseif.files.unreadable import unreadable

LARGEST_FILE = 1_000_000  # bytes; what people write by hand is a page or two


def yaml_text(path: Path, what: str) -> str:
    """The text of a file of limited size; ``what`` says what it should be, for messages."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may never end
            raise ParamError(f"{path} is not a file; {what} is a YAML file.")
        if path.stat().st_size > LARGEST_FILE:
            raise ParamError(f"{path.name} has more than {LARGEST_FILE:,} bytes: not {what}.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParamError(unreadable(path, error)) from error
    except UnicodeDecodeError as error:
        raise ParamError(
            f"{path.name} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from error


def parse_yaml(text: str, name: str, only_text: bool = False) -> Any:
    """The plain data of a YAML text; ``name`` is the file's, for messages.

    With ``only_text``, every value is taken as written: "no" is not false then, nor 1.10 a number.
    """
    try:
        import yaml  # loaded by those who read such a file

        from elseif.files.strict_loader import StrictLoader, TextLoader
    except ImportError:
        raise ParamError("YAML files need PyYAML: pip install pyyaml.") from None
    try:
        return yaml.load(text, Loader=TextLoader if only_text else StrictLoader)
    except yaml.YAMLError as error:
        raise ParamError(f"{name} is not readable as YAML: {_in_words(error)}.") from error


def _in_words(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    return f"{problem}, line {mark.line + 1}" if mark is not None else str(problem)
