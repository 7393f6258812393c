"""A table to predict for, matched with that of fit: by name, if columns have names."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence

import numpy as np

from elseif.checks import nearest_name
from elseif.conditions.binarise import ColumnReport
from elseif.errors import DataError, ValuesShownWarning
from elseif.phrases import counted
from elseif.tables.columns import Kind
from elseif.tables.families import meant_level
from elseif.tables.reading import Table

MOST_SHOWN = 5
NOTHING_HOLDS = "no condition is true of them."
LISTS_NOT_DRAWN = (
    "which lists that were not drawn use: predictions are averages over the draws, not the sum "
    "over all lists."
)
OTHER_LISTS = "which other lists of the posterior use: their predictions are left out."


def match_columns(
    table: Table,
    fitted_names: Sequence[str] | None,
    n_features: int,
    who: str,
    needed: Collection[str] | None = None,
) -> Table:
    """The table with the names of fit; missing columns are an error, extra ones are noted.

    Where columns go by names and some are ``needed``, the others may be missing.
    """
    if fitted_names is not None and table.named:
        if table.names == list(fitted_names):
            return table
        missing = [name for name in fitted_names if name not in table]
        lacking = missing if needed is None else [name for name in missing if name in needed]
        if lacking:
            what = (
                "the columns seen in fit" if needed is None else "the columns that predictions use"
            )
            hint = _meant(lacking[0], table, fitted_names)
            raise DataError(f"X lacks {len(lacking)} of {what}: {_some(lacking)}.{hint}")
        known = set(fitted_names)
        extra = [name for name in table.names if name not in known]
        if extra:
            columns = counted(len(extra), "column")
            _note(f"X has {columns} that fit did not see; ignored: {_some(extra)}.")
        return table
    if len(table.names) != n_features:
        raise DataError(
            f"X has {len(table.names)} features, but {who} is expecting "
            f"{n_features} features as input."
        )
    if fitted_names is not None:
        _note(f"X does not have valid feature names, but {who} was fitted with feature names")
        return table.renamed(list(fitted_names), named=True)
    if table.named:
        _note(f"X has feature names, but {who} was fitted without feature names")
        return table.renamed([f"x{i}" for i in range(len(table.names))], named=False)
    return table


def _meant(name: str, table: Table, fitted_names: Sequence[str]) -> str:
    """A hint if an unknown column has nearly the name of a missing one."""
    others = [each for each in table.names if each not in set(fitted_names)]
    near = nearest_name(name, others)
    return "" if near is None else f" It has a column {near!r:.100}: is that {name!r:.100}?"


def note_of_lacking(table: Table, columns: Collection[str], rest: str) -> bool:
    """Note that a table lacks some columns, and what follows; whether it does."""
    lacking = sorted(name for name in columns if name not in table)
    if lacking:
        _note(f"X lacks {_some(lacking)}, {rest}")
    return bool(lacking)


def warn_of_unseen(table: Table, columns: Sequence[ColumnReport]) -> None:
    """Count the values of categories that fit did not see: no condition is true of them.

    Where a model does not name all categories that fit saw, a value of another one may be of
    those: only where there are more of them than there were is one certainly new.
    """
    for report in columns:
        if report.kind not in (Kind.CATEGORY, Kind.ORDERED):
            continue
        column = table.column(report.name, report.kind)
        assert column.codes is not None
        known = set(report.levels)
        unseen = [
            i
            for i, category in enumerate(column.categories)
            if meant_level(category, known) not in known
        ]
        n_values = int(np.isin(column.codes, unseen).sum()) if unseen else 0
        if not n_values:
            continue
        shown = f" ({_some([str(column.categories[i]) for i in unseen])})"
        n_known = report.n_other_levels
        if not n_known:
            values = (
                "1 value is of a category"
                if n_values == 1
                else (f"{n_values:,} values are of categories")
            )
            text = f"Column {report.name!r}: {values} that fit did not see"
            _note(f"{text}{shown}; {NOTHING_HOLDS}", f"{text}; {NOTHING_HOLDS}")
        elif len(unseen) > n_known:
            text = f"Column {report.name!r}: {len(unseen)} categories are not named in the model"
            rest = (
                f", and fit saw {n_known} such; at least {len(unseen) - n_known} of them are new."
            )
            _note(f"{text}{shown}{rest}", f"{text}{rest}")


def warn_of_other_numbers(table: Table) -> None:
    """Count the numbers in boolean columns, among those that were read, that are not 0 or 1."""
    for name, (n_values, example) in table.other_numbers.items():
        values = "1 value is" if n_values == 1 else f"{n_values:,} values are"
        text = f"Column {name!r} held 0 and 1 in fit; {values} neither"
        rest = NOTHING_HOLDS if n_values > 1 else "no condition is true of it."
        _note(f"{text} (such as {example:g}); {rest}", f"{text}; {rest}")


def _note(message: str, without_values: str | None = None) -> None:
    # the warning points at the caller of predict_proba: note, match, read, predict_proba
    warning = UserWarning(message)
    if without_values is not None:
        warning = ValuesShownWarning(message, without_values)
    warnings.warn(warning, stacklevel=5)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MOST_SHOWN])
    return shown if len(names) <= MOST_SHOWN else f"{shown}, ..."
