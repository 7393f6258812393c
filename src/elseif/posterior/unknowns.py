"""What a list says where values are unknown: every line that could fire, and no other.

An unknown value exists and is not at hand. It may be any number, any date, true or false,
or any category (of those that are known of, where they are known). It is not missing,
unless the list asks whether that column is missing: then that is one of the answers. One
column has one value: ``age > 60`` and ``age <= 50`` cannot both hold of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elseif.posterior.case import UNKNOWN, as_mapping, held, read_case
from elseif.posterior.cells import Cell, column_cells, list_conditions, open_cells
from elseif.posterior.rule_list import RuleList
from elseif.tables.conditions import Condition
from elseif.tables.reading import Table

Truth = tuple[bool, ...]  # of a list's conditions on one column
Part = tuple[int, ...]  # which of them a rule wants


@dataclass(frozen=True, eq=False)
class ListLogic:
    """A list as its logic alone: what each rule wants of each column, and the cells of each."""

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
    place = {c: i for known in conditions.values() for i, c in enumerate(known)}
    rules = []
    for rule in rule_list.rules:
        wanted: dict[str, list[int]] = {}
        for condition in rule.antecedent:
            wanted.setdefault(condition.column, []).append(place[condition])
        rules.append({column: tuple(parts) for column, parts in wanted.items()})
    return ListLogic(conditions, tuple(rules), column_cells(rule_list, levels))


def fits(truth: Truth, part: Part) -> bool:
    """Whether a column's truth gives a rule what it wants of it."""
    return all(truth[i] for i in part)


def first_true(logic: ListLogic, truths: Mapping[str, Truth]) -> int:
    """The place of the rule that fires."""
    for j, rule in enumerate(logic.rules):
        if all(fits(truths[column], part) for column, part in rule.items()):
            return j
    raise AssertionError("the default rule is true of everybody")


def reachable(logic: ListLogic, options: Mapping[str, Sequence[Truth]]) -> tuple[int, ...]:
    """The places of all rules that fire for some choice among each column's truths."""
    return tuple(j for j in range(len(logic.rules)) if _can_fire(logic, j, dict(options)))


def _can_fire(logic: ListLogic, j: int, options: dict[str, Sequence[Truth]]) -> bool:
    for column, part in logic.rules[j].items():
        options[column] = [truth for truth in options[column] if fits(truth, part)]
        if not options[column]:
            return False
    return _can_all_fail(logic.rules[:j], options)


def _can_all_fail(
    rules: Sequence[Mapping[str, Part]], options: Mapping[str, Sequence[Truth]]
) -> bool:
    """Whether one choice among each column's truths makes every rule false."""
    for i, rule in enumerate(rules):
        if any(not any(fits(t, part) for t in options[c]) for c, part in rule.items()):
            continue  # false whatever is chosen
        left = dict(options)
        for column, part in rule.items():
            failing = [truth for truth in left[column] if not fits(truth, part)]
            if failing and _can_all_fail(rules[i + 1 :], {**left, column: failing}):
                return True
            # what is left to try has this column's part true
            left[column] = [truth for truth in left[column] if fits(truth, part)]
        return False
    return True


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
        column = table.column(name, rule_list.vocabulary.kinds.get(name))
        truths[name] = held(conditions, column)
    return truths, tuple(unknown)


def possible_rules(
    rule_list: RuleList,
    case: Mapping[str, Any] | Table | Any,
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[int, ...]:
    """The places of every rule that could fire for a case with unknown values, in order.

    Columns that the case leaves out or calls UNKNOWN may have any value; None is missing.
    """
    return possibilities(rule_list, case, levels).places


@dataclass(frozen=True)
class Possibilities:
    """The lines that could fire where values are unknown, and what to ask."""

    places: tuple[int, ...]
    unknown: tuple[str, ...]  # columns of the list whose value is unknown
    low: tuple[float, ...]  # by label: the smallest probability among the lines
    high: tuple[float, ...]
    questions: tuple[str, ...]  # unknown columns that matter, the most telling first
    decisive: tuple[str, ...]  # those of them whose answer alone would leave one line

    @property
    def is_decided(self) -> bool:
        """Whether the known values leave one line."""
        return len(self.places) == 1


def possibilities(
    rule_list: RuleList,
    case: Mapping[str, Any] | Table | Any,
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> Possibilities:
    """Every line that could fire, the range of probabilities, and which question would decide."""
    logic = list_logic(rule_list, levels)
    truths, unknown = case_truths(logic, rule_list, case)
    options: dict[str, Sequence[Truth]] = {column: (truth,) for column, truth in truths.items()}
    options |= {column: logic.open_truths(column) for column in unknown}
    places = reachable(logic, options)
    # what each answer to a question would leave
    answers = {
        column: [reachable(logic, {**options, column: (t,)}) for t in options[column]]
        for column in unknown
        if len(places) > 1
    }
    telling = [column for column, left in answers.items() if len(set(left)) > 1]
    telling.sort(key=lambda column: _lines_left(answers[column]))
    by_line = [rule_list[j].probabilities.tolist() for j in places]
    return Possibilities(
        places=places,
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
