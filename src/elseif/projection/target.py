"""What lists are compared with: the posterior predictive of the training rows, in cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from elseif.bits.merging import find_patterns
from elseif.bits.packing import WORD_BITS
from elseif.memory import require_memory
from elseif.model.problem import Problem
from elseif.posterior.draws import Posterior
from elseif.posterior.predictive import predictive_of_problem
from elseif.showing.thin_lines import FEW

# Row numbers that are kept of all candidates' covers. Where the pool's would be more, the
# antecedents that the posterior uses most are the candidates.
MOST_MEMBERS = 40_000_000
MOST_DIGITS = 52
# training observations, by weight, that every line has: the risk of fewer says little of others
FEWEST_ON_A_LINE = FEW


@dataclass(frozen=True, eq=False)
class Target:
    """Cells of rows that the candidates do not distinguish, and what each candidate covers."""

    candidates: np.ndarray  # int64 (candidates,): places in the pool, ascending
    # int64 (cells, 2 labels): counts in units, then sums of the posterior predictive
    cells: np.ndarray
    members: np.ndarray  # int32: cells that candidates cover, or do not where inverted
    starts: np.ndarray  # int64 (candidates + 1,), into members
    inverted: np.ndarray  # bool (candidates,)
    unit: float  # what a count of 1 stands for
    target_unit: float  # what a sum of 1 stands for
    entropy: float  # sum over rows of -q log q, weighted: below it is no sum of -q log p
    information: float  # how far the list without rules is from the posterior predictive, weighted
    pseudocounts: np.ndarray  # float (labels,), with which counts make a line's probabilities
    # float (labels,): what the loss falls by for each pair of rows that is ranked rightly
    rank_weights: np.ndarray
    fewest: int = 0  # counts, in units, that every line of a list must have

    @property
    def covered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.members, self.starts, self.inverted

    @property
    def n_labels(self) -> int:
        return self.cells.shape[1] // 2

    @property
    def weight(self) -> float:
        """The rows' weights together."""
        return float(self.cells[:, : self.n_labels].sum()) * self.unit

    @property
    def scale(self) -> tuple[float, float, np.ndarray, np.ndarray]:
        """What turns sums into a loss."""
        return self.target_unit, self.unit, self.pseudocounts, self.rank_weights

    def distance(self, loss: float) -> float:
        """How far a list of such a loss is from the posterior predictive, in nats per row.

        The mean of the Kullback-Leibler divergence and of what the list loses of the AUC above one
        half, in units of which the list without rules loses as much as of the divergence.
        """
        lost = (loss - self.entropy + self.information) / 2
        return max(lost / self.weight, 0.0)  # rounding must not make it negative

    def truth(self) -> np.ndarray:
        """Whether each candidate covers each cell."""
        truth = np.zeros((len(self.candidates), len(self.cells)), dtype=bool)
        owners = np.repeat(np.arange(len(self.candidates)), np.diff(self.starts))
        truth[owners, self.members] = True
        return truth ^ self.inverted[:, None]


def bytes_of_target(problem: Problem, n_candidates: int) -> int:
    """Memory that making the target takes: predictions of every row, and candidates' covers."""
    n_words = problem.layout.n_words
    # probabilities in two parts and as whole numbers; rows, weights, and patterns with their table
    of_rows = 8 * (5 * problem.n_labels + 16)
    return n_words * (WORD_BITS * of_rows + 8 * n_candidates)


def require_target_memory(problem: Problem) -> None:
    """Raise if there is no memory for the target; called before sampling, which takes long."""
    n_bytes = bytes_of_target(problem.small or problem, problem.pool_size)
    if problem.shards is not None and problem.small is None:  # then covers come from the shards
        n_bytes += 2 * len(problem.covers) * problem.layout.n_words * 8
    require_memory(
        "Projecting the posterior",
        n_bytes,
        "Predict with 'point', 'map' or 'posterior', which need no projection, or fit fewer rows.",
    )


