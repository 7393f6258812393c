"""The posterior predictive: every kept draw's prediction, averaged (section 2.7).

With consequents t_0, ..., t_m, the default rule's last, a list of m rules predicts

    t_0 + sum over j = 1 ... m of (t_j - t_(j-1)) [none of the first j rules is true],

and whether none of some rules is true does not depend on their order. So the average over
lists is a weighted sum with one term for each distinct *set* of leading rules, and lists
that are alike but for their order share their terms. The terms are summed as a product of
matrices, which adds them in whatever order is fastest; all weights are therefore whole
multiples of a step so large that no sum is ever rounded. The result is the same whichever
rows are predicted together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from elseif.model.consequent import consequent_mean
from elseif.posterior.draws import Lists, Posterior
from elseif.posterior.rule_list import condition_truths
from elseif.tables.reading import Table

BLOCK_ROWS, BLOCK_SETS = 1024, 128  # sets by rows as floats: a megabyte, which caches hold
MOST_MERGED = 64  # with more conditions than this, hardly two rows are alike
DIGITS = 53  # binary digits of a float


@dataclass(frozen=True)
class Level:
    """The distinct sets of so many leading rules: each a smaller set and one rule more."""

    parents: np.ndarray  # int (sets,): into the level before
    added: np.ndarray  # int (sets,): into the antecedents used
    weights: np.ndarray  # float64 (2 labels, sets): coarse parts, then fine parts


def predictive_probabilities(posterior: Posterior, table: Table) -> np.ndarray:
    """Probability of each label, averaged over the kept draws of all chains."""
    lists, pool = posterior.distinct, posterior.pool
    used, items = np.unique(lists.items, return_inverse=True)
    base, steps = _weights(posterior)
    levels = _levels(lists, items, steps)
    members = pool.members[used]
    conditions = np.unique(members[members >= 0])
    truths = condition_truths(
        [pool.conditions[c] for c in conditions], table, posterior.vocabulary.kinds
    )
    bits, inverse = _packed(truths, table.n_rows)
    place = np.full(len(pool.conditions) + 1, len(conditions))  # the last for no condition
    place[conditions] = np.arange(len(conditions))
    n_rows = table.n_rows if inverse is None else int(inverse.max(initial=-1)) + 1
    sums = np.empty((len(base), n_rows))
    for start in range(0, n_rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n_rows)
        some = bits[:, start // 8 : (stop + 7) // 8]
        covers = np.bitwise_and.reduce(some[place[members]], axis=1)
        sums[:, start:stop] = base[:, None] + _summed(levels, ~covers)[:, : stop - start]
    coarse, fine = np.split(sums, 2)
    result = np.ascontiguousarray((coarse + fine).T)
    return result if inverse is None else np.take(result, inverse, axis=0)


def _weights(posterior: Posterior) -> tuple[np.ndarray, np.ndarray]:
    """Every list's t_0, summed, and t_j - t_(j-1) of every rule, times the lists' shares.

    Each has a coarse and a fine part: multiples of two powers of two, such that any sum of
    coarse parts has no more digits than a float holds, and any sum of fine parts neither.
    """
    lists, vocabulary = posterior.distinct, posterior.vocabulary
    means = consequent_mean(lists.label_counts * vocabulary.count_unit, vocabulary.pseudocounts)
    shares = np.repeat(posterior.probabilities, lists.lengths + 1)[:, None]
    terms = shares * means
    longest = int(lists.lengths.max(initial=0))
    # a row's sum is at most the lists' shares, each twice for every line of its list
    coarse_digits = DIGITS - (2 * (longest + 1)).bit_length()
    fine_digits = coarse_digits + DIGITS - (2 * len(terms)).bit_length()
    coarse = np.ldexp(np.rint(np.ldexp(terms, coarse_digits)), -coarse_digits)
    fine = np.ldexp(np.rint(np.ldexp(terms - coarse, fine_digits)), -fine_digits)
    # no probability is zero, however small
    fine = np.where((coarse == 0) & (fine == 0), np.ldexp(1.0, -fine_digits), fine)
    parts = np.hstack([coarse, fine])
    first = lists.offsets[:-1] + np.arange(len(lists))
    is_rule = np.ones(len(parts), dtype=bool)
    is_rule[first + lists.lengths] = False
    rules = np.flatnonzero(is_rule)
    return parts[first].sum(axis=0), parts[rules + 1] - parts[rules]


def _levels(lists: Lists, items: np.ndarray, steps: np.ndarray) -> list[Level]:
    """The distinct sets of leading rules by size, each with its weights."""
    numbers: dict[int, int] = {0: 0}  # a set, as the bits of a whole number, to its number
    sets, parents, added, sizes = [0], [0], [0], [0]
    next_set: dict[tuple[int, int], int] = {}
    reached = []
    rules = items.tolist()
    bounds = lists.offsets.tolist()
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        here = 0
        for rule in rules[start:stop]:
            there = next_set.get((here, rule))
            if there is None:
                key = sets[here] | 1 << rule
                there = numbers.setdefault(key, len(sets))
                if there == len(sets):
                    sets.append(key)
                    parents.append(here)
                    added.append(rule)
                    sizes.append(sizes[here] + 1)
                next_set[here, rule] = there
            reached.append(there)
            here = there
    weights = np.stack(
        [np.bincount(reached, weights=step, minlength=len(sets)) for step in steps.T]
    )
    size = np.array(sizes)
    rank = np.empty(len(size), dtype=np.int64)
    levels = []
    for k in range(int(size.max()) + 1):
        chosen = np.flatnonzero(size == k)
        rank[chosen] = np.arange(len(chosen))
        if k:
            levels.append(
                Level(rank[np.array(parents)[chosen]], np.array(added)[chosen], weights[:, chosen])
            )
    return levels


def _packed(truths: list[np.ndarray], n_rows: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Conditions by rows as bits, a row of ones last; alike rows merged where that pays.

    Where rows are merged, the second is the merged row of each row.
    """
    inverse = None
    if len(truths) <= MOST_MERGED and n_rows > BLOCK_ROWS:
        keys = np.zeros(n_rows, dtype=np.uint64)
        for k, truth in enumerate(truths):
            keys |= truth.astype(np.uint64) << np.uint64(k)
        distinct, places = np.unique(keys, return_inverse=True)
        if len(distinct) <= n_rows // 2:
            inverse, n_rows = places, len(distinct)
            truths = [(distinct >> np.uint64(k)) & np.uint64(1) for k in range(len(truths))]
    bits = np.full((len(truths) + 1, (n_rows + 7) // 8), 255, dtype=np.uint8)
    for packed, truth in zip(bits, truths, strict=False):
        packed[:] = np.packbits(truth.astype(bool, copy=False))
    return bits, inverse


def _summed(levels: list[Level], uncovered: np.ndarray) -> np.ndarray:
    """The weighted sum, over sets of leading rules, of where none of a set is true."""
    n_rows = 8 * uncovered.shape[1]
    floats = np.empty((BLOCK_SETS, n_rows))
    n_sums = len(levels[0].weights) if levels else 1
    total = np.zeros((n_sums, n_rows))
    for weights, left in _uncovered_by_sets(levels, uncovered):
        for start in range(0, len(left), BLOCK_SETS):
            some = np.unpackbits(left[start : start + BLOCK_SETS], axis=1)
            floats[: len(some)] = some
            total += weights[:, start : start + BLOCK_SETS] @ floats[: len(some)]
    return total


def _uncovered_by_sets(
    levels: list[Level], uncovered: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Level by level, the weights of its sets and, as bits, the rows that they leave."""
    left = np.full((1, uncovered.shape[1]), 255, dtype=np.uint8)
    for level in levels:
        left = np.take(left, level.parents, axis=0)
        left &= np.take(uncovered, level.added, axis=0)
        yield level.weights, left
