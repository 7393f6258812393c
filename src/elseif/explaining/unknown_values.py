"""Predictions with unknown values: every line that could apply, and no other.

An unknown value exists and is not at hand. It may be any number, any date, true or false,
or any category (of those that are known of, where they are known). It is not missing,
unless the list asks whether that column is missing: then that is one of the answers. One
column has one value: ``age > 60`` and ``age <= 50`` cannot both hold of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elseif.conditions.condition import Condition
from elseif.explaining.case import UNKNOWN, as_mapping, read_case, truths_of
from elseif.explaining.cells import Cell, column_cells, list_conditions, open_cells
from elseif.posterior.rule_list import RuleList
from elseif.tables.reading import Table

Truth = tuple[bool, ...]  # of a list's conditions on one column
Part = tuple[int, ...]  # which of them a rule wants


@dataclass(frozen=True, eq=False)
class ListLogic:
    """The logic of a list: what each rule requires of each column, and the cells of each."""

    conditions: Mapping[str, tuple[Condition, ...]]
    rules: tuple[dict[str, Part], ...]  # the default rule last, which wants nothing
    cells: Mapping[str, tuple[Cell, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.conditions)

    def open_truths(self, column: str) -> tuple[Truth, ...]:
        """What may be true of an unknown value of a column."""
        cells = open_cells(self.cells[column], self.conditions[column])
        return tuple(dict.fromkeys(cell.truth for cell in cells))

    def missing_truth(self, column: str) -> Truth:
        """What is true of a missing value of a column."""
        return self.cells[column][-1].truth


def list_logic(rule_list: RuleList, levels: Mapping[str, Sequence[Any]] | None = None) -> ListLogic:
    """The logic of a list; levels are the categories of columns, where they are known."""
    conditions = list_conditions(rule_list)
    position = {c: i for known in conditions.values() for i, c in enumerate(known)}
    rules = []
    for rule in rule_list.rules:
        wanted: dict[str, list[int]] = {}
        for condition in rule.antecedent:
            wanted.setdefault(condition.column, []).append(position[condition])
        rules.append({column: tuple(parts) for column, parts in wanted.items()})
    return ListLogic(conditions, tuple(rules), column_cells(rule_list, levels))


def fits(truth: Truth, part: Part) -> bool:
    """Whether a column's truth values meet what a rule requires of it."""
    return all(truth[i] for i in part)


def first_true(logic: ListLogic, truths: Mapping[str, Truth]) -> int:
    """The position of the rule that applies."""
    for j, rule in enumerate(logic.rules):
        if all(fits(truths[column], part) for column, part in rule.items()):
            return j
    raise AssertionError("the default rule applies to every case")


def reachable(logic: ListLogic, options: Mapping[str, Sequence[Truth]]) -> tuple[int, ...]:
    """The positions of all rules that apply for some choice among each column's truths."""
    # a set of truths is a number: bit k stands for the column's k-th
    everything = {column: (1 << len(truths)) - 1 for column, truths in options.items()}
    rules = [
        {
            column: sum(1 << k for k, truth in enumerate(options[column]) if fits(truth, part))
            for column, part in rule.items()
        }
        for rule in logic.rules
    ]
    return tuple(j for j in range(len(rules)) if _can_fire(rules, j, everything))


def _can_fire(rules: Sequence[Mapping[str, int]], j: int, options: Mapping[str, int]) -> bool:
    left = dict(options)
    for column, fitting in rules[j].items():
        left[column] &= fitting
        if not left[column]:
            return False
    return _can_all_fail(rules[:j], left)


def _can_all_fail(rules: Sequence[Mapping[str, int]], options: dict[str, int]) -> bool:
    """Whether one choice among each column's truths makes every rule false."""
    # rules that something chosen makes false already need no more thought
    live = [rule for rule in rules if all(options[c] & fitting for c, fitting in rule.items())]
    if not live:
        return True
    # the rule with the fewest ways to fail comes first: dead ends show early
    ways = [[c for c, fitting in rule.items() if options[c] & ~fitting] for rule in live]
    hardest = min(range(len(live)), key=lambda i: len(ways[i]))
    rule, left = live[hardest], dict(options)
    for column in ways[hardest]:
        fitting = rule[column]
        if _can_all_fail(live, {**left, column: left[column] & ~fitting}):
            return True
        left[column] &= fitting  # what is left to try has this column's part true
    return False


