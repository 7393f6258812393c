"""Redraws: a list made only of certain antecedents is replaced by a draw from their exact sum.

Groups of lists may differ by only a few nats and yet be left so rarely that chains of millions of
iterations do not mix. The sum over the lists that contain only the antecedents of a block is exact
(``exact_sum.py``) and can be sampled from. Given that a list is one of these, such a draw is a
Gibbs step: it leaves the posterior invariant and needs no acceptance ratio. A list that contains
any other antecedent stays as it is.

Each chain takes its block from its own adaptation window and keeps it fixed until the next one, so
what a redraw proposes never depends on the current list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif.compiled.uniforms import draw_uniforms
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.exact_sum import AntecedentList, ExactSum, is_cheap

MOST_SUMS = 8  # that are kept: chains that continue from a snapshot need theirs again


@dataclass(frozen=True)
class Redraws:
    """When a chain redraws, and from how many antecedents."""

    after: int  # the adaptation window after which they begin, by the iteration that ends it
    size: int  # antecedents of the block, at most
    every: int  # iterations


class Block:
    """The antecedents of a block, in pool order, and draws from the sum over lists made of them."""

    def __init__(self, posed: CompiledProblem, antecedents: np.ndarray) -> None:
        self.antecedents = np.asarray(antecedents, dtype=np.int64)
        self._members = frozenset(self.antecedents.tolist())
        self._summed = _sum_of(posed, tuple(self.antecedents.tolist()))

    def has(self, antecedent_list: AntecedentList) -> bool:
        """Whether a list contains nothing else."""
        return self._members.issuperset(antecedent_list)

    def draw(self, stream: np.ndarray) -> AntecedentList:
        """The next draw, by numbers from a chain's own stream."""
        uniforms = np.empty((1, len(self.antecedents) + 1))
        draw_uniforms(stream, uniforms)
        return self._summed.lists_at(uniforms)[0]


def choose_block(posed: CompiledProblem, redraws: Redraws, presence: np.ndarray) -> Block | None:
    """The block of the antecedents that were in the list most often during a window.

    None if there was none, or if the sum would take too long.
    """
    order = np.argsort(-presence, kind="stable")[: redraws.size]
    antecedents = np.sort(order[presence[order] > 0])
    if not is_cheap(posed.problem, len(antecedents)):
        return None
    return Block(posed, antecedents)


def _sum_of(posed: CompiledProblem, antecedents: tuple[int, ...]) -> ExactSum:
    """The sum over the lists of a block, which several chains of a problem may have."""
    known = posed.block_sums
    summed = known.get(antecedents)
    if summed is None:
        summed = known[antecedents] = ExactSum.of(posed.problem, antecedents).with_own_room()
        for oldest in list(known)[:-MOST_SUMS]:
            known.pop(oldest, None)
    return summed.with_own_room()
