"""Conditions: how they are written and of whom they are true."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from elseif.conditions.condition import OPERATORS, Condition
from elseif.conditions.relations import can_join
from elseif.errors import ElseifError, ParamError
from elseif.tables.columns import Column, Kind, boolean_column
from elseif.tables.reading import read_table

GRADES = ("low", "middle", "high")


def numeric(values: list[float]) -> Column:
    """A numeric column."""
    return Column("x", Kind.NUMERIC, len(values), numbers=np.array(values, dtype=float))


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        (Condition("smoker", "is true"), "smoker"),
        (Condition("smoker", "is false"), "not smoker"),
        (Condition("glucose", "is missing"), "glucose is missing"),
        (Condition("sex", "=", "female"), "sex = female"),
        (Condition("sex", "!=", "female"), "sex != female"),
        (Condition("colour", "in", ("blue", "red")), "colour in {blue, red}"),
        (Condition("age", ">", 60.0), "age > 60"),
        (Condition("age", "<=", 0.1 + 0.2), "age <= 0.3"),
        (Condition("age", ">=", 62.5), "age >= 62.5"),
        (Condition("age", "<", 10**6), "age < 1000000"),
        (Condition("age", "between", (50.0, 60.0)), "50 < age <= 60"),
        (Condition("born", "<=", np.datetime64("1950-01-02")), "born <= 1950-01-02"),
        (Condition("born", ">", np.datetime64("1950-01-02T03:04")), "born > 1950-01-02 03:04:00"),
        (Condition("grade", ">", "low", GRADES), "grade > low"),
        (Condition("flag", "=", True), "flag = True"),
    ],
)
def test_names(condition: Condition, name: str) -> None:
    """A condition reads as a person would write it."""
    assert condition.name == name
    assert str(condition) == name


def test_unknown_operator() -> None:
    """An operator that is not known is refused with those that are."""
    with pytest.raises(ParamError, match=r"'x'.*'~'.*is true") as caught:
        Condition("x", "~", 3)
    assert isinstance(caught.value, ElseifError)


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (">", 2, [False, False, True, False]),
        (">=", 2, [False, True, True, False]),
        ("<", 2, [True, False, False, False]),
        ("<=", 2, [True, True, False, False]),
        ("=", 2, [False, True, False, False]),
        ("!=", 2, [True, False, True, False]),
        ("between", (1, 2), [False, True, False, False]),
        ("is missing", None, [False, False, False, True]),
    ],
)
def test_numbers(operator: str, value: Any, expected: list[bool]) -> None:
    """A missing number makes no condition true but "is missing"."""
    column = numeric([1, 2, 3, np.nan])
    assert Condition("x", operator, value).holds(column).tolist() == expected


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (">", "2020-01-02", [False, False, True, False]),
        ("<=", "2020-01-02", [True, True, False, False]),
        ("between", ("2020-01-01", "2020-01-02"), [False, True, False, False]),
        ("!=", "2020-01-02", [True, False, True, False]),
        ("is missing", None, [False, False, False, True]),
    ],
)
def test_dates(operator: str, value: Any, expected: list[bool]) -> None:
    """Dates compare as dates, and a missing one makes nothing true."""
    dates = np.array(["2020-01-01", "2020-01-02", "2020-01-03", "NaT"], dtype="datetime64[us]")
    column = Column("x", Kind.DATE, 4, numbers=dates)
    assert Condition("x", operator, value).holds(column).tolist() == expected


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("=", "low", [True, False, False, False]),
        ("!=", "low", [False, True, True, False]),
        ("in", ("low", "high"), [True, False, True, False]),
        ("in", ("low", "unheard of"), [True, False, False, False]),
        ("=", "unheard of", [False, False, False, False]),
        (">", "low", [False, True, True, False]),
        ("<=", "middle", [True, True, False, False]),
        (">=", "middle", [False, True, True, False]),
        ("<", "middle", [True, False, False, False]),
        ("between", ("low", "middle"), [False, True, False, False]),
        ("is missing", None, [False, False, False, True]),
    ],
)
def test_categories(operator: str, value: Any, expected: list[bool]) -> None:
    """Categories compare by name, and in the order of fit where they have one."""
    column = Column("x", Kind.ORDERED, 4, codes=np.array([0, 1, 2, -1]), categories=GRADES)
    assert Condition("x", operator, value, GRADES).holds(column).tolist() == expected


def test_categories_that_fit_did_not_see() -> None:
    """An unseen category is neither above nor below nor unequal to anything."""
    column = Column("x", Kind.CATEGORY, 2, codes=np.array([0, 1]), categories=("new", "high"))
    for operator, value in ((">", "low"), ("<=", "high"), ("!=", "low")):
        truth = Condition("x", operator, value, GRADES).holds(column)
        assert not truth[0]
        assert truth[1]


def test_booleans() -> None:
    """False is not missing and missing is not false."""
    table = read_table(pd.DataFrame({"x": pd.array([True, False, None], dtype="boolean")}))
    column = table.column("x")
    assert Condition("x", "is true").holds(column).tolist() == [True, False, False]
    assert Condition("x", "is false").holds(column).tolist() == [False, True, False]
    assert Condition("x", "is missing").holds(column).tolist() == [False, False, True]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2))
def test_conditions_sort_by_value(pair: list[float]) -> None:
    """Thresholds on one column sort by size, negatives and all."""
    low, high = sorted(pair)
    keys = [Condition("x", ">", value).sort_key() for value in (low, high)]
    assert keys[0] <= keys[1]
    assert (keys[0] == keys[1]) == (low == high and np.signbit(low) == np.signbit(high))


VALUES = (1.0, 2.0, 3.0)
NUMBERS = numeric([0.5, 1, 1.5, 2, 2.5, 3, 3.5, np.nan])  # every gap between the cut points
numeric_conditions = st.one_of(
    st.builds(
        Condition, st.just("x"), st.sampled_from([">", "<=", ">=", "<"]), st.sampled_from(VALUES)
    ),
    st.sampled_from(
        [Condition("x", "between", pair) for pair in itertools.combinations(VALUES, 2)]
    ),
    st.just(Condition("x", "is missing")),
)
LETTERS = ("a", "b", "c", "d")
category_conditions = st.one_of(
    st.builds(
        Condition,
        st.just("x"),
        st.sampled_from(["=", "!="]),
        st.sampled_from(LETTERS),
        st.just(LETTERS),
    ),
    st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map(
        lambda chosen: Condition("x", "in", tuple(sorted(chosen)), LETTERS)
    ),
    st.just(Condition("x", "is missing")),
)
CATEGORIES = Column("x", Kind.CATEGORY, 5, codes=np.array([0, 1, 2, 3, -1]), categories=LETTERS)
boolean_conditions = st.sampled_from(
    [Condition("x", operator) for operator in ("is true", "is false", "is missing")]
)
BOOLEANS = boolean_column("x", np.array([True, False, False]), np.array([False, False, True]))


def says_something(a: Condition, b: Condition, column: Column) -> bool:
    """By going through every value: something satisfies both, and neither implies the other."""
    first, second = a.holds(column), b.holds(column)
    both = first & second
    return bool(both.any() and (both != first).any() and (both != second).any())


@given(numeric_conditions, numeric_conditions)
def test_can_join_numbers(a: Condition, b: Condition) -> None:
    """Thresholds join where they make an interval that is narrower than each."""
    assert can_join(a, b) == says_something(a, b, NUMBERS)


@given(category_conditions, category_conditions)
def test_can_join_categories(a: Condition, b: Condition) -> None:
    """Sets of categories join where they overlap and neither holds the other."""
    assert can_join(a, b) == says_something(a, b, CATEGORIES)


@given(boolean_conditions, boolean_conditions)
def test_can_join_booleans(a: Condition, b: Condition) -> None:
    """Two conditions on one boolean never join."""
    assert can_join(a, b) == says_something(a, b, BOOLEANS)


@given(numeric_conditions, numeric_conditions)
def test_can_join_does_not_depend_on_the_order(a: Condition, b: Condition) -> None:
    """Joining is symmetric, and different columns always join."""
    assert can_join(a, b) == can_join(b, a)
    assert can_join(a, Condition("y", b.operator, b.value))


def test_can_join_ordered_categories() -> None:
    """Thresholds of ordered categories join as numbers do."""
    column = Column("x", Kind.ORDERED, 4, codes=np.array([0, 1, 2, -1]), categories=GRADES)
    conditions = [
        Condition("x", operator, value, GRADES)
        for operator in (">", "<=", ">=", "<")
        for value in GRADES
    ]
    for a, b in itertools.product(conditions, conditions):
        if a.holds(column).any() and b.holds(column).any():
            assert can_join(a, b) == says_something(a, b, column), (a.name, b.name)


def test_every_operator_is_tested() -> None:
    """A new operator needs tests here."""
    assert set(OPERATORS) == {
        "is true", "is false", "=", "!=", "in", ">", "<=", ">=", "<", "between", "is missing",
    }  # fmt: skip
