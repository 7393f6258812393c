"""Modes that thousands of observations keep apart are weighed by the posterior.

Only the prior prefers one of the two modes, so a chain has to get from one to the other by a
temperature at which the observations no longer keep them apart. The benchmark separated_modes has
more kinds of problems, and many sizes.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from elseif.progress import Progress
from elseif.sampler.chain import Chain
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.convergence import is_good_enough
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.run_length_draws import RunLengthDraws
from tests.sampler import naive
from tests.sampler.cases import Case
from tests.sampler.exact.test_tempering import TWO_MODES
from tests.sampler.scaled_modes import mode_share, scaled_two_modes
from tests.sampler.variants import lists_of

N_COPIES, N_IDLE, N_CHAINS, N_ITER = 50, 8, 24, 16_000
TEMPERED = KERNELS["tempered"]
# what the default was: the likelihood's power of a tenth still keeps the modes apart
SHORT_LADDER = dataclasses.replace(TEMPERED, betas=(1.0, 0.78, 0.55, 0.36, 0.21, 0.1), rungs=None)


@pytest.fixture(scope="module")
def case() -> Case:
    """Fifty times the observations of the small problem, and antecedents of chance."""
    labels = np.tile(TWO_MODES.labels, N_COPIES)
    idle = np.random.default_rng(0).random((N_IDLE, len(labels))) < 0.3
    return dataclasses.replace(
        TWO_MODES,
        truths=np.concatenate([np.tile(TWO_MODES.truths, N_COPIES), idle]),
        labels=labels,
        cardinalities=(1,) * (4 + N_IDLE),
        antecedent_weights=(1.0, 1.0, 4.0, 1.0, *[1.0] * N_IDLE),
    )


@pytest.fixture(scope="module")
def exact(case: Case) -> float:
    drawn = ExactSum.of(case.problem).draw(100_000, np.random.default_rng(0))
    share = _share_of_second(drawn)
    assert 0.7 < share < 0.9
    return share


def _share_of_second(runs: RunLengthDraws) -> float:
    in_second = [d[:1] in ((2,), (3,)) for d in lists_of(runs)]
    return float(np.average(in_second, weights=runs.n_draws))


def _errors_off(case: Case, kernel: MoveMix, exact: float) -> float:
    """Standard errors between the chains' mean share and the exact one; all start in one mode."""
    shares = []
    for k in range(N_CHAINS):
        seed = np.random.SeedSequence([96, k])
        replica_starts = [(0, 1)] * (len(kernel.betas) - 1)
        chain = Chain(case.compiled, kernel, seed, (0, 1), replica_starts=replica_starts)
        shares.append(_share_of_second(chain.run(N_ITER)))
    error = max(np.std(shares, ddof=1) / np.sqrt(N_CHAINS), 1e-3)
    return float(abs(np.mean(shares) - exact) / error)


def test_chains_leave_a_mode_that_all_replicas_start_in(case: Case, exact: float) -> None:
    """The share of the likelier mode is right; by a t of 23 degrees, 6 has a chance of 4e-6."""
    assert _errors_off(case, TEMPERED, exact) < 6


def test_a_ladder_that_cannot_reach_is_seen(case: Case, exact: float) -> None:
    assert _errors_off(case, SHORT_LADDER, exact) > 50


def test_ladders_end_at_the_prior_and_have_the_rungs_they_need(case: Case) -> None:
    """The number of rungs adapts, and nothing of it changes in the half that is kept."""
    chain = Chain(case.compiled, TEMPERED, np.random.SeedSequence(97))
    chain.run(16_000)
    betas = chain.info.betas
    assert len(betas) != len(TEMPERED.betas)
    assert betas[0] == 1.0
    assert betas[-1] == 0.0
    rejected = 1 - np.array(chain.info.swaps_accepted) / np.array(chain.info.swaps_proposed)
    assert 0.2 < rejected.mean() < 0.6
    frozen = chain.tuning
    chain.run_to(20_000)
    assert chain.tuning is frozen


def test_a_high_barrier_gets_the_rungs_it_needs() -> None:
    """What is true by chance in rows that are repeated many times is worth a rule in its place.

    So every list holds nearly all antecedents, in an order of its own at each temperature. With
    too few rungs some neighbours hardly swap at all, and modes stay apart.
    """
    rng, n_rows, n_copies, pool_size = np.random.default_rng(5), 200, 40, 18
    truths = np.tile(rng.random((pool_size, n_rows)) < 0.3, n_copies)
    labels = np.tile(rng.integers(0, 2, n_rows), n_copies)
    case = Case("repeated-chance", truths, labels, (1,) * pool_size, (1.0, 1.0))
    chain = Chain(case.compiled, TEMPERED, np.random.SeedSequence(97))
    chain.run(64_000)
    rejected = 1 - np.array(chain.info.swaps_accepted) / np.array(chain.info.swaps_proposed)
    assert rejected.mean() < 0.5
    assert rejected.max() < 0.75


def test_a_chain_that_goes_on_is_that_of_a_longer_run(case: Case) -> None:
    """Also where the number of replicas has changed on the way."""
    whole = Chain(case.compiled, TEMPERED, np.random.SeedSequence(98))
    parts = Chain(case.compiled, TEMPERED, np.random.SeedSequence(98))
    for n_iter in (4_000, 8_000, 16_000):
        drawn = parts.run(n_iter)
    expected = whole.run(16_000)
    np.testing.assert_array_equal(drawn.items, expected.items)
    np.testing.assert_array_equal(drawn.n_draws, expected.n_draws)
    np.testing.assert_array_equal(drawn.log_posterior, expected.log_posterior)


# ------------------------------------------------------------- antecedent weights


def _made_up_for() -> Case:
    """One mode fits worse by several nats, and an antecedent's weight makes up for it.

    At every warmer temperature the mode with the weight would have nearly all the mass, were the
    weight not tempered along with the likelihood.
    """
    case = scaled_two_modes(30)
    truths, model = case.truths.copy(), case.model()
    right = naive.log_likelihood(model, (0, 1))
    for row in range(len(case.labels)):
        trial = truths.copy()
        trial[3, row] = ~trial[3, row]
        worse = naive.log_likelihood(dataclasses.replace(case, truths=trial).model(), (2, 3))
        if worse < naive.log_likelihood(dataclasses.replace(case, truths=truths).model(), (2, 3)):
            truths = trial
        if right - worse > 5:
            break
    weights = (1.0, 1.0, 1.0, float(np.exp(right - worse)), *[1.0] * 14)
    return dataclasses.replace(case, truths=truths, antecedent_weights=weights)


def test_weights_that_make_up_for_a_likelihood() -> None:
    """Accepted runs have the share of the sum over all lists: with 200 draws, 4 errors are .14."""
    case = _made_up_for()
    assert max(case.problem.prior.weights) > 100
    exact = mode_share([ExactSum.of(case.problem).draw(20_000, np.random.default_rng(0))])
    assert 0.1 < exact < 0.9
    n_accepted, shares = 0, []
    for seed in range(4):
        settings = SamplerSettings("tempered", max_iter=512_000, n_jobs=1)
        run = sample(case.problem, settings, np.random.SeedSequence((99, seed)), Progress())
        n_accepted += is_good_enough(run.convergence)
        shares.append(mode_share(run.chains))
    assert n_accepted >= 3
    assert np.abs(np.array(shares) - exact).max() < 4 * np.sqrt(exact * (1 - exact) / 200)
