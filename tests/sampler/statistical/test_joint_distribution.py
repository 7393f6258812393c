"""T6 and T7: the sampler against the joint distribution of lists and labels.

Both make data from the model again and again, so that prior, likelihood, tables, packing and
sampler are held against each other as they are used together.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS
from tests.sampler import naive
from tests.sampler.cases import Case, random_case
from tests.sampler.checks import bonferroni, chi_square_p, entered_terms
from tests.sampler.variants import QUICK_VARIANTS, VARIANTS, Variant, lists_of, make_chain

FALSE_ALARM = 1e-5
CASE = random_case(
    "joint",
    81,
    (1, 1, 2, 4),  # two cardinalities hold one antecedent only: they run out
    (1.0, 0.5, 2.0),
    n=16,
    antecedent_weights=(1.0, 3.0, 1.0, 1.0),
)


def draw_labels(
    case: Case, antecedent_list: tuple[int, ...], rng: np.random.Generator
) -> np.ndarray:
    """Labels given a list, by the model of section 2.3."""
    labels = np.zeros(len(case.labels), dtype=np.int64)
    for rows in naive.captured(case.model(), antecedent_list):
        theta = rng.dirichlet(case.pseudocounts)
        labels[sorted(rows)] = rng.choice(case.n_labels, size=len(rows), p=theta)
    return labels


# ------------------------------------------------------------------------- T6: Geweke


def _statistics(case: Case, d: tuple[int, ...], labels: np.ndarray) -> list[float]:
    """What the joint distribution has exact expectations of."""
    first = sorted(naive.captured(case.model(), d)[0])
    n_zero = int((labels[first] == 0).sum())
    return [
        len(d),
        sum(case.cardinalities[a] for a in d),
        *(a in d for a in range(case.pool_size)),
        *(d[:1] == (a,) for a in range(case.pool_size)),
        *((labels == label).mean() for label in range(case.n_labels)),
        n_zero,
        n_zero * (n_zero - 1),
    ]


def _expectations(case: Case) -> np.ndarray:
    """Their expectations, over the prior of lists and the Dirichlet-multinomial of labels."""
    model = case.model()
    alpha, total = case.pseudocounts[0], math.fsum(case.pseudocounts)
    value = np.zeros(2 + 2 * case.pool_size + case.n_labels + 2)
    for d in naive.all_lists(case.pool_size):
        n = len(naive.captured(model, d)[0])
        statistics = [
            len(d),
            sum(case.cardinalities[a] for a in d),
            *(a in d for a in range(case.pool_size)),
            *(d[:1] == (a,) for a in range(case.pool_size)),
            *(a / total for a in case.pseudocounts),
            n * alpha / total,
            n * (n - 1) * alpha * (alpha + 1) / total / (total + 1),
        ]
        value += math.exp(naive.log_prior(model, d)) * np.array(statistics)
    return value


def exact_replicas(
    case: Case, variant: Variant, compiled: CompiledProblem, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """A list for every warmer replica, from its target by enumeration."""
    if variant.n_temperatures == 1:
        return []
    lists = naive.all_lists(case.pool_size)
    terms = entered_terms(case, compiled, lists)
    drawn = []
    for beta in variant.kernel.betas[1:]:
        logs = terms[:, 0] + beta * terms[:, 1]
        masses = np.exp(logs - logs.max())
        drawn.append(lists[rng.choice(len(lists), p=masses / masses.sum())])
    return drawn


def geweke_p(
    case: Case,
    variant: Variant,
    seed: int,
    n_rounds: int,
    n_batches: int,
    mutate: Callable[[CompiledProblem], CompiledProblem] = lambda compiled: compiled,
    whole_run: int = 0,
) -> float:
    """Alternate labels given list and list given labels; batch means by Student's t.

    The list is moved by five steps, with warmer replicas from their exact targets, or by a whole
    run of so many iterations, warm-up and all.
    """
    rng = np.random.default_rng(seed)
    d = naive.draw_from_prior(case.model(), rng)
    rows = np.empty((n_rounds, len(_expectations(case))))
    for t in range(n_rounds):
        labels = draw_labels(case, d, rng)
        rows[t] = _statistics(case, d, labels)
        data = dataclasses.replace(case, labels=labels)
        compiled = mutate(data.compiled)
        if whole_run:
            sequence = np.random.SeedSequence([seed, t])
            chain = Chain(compiled, variant.kernel, sequence, d)
            chain.run(whole_run)
        else:
            replica_starts = exact_replicas(data, variant, compiled, rng)
            chain = make_chain(
                data,
                variant,
                [seed, t],
                d,
                compiled,
                replica_starts=replica_starts,
                steps_per_swap=2,
            )
            chain.run_to(5)
        d = chain.antecedent_list
    means = rows.reshape(n_batches, -1, rows.shape[1]).mean(axis=1)
    error = means.std(axis=0, ddof=1) / math.sqrt(n_batches)
    t_values = (means.mean(axis=0) - _expectations(case)) / error
    return bonferroni(2 * stats.t.sf(np.abs(t_values), n_batches - 1))


@pytest.mark.slow
@pytest.mark.parametrize("variant", QUICK_VARIANTS.values(), ids=QUICK_VARIANTS)
def test_geweke(variant: Variant) -> None:
    """T6: 12,000 rounds in 60 batches, false-alarm rate 1e-5 for each kernel."""
    assert geweke_p(CASE, variant, seed=6, n_rounds=12_000, n_batches=60) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_geweke_by_whole_runs(name: str) -> None:
    """T6: as many rounds, each a run of 400 iterations with its own warm-up and adaptation.

    An adaptation leaves its mark on the list that it came from, which the 200 iterations after the
    last one wear off.
    """
    p = geweke_p(CASE, VARIANTS[name], 61, n_rounds=12_000, n_batches=60, whole_run=400)
    assert p > FALSE_ALARM


# ------------------------------------------------------ T7: simulation-based calibration

N_DRAWS = 24
THINNING = 100


def _quantities(model: naive.Model, d: tuple[int, ...]) -> list[float]:
    """What is ranked; rounded, so that equal values tie whatever the order of sums."""
    values = [
        float(len(d)),
        naive.log_likelihood(model, d),
        naive.log_prior(model, d),
        naive.predict(model, d, frozenset({0, 2}))[0],
        float(0 in d),
    ]
    return [round(value, 9) for value in values]


def calibration_p(
    case: Case,
    variant: Variant,
    seed: int,
    n_data_sets: int,
    mutate: Callable[[CompiledProblem], CompiledProblem] = lambda compiled: compiled,
) -> float:
    """Ranks of the true list among draws, ties broken at random, are uniform."""
    rng = np.random.default_rng(seed)
    ranks: list[Counter] = [Counter() for _ in range(5)]
    for k in range(n_data_sets):
        truth = naive.draw_from_prior(case.model(), rng)
        data = dataclasses.replace(case, labels=draw_labels(case, truth, rng))
        chain = make_chain(data, variant, [seed, k], None, mutate(data.compiled))
        if variant.has_adapted:  # frozen already: only the warm-up is left out
            chain.run_to(N_DRAWS * THINNING)
            runs = chain.run_to(2 * N_DRAWS * THINNING)
        else:
            runs = chain.run(2 * N_DRAWS * THINNING)
        assert runs.n_draws.sum() == N_DRAWS * THINNING
        last = np.searchsorted(np.cumsum(runs.n_draws), THINNING * np.arange(1, N_DRAWS + 1))
        lists = lists_of(runs)
        model = data.model()
        known: dict[tuple[int, ...], list[float]] = {}
        for d in {truth, *(lists[i] for i in last)}:
            known[d] = _quantities(model, d)
        drawn = np.array([known[lists[i]] for i in last])
        below = (drawn < known[truth]).sum(axis=0)
        tied = (drawn == known[truth]).sum(axis=0)
        for counter, rank in zip(ranks, below + rng.integers(0, tied + 1), strict=True):
            counter[int(rank)] += 1
    expected = dict.fromkeys(range(N_DRAWS + 1), n_data_sets / (N_DRAWS + 1))
    return bonferroni(chi_square_p(counter, expected) for counter in ranks)


@pytest.mark.slow
@pytest.mark.parametrize("variant", QUICK_VARIANTS.values(), ids=QUICK_VARIANTS)
def test_simulation_based_calibration(variant: Variant) -> None:
    """T7: 1,000 data sets, five ranked quantities, false-alarm rate 1e-5 for each kernel."""
    assert calibration_p(CASE, variant, seed=7, n_data_sets=1_000) > FALSE_ALARM
