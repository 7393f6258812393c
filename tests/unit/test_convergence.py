"""What is said of convergence, against plain formulas."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from arviz_stats.base import array_stats

from elseif.sampler.chain import Runs, join_runs
from elseif.sampler.chains import SHORTEST_RUN, growing
from elseif.sampler.convergence import (
    Convergence,
    Quantity,
    _status,
    diagnose,
    gelman_rubin,
    is_good_enough,
    nothing_to_sample,
    r_hat_from_variances,
    split_r_hat,
)
from elseif.sampler.warm_up import annealed_warm_up, plain_warm_up
from tests.helpers_tables import quick, random_frame

NAN, INF = float("nan"), float("inf")


def runs(values: np.ndarray, n_draws: np.ndarray | None = None) -> Runs:
    """A chain of empty lists with the given log posteriors."""
    n = len(values)
    return Runs(
        n_draws=np.ones(n, dtype=np.int64) if n_draws is None else n_draws,
        log_posterior=values.astype(float),
        offsets=np.zeros(n + 1, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        label_counts=np.zeros((n, 2), dtype=np.int64),
    )


def plain_r_hat(values: np.ndarray) -> float:
    """Gelman and Rubin (1992) as it is printed: sqrt(V / W), (chains, draws)."""
    n = values.shape[1]
    between = n * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


@pytest.mark.parametrize("shift", [0.0, 0.5, 10.0])
def test_gelman_rubin_is_the_plain_formula(shift: float) -> None:
    """R-hat of four chains, apart or not."""
    values = np.random.default_rng(0).normal(size=(4, 200)) + shift * np.arange(4)[:, None]
    assert gelman_rubin([runs(v) for v in values]) == pytest.approx(plain_r_hat(values), rel=1e-12)


def test_gelman_rubin_counts_every_draw_of_a_run() -> None:
    """A list that stayed for k draws counts k times."""
    rng = np.random.default_rng(1)
    chains, plain = [], []
    for _ in range(3):
        values = rng.normal(size=50)
        n_draws = rng.permutation(np.arange(1, 51))
        chains.append(runs(values, n_draws))
        plain.append(np.repeat(values, n_draws))
    assert gelman_rubin(chains) == pytest.approx(plain_r_hat(np.stack(plain)), rel=1e-12)


def test_gelman_rubin_of_large_values() -> None:
    """Log posteriors of -1e7 lose no digits that matter."""
    values = np.random.default_rng(0).normal(size=(4, 200))
    found = gelman_rubin([runs(v - 1e7) for v in values])
    assert found == pytest.approx(plain_r_hat(values), rel=1e-6)


def test_constants_are_undetermined() -> None:
    """What never varies has no R-hat, neither 0 nor 1."""
    same = np.full(50, -3.7)
    assert np.isnan(gelman_rubin([runs(same), runs(same)]))
    assert np.isnan(r_hat_from_variances(0.0, 0.0, 50))
    quantity = diagnose("constant", np.full((4, 50), 0.1))
    assert np.isnan(quantity.r_hat)
    assert np.isnan(quantity.ess_bulk)


def test_chains_frozen_apart_are_infinitely_far() -> None:
    """Chains that never move, at different values, give infinity."""
    assert gelman_rubin([runs(np.full(50, -3.7)), runs(np.full(50, -3.8))]) == INF
    assert diagnose("frozen", np.repeat([[0.1], [0.2]], 50, axis=1)).r_hat == INF


def test_one_chain_has_no_r_hat() -> None:
    """R-hat compares chains."""
    assert np.isnan(gelman_rubin([runs(np.arange(50))]))
    assert np.isnan(gelman_rubin([runs(np.arange(1)), runs(np.arange(1))]))


@pytest.mark.parametrize("n_draws", [100, 101, 1000])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_split_r_hat_is_the_rank_normalised_one_for_two_values(n_draws: int, share: float) -> None:
    """For indicators the cheap formula equals arviz's rank-normalised split R-hat."""
    rng = np.random.default_rng(3)
    presence = rng.random((4, n_draws, 3)) < share + 0.05 * np.arange(4)[:, None, None]
    found = split_r_hat(presence)
    for k in range(3):
        values = presence[:, :, k].astype(float)
        # of the two parts of method "rank" the bulk's: a fold at the median of two values is moot
        expected = array_stats.rhat(values, chain_axis=0, draw_axis=1, method="z_scale")
        assert found[k] == pytest.approx(float(expected), rel=1e-9)
        whole = array_stats.rhat(values, chain_axis=0, draw_axis=1, method="rank")
        assert found[k] == pytest.approx(float(whole), rel=1e-9)


