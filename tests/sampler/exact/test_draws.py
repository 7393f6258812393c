"""T3 and T4: draws against the enumeration."""

import numpy as np
import pytest

from tests.sampler.cases import CASES, SMALL_CASES, Case
from tests.sampler.checks import (
    FALSE_ALARM,
    exact_starts,
    lists_p,
    long_chain_p,
    many_chains_p,
)
from tests.sampler.variants import QUICK_VARIANTS, VARIANTS, Variant, make_chain

MANY_CHAINS = {
    name: CASES[name]
    for name in (
        "three-labels",
        "two-identical-covers",
        "nobody-and-everybody",
        "weighted-antecedents",
        "weighted-observations",
        "six-antecedents",
    )
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("case", MANY_CHAINS.values(), ids=MANY_CHAINS)
def test_chains_from_the_posterior_stay_in_it(case: Case, variant: Variant) -> None:
    """T3: the ends of 20,000 chains of 30 steps, chi-square, false-alarm rate 1e-6 each.

    The ends at every temperature are held against that temperature's target.
    """
    assert min(many_chains_p(case, variant, seed=3)) > FALSE_ALARM


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_seeded_chains_from_the_posterior_stay_in_it(variant: Variant) -> None:
    """T3 by 2,000 whole chains, seeded from (seed, k) as a fit does it; false-alarm rate 1e-6."""
    case = CASES["three-labels"]
    starts = exact_starts(case, variant, 2_000, np.random.default_rng(31))
    ends = []
    for k, (start, *replica_starts) in enumerate(zip(*starts, strict=True)):
        chain = make_chain(case, variant, [31, k], start, replica_starts=replica_starts)
        chain.run_to(50)  # the package's own time between swaps passes twice
        ends.append(chain.antecedent_list)
    assert lists_p(case, ends) > FALSE_ALARM


@pytest.mark.parametrize("variant", QUICK_VARIANTS.values(), ids=QUICK_VARIANTS)
@pytest.mark.parametrize("case", SMALL_CASES.values(), ids=SMALL_CASES)
def test_long_chain_s_means(case: Case, variant: Variant) -> None:
    """T4: m, inclusions and predicted probabilities of 60,000 draws.

    By the kernel's exact asymptotic covariance (with warmer replicas, by that of 200 independent
    chains), jointly and one by one, false-alarm rate 1e-6 for each problem and kernel.
    """
    assert long_chain_p(case, variant, seed=4) > FALSE_ALARM
