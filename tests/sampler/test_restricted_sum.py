"""Draws held to an exact sum over the lists of the antecedents that were drawn most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from elseif.model.problem import Problem
from elseif.sampler import exact_sum, restricted_sum
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import Convergence, assess, is_good_enough
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.list_shares import ScoredLists
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.restricted_sum import check_restricted
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws, join_runs
from elseif.sampler.short_lists import score_short_lists
from elseif.sampler.steepest_ascent import Ascent
from elseif.sampler.warm_starts import WarmStarts
from tests.sampler.cases import CASES, Case
from tests.sampler.scaled_modes import scaled_two_modes
from tests.sampler.variants import lists_of, posterior

N_CHAINS, N_DRAWS = 4, 2_000


@pytest.fixture(autouse=True)
def no_pool_is_summed_whole(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The problem stands for large pools, except where a test is about small ones."""
    if "whole_pools" not in request.fixturenames:
        monkeypatch.setattr(restricted_sum, "WHOLE_POOL", 0)


@pytest.fixture
def whole_pools() -> None:
    """Small pools are summed whole, as they are in a fit."""


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Two modes, each of many lists; 18 antecedents, more than the restricted sum takes."""
    posed = scaled_two_modes(30).problem
    assert posed.pool_size > restricted_sum.MOST_ANTECEDENTS
    return posed


@pytest.fixture(scope="module")
def draws(problem: Problem) -> list[RunLengthDraws]:
    """Independent draws of the posterior, as several chains."""
    summed = ExactSum.of(problem)
    return [summed.draw(N_DRAWS, np.random.default_rng(k)) for k in range(N_CHAINS)]


def _only(runs: RunLengthDraws, wanted: Callable[[tuple[int, ...]], bool]) -> RunLengthDraws:
    """The same number of draws for every chain, of some lists alone."""
    kept = np.array([wanted(d) for d in lists_of(runs)])
    return join_runs([replace(runs, n_draws=np.where(kept, runs.n_draws, 0))])


def _in_first_mode(antecedent_list: tuple[int, ...]) -> bool:
    return antecedent_list[:1] in ((0,), (1,))


def _assessed(
    chains: list[RunLengthDraws], problem: Problem, starts: WarmStarts | None = None
) -> Convergence:
    n_draws = min(int(chain.n_draws.sum()) for chain in chains)
    infos = [ChainInfo((), 2 * n_draws, {}, {}) for _ in chains]
    cut = [join_runs([_first_draws(chain, n_draws)]) for chain in chains]
    return assess(cut, infos, problem, choose_monitored(problem), starts=starts)


def _first_draws(runs: RunLengthDraws, n: int) -> RunLengthDraws:
    before = np.cumsum(runs.n_draws) - runs.n_draws
    return replace(runs, n_draws=np.clip(n - before, 0, runs.n_draws))


def test_draws_of_the_posterior_agree(draws: list[RunLengthDraws], problem: Problem) -> None:
    """8,000 independent draws are far within what 200 effective ones may be off."""
    share, deviation = check_restricted(draws, problem)
    assert 0.5 < share <= 1
    assert deviation < 2
    convergence = _assessed(draws, problem)
    assert convergence.status == "converged"
    assert convergence.restricted_sum_agrees
    assert "against an exact sum" in str(convergence)


def test_a_mode_that_no_chain_has_drawn_is_seen(
    draws: list[RunLengthDraws], problem: Problem
) -> None:
    """Draws of one mode in the right proportions: nothing else in the report contradicts them."""
    convergence = _assessed([_only(chain, _in_first_mode) for chain in draws], problem)
    assert convergence.r_hat < 1.05
    assert convergence.shares_agree
    assert all(q.steady for q in convergence.quantities)
    assert convergence.status == "not converged"
    assert "contradict an exact sum" in convergence.sentence()


def test_a_mode_of_antecedents_that_were_never_drawn_is_seen_in_a_small_pool(
    problem: Problem, whole_pools: None
) -> None:
    """The other mode's antecedents come last in the pool, behind sixteen that were drawn."""
    order = np.array([0, 1, *range(4, problem.pool_size), 2, 3])
    weights = problem.prior.weights[order]
    posed = replace(
        problem, covers=problem.covers[order], prior=replace(problem.prior, weights=weights)
    )
    summed = ExactSum.of(posed)
    assert summed.summaries().inclusion[-1] > 0.2
    drawn = [summed.draw(N_DRAWS, np.random.default_rng(k)) for k in range(N_CHAINS)]
    convergence = _assessed([_only(chain, lambda d: max(d) < 16) for chain in drawn], posed)
    assert convergence.r_hat < 1.05
    assert all(q.steady for q in convergence.quantities)
    assert convergence.status == "not converged"
    assert "contradict an exact sum" in convergence.sentence()


def test_one_chain_may_not_stop_where_the_sum_contradicts(
    draws: list[RunLengthDraws], problem: Problem
) -> None:
    """Of a single chain nothing is determined; it may end all the same, if all else is good."""
    alone, in_one_mode = _assessed(draws[:1], problem), _only(draws[0], _in_first_mode)
    assert alone.status == "undetermined"
    assert is_good_enough(alone)
    contradicted = _assessed([in_one_mode], problem)
    assert contradicted.status == "undetermined"
    assert not is_good_enough(contradicted)


