"""T1: every kernel leaves the exact posterior invariant, step by step."""

import pytest

from tests.checks_sampler import EXACT, LOG_TERM, balance
from tests.helpers_sampler import CASES, SMALL_CASES, TEMPERED_VARIANTS, VARIANTS, Case, Variant


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_detailed_balance(case: Case, variant: Variant) -> None:
    """T1: on every pair of neighbours flows are equal, and the posterior stays, to 1e-12.

    Every ratio that a step is judged by is that of the reference, and an accepted state is
    bit for bit what the new list freshly entered gives, beside other lists left as they were.
    """
    found = balance(case, variant)
    assert found.worst_ratio < LOG_TERM
    assert found.detailed_balance < EXACT
    assert found.invariance < EXACT
    assert found.n_wrong_states == 0


@pytest.mark.parametrize("coldness", [0.0, 0.3])
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_detailed_balance_while_warming_up(variant: Variant, coldness: float) -> None:
    """T1 for a flattened posterior, to 1e-12; at coldness 0 it is the prior."""
    found = balance(CASES["three-labels"], variant, coldness=coldness)
    assert found.worst_ratio < LOG_TERM
    assert max(found.detailed_balance, found.invariance) < EXACT
    assert found.n_wrong_states == 0


LEARNT = [v for name, v in TEMPERED_VARIANTS.items() if name.endswith("-learnt")]


@pytest.mark.parametrize("variant", LEARNT, ids=lambda variant: variant.name)
@pytest.mark.parametrize("case", SMALL_CASES.values(), ids=SMALL_CASES)
def test_detailed_balance_at_warmer_temperatures(case: Case, variant: Variant) -> None:
    """T1 for every companion's own target, to 1e-12, with what it has learnt itself."""
    for temperature in range(1, variant.n_temperatures):
        found = balance(case, variant, temperature=temperature)
        assert found.worst_ratio < LOG_TERM
        assert max(found.detailed_balance, found.invariance) < EXACT
        assert found.n_wrong_states == 0
