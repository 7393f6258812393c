"""T2: what is proposed, and how often."""

import itertools

import numpy as np
import pytest

from elseif.compiled import OPTION_NAMES
from elseif.compiled.moves.additions import choose_addition
from elseif.compiled.moves.options import choose_option, option_probability, propose
from tests.sampler import naive
from tests.sampler.cases import CASES, random_case
from tests.sampler.checks import FALSE_ALARM, proposal_p
from tests.sampler.variants import VARIANTS, Variant, state_at

POOLS = {name: CASES[name] for name in ("one-antecedent", "three-labels", "six-antecedents")}
# every kernel at its coldest, and at its warmest where there are several temperatures
PLACES = {
    f"{name}-{t}": (variant, t)
    for name, variant in VARIANTS.items()
    for t in sorted({0, variant.n_temperatures - 1})
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("name", POOLS)
def test_proposals_follow_the_enumerated_distribution(name: str, variant: Variant) -> None:
    """T2: 20,000 proposals from each length, false-alarm rate 1e-6 a pool and temperature."""
    for temperature in range(variant.n_temperatures):
        assert proposal_p(POOLS[name], variant, seed=2, temperature=temperature) > FALSE_ALARM


@pytest.mark.parametrize(("variant", "temperature"), PLACES.values(), ids=PLACES)
def test_uniforms_are_cut_where_the_probabilities_say(variant: Variant, temperature: int) -> None:
    """On a fine grid of uniforms, options and additions get their share to the grid's width."""
    case = random_case("wide-pool", 22, (1, 2) * 10, (1.0, 1.0))
    proposals = variant.proposals(20, temperature=temperature)
    tuning = variant.tuning(20)
    n_cells = 20_000
    grid = (np.arange(n_cells) + 0.5) / n_cells
    for d in [(), (7,), (19, 0), (3, 2, 1, 0), tuple(range(1, 20))]:
        state, r = state_at(case, variant, d, temperature)
        options = naive.possible_options(proposals, len(d), 20)
        result = [choose_option(tuning.option_weights, len(d), 20, u) for u in grid[::100]]
        shares = np.bincount(result, minlength=len(OPTION_NAMES)) / len(result)
        expected = [options.get(option, 0.0) for option in OPTION_NAMES]
        assert np.abs(shares - expected).max() <= 1.01 / len(result)
        chosen = [choose_addition(tuning, state, temperature, r, u) for u in grid[::4]]
        assert not set(chosen) & set(d)
        outside = np.array(proposals.addition_weights)
        outside[list(d)] = 0.0
        shares = np.bincount(chosen, minlength=20) / len(chosen)
        assert np.abs(shares - outside / outside.sum()).max() <= 1.01 / len(chosen)


@pytest.mark.parametrize(("variant", "temperature"), PLACES.values(), ids=PLACES)
def test_extreme_uniforms_give_possible_steps(variant: Variant, temperature: int) -> None:
    """The first and the last uniforms that can be drawn lead to steps of the enumeration."""
    case = CASES["two-labels"]
    proposals = variant.proposals(4, temperature=temperature)
    tuning = variant.tuning(4)
    extremes = (0.0, np.nextafter(1.0, 0.0))
    for d in naive.all_lists(4):
        state, r = state_at(case, variant, d, temperature)
        steps = {(s.option, s.position, s.target) for s in naive.steps_from(proposals, d, 4)}
        for uniforms in itertools.product(extremes, repeat=3):
            option, position, target = propose(tuning, state, temperature, r, *uniforms)
            assert (OPTION_NAMES[option], position, target) in steps


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("pool_size", [1, 2, 3, 60])
def test_additions_are_frozen_probabilities(pool_size: int, variant: Variant) -> None:
    """Addition weights are positive and sum to 1; adapted ones are not uniform."""
    tuning = variant.tuning(pool_size)
    assert (tuning.addition_weights > 0).all()
    np.testing.assert_allclose(tuning.addition_weights.sum(axis=1), 1.0, rtol=1e-12)
    assert tuning.uniform != variant.has_adapted
    if variant.has_adapted and pool_size > 1:
        assert (np.ptp(tuning.addition_weights, axis=1) > 0.1 / pool_size).all()


def test_impossible_options_have_no_probability() -> None:
    """At lengths 0 and 1 and with the whole pool; the others share all of it."""
    weights = VARIANTS["every-move"].tuning(3).option_weights
    for length, possible in (
        (0, {"add", "add and position"}),
        (1, set(OPTION_NAMES) - {"move"}),
        (3, {"move", "remove", "remove or reposition"}),
    ):
        probabilities = [option_probability(weights, o, length, 3) for o in range(len(weights))]
        assert {n for n, p in zip(OPTION_NAMES, probabilities, strict=True) if p > 0} == possible
        assert sum(probabilities) == pytest.approx(1.0)
