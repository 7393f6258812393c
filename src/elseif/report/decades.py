"""Shares of draws in powers of ten: exact shares would reveal the counts of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from elseif.posterior.draws import Posterior


class Decade(NamedTuple):
    """A range of shares."""

    rank: int
    text: str
    middle: float  # to draw it with


DECADES = (Decade(0, "10% or more", 0.3), Decade(1, "1 to 10%", 0.03), Decade(2, "below 1%", 0.003))


def decade(share: float) -> Decade:
    """The decade of a share."""
    return DECADES[0 if share >= 0.1 else 1 if share >= 0.01 else 2]


def in_decades(posterior: Posterior, positions: Sequence[int]) -> list[int]:
    """Lists by decade, then length, then text: their order reveals nothing else."""
    names = posterior.pool.names

    def key(position: int) -> tuple[int, int, list[str]]:
        rules = [names[a] for a in posterior.distinct.antecedent_list(position)]
        return decade(float(posterior.list_probabilities[position])).rank, len(rules), rules

    return sorted(positions, key=key)
