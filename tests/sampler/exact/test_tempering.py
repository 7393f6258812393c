"""Swaps of lists between temperatures, and what is written down of them."""

import dataclasses

import numpy as np
import pytest

from elseif.sampler.chain import Chain
from elseif.sampler.init_state import list_of
from elseif.sampler.move_mix import KERNELS
from tests.sampler import naive
from tests.sampler.cases import CASES, Case
from tests.sampler.checks import (
    EXACT,
    FALSE_ALARM,
    LOG_TERM,
    Recorded,
    exact_starts,
    independent_means_p,
    lists_p,
    means_of,
    swap_balance,
    trace_faults,
)
from tests.sampler.core import compiled_alone
from tests.sampler.drivers import set_uniform
from tests.sampler.variants import (
    TEMPERED_VARIANTS,
    VARIANTS,
    Variant,
    lists_of,
    make_chain,
    neighbours,
    posterior,
)

TEMPERED = VARIANTS["tempered"]
SWAPPED = {
    name: CASES[name]
    for name in ("three-labels", "two-labels", "weighted-observations", "weighted-antecedents")
}


# ---------------------------------------------------------------------- acceptance


@pytest.mark.parametrize("k", [0, 1, 12345678901234567 % 2**53, 2**53 - 1])
@pytest.mark.parametrize("n_earlier", [0, 1, 2, 7])
def test_uniforms_can_be_set(k: int, n_earlier: int) -> None:
    """The tests' own tool: the uniform that comes after some others is the one asked for."""
    seed = np.zeros(4, dtype=np.uint64)
    set_uniform(seed, k, n_earlier)
    drawn = [compiled_alone("next_uniform")(seed) for _ in range(n_earlier + 1)]
    assert drawn[-1] == k / 2**53


@pytest.mark.parametrize("temperature", range(TEMPERED.n_temperatures - 1))
@pytest.mark.parametrize("case", SWAPPED.values(), ids=SWAPPED)
def test_swaps_leave_both_targets(case: Case, temperature: int) -> None:
    """For every pair of lists, the share of uniforms that swap them is the formula's.

    Hence the product of the two temperatures' targets is left as it is, to 1e-12.
    """
    deviations = swap_balance(case, TEMPERED, temperature)
    assert deviations.acceptance < LOG_TERM
    assert max(deviations.balance, deviations.invariance) < EXACT
    assert deviations.n_wrong == 0


def test_neighbours_take_turns() -> None:
    """Pairs (0, 1), (2, 3) ... in one round, (1, 2), (3, 4) ... in the next; all accept here."""
    chain = make_chain(CASES["no-observations"], TEMPERED, [0])
    state = chain.state
    for round_, expected in enumerate(
        (
            [1, 0, 3, 2, 5, 4, 7, 6],
            [1, 3, 0, 5, 2, 7, 4, 6],
            [3, 1, 5, 0, 7, 2, 6, 4],
            [3, 5, 1, 7, 0, 6, 2, 4],
        )
    ):
        compiled_alone("swap_lists")(
            chain.tuning, state, chain.counters, chain.buffer, chain.stream
        )
        assert state.replica.tolist() == expected
        assert state.n_swap_rounds[0] == round_ + 1


# ---------------------------------------------------------------------- bookkeeping


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("u", [0.0, np.nextafter(1.0, 0.0)])
def test_books_after_a_swap(u: float, parity: int) -> None:
    """The recorded run changes with the coldest list, and only then."""
    case = CASES["two-labels"]
    lists = [(1, 2), (0, 1), (3,), (), (2,), (0,), (), (1,)]  # the chain's is likelier: u decides
    chain = make_chain(case, TEMPERED, [0], lists[0], replica_starts=lists[1:])
    state, info, buffer = chain.state, chain.counters, chain.buffer
    better = chain.state.log_likelihoods[state.rows[0, :3]].sum()
    worse = chain.state.log_likelihoods[state.rows[1, :3]].sum()
    assert better > worse
    info.iteration[0] = 50
    state.n_swap_rounds[0] = parity
    set_uniform(chain.stream, int(u * 2**53), 0)
    compiled_alone("swap_lists")(chain.tuning, state, info, buffer, chain.stream)
    if parity == 0 and u == 0.0:
        assert state.replica[:2].tolist() == [1, 0]
        assert chain.antecedent_list == (0, 1)
        assert buffer.n_runs[0] == 2
        assert buffer.starts[1] == 51
        assert buffer.items[buffer.offsets[1] : buffer.offsets[2]].tolist() == [0, 1]
        assert buffer.log_posterior[1] == state.log_posterior[1]
        assert buffer.replica[:2].tolist() == [0, 1]
        counts = state.label_counts[state.rows[1, :3]]
        assert (buffer.label_counts[3:6] == counts).all()
    else:
        assert state.replica[0] == 0
        assert chain.antecedent_list == (1, 2)
        assert buffer.n_runs[0] == 1
    assert [list_of(state, r) for r in range(8)] == lists  # lists keep their places
    assert info.iteration[0] == 50
    assert info.proposed.sum() == info.accepted.sum() == 0


@pytest.mark.parametrize("steps_per_swap", [1, 2, 5])
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_draws_are_the_coldest_list_s(variant: Variant, steps_per_swap: int) -> None:
    """Every iteration records one draw: what its step made of the list that was coldest."""
    for name in ("two-identical-covers", "weighted-observations"):
        faults, n_swaps = trace_faults(CASES[name], variant, 400, 91, steps_per_swap)
        assert faults == 0
        assert (n_swaps > 10) == (variant.n_temperatures > 1)