def make_target(problem: Problem, posterior: Posterior) -> Target:
    """The target of a problem's own posterior."""
    require_target_memory(problem)
    problem = problem.local()
    layout, n_labels = problem.layout, problem.n_labels
    everyone = np.unpackbits(layout.everyone().view(np.uint8), bitorder="little")
    bits = np.flatnonzero(everyone)
    section = np.searchsorted(layout.section_starts, bits // WORD_BITS, side="right") - 1
    weights = layout.section_weights[section]
    # whole numbers add up to the same in any order of the rows
    digits = min(MOST_DIGITS, 62 - int(layout.label_totals.sum()).bit_length())
    predictive = predictive_of_problem(posterior, problem)[bits]
    whole = np.rint(np.ldexp(predictive, digits)).astype(np.int64)
    candidates = _candidates(problem, posterior)
    covers = np.stack([problem.cover(a) for a in candidates.tolist()])
    patterns = find_patterns(covers, bits, lambda _: True)
    assert patterns is not None  # no number of patterns is too large
    pattern, first = patterns
    cells = np.zeros((len(first), 2 * n_labels), dtype=np.int64)
    np.add.at(cells, (pattern, layout.section_labels[section]), weights)
    for k in range(n_labels):
        np.add.at(cells[:, n_labels + k], pattern, weights * whole[:, k])
    members, starts, inverted = _members(covers, bits[first])
    terms = -predictive * np.log(np.where(predictive > 0, predictive, 1.0)) * weights[:, None]
    entropy = math.fsum(terms.ravel().tolist()) * layout.unit
    target_unit = math.ldexp(layout.unit, -digits)
    information = max(_loss_of_no_rule(cells[:, n_labels:], target_unit) - entropy, 0.0)
    return Target(
        candidates=candidates,
        cells=cells,
        members=members,
        starts=starts,
        inverted=inverted,
        unit=layout.unit,
        target_unit=target_unit,
        entropy=entropy,
        information=information,
        pseudocounts=np.asarray(posterior.metadata.pseudocounts, dtype=float),
        rank_weights=rank_weights(whole, weights, (layout.unit, target_unit), information),
        fewest=math.ceil(FEWEST_ON_A_LINE / layout.unit),
    )


def _loss_of_no_rule(sums: np.ndarray, unit: float) -> float:
    """The sum over rows of -q log p, with p the mean of q over all rows."""
    shares = [int(n) * unit for n in sums.sum(axis=0)]
    total = sum(shares)
    return -sum(share * math.log(share / total) for share in shares if share > 0)


def rank_weights(
    whole: np.ndarray, weights: np.ndarray, units: tuple[float, float], information: float
) -> np.ndarray:
    """The weight of a correctly ranked pair of rows, by label, in nats.

    A list loses a share of the information in the posterior predictive, and a share of the distance
    of its AUC from one half. A pair counts as much as gives both shares the same weight. ``whole``
    is the posterior predictive as integers (rows, labels); ``units`` are what a weight of 1 and a
    posterior predictive of 1 stand for; ``information`` is the divergence of the posterior
    predictive from its mean over all rows. Of two labels only the last counts, because their AUCs
    are the same.
    """
    n_labels = whole.shape[1]
    n_shown = 1 if n_labels == 2 else n_labels
    pairs, excess = np.full(n_labels, np.inf), 0.0
    for k in range(n_labels - n_shown, n_labels):
        values, rank = np.unique(whole[:, k], return_inverse=True)
        sizes = np.zeros(len(values), dtype=np.int64)  # the same in any order of the rows
        np.add.at(sizes, rank, weights)
        rows, events = sizes * units[0], values * units[1] * sizes
        below = np.cumsum(rows) - rows, np.cumsum(events) - events
        ahead = float((events * below[0] - rows * below[1]).sum())
        pairs[k] = 2 * n_shown * events.sum() * (rows - events).sum()
        excess += ahead / pairs[k] if pairs[k] > 0 else 0.0
    if not (excess > 0 and information > 0):
        return np.zeros(n_labels)
    return np.divide(information / excess, pairs, out=np.zeros(n_labels), where=pairs > 0)


def _candidates(problem: Problem, posterior: Posterior) -> np.ndarray:
    """The pool, or the antecedents that the posterior uses most, if there is not room for all."""
    n_bits = problem.layout.n_words * WORD_BITS
    # of an antecedent's cover and its complement the smaller is kept
    size = np.minimum(posterior.pool.supports, 1 - posterior.pool.supports) * n_bits + 1
    most_used = np.lexsort((np.arange(len(size)), -posterior.inclusion_probabilities))
    n = max(int(np.searchsorted(np.cumsum(size[most_used]), MOST_MEMBERS, side="right")), 1)
    return np.sort(most_used[:n]).astype(np.int64)


def _members(covers: np.ndarray, bits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells that every candidate covers, a bit for each; or those it does not, if fewer."""
    words, shifts = bits // WORD_BITS, (bits % WORD_BITS).astype(np.uint64)
    pieces, inverted = [], np.zeros(len(covers), dtype=bool)
    for a, cover in enumerate(covers):
        truth = (cover[words] >> shifts & np.uint64(1)).astype(bool)
        inverted[a] = 2 * int(truth.sum()) > len(truth)
        pieces.append(np.flatnonzero(truth ^ inverted[a]).astype(np.int32))
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return np.concatenate(pieces), starts, inverted
