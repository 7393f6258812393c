"""From columns to conditions that a person would write (section 2.2)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from elseif.bits.mask import Mask
from elseif.bits.packed_mask import PackedMask, pack_mask
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.condition import (
    ABOVE,
    AT_MOST,
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
    Condition,
)
from elseif.conditions.cut_points import N_QUANTILES, description_length_cuts, quantile_cuts
from elseif.conditions.evidence_cuts import evidence_cuts
from elseif.conditions.hidden_numbers import warn_of_hidden_numbers
from elseif.conditions.identifiers import keeping, suspicion
from elseif.conditions.levels import level_counts, nameable, short_scale
from elseif.conditions.training_range import TrainingRange, training_range
from elseif.errors import DataError, ParamError, ValuesShownWarning
from elseif.progress import Progress
from elseif.tables.columns import Column, Kind, column_of_mask
from elseif.tables.families import category_form, family
from elseif.tables.fingerprint import column_digest
from elseif.tables.labels import Labels
from elseif.tables.look_alikes import look_alikes
from elseif.tables.reading import Table
from elseif.tables.times import as_date
from elseif.tables.values import refuse_other_numbers

QUANTILES, DESCRIPTION_LENGTH, EVIDENCE = "quantiles", "mdl", "evidence"
THRESHOLDS, BINS = "thresholds", "bins"
MOST_IN_ORDER = 5  # categories that a warning shows


@dataclass(frozen=True)
class ColumnReport:
    """What ``fit`` did with one column.

    Attributes
    ----------
    name : str
        The column.
    kind : Kind
        Its kind.
    n_missing : int | None
        Missing values; None where a minimum cell withholds the number.
    n_conditions : int
        Number of conditions made from it.
    cuts : tuple[Any, ...]
        Cut points.
    levels : tuple[Any, ...]
        Categories that conditions name.
    grouped : tuple[Any, ...]
        Rare categories that share a condition.
    excluded : str | None
        Why the column gives no condition, or None.
    n_levels : int
        Number of categories seen.
    holds : str | None
        What the categories are: "text", "number", "boolean" or "date".
    range : TrainingRange | None
        Where nearly all numbers or dates lay; None for other columns and where it is not known.
    date_order : str | None
        For dates given as text such as 03/04/2021: "dmy" or "mdy", as they were read.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> report = clf.fit_report_.columns[0]
    >>> report.name, report.n_conditions, report.levels
    ('class', 4, ('1st', '2nd', '3rd', 'crew'))
    """

    name: str
    kind: Kind
    n_missing: int | None = 0
    n_conditions: int = 0
    cuts: tuple[Any, ...] = ()
    levels: tuple[Any, ...] = ()
    grouped: tuple[Any, ...] = ()
    excluded: str | None = None
    n_levels: int = 0
    holds: str | None = None
    range: TrainingRange | None = None
    date_order: str | None = None

    @property
    def n_other_levels(self) -> int:
        """Number of categories seen in ``fit`` that are not among the levels."""
        return max(0, self.n_levels - len(self.levels))

    @property
    def levels_hold(self) -> str | None:
        """The type of the categories; None for columns of another kind, or if it is unknown."""
        return self.holds or next(map(family, self.levels), None)

    def without_values(self) -> ColumnReport:
        """The report on a column that is left out, with only its name.

        Returns
        -------
        ColumnReport
            The report without categories, cut points and range.
        """
        return replace(self, cuts=(), levels=(), grouped=(), range=None)


@dataclass(frozen=True)
class Binarising:
    """How columns become conditions."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    orders: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # levels in order, as given
    cuts: Mapping[str, Any] = field(default_factory=dict)  # cut points, or a method, by column
    cutting: str = QUANTILES  # the method for all other columns
    n_quantiles: int = N_QUANTILES
    shape: str = THRESHOLDS  # overlapping one-sided thresholds, or disjoint bins
    negations: bool = False
    group_rare: float = 0.0  # categories of a smaller share have one condition together
    allow_missing: bool = True


