"""Cells, unknown values and nearest changes against brute force over fill-ins."""

from __future__ import annotations

import json
from itertools import combinations, product
from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.explaining.case import UNKNOWN
from elseif.explaining.cells import ANOTHER, column_cells, list_conditions, open_cells
from elseif.explaining.explanation import explain
from elseif.explaining.nearest_changes import nearest_changes
from elseif.explaining.unknown_values import case_truths, list_logic, possibilities, possible_rules
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.tables.columns import Kind

GRADES = ("I", "II", "III", "IV")
REGIONS = ("east", "north", "west")
DAYS = tuple(np.datetime64(f"2020-01-0{d}", "us") for d in (2, 4, 6))
KINDS = {
    "age": Kind.NUMERIC,
    "smoker": Kind.BOOLEAN,
    "woman": Kind.BOOLEAN,
    "diabetes": Kind.BOOLEAN,
    "region": Kind.CATEGORY,
    "grade": Kind.ORDERED,
    "seen": Kind.DATE,
}
# values on, between and beyond every break that the conditions below may have
VALUES: dict[str, list[Any]] = {
    "age": [x / 2 for x in range(7)],
    "smoker": [True, False],
    "woman": [True, False],
    "diabetes": [True, False],
    "region": [*REGIONS, "elsewhere"],
    "grade": list(GRADES),
    "seen": [np.datetime64(f"2020-01-0{d}", "us") for d in range(1, 8)],
}


def thresholds(column: str, values: Any, order: Any = None) -> st.SearchStrategy[Condition]:
    one = st.builds(
        lambda op, v: Condition(column, op, v, order),
        st.sampled_from([">", "<=", ">=", "<"]),
        st.sampled_from(values),
    )
    pairs = [(a, b) for a, b in combinations(values, 2)]
    two = st.builds(lambda v: Condition(column, "between", v, order), st.sampled_from(pairs))
    return one | two


def equalities(column: str, values: Any, order: Any) -> st.SearchStrategy[Condition]:
    several = st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)
    return st.one_of(
        st.builds(lambda v: Condition(column, "=", v), st.sampled_from(values)),
        st.builds(lambda v: Condition(column, "!=", v, order), st.sampled_from(values)),
        several.map(lambda v: Condition(column, "in", tuple(v))),
    )


BOOLEANS = ("smoker", "woman", "diabetes")
CONDITIONS: dict[str, st.SearchStrategy[Condition]] = {
    "age": thresholds("age", [1.0, 2.0]) | equalities("age", [1.0, 2.0], None),
    "region": equalities("region", REGIONS, REGIONS),
    "grade": thresholds("grade", GRADES, GRADES),
    "seen": thresholds("seen", DAYS),
} | {
    name: st.sampled_from([Condition(name, "is true"), Condition(name, "is false")])
    for name in BOOLEANS
}


def conditions_on(columns: list[str]) -> st.SearchStrategy[Condition]:
    missing = st.sampled_from(columns).map(lambda name: Condition(name, "is missing"))
    conditions = st.one_of([CONDITIONS[name] for name in columns])
    return st.one_of(conditions, conditions, conditions, missing)


@st.composite
def rule_lists(draw: st.DrawFn) -> RuleList:
    """Lists of a few columns of any kind, so that rules get in each other's way."""
    columns = draw(
        st.just([*BOOLEANS])
        | st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3, unique=True)
    )
    one = st.lists(conditions_on(columns), min_size=1, max_size=3, unique=True).map(Antecedent)
    antecedents = draw(st.lists(one, min_size=1, max_size=7, unique=True))
    counts = draw(
        st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 9)),
            min_size=len(antecedents) + 1,
            max_size=len(antecedents) + 1,
        )
    )
    metadata = ModelMetadata(np.array(["no", "yes"]), np.ones(2), KINDS)
    return make_rule_list(antecedents, np.array(counts), metadata)


CASES = st.fixed_dictionaries(
    {name: st.sampled_from([*values, None]) for name, values in VALUES.items()}
)


def fired(rule_list: RuleList, case: dict[str, Any]) -> int:
    """The rule that predicts, by the code that predicts."""
    from elseif.explaining.case import read_case

    return int(rule_list.captured_in(read_case(case))[0])


def answers(rule_list: RuleList, column: str) -> list[Any]:
    """What an unknown value of a column may be."""
    asked = any(c.operator == "is missing" for c in list_conditions(rule_list).get(column, ()))
    conditions = list_conditions(rule_list).get(column, ())
    values = VALUES[column]
    if column == "region" and any(c.order is not None for c in conditions):
        values = list(REGIONS)  # the list knows every region
    return [*values, None] if asked else values


@given(rule_lists(), CASES, st.sets(st.sampled_from(sorted(KINDS))))
def test_unknown_values_against_every_fill_in(
    rule_list: RuleList, case: dict[str, Any], unknown: set[str]
) -> None:
    """The rules that could fire are those that fire for some value of what is unknown."""
    used = [name for name in sorted(unknown) if name in list_conditions(rule_list)]
    expected = {
        fired(rule_list, {**case, **dict(zip(used, filled, strict=True))})
        for filled in product(*(answers(rule_list, name) for name in used))
    }
    asked = {**case, **dict.fromkeys(unknown, UNKNOWN)}
    assert possible_rules(rule_list, asked) == tuple(sorted(expected))
    left_out = {name: value for name, value in case.items() if name not in unknown}
    possible = possibilities(rule_list, left_out)
    assert possible.places == tuple(sorted(expected))
    risks = [rule_list[j].probabilities[1] for j in expected]
    assert (possible.low[1], possible.high[1]) == (min(risks), max(risks))
    assert possible.is_decided == (len(expected) == 1)
    for column in possible.unknown:
        # a decisive question leaves one line whatever the answer
        left = [
            possible_rules(rule_list, {**asked, column: value})
            for value in answers(rule_list, column)
        ]
        decides = len(expected) > 1 and all(len(places) == 1 for places in left)
        assert (column in possible.decisive) == decides
        assert (column in possible.questions) == (len(set(left)) > 1)


