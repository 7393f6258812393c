"""Text files read with the options that were given for the model's training table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.cli.problems import say
from elseif.errors import DataError, ParamError

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel
    from elseif.tables.text_files import TextFormat


def reading_of(text: TextFormat) -> dict[str, Any]:
    """The given options for reading text files."""
    from elseif.tables.text_files import READING_OPTIONS

    given = {name: getattr(text, name) for name in READING_OPTIONS}
    return {n: list(v) if n == "na_values" else v for n, v in given.items() if v}


def keep_reading(model: FittedModel, text: TextFormat) -> FittedModel:
    """A model that keeps how its training table was read, if options were needed for it."""
    given = reading_of(text)
    return replace(model, training={**model.training, "reading": given}) if given else model


def refuse_for_other_files(path: Path | None, text: TextFormat) -> None:
    """Refuse options of text files for any other table, or for a database."""
    from elseif.tables.parquet import PARQUET_ENDINGS

    option = next(map(_option, reading_of(text)), None)
    if option is None:
        return
    if path is None:
        raise ParamError(f"{option} is an option for text files, not for --database.")
    if path.is_dir() or path.suffix.lower() in PARQUET_ENDINGS:
        raise ParamError(f"{option} is an option for text files; {path.name} is not one.")


def read_as_fit(
    path: Path,
    read: Callable[[TextFormat], Any],
    text: TextFormat,
    kept: dict[str, Any],
    needed: Collection[str] | None,
) -> Any:
    """A table from a text file, with the options kept in a model where the user gives none.

    Codes of missing values hold for all tables. The rest is about how one file is written, so it
    holds for another only where that can be read so: one that has the columns under the usual
    reading alone is read in that way. UTF-8 is recognised, and stays what it is.
    """
    from elseif.tables.text_source import EncodingError

    known = {name: value for name, value in kept.items() if not getattr(text, name)}
    if not known:
        return read(text)
    codes = {name: known[name] for name in known if name == "na_values"}
    used = {name: known[name] for name in known if name != "encoding"}
    try:
        try:
            table = read(replace(text, **used))
        except EncodingError:
            if "encoding" not in known:
                raise
            used = known
            table = read(replace(text, **used))
    except DataError:
        table = None
    if used != codes and (table is None or _n_of(table, needed) < len(needed or ())):
        try:
            usual = read(replace(text, **codes))
        except DataError as error:
            # unless only the encoding differs, this says what is wrong with the file
            is_encoding = isinstance(error, EncodingError)
            if table is None or not (is_encoding or _n_of(table, needed)):
                raise
        else:
            if table is None or _n_of(usual, needed) > _n_of(table, needed):
                table, used = usual, codes
    elif table is None:
        return read(replace(text, **codes))
    if used:
        in_order = {name: kept[name] for name in kept if name in used}
        say(f"note: {path.name} is read as the training table was: {_in_options(in_order)}.")
    return table


def _n_of(table: Any, needed: Collection[str] | None) -> int:
    return len({*table.columns} & {*(needed or ())})


def _in_options(options: dict[str, Any]) -> str:
    words = [
        f"{_option(name)} {shlex.quote(str(each))}"
        for name, value in options.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    return " ".join(words)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