def case_truths(
    logic: ListLogic, rule_list: RuleList, case: Any
) -> tuple[dict[str, Truth], tuple[str, ...]]:
    """What is true of the known values of a case, and the columns that are unknown.

    A dict may leave columns out, or say UNKNOWN: both are unknown. None and NaN are
    missing values, which are known to be so.
    """
    named = as_mapping(case)
    if named is not None:
        case = {name: value for name, value in named.items() if value is not UNKNOWN}
    table = read_case(case) if named is None or case else None
    truths, unknown = {}, []
    for name, conditions in logic.conditions.items():
        if table is None or name not in table:
            unknown.append(name)
            continue
        column = table.column(name, rule_list.metadata.kinds.get(name))
        truths[name] = truths_of(conditions, column)
    return truths, tuple(unknown)


def possible_rules(
    rule_list: RuleList,
    case: Mapping[str, Any] | Table | Any,
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[int, ...]:
    """The rules that could apply to a case with unknown values.

    Parameters
    ----------
    rule_list : RuleList
        The list.
    case : dict or table
        Values by column. A column that is absent or ``UNKNOWN`` may have any value; None means
        that the value is missing.
    levels : dict, default=None
        All categories of a column, where they are known.

    Returns
    -------
    tuple of int
        Places of the rules, from 0; the default rule comes last.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> case = {"class": elseif.UNKNOWN, "sex": "female", "age": "adult"}
    >>> elseif.possible_rules(clf.rule_list_, case)
    (1, 2, 3)
    """
    return reachable(*_options(rule_list, case, levels)[:2])


def _options(
    rule_list: RuleList, case: Any, levels: Mapping[str, Sequence[Any]] | None
) -> tuple[ListLogic, dict[str, Sequence[Truth]], tuple[str, ...]]:
    """A list's logic, what may be true of each column, and the columns that are unknown."""
    logic = list_logic(rule_list, levels)
    truths, unknown = case_truths(logic, rule_list, case)
    options: dict[str, Sequence[Truth]] = {column: (truth,) for column, truth in truths.items()}
    return logic, options | {c: logic.open_truths(c) for c in unknown}, unknown


@dataclass(frozen=True)
class Possibilities:
    """The rules that could apply where values are unknown, and what to ask.

    Attributes
    ----------
    places : tuple[int, ...]
        Places of the rules that could apply, from 0.
    unknown : tuple[str, ...]
        Columns of the list whose value is unknown.
    low : tuple[float, ...]
        Smallest probability of each label among these rules.
    high : tuple[float, ...]
        Largest probability of each label among these rules.
    questions : tuple[str, ...]
        Unknown columns that matter, the most informative first.
    decisive : tuple[str, ...]
        Those of them whose value alone would leave one rule.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.explaining import possibilities
    >>> found = possibilities(clf.rule_list_, {"class": "1st", "age": "adult"})
    >>> found.places, found.unknown, found.is_decided
    ((0, 2), ('sex',), False)
    """

    places: tuple[int, ...]
    unknown: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    questions: tuple[str, ...]
    decisive: tuple[str, ...]

    @property
    def is_decided(self) -> bool:
        """Whether the known values leave one line."""
        return len(self.places) == 1


def possibilities(
    rule_list: RuleList,
    case: Mapping[str, Any] | Table | Any,
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> Possibilities:
    """The rules that could apply to a case with unknown values, and what to ask next.

    Parameters
    ----------
    rule_list : RuleList
        The list.
    case : dict or table
        Values by column. A column that is absent or ``UNKNOWN`` may have any value; None means
        that the value is missing.
    levels : dict, default=None
        All categories of a column, where they are known.

    Returns
    -------
    Possibilities
        The rules, the range of probabilities, and the columns whose value would narrow it.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.explaining import possibilities
    >>> possibilities(clf.rule_list_, {"age": "adult"}).questions
    ('class', 'sex')
    """
    logic, options, unknown = _options(rule_list, case, levels)
    positions = reachable(logic, options)
    # what each answer to a question would leave
    answers = {
        column: [reachable(logic, {**options, column: (t,)}) for t in options[column]]
        for column in unknown
        if len(positions) > 1
    }
    telling = [column for column, left in answers.items() if len(set(left)) > 1]
    telling.sort(key=lambda column: _lines_left(answers[column]))
    by_line = [rule_list[j].probabilities.tolist() for j in positions]
    return Possibilities(
        places=positions,
        unknown=unknown,
        low=tuple(map(min, zip(*by_line, strict=True))),
        high=tuple(map(max, zip(*by_line, strict=True))),
        questions=tuple(telling),
        decisive=tuple(c for c in telling if all(len(left) == 1 for left in answers[c])),
    )


def _lines_left(answers: Sequence[Sequence[int]]) -> tuple[int, float]:
    """How much a question leaves open: at worst, then on average."""
    sizes = [len(left) for left in answers]
    return max(sizes), sum(sizes) / len(sizes)