@dataclass(frozen=True)
class Binarised:
    """Conditions with their truth values."""

    conditions: list[Condition]
    truths: list[PackedMask]
    columns: list[ColumnReport]
    digests: list[bytes] = field(default_factory=list)  # of each column, for the fingerprint
    # levels that may be kept although no condition names them, by column
    scales: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def binarise(
    table: Table,
    labels: Labels,
    how: Binarising,
    progress: Progress | None = None,
    layout: BitLayout | None = None,
) -> Binarised:
    """Every condition on every column, in the order of the columns.

    A column is read, cut and packed before the next one is read. The layout is that of
    the labels, which is made here when it is not at hand.
    """
    if table.booleans is not None and not (how.kinds or how.cuts or how.negations):
        return _binarise_booleans(table.names, table.booleans)
    if layout is None:
        layout = make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)
    result = Binarised([], [], [])
    with_missing: dict[str, int] = {}
    with (progress or Progress()).stage("reading columns", len(table.names)) as report:
        for done, name in enumerate(table.names):
            report(done)
            column = table.column_once(name, how.kinds.get(name))
            refuse_other_numbers(column)
            if column.kind is Kind.BOOLEAN and name in how.cuts and name not in how.kinds:
                column = _as_numbers(column, table)
            if name in how.orders:
                column = in_order(column, how.orders[name])
            if column.n_missing and not how.allow_missing:
                with_missing[name] = column.n_missing
                continue
            conditions, column_report = column_conditions(column, labels, how)
            result.conditions.extend(conditions)
            result.truths.extend(pack_mask(c.mask(column), layout) for c in conditions)
            result.columns.append(column_report)
            result.digests.append(column_digest(column))
            result.scales[name] = short_scale(column, labels)
            del column  # before the next one is read
    refuse_missing(with_missing)
    return result


def _as_numbers(column: Column, table: Table) -> Column:
    """Numbers that happen to be 0 and 1 in these rows, as in a fold; booleans are unchanged."""
    levels = table.column_once(column.name, Kind.CATEGORY).categories
    is_truth = any(family(level) == "boolean" for level in levels)
    return column if is_truth else table.column_once(column.name, Kind.NUMERIC)


def refuse_missing(with_missing: Mapping[str, int]) -> None:
    """Raise for columns that lack values, given how many each lacks."""
    lacking = {name: n for name, n in with_missing.items() if n}
    if not lacking:
        return
    shown = ", ".join(f"{n!r} ({k})" for n, k in list(lacking.items())[:5])
    more = ", ..." if len(lacking) > 5 else ""
    columns = "1 column lacks" if len(lacking) == 1 else f"{len(lacking)} columns lack"
    raise DataError(
        f"Input X contains NaN: {columns} values: {shown}{more}. Fill them in, or use "
        "missing='own_level'."
    )


def in_order(column: Column, order: tuple[Any, ...]) -> Column:
    """An ordered column with its categories in the given order."""
    assert column.codes is not None
    untold = [category for category in column.categories if category not in order]
    if untold:
        raise DataError(
            f"Column {column.name!r} has {untold[0]!r}, which is missing from the order given in "
            "kinds: "
            f"{', '.join(map(repr, order))}."
        )
    recode = np.array([order.index(c) for c in column.categories] + [-1], dtype=np.int32)
    return replace(column, codes=recode[column.codes], categories=order)


def _binarise_booleans(names: Sequence[str], masks: Sequence[Mask]) -> Binarised:
    """binarise for thousands of boolean columns without a missing value."""
    result = Binarised([], [], [])
    for name, mask in zip(names, masks, strict=True):
        if 0 < mask.n_true < mask.n_rows:
            result.conditions.append(Condition(name, TRUE))
            result.truths.append(PackedMask(mask.rows(), listed=True))  # most stay so
            result.columns.append(ColumnReport(name, Kind.BOOLEAN, n_conditions=1))
        else:
            result.columns.append(ColumnReport(name, Kind.BOOLEAN, excluded="constant"))
        result.digests.append(column_digest(column_of_mask(name, mask)))
    return result


