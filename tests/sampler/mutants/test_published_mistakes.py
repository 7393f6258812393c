"""The three published mistakes, put back into the package's compiled code, are caught.

A control runs every check on an unharmed copy in the same way: what is caught is the
mistake, not the copying.
"""

import numpy as np
import pytest

from elseif.sampler.compiled_problem import CompiledProblem
from tests.sampler import naive
from tests.sampler.cases import CASES, random_case
from tests.sampler.checks import (
    EXACT,
    FALSE_ALARM,
    LOG_TERM,
    balance,
    label_vector_deviation,
    long_chain_p,
    many_chains_p,
    term_deviations,
    without_constants,
)
from tests.sampler.drivers import Drivers, compiled_mutant, interpreted_mutant
from tests.sampler.mutants.cores import log_masses_subtracted, option_case_forgotten
from tests.sampler.variants import VARIANTS, Variant

# three labels and a cardinality that short lists exhaust
CASE = CASES["three-labels"]
VISIBLE = 1e-3
# additions and removals that weigh positions are not among the steps of balance: test_positions.py
WITH_REMOVALS = {name: v for name, v in VARIANTS.items() if v.kernel.remove}


# ------------------------------------------------------------------------ no mistake


def test_an_unharmed_copy_passes() -> None:
    """The interpreted copy meets the exact bounds when nothing is wrong."""
    drivers = interpreted_mutant()
    assert term_deviations(CASE, drivers=drivers).worst < LOG_TERM
    for variant in VARIANTS.values():
        deviations = balance(CASE, variant, drivers=drivers)
        assert deviations.worst_ratio < LOG_TERM
        assert max(deviations.detailed_balance, deviations.invariance) < EXACT
        assert deviations.n_wrong_states == 0


# ------------------------------------------------------ mistake 1: the prior's normaliser


@pytest.fixture(scope="module")
def wrong_normaliser() -> Drivers:
    return interpreted_mutant(log_normaliser=log_masses_subtracted(CASE))


def test_wrong_normaliser_is_caught_by_the_values(wrong_normaliser: Drivers) -> None:
    """T0: the prior of the lists no longer sums to 1."""
    deviations = term_deviations(CASE, drivers=wrong_normaliser)
    assert deviations.log_prior > VISIBLE
    assert deviations.prior_total > 0.5
    assert deviations.log_likelihood < LOG_TERM  # which the mistake does not touch


@pytest.mark.parametrize("variant", WITH_REMOVALS.values(), ids=WITH_REMOVALS)
def test_wrong_normaliser_is_caught_by_the_balance(
    wrong_normaliser: Drivers, variant: Variant
) -> None:
    """T1: the posterior is no longer invariant."""
    deviations = balance(CASE, variant, drivers=wrong_normaliser)
    assert deviations.log_prior_ratio > VISIBLE
    assert min(deviations.detailed_balance, deviations.invariance) > VISIBLE


def test_wrong_normaliser_is_the_reference_s() -> None:
    """The mutant makes the reference's mistake, to the last digits, hence nothing else."""
    model = CASE.model("log masses subtracted")
    drivers = interpreted_mutant(log_normaliser=log_masses_subtracted(CASE))
    assert term_deviations(CASE, drivers=drivers, model=model).log_prior < LOG_TERM


# -------------------------------------------------- mistake 2: the Dirichlet's constant


@pytest.fixture(scope="module")
def no_constants() -> CompiledProblem:
    return without_constants(CASE.compiled)


def test_dropped_constant_is_caught_by_the_values(no_constants: CompiledProblem) -> None:
    """T0 and T0b: likelihoods differ, and those of all label vectors do not sum to 1."""
    deviations = term_deviations(CASE, compiled=no_constants)
    assert deviations.log_likelihood > VISIBLE
    assert deviations.log_prior < LOG_TERM
    few_rows = random_case("few-rows", 21, (1, 1, 2), (1.0, 1.0, 1.0), n=4)
    assert label_vector_deviation(few_rows) < EXACT
    assert label_vector_deviation(few_rows, drop_constants=True) > VISIBLE