@given(rule_lists())
def test_every_value_lies_in_one_cell_and_means_what_the_cell_says(rule_list: RuleList) -> None:
    """Cells are apart, leave nothing out, and tell the truth of each condition."""
    from elseif.explaining.case import read_case, truths_of

    conditions = list_conditions(rule_list)
    for name, cells in column_cells(rule_list).items():
        for value in [*VALUES[name], None]:
            homes = [cell for cell in cells if cell.contains(value)]
            if value == "elsewhere" and not homes:  # the list knows every region
                assert not any(ANOTHER in cell.values for cell in cells)
                continue
            assert len(homes) == 1
            column = read_case({name: value}).column(name, KINDS[name])
            assert homes[0].truth == truths_of(conditions[name], column)
        for cell in cells[:-1]:
            assert not cell.is_missing
            assert cell.example is ANOTHER or cell.contains(cell.example)
        assert cells[-1].is_missing


@given(rule_lists(), CASES)
def test_nearest_changes_against_every_change(rule_list: RuleList, case: dict[str, Any]) -> None:
    """No smaller set of columns changes the rule or the label, and each change does."""
    used = list(list_conditions(rule_list))
    now = fired(rule_list, case)
    explanation = explain(rule_list, case)
    assert explanation.fired.place == now
    labels = [int(np.argmax(rule.probabilities)) for rule in rule_list.rules]

    def smallest(changes: Any) -> tuple[int, set[tuple[frozenset[str], int]]]:
        for k in range(1, len(used) + 1):
            names = set()
            for columns in combinations(used, k):
                # a change is to another value, not to none and not to an unheard-of one
                choices = [[v for v in answers_of(rule_list, c) if v is not None] for c in columns]
                for values in product(*choices):
                    index = fired(rule_list, {**case, **dict(zip(columns, values, strict=True))})
                    if changes(index):
                        names.add((frozenset(columns), index))
            if names:
                return k, names
        return 0, set()

    for names, changes in (
        (explanation.other_rule, lambda index: index != now),
        (explanation.other_label, lambda index: labels[index] != labels[now]),
    ):
        k, expected = smallest(changes)
        told_sets = {(frozenset(c.column for c in f.columns), f.outcome.place) for f in names}
        assert all(len(columns) == k for columns, _ in told_sets)
        assert bool(told_sets) == bool(expected)
        assert told_sets <= expected
        if len(expected) <= 6:
            assert told_sets == expected


@given(rule_lists(), CASES)
def test_the_values_named_do_what_is_said(rule_list: RuleList, case: dict[str, Any]) -> None:
    """Any value of the cells that a change names makes the rule fire that it names."""
    logic = list_logic(rule_list)
    truths, unknown = case_truths(logic, rule_list, case)
    assert not unknown
    own_cells = {
        c: next((i for i, cell in enumerate(cells[:-1]) if cell.contains(case[c])), None)
        for c, cells in logic.cells.items()
    }
    now = fired(rule_list, case)
    targets = [j for j in range(len(rule_list.rules)) if j != now]
    for change in nearest_changes(logic, truths, own_cells, targets):
        names = [part.column for part in change.columns]
        for cells in product(*(part.cells for part in change.columns)):
            values = ["elsewhere" if c.example is ANOTHER else c.example for c in cells]
            changed = {**case, **dict(zip(names, values, strict=True))}
            assert fired(rule_list, changed) == change.place


def answers_of(rule_list: RuleList, column: str) -> list[Any]:
    return [value for value in answers(rule_list, column) if value is not None]


@given(rule_lists(), CASES)
def test_what_if_agrees_with_prediction(rule_list: RuleList, case: dict[str, Any]) -> None:
    """A missing value leads where prediction leads; an unknown one wherever it may."""
    explanation = explain(rule_list, case)
    assert [w.column for w in explanation.what_if] == list(list_conditions(rule_list))
    for what_if in explanation.what_if:
        assert what_if.missing is not None
        assert what_if.missing.place == fired(rule_list, {**case, what_if.column: None})
        expected = possible_rules(rule_list, {**case, what_if.column: UNKNOWN})
        assert tuple(o.place for o in what_if.unknown) == expected


@given(rule_lists(), CASES)
def test_every_earlier_rule_has_a_failed_condition(
    rule_list: RuleList, case: dict[str, Any]
) -> None:
    """The rule that fired has all conditions true, each earlier one at least one false."""
    explanation = explain(rule_list, case)
    assert not explanation.fired.failed
    assert [rule.place for rule in explanation.passed_over] == list(range(explanation.fired.place))
    assert all(rule.failed for rule in explanation.passed_over)
    assert explanation.fired.antecedent == rule_list[explanation.fired.place].antecedent.name


@given(rule_lists())
def test_the_calculator_knows_the_same_answers(rule_list: RuleList) -> None:
    """What an unknown value can mean is the same in the page and in an explanation."""
    from elseif.report.calculator import calculator_page

    content = calculator_page(rule_list).split('id="data">', 1)[1].split("</script>", 1)[0]
    by_column = list_conditions(rule_list)
    asked = json.loads(content)["models"][0]["columns"]
    assert len(asked) == len(by_column)
    cells = column_cells(rule_list)
    for question, (name, conditions) in zip(asked, by_column.items(), strict=True):
        expected = {cell.truth for cell in open_cells(cells[name], conditions)}
        assert {tuple(truth) for truth in question["cells"]} == expected
