"""T1 of the options that weigh all positions: every kernel with them leaves its exact target."""

import pytest

from tests.sampler.cases import CASES, SMALL_CASES, Case
from tests.sampler.checks import EXACT
from tests.sampler.checks_positions import PositionBalance, position_balance
from tests.sampler.variants import TEMPERED_VARIANTS, VARIANTS, Variant

WITH_POSITIONS = {
    name: v for name, v in VARIANTS.items() if v.kernel.add_positioned and v.n_temperatures == 1
}
TEMPERED = {name: v for name, v in TEMPERED_VARIANTS.items() if name.endswith("-adapted")}


def assert_exact(result: PositionBalance) -> None:
    """To 1e-12, and accepted states bit for bit."""
    assert result.transitions < EXACT
    assert result.detailed_balance < EXACT
    assert result.invariance < EXACT
    assert result.n_wrong_states == 0


@pytest.mark.parametrize("variant", WITH_POSITIONS.values(), ids=WITH_POSITIONS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_positions_are_drawn_from_their_conditional(case: Case, variant: Variant) -> None:
    """Transitions are the reference's, flows are equal both ways, and the posterior stays."""
    assert_exact(position_balance(case, variant))


@pytest.mark.parametrize("variant", TEMPERED.values(), ids=TEMPERED)
@pytest.mark.parametrize("case", SMALL_CASES.values(), ids=SMALL_CASES)
def test_positions_at_every_temperature(case: Case, variant: Variant) -> None:
    """For every replica's own target, down to the prior, with what it has adapted to itself."""
    for temperature in range(variant.n_temperatures):
        assert_exact(position_balance(case, variant, temperature=temperature))


@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_positions_of_flattened_posteriors(beta: float) -> None:
    """With three labels, weights of antecedents that lose their digits, and exhaustion."""
    for name in ("three-labels", "lopsided-antecedents", "two-identical-covers"):
        assert_exact(position_balance(CASES[name], VARIANTS["untempered-adapted"], beta=beta))
