"""What is said of convergence, against plain formulas."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from arviz_stats.base import array_stats

from elseif.compiled import OPTION_NAMES
from elseif.errors import SamplingError
from elseif.sampler.chain import Chain
from elseif.sampler.chains import (
    FIRST_RUN,
    FIRST_RUN_OF_ONE_TEMPERATURE,
    first_run,
    growing,
)
from elseif.sampler.convergence import (
    Convergence,
    assess,
    gelman_rubin,
    is_good_enough,
    nothing_to_sample,
    status_of,
)
from elseif.sampler.list_shares import ShareCheck
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.quantity import Followed, Quantity, diagnose
from elseif.sampler.rank_statistics import potential_scale_reduction
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws, join_runs, last_draws
from elseif.sampler.warm_up import growing_warm_up, plain_warm_up
from tests.sampler.cases import CASES
from tests.tables.fitting import quick, random_frame

NAN, INF = float("nan"), float("inf")


def runs(values: np.ndarray, n_draws: np.ndarray | None = None) -> RunLengthDraws:
    """A chain of empty lists with the given log posteriors."""
    n = len(values)
    return RunLengthDraws(
        n_draws=np.ones(n, dtype=np.int64) if n_draws is None else n_draws,
        log_posterior=values.astype(float),
        offsets=np.zeros(n + 1, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        label_counts=np.zeros((n, 2), dtype=np.int64),
    )


def diagnosed(names: list[str], values: np.ndarray) -> list[Quantity]:
    """Diagnostics of values given draw by draw, (chains, draws, quantities)."""
    index = np.arange(values.shape[0] * values.shape[1]).reshape(values.shape[:2])
    return diagnose(Followed(names, values.reshape(-1, values.shape[2])), index)


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
    result = gelman_rubin([runs(v - 1e7) for v in values])
    assert result == pytest.approx(plain_r_hat(values), rel=1e-6)


def test_constants_are_undetermined() -> None:
    """What never varies has no R-hat, neither 0 nor 1."""
    same = np.full(50, -3.7)
    assert np.isnan(gelman_rubin([runs(same), runs(same)]))
    assert np.isnan(potential_scale_reduction(0.0, 0.0, 50))
    assert potential_scale_reduction(0.0, 1.0, 50) == INF
    quantity = diagnosed(["constant"], np.full((4, 50, 1), 0.1))[0]
    assert np.isnan(quantity.r_hat)
    assert np.isnan(quantity.ess_bulk)


def test_chains_frozen_apart_are_infinitely_far() -> None:
    """Chains that never move, at different values, give infinity."""
    assert gelman_rubin([runs(np.full(50, -3.7)), runs(np.full(50, -3.8))]) == INF
    frozen = np.repeat([[[0.1]], [[0.2]]], 50, axis=1)
    assert diagnosed(["frozen"], frozen)[0].r_hat == INF


def test_one_chain_has_no_r_hat() -> None:
    """R-hat compares chains."""
    assert np.isnan(gelman_rubin([runs(np.arange(50))]))
    assert np.isnan(gelman_rubin([runs(np.arange(1)), runs(np.arange(1))]))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning:arviz_stats")
@pytest.mark.parametrize(
    ("n_chains", "n_draws"), [(2, 8), (2, 9), (2, 11), (3, 13), (3, 101), (4, 1000)]
)
def test_diagnose_is_arviz(n_chains: int, n_draws: int) -> None:
    """R-hat and effective draws are arviz's: of walks, ties, indicators, opposites by turns."""
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(n_chains, n_draws, 6)), axis=1) * 0.1
    values += rng.normal(size=values.shape)
    values[:, :, 1] = np.round(values[:, :, 1])
    values[:, :, 2] = values[:, :, 2] > values[:, :, 2].mean()
    values[:, :, 3] = np.sin(np.arange(n_draws) * np.pi * 0.9) + 0.1 * values[:, :, 3]
    values[:, :, 4] += 3 * np.arange(n_chains)[:, None]
    values[:, :, 5] *= 1 + 5 * np.arange(n_chains)[:, None]
    result = diagnosed([f"quantity {i}" for i in range(6)], values)
    axes: dict[str, Any] = {"chain_axis": 0, "draw_axis": 1}
    for i, quantity in enumerate(result):
        one = values[:, :, i]
        r_hat = array_stats.rhat(one, **axes, method="rank")
        bulk = array_stats.ess(one, **axes, method="bulk")
        tail = array_stats.ess(one, **axes, method="tail", prob=(0.05, 0.95))
        assert quantity.name == f"quantity {i}"
        assert quantity.r_hat == pytest.approx(float(r_hat), rel=1e-9)
        assert quantity.ess_bulk == pytest.approx(float(bulk), rel=1e-9)
        assert quantity.ess_tail == pytest.approx(float(tail), rel=1e-9)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning:arviz_stats")
