"""Mistakes that are easily made with positions drawn from their conditional are caught."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from elseif.compiled.moves.options import ADD_POSITIONED, REMOVE_OR_REPOSITION
from tests.sampler.cases import CASES
from tests.sampler.checks_positions import position_balance
from tests.sampler.core import package_core
from tests.sampler.drivers import interpreted_mutant
from tests.sampler.mutants.cores import log_masses_subtracted
from tests.sampler.variants import VARIANTS

# a cardinality runs out, and antecedents have weights
CASE, VARIANT = CASES["three-weighted"], VARIANTS["untempered-adapted"]
VISIBLE = 1e-4


def positions_not_counted() -> Callable:
    """log_proposal_ratio, as if an antecedent were removed without being chosen among others."""
    right = package_core().log_proposal_ratio

    def log_proposal_ratio(tuning, state, t, r, option, position, target):
        value = right(tuning, state, t, r, option, position, target)
        if option == ADD_POSITIONED:
            value += math.log(state.length[r] + 1)
        if option == REMOVE_OR_REPOSITION:
            value -= math.log(state.length[r])
        return value

    return log_proposal_ratio


def only_the_best(state, last, largest):
    """add_up_positions, whose sum is that of the most probable position alone."""
    for p in range(last + 1):
        state.position_weights[p] = math.exp(state.position_weights[p] - largest)
    return 1.0


def last_forgotten(state, last, largest):
    """add_up_positions, without the position behind the last rule."""
    total = 0.0
    for p in range(last + 1):
        weight = math.exp(state.position_weights[p] - largest)
        state.position_weights[p] = weight
        total += weight if p < max(last, 1) else 0.0
    return total


def uniform_position(state, last, total, u):
    """choose_position, whatever the posterior says."""
    return min(int(u * (last + 1)), last)


def order_is_nothing(prior, beta, state, antecedent, p):
    """log_prior_if_earlier, as if no prior depended on the order."""
    return 0.0


MISTAKES = {
    "positions not counted": ("log_proposal_ratio", positions_not_counted()),
    "only the best position": ("add_up_positions", only_the_best),
    "last position forgotten": ("add_up_positions", last_forgotten),
    "position drawn uniformly": ("choose_position", uniform_position),
    "order of the prior ignored": ("log_prior_if_earlier", order_is_nothing),
    "log masses subtracted": ("log_normaliser", log_masses_subtracted(CASE)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_with_positions_are_caught(mistake: str) -> None:
    """Transitions are not the reference's, and the posterior is no longer invariant."""
    name, wrong = MISTAKES[mistake]
    deviations = position_balance(CASE, VARIANT, drivers=interpreted_mutant(**{name: wrong}))
    assert deviations.transitions > VISIBLE
    assert max(deviations.detailed_balance, deviations.invariance) > VISIBLE


def test_an_unharmed_copy_passes() -> None:
    """The same interpreted copy meets the bound where nothing is wrong."""
    deviations = position_balance(CASE, VARIANT, drivers=interpreted_mutant())
    assert max(deviations.transitions, deviations.detailed_balance, deviations.invariance) < 1e-12
    assert deviations.n_wrong_states == 0
