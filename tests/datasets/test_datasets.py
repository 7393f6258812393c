"""The data sets, and the classifiers that the paper compares with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from elseif.datasets import load_tictactoe, load_titanic, make_rule_list_problem
from elseif.errors import ParamError
from tests.paper.enumeration import ALL_PASSENGERS, GROUPS, PAPER_SPLIT


@pytest.mark.parametrize(
    ("split", "n", "survived", "counts"),
    [
        (None, 2201, 711, ALL_PASSENGERS),
        ("all", 2201, 711, ALL_PASSENGERS),
        ("paper", 1761, 582, PAPER_SPLIT),
    ],
)
def test_titanic(split: str | None, n: int, survived: int, counts: dict) -> None:
    """The passengers and survivors, cell by cell."""
    X, y = load_titanic(split)
    assert X.shape == (n, 3)
    assert list(X.columns) == ["class", "sex", "age"]
    assert y.shape == (n,)
    assert (y == "survived").sum() == survived
    assert set(y) == {"died", "survived"}
    for travel_class, groups in counts.items():
        for (sex, age), expected in zip(GROUPS, groups, strict=True):
            cell = (X["class"] == travel_class) & (X["sex"] == sex) & (X["age"] == age)
            result = tuple(int((y[cell] == label).sum()) for label in ("died", "survived"))
            assert result == expected


def test_titanic_split_that_is_not() -> None:
    """A split that is not known is refused with those that are."""
    with pytest.raises(ParamError, match=r"split is 'test'.*'paper'"):
        load_titanic("test")


def test_tictactoe() -> None:
    """958 final boards, of which X won 626, as in the UCI data set."""
    X, y = load_tictactoe()
    assert X.shape == (958, 27)
    assert int(y.sum()) == 626
    assert not X.duplicated().any()
    assert all(dtype.kind == "b" for dtype in X.dtypes)
    marks = [X.filter(like=f"{mark} ").to_numpy() for mark in ("X", "O", "empty")]
    assert all(m.shape == (958, 9) for m in marks)
    np.testing.assert_array_equal(sum(m.astype(int) for m in marks), 1)
    difference = marks[0].sum(axis=1) - marks[1].sum(axis=1)
    assert set(difference.tolist()) == {0, 1}
    lines = [
        (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
    ]  # fmt: skip
    won = np.any([marks[0][:, list(line)].all(axis=1) for line in lines], axis=0)
    np.testing.assert_array_equal(won, y)


def test_simulated_problem() -> None:
    """Labels are drawn from the list, rule by rule."""
    problem = make_rule_list_problem(20_000, n_rules=30, length=4, random_state=1)
    X, y = problem
    assert X.shape == (20_000, 30)
    assert set(np.unique(y)) <= {0, 1}
    assert len(problem.antecedents) == 4
    assert problem.probabilities.shape == (5,)
    assert 0.49 < X.to_numpy().mean() < 0.51
    left = np.ones(len(X), dtype=bool)
    for name, p in zip((*problem.antecedents, None), problem.probabilities, strict=True):
        captured = left & (X[name].to_numpy() if name is not None else True)
        n = int(captured.sum())
        # five standard errors: a right draw fails with a probability of 6e-7
        assert abs(y[captured].mean() - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-9
        left &= ~captured


def test_simulated_problem_by_seed() -> None:
    """The same seed gives the same problem."""
    a, b = (make_rule_list_problem(50, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    assert a.antecedents == b.antecedents
    assert make_rule_list_problem(50, random_state=4).antecedents != a.antecedents


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_observations": 0}, "n_observations is 0"),
        ({"n_rules": 0}, "n_rules is 0"),
        ({"length": -1}, "length is -1"),
        ({"n_rules": 3, "length": 4}, "length is 4"),
        ({"cover_probability": 1.5}, "cover_probability is 1.5"),
    ],
)
def test_simulated_problems_that_cannot_be(settings: dict, words: str) -> None:
    """Settings that make no sense are refused by name and value."""
    with pytest.raises(ParamError, match=words):
        make_rule_list_problem(**settings)
