"""Identical observations merged into one with its weight: nothing else may change."""

import dataclasses

import numpy as np
import pytest

from elseif.bits import merging
from elseif.bits.merging import merge_observations
from elseif.bits.packing import BitLayout, make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N = 40_000


def narrow(n_conditions: int, weights: np.ndarray | None = None) -> tuple[np.ndarray, BitLayout]:
    """Covers of a few conditions on many observations of three labels."""
    rng = np.random.default_rng(n_conditions)
    labels = rng.choice(3, size=N, p=[0.7, 0.2, 0.1])
    layout = make_layout(labels, 3, weights, unit=1.0 if weights is None else 0.5)
    truths = rng.random((n_conditions, N)) < rng.uniform(0.1, 0.9, (n_conditions, 1))
    return np.stack([layout.pack(truth) for truth in truths]), layout


def posed(covers: np.ndarray, layout: BitLayout) -> Problem:
    prior = ListPrior(np.ones(len(covers), dtype=int), 3.0, 1.0, np.ones(len(covers)))
    return Problem(covers, layout, np.array([1.0, 0.5, 2.0]), prior)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_chain_takes_the_same_way(kernel: str, weighted: bool) -> None:
    weights = np.random.default_rng(1).integers(0, 7, N) if weighted else None
    covers, layout = narrow(8, weights)
    merged = merge_observations(covers, layout)
    assert merged is not None
    runs = []
    for problem in (posed(covers, layout), posed(*merged)):
        seed = np.random.SeedSequence(3)
        runs.append(Chain(CompiledProblem.of(problem), KERNELS[kernel], seed).run(2000))
    for field in dataclasses.fields(runs[0]):
        np.testing.assert_array_equal(getattr(runs[0], field.name), getattr(runs[1], field.name))


@pytest.mark.parametrize("n_conditions", [1, 5, 9])
def test_every_pattern_of_a_label_is_there_once_with_its_weight(n_conditions: int) -> None:
    covers, layout = narrow(n_conditions)
    result = merge_observations(covers, layout)
    assert result is not None
    merged_covers, merged = result
    before = np.stack([layout.unpack(cover) for cover in covers] + [layout.row_labels()])
    after = np.stack([merged.unpack(cover) for cover in merged_covers] + [merged.row_labels()])
    patterns, counts = np.unique(before, axis=1, return_counts=True)
    order = np.lexsort(after[::-1])
    np.testing.assert_array_equal(after[:, order], patterns)
    np.testing.assert_array_equal(merged.row_weights()[order], counts)
    np.testing.assert_array_equal(merged.label_totals, layout.label_totals)
    assert merged.n_words * merging.LEAST_GAIN <= layout.n_words


def test_patterns_of_more_conditions_than_a_word_has_bits() -> None:
    """The conditions beyond the first word tell observations apart as well."""
    rng = np.random.default_rng(0)
    rows = rng.random((12, 150)) < 0.5
    rows[6:, :140] = rows[:6, :140]  # six pairs that differ in the last conditions alone
    which = rng.integers(0, 12, N)
    layout = make_layout(np.arange(N) % 2, 2)
    covers = np.stack([layout.pack(truth) for truth in rows[which].T])
    merged = merge_observations(covers, layout)
    assert merged is not None
    assert merged[1].n_rows == 24
    assert merged[1].row_weights().sum() == N


def test_wide_data_is_left_as_it_is() -> None:
    assert merge_observations(*narrow(40)) is None


@pytest.mark.parametrize("n_patterns", [1, 50, 3000, 200_000])
def test_a_sample_tells_how_many_patterns_there_are(n_patterns: int) -> None:
    drawn = np.random.default_rng(0).integers(0, n_patterns, 40_000)
    estimate = merging.estimated_patterns(len(np.unique(drawn)), len(drawn))
    assert estimate == pytest.approx(n_patterns, rel=0.1)


def test_few_observations_are_left_as_they_are() -> None:
    layout = make_layout(np.arange(1000) % 2, 2)
    cover = layout.pack(np.arange(1000) % 3 == 0)
    assert merge_observations(cover[None, :], layout) is None


def test_a_sample_that_promises_too_much_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision to merge is made on all observations, whatever the sample said."""
    monkeypatch.setattr(merging, "may_pay", lambda covers, layout: True)
    assert merge_observations(*narrow(40)) is None


def test_an_estimator_says_so_and_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    X = rng.random((30_000, 5)) < 0.4
    y = rng.random(30_000) < np.where(X[:, 0] & X[:, 1], 0.9, 0.3)
    merged = quick().fit(X, y)
    assert any("merged into" in note for note in merged.fit_report_.notes)
    monkeypatch.setattr(merging, "FEWEST_WORDS", 10**9)
    plain = quick().fit(X, y)
    assert not any("merged into" in note for note in plain.fit_report_.notes)
    assert str(merged.rule_list_) == str(plain.rule_list_)
    assert merged.posterior_.lists().equals(plain.posterior_.lists())
    np.testing.assert_array_equal(merged.pool_.supports, plain.pool_.supports)
