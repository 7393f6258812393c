"""T1: every kernel leaves the exact posterior invariant, step by step."""

import pytest

from tests.sampler.cases import CASES, SMALL_CASES, Case
from tests.sampler.checks import EXACT, LOG_TERM, balance
from tests.sampler.variants import TEMPERED_VARIANTS, VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_detailed_balance(case: Case, variant: Variant) -> None:
    """T1: on every pair of neighbours flows are equal, and the posterior stays, to 1e-12.

    Every ratio that a step is judged by is that of the reference, and an accepted state is
    bit for bit what the new list freshly entered gives, beside other lists left as they were.
    """
    deviations = balance(case, variant)
    assert deviations.worst_ratio < LOG_TERM
    assert deviations.detailed_balance < EXACT
    assert deviations.invariance < EXACT
    assert deviations.n_wrong_states == 0


@pytest.mark.parametrize("beta", [0.0, 0.3])
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_detailed_balance_of_flattened_posteriors(variant: Variant, beta: float) -> None:
    """T1 for a flattened posterior, to 1e-12; at an inverse temperature of 0 it is the prior."""
    deviations = balance(CASES["three-labels"], variant, beta=beta)
    assert deviations.worst_ratio < LOG_TERM
    assert max(deviations.detailed_balance, deviations.invariance) < EXACT
    assert deviations.n_wrong_states == 0


ADAPTED = [v for name, v in TEMPERED_VARIANTS.items() if name.endswith("-adapted")]


@pytest.mark.parametrize("variant", ADAPTED, ids=lambda variant: variant.name)
@pytest.mark.parametrize("case", SMALL_CASES.values(), ids=SMALL_CASES)
def test_detailed_balance_at_warmer_temperatures(case: Case, variant: Variant) -> None:
    """T1 for every warmer replica's own target, to 1e-12, with what it has adapted to itself."""
    for temperature in range(1, variant.n_temperatures):
        deviations = balance(case, variant, temperature=temperature)
        assert deviations.worst_ratio < LOG_TERM
        assert max(deviations.detailed_balance, deviations.invariance) < EXACT
        assert deviations.n_wrong_states == 0
