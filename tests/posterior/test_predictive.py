"""Predictions from tables in every form, against rules read out row by row in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import Condition
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.predictive import BLOCK_ROWS, MOST_MERGED, predictive_probabilities
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.tables.columns import Kind
from elseif.tables.lazily import read_lazily
from elseif.tables.reading import read_table

Rows = list[list[float | None]]
OPERATORS = ["is true", "is false", "is missing", ">", "<="]
WHOLE = ["bool", "bool F", "every other", "uint8", "int64"]  # forms that cannot lack a value
SPARSE = ["csr", "csc", "coo", "csr of bool", "csc of bool"]
PIECES = ["csr of pieces", "csc of pieces", "csr of twins", "csc of twins"]
GAPPY = ["float", "float F", "float32", "object", "pandas", "mixed pandas", "polars", "pyarrow"]


def holds(condition: Condition, value: float | None) -> bool:
    """Whether a condition is true of one value, None where it is missing."""
    if condition.operator == "is missing" or value is None:
        return condition.operator == "is missing" and value is None
    return {
        "is true": value == 1,
        "is false": value == 0,
        ">": value > 0.5,
        "<=": value <= 0.5,
    }[condition.operator]


def first_true(antecedents: list[Antecedent], row: list[float | None]) -> int:
    """The place of the first rule that is true of a row."""
    for j, antecedent in enumerate(antecedents):
        if all(holds(c, row[int(c.column[1:])]) for c in antecedent):
            return j
    return len(antecedents)


def in_form(form: str, rows: Rows, n_columns: int) -> Any:
    """The rows as a table of some form; its columns are or become x0, x1, ..."""
    floats = np.array(rows, dtype=float).reshape(len(rows), n_columns)
    names = [f"x{i}" for i in range(n_columns)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    flags = {n: [None if v is None else v == 1 for v in values] for n, values in columns.items()}
    pieces = sparse.coo_array(floats)
    row, column = pieces.coords
    twice = (np.r_[row, row], np.r_[column, column])
    halves = (np.r_[pieces.data, pieces.data * 0], twice)
    twins = (np.ones(2 * len(row), dtype=bool), twice)  # true and true is true
    made: dict[str, Any] = {
        "bool": lambda: floats == 1,
        "bool F": lambda: np.asfortranarray(floats == 1),
        "every other": lambda: np.repeat(floats == 1, 2, axis=0)[::2],
        "uint8": lambda: floats.astype(np.uint8),
        "int64": lambda: floats.astype(np.int64),
        "float": lambda: floats,
        "float F": lambda: np.asfortranarray(floats),
        "float32": lambda: floats.astype(np.float32),
        "object": lambda: np.array(rows, dtype=object).reshape(len(rows), n_columns),
        "csr": lambda: sparse.csr_array(floats),
        "csc": lambda: sparse.csc_array(floats),
        "coo": lambda: sparse.coo_matrix(floats),
        "csr of bool": lambda: sparse.csr_matrix(floats == 1),
        "csc of bool": lambda: sparse.csc_array(floats == 1),
        "csr of pieces": lambda: _uncanonical(halves, floats.shape).tocsr(),
        "csc of pieces": lambda: _uncanonical(halves, floats.shape),
        "csr of twins": lambda: _uncanonical(twins, floats.shape).tocsr(),
        "csc of twins": lambda: _uncanonical(twins, floats.shape),
        "pandas": lambda: pd.DataFrame(floats, columns=names),
        "mixed pandas": lambda: pd.DataFrame(
            {
                n: pd.array(flags[n], dtype="boolean") if i % 2 else floats[:, i]
                for i, n in enumerate(names)
            }
        ),
        "polars": lambda: pl.DataFrame(flags, schema=dict.fromkeys(names, pl.Boolean)),
        "pyarrow": lambda: pa.table({n: pa.array(v, pa.bool_()) for n, v in flags.items()}),
    }
    return made[form]()


def _uncanonical(parts: Any, shape: tuple[int, int]) -> sparse.csc_array:
    """A sparse matrix that keeps entries for the same place apart, and zeros."""
    data, (rows, columns) = parts
    order = np.argsort(columns, kind="stable")
    starts = np.searchsorted(columns[order], np.arange(shape[1] + 1))
    return sparse.csc_array((data[order], rows[order], starts), shape=shape)


@st.composite
def problems(draw: st.DrawFn) -> tuple[str, Rows, list[Antecedent], dict[str, Kind], int]:
    """A form of table, its rows, rules on it, the kinds of its columns, their number."""
    form = draw(st.sampled_from(WHOLE + SPARSE + PIECES + GAPPY))
    n_columns = draw(st.integers(1, 12))
    values = st.sampled_from([0.0, 1.0] if form not in GAPPY else [0.0, 1.0, None])
    row = st.lists(values, min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(row, min_size=1, max_size=20))
    kinds = draw(
        st.lists(
            st.sampled_from([Kind.BOOLEAN, Kind.NUMERIC]), min_size=n_columns, max_size=n_columns
        )
    )

    def condition(index: int, operator: int) -> Condition:
        allowed = OPERATORS[:3] if kinds[index] is Kind.BOOLEAN else OPERATORS[2:]
        chosen = allowed[operator]
        return Condition(f"x{index}", chosen, 0.5 if chosen in (">", "<=") else None)

    conditions = st.builds(condition, st.integers(0, n_columns - 1), st.integers(0, 2))
    antecedents = draw(
        st.lists(st.lists(conditions, min_size=1, max_size=3).map(Antecedent), max_size=6)
    )
    by_name = {f"x{i}": kind for i, kind in enumerate(kinds)}
    return form, rows, antecedents, by_name, n_columns


def make_list(antecedents: list[Antecedent], kinds: dict[str, Kind]) -> RuleList:
    """A list with counts of its own in every line."""
    metadata = ModelMetadata(np.array(["a", "b", "c"]), np.array([0.5, 1.0, 2.0]), kinds)
    counts = np.arange(3 * (len(antecedents) + 1)).reshape(-1, 3) ** 2
    return make_rule_list(antecedents, counts, metadata)


@settings(max_examples=300, deadline=None)
@given(problems())
def test_every_form_of_table_is_captured_as_row_by_row(
    problem: tuple[str, Rows, list[Antecedent], dict[str, Kind], int],
) -> None:
    """The fast ways through arrays, sparse matrices and frames change no rule's place."""
    form, rows, antecedents, kinds, n_columns = problem
    X = in_form(form, rows, n_columns)
    rule_list = make_list(antecedents, kinds)
    expected = [first_true(antecedents, row) for row in rows]
    assert rule_list.captured_by(X).tolist() == expected
    assert rule_list.captured_in(read_table(X)).tolist() == expected
    by_rule = np.stack([rule.probabilities for rule in rule_list])
    np.testing.assert_array_equal(rule_list.predict_proba(X), by_rule[expected])


