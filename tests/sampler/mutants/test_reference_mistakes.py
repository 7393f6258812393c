"""Mistakes switched on in the reference show that each check is sensitive to its kind.

The package is right (tests/sampler/exact); so a wrong reference must disagree with it, and a wrong
Metropolis-Hastings step must move the right posterior.
"""

import numpy as np
import pytest

from tests.sampler import naive
from tests.sampler.cases import random_case
from tests.sampler.checks import EXACT, FALSE_ALARM, LOG_TERM, largest, proposal_p, term_deviations
from tests.sampler.variants import VARIANTS, neighbours, posterior

OF_PRIOR = {
    "log masses subtracted",
    "exhausted cardinality kept",
    "drawn with replacement",
    "length not truncated",
    "weights forgotten",
}
OF_LIKELIHOOD = {
    "dropped constant",
    "default rule forgotten",
    "cover for captured",
    "last rule wins",
}
OF_PROPOSALS = {
    "forgotten option case",
    "no Hastings ratio",
    "equal option probabilities",
    "additions not weighed",
    "never added last",
}
VISIBLE = 1e-4
# normalising constants cannot move a Markov chain
INVISIBLE_TO_A_CHAIN = {"length not truncated"}
# exhaustion, weights, three labels and uneven pseudocounts at once
CASE = random_case(
    "everything",
    61,
    (1, 1, 2, 3),
    (1.0, 0.5, 2.0),
    n=12,
    antecedent_weights=(0.5, 2.0, 1.0, 1.0),
)
ADAPTED = VARIANTS["every-move-adapted"]


def test_every_mistake_is_tried() -> None:
    """The lists here name the reference's mistakes, each once."""
    assert len(OF_PRIOR) + len(OF_LIKELIHOOD) + len(OF_PROPOSALS) == len(naive.MISTAKES)
    assert set(naive.MISTAKES) == OF_PRIOR | OF_LIKELIHOOD | OF_PROPOSALS


@pytest.mark.parametrize("mistake", sorted(OF_PRIOR))
def test_mistakes_of_the_prior_disagree_with_the_package(mistake: str) -> None:
    """T0 compares log priors list by list."""
    assert term_deviations(CASE).worst < LOG_TERM
    deviations = term_deviations(CASE, model=CASE.model(mistake))
    assert min(deviations.log_prior, deviations.model_log_prior) > VISIBLE
    assert deviations.log_likelihood < LOG_TERM


@pytest.mark.parametrize("mistake", sorted(OF_LIKELIHOOD))
def test_mistakes_of_the_likelihood_disagree_with_the_package(mistake: str) -> None:
    """T0 compares log likelihoods list by list."""
    deviations = term_deviations(CASE, model=CASE.model(mistake))
    assert deviations.log_likelihood > VISIBLE
    assert deviations.log_prior < LOG_TERM


@pytest.mark.parametrize("mistake", sorted((OF_PRIOR | OF_LIKELIHOOD) - INVISIBLE_TO_A_CHAIN))
def test_mistakes_of_the_target_move_the_posterior(mistake: str) -> None:
    """T1: a chain for a wrong target does not leave the right posterior as it is."""
    near = neighbours(VARIANTS["paper"], CASE.pool_size)
    target = np.array(list(posterior(CASE).values()))
    right = naive.transition_matrix(CASE.model(), near)
    wrong = naive.transition_matrix(CASE.model(mistake), near)
    assert largest(target @ right - target) < EXACT
    assert largest(target @ wrong - target) > VISIBLE


@pytest.mark.parametrize("mistake", sorted(OF_PROPOSALS - {"never added last"}))
def test_mistakes_of_the_proposals_move_the_posterior(mistake: str) -> None:
    """T1: a wrong Hastings ratio does not leave the right posterior as it is."""
    model, pool_size = CASE.model(), CASE.pool_size
    target = np.array(list(posterior(CASE).values()))
    right = naive.transition_matrix(model, neighbours(ADAPTED, pool_size))
    wrong = naive.Neighbours(ADAPTED.proposals(pool_size, mistake), pool_size)
    assert largest(target @ right - target) < EXACT
    assert largest(target @ naive.transition_matrix(model, wrong) - target) > VISIBLE


def test_a_position_never_proposed_disagrees_with_the_package() -> None:
    """T2 sees what no balance can: a place that additions never reach."""
    wrong = ADAPTED.proposals(CASE.pool_size, "never added last")
    assert proposal_p(CASE, ADAPTED, seed=2) > FALSE_ALARM
    assert proposal_p(CASE, ADAPTED, seed=2, proposals=wrong) < FALSE_ALARM
