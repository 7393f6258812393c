"""A chain's trace does not depend on how much room it was given, nor on pauses."""

import numpy as np
import pytest

from elseif.sampler import chain as chain_module
from elseif.sampler.chain import Chain, Runs, join_runs
from elseif.sampler.proposals import KERNELS, Kernel
from tests.helpers_sampler import VARIANTS, Variant, make_chain, random_case

# lists of about 25 outgrow the first room twice
LONG_LISTS = random_case(
    "long-lists", 52, (1, 2, 3) * 20, (1.0, 1.0), expected_length=30.0, expected_cardinality=2.0
)


def _draws(runs: Runs) -> list[tuple]:
    """Every draw's list, counts and log posterior; a pause may split a run of equal draws."""
    out, first = [], 0
    for r, n in enumerate(runs.n_draws.tolist()):
        d = tuple(runs.items[runs.offsets[r] : runs.offsets[r + 1]].tolist())
        counts = runs.label_counts[first : first + len(d) + 1].tolist()
        first += len(d) + 1
        out += [(d, counts, float(runs.log_posterior[r]))] * n
    return out


# exchanges after every iteration, after a few, and after as many as the package has
SWAPS = {
    f"{name}-{swap_every}": (variant, swap_every)
    for name, variant in VARIANTS.items()
    for swap_every in ((20,) if variant.n_temperatures == 1 else (1, 3, 20))
}


@pytest.mark.parametrize(("variant", "swap_every"), SWAPS.values(), ids=SWAPS)
def test_trace_is_the_same_with_little_room(
    variant: Variant, swap_every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Growing the state and handing draws over early change no draw."""

    def draws() -> list[tuple]:
        runs = make_chain(LONG_LISTS, variant, [6], (), swap_every=swap_every).run_to(3_000)
        assert runs.n_draws.sum() == 3_000
        return _draws(runs)

    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 64)
    whole = draws()
    assert max(len(d) for d, *_ in whole) > 16
    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 2)
    monkeypatch.setattr(chain_module, "RECORD_RUNS", 5)
    monkeypatch.setattr(chain_module, "RECORD_ITEMS", 7)
    assert draws() == whole


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_whole_run_is_the_same_with_little_room(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do they change what a warm-up learns, hence no draw after it."""

    def draws() -> list[tuple]:
        seed = np.random.SeedSequence([9])
        chain = Chain(LONG_LISTS.problem, LONG_LISTS.compiled, kernel, seed)
        runs = chain.run(3_001)
        assert chain.n_done == 3_001
        assert runs.n_draws.sum() == 1_501
        return _draws(runs)

    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 64)
    whole = draws()
    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 1)
    monkeypatch.setattr(chain_module, "RECORD_RUNS", 3)
    monkeypatch.setattr(chain_module, "RECORD_ITEMS", 1)
    assert draws() == whole


@pytest.mark.parametrize(("variant", "swap_every"), SWAPS.values(), ids=SWAPS)
def test_trace_is_the_same_in_pieces(variant: Variant, swap_every: int) -> None:
    """Pausing a chain changes no draw, and its state stays that of its lists."""
    whole = make_chain(LONG_LISTS, variant, [7], (), swap_every=swap_every).run_to(2_000)
    chain = make_chain(LONG_LISTS, variant, [7], (), swap_every=swap_every)
    ends = (1, 2, 20, 40, 40, 41, 1_111, 2_000)
    pieces = [chain.run_to(n) for n in ends]
    assert [int(piece.n_draws.sum()) for piece in pieces] == np.diff((0, *ends)).tolist()
    assert whole.n_draws.sum() == 2_000
    assert _draws(join_runs(pieces)) == _draws(whole)
    state = chain._state
    n_replicas = len(state.replica)
    lists = [chain._list_of(r) for r in range(n_replicas)]
    assert sorted(state.replica) == list(range(n_replicas))
    assert chain.antecedent_list == lists[state.replica[0]]
    fresh = chain._state_at(lists, chain._capacity)
    for r, d in enumerate(lists):
        rows, fresh_rows = state.rows[r, : len(d) + 1], fresh.rows[r, : len(d) + 1]
        assert (state.captured[rows] == fresh.captured[fresh_rows]).all()
        assert (state.label_counts[rows] == fresh.label_counts[fresh_rows]).all()
        assert (state.log_likelihoods[rows] == fresh.log_likelihoods[fresh_rows]).all()
    assert (state.log_posterior == fresh.log_posterior).all()
    assert (np.sort(state.rows.ravel()) == np.arange(state.rows.size)).all()
    assert (state.in_list == fresh.in_list).all()
    assert (state.used == fresh.used).all()


@pytest.mark.parametrize(("variant", "swap_every"), SWAPS.values(), ids=SWAPS)
def test_presence_is_what_the_rounds_end_with(variant: Variant, swap_every: int) -> None:
    """What adaptation learns from is how many rounds end with each antecedent in the list."""
    chain = make_chain(LONG_LISTS, variant, [8], swap_every=swap_every)
    counted = np.zeros((variant.n_temperatures, LONG_LISTS.pool_size))
    for i in range(1_500):
        chain.run_to(i + 1)
        if (i + 1) % swap_every == 0:
            for t, r in enumerate(chain._state.replica):
                counted[t, list(chain._list_of(r))] += 1
    assert (chain._tally.presence == counted).all()
    assert chain._tally.n_rounds[0] == 1_500 // swap_every
    chain.forget()
    assert chain._tally.presence.sum() == chain._tally.n_rounds[0] == 0
