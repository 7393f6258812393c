"""Mistakes of tempering, put into the package's kernels, are caught."""

import pytest

from elseif import kernels
from tests.checks_sampler import (
    EXACT,
    FALSE_ALARM,
    LOG_TERM,
    exchange_balance,
    long_chain_p,
    many_chains_p,
    proposal_p,
    trace_faults,
)
from tests.helpers_sampler import CASES, VARIANTS
from tests.mutants.cores import (
    companions_recorded,
    compiled_core,
    compiled_mutant,
    interpreted_core,
    interpreted_mutant,
    learnt_everywhere,
    running_chains,
    wrong_exchange,
)

CASE = CASES["three-labels"]
TEMPERED, LEARNT = VARIANTS["tempered"], VARIANTS["tempered-learnt"]
VISIBLE = 1e-3
WRONG_EXCHANGES = {
    "wrong sign": wrong_exchange(-1.0, always=False),
    "without acceptance": wrong_exchange(1.0, always=True),
}


def test_an_unharmed_copy_passes() -> None:
    """The controls of the checks below, by an interpreted copy with nothing wrong."""
    rewritten = interpreted_mutant(exchange_lists=wrong_exchange(1.0, always=False))
    for drivers in (rewritten, interpreted_mutant()):
        found = exchange_balance(CASE, TEMPERED, 0, drivers)
        assert found.acceptance < LOG_TERM
        assert max(found.balance, found.invariance) < EXACT
        assert found.n_wrong == 0
    p = proposal_p(CASE, LEARNT, 2, n_proposals=4_000, temperature=1, drivers=drivers)
    assert p > FALSE_ALARM
    with running_chains(interpreted_core()):
        faults, n_exchanges = trace_faults(CASE, TEMPERED, 100, 93)
    assert faults == 0
    assert n_exchanges > 10


@pytest.mark.parametrize("mistake", WRONG_EXCHANGES)
def test_wrong_exchange_is_caught_by_the_balance(mistake: str) -> None:
    """The share of uniforms that exchange is wrong, and the targets no longer stay."""
    drivers = interpreted_mutant(exchange_lists=WRONG_EXCHANGES[mistake])
    for temperature in range(2):
        found = exchange_balance(CASE, TEMPERED, temperature, drivers)
        assert min(found.acceptance, found.balance, found.invariance) > VISIBLE


def test_recorded_companions_are_caught_by_the_trace() -> None:
    """Draws are no longer what the coldest list became."""
    with running_chains(interpreted_core(step=companions_recorded(interpreted_core()))):
        faults, _ = trace_faults(CASE, TEMPERED, 100, 93)
    assert faults > 10


def test_learnt_additions_of_companions_are_caught_by_the_proposals() -> None:
    """T2 at a warmer temperature, which has weights of its own in the Hastings ratio."""
    drivers = interpreted_mutant(choose_addition=learnt_everywhere())
    p = proposal_p(CASE, LEARNT, 2, n_proposals=4_000, temperature=1, drivers=drivers)
    assert p < FALSE_ALARM
    # at the coldest, the mutant is right
    assert proposal_p(CASE, LEARNT, 2, n_proposals=4_000, drivers=drivers) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("mistake", WRONG_EXCHANGES)
def test_wrong_exchange_is_caught_by_the_draws(mistake: str) -> None:
    """T3 at the coldest temperature, by a compiled mutant; the warmest may not show it."""
    drivers = compiled_mutant(exchange_lists=WRONG_EXCHANGES[mistake])
    assert many_chains_p(CASE, TEMPERED, seed=3, drivers=drivers)[0] < FALSE_ALARM


@pytest.mark.slow
def test_learnt_additions_of_companions_are_caught_by_the_draws() -> None:
    """T3 at a warmer temperature, by a compiled mutant."""
    drivers = compiled_mutant(choose_addition=learnt_everywhere())
    assert min(many_chains_p(CASE, LEARNT, seed=3, drivers=drivers)[1:]) < FALSE_ALARM
    assert min(many_chains_p(CASE, TEMPERED, seed=3, drivers=drivers)) > FALSE_ALARM


@pytest.mark.slow
def test_recorded_companions_are_caught_by_the_means() -> None:
    """T4 by a compiled mutant: the companions' targets are flatter.

    Short chains: the mutant does not ask whether there is room for what it writes.
    """
    with running_chains(compiled_core(step=companions_recorded(kernels))):
        assert long_chain_p(CASE, TEMPERED, seed=4, n_iter=6_000) < FALSE_ALARM