def test_a_verdict_without_the_sum_would_accept_it(
    draws: list[RunLengthDraws], problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: what the draws of one mode are called when nobody makes the sum."""
    monkeypatch.setattr(exact_sum, "FEW_BYTES", 0)
    convergence = _assessed([_only(chain, _in_first_mode) for chain in draws], problem)
    assert np.isnan(convergence.restricted_deviation).all()
    assert convergence.status == "converged"


def test_no_sum_is_made_of_draws_that_are_not_accepted_anyway(
    draws: list[RunLengthDraws], problem: Problem
) -> None:
    """Chains of a few draws: the other checks refuse them, and a sum would take longer."""
    convergence = _assessed([join_runs([_first_draws(chain, 20)]) for chain in draws], problem)
    assert convergence.status == "not converged"
    assert np.isnan(convergence.restricted_deviation).all()
    assert "contradict an exact sum" not in convergence.sentence()


def test_draws_of_one_length_too_many_are_seen(
    draws: list[RunLengthDraws], problem: Problem
) -> None:
    runs = join_runs(draws)
    commonest = int(np.bincount(runs.lengths).argmax())
    without = replace(runs, n_draws=np.where(runs.lengths == commonest, 0, runs.n_draws))
    assert check_restricted([join_runs([without])], problem)[1] > 4


def test_unsteady_inclusions_are_not_compared(
    draws: list[RunLengthDraws], problem: Problem
) -> None:
    """They are marked where they are shown, and do not keep a fit from ending."""
    runs = join_runs(draws)
    idle = 10  # of chance: in a list or not, the rest is the same
    has_idle = np.array([idle in d for d in lists_of(runs)])
    more = [replace(runs, n_draws=np.where(has_idle, 20 * runs.n_draws, runs.n_draws))]
    with_it, without = check_restricted(more, problem), check_restricted(more, problem, {idle})
    assert with_it[0] == without[0]
    assert without[1] < with_it[1]


def test_few_draws_of_the_chosen_say_nothing(problem: Problem) -> None:
    """Lists that hold more antecedents than the sum can take: no share to compare."""
    n = problem.pool_size
    rows = [np.roll(np.arange(n), k)[: n - 1] for k in range(n)]
    runs = ExactSum.of(problem).described([tuple(row.tolist()) for row in rows])
    share, deviation = check_restricted([runs], problem)
    assert share == 0
    assert np.isnan(deviation)


def test_too_many_observations_are_left_alone(
    draws: list[RunLengthDraws], problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_sum, "FEW_WORDS", problem.layout.n_words - 1)
    assert np.isnan(check_restricted(draws, problem)).all()


# --------------------------------------------------- lists that no chain has come near


N_OTHERS = 17


@pytest.fixture(scope="module")
def planted() -> Problem:
    """The label is told by three rules in their order; the other antecedents tell little of it."""
    rng, n = np.random.default_rng(3), 1_200
    right = rng.random((3, n)) < 0.4
    labels = np.where(right[0], 0, np.where(right[1], 1, np.where(right[2], 0, 1)))
    labels ^= rng.random(n) < 0.1
    others = labels ^ (rng.random((N_OTHERS, n)) < 0.4)
    truths = np.concatenate([others.astype(bool), right])
    return Case("planted", truths, labels, (1,) * len(truths), (1.0, 1.0)).problem


def _ends(problem: Problem, start: tuple[int, ...]) -> tuple[int, ...]:
    return Ascent(problem).climb(start)[0]


def test_an_ascent_finds_the_planted_list(planted: Problem) -> None:
    """From two of its rules, from one, and from a rule that is not in it."""
    n = N_OTHERS
    for start in ((n, n + 1), (n + 1,), (0,)):
        result = _ends(planted, start)
        assert set(result) >= {n, n + 1, n + 2}
        assert [a for a in result if a >= n] == [n, n + 1, n + 2]


def test_no_single_change_improves_what_an_ascent_reaches() -> None:
    """Values are the reference's, and so are the neighbours; also for weights and cardinalities."""
    for name in ("six-antecedents", "weighted-antecedents", "weighted-observations-lazy"):
        case = CASES[name]
        every = posterior(case)
        ascent = Ascent(case.problem)
        for start in ((), (0,), (2, 1)):
            result, value = ascent.climb(start)
            empty = ascent.climb(result)
            assert empty == (result, value)
            shorter = [result[:j] + result[j + 1 :] for j in range(len(result))]
            around = [result, *shorter]
            near = {
                (*d[:p], a, *d[p:])
                for d in around
                for a in range(case.pool_size)
                if a not in d
                for p in range(len(d) + 1)
            }
            assert every[result] >= max(every[d] for d in (*near, *shorter)) * (1 - 1e-9)


def test_lists_that_no_chain_has_come_near_are_seen(planted: Problem) -> None:
    """Draws that agree with the sum over their own antecedents, of which the planted list has none.

    The other checks look at what was drawn, and at lists of up to two rules.
    """
    summed = ExactSum.of(planted, list(range(restricted_sum.MOST_ANTECEDENTS)))
    draws = [summed.draw(N_DRAWS, np.random.default_rng(k)) for k in range(N_CHAINS)]
    share, deviation = check_restricted(draws, planted)
    assert share == 1
    assert deviation < 2
    scored = score_short_lists(CompiledProblem.of(planted)).best(100)
    assert check_restricted(draws, planted, starts=scored.lists)[1] > 4
    # a single rule, which nobody expects among the draws
    hopeless = ScoredLists(((N_OTHERS,),), np.array([-1e6]))
    convergence = _assessed(draws, planted, WarmStarts((), best=hopeless))
    assert convergence.shares_agree
    assert convergence.status == "not converged"
    assert _assessed(draws, planted).status == "converged"


def test_draws_of_what_ascents_lead_to_agree(planted: Problem) -> None:
    """Right draws are not refused for the lists that an ascent has found."""
    summed = ExactSum.of(planted)
    draws = [summed.draw(N_DRAWS, np.random.default_rng(k)) for k in range(N_CHAINS)]
    scored = score_short_lists(CompiledProblem.of(planted)).best(100)
    assert not check_restricted(draws, planted, starts=scored.lists)[1] > 4
