"""The dropped constant is caught by the tests on the joint distribution as well."""

import pytest

from tests.sampler.checks import without_constants
from tests.sampler.statistical.test_joint_distribution import (
    CASE,
    FALSE_ALARM,
    calibration_p,
    geweke_p,
)
from tests.sampler.variants import VARIANTS


@pytest.mark.slow
def test_dropped_constant_is_caught_by_geweke() -> None:
    """T6 by the compiled code of the package, without the Dirichlet's constant."""
    variant = VARIANTS["paper"]
    p = geweke_p(CASE, variant, 6, n_rounds=12_000, n_batches=60, mutate=without_constants)
    assert p < FALSE_ALARM


@pytest.mark.slow
def test_dropped_constant_is_caught_by_calibration() -> None:
    """T7 by the compiled code of the package, without the Dirichlet's constant."""
    p = calibration_p(CASE, VARIANTS["paper"], 7, n_data_sets=1_000, mutate=without_constants)
    assert p < FALSE_ALARM