@pytest.mark.parametrize("form", [*WHOLE, *SPARSE, "float", "pandas", "polars"])
def test_many_rows_and_columns(form: str) -> None:
    """More rows than a block and more columns than the bits of a word."""
    rng = np.random.default_rng(3)
    rows = (rng.random((8200, 70)) < 0.02).astype(float).tolist()
    antecedents = [Antecedent([Condition(f"x{i}", "is true")]) for i in range(69, -1, -1)]
    rule_list = make_list(antecedents, dict.fromkeys((f"x{i}" for i in range(70)), Kind.BOOLEAN))
    expected = [70 - 1 - max((i for i, v in enumerate(row) if v), default=-1) for row in rows]
    assert rule_list.captured_by(in_form(form, rows, 70)).tolist() == expected


def test_a_list_longer_than_a_byte_counts() -> None:
    """The three hundredth rule captures what is left to it."""
    X = np.eye(300, dtype=bool)
    antecedents = [Antecedent([Condition(f"x{i}", "is true")]) for i in range(299)]
    rule_list = make_list(antecedents, {})
    assert rule_list.captured_by(X).tolist() == list(range(300))
    by_rule = np.stack([rule.probabilities for rule in rule_list])
    np.testing.assert_array_equal(rule_list.predict_proba(X), by_rule)


def test_a_column_that_no_rule_names_is_not_read() -> None:
    """What stands in columns that the list does not use is of no consequence."""
    X = np.array([[1.0, np.inf], [0.0, 7.0]])
    rule_list = make_list([Antecedent([Condition("x0", "is true")])], {"x0": Kind.BOOLEAN})
    for table in (X, np.asfortranarray(X), sparse.csr_array(X), pd.DataFrame(X)):
        assert rule_list.captured_by(table).tolist() == [0, 1]


# ---------------------------------------------------------------- posterior predictive


