"""Whether another run would be expected to choose the same list as its point estimate."""

from __future__ import annotations

import math

import numpy as np

from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import point_estimate
from elseif.sampler.convergence import Convergence

ERRORS = 2.0  # standard errors by which the means may be off


def point_steadiness(
    posterior: Posterior, best: int, convergence: Convergence
) -> tuple[int | None, bool]:
    """How many chains drew the point estimate (None after an exact sum), and if it is steady.

    It is chosen by the posterior means of length and average cardinality, rounded either way, as
    the most probable list drawn. It is steady if changing the means by two Monte Carlo standard
    errors would not change the choice, and if more than half of the chains have drawn the list.
    """
    if posterior.exact is not None:  # chosen by the sum over all lists
        return None, True
    errors = {q.name: q.mcse for q in convergence.level("list")}
    length, cardinality = posterior.mean_length, posterior.mean_average_cardinality
    same = all(
        point_estimate(posterior, length + by * _error(errors, "length"),
                       cardinality + also * _error(errors, "average cardinality"))[0] == best
        for by in (-ERRORS, ERRORS)
        for also in (-ERRORS, ERRORS)
    )  # fmt: skip
    found_by = sum(bool(np.any(chain.distinct == best)) for chain in posterior.chains)
    return found_by, same and 2 * found_by > len(posterior.chains)


def _error(errors: dict[str, float], name: str) -> float:
    error = errors.get(name, 0.0)
    return error if math.isfinite(error) else 0.5
