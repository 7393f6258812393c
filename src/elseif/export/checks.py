"""Consistency checks of a model file that its types cannot express."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from elseif.conditions.condition import (
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.errors import ModelFileError
from elseif.export.cohort_checks import check_cohort, check_federation, check_recalibrated
from elseif.export.document import (
    ColumnPart,
    ConditionPart,
    DateValue,
    Document,
    NumberValue,
    PathScoresPart,
    PoolPart,
    PosteriorPart,
    RangePart,
    RulePart,
    TupleValue,
)
from elseif.export.exact_checks import check_exact
from elseif.export.field_types import LARGEST_CHAIN
from elseif.export.json_values import decode_date, decode_labels, decode_number, hashable
from elseif.tables.columns import Kind

CLOSE = 1e-9
ROOM_FOR_LABELS = 1000  # characters that an array of labels may have beyond the longest one
MOST_CASES = 1.5 * 2.0**62  # in units: fit counts up to 2^62, and int64 up to 2^63
MOST_CHARACTERS, FOR_EACH = 10**7, 100  # of all antecedents' names, and for each condition
MOST_ORDERS = 16  # of one column's categories
NAMED = (EQUAL, UNEQUAL, ONE_OF)
OPERATORS_OF = {
    Kind.BOOLEAN: (TRUE, FALSE),
    Kind.CATEGORY: NAMED,
    Kind.NUMERIC: (*NAMED, *NUMERIC_OPERATORS),
    Kind.DATE: (*NAMED, *NUMERIC_OPERATORS),
    Kind.ORDERED: (*NAMED, *NUMERIC_OPERATORS),
}
LABEL_TYPES = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}


def check_document(document: Document) -> None:
    """Raise for the first contradiction."""
    _check_outcome(document)
    _check_rounding(document)
    _check_columns(document)
    conditions = _Conditions(document)
    for where, rules in (
        ("rule_list", document.rule_list),
        ("map_rule_list", document.map_rule_list),
    ):
        _check_rules(where, rules, document, conditions)
    _check_projection(document, conditions)
    _check_pool(document, conditions)
    check_cohort(document)
    check_recalibrated(document)
    check_federation(document)
    if document.posterior is not None:
        _check_posterior(document.posterior, document)


def _refuse_unless(truth: bool, what: str) -> None:
    if not truth:
        raise ModelFileError(what)


def _check_outcome(document: Document) -> None:
    outcome = document.outcome
    n = len(outcome.labels)
    _refuse_unless(
        len(outcome.pseudocounts) == n, f"outcome: {n} labels need as many pseudocounts."
    )
    _refuse_unless(
        len(document.training.label_counts) == n, f"training: {n} labels need as many counts."
    )
    cases = sum(document.training.label_counts) / document.training.count_unit
    _refuse_unless(cases > 0, "training: there are no cases.")
    _refuse_unless(cases < MOST_CASES, "training: there are more cases than can be counted.")
    _refuse_unless(
        math.isfinite(sum(outcome.pseudocounts)), "outcome: the pseudocounts are too large."
    )
    kind = outcome.label_type[0]
    dated = outcome.label_type.startswith("datetime64")
    if outcome.label_type != "object":
        fitting = (DateValue,) if dated else LABEL_TYPES[kind]
        wrong = [label for label in outcome.labels if type(label) not in fitting]
        _refuse_unless(not wrong, f"outcome: a label is not of type {outcome.label_type}.")
    if kind == "U":  # every prediction takes so much room
        longest = max(len(str(label)) for label in outcome.labels)
        _refuse_unless(
            int(outcome.label_type[1:]) <= longest + ROOM_FOR_LABELS,
            f"outcome: labels of type {outcome.label_type} are far wider than the longest of them.",
        )
        _refuse_unless(
            longest <= max(1, int(outcome.label_type[1:])),
            f"outcome: a label is longer than its type {outcome.label_type} holds.",
        )
    plain = [v.model_dump() if hasattr(v, "model_dump") else v for v in outcome.labels]
    try:
        classes = decode_labels(outcome.label_type, plain)
        labels = hashable(classes.tolist())
    except (ValueError, OverflowError, TypeError) as error:
        raise ModelFileError(f"outcome: the labels cannot be read ({error}).") from error
    infinite = any(isinstance(label, float) and not math.isfinite(label) for label in labels)
    _refuse_unless(not infinite, "outcome: a label is infinite or not a number.")
    _refuse_unless(len(set(labels)) == n, "outcome: a label occurs twice.")


def _check_rounding(document: Document) -> None:
    """Check that a model with rounded counts reveals nothing more."""
    rounding = document.training.rounding
    if rounding is None:
        _refuse_unless(document.pool.supports is not None, "pool: there are no supports.")
        return
    _refuse_unless(
        rounding.step % rounding.min_cell == 0,
        "training: the rounding step is not a multiple of min_cell.",
    )
    projection = document.projection
    rules = [*document.rule_list, *document.map_rule_list]
    rules += [] if projection is None else projection.rule_list
    counts = [n for rule in rules for n in rule.label_counts]
    _refuse_unless(
        all(math.remainder(n, rounding.step) == 0 for n in counts + document.training.label_counts),
        f"training: a count is not a multiple of {rounding.step}.",
    )
    parts = (
        document.posterior,
        document.training.fingerprint,
        document.pool.supports,
        None if projection is None else projection.path,
    )
    _refuse_unless(
        all(part is None for part in parts)
        and not any(column.n_missing for column in document.table.columns),
        "training: counts are rounded, but other parts of the file would reveal them.",
    )


def _check_columns(document: Document) -> None:
    table = document.table
    names = [column.name for column in table.columns]
    _refuse_unless(len(set(names)) == len(names), "table: a column occurs twice.")
    known = table.feature_names
    if known is None:
        unknown = {name for name in names if not _is_place(name, table.n_features)}
    else:
        _refuse_unless(
            len(known) == table.n_features and len(set(known)) == len(known),
            f"table: {table.n_features} features need as many names, all different.",
        )
        unknown = set(names) - set(known)
    _refuse_unless(not unknown, f"table: unknown column {_first(unknown)}.")
    for column in table.columns:
        _refuse_unless(
            (column.n_missing or 0) <= table.n_rows,
            f"table: column {column.name[:100]!r} has more missing values than rows.",
        )
        _refuse_unless(
            NumberValue(number="NaN") not in (*column.levels, *column.cuts, *column.grouped),
            f"table: column {column.name[:100]!r} has NaN among its values.",
        )
        _refuse_unless(
            column.range is None or _is_range(column.range, Kind(column.kind)),
            f"table: column {column.name[:100]!r} has an invalid range.",
        )


def _is_range(part: RangePart, kind: Kind) -> bool:
    """Whether the ends of a range are in order, and values of such a column."""
    ends = part.low, part.high
    if kind is Kind.DATE:
        days = [decode_date(end.date) for end in ends if isinstance(end, DateValue)]
        return len(days) == 2 and bool(days[0] <= days[1])
    low, high = ends
    is_numeric = kind is Kind.NUMERIC
    return is_numeric and isinstance(low, float) and isinstance(high, float) and low <= high


def _is_place(name: str, n_features: int) -> bool:
    """Whether a name is one that columns without names get: x0, x1, ..."""
    digits = name.removeprefix("x")
    if not digits.isdecimal() or len(digits) > 12:
        return False
    return name == f"x{int(digits)}" and int(digits) < n_features


class _Conditions:
    """Conditions checked against the columns that they refer to."""

    def __init__(self, document: Document) -> None:
        self._orders = document.orders
        self._columns = {column.name: column for column in document.table.columns}
        self._levels: dict[str, set[Any]] = {}  # categories by column
        self._ranks: dict[int, dict[Any, int]] = {}  # of categories, by order
        self._ordered: dict[str, set[int]] = {}  # orders known to be of a column's levels

    def check(self, where: str, conditions: Iterable[ConditionPart]) -> None:
        for condition in conditions:
            fault = self._fault(condition)
            if fault is not None:
                raise ModelFileError(
                    f"{where}: the condition on {condition.column[:100]!r} {fault}."
                )

    def _fault(self, condition: ConditionPart) -> str | None:
        column = self._columns.get(condition.column)
        if column is None:
            return "is on an unknown column"
        operator, kind = condition.operator, Kind(column.kind)
        if condition.order is not None and condition.order >= len(self._orders):
            return "has an order that is not there"
        if operator == MISSING:
            return None if condition.value is None else "needs no value"
        if operator not in OPERATORS_OF[kind]:
            return f"has the operator {operator!r}, which {kind.value} columns do not know"
        if operator in (TRUE, FALSE):
            return None if condition.value is None else "needs no value"
        if operator in (ONE_OF, BETWEEN):
            if not isinstance(condition.value, TupleValue) or not condition.value.content:
                return "needs several values"
            values: list[Any] = list(condition.value.content)
        else:
            values = [condition.value]
        if any(isinstance(value, TupleValue) for value in values):
            return "needs one value" if len(values) == 1 else "needs values that are not many"
        if kind in (Kind.CATEGORY, Kind.ORDERED):
            return self._category_fault(condition, values, column)
        return _number_fault(kind, operator, values)

    def _category_fault(
        self, condition: ConditionPart, values: list[Any], column: ColumnPart
    ) -> str | None:
        # a list edited by hand may name a level of those that the column does not list
        is_open = column.n_levels > len(column.levels)
        if not is_open and not self._levels_of(condition.column).issuperset(values):
            return "names a category that the column does not have"
        needs_order = condition.operator in NUMERIC_OPERATORS or (
            condition.operator == UNEQUAL and not is_open
        )
        if needs_order and condition.order is None:
            return "lacks the order of the categories"
        if condition.order is not None:
            fault = self._order_fault(condition.column, condition.order, is_open)
            if fault is not None:
                return fault
            ranks = self._ranks_of(condition.order)
            if not all(value in ranks for value in values):
                return "names a category that is not in its order"
            if condition.operator == BETWEEN:
                return _interval_fault([ranks[v] for v in values])
        return None

    def _order_fault(self, column: str, order: int, is_open: bool) -> str | None:
        """Whether an order is of a column's levels; most conditions on a column share theirs."""
        known = self._ordered.setdefault(column, set())
        if order in known:
            return None
        if len(known) == MOST_ORDERS:
            return f"has an order beyond the {MOST_ORDERS} that a column may have"
        levels, ranks = self._levels_of(column), self._ranks_of(order)
        if not is_open and (len(ranks) > len(levels) or not levels.issuperset(ranks)):
            return "has an order of other categories"
        if len(ranks) < len(self._orders[order]):
            return "has an order that names a category twice"
        known.add(order)
        return None

    def _levels_of(self, column: str) -> set[Any]:
        if column not in self._levels:
            # 1 and 1.0 are one category, as in prediction
            self._levels[column] = set(self._columns[column].levels)
        return self._levels[column]

    def _ranks_of(self, order: int) -> dict[Any, int]:
        if order not in self._ranks:
            self._ranks[order] = {c: rank for rank, c in enumerate(self._orders[order])}
        return self._ranks[order]


