"""Reading tables and labels for the commands."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.checks import nearest_name
from elseif.cli.activity import activity
from elseif.cli.by_place import ByPlace
from elseif.cli.cohort_folder import CohortRows, is_cohort_folder, read_cohort_rows
from elseif.cli.reading_as_fit import read_as_fit, refuse_for_other_files
from elseif.errors import DataError, ElseifError, ParamError
from elseif.files.unreadable import unreadable

if TYPE_CHECKING:
    from elseif.tables.text_files import TextFormat

MOST_SHOWN = 8


@dataclass(frozen=True)
class Read:
    """A table from a file, apart from its label and its weights."""

    X: Any
    y: Any
    weights: Any = None


@dataclass(frozen=True)
class Wanted:
    """The columns of a file that are not features, and the labels in order."""

    label: str
    weight: str | None = None
    drop: Sequence[str] = ()
    positive: str | None = None
    classes: Sequence[Any] | None = None  # as a model has them
    features: Sequence[str] | None = None  # those of a model, in place of all others
    by_place: ByPlace | None = None  # of a model whose features have no names
    kinds: Mapping[str, str] = field(default_factory=dict)  # as given, or as in the model
    missing_y: str = "error"
    text: TextFormat | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)  # how a model's own table was read


def check_table_file(path: Path, text: TextFormat | None = None) -> None:
    """Refuse before anything is loaded a table that is not there, or options that it has not."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file.")
    if text is not None:
        refuse_for_other_files(path, text)


def read_table_file(
    path: Path,
    kinds: Mapping[str, str] | None = None,
    text: TextFormat | None = None,
    needed: Collection[str] | None = None,
    kept: Mapping[str, Any] | None = None,
    by_place: ByPlace | None = None,
) -> Any:
    """A data frame of a file, or Parquet of which columns are read when needed.

    Columns of text files whose kind is "category" are taken as written, even "1" and "true", and
    those of dates must be dates; of columns that are not needed, faults do not matter. Options
    that a model has ``kept`` are used where none are said. What a model knows of columns without
    names goes ``by_place``.
    """
    from elseif.tables.parquet import PARQUET_ENDINGS, ParquetTable
    from elseif.tables.text_files import TextFormat, read_file

    if is_cohort_folder(path):
        return read_cohort_rows(path)
    if path.suffix.lower() in PARQUET_ENDINGS or path.is_dir():
        return ParquetTable(path)

    def read(how: TextFormat) -> Any:
        if by_place is None:
            return read_file(path, kinds, how, needed)
        of_features, how, needed_here = by_place.in_words_of(path, how)
        return read_file(path, {**of_features, **(kinds or {})}, how, needed_here)

    try:
        with activity(f"Reading {path.name}"):
            return read_as_fit(
                path,
                read,
                text or TextFormat(),
                dict(kept or {}),
                needed,
            )
    except ElseifError:  # some of which are OSErrors too
        raise
    except OSError as error:
        raise DataError(unreadable(path, error)) from error


def kinds_of_texts(kinds: Mapping[str, Any] | None) -> dict[str, str]:
    """Columns that --kinds calls categories, by a word or by their names, or dates."""
    words = {
        name: "category" if isinstance(kind, list) else kind for name, kind in (kinds or {}).items()
    }
    return {n: kind for n, kind in words.items() if kind not in ("boolean", "numeric")}


