"""Mistakes of tempering, put into the package's compiled code, are caught."""

import pytest

from tests.sampler.cases import CASES, random_case
from tests.sampler.checks import (
    EXACT,
    FALSE_ALARM,
    LOG_TERM,
    long_chain_p,
    many_chains_p,
    proposal_p,
    swap_balance,
    trace_faults,
)
from tests.sampler.core import compiled_core, interpreted_core, package_core, running_chains
from tests.sampler.drivers import compiled_mutant, interpreted_mutant
from tests.sampler.mutants.cores import (
    adapted_everywhere,
    replicas_recorded,
    swap_by_likelihood,
    swap_by_log_posterior,
    wrong_swap,
)
from tests.sampler.variants import VARIANTS

CASE = CASES["three-labels"]
WEIGHTED = random_case("weights", 6, (1, 1, 2), (1.0, 1.0), antecedent_weights=(0.2, 5, 1))
TEMPERED, ADAPTED = VARIANTS["tempered"], VARIANTS["tempered-adapted"]
VISIBLE = 1e-3
WRONG_SWAPS = {
    "wrong sign": wrong_swap(-1.0, always=False),
    "without acceptance": wrong_swap(1.0, always=True),
    "tempered prior": swap_by_log_posterior(),
}


def test_an_unharmed_copy_passes() -> None:
    """The controls of the checks below, by an interpreted copy with nothing wrong."""
    rewritten = interpreted_mutant(swap_lists=wrong_swap(1.0, always=False))
    for drivers in (rewritten, interpreted_mutant()):
        deviations = swap_balance(CASE, TEMPERED, 0, drivers)
        assert deviations.acceptance < LOG_TERM
        assert max(deviations.balance, deviations.invariance) < EXACT
        assert deviations.n_wrong == 0
    p = proposal_p(CASE, ADAPTED, 2, n_proposals=4_000, temperature=1, drivers=drivers)
    assert p > FALSE_ALARM
    with running_chains(interpreted_core()):
        faults, n_swaps = trace_faults(CASE, TEMPERED, 100, 93)
    assert faults == 0
    assert n_swaps > 10


@pytest.mark.parametrize("mistake", WRONG_SWAPS)
def test_wrong_swap_is_caught_by_the_balance(mistake: str) -> None:
    """The share of uniforms that swap is wrong, and the targets no longer stay."""
    drivers = interpreted_mutant(swap_lists=WRONG_SWAPS[mistake])
    for temperature in range(2):
        deviations = swap_balance(CASE, TEMPERED, temperature, drivers)
        assert min(deviations.acceptance, deviations.balance, deviations.invariance) > VISIBLE


def test_swaps_that_ignore_the_weights_of_the_prior_are_caught_by_the_balance() -> None:
    """Steps temper what antecedent weights do to the prior, and such swaps do not."""
    drivers = interpreted_mutant(swap_lists=swap_by_likelihood())
    deviations = swap_balance(WEIGHTED, TEMPERED, 0, drivers)
    assert min(deviations.acceptance, deviations.balance, deviations.invariance) > VISIBLE
    # without such weights, the mutant is right
    assert swap_balance(CASE, TEMPERED, 0, drivers).acceptance < LOG_TERM


def test_recorded_replicas_are_caught_by_the_trace() -> None:
    """Draws are no longer what the coldest list became."""
    with running_chains(interpreted_core(step=replicas_recorded(interpreted_core()))):
        faults, _ = trace_faults(CASE, TEMPERED, 100, 93)
    assert faults > 10


def test_adapted_additions_of_replicas_are_caught_by_the_proposals() -> None:
    """T2 at a warmer temperature, which has weights of its own in the Hastings ratio."""
    drivers = interpreted_mutant(choose_addition=adapted_everywhere())
    p = proposal_p(CASE, ADAPTED, 2, n_proposals=4_000, temperature=1, drivers=drivers)
    assert p < FALSE_ALARM
    # at the coldest, the mutant is right
    assert proposal_p(CASE, ADAPTED, 2, n_proposals=4_000, drivers=drivers) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("mistake", WRONG_SWAPS)
def test_wrong_swap_is_caught_by_the_draws(mistake: str) -> None:
    """T3 at the coldest temperature, by a compiled mutant; the warmest may not show it."""
    drivers = compiled_mutant(swap_lists=WRONG_SWAPS[mistake])
    assert many_chains_p(CASE, TEMPERED, seed=3, drivers=drivers)[0] < FALSE_ALARM


@pytest.mark.slow
def test_adapted_additions_of_replicas_are_caught_by_the_draws() -> None:
    """T3 at a warmer temperature, by a compiled mutant."""
    drivers = compiled_mutant(choose_addition=adapted_everywhere())
    assert min(many_chains_p(CASE, ADAPTED, seed=3, drivers=drivers)[1:]) < FALSE_ALARM
    assert min(many_chains_p(CASE, TEMPERED, seed=3, drivers=drivers)) > FALSE_ALARM


@pytest.mark.slow
def test_recorded_replicas_are_caught_by_the_means() -> None:
    """T4 by a compiled mutant: the warmer replicas' targets are flatter.

    Short chains: the mutant does not ask whether there is room for what it writes.
    """
    with running_chains(compiled_core(step=replicas_recorded(package_core()))):
        assert long_chain_p(CASE, TEMPERED, seed=4, n_iter=6_000) < FALSE_ALARM