@pytest.mark.parametrize("variant", WITH_REMOVALS.values(), ids=WITH_REMOVALS)
def test_dropped_constant_is_caught_by_the_balance(
    no_constants: CompiledProblem, variant: Variant
) -> None:
    """T1, by the compiled code of the package.

    Kernels without plain removals replace rules, which leaves their number as it is: there the
    constant cancels, and the draws show the mistake.
    """
    deviations = balance(CASE, variant, compiled=no_constants)
    assert deviations.log_likelihood_ratio > VISIBLE
    assert min(deviations.detailed_balance, deviations.invariance) > VISIBLE


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_dropped_constant_is_caught_by_the_draws(
    no_constants: CompiledProblem, variant: Variant
) -> None:
    """T3 and T4, by the compiled code of the package, for every kernel."""
    assert many_chains_p(CASE, variant, seed=3, compiled=no_constants)[0] < FALSE_ALARM
    assert long_chain_p(CASE, variant, seed=4, compiled=no_constants) < FALSE_ALARM


def test_dropped_constant_is_the_reference_s(no_constants: CompiledProblem) -> None:
    """The mutant makes the reference's mistake, to the last digits, hence nothing else."""
    model = CASE.model("dropped constant")
    assert term_deviations(CASE, compiled=no_constants, model=model).log_likelihood < LOG_TERM


def test_dropped_constant_cannot_be_seen_with_two_labels_and_ones() -> None:
    """Why the problems need three labels or other pseudocounts: there the constant is 1."""
    case = CASES["two-labels"]
    assert term_deviations(case, compiled=without_constants(case.compiled)).worst < LOG_TERM


# ------------------------------------------------- mistake 3: options from length 2 to 1


@pytest.mark.parametrize("variant", WITH_REMOVALS.values(), ids=WITH_REMOVALS)
def test_forgotten_option_case_is_caught_by_the_balance(variant: Variant) -> None:
    """T1: the proposal ratio is wrong, and the posterior is no longer invariant.

    The more other options a kernel has, the less often it makes the mistake.
    """
    drivers = interpreted_mutant(log_proposal_ratio=option_case_forgotten())
    deviations = balance(CASE, variant, drivers=drivers)
    options = variant.tuning(CASE.pool_size).option_weights
    assert deviations.log_proposal_ratio > VISIBLE
    assert min(deviations.detailed_balance, deviations.invariance) > VISIBLE * 3 / options.sum()
    assert max(deviations.log_prior_ratio, deviations.log_likelihood_ratio) < LOG_TERM


def test_forgotten_option_case_takes_a_third_of_short_lists() -> None:
    """By the reference: lists of length 0 and 1 are under-weighted by a third.

    Exactly so where no removal from length 2 would be accepted with certainty, as here.
    """
    case = random_case("long-lists", 23, (2, 2, 2, 2), (1.0, 1.0), n=0, expected_length=10.0)
    model, pool_size = case.model(), case.pool_size
    proposals = VARIANTS["paper"].proposals(pool_size, "forgotten option case")
    matrix = naive.transition_matrix(model, naive.Neighbours(proposals, pool_size))
    values, vectors = np.linalg.eig(matrix.T)
    reached = np.real(vectors[:, np.argmax(np.real(values))])
    target = naive.posterior(model)
    relative = reached / np.array(list(target.values()))
    short = np.array([len(d) < 2 for d in target])
    np.testing.assert_allclose(relative[short] / relative[~short][0], 2 / 3, rtol=1e-9)
    np.testing.assert_allclose(relative[~short] / relative[~short][0], 1.0, rtol=1e-9)


# ----------------------------------------------------- the same, compiled and sampled


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["normaliser", "options"])
def test_compiled_mutants_are_caught_by_their_draws(mistake: str) -> None:
    """T3, by mutants that are compiled as the package is; tests/sampler/exact is their control.

    Kernels that mostly replace make the mistake in the options too seldom for their draws to
    show it; the balance does.
    """
    if mistake == "normaliser":
        drivers = compiled_mutant(log_normaliser=log_masses_subtracted(CASE))
    else:
        drivers = compiled_mutant(log_proposal_ratio=option_case_forgotten())
    for variant in VARIANTS.values():
        if mistake == "normaliser" or not variant.kernel.replace_by_neighbour:
            assert many_chains_p(CASE, variant, seed=3, drivers=drivers)[0] < FALSE_ALARM