# ------------------------------------------------------------- draws across the ladder


@pytest.mark.parametrize("variant", TEMPERED_VARIANTS.values(), ids=TEMPERED_VARIANTS)
def test_warmer_lists_of_seeded_chains_stay_in_their_targets(variant: Variant) -> None:
    """T3 by 500 whole chains at every temperature; false-alarm rate 1e-6 each."""
    case = CASES["weighted-observations"]
    starts = exact_starts(case, variant, 500, np.random.default_rng(92))
    ends: list[list[tuple[int, ...]]] = [[] for _ in starts]
    for k, (start, *replica_starts) in enumerate(zip(*starts, strict=True)):
        chain = make_chain(
            case, variant, [92, k], start, replica_starts=replica_starts, steps_per_swap=4
        )
        chain.run_to(40)
        for t, d in enumerate(chain.lists):
            ends[t].append(d)
    for drawn, beta in zip(ends, variant.kernel.betas, strict=True):
        assert lists_p(case, drawn, beta) > FALSE_ALARM


# --------------------------------------------------------------------- distant modes


def _two_modes() -> Case:
    """Two families of lists, by antecedents 0 and 1 or by 2 and 3, with little in between.

    The observations are the same when the two pairs of antecedents trade places: only the
    prior weight of antecedent 2 makes one family likelier than the other.
    """
    half = {("0111", 1): 12, ("1100", 0): 11, ("1110", 1): 10, ("0011", 0): 5, ("1110", 0): 2}
    rows = [
        ([int(c) for c in truth], label) for (truth, label), n in half.items() for _ in range(n)
    ]
    rows += [(truth[2:] + truth[:2], label) for truth, label in rows]
    return Case(
        "two-modes",
        np.array([truth for truth, _ in rows], dtype=bool).T,
        np.array([label for _, label in rows]),
        (1, 1, 1, 1),
        (1.0, 1.0),
        antecedent_weights=(1.0, 1.0, 2.0, 1.0),
    )


TWO_MODES = _two_modes()
# the default's moves but for replacements by neighbours, at one temperature
UNTEMPERED = Variant(
    "untempered",
    dataclasses.replace(KERNELS["tempered"], betas=(1.0,), replace_by_neighbour=0),
    has_adapted=False,
)


def _is_likelier(d: tuple[int, ...]) -> bool:
    """Whether a list is of the family that the prior prefers."""
    return d[:1] in ((2,), (3,))


def test_plain_moves_rarely_connect_the_modes() -> None:
    """By the reference, single lists need more than 100,000 steps to forget their mode."""
    model = TWO_MODES.model()
    for variant in (VARIANTS["paper"], UNTEMPERED):
        matrix = naive.transition_matrix(model, neighbours(variant, 4))
        values = np.sort(np.real(np.linalg.eigvals(matrix)))
        assert 1 - values[-2] < 1e-5
    share = sum(p for d, p in posterior(TWO_MODES).items() if _is_likelier(d))
    assert 0.6 < share < 0.8


@pytest.mark.parametrize("name", [n for n, k in KERNELS.items() if len(k.betas) > 1])
def test_whole_runs_weigh_distant_modes(name: str) -> None:
    """150 chains from the unlikelier mode, run as a fit runs them, against the enumeration.

    The share of each mode, m, inclusions and predicted probabilities; every chain is one batch
    of 3,000 draws, whose spread gives the standard error; false-alarm rate 1e-6.
    """
    case, target = TWO_MODES, posterior(TWO_MODES)
    means = means_of(case)
    recorded = Recorded(case, means)
    share = sum(p for d, p in target.items() if _is_likelier(d))
    samples, n_crossings = [], 0
    for k in range(150):
        seed = np.random.SeedSequence([94, k])
        runs = Chain(case.compiled, KERNELS[name], seed, (0, 1)).run(6_000)
        assert runs.n_draws.sum() == 3_000
        sides = np.array([_is_likelier(d) for d in lists_of(runs)])
        n_crossings += int((sides[1:] != sides[:-1]).sum())
        samples.append([(sides * runs.n_draws).sum() / 3_000, *recorded.mean(runs)])
    assert recorded.is_consistent
    assert n_crossings > 1_000
    expected = np.array([share, *means.expected])
    assert independent_means_p(np.array(samples), expected) > FALSE_ALARM


def test_chains_of_one_temperature_are_seen_to_stay_in_a_mode() -> None:
    """The check above is sensitive: the same moves at one temperature fail it."""
    case = TWO_MODES
    means = means_of(case)
    recorded = Recorded(case, means)
    samples = [
        recorded.mean(make_chain(case, UNTEMPERED, [95, k], (0, 1)).run_to(3_000))
        for k in range(150)
    ]
    assert independent_means_p(np.array(samples), means.expected) < FALSE_ALARM


def test_runs_tell_which_replica_held_them() -> None:
    """Between two swaps at the cold end one replica holds all runs; after all, each had some."""
    chain = make_chain(CASES["two-labels"], TEMPERED, [3])
    runs = chain.run(16_000)
    assert runs.replica is not None
    assert len(runs.replica) == len(runs.n_draws)
    assert set(runs.replica.tolist()) == set(range(len(chain.info.betas)))
    assert runs.replica[-1] == chain.state.replica[0]
    ends = 8_000 + np.cumsum(runs.n_draws)  # iterations of the chain: half of them are discarded
    changed = np.flatnonzero(np.diff(runs.replica))
    assert (ends[changed] % int(chain.tuning.steps_per_swap[0]) == 0).all()
