"""Problems whose posterior has separated modes, with the share of each mode known.

In each there are several blocks of two antecedents. A block's first antecedent says nothing of the
label; where it is false, its second one does; where it is true, the second misleads. So a
block is worth much as a list of two rules, its antecedents alone are worth less, and no list that
a chain walks through on its way from block to block is nearly as good as either.

A needle is one block alone, in a large pool: its antecedents are worth nothing alone, and its share
is 1, or 0 where no chain has found it.

Rows are rotated through the blocks, so that all blocks fit the labels equally well whatever
the number of observations, and prior weights decide between them. The exact shares are
summed over all lists; in pools too large for that all modes are equal by symmetry. Above MOST_ROWS
observations every row stands for several, by a whole weight, so that they cost little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from elseif.bits.packing import make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.run_length_draws import RunLengthDraws

N_EXACT = 100_000  # independent draws from the sum over all lists
LARGEST_SUM = 20
MOST_ROWS = 10_000
# rows of two blocks (first, second, first, second) and their label, found by a search: a chain
# at one temperature needs more than 100,000 steps from one block to the other
FOUND = {("0111", 1): 12, ("1100", 0): 11, ("1110", 1): 10, ("0011", 0): 5, ("1110", 0): 2}

Modes = Callable[[tuple[int, ...]], int]


@dataclass(frozen=True)
class Family:
    """A kind of problem, of any number of observations."""

    name: str
    n_blocks: int = 2
    n_labels: int = 2
    noise: float = 0.1  # share of observations that a block's second antecedent gets wrong
    misleading: float = 0.5  # how often the second antecedent is reversed where the first is true
    first_share: float = 0.4  # share of observations that a block's first antecedent is true of
    n_idle: int = 14  # antecedents that have nothing to do with the labels
    weights: tuple[float, ...] = ()  # prior weights of the blocks' antecedents, in order
    pairs: tuple[int, ...] = ()  # blocks whose antecedents have a cardinality of 2
    n_spoilt: int = 0  # observations that fit the last block less well than the others
    found: bool = False  # the rows of FOUND
    judged: bool = False  # not looked at while the kernel was tuned

    def problem(self, n: int, seed: int = 0) -> Problem:
        """The problem with about n observations."""
        copies = 1
        while n > copies * MOST_ROWS:
            copies *= 2
        n_rows = n // copies
        rng = np.random.default_rng((seed, n_rows))
        blocks, labels = self._found(n_rows) if self.found else self._drawn(n_rows, rng)
        n_base = len(labels) // self.n_blocks
        # the same in every rotation, so that the blocks stay exchangeable
        idle = np.tile(rng.random((self.n_idle, n_base)) < 0.3, self.n_blocks)
        truths = np.concatenate([blocks.reshape(-1, len(labels)), idle])
        counts = np.full(len(labels), copies)
        if self.n_spoilt:
            truths, labels, counts = self._spoilt(truths, labels, counts)
        pool_size = len(truths)
        cardinalities = np.ones(pool_size, dtype=np.int64)
        for block in self.pairs:
            cardinalities[2 * block : 2 * block + 2] = 2
        if self.pairs:
            cardinalities[2 * self.n_blocks :: 3] = 2
        weights = np.ones(pool_size)
        weights[: len(self.weights)] = self.weights
        layout = make_layout(labels, self.n_labels, counts)
        covers = np.stack([layout.pack(truth) for truth in truths])
        prior = ListPrior(cardinalities, 3.0, 1.0, weights)
        posed = Problem(covers, layout, np.ones(self.n_labels), prior)
        return self._balanced(posed, truths, labels, counts) if self.n_spoilt else posed

    def _found(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        rows = [(np.array([int(c) for c in t]), y) for (t, y), k in FOUND.items() for _ in range(k)]
        copies = max(1, round(n / (2 * len(rows))))
        truth = np.tile(np.stack([t for t, _ in rows]), (copies, 1)).T.reshape(2, 2, -1)
        labels = np.tile([y for _, y in rows], copies)
        return self._rotated(truth.astype(bool), labels)

    def _drawn(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        n_base = max(1, round(n / self.n_blocks))
        labels = rng.integers(0, self.n_labels, n_base)
        first = rng.random((self.n_blocks, n_base)) < self.first_share
        is_odd = np.tile(labels % 2 == 1, (self.n_blocks, 1))
        second = is_odd ^ (rng.random(first.shape) < self.noise)
        second ^= first & (rng.random(first.shape) < self.misleading + self.noise)
        return self._rotated(np.stack([first, second], axis=1), labels)

    def _spoilt(
        self, truths: np.ndarray, labels: np.ndarray, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A few observations, one of each row taken, that the last block gets wrong."""
        last = 2 * self.n_blocks - 2
        step = max(1, len(labels) // (3 * self.n_spoilt))
        rows = np.flatnonzero(~truths[last])[::step][: self.n_spoilt]
        taken = truths[:, rows]
        taken[last + 1] = labels[rows] % 2 == 0
        counts[rows] -= 1
        left = counts > 0
        return (
            np.concatenate([truths[:, left], taken], axis=1),
            np.concatenate([labels[left], labels[rows]]),
            np.concatenate([counts[left], np.ones_like(rows)]),
        )

    def _rotated(self, blocks: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turns = [np.roll(blocks, turn, axis=0) for turn in range(self.n_blocks)]
        return np.concatenate(turns, axis=2), np.tile(labels, self.n_blocks)

    def _balanced(
        self, posed: Problem, truths: np.ndarray, labels: np.ndarray, counts: np.ndarray
    ) -> Problem:
        """Weigh the last block by the prior until it makes up for what it fits less well."""
        last = 2 * self.n_blocks - 2
        lists = ((0, 1), (last, last + 1))
        better, worse = (
            _log_likelihood(truths[list(d)], labels, counts, self.n_labels) for d in lists
        )
        weights = posed.prior.weights.copy()
        weights[last + 1] = np.exp(better - worse)
        return replace(posed, prior=replace(posed.prior, weights=weights))

    def mode_of(self, antecedent_list: tuple[int, ...]) -> int:
        """The block that comes first with both antecedents, or the number of blocks for none."""
        position = {a: j for j, a in enumerate(antecedent_list)}
        ends = [
            max(position.get(2 * b, np.inf), position.get(2 * b + 1, np.inf))
            for b in range(self.n_blocks)
        ]
        return self.n_blocks if min(ends) == np.inf else int(np.argmin(ends))

    def shares(self, chains: Sequence[RunLengthDraws]) -> np.ndarray:
        """Share of each mode among all draws."""
        total = np.zeros(self.n_blocks + 1)
        for runs in chains:
            ends = zip(runs.offsets[:-1], runs.offsets[1:], runs.n_draws, strict=True)
            for start, stop, n in ends:
                total[self.mode_of(tuple(runs.items[start:stop].tolist()))] += n
        shares: np.ndarray = total[:-1] / total.sum()
        return shares

    def exact_shares(self, posed: Problem) -> np.ndarray | None:
        """The share of each mode by the sum over all lists.

        None for a larger pool of several blocks, whose modes are equal by symmetry; how much of
        the posterior they have together is not known.
        """
        if posed.pool_size > LARGEST_SUM:
            return None if self.n_blocks > 1 else np.ones(1)
        drawn = ExactSum.of(posed).draw(N_EXACT, np.random.default_rng(0))
        return self.shares([drawn])


def _log_likelihood(
    truths: np.ndarray, labels: np.ndarray, counts: np.ndarray, n_labels: int
) -> float:
    from elseif.model.likelihood import log_likelihood

    everyone = np.ones((1, len(labels)), dtype=bool)
    rule = np.argmax(np.concatenate([truths, everyone]), axis=0)
    label_counts = np.zeros((len(truths) + 1, n_labels))
    np.add.at(label_counts, (rule, labels), counts)
    return log_likelihood(label_counts, np.ones(n_labels))


FAMILIES = (
    Family("two pairs, one antecedent weighted", found=True, weights=(1, 1, 2, 1)),
    Family("default prior, singles against pairs", pairs=(1,), n_idle=15),
    Family("three modes", n_blocks=3, n_idle=12, weights=(1, 1, 1, 2)),
    Family("five labels", n_labels=5, weights=(1, 3), misleading=0.3, judged=True),
    Family("unequal likelihoods", n_spoilt=1, misleading=0.4, judged=True),
    Family("very unequal likelihoods", n_spoilt=3, misleading=0.4, judged=True),
    Family("needles, one weighted", misleading=0.8, weights=(1, 1, 1, 2.5), judged=True),
    Family(
        "four modes, three labels",
        n_blocks=4,
        n_labels=3,
        n_idle=10,
        misleading=0.2,
        weights=(2,),
        judged=True,
    ),
    Family("weak antecedents, heavy noise", noise=0.3, misleading=0.3, weights=(1, 2), judged=True),
    Family("pool of 500, by symmetry", n_blocks=3, n_idle=494, judged=True),
    Family("pool of 200, by symmetry", found=True, n_idle=196, judged=True),
    Family(
        "pool of 100, three labels, by symmetry",
        n_blocks=4,
        n_labels=3,
        n_idle=92,
        misleading=0.2,
        judged=True,
    ),
    *(
        Family(
            f"needle in a pool of {n:,}",
            n_blocks=1,
            misleading=1.0,
            first_share=0.5,
            n_idle=n - 2,
            judged=True,
        )
        for n in (1000, 3000)
    ),
)
