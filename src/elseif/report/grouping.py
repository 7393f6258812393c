"""Groups of people by name; small groups are combined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif.disclosure.published_cells import Cells

OTHER = "other"


def merged(
    named: Sequence[tuple[str, np.ndarray]], cells: Cells, most: int | None = None
) -> list[tuple[str, np.ndarray]]:
    """Groups of enough people by their names, and all others together.

    Enough is what rounded counts tell, so that a name tells no more than its count: two
    steps at least, which are as many people as the minimum cell or more. Of more than
    ``most`` groups the largest are kept.
    """
    if cells.rounding is None:
        return list(named)
    sizes = [rounded_size(members, cells) for _, members in named]
    # of equal rounded counts the first name: which is larger is not revealed
    largest = sorted(range(len(named)), key=lambda i: (-sizes[i], named[i][0]))
    least = 2 * cells.rounding.step
    kept = {i for i in largest[:most] if sizes[i] >= least}
    groups = [each for i, each in enumerate(named) if i in kept]
    rest = [members for i, (_, members) in enumerate(named) if i not in kept]
    if rest:
        groups.append((OTHER, np.logical_or.reduce(rest)))
    return groups


def is_large_enough(members: np.ndarray, cells: Cells) -> bool:
    """Whether a group is large enough to be shown on its own."""
    if cells.rounding is None:
        return bool(members.any())
    return rounded_size(members, cells) >= 2 * cells.rounding.step


def rounded_size(members: np.ndarray, cells: Cells) -> float:
    """The sum of a group's counts by label, rounded as shown."""
    counts = np.bincount(cells.codes[members], minlength=cells.n_labels)
    return float(counts.sum() if cells.rounding is None else cells.rounding.counts(counts).sum())


def plain_count(n: float) -> float:
    """A whole number as an int, another (a sum of weights) as a float."""
    return int(n) if float(n).is_integer() else float(n)
