"""The posterior predictive: predictions averaged over all kept draws (section 2.7).

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from secrets import randbits
from weakref import WeakKeyDictionary

import numpy as np

from elseif.bits.packing import WORD_BITS
from elseif.conditions.condition import Condition
from elseif.model.consequent import consequent_mean
from elseif.model.problem import Problem
from elseif.posterior.draws import Lists, Posterior
from elseif.posterior.exact_predictive import (
    exact_probabilities,
    exact_probabilities_of_problem,
    predicts_exactly,
)
from elseif.posterior.rule_list import rows_of, truths_in_turn
from elseif.tables.columns import Kind
from elseif.tables.reading import Table

BLOCK_ROWS, BLOCK_SETS = 1024, 128  # sets by rows as floats: a megabyte, which caches hold
MOST_MERGED = 64  # with more conditions than this, hardly any two rows are equal
DIGITS = 53  # binary digits of a float


@dataclass(frozen=True)
class Level:
    """The distinct sets of j leading rules: each a smaller set and one more rule."""

    parents: np.ndarray  # int (sets,): into the level before
    added: np.ndarray  # int (sets,): into the antecedents used
    weights: np.ndarray  # float64 (2 labels, sets): coarse parts, then fine parts


@dataclass(frozen=True)
class AveragingPlan:
    """The part of a prediction that does not depend on its rows."""

    conditions: tuple[Condition, ...]  # those that the lists use
    # the first conditions of the antecedents used, the longest first; then the second conditions
    # of those that have one, and so on: one long conjunction takes no room in all the others
    members: tuple[np.ndarray, ...]
    antecedents: np.ndarray  # int: the antecedents used, in that order, as places in the pool
    base: np.ndarray  # float64 (2 labels,): the prediction where the first rules are true
    levels: tuple[Level, ...]


_plans: WeakKeyDictionary[Posterior, AveragingPlan] = WeakKeyDictionary()


def predictive_probabilities(posterior: Posterior, table: Table) -> np.ndarray:
    """Probability of each label: summed over all lists, or averaged over the kept draws."""
    if sums_for(posterior, table) and posterior.exact is not None:
        return exact_probabilities(posterior, posterior.exact, table)
    plan = _plan_of(posterior)
    bits, merged = _packed(plan.conditions, table, posterior.metadata.kinds)
    n_rows = table.n_rows if merged is None else int(merged.max()) + 1
    sums = np.empty((len(plan.base), n_rows))
    for start in range(0, n_rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, n_rows)
        some = bits[:, start // 8 : (stop + 7) // 8]
        uncovered = _uncovered(plan.members, some)
        total = plan.base[:, None] + _summed(plan.levels, uncovered)
        sums[:, start:stop] = total[:, : stop - start]
    coarse, fine = np.split(sums, 2)
    result = np.ascontiguousarray((coarse + fine).T)
    return result if merged is None else rows_of(result, merged)


def sums_for(posterior: Posterior, table: Table) -> bool:
    """Whether predictions come from the sum over all lists, which needs all of their columns."""
    if posterior.exact is None or not predicts_exactly(posterior):
        return False
    return all(name in table for name in posterior.pool_columns)


def predictive_of_problem(posterior: Posterior, problem: Problem) -> np.ndarray:
    """Probability of each label for every bit of a problem's layout, padding too."""
    if posterior.exact is not None and predicts_exactly(posterior):
        return exact_probabilities_of_problem(posterior, posterior.exact, problem)
    plan = _plan_of(posterior)
    n_bits = problem.layout.n_words * WORD_BITS
    sums = np.empty((len(plan.base), n_bits))
    step = BLOCK_ROWS // WORD_BITS
    for start in range(0, problem.layout.n_words, step):
        covers = problem.covers_at(plan.antecedents, slice(start, start + step))
        truth = np.unpackbits(covers.view(np.uint8), axis=1, bitorder="little")
        total = plan.base[:, None] + _summed(plan.levels, ~np.packbits(truth, axis=1))
        sums[:, start * WORD_BITS : (start + covers.shape[1]) * WORD_BITS] = total
    coarse, fine = np.split(sums, 2)
    return np.ascontiguousarray((coarse + fine).T)


def _plan_of(posterior: Posterior) -> AveragingPlan:
    plan = _plans.get(posterior)
    if plan is None:
        plan = _plans[posterior] = _make_plan(posterior)
    return plan


def _make_plan(posterior: Posterior) -> AveragingPlan:
    pool, lists = posterior.pool, posterior.distinct
    used, items = np.unique(lists.items, return_inverse=True)
    longest_first = np.argsort(-pool.cardinalities[used], kind="stable")
    position = np.empty(len(used), dtype=np.int64)
    position[longest_first] = np.arange(len(used))
    members, starts = pool.conditions_of(used[longest_first])
    conditions, condition_ids = np.unique(members, return_inverse=True)
    having = np.cumsum(np.bincount(pool.cardinalities[used])[::-1])[::-1][1:]  # 1, 2, ... of them
    base, steps = _weights(posterior)
    return AveragingPlan(
        conditions=tuple(pool.conditions[c] for c in conditions),
        members=tuple(condition_ids[starts[:n] + k] for k, n in enumerate(having.tolist())),
        antecedents=used[longest_first],
        base=base,
        levels=tuple(_levels(lists, position[items], steps)),
    )


