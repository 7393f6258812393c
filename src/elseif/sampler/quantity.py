"""A quantity that is followed along the chains: its diagnostics, and whether it is steady."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from elseif.sampler.by_replica import by_replica
from elseif.sampler.rank_statistics import mean_ess, rank_statistics

NAN = float("nan")

# the three levels of the verdict: what a reader takes from a fit
LIST, SHARE, INCLUSION = "list", "share", "inclusion"

FEWEST_DRAWS = 8  # of a chain, for the rank statistics to mean something
# rank-normalised split R-hat (Vehtari et al. 2021), the paper's threshold
LARGEST_R_HAT = 1.05
# R-hat with all draws of one replica as a group: there are more groups, and shorter ones
LARGEST_REPLICA_R_HAT = 1.1
# effective draws with which a probability of 0.5 has a Monte Carlo standard error of 0.035
ENOUGH_ESS = 200.0
# Monte Carlo standard errors that no reader would notice
SMALL_ERROR = 0.02  # of a probability: a prediction, a share, an inclusion
SMALL_LENGTH_ERROR = 0.1  # of the mean number of rules
SMALL_CARDINALITY_ERROR = 0.05
# fewer effective draws have not weighed the modes that a quantity goes to and fro between, however
# little it differs between them; unless its spread is small as well, in small errors
FEWEST_EFFECTIVE = 100.0
SMALL_SPREAD = 2.5


@dataclass(frozen=True)
class Quantity:
    """Diagnostics of one quantity; NaN where something cannot be estimated.

    Attributes
    ----------
    name : str
        What it is.
    r_hat : float
        Rank-normalised split R-hat (Vehtari et al. 2021).
    ess_bulk, ess_tail : float
        Effective draws for its location and its tails.
    level : {"list", "share", "inclusion"}
        Where a reader meets it: the list and its predictions, the share of a list, an inclusion
        probability.
    index : int
        The distinct list whose share it is, or the antecedent of the pool; -1 for others.
    mean : float
        Its posterior mean.
    mcse : float
        Monte Carlo standard error of the mean, by the least favourable count of effective draws.
    ess_replica, r_hat_replica : float
        Effective draws and R-hat when all draws held by one replica are one group.
    steady : bool
        Whether the mean is known precisely enough.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> length = clf.convergence_.level("list")[1]
    >>> length.name, length.steady, length.mcse < 0.05
    ('length', True, True)
    """

    name: str
    r_hat: float
    ess_bulk: float
    ess_tail: float
    level: str = LIST
    index: int = -1
    mean: float = NAN
    mcse: float = NAN
    ess_replica: float = NAN
    r_hat_replica: float = NAN
    steady: bool = True

    @property
    def ess(self) -> float:
        """The fewer effective draws: along the chains, or by replica where there are several."""
        return float(np.fmin(self.ess_bulk, self.ess_replica))


@dataclass(frozen=True)
class Followed:
    """Quantities of one level by their values at some lists, (lists, quantities)."""

    names: Sequence[str]
    values: np.ndarray
    level: str = LIST
    indices: Sequence[int] = ()
    # over all draws, of quantities that are also shown elsewhere; NaN or none for the points' mean
    means: Sequence[float] = ()
    # Monte Carlo standard errors that are small whatever the effective draws; 0 for none
    small_errors: Sequence[float] = ()


def diagnose(
    followed: Followed, list_of_draw: np.ndarray, groups: np.ndarray | None = None
) -> list[Quantity]:
    """The diagnostics of each quantity, in the same order.

    ``list_of_draw`` has the list of each draw, ``groups`` the replica, numbered over all chains;
    None if each chain has only one. Both have the shape (chains, draws).
    """
    values, n = followed.values, len(followed.names)
    along = np.take(values, list_of_draw, axis=0)
    still = np.all(along == along[:, :1], axis=(0, 1))
    same = np.all(along == along[:1, :1], axis=(0, 1))
    r_hat = np.where(same, np.nan, np.inf)
    ess = np.full((3, n), np.nan)
    grouped = np.full((2, n), np.nan)
    if list_of_draw.shape[1] < FEWEST_DRAWS:
        still[:] = True
    varying = ~still
    if np.any(varying):
        some = values[:, varying].T
        r_hat[varying], ess[0, varying], ess[1, varying] = rank_statistics(some, list_of_draw)
        ess[2, varying] = mean_ess(some, list_of_draw)
        if groups is not None:
            grouped[:, varying] = by_replica(values[:, varying], list_of_draw, groups)
    mean, spread = along.mean(axis=(0, 1)), along.std(axis=(0, 1))
    if len(followed.means):
        mean = np.where(np.isnan(followed.means), mean, followed.means)
    effective = np.fmin(np.fmin(ess[0], ess[2]), grouped[0])
    with np.errstate(invalid="ignore"):
        mcse = spread / np.sqrt(effective)
    mcse = np.where(same, 0.0, mcse)
    small = np.array(followed.small_errors or [SMALL_ERROR] * n)
    # an inclusion probability is read on its own, so its own error decides
    known = (effective >= FEWEST_EFFECTIVE) | (spread <= SMALL_SPREAD * small)
    small_error = (mcse <= small) & (known | (followed.level == INCLUSION))
    indices = followed.indices if len(followed.indices) else [-1] * n
    quantities = []
    for i, name in enumerate(followed.names):
        quantity = Quantity(
            name=name,
            r_hat=float(r_hat[i]),
            ess_bulk=float(ess[0, i]),
            ess_tail=float(ess[1, i]),
            level=followed.level,
            index=int(indices[i]),
            mean=float(mean[i]),
            mcse=float(mcse[i]),
            ess_replica=float(grouped[0, i]),
            r_hat_replica=float(grouped[1, i]),
            steady=bool(same[i]) or bool(small_error[i]),
        )
        quantities.append(quantity if quantity.steady else _by_effective_draws(quantity))
    return quantities


def _by_effective_draws(quantity: Quantity) -> Quantity:
    """Steady all the same where there are enough effective draws, by every count."""
    steady = (
        (np.isnan(quantity.r_hat) or quantity.r_hat < LARGEST_R_HAT)
        and (np.isnan(quantity.r_hat_replica) or quantity.r_hat_replica < LARGEST_REPLICA_R_HAT)
        and quantity.ess >= ENOUGH_ESS
    )
    return replace(quantity, steady=bool(steady))
