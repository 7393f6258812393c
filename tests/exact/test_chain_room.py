"""A chain's trace does not depend on how much room it was given, nor on pauses."""

import numpy as np
import pytest

from elseif.sampler import chain as chain_module
from elseif.sampler.chain import Runs, join_runs
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


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_trace_is_the_same_with_little_room(
    variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Growing the state and handing draws over early change no draw."""
    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 64)
    whole = _draws(make_chain(LONG_LISTS, variant, [6], ()).run_to(3_000))
    assert max(len(d) for d, *_ in whole) > 16
    monkeypatch.setattr(chain_module, "FIRST_CAPACITY", 2)
    monkeypatch.setattr(chain_module, "RECORD_RUNS", 5)
    monkeypatch.setattr(chain_module, "RECORD_ITEMS", 7)
    narrow = make_chain(LONG_LISTS, variant, [6], ())
    assert _draws(narrow.run_to(3_000)) == whole


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_trace_is_the_same_in_pieces(variant: Variant) -> None:
    """Pausing a chain changes no draw, and its state stays that of its list."""
    whole = make_chain(LONG_LISTS, variant, [7], ()).run_to(2_000)
    chain = make_chain(LONG_LISTS, variant, [7], ())
    pieces = join_runs([chain.run_to(n) for n in (1, 2, 40, 40, 1_111, 2_000)])
    assert _draws(pieces) == _draws(whole)
    state, m = chain._state, len(chain.antecedent_list)
    fresh = chain._state_at(chain.antecedent_list, len(state.antecedent_list))
    rows, fresh_rows = state.rows[: m + 1], fresh.rows[: m + 1]
    assert (state.captured[rows] == fresh.captured[fresh_rows]).all()
    assert (state.label_counts[rows] == fresh.label_counts[fresh_rows]).all()
    assert (state.log_likelihoods[rows] == fresh.log_likelihoods[fresh_rows]).all()
    assert state.log_posterior[0] == fresh.log_posterior[0]
    assert (state.in_list == fresh.in_list).all()
    assert (state.used == fresh.used).all()


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_presence_is_the_time_spent_in_the_list(variant: Variant) -> None:
    """What adaptation learns from is how many iterations began with each antecedent."""
    chain = make_chain(LONG_LISTS, variant, [8])
    draws = [d for d, *_ in _draws(chain.run_to(1_500))]
    tally, inside = chain._tally, chain._state.in_list
    presence = tally.presence + np.where(inside, tally.iteration[0] - tally.entered, 0)
    counted = np.zeros(LONG_LISTS.pool_size)
    for d in [chain.start, *draws[:-1]]:
        counted[list(d)] += 1
    assert (presence == counted).all()