def _weights(posterior: Posterior) -> tuple[np.ndarray, np.ndarray]:
    """Every list's t_0, summed, and t_j - t_(j-1) of every rule, times the lists' shares.

    Each has a coarse and a fine part: multiples of two powers of two, such that any sum of
    coarse parts has no more digits than a float holds, and any sum of fine parts neither.
    """
    lists, metadata = posterior.distinct, posterior.metadata
    means = consequent_mean(lists.label_counts * metadata.count_unit, metadata.pseudocounts)
    shares = np.repeat(posterior.probabilities, lists.lengths + 1)[:, None]
    terms = shares * means
    longest = int(lists.lengths.max(initial=0))
    # a row's sum is at most the lists' shares, each twice for every line of its list
    coarse_digits = DIGITS - (2 * (longest + 1)).bit_length()
    fine_digits = coarse_digits + DIGITS - (2 * len(terms)).bit_length()
    coarse = np.ldexp(np.rint(np.ldexp(terms, coarse_digits)), -coarse_digits)
    fine = np.ldexp(np.rint(np.ldexp(terms - coarse, fine_digits)), -fine_digits)
    # no probability becomes zero, however small it is
    vanished = (terms > 0) & (coarse + fine == 0)
    fine[vanished] = np.ldexp(1.0, -fine_digits)
    parts = np.hstack([coarse, fine])
    first = lists.offsets[:-1] + np.arange(len(lists))
    is_rule = np.ones(len(parts), dtype=bool)
    is_rule[first + lists.lengths] = False
    rules = np.flatnonzero(is_rule)
    return parts[first].sum(axis=0), parts[rules + 1] - parts[rules]


def _levels(lists: Lists, items: np.ndarray, steps: np.ndarray) -> list[Level]:
    """The distinct sets of leading rules by size, each with its weights."""
    rules, n_rules = items.tolist(), int(items.max(initial=0)) + 1
    # a set is identified by the exclusive or of numbers drawn for its rules: to write its rules out
    # would take the square of a list's length. Nobody can foresee which sets would collide,
    # and of a thousand million sets two do with a probability of 1 in 10^20
    marks = [randbits(128) for _ in range(n_rules)]
    numbers, sets = {0: 0}, [0]  # from a set's mark to its number, and back
    parents, added, sizes = [0], [0], [0]
    next_set: dict[int, int] = {}  # from a set and a rule
    reached = []
    bounds = lists.offsets.tolist()
    for start, stop in pairwise(bounds):
        current = 0
        for rule in rules[start:stop]:
            step = current * n_rules + rule
            following = next_set.get(step)
            if following is None:
                key = sets[current] ^ marks[rule]
                following = numbers.setdefault(key, len(sets))
                if following == len(sets):
                    sets.append(key)
                    parents.append(current)
                    added.append(rule)
                    sizes.append(sizes[current] + 1)
                next_set[step] = following
            reached.append(following)
            current = following
    weights = np.stack(
        [np.bincount(reached, weights=step, minlength=len(sets)) for step in steps.T]
    )
    size, parent, newest = np.array(sizes), np.array(parents), np.array(added)
    by_size = np.argsort(size, kind="stable")
    n_sets = np.bincount(size)
    ends = np.cumsum(n_sets)
    rank = np.empty(len(size), dtype=np.int64)
    rank[by_size] = np.arange(len(size)) - np.repeat(ends - n_sets, n_sets)
    levels = []
    for start, end in pairwise(ends.tolist()):
        chosen = by_size[start:end]
        levels.append(Level(rank[parent[chosen]], newest[chosen], weights[:, chosen]))
    return levels


def _packed(
    conditions: Sequence[Condition], table: Table, kinds: dict[str, Kind]
) -> tuple[np.ndarray, np.ndarray | None]:
    """Conditions by rows as bits; rows that are alike merged if that pays.

    Where rows are merged, the second is the place of each row among the merged ones.
    """
    n_rows, merged = table.n_rows, None
    truths: Iterator[np.ndarray] = truths_in_turn(conditions, table, kinds)
    if len(conditions) <= MOST_MERGED and n_rows > BLOCK_ROWS:
        rows = np.zeros(n_rows, dtype=np.uint64)
        for k, truth in enumerate(truths):
            rows |= truth.astype(np.uint64) << np.uint64(k)
        distinct, positions = np.unique(rows, return_inverse=True)
        if len(distinct) <= n_rows // 2:
            rows, n_rows, merged = distinct, len(distinct), positions
        truths = (rows & np.uint64(1 << k) != 0 for k in range(len(conditions)))
    bits = np.empty((len(conditions), (n_rows + 7) // 8), dtype=np.uint8)
    for k, truth in enumerate(truths):
        bits[k] = np.packbits(truth)
    return bits, merged


def _uncovered(members: Sequence[np.ndarray], bits: np.ndarray) -> np.ndarray:
    """Antecedents by rows as bits: where some condition of each is not true."""
    if not members:
        return bits[:0]
    covers = np.take(bits, members[0], axis=0)
    for ids in members[1:]:
        covers[: len(ids)] &= np.take(bits, ids, axis=0)
    return ~covers


def _summed(levels: Sequence[Level], uncovered: np.ndarray) -> np.ndarray:
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
    levels: Sequence[Level], uncovered: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Level by level, the weights of its sets and, as bits, the rows that they leave."""
    left = np.full((1, uncovered.shape[1]), 255, dtype=np.uint8)
    for level in levels:
        left = np.take(left, level.parents, axis=0)
        left &= np.take(uncovered, level.added, axis=0)
        yield level.weights, left