@pytest.mark.parametrize(("n_chains", "n_draws"), [(2, 40), (3, 101), (4, 1000)])
def test_diagnose_counts_every_draw_at_a_list(n_chains: int, n_draws: int) -> None:
    """Chains that stay, return and meet at lists, some of equal value, one met in the middle."""
    rng = np.random.default_rng(1)
    index = rng.integers(0, 12, (n_chains, n_draws))
    stays = rng.random(index.shape) < 0.6
    for draw in range(1, n_draws):
        index[:, draw] = np.where(stays[:, draw], index[:, draw - 1], index[:, draw])
    index[:, n_draws // 2] = 12  # of an odd number of draws it is in neither half
    values = np.column_stack(
        [rng.normal(size=14), rng.integers(0, 4, 14), rng.integers(0, 2, 14), np.arange(14)]
    )
    values[13] = 1e9  # a list where no draw is
    quantities = diagnose(Followed([f"quantity {i}" for i in range(4)], values), index)
    axes: dict[str, Any] = {"chain_axis": 0, "draw_axis": 1}
    for quantity, along in zip(quantities, np.moveaxis(values[index], 2, 0), strict=True):
        r_hat = array_stats.rhat(along, **axes, method="rank")
        bulk = array_stats.ess(along, **axes, method="bulk")
        tail = array_stats.ess(along, **axes, method="tail", prob=(0.05, 0.95))
        assert quantity.r_hat == pytest.approx(float(r_hat), rel=1e-9)
        assert quantity.ess_bulk == pytest.approx(float(bulk), rel=1e-9)
        assert quantity.ess_tail == pytest.approx(float(tail), rel=1e-9)


def test_diagnose_tells_what_varies_from_what_does_not() -> None:
    """A constant among others has no R-hat, frozen chains an infinite one."""
    values = np.random.default_rng(0).normal(size=(3, 50, 3))
    alone = diagnosed(["alone"], values[:, :, 1:2])[0]
    values[:, :, 0] = 0.1
    values[:, :, 2] = np.arange(3)[:, None]
    constant, varying, frozen = diagnosed(["constant", "varying", "frozen"], values)
    assert np.isnan(constant.r_hat)
    assert frozen.r_hat == INF
    assert (varying.r_hat, varying.ess_bulk) == (alone.r_hat, alone.ess_bulk)
    assert np.isnan(diagnosed(["one chain"], values[:1, :, 1:2])[0].r_hat)


def good(r_hat: float = 1.001, steady: bool = True, level: str = "list") -> Quantity:
    """A quantity without fault, or with one."""
    return Quantity("length", r_hat, 2000.0, 2000.0, level, steady=steady)


NOTHING, FINE, OFF = ShareCheck(NAN, NAN), ShareCheck(3.9, 1.9), ShareCheck(4.1, 1.0)


@pytest.mark.parametrize(
    ("r_hat", "quantity", "check", "n_chains", "status"),
    [
        (1.001, good(), FINE, 4, "converged"),
        (1.001, good(), NOTHING, 4, "converged"),
        (1.04, good(1.2), FINE, 4, "converged"),
        (1.05, good(), FINE, 4, "not converged"),
        (INF, good(), FINE, 4, "not converged"),
        (1.001, good(steady=False), FINE, 4, "not converged"),
        (1.001, good(steady=False, level="share"), FINE, 4, "not converged"),
        (1.001, good(r_hat=INF), FINE, 4, "not converged"),
        (1.001, good(), OFF, 4, "not converged"),
        (1.001, good(), ShareCheck(3.0, 2.1), 4, "not converged"),
        (NAN, good(), FINE, 4, "undetermined"),
        (1.001, good(r_hat=NAN), FINE, 4, "undetermined"),
        (NAN, good(), FINE, 1, "undetermined"),
        (1.001, good(), FINE, 1, "undetermined"),
    ],
)
def test_status(
    r_hat: float, quantity: Quantity, check: ShareCheck, n_chains: int, status: str
) -> None:
    """Every threshold of the report, from both sides."""
    assert status_of(r_hat, [quantity], check, n_chains) == status


def test_only_a_good_report_ends_an_automatic_run() -> None:
    """converged ends it, as did warn; not converged does not; nothing to see does."""

    def report(status: str, steady: bool = True, n_chains: int = 4) -> Convergence:
        quantities = (good(steady=steady), good(steady=False, level="inclusion"))
        r_hat = NAN if n_chains == 1 else 1.0
        return Convergence(r_hat, status, quantities, NAN, NAN, n_chains, 1000, 5)

    assert is_good_enough(report("converged"))
    assert is_good_enough(report("warn"))
    assert not is_good_enough(report("not converged"))
    assert is_good_enough(nothing_to_sample())
    assert is_good_enough(report("undetermined", n_chains=1))
    assert not is_good_enough(report("undetermined", steady=False, n_chains=1))


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("independent", [False, True])
def test_no_verdict_without_a_number(value: float, independent: bool) -> None:
    """Not even of draws that are independent: one log posterior that is none is an error."""
    problem = next(iter(CASES.values())).problem
    chains = [runs(np.linspace(-9, -8, 50)), runs(np.append(np.linspace(-9, -8, 49), value))]
    info = ChainInfo((), 100, {}, {})
    with pytest.raises(SamplingError, match="1 lists of chain 1 is not a finite number"):
        assess(chains, [info, info], problem, choose_monitored(problem), independent)


def test_the_report_of_a_fit() -> None:
    """What the report lists: log posterior, length, cardinality, predictions, inclusions."""
    X, y = random_frame(300, 5, n_labels=3)
    clf = quick(n_iter=20_000, n_chains=4, kernel="paper").fit(X, y)
    report = clf.convergence_
    names = [q.name for q in report.quantities]
    assert names[:3] == ["log posterior", "length", "average cardinality"]
    assert sum(name.startswith("predicted probability") for name in names) >= 8
    posterior = clf.posterior_
    followed = {q.index: q for q in report.level("inclusion")}
    inclusion = posterior.inclusion_probabilities
    assert set(followed) >= set(np.flatnonzero((inclusion >= 0.01) & (inclusion <= 0.99)))
    assert report.min_ess <= min(q.ess_bulk for q in followed.values())
    shares = {q.index: q.mean for q in report.level("share")}
    assert set(shares) == set(np.argsort(-posterior.probabilities, kind="stable")[: len(shares)])
    for i, share in shares.items():
        assert share == pytest.approx(posterior.probabilities[i], abs=0.02)
    assert set(report.acceptance) == {"move", "add", "remove"}
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


def test_means_are_those_that_the_posterior_gives() -> None:
    """Of all draws, not of the points at which diagnostics look: one quantity has one number."""
    X, y = random_frame(300, seed=3)
    clf = quick(kernel="tempered", n_iter=20_000).fit(X, y)
    posterior, quantities = clf.posterior_, clf.convergence_.quantities
    means = {q.name: q.mean for q in quantities}
    assert means["length"] == pytest.approx(posterior.mean_length, rel=1e-12)
    cardinality = pytest.approx(posterior.mean_average_cardinality, rel=1e-12)
    assert means["average cardinality"] == cardinality
    inclusions = [q for q in quantities if q.level == "inclusion"]
    shares = [q for q in quantities if q.level == "share"]
    assert len(inclusions) > 3
    assert len(shares) > 1
    for quantity in inclusions:
        inclusion = posterior.inclusion_probabilities[quantity.index]
        assert quantity.mean == pytest.approx(inclusion, rel=1e-12)
    drawn = sorted(posterior.probabilities, reverse=True)[: len(shares)]
    assert sorted((q.mean for q in shares), reverse=True) == pytest.approx(drawn, rel=1e-12)


@pytest.mark.parametrize("pool_size", [19, 951, 2206, 6400])
def test_first_run_tries_every_antecedent(pool_size: int) -> None:
    """Twice on average, in pools of up to 6,400."""
    kernel = KERNELS["tempered"]
    n_iter = first_run(kernel)
    tuning = kernel.tuning(pool_size, np.full((6, pool_size), 0.5))
    shares = tuning.option_weights / tuning.option_weights.sum()
    # where everything is equally worth proposing, adaptation leaves proposals uniform
    assert np.allclose(tuning.addition_weights, 1 / pool_size)
    brings_in = [name in ("add", "replace", "add and position") for name in OPTION_NAMES]
    per_antecedent = kernel.uniform_share * shares[brings_in].sum() / pool_size
    assert n_iter * per_antecedent >= 2


def test_first_run_of_one_temperature_is_long() -> None:
    """Chains that nobody helps out of a wrong mode are given time, however small the pool."""
    assert first_run(KERNELS["paper"]) == FIRST_RUN_OF_ONE_TEMPERATURE == 64_000


@pytest.mark.parametrize("first", [FIRST_RUN_OF_ONE_TEMPERATURE, FIRST_RUN])
@pytest.mark.parametrize("longest", [1, 9_999, 10_000, 20_000, 20_001, 2_000_000, 123_457])
def test_growing_lengths(first: int, longest: int) -> None:
    """Each length is twice the one before, but for the last, which is the longest."""
    lengths = growing(first, longest)
    assert lengths[-1] == longest
    assert lengths[0] == min(first, longest)
    for shorter, longer in itertools.pairwise(lengths[:-1]):
        assert longer == 2 * shorter
    assert len(lengths) == 1 or lengths[-2] < longest <= 2 * lengths[-2]


LENGTHS = [1, 2, 3, 10, 249, 250, 1001, 100_000, 128_000]
WARM_UPS = {kernel.warm_up.__name__: kernel.warm_up for kernel in KERNELS.values()}


@pytest.mark.parametrize("warm_up", WARM_UPS.values(), ids=WARM_UPS)
@pytest.mark.parametrize("n_iter", LENGTHS)
def test_warm_up_stays_in_the_first_half(n_iter: int, warm_up: Callable) -> None:
    """Adaptation windows go forward, and end by half of the run."""
    windows = warm_up(n_iter)
    until = [window.until for window in windows]
    assert until == sorted(until)
    assert max(until, default=0) <= n_iter // 2
    adapts = any(window.adapt for window in windows)
    assert adapts == (n_iter >= 250 and warm_up is not plain_warm_up)


def test_automatic_lengths_end_a_window_s_half() -> None:
    """Runs of the lengths that are tried keep all that comes after their last window."""
    for n_iter in growing(FIRST_RUN, 2_000_000)[:-1]:
        assert growing_warm_up(n_iter)[-1].until == n_iter // 2


@pytest.mark.parametrize("name", KERNELS)
def test_longer_warm_ups_begin_as_shorter_ones(name: str) -> None:
    """Else a run could not be continued."""
    warm_up = KERNELS[name].warm_up
    for shorter, longer in itertools.pairwise(LENGTHS):
        windows = warm_up(shorter)
        assert warm_up(longer)[: len(windows)] == windows


@pytest.mark.parametrize("name", KERNELS)
def test_a_continued_run_is_a_new_one_of_that_length(name: str) -> None:
    """Draws, adaptations, temperatures and the report are the same; also where the last is odd."""
    case, kernel = CASES["six-antecedents"], KERNELS[name]
    chain = Chain(case.compiled, kernel, np.random.SeedSequence(5))
    for n_iter in (100, 1_000, 2_000, 16_000, 30_001):
        continued = chain.run(n_iter)
        new = Chain(case.compiled, kernel, np.random.SeedSequence(5))
        expected = new.run(n_iter)
        assert continued.n_draws.sum() == n_iter - n_iter // 2
        for field in dataclasses.fields(RunLengthDraws):
            result = getattr(continued, field.name)
            np.testing.assert_array_equal(result, getattr(expected, field.name))
        assert chain.info == new.info
        assert (chain.tuning.addition_weights == new.tuning.addition_weights).all()


def test_a_chain_does_not_go_back() -> None:
    """A window that the chain has gone past cannot be adapted to any more."""
    case = CASES["six-antecedents"]
    chain = Chain(case.compiled, KERNELS["tempered"], np.random.SeedSequence(5))
    chain.run(3_001)
    with pytest.raises(SamplingError, match=r"3,001 iterations .* ends at 2,000\. Start a new"):
        chain.run(8_000)


def test_last_draws_shortens_the_run_they_begin_in() -> None:
    """Of three runs, the first goes, the second loses what came before."""
    runs = RunLengthDraws(
        n_draws=np.array([4, 3, 2]),
        log_posterior=np.array([-1.0, -2.0, -3.0]),
        offsets=np.array([0, 1, 1, 3]),
        items=np.array([7, 8, 9], dtype=np.int32),
        label_counts=np.arange(12).reshape(6, 2),
    )
    last = last_draws(runs, 4)
    assert last.n_draws.tolist() == [2, 2]
    assert last.log_posterior.tolist() == [-2.0, -3.0]
    assert last.items.tolist() == [8, 9]
    assert last.offsets.tolist() == [0, 0, 2]
    assert (last.label_counts == runs.label_counts[2:]).all()
    assert last_draws(runs, 9) is runs


def test_join_runs_leaves_out_runs_of_no_draw() -> None:
    """Stretches one after another are one; empty runs go with their lists."""
    a = RunLengthDraws(
        n_draws=np.array([2, 0]),
        log_posterior=np.array([-1.0, -2.0]),
        offsets=np.array([0, 1, 3]),
        items=np.array([5, 6, 7], dtype=np.int32),
        label_counts=np.arange(10).reshape(5, 2),
    )
    b = RunLengthDraws(
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


# ------------------------------------------------------------------------------- in words


def told(status: str, **more: Any) -> Convergence:
    """A report on four chains, of which one inclusion is not steady."""
    names = ("log posterior", "list", True), ("inclusion of antecedent 3", "inclusion", False)
    quantities = tuple(
        Quantity(name, 1.0, 500.0, 500.0, mcse=0.04, level=level, steady=steady)
        for name, level, steady in names
    )
    return Convergence(1.001, status, quantities, 1.0, 0.0, 4, 128_000, 9, **more)


@pytest.mark.parametrize("found_by", [2, 4])
def test_a_verdict_does_not_contradict_itself(found_by: int) -> None:
    """What has converged is not called unsteady; that all chains agree is no reason for doubt."""
    unsure = {"point_is_steady": False, "point_found_by": found_by}
    converged = told("converged", **unsure).sentence()
    assert converged.startswith("Converged: 4 chains of 128,000 iterations, R-hat 1.001. Another ")
    assert "steady" not in converged
    assert "Less precise: 1 of 1 inclusion probabilities (standard error up to 4.0 points)." in (
        converged
    )
    assert ("2 of 4 chains drew this one" in converged) == (found_by == 2)
    assert "Another" not in told("converged").sentence()
    failed = told("not converged", **unsure).sentence()
    assert failed.startswith("Not converged: ")
    assert "Not yet steady: which list is the point estimate" in failed
    for words in (converged, failed, str(told("converged", **unsure))):
        assert "4 of 4" not in words


def test_the_worst_value_of_an_inclusion_is_said_to_be_one() -> None:
    """Beside "converged", a large R-hat without a word would contradict it."""
    one = told("converged")
    (inclusion,) = one.level("inclusion")
    steady = dataclasses.replace(inclusion, level="list", name="length", steady=True, r_hat=1.002)
    worse = dataclasses.replace(inclusion, r_hat=1.121, steady=False)
    text = str(dataclasses.replace(one, quantities=(steady, worse)))
    assert "1.121, of an inclusion; 1.002 of all else" in text
    alone = str(dataclasses.replace(one, quantities=(steady,)))
    assert "of an inclusion" not in alone
