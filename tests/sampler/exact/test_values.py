"""T0 and T0b: the package's prior and likelihood against the reference, list by list."""

import math

import numpy as np
import pytest

from elseif.sampler import compiled_problem
from elseif.sampler.compiled_problem import CompiledProblem
from tests.sampler import naive
from tests.sampler.cases import CASES, Case, random_case
from tests.sampler.checks import EXACT, LOG_TERM, label_vector_deviation, term_deviations
from tests.sampler.variants import log_terms


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_list_has_the_reference_s_prior_and_likelihood(case: Case) -> None:
    """T0: log prior, log likelihood, log posterior and label counts, to 1e-9.

    The package's p(d | m) sums to 1 over the lists of every length m, to 1e-12.
    """
    deviations = term_deviations(case)
    assert deviations.worst < LOG_TERM
    assert deviations.prior_total < EXACT


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_reference_s_prior_sums_to_one(case: Case) -> None:
    """The reference's p(d, m) sums to p(m) over the lists of every length m, to 1e-12."""
    totals = [0.0] * (case.pool_size + 1)
    for d, (log_prior, _) in log_terms(case).items():
        totals[len(d)] += math.exp(log_prior)
    np.testing.assert_allclose(totals, naive.length_prior(case.model()), rtol=EXACT)


@pytest.mark.parametrize("name", ["three-labels", "weighted-observations", "fractional-weights"])
def test_counts_beyond_the_table_are_computed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """T0 holds as well where log Gamma is no longer looked up."""
    monkeypatch.setattr(compiled_problem, "LONGEST_TABLE", 3)
    short = CompiledProblem.of(CASES[name].problem)
    assert short.data.log_pochhammer.shape[1] == 3
    assert term_deviations(CASES[name], compiled=short).worst < LOG_TERM


def test_integer_weight_equals_repetition() -> None:
    """An observation of weight k has the posterior of k observations, to the last digit."""
    case = CASES["weighted-observations"]
    assert case.weights is not None
    rows = np.repeat(np.arange(len(case.labels)), case.weights)
    repeated = Case(
        "repeated",
        case.truths[:, rows],
        case.labels[rows],
        case.cardinalities,
        case.pseudocounts,
        case.expected_length,
        case.expected_cardinality,
    )
    assert term_deviations(repeated).worst < LOG_TERM
    for d in naive.all_lists(case.pool_size):
        assert naive.label_counts(case.model(), d) == naive.label_counts(repeated.model(), d)
    assert (repeated.compiled.data.log_pochhammer == case.compiled.data.log_pochhammer).all()


@pytest.mark.parametrize("pseudocounts", [(1.0, 1.0), (0.5, 2.0), (1.0, 1.0, 1.0), (0.4, 1.3, 2.0)])
def test_likelihood_sums_to_one_over_label_vectors(pseudocounts: tuple[float, ...]) -> None:
    """T0b: sum over all label vectors of p(y | x, d) is 1 for every list, to 1e-12."""
    case = random_case("few-rows", 21, (1, 1, 2), pseudocounts, n=5)
    assert label_vector_deviation(case) < EXACT
