"""A chain's trace does not depend on how much room it was given, nor on pauses."""

import dataclasses

import numpy as np
import pytest

from elseif.errors import SamplingError
from elseif.sampler.chain import Chain, Room
from elseif.sampler.init_state import list_of, new_state
from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.run_length_draws import RunLengthDraws, join_runs
from tests.sampler.cases import CASES, random_case
from tests.sampler.variants import VARIANTS, Variant, make_chain

# lists of about 25 outgrow the first room twice
LONG_LISTS = random_case(
    "long-lists", 52, (1, 2, 3) * 20, (1.0, 1.0), expected_length=30.0, expected_cardinality=2.0
)


def _draws(runs: RunLengthDraws) -> list[tuple]:
    """Every draw's list, counts and log posterior; a pause may split a run of equal draws."""
    out, first = [], 0
    for r, n in enumerate(runs.n_draws.tolist()):
        d = tuple(runs.items[runs.offsets[r] : runs.offsets[r + 1]].tolist())
        counts = runs.label_counts[first : first + len(d) + 1].tolist()
        first += len(d) + 1
        out += [(d, counts, float(runs.log_posterior[r]))] * n
    return out


# swaps after every iteration, after a few, and after as many as the package has
SWAPS = {
    f"{name}-{steps_per_swap}": (variant, steps_per_swap)
    for name, variant in VARIANTS.items()
    for steps_per_swap in ((20,) if variant.n_temperatures == 1 else (1, 3, 20))
}


@pytest.mark.parametrize(("variant", "steps_per_swap"), SWAPS.values(), ids=SWAPS)
def test_trace_is_the_same_with_little_room(variant: Variant, steps_per_swap: int) -> None:
    """Growing the state and handing draws over early change no draw."""

    def draws(room: Room) -> list[tuple]:
        chain = make_chain(LONG_LISTS, variant, [6], (), steps_per_swap=steps_per_swap, room=room)
        runs = chain.run_to(3_000)
        assert runs.n_draws.sum() == 3_000
        return _draws(runs)

    whole = draws(Room(capacity=64))
    assert max(len(d) for d, *_ in whole) > 16
    assert draws(Room(capacity=2, n_runs=5, n_items=7)) == whole


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_whole_run_is_the_same_with_little_room(kernel: MoveMix) -> None:
    """Nor do they change what a warm-up adapts to, hence no draw after it."""

    def draws(room: Room) -> list[tuple]:
        seed = np.random.SeedSequence([9])
        chain = Chain(LONG_LISTS.compiled, kernel, seed, room=room)
        runs = chain.run(3_001)
        assert chain.n_done == 3_001
        assert runs.n_draws.sum() == 1_501
        return _draws(runs)

    assert draws(Room(capacity=1, n_runs=3, n_items=1)) == draws(Room(capacity=64))


@pytest.mark.parametrize(("variant", "steps_per_swap"), SWAPS.values(), ids=SWAPS)
def test_trace_is_the_same_in_pieces(variant: Variant, steps_per_swap: int) -> None:
    """Pausing a chain changes no draw, and its state stays that of its lists."""
    whole = make_chain(LONG_LISTS, variant, [7], (), steps_per_swap=steps_per_swap).run_to(2_000)
    chain = make_chain(LONG_LISTS, variant, [7], (), steps_per_swap=steps_per_swap)
    ends = (1, 2, 20, 40, 40, 41, 1_111, 2_000)
    pieces = [chain.run_to(n) for n in ends]
    assert [int(piece.n_draws.sum()) for piece in pieces] == np.diff((0, *ends)).tolist()
    assert whole.n_draws.sum() == 2_000
    assert _draws(join_runs(pieces)) == _draws(whole)
    state = chain.state
    n_replicas = len(state.replica)
    lists = [list_of(state, r) for r in range(n_replicas)]
    assert sorted(state.replica) == list(range(n_replicas))
    assert chain.antecedent_list == lists[state.replica[0]]
    fresh = new_state(LONG_LISTS.compiled, lists, state.antecedent_list.shape[1])
    for r, d in enumerate(lists):
        rows, fresh_rows = state.rows[r, : len(d) + 1], fresh.rows[r, : len(d) + 1]
        assert (state.captured[rows] == fresh.captured[fresh_rows]).all()
        assert (state.label_counts[rows] == fresh.label_counts[fresh_rows]).all()
        assert (state.log_likelihoods[rows] == fresh.log_likelihoods[fresh_rows]).all()
    assert (state.log_posterior == fresh.log_posterior).all()
    assert (np.sort(state.rows.ravel()) == np.arange(state.rows.size)).all()
    assert (state.in_list == fresh.in_list).all()
    assert (state.used == fresh.used).all()


@pytest.mark.parametrize(("variant", "steps_per_swap"), SWAPS.values(), ids=SWAPS)
def test_presence_is_what_the_rounds_end_with(variant: Variant, steps_per_swap: int) -> None:
    """What adaptation goes by is how many rounds end with each antecedent in the list."""
    chain = make_chain(LONG_LISTS, variant, [8], steps_per_swap=steps_per_swap)
    counted = np.zeros((variant.n_temperatures, LONG_LISTS.pool_size))
    for i in range(1_500):
        chain.run_to(i + 1)
        if (i + 1) % steps_per_swap == 0:
            for t, d in enumerate(chain.lists):
                counted[t, list(d)] += 1
    assert (chain.counters.presence == counted).all()
    assert chain.counters.n_rounds[0] == 1_500 // steps_per_swap
    chain.reset()
    assert chain.counters.presence.sum() == chain.counters.n_rounds[0] == 0


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_a_posterior_that_is_not_a_number_is_an_error(kernel: MoveMix) -> None:
    """The chain says where it was, and does not go on."""
    posed = CASES["three-labels"].compiled
    broken = posed.data._replace(log_pochhammer=np.full_like(posed.data.log_pochhammer, np.nan))
    chain = Chain(dataclasses.replace(posed, data=broken), kernel, np.random.SeedSequence(0), ())
    with pytest.raises(SamplingError, match=r"not a number, at iteration 0 from the list \(\)"):
        chain.run(100)
