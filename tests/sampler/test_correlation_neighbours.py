"""Correlation neighbours, against correlations computed plainly."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from elseif.sampler import correlation_neighbours
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.correlation_neighbours import find_neighbours, one_rule_gain
from elseif.sampler.move_mix import KERNELS
from tests.sampler.cases import CASES, Case, random_case
from tests.sampler.variants import log_terms

WEIGHTED = random_case(
    "weighted",
    31,
    (1,) * 30,
    (1.0, 0.5, 2.0),
    n=200,
    weights=np.random.default_rng(31).integers(0, 6, 200),
)
PLAIN = random_case("plain", 32, (1, 2) * 15, (1.0, 1.0), n=300)


def found(case: Case) -> list[set[int]]:
    """Those that each antecedent may be replaced by."""
    relation = find_neighbours(case.problem)
    ends = zip(relation.first[:-1], relation.first[1:], strict=True)
    return [set(relation.neighbours[i:j].tolist()) for i, j in ends]


def expected(case: Case, chosen: list[int]) -> list[set[int]]:
    """By NumPy's weighted correlations, the eight largest either way, made mutual."""
    weights = np.ones(len(case.labels)) if case.weights is None else case.weights
    covariance = np.cov(case.truths[chosen].astype(float), fweights=weights.astype(int))
    spread = np.sqrt(np.diag(covariance))
    strength = np.round(np.abs(covariance / np.outer(spread, spread)), 12)
    np.fill_diagonal(strength, -1)
    near: list[set[int]] = [set() for _ in range(case.pool_size)]
    for i, a in enumerate(chosen):
        for j in np.argsort(-strength[i], kind="stable")[: correlation_neighbours.N_NEAREST]:
            near[a].add(chosen[j])
            near[chosen[j]].add(a)
    return near


@pytest.mark.parametrize("case", [PLAIN, WEIGHTED], ids=lambda case: case.name)
def test_nearest_by_correlation(case: Case) -> None:
    """The relation is that of the covers' correlations, of either sign, and mutual."""
    near = found(case)
    assert near == expected(case, list(range(case.pool_size)))
    assert all(a in near[b] for a in range(case.pool_size) for b in near[a])
    assert not any(a in near[a] for a in range(case.pool_size))


def test_an_opposite_is_a_neighbour() -> None:
    """What is true wherever another is not comes first."""
    truths = PLAIN.truths.copy()
    truths[7] = ~truths[4]
    case = dataclasses.replace(PLAIN, truths=truths)
    assert 7 in found(case)[4]
    assert expected(case, list(range(case.pool_size))) == found(case)


def test_a_large_pool_compares_what_tells_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Antecedents of little gain have no neighbours, and are never proposed as one."""
    monkeypatch.setattr(correlation_neighbours, "MOST_COMPARED", 10)
    counts = np.array(
        [[(PLAIN.labels[truth] == label).sum() for label in range(2)] for truth in PLAIN.truths]
    )
    gain = one_rule_gain(PLAIN.problem, counts)
    chosen = sorted(np.argsort(-gain, kind="stable")[:10].tolist())
    assert found(PLAIN) == expected(PLAIN, chosen)


def test_gain_is_that_of_the_list_of_one_rule() -> None:
    """The log Bayes factor against the empty list, by the reference."""
    case = CASES["three-labels"]
    counts = np.array(
        [[(case.labels[truth] == label).sum() for label in range(3)] for truth in case.truths]
    )
    terms = log_terms(case)
    expected_gain = [terms[(a,)][1] - terms[()][1] for a in range(case.pool_size)]
    np.testing.assert_allclose(one_rule_gain(case.problem, counts), expected_gain, atol=1e-9)


@pytest.mark.parametrize("name", ["one-antecedent", "no-observations", "one-observation"])
def test_nothing_to_compare(name: str) -> None:
    """A pool of one, or covers that do not vary, have no neighbours."""
    assert found(CASES[name]) == [set()] * CASES[name].pool_size


@pytest.mark.parametrize("name", KERNELS)
def test_only_kernels_that_ask_have_it_computed(name: str) -> None:
    """The comparison takes its time, which the paper's kernel need not spend."""
    posed = CompiledProblem.of(PLAIN.problem)
    chain = Chain(posed, KERNELS[name], np.random.SeedSequence(0))
    asks = name == "tempered"
    assert (KERNELS[name].replace_by_neighbour > 0) == asks
    assert ("neighbours" in vars(posed)) == asks  # which is computed when it is asked for
    assert (len(chain.tuning.neighbours) > 0) == asks


def test_adapted_additions_favour_what_comes_and_goes() -> None:
    """Part uniform, part by the variance of being in the list, by temperature."""
    kernel = dataclasses.replace(KERNELS["tempered"], uniform_share=0.2, betas=(1.0, 0.5))
    inclusion = np.array([[1.0, 0.5, 0.1, 0.0], [0.0, 1.0, 0.0, 1.0]])
    weights = kernel.tuning(4, inclusion).addition_weights
    variance = np.array([0.0, 0.25, 0.09, 0.0])
    np.testing.assert_allclose(weights[0], 0.05 + 0.8 * variance / 0.34)
    np.testing.assert_allclose(weights[1], 0.25)  # nothing varies: nothing to adapt to
