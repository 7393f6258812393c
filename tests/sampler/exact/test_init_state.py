"""Lists entered in a state: as bit by bit, in a replica of their own, to the last digit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from elseif.sampler.init_state import init_replica, new_state
from tests.sampler import naive
from tests.sampler.cases import CASES, Case
from tests.sampler.drivers import production

N_REPLICAS = 3


@pytest.mark.parametrize("is_lazy", [False, True], ids=["own-covers", "lazy-covers"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_list_is_entered_as_bit_by_bit(case: Case, is_lazy: bool) -> None:
    """Each list in turn over what the replica had before; the others stay as they are."""
    case = dataclasses.replace(case, is_lazy=is_lazy)
    posed = case.compiled
    ours, theirs = (new_state(posed, [()] * N_REPLICAS, case.pool_size) for _ in range(2))
    lists = naive.all_lists(case.pool_size)
    np.random.default_rng(0).shuffle(lists)
    for i, antecedent_list in enumerate(lists):
        r = i % N_REPLICAS
        init_replica(posed, ours, r, antecedent_list)
        items = np.array(antecedent_list, dtype=np.int64)
        production().enter_list(posed.data, posed.prior, theirs, r, items)
        np.testing.assert_array_equal(ours.length, theirs.length)
        np.testing.assert_array_equal(ours.log_posterior, theirs.log_posterior)
        np.testing.assert_array_equal(ours.rows, theirs.rows)
        np.testing.assert_array_equal(ours.in_list, theirs.in_list)
        np.testing.assert_array_equal(ours.used, theirs.used)
        for s, length in enumerate(ours.length):
            rows = ours.rows[s, : length + 1]
            items = ours.antecedent_list[s, :length], theirs.antecedent_list[s, :length]
            np.testing.assert_array_equal(*items)
            for name in ("captured", "label_counts", "log_likelihoods"):
                np.testing.assert_array_equal(
                    getattr(ours, name)[rows], getattr(theirs, name)[rows], name
                )