def random_posterior(
    rng: np.random.Generator, n_conditions: int, n_lists: int, longest: int = 6
) -> Posterior:
    """Lists that share beginnings and rules in another order, with counts from nowhere."""
    conditions = tuple(Condition(f"x{i}", "is true") for i in range(n_conditions))
    singles = np.column_stack([np.arange(n_conditions), np.full(n_conditions, -1)])
    pairs = np.sort(rng.integers(0, n_conditions, (n_conditions, 2)), axis=1)
    members = np.unique(np.vstack([singles, pairs[pairs[:, 0] < pairs[:, 1]]]), axis=0)
    lists: set[tuple[int, ...]] = {()}
    for _ in range(20 * n_lists):
        old = list(sorted(lists)[rng.integers(len(lists))])
        rule = int(rng.integers(len(members)))
        new = old if rule in old else [*old, rule]
        rng.shuffle(new)
        if len(new) <= longest and len(lists) < n_lists:
            lists.add(tuple(new))
    chosen = list(lists)
    lengths = [len(d) for d in chosen]
    distinct = Lists(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        items=np.array([a for d in chosen for a in d], dtype=np.int32),
        label_counts=rng.integers(0, 5000, (sum(lengths) + len(lengths), 3)),
        log_posterior=np.zeros(len(chosen)),
    )
    pool = Pool.from_members(conditions, members.astype(np.int32), np.full(len(members), 0.5))
    metadata = ModelMetadata(np.array(["a", "b", "c"]), np.array([0.1, 1.0, 2.0]), {})
    n_draws = rng.integers(1, 100, len(chosen))
    return Posterior(pool, metadata, [ChainDraws(n_draws, np.arange(len(chosen)))], distinct)


def one_by_one(posterior: Posterior, X: np.ndarray) -> np.ndarray:
    """The lists' predictions, averaged with the exact sum of the standard library."""
    each = np.stack(
        [
            share * posterior.rule_list(i).predict_proba(X)
            for i, share in enumerate(posterior.probabilities)
        ]
    )
    return np.apply_along_axis(math.fsum, 0, each)


@pytest.mark.parametrize("n_conditions", [5, MOST_MERGED + 6])
@pytest.mark.parametrize("n_rows", [1, 7, BLOCK_ROWS + 9])
def test_the_predictive_is_the_exact_average_of_the_lists(n_conditions: int, n_rows: int) -> None:
    """To the last digit, with rows merged and not, over one block of rows and over more."""
    rng = np.random.default_rng(n_conditions + n_rows)
    posterior = random_posterior(rng, n_conditions, 300)
    X = rng.random((n_rows, n_conditions)) < 0.3
    probabilities = predictive_probabilities(posterior, read_lazily(X))
    np.testing.assert_allclose(probabilities, one_by_one(posterior, X), rtol=3e-16, atol=0)
    np.testing.assert_array_equal(predictive_probabilities(posterior, read_table(X)), probabilities)


@pytest.mark.parametrize("n_conditions", [6, MOST_MERGED + 6])
def test_a_row_is_predicted_alike_in_any_company(n_conditions: int) -> None:
    """Alone, among others and in another order, to the last digit."""
    rng = np.random.default_rng(2)
    posterior = random_posterior(rng, n_conditions, 500)
    X = rng.random((2 * BLOCK_ROWS + 100, n_conditions)) < 0.3
    together = predictive_probabilities(posterior, read_lazily(X))
    for i in rng.integers(0, len(X), 20):
        alone = predictive_probabilities(posterior, read_lazily(X[i : i + 1]))
        np.testing.assert_array_equal(alone[0], together[i])
    order = rng.permutation(len(X))
    turned = predictive_probabilities(posterior, read_lazily(X[order]))
    np.testing.assert_array_equal(turned, together[order])


def test_no_probability_vanishes() -> None:
    """A label that was never seen keeps a probability above zero, however small."""
    rng = np.random.default_rng(0)
    posterior = random_posterior(rng, 6, 200)
    posterior.distinct.label_counts[:, 0] = 0
    metadata = ModelMetadata(posterior.metadata.classes, np.array([1e-40, 1.0, 1.0]), {})
    tiny = Posterior(posterior.pool, metadata, posterior.chains, posterior.distinct)
    probabilities = predictive_probabilities(tiny, read_lazily(rng.random((50, 6)) < 0.5))
    assert (probabilities[:, 0] > 0).all()
    assert (probabilities[:, 0] < 1e-20).all()


def test_the_predictive_of_the_default_rule_alone() -> None:
    """Without rules every row gets the consequent of the default rule."""
    metadata = ModelMetadata(np.array([0, 1]), np.ones(2), {})
    lists = Lists(
        np.zeros(2, dtype=np.int64), np.zeros(0, np.int32), np.array([[3, 5]]), np.zeros(1)
    )
    pool = Pool.from_members((), np.zeros((0, 1), dtype=np.int32), np.zeros(0))
    one = np.ones(1, dtype=np.int64)
    posterior = Posterior(pool, metadata, [ChainDraws(one, one - 1)], lists)
    X = np.zeros((2000, 1), dtype=bool)
    probabilities = predictive_probabilities(posterior, read_lazily(X))
    np.testing.assert_array_equal(probabilities, np.tile([0.4, 0.6], (2000, 1)))
