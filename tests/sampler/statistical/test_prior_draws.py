"""T5 on a pool too large to enumerate: draws without data follow the prior."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from tests.sampler import naive
from tests.sampler.cases import random_case
from tests.sampler.checks import FALSE_ALARM, at_both_ends, prior_p, prior_starts, run_from
from tests.sampler.variants import VARIANTS, Variant

POOL_OF_60 = random_case(
    "pool-of-60",
    71,
    (1,) * 12 + (2,) * 40 + (3,) * 4 + (5,) * 4,
    (1.0, 1.0),
    n=0,
    expected_length=6.0,
    expected_cardinality=2.0,
)
WEIGHTED = dataclasses.replace(
    POOL_OF_60,
    name="weighted-pool-of-60",
    antecedent_weights=tuple(np.random.default_rng(72).gamma(1.0, size=60).tolist()),
)
POOLS = {case.name: case for case in (POOL_OF_60, WEIGHTED)}


@cache
def _prior_draws(name: str) -> list[tuple[int, ...]]:
    """Lists from the prior, by the reference."""
    rng, model = np.random.default_rng(74), POOLS[name].model()
    return [naive.draw_from_prior(model, rng) for _ in range(2_000)]


@pytest.mark.parametrize("name", POOLS)
def test_reference_draws_follow_the_prior(name: str) -> None:
    """T5 for the reference's own draws, with which the chains start; false-alarm rate 1e-6."""
    assert prior_p(POOLS[name], _prior_draws(name)) > FALSE_ALARM


@pytest.mark.parametrize("name", POOLS)
def test_starting_lists_follow_the_prior(name: str) -> None:
    """T5: 4,000 draws of ListPrior.draw, false-alarm rate 1e-6 each."""
    rng = np.random.default_rng(73)
    drawn = [tuple(POOLS[name].problem.prior.draw(rng)) for _ in range(4_000)]
    assert prior_p(POOLS[name], drawn) > FALSE_ALARM


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("name", POOLS)
def test_chains_without_data_stay_in_the_prior(name: str, variant: Variant) -> None:
    """T5: ends of 2,000 chains of 200 steps from prior draws, false-alarm rate 1e-6 each.

    Weights of antecedents are tempered with the likelihood, so that warmer replicas of a weighted
    pool do not keep the prior that they start from here. Such chains get ten times as many steps
    to forget their starts, and the coldest ends, which must follow the prior, are compared.
    """
    case = POOLS[name]
    starts = prior_starts(case, variant, _prior_draws(name), seed=76)
    if name == WEIGHTED.name and variant.n_temperatures > 1:
        coldest, *_ = run_from(case, variant, starts, 2_000, seed=75)
        assert prior_p(case, coldest) > FALSE_ALARM
        return
    for ends in at_both_ends(run_from(case, variant, starts, 200, seed=75)):
        assert prior_p(case, ends) > FALSE_ALARM