def test_split_r_hat_of_constants() -> None:
    """Indicators that never change are undetermined; frozen apart they are infinitely far."""
    presence = np.zeros((2, 100, 2), dtype=bool)
    presence[1, :, 1] = True
    found = split_r_hat(presence)
    assert np.isnan(found[0])
    assert found[1] == INF
    assert np.isnan(split_r_hat(presence[:, :2])).all()


def test_diagnose_is_arviz() -> None:
    """R-hat and effective draws are arviz's."""
    values = np.cumsum(np.random.default_rng(0).normal(size=(4, 300)), axis=1) * 0.1
    values += np.random.default_rng(1).normal(size=(4, 300))
    found = diagnose("walk", values)
    axes: dict[str, Any] = {"chain_axis": 0, "draw_axis": 1}
    assert found.r_hat == pytest.approx(float(array_stats.rhat(values, **axes, method="rank")))
    assert found.ess_bulk == pytest.approx(float(array_stats.ess(values, **axes, method="bulk")))


def good(name: str = "log posterior", r_hat: float = 1.001, ess: float = 2000.0) -> Quantity:
    """A quantity without fault, or with one."""
    return Quantity(name, r_hat, ess, ess)


@pytest.mark.parametrize(
    ("r_hat", "quantity", "inclusion", "n_chains", "status"),
    [
        (1.001, good(), 1.0, 4, "converged"),
        (1.001, good(), NAN, 4, "converged"),
        (1.04, good(), 1.0, 4, "converged"),
        (1.05, good(), 1.0, 4, "not converged"),
        (INF, good(), 1.0, 4, "not converged"),
        (1.001, good(r_hat=1.02), 1.0, 4, "warn"),
        (1.001, good(ess=399), 1.0, 4, "warn"),
        (1.001, good(r_hat=1.05), 1.0, 4, "not converged"),
        (1.001, good(ess=99), 1.0, 4, "not converged"),
        (1.001, good(r_hat=INF), 1.0, 4, "not converged"),
        (1.001, good(), 1.36, 4, "not converged"),
        (1.001, good(), INF, 4, "not converged"),
        (NAN, good(), 1.0, 4, "undetermined"),
        (1.001, good(r_hat=NAN, ess=NAN), 1.0, 4, "undetermined"),
        (NAN, good(), 1.0, 1, "undetermined"),
        (1.001, good(), 1.0, 1, "undetermined"),
    ],
)
def test_status(
    r_hat: float, quantity: Quantity, inclusion: float, n_chains: int, status: str
) -> None:
    """Every threshold of the report, from both sides."""
    assert _status(r_hat, [quantity], inclusion, n_chains) == status


def test_only_a_good_report_ends_an_automatic_run() -> None:
    """converged and warn end it; not converged does not; nothing to see does."""

    def report(status: str, r_hat: float, n_chains: int = 4) -> Convergence:
        return Convergence(r_hat, status, (good(r_hat=r_hat),), NAN, NAN, n_chains, 1000, 5)

    assert is_good_enough(report("converged", 1.0))
    assert is_good_enough(report("warn", 1.03))
    assert not is_good_enough(report("not converged", 1.2))
    assert is_good_enough(nothing_to_sample())
    assert is_good_enough(report("undetermined", 1.01, n_chains=1))
    assert not is_good_enough(report("undetermined", 1.2, n_chains=1))