def _number_fault(kind: Kind, operator: str, values: list[Any]) -> str | None:
    if kind is Kind.DATE:
        if not all(isinstance(v, DateValue) for v in values):
            return "needs a date"
        ranks: list[Any] = [decode_date(v.date) for v in values]
    else:
        if not all(type(v) in (int, float) for v in values):
            return "needs a number"
        ranks = values
    return _interval_fault(ranks) if operator == BETWEEN else None


def _interval_fault(ranks: list[Any]) -> str | None:
    if len(ranks) != 2 or not ranks[0] < ranks[1]:
        return "needs two values, the smaller first"
    return None


def _check_rules(
    where: str, rules: Sequence[RulePart], document: Document, conditions: _Conditions
) -> None:
    alphas = document.outcome.pseudocounts
    n = len(alphas)
    for position, rule in enumerate(rules):
        is_last = position == len(rules) - 1
        _refuse_unless(
            bool(rule.conditions) != is_last,
            f"{where}: the last rule, and no other, has no condition.",
        )
        conditions.check(where, rule.conditions)
        _refuse_unless(
            len(rule.label_counts) == n and len(rule.probabilities) == n,
            f"{where}: rule {position + 1} needs {n} counts and probabilities.",
        )
        total = sum(rule.label_counts) + sum(alphas)
        means = [(c + a) / total for c, a in zip(rule.label_counts, alphas, strict=True)]
        _refuse_unless(
            all(abs(p - m) <= CLOSE for p, m in zip(rule.probabilities, means, strict=True)),
            f"{where}: the probabilities of rule {position + 1} do not follow from its counts.",
        )
    rounding = document.training.rounding
    # each line and the total are rounded on their own
    apart = 0.0 if rounding is None else (len(rules) + 1) * rounding.step / 2
    for label in range(n):
        captured = sum(rule.label_counts[label] for rule in rules)
        trained = document.training.label_counts[label]
        _refuse_unless(
            math.isclose(captured, trained, rel_tol=CLOSE, abs_tol=apart + CLOSE),
            f"{where}: its rules capture {captured:g} cases of label {label + 1}, "
            f"and there were {trained:g}.",
        )


