"""Draws grouped by replica: modes that are handed over and never crossed are seen."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.progress import Progress
from elseif.sampler.by_replica import by_replica
from elseif.sampler.convergence import is_good_enough
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.list_shares import check_shares, frequent_lists
from elseif.sampler.quantity import INCLUSION, LIST, SMALL_ERROR, Followed, diagnose
from elseif.sampler.run_of_chains import RunOfChains
from elseif.sampler.warm_starts import WarmStart, WarmStarts
from tests.sampler.exact.test_tempering import TWO_MODES
from tests.sampler.scaled_modes import OLD_LADDER, mode_share, scaled_two_modes

N_CHAINS, N_DRAWS, N_REPLICAS = 4, 1000, 6


def walk(rng: np.random.Generator, stays: float) -> tuple[np.ndarray, np.ndarray]:
    """Values of 0 and 1 and the replica that holds each: replicas keep theirs for a while."""
    modes = rng.integers(0, 2, (N_CHAINS, N_REPLICAS))
    values = np.empty((N_CHAINS, N_DRAWS), dtype=np.int64)
    groups = rng.integers(0, N_REPLICAS, (N_CHAINS, N_DRAWS))
    for draw in range(N_DRAWS):
        change = rng.random(modes.shape) > stays
        modes = np.where(change, rng.integers(0, 2, modes.shape), modes)
        values[:, draw] = modes[np.arange(N_CHAINS), groups[:, draw]]
    return values, groups + N_REPLICAS * np.arange(N_CHAINS)[:, None]


def test_replicas_that_never_cross_are_as_many_draws_as_replicas() -> None:
    """Swaps at random make chains look perfect; the groups' means are all 0 or 1."""
    values, groups = walk(np.random.default_rng(0), stays=1.0)
    ess, r_hat = by_replica(np.array([[0.0], [1.0]]), values, groups)[:, 0]
    assert ess == pytest.approx(N_CHAINS * N_REPLICAS, rel=0.15)
    assert r_hat > 100


@pytest.mark.parametrize(
    ("level", "difference", "steady"),
    [(LIST, 0.16, False), (INCLUSION, 0.16, True), (LIST, 0.08, True)],
)
def test_modes_that_predict_nearly_the_same_must_be_weighed_all_the_same(
    level: str, difference: float, steady: bool
) -> None:
    """The error of a prediction is small, and 24 replicas that never cross say little of modes."""
    values, groups = walk(np.random.default_rng(0), stays=1.0)
    of_modes = np.array([[0.5 - difference / 2], [0.5 + difference / 2]])
    quantities = diagnose(Followed(["predicted probability 1"], of_modes, level), values, groups)[0]
    assert quantities.mcse < SMALL_ERROR
    assert quantities.ess < 40
    assert quantities.steady is steady


def test_independent_draws_are_as_many_as_they_are() -> None:
    """Up to the chance of 24 groups; R-hat is next to 1."""
    result = []
    for seed in range(20):
        values, groups = walk(np.random.default_rng(seed), stays=0.0)
        result.append(by_replica(np.array([[0.0], [1.0]]), values, groups)[:, 0])
    ess, r_hat = np.mean(result, axis=0)
    assert 0.8 < ess / (N_CHAINS * N_DRAWS) <= 1.0
    assert r_hat < 1.01


@pytest.mark.parametrize("stays", [0.9, 0.98])
def test_effective_draws_are_those_of_the_error_made(stays: float) -> None:
    """The variance of the mean over many runs is what the effective draws say of one."""
    means, ess = [], []
    for seed in range(60):
        values, groups = walk(np.random.default_rng(seed), stays)
        means.append(values.mean())
        ess.append(by_replica(np.array([[0.0], [1.0]]), values, groups)[0, 0])
    true = 0.25 / np.mean((np.array(means) - 0.5) ** 2)
    assert 0.6 < np.median(ess) / true < 1.7


def test_shares_in_proportion_to_posteriors_pass() -> None:
    """And those that are not do not, however many draws there are."""
    shares = np.array([0.4, 0.2, 0.1, 0.005])
    frequent = frequent_lists(shares)
    assert frequent.tolist() == [0, 1, 2]
    log_posterior = np.log(shares[:3]) - 1234.5
    assert check_shares(shares[:3], log_posterior).largest == pytest.approx(0, abs=1e-9)
    swapped = check_shares(shares[[1, 0, 2]], log_posterior)
    assert not swapped.passed
    assert swapped.largest > 5
    assert np.isnan(check_shares(shares[:1], log_posterior[:1]).largest)
    assert check_shares(shares[:1], log_posterior[:1]).passed


def test_a_ladder_that_cannot_reach_is_not_accepted() -> None:
    """Sixty copies of the rows of two modes, and a ladder that ends at a power of 0.1.

    Every run is refused. Checks that look at chains alone would accept half of them, as the chains
    agree and their effective draws along the run are plenty: some of those are far off.
    """
    case = scaled_two_modes(60)
    drawn = ExactSum.of(case.problem).draw(20_000, np.random.default_rng(0))
    exact = mode_share([drawn])
    off_though_chains_agree = []
    for seed in range(24):
        seeds = np.random.SeedSequence((5, seed)).spawn(4)
        run = RunOfChains(case.problem, OLD_LADDER, seeds, WarmStarts((WarmStart(),) * 4), 1)
        run.advance(64_000, None, Progress())
        convergence = run.assess()
        assert not is_good_enough(convergence)
        assert convergence.max_replica_r_hat > 1.5
        along = [q for q in convergence.quantities if not np.isnan(q.r_hat)]
        if convergence.r_hat < 1.05 and all(
            q.r_hat < 1.05 and q.ess_bulk >= 100 for q in along if q.level != "inclusion"
        ):
            off_though_chains_agree.append(abs(mode_share(run.draws) - exact))
    assert len(off_though_chains_agree) >= 6
    assert max(off_though_chains_agree) > 0.15


def test_replicas_that_cross_are_accepted() -> None:
    """The same problem at its own size, where the same ladder does reach."""
    seeds = np.random.SeedSequence(6).spawn(4)
    run = RunOfChains(TWO_MODES.problem, OLD_LADDER, seeds, WarmStarts((WarmStart(),) * 4), 1)
    run.advance(64_000, None, Progress())
    result = run.assess()
    assert result.status == "converged"
    assert result.max_replica_r_hat < 1.1