def test_the_report_of_a_fit() -> None:
    """What the report lists: log posterior, length, cardinality, predictions, inclusions."""
    X, y = random_frame(300, 5, n_labels=3)
    clf = quick(n_iter=20_000, n_chains=4, kernel="adaptive").fit(X, y)
    report = clf.convergence_
    names = [q.name for q in report.quantities]
    assert names[:3] == ["log posterior", "length", "average cardinality"]
    assert sum(name.startswith("predicted probability") for name in names) >= 8
    assert any(name.startswith("inclusion") for name in names)
    assert set(report.acceptance) == {"move", "add", "remove", "replace"}
    assert all(0 < rate < 1 for rate in report.acceptance.values())
    assert report.n_distinct == len(clf.posterior_.distinct)
    assert report.n_chains == 4
    assert report.n_iter == clf.n_iter_ == 20_000
    assert report.r_hat == pytest.approx(plain_r_hat(clf.posterior_.log_posterior), rel=1e-9)
    shares = []
    owners = np.repeat(np.arange(len(clf.posterior_.distinct)), clf.posterior_.distinct.lengths)
    for chain in clf.posterior_.chains:
        share = np.bincount(chain.distinct, chain.n_draws, len(clf.posterior_.distinct))
        by_item = np.bincount(
            clf.posterior_.distinct.items, share[owners], minlength=len(clf.pool_)
        )
        shares.append(by_item / chain.n_draws.sum())
    spread = np.ptp(np.stack(shares), axis=0).max()
    assert report.inclusion_difference == pytest.approx(spread, rel=1e-9)
    assert "4 chains of 20,000 iterations" in str(report)
    assert "Convergence(status=" in repr(report)


@pytest.mark.parametrize("longest", [1, 9_999, 10_000, 20_000, 20_001, 2_000_000, 123_457])
def test_growing_lengths(longest: int) -> None:
    """Each length is twice the one before, give or take one, and the last is the longest."""
    lengths = growing(longest)
    assert lengths[-1] == longest
    for shorter, longer in itertools.pairwise(lengths):
        assert shorter == longer // 2
        assert shorter >= SHORTEST_RUN
    assert lengths[0] < 2 * SHORTEST_RUN or len(lengths) == 1


@pytest.mark.parametrize("n_iter", [1, 2, 3, 10, 1001, 100_000])
def test_warm_up_takes_the_first_half(n_iter: int) -> None:
    """Stages go forward, end at half, and leave the posterior as it is at the end."""
    for warm_up in (plain_warm_up, annealed_warm_up):
        stages = warm_up(n_iter)
        until = [stage.until for stage in stages]
        assert until == sorted(until)
        assert until[-1] == n_iter // 2
        assert stages[-1].coldness == 1.0
        assert all(0 < stage.coldness <= 1 for stage in stages)
        assert all(stage.coldness == 1 for stage in stages if stage.learn)
    assert not any(stage.learn for stage in plain_warm_up(n_iter))
    coldness = [stage.coldness for stage in annealed_warm_up(n_iter)]
    assert coldness == sorted(coldness)


def test_join_runs_leaves_out_runs_of_no_draw() -> None:
    """Stretches one after another are one; empty runs go with their lists."""
    a = Runs(
        n_draws=np.array([2, 0]),
        log_posterior=np.array([-1.0, -2.0]),
        offsets=np.array([0, 1, 3]),
        items=np.array([5, 6, 7], dtype=np.int32),
        label_counts=np.arange(10).reshape(5, 2),
    )
    b = Runs(
        n_draws=np.array([3]),
        log_posterior=np.array([-3.0]),
        offsets=np.array([0, 0]),
        items=np.zeros(0, dtype=np.int32),
        label_counts=np.array([[20, 21]]),
    )
    joined = join_runs([a, b])
    assert joined.n_draws.tolist() == [2, 3]
    assert joined.log_posterior.tolist() == [-1.0, -3.0]
    assert joined.offsets.tolist() == [0, 1, 1]
    assert joined.items.tolist() == [5]
    assert joined.label_counts.tolist() == [[0, 1], [2, 3], [20, 21]]
