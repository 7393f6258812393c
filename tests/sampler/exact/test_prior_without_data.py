"""T5: with no observations, the draws follow the prior."""

from functools import cache

import numpy as np
import pytest

from elseif.sampler.chain import Chain
from elseif.sampler.move_mix import KERNELS, MoveMix
from tests.sampler import naive
from tests.sampler.cases import CASES, random_case
from tests.sampler.checks import FALSE_ALARM, at_both_ends, prior_p, prior_starts, run_from
from tests.sampler.variants import QUICK_VARIANTS, VARIANTS, Variant, lists_of

POOL_OF_8 = random_case(
    "pool-of-8",
    51,
    (1, 1, 2, 2, 2, 3, 5, 5),
    (1.0, 1.0, 1.0),
    n=0,
    expected_length=5.0,
    expected_cardinality=2.0,
)


def test_recursion_over_cardinalities_is_the_enumeration() -> None:
    """The reference's recursion gives what its enumeration gives."""
    case = CASES["six-antecedents"]
    model = case.model()
    exact = naive.used_prior(model)
    enumerated = dict.fromkeys(exact, 0.0)
    for d in naive.all_lists(case.pool_size):
        cardinalities = [case.cardinalities[a] for a in d]
        used = (cardinalities.count(1), cardinalities.count(3))
        enumerated[used] += np.exp(naive.log_prior(model, d))
    np.testing.assert_allclose(list(enumerated.values()), list(exact.values()), rtol=1e-12)


@cache
def _prior_draws(n: int) -> list[tuple[int, ...]]:
    """Lists from the prior, by the reference."""
    rng, model = np.random.default_rng(50), POOL_OF_8.model()
    return [naive.draw_from_prior(model, rng) for _ in range(n)]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_chains_without_data_stay_in_the_prior(variant: Variant) -> None:
    """T5: ends of 3,000 chains of 200 steps from prior draws, false-alarm rate 1e-6 each."""
    starts = prior_starts(POOL_OF_8, variant, _prior_draws(3_000), seed=54)
    for ends in at_both_ends(run_from(POOL_OF_8, variant, starts, 200, seed=55)):
        assert prior_p(POOL_OF_8, ends) > FALSE_ALARM


@pytest.mark.parametrize("variant", QUICK_VARIANTS.values(), ids=QUICK_VARIANTS)
def test_chains_without_data_reach_the_prior(variant: Variant) -> None:
    """T5: ends of 3,000 chains of 300 steps from empty lists, false-alarm rate 1e-6 each."""
    starts = [[()] * 3_000] * variant.n_temperatures
    for ends in at_both_ends(run_from(POOL_OF_8, variant, starts, 300, seed=5)):
        assert prior_p(POOL_OF_8, ends) > FALSE_ALARM


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_whole_runs_without_data_stay_in_the_prior(kernel: MoveMix) -> None:
    """T5: last draws of 1,000 chains run as a fit runs them, false-alarm rate 1e-6.

    Every temperature's target is then the prior, from which every list starts. An adaptation leaves
    its mark on the list that taught it, so 250 steps follow the last one.
    """
    ends = []
    for k in range(1_000):
        seed = np.random.SeedSequence([56, k])
        runs = Chain(POOL_OF_8.compiled, kernel, seed).run(500)
        assert runs.n_draws.sum() == 250
        ends.append(lists_of(runs)[-1])
    assert prior_p(POOL_OF_8, ends) > FALSE_ALARM


def test_starting_lists_follow_the_prior() -> None:
    """T5: 6,000 draws of ListPrior.draw, false-alarm rate 1e-6."""
    rng = np.random.default_rng(5)
    drawn = [tuple(POOL_OF_8.problem.prior.draw(rng)) for _ in range(6_000)]
    assert prior_p(POOL_OF_8, drawn) > FALSE_ALARM