def levels_given(kinds: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """The categories of columns that --kinds calls by their names, even if one is "None"."""
    return {name: kind for name, kind in (kinds or {}).items() if isinstance(kind, list)}


def read_labelled(path: Path, wanted: Wanted) -> Read:
    """A file's features, the label and the weights."""
    from elseif.tables.text_files import TextFormat

    labels = [*(wanted.classes or ()), wanted.positive]
    known = [each for each in labels if each != "" and isinstance(each, str)]
    text = wanted.text or TextFormat()
    text = replace(text, levels={**text.levels, wanted.label: known})
    # what is left out need not be readable
    kinds, needed = {**wanted.kinds, **dict.fromkeys(wanted.drop, "category")}, None
    if wanted.features is not None:
        needed = {wanted.label, wanted.weight or wanted.label, *wanted.features}
    table = read_table_file(path, kinds, text, needed, wanted.kept, wanted.by_place)
    names = list(table.columns)
    _check_columns(path, names, wanted)
    if wanted.features is None:
        left_out = {wanted.label, wanted.weight, *wanted.drop}
        known = table.features if isinstance(table, CohortRows) else names
        features = [name for name in known if name not in left_out]
    else:
        features = list(wanted.features)
    if not features:
        raise DataError(f"{path.name} has no column to learn from besides {wanted.label!r}.")
    if not len(table):
        raise DataError(f"{path.name} has columns but no rows.")
    y = _labels(table[wanted.label], path, wanted)
    return Read(select(table, features), y, None if wanted.weight is None else table[wanted.weight])


def select(table: Any, names: Sequence[str]) -> Any:
    """Some columns of a data frame, of Parquet or of a cohort."""
    from elseif.tables.parquet import ParquetTable

    by_name = isinstance(table, (ParquetTable, CohortRows))
    return table.select(*names) if by_name else table[list(names)]


def find_label(name: str, labels: Sequence[Any], option: str) -> Any:
    """The label that a user calls so: 1 for 1.0, true for True."""
    for label in labels:
        if str(label) == name:
            return label
    for label in labels:
        if str(label).lower() == name.lower() or _is_number(label, name):
            return label
    near = nearest_name(name, map(str, labels))
    hint = "" if near is None else f" Did you mean {near!r}?"
    raise ParamError(f"{option} is {name!r}; the labels are {_some(list(map(str, labels)))}.{hint}")


def _is_number(label: Any, name: str) -> bool:
    if isinstance(label, (str, bool)):
        return False
    try:
        return float(label) == float(name)
    except (TypeError, ValueError):
        return False


def check_column(path: Path, names: Sequence[str], name: str, option: str) -> None:
    """Refuse a column that a table does not have, with the one nearest to it."""
    if name not in names:
        near = nearest_name(name, names)
        several = [part.strip() for part in name.split(",")]
        if len(several) > 1 and option == "--drop" and all(part in names for part in several):
            each = " ".join(f"--drop {shlex.quote(part)}" for part in several)
            hint = f"give one column at a time: {each}"
        else:
            hint = f"did you mean {near!r}?" if near is not None else f"it has {_some(names)}."
        raise DataError(f"{path.name} has no column {name!r} ({option}); {hint}")


def _check_columns(path: Path, names: Sequence[str], wanted: Wanted) -> None:
    named = [("--label", wanted.label), ("--weight", wanted.weight)]
    named += [("--drop", name) for name in wanted.drop]
    for option, name in named:
        if name is not None:
            check_column(path, names, name, option)
    if wanted.weight == wanted.label:
        raise ParamError(f"--weight and --label are both {wanted.label!r}.")
    if wanted.label in wanted.drop:
        raise ParamError(f"--label and --drop are both {wanted.label!r}.")
    lacking = [name for name in wanted.features or () if name not in names]
    if lacking:
        raise DataError(
            f"{path.name} lacks {len(lacking)} of the columns that the model was learnt from: "
            f"{_some(lacking)}."
        )


def _labels(column: Any, path: Path, wanted: Wanted) -> Any:
    """Labels as categories, in such an order that the one whose probability matters is last."""
    import numpy as np
    import pandas as pd  # loaded when a table is read

    from elseif.tables.values import factorised

    if column.dtype == object:
        codes, known = factorised(column.to_numpy())
    else:
        codes, distinct = pd.factorize(column)
        known = distinct.tolist()
    missing = np.flatnonzero(codes < 0)  # from 0, as messages count until they are said
    if len(missing) and wanted.missing_y == "error":
        raise DataError(
            f"{path.name}: the label {wanted.label!r} is missing in {len(missing):,} rows (row "
            f"{_some(missing.tolist(), 5)}). Fill it in, or leave these rows out by --missing-y "
            "drop."
        )
    values = [_whole(value) for value in known]
    order = label_order(values, wanted)
    code_of = {value: i for i, value in enumerate(order)}
    unknown = [value for value in values if value not in code_of]
    if unknown:
        raise DataError(
            f"{path.name}: the label {wanted.label!r} is {unknown[0]!r} in some rows; the model's "
            f"labels are {_some(order)}."
        )
    recode = np.array([*(code_of[value] for value in values), -1])
    # whole numbers together with missing ones would become floats
    categories = pd.Index(order, dtype=object if len(missing) else None)
    return pd.Series(pd.Categorical.from_codes(recode[codes], categories), name=wanted.label)


def label_order(values: list[Any], wanted: Wanted) -> list[Any]:
    """The model's order, or sorted with the wanted label last.

    Of two texts such as "no" and "yes" the latter is wanted; of other two it must be told.
    """
    if wanted.classes is not None:
        return list(wanted.classes)
    try:
        order = sorted(values)
    except TypeError:
        order = sorted(values, key=str)
    if wanted.positive is not None:
        chosen = find_label(wanted.positive, order, "--positive")
        return [value for value in order if value is not chosen] + [chosen]
    if len(order) == 2 and all(isinstance(value, str) for value in order):
        from elseif.tables.labels import without_a_doubt

        if (certain := without_a_doubt(order)) is not None:
            return certain
        raise ParamError(
            f"The label {wanted.label!r} is {order[0]!r} or {order[1]!r}: say whose probability is "
            f"wanted, by --positive {shlex.quote(order[0])} or --positive {shlex.quote(order[1])}."
        )
    return order


def _whole(value: Any) -> Any:
    """A number as people write it: 1 for the 1.0 that a file of numbers is read as."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _some(names: Sequence[Any], most: int = MOST_SHOWN) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