def column_conditions(
    column: Column, labels: Labels, how: Binarising
) -> tuple[list[Condition], ColumnReport]:
    """The conditions on one column, and the report on it."""
    n_missing = labels.n_rows_of(column.is_missing()) if labels.repeats is not None else None
    n_missing = column.n_missing if n_missing is None else n_missing
    cuts: list[Any] = []
    grouped: tuple[Any, ...] = ()
    excluded = None
    conditions: list[Condition] = []
    if column.n_missing == column.n_rows:
        excluded = "every value is missing"
    elif (excluded := _personal(column, labels, how)) is not None:
        pass  # not even whether a value is there is asked
    elif column.kind in (Kind.BOOLEAN, Kind.CATEGORY) and column.name in how.cuts:
        raise ParamError(
            f"cuts: column {column.name!r} is {column.kind}; only numeric, date and ordered "
            "columns can be cut."
        )
    elif column.kind is Kind.BOOLEAN:
        conditions = list(_boolean_conditions(column, how))
    elif column.kind is Kind.CATEGORY:
        if column.name not in how.kinds:
            warn_of_hidden_numbers(column.name, column.categories)
        _warn_of_look_alikes(column)
        conditions = list(_category_conditions(column, labels, how))
        grouped = next((c.value for c in conditions if c.operator == ONE_OF), ())
    else:
        _warn_of_alphabet(column, how)
        cuts = cut_points(column, labels, how)
        conditions = list(cut_conditions(column, cuts, how))
    has_range = bool(conditions) and column.kind in (Kind.NUMERIC, Kind.DATE)
    if n_missing and excluded is None:
        conditions.append(Condition(column.name, MISSING))
    if not conditions and excluded is None:
        excluded = _why_nothing(column, how)
    report = ColumnReport(
        name=column.name,
        kind=column.kind,
        n_missing=n_missing,
        n_conditions=len(conditions),
        cuts=tuple(cuts),
        grouped=grouped,
        excluded=excluded,
        range=training_range(column, labels) if has_range else None,
        **seen_levels(column),
    )
    return conditions, report


def seen_levels(column: Column) -> dict[str, Any]:
    """The part of a column report about its categories, or about how its dates are written."""
    categories = column.categories
    holds = family(categories[0]) if categories else None
    return {
        "levels": categories,
        "n_levels": len(categories),
        "holds": holds,
        "date_order": column.date_order,
    }


def _why_nothing(column: Column, how: Binarising) -> str:
    """Why a column gives no condition."""
    cuts = how.cuts.get(column.name)
    if column.numbers is None or len(np.unique(column.numbers)) < 2:
        return "constant"
    if cuts is not None and not isinstance(cuts, str):
        return "no cut points were given"
    if (cuts or how.cutting) == DESCRIPTION_LENGTH:
        return "no cut reduces the entropy of the labels by more than its description length"
    return "constant in the rows that are used"  # other values are infinite or have no weight


def _personal(column: Column, labels: Labels, how: Binarising) -> str | None:
    """Why a column is left out as identifying people; warns if the user has to decide."""
    if column.name in how.kinds or column.name in how.cuts:
        return None  # the user has said what it is
    suspected = suspicion(column, labels)
    if suspected is None:
        return None
    keep = keeping(column.name, column.kind)
    if suspected.is_sure:
        warnings.warn(
            f"Column {column.name!r} is left out: it {suspected.reason}. {keep}.",
            UserWarning,
            stacklevel=3,
        )
        return f"{suspected.reason}; {keep}"
    warnings.warn(
        f"Column {column.name!r} {suspected.reason}. Leave it out of the table if it is one; "
        f"{keep} without this warning.",
        UserWarning,
        stacklevel=3,
    )
    return None


def _warn_of_look_alikes(column: Column) -> None:
    """Warn of levels that look the same."""
    for twins in look_alikes(c for c in column.categories if isinstance(c, str)):
        said = "look alike but are spelt with different characters."
        shown, n = ", ".join(map(ascii, twins)), len(twins)
        warnings.warn(
            ValuesShownWarning(
                f"Column {column.name!r}: the levels {shown} {said}",
                f"Column {column.name!r}: {n} levels {said}",
            ),
            stacklevel=3,
        )


def _warn_of_alphabet(column: Column, how: Binarising) -> None:
    """Warn if texts were called ordered, and the alphabet alone says in which order."""
    texts = [category for category in column.categories if isinstance(category, str)]
    if not column.by_alphabet or column.name in how.orders or len(texts) < 2:
        return
    first = texts[:MOST_IN_ORDER]
    shown = ", ".join([*map(repr, first), *(["..."] if len(texts) > len(first) else [])])
    said = f"Column {column.name!r} is ordered as the alphabet has it"
    warnings.warn(
        ValuesShownWarning(
            f"{said}: {shown}. Give its categories from the lowest to the highest; this order is "
            f"kinds={{{column.name!r}: {first!r}}}.",
            f"{said}.",
        ),
        stacklevel=3,
    )


def rare_categories(column: Column, labels: Labels, least_share: float) -> np.ndarray:
    """Codes of the categories below a share of the observations, when there are at least two."""
    if not least_share:
        return np.empty(0, dtype=np.int64)
    weights = level_counts(column, labels, by_weight=True)
    total = float(labels.weights.sum()) * labels.unit
    rare = np.flatnonzero((weights > 0) & (weights < least_share * total))
    return rare if len(rare) > 1 else rare[:0]