def _check_projection(document: Document, conditions: _Conditions) -> None:
    """The path must be one: a list for each length, none farther away than a shorter one."""
    projection = document.projection
    _refuse_unless(
        document.settings.get("predict_with") != "projected" or projection is not None,
        "settings: predict_with is 'projected', and there is no projected list.",
    )
    if projection is None:
        return
    _check_rules("projection", projection.rule_list, document, conditions)
    path = projection.path
    if path is None:
        return
    _refuse_unless(
        projection.rule_list in path.lists,
        "projection: the projected list is not one of the path's lists.",
    )
    for most, rules in enumerate(path.lists):
        _check_rules(f"projection: list {most + 1}", rules, document, conditions)
        _refuse_unless(
            len(rules) - 1 <= most,
            f"projection: the list of at most {most} rules has {len(rules) - 1}.",
        )
    distances = [decode_number(distance) for distance in path.distances]
    _refuse_unless(
        len(distances) == len(path.lists)
        and all(math.isfinite(d) and d >= 0 for d in distances)
        and all(a >= b for a, b in pairwise(distances)),
        "projection: each list needs a distance, none larger than that of a shorter list.",
    )
    point = decode_number(path.point_distance)
    _refuse_unless(
        math.isnan(point) or (math.isfinite(point) and point >= 0),
        "projection: the point estimate's distance is invalid.",
    )
    if path.scores is not None:
        _check_path_scores(path.scores, len(path.lists))


