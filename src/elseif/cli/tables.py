"""Tables, labels and settings as the command line names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elseif.errors import DataError, ParamError


@dataclass(frozen=True)
class Read:
    """A table from a file, apart from its label and its weights."""

    X: Any
    y: Any
    weights: Any


def read_table_file(path: Path, kinds: Mapping[str, Any] | None = None) -> Any:
    """A data frame of a file, or a Parquet file of which columns are read when needed."""
    from elseif.tables.files import PARQUET_ENDINGS, read_file
    from elseif.tables.parquet import ParquetTable

    if path.suffix.lower() in PARQUET_ENDINGS:
        return ParquetTable(path)
    return read_file(path, {k: v for k, v in (kinds or {}).items() if isinstance(v, str)})


def read_labelled(
    path: Path,
    label: str,
    *,
    positive: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, Any] | None = None,
) -> Read:
    """A file's features, the label and the weights."""
    table = read_table_file(path, kinds)
    names = list(table.columns)
    for option, name in (("--label", label), ("--weight", weight), *(("--drop", d) for d in drop)):
        if name is not None and name not in names:
            raise DataError(f"{path.name} has no column {name!r} ({option}); {_has(names)}.")
    if weight == label:
        raise ParamError(f"--weight and --label are both {label!r}.")
    left_out = [name for name in names if name in {label, weight, *drop}]
    X = table.drop(*left_out) if hasattr(table, "select") else table.drop(columns=left_out)
    y = with_positive_last(table[label], label, positive)
    return Read(X, y, None if weight is None else table[weight])


def with_positive_last(y: Any, label: str, positive: str | None) -> Any:
    """Labels in such an order that the one whose probability matters is the last.

    Of two texts nobody can know which one that is, so it must be told.
    """
    import pandas as pd  # loaded when a table is read

    y = pd.Series(y, name=label)
    values = sorted(y.dropna().unique().tolist(), key=str)
    if positive is None:
        if len(values) == 2 and all(isinstance(value, str) for value in values):
            raise ParamError(
                f"The label {label!r} is {values[0]!r} or {values[1]!r}: say whose probability is "
                f"wanted, for example --positive {values[1]!r}."
            )
        return y
    chosen = [value for value in values if _is_called(value, positive)]
    if not chosen:
        shown = ", ".join(map(repr, values[:10]))
        raise ParamError(f"--positive is {positive!r}; the label {label!r} has {shown}.")
    others = [value for value in values if value != chosen[0]]
    return pd.Series(pd.Categorical(y, categories=[*others, chosen[0]]), name=label)


def _is_called(value: Any, name: str) -> bool:
    """Whether a label is what a user calls it: 1 for 1.0, true for True."""
    if str(value) == name or str(value).lower() == name.lower():
        return True
    return isinstance(value, float) and value.is_integer() and str(int(value)) == name


def _has(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return f"it has {shown}" + (f" and {len(names) - most} more" if len(names) > most else "")