def cut_points(column: Column, labels: Labels, how: Binarising) -> list[Any]:
    """The cut points of a column: as given, or by the chosen method."""
    given = how.cuts.get(column.name)
    if column.kind is Kind.ORDERED:
        if given is not None:
            return _given_categories(column, given)
        present = _present_codes(column)
        return [column.categories[code] for code in present[:-1]]
    if given is not None and not isinstance(given, str):
        return given_cuts(column, given)
    assert column.numbers is not None
    cutting = given or how.cutting
    if cutting in (DESCRIPTION_LENGTH, EVIDENCE):
        used = np.isfinite(column.numbers) & (labels.weights > 0)  # what is missing is not finite
        values, codes, n_labels = column.numbers[used], labels.codes[used], len(labels.classes)
        weights = labels.weights[used] * labels.unit
        if cutting == EVIDENCE:
            return evidence_cuts(values, codes, weights, n_labels, how.n_quantiles)
        return description_length_cuts(values, codes, weights, n_labels)
    return quantile_cuts(
        column.numbers, None if labels.count_once else labels.weights, how.n_quantiles
    )


def given_cuts(column: Column, given: Sequence[Any]) -> list[Any]:
    """Cut points of a column of numbers or dates as the user gave them, checked and sorted."""
    cuts: list[Any]
    try:
        if column.kind is Kind.DATE:
            cuts = [as_date(cut) for cut in given]
        else:
            if any(family(cut) not in ("number", "boolean") for cut in given):
                raise ValueError("not numbers")
            cuts = [float(cut) for cut in given]
            if not np.all(np.isfinite(cuts)):
                raise ValueError("not finite")
    except (TypeError, ValueError, OverflowError) as error:
        what = "dates" if column.kind is Kind.DATE else "finite numbers"
        raise ParamError(
            f"cuts[{column.name!r}] is {given!r}; it must be a list of {what}."
        ) from error
    return sorted(set(cuts))


def _given_categories(column: Column, given: Sequence[Any]) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParamError(
            f"cuts[{column.name!r}] is {given!r}; it must be a list of the column's categories."
        )
    given = list(map(category_form, given))
    unknown = [cut for cut in given if cut not in column.categories]
    if unknown:
        raise ParamError(
            f"cuts[{column.name!r}]: {unknown[0]!r} is none of the column's categories "
            f"{', '.join(map(repr, column.categories[:10]))}."
        )
    return sorted(set(given), key=column.categories.index)


def _boolean_conditions(column: Column, how: Binarising) -> Iterator[Condition]:
    n_true = column.n_true
    n_false = column.n_rows - n_true - column.n_missing
    if n_true and n_true < column.n_rows:
        yield Condition(column.name, TRUE)
    if how.negations and n_false and n_false < column.n_rows:
        yield Condition(column.name, FALSE)


def _present_codes(column: Column) -> np.ndarray:
    """The codes of the categories that a column holds, ascending."""
    assert column.codes is not None
    is_present = np.zeros(len(column.categories) + 1, dtype=bool)  # the last for what is missing
    is_present[column.codes] = True
    return np.flatnonzero(is_present[:-1])


def _category_conditions(column: Column, labels: Labels, how: Binarising) -> Iterator[Condition]:
    present = _present_codes(column)
    if len(present) < 2 - bool(column.n_missing):
        return
    may_name = nameable(column, labels) if how.negations or how.group_rare else None
    rare = set(rare_categories(column, labels, how.group_rare).tolist())
    for code in present.tolist():
        category = column.categories[code]
        if code not in rare:
            yield Condition(column.name, EQUAL, category)
            if may_name is not None and how.negations and may_name[code]:
                yield Condition(column.name, UNEQUAL, category, column.categories)
    grouped = [column.categories[c] for c in sorted(rare) if may_name is None or may_name[c]]
    if len(grouped) > 1:
        yield Condition(column.name, ONE_OF, tuple(grouped))
    elif grouped:
        yield Condition(column.name, EQUAL, grouped[0])


def cut_conditions(column: Column, cuts: Sequence[Any], how: Binarising) -> Iterator[Condition]:
    """The conditions on a column, from its cut points."""
    order = column.categories if column.kind is Kind.ORDERED else None
    if how.shape == THRESHOLDS:
        for cut in cuts:
            yield Condition(column.name, AT_MOST, cut, order)
            yield Condition(column.name, ABOVE, cut, order)
    elif cuts:
        yield Condition(column.name, AT_MOST, cuts[0], order)
        for low, high in pairwise(cuts):
            yield Condition(column.name, BETWEEN, (low, high), order)
        yield Condition(column.name, ABOVE, cuts[-1], order)