def _check_path_scores(scores: PathScoresPart, n_lengths: int) -> None:
    by_length = (scores.log_loss, scores.log_loss_gap, scores.log_loss_gap_error, scores.auc)
    _refuse_unless(
        all(len(values) == n_lengths for values in by_length),
        "projection: each length needs its scores.",
    )
    gaps, errors = ([decode_number(v) for v in values] for values in by_length[1:3])
    _refuse_unless(
        any(gap <= error for gap, error in zip(gaps, errors, strict=True)),
        "projection: no length is within one standard error of the best.",
    )


def _check_pool(document: Document, conditions: _Conditions) -> None:
    pool = document.pool
    conditions.check("pool", pool.conditions)
    _refuse_unless(
        pool.supports is None or len(pool.supports) == len(pool.antecedents),
        "pool: each antecedent needs a support.",
    )
    for antecedent in pool.antecedents:
        _refuse_unless(
            bool(antecedent)
            and len(set(antecedent)) == len(antecedent)
            and max(antecedent) < len(pool.conditions),
            "pool: an antecedent is empty, or refers to conditions that do not exist.",
        )
    _check_names(pool)


def _check_names(pool: PoolPart) -> None:
    """A name that many antecedents share is short in the file, and long in each of theirs."""
    lengths = [len(c.column) + _n_characters(c.value) for c in pool.conditions]
    total = sum(lengths[c] for antecedent in pool.antecedents for c in antecedent)
    most = MOST_CHARACTERS + FOR_EACH * sum(map(len, pool.antecedents)) + sum(lengths)
    _refuse_unless(
        total <= most,
        f"pool: the names of all antecedents have {total:,} characters; at most {most:,} "
        "are possible for this many antecedents. Give the columns shorter names.",
    )


def _n_characters(value: Any) -> int:
    """The length of a value's text, or a little more."""
    if isinstance(value, TupleValue):
        return sum(map(_n_characters, value.content))
    return len(value) if isinstance(value, str) else 40


def _check_posterior(posterior: PosteriorPart, document: Document) -> None:
    n_lists, n_labels = len(posterior.lists), len(document.outcome.labels)
    _refuse_unless(
        len(posterior.label_counts) == n_lists and len(posterior.log_posterior) == n_lists,
        "posterior: each list needs its counts and its log posterior.",
    )
    for items, counts in zip(posterior.lists, posterior.label_counts, strict=True):
        _refuse_unless(
            len(set(items)) == len(items)
            and max(items, default=0) < max(1, len(document.pool.antecedents)),
            "posterior: a list has an antecedent twice, or one that is not in the pool.",
        )
        _refuse_unless(
            len(counts) == len(items) + 1 and all(len(row) == n_labels for row in counts),
            "posterior: a list needs one row of counts for each rule.",
        )
    trained = np.array(document.training.label_counts) / document.training.count_unit
    rows = np.array([row for counts in posterior.label_counts for row in counts], dtype=float)
    sizes = np.array([len(counts) for counts in posterior.label_counts])
    captured = np.add.reduceat(rows, np.cumsum(sizes) - sizes)
    _refuse_unless(
        bool(np.allclose(captured, trained, rtol=CLOSE, atol=CLOSE)),
        "posterior: the counts of a list do not add up to the training cases.",
    )
    if posterior.exact is not None:
        check_exact(posterior.exact, posterior, document)
    _check_chains(posterior, n_lists)


def _check_chains(posterior: PosteriorPart, n_lists: int) -> None:
    exact = posterior.exact  # whose lists need not have been drawn
    visited: set[int] = set() if exact is None else {exact.map_list, exact.point_list}
    totals = set()
    for chain in posterior.chains:
        _refuse_unless(
            len(chain.n_draws) == len(chain.lists) > 0 and max(chain.lists) < n_lists,
            "posterior: a chain refers to lists that do not exist.",
        )
        visited.update(chain.lists)
        totals.add(sum(chain.n_draws))
    _refuse_unless(
        len(totals) == 1 and max(totals) <= LARGEST_CHAIN,
        "posterior: the chains are of different or impossible lengths.",
    )
    _refuse_unless(len(visited) == n_lists, "posterior: some lists were drawn by no chain.")


def _first(names: Iterable[str]) -> str:
    return repr(min(names, default="")[:100])
