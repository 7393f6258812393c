"""Mining with observations in shards: the same pool, from counts added up over shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from elseif.antecedents.left_out import Frequent, make_smaller
from elseif.antecedents.mining import (
    IN_ALL,
    MOST_MINED,
    Mined,
    MiningSettings,
    choose_frequent,
    join_matrix,
    merge_equivalents,
    plainest,
    why_left_out,
)
from elseif.antecedents.pool import Pool, canonical_order
from elseif.antecedents.strongest_conditions import join_the_strongest
from elseif.bits.merging import merge_observations
from elseif.bits.packing import WORD_BITS, BitLayout
from elseif.conditions.binarise import Binarised
from elseif.conditions.condition import Condition
from elseif.errors import MiningError, ParamError
from elseif.shards.shards import AT_ONCE, Shards

# words of a cover up to which covers are fetched, so that everything is as on one machine
MOST_WORDS_HERE = 1 << 14


def mine_on_shards(
    binarised: Binarised, shards: Shards, settings: MiningSettings, pseudocounts: np.ndarray
) -> tuple[Mined, np.ndarray]:
    """Mine the conjunctions that reach the support in observations that are in shards.

    The second result has the label counts of all conditions.
    """
    if settings.max_correlation is not None and shards.layout.n_words > MOST_WORDS_HERE:
        raise ParamError(
            "max_correlation compares all covers with each other, which is done with at most "
            f"{MOST_WORDS_HERE * WORD_BITS:,} patterns where rows are in shards, and there are "
            f"{shards.layout.n_rows:,}. Leave it out; max_antecedents screens large pools."
        )
    shards.tell("hold", list(range(len(binarised.conditions))))
    single = np.arange(len(binarised.conditions), dtype=np.int32)[:, None]
    counts = shards.conjunctions(single)
    least = settings.least_counts(shards.layout)
    of_support = counts.sum(axis=1)[:, None] if settings.support_in == IN_ALL else counts
    enough = least[-1:] if settings.support_in == IN_ALL else least[:-1]
    chosen = choose_frequent(binarised, of_support, enough, shards.layout, settings)
    frequent_alone = [binarised.conditions[i] for i in chosen]
    kept, all_aliases = plainest(frequent_alone, shards.same_covers(single[chosen]))
    places = [chosen[i] for i in kept]
    distinct = [binarised.conditions[i] for i in places]
    shards.tell("hold", places)
    local_covers = _local_covers(shards)
    members, note = _conjunctions(distinct, shards, settings, pseudocounts)
    members = members[canonical_order(members)]
    frequent = Frequent(distinct, shards, members, shards.layout, pseudocounts, local_covers)
    stay, left_out = make_smaller(frequent, settings.max_correlation, settings.max_antecedents)
    members = members[stay]
    used = np.unique(members[members >= 0])
    conditions, aliases = distinct, all_aliases
    if len(used) < len(distinct):  # what was left out leaves no trace in the model
        conditions = [distinct[c] for c in used]
        shards.tell("hold", [places[c] for c in used])
        members = np.where(members >= 0, np.searchsorted(used, members), -1).astype(np.int32)
        aliases = {c.name: aliases[c.name] for c in conditions if c.name in aliases}
        local_covers = None if local_covers is None else (local_covers[0][used], local_covers[1])
    total = max(1, int(shards.layout.label_totals.sum()))
    supports = shards.conjunctions(members).sum(axis=1) / total
    steps = (binarised.conditions, frequent_alone, distinct, conditions)
    reasons = why_left_out(steps, all_aliases, left_out.near_equivalents, settings)
    mined = Mined(
        pool=Pool.from_members(tuple(conditions), members, supports, aliases),
        covers=np.zeros((len(conditions), 0), dtype=np.uint64),
        layout=shards.layout if local_covers is None else local_covers[1],
        is_lazy=True,
        left_out=replace(left_out, reasons=reasons, notes=(*filter(None, [note]), *left_out.notes)),
        shards=shards,
        local_covers=local_covers,
    )
    if settings.merge_equivalents:
        mined = merge_equivalents(mined)
    shards.tell("pose", mined.pool.members, settings.max_memory)
    return mined, counts


def _local_covers(shards: Shards) -> tuple[np.ndarray, BitLayout] | None:
    """The covers as one machine would have them, observations merged, unless they are many."""
    if shards.layout.n_words > MOST_WORDS_HERE:
        return None
    covers, layout = shards.all_words()
    return merge_observations(covers, layout) or (covers, layout)


def _conjunctions(
    conditions: Sequence[Condition],
    shards: Shards,
    settings: MiningSettings,
    pseudocounts: np.ndarray,
) -> tuple[np.ndarray, str | None]:
    """Frequent conjunctions as rows of condition numbers, and a note if some were not formed."""
    limit = max(settings.max_antecedents, MOST_MINED)
    n = len(conditions)
    can_join = join_matrix(conditions if settings.max_cardinality > 1 else [])
    members = _levels(np.arange(n, dtype=np.int32), can_join, shards, settings, limit)
    if members is not None:
        return members, None
    if settings.max_cardinality != 2 or n > limit:
        raise MiningError(
            f"More than {limit:,} antecedents reach min_support={settings.min_support} "
            f"with max_cardinality={settings.max_cardinality}: too many to choose the "
            "best from. Raise min_support, or lower max_cardinality."
        )

    def join(places: np.ndarray) -> np.ndarray | None:
        some = places.astype(np.int32)
        conjunctions = _levels(some, can_join, shards, settings, limit - (n - len(some)))
        if conjunctions is None:
            return None
        return np.where(conjunctions >= 0, np.searchsorted(places, conjunctions), -1).astype(
            np.int32
        )

    return join_the_strongest(shards, n, shards.layout, pseudocounts, join)


def _levels(
    conditions: np.ndarray,
    can_join: np.ndarray,
    shards: Shards,
    settings: MiningSettings,
    limit: int,
) -> np.ndarray | None:
    """Frequent conjunctions of some conditions, counted one cardinality at a time.

    None where there are more than the limit.
    """
    depth = min(settings.max_cardinality, len(conditions))
    least = settings.least_counts(shards.layout)
    level = conditions[:, None]
    levels, n_found = [level], len(level)
    while level.shape[1] < depth:
        longer = [np.zeros((0, level.shape[1] + 1), dtype=np.int32)]
        for candidates in _longer(level, can_join):
            counts = shards.conjunctions(candidates)
            enough = (counts.sum(axis=1) >= least[-1]) | (counts >= least[:-1]).any(axis=1)
            longer.append(candidates[enough])
            n_found += int(enough.sum())
            if n_found > limit:
                return None
        level = np.concatenate(longer)
        levels.append(level)
    members = np.full((n_found, depth), -1, dtype=np.int32)
    row = 0
    for level in levels:
        members[row : row + len(level), : level.shape[1]] = level
        row += len(level)
    return members


def _longer(level: np.ndarray, can_join: np.ndarray) -> Iterator[np.ndarray]:
    """Conjunctions of one condition more whose parts are frequent, some at a time.

    Two that differ in their last condition make one, as in the Apriori algorithm.
    """
    some: list[np.ndarray] = []
    n_some = 0
    for prefix, rows in groupby(level.tolist(), key=lambda row: row[:-1]):
        tails = np.array([row[-1] for row in rows], dtype=np.int32)
        for i, tail in enumerate(tails[:-1]):
            others = tails[i + 1 :][can_join[tail, tails[i + 1 :]]]
            if not len(others):
                continue
            same = np.tile(np.array([*prefix, tail], dtype=np.int32), (len(others), 1))
            some.append(np.column_stack([same, others]))
            n_some += len(others)
            if n_some >= AT_ONCE:
                yield np.concatenate(some)
                some, n_some = [], 0
    if some:
        yield np.concatenate(some)
