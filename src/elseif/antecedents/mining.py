"""All conjunctions of conditions that reach the support asked for (section 2.2)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from elseif import compiled
from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.cover_memory import bytes_of_covers, warn_of_large_covers
from elseif.antecedents.covers import LazyCovers, same_covers
from elseif.antecedents.left_out import Frequent, LeftOut, make_smaller
from elseif.antecedents.pool import Pool, canonical_order, pool_members
from elseif.antecedents.strongest_conditions import join_the_strongest
from elseif.bits.counting import conjunction_counts, cover_label_counts
from elseif.bits.merging import merge_observations
from elseif.bits.packed_mask import (
    PackedMask,
    label_counts,
    pack_mask,
    stack_words,
    total_counts,
)
from elseif.bits.packing import BitLayout, zero_words
from elseif.conditions.binarise import Binarised
from elseif.conditions.condition import FALSE, UNEQUAL, Condition
from elseif.conditions.fit_report import NEARLY_SAME, SAME, SCREENED, TOO_RARE
from elseif.conditions.relations import can_join
from elseif.errors import MiningError, NothingFrequentError
from elseif.memory import enough
from elseif.shards.shards import Shards
from elseif.tables.columns import Kind
from elseif.tables.labels import shown_label
from elseif.tables.reading import Table
from elseif.visible import show_name

IN_ALL = "all"
UNREACHABLE = np.iinfo(np.int64).max
# of a pool before it is screened: a few hundred megabytes of numbers
MOST_MINED = 2_000_000
MOST_CONDITIONS = 20_000  # whose pairs fit in memory while advice is looked for


@dataclass(frozen=True)
class MiningSettings:
    """Settings of mining: which antecedents to find, and limits."""

    min_support: float | int = 0.1  # a fraction of the observations, or a number of them
    max_cardinality: int = 2
    support_in: str = IN_ALL  # among all observations, or among those of any one label
    merge_equivalents: bool = False
    max_correlation: float | None = None  # of covers that stay apart
    max_antecedents: int = 100_000  # to which a larger pool is screened
    max_memory: float = 4e9  # bytes of packed covers

    def least_counts(self, layout: BitLayout) -> np.ndarray:
        """Counts in units that are enough: of each label, and (last) of all together."""
        totals = np.append(layout.label_totals, layout.label_totals.sum())
        if isinstance(self.min_support, (int, np.integer)):
            least = np.full(len(totals), int(np.ceil(self.min_support / layout.unit)))
        else:
            # tolerate the rounding of a product such as 0.1 * 30
            least = np.ceil(self.min_support * totals * (1 - 1e-12)).astype(np.int64)
        least = np.maximum(least, 1)
        if self.support_in == IN_ALL:
            least[:-1] = UNREACHABLE
        else:
            least[-1] = UNREACHABLE
        return least

    def has_room_for(self, n_covers: int, layout: BitLayout) -> bool:
        """Whether this many packed covers fit into the allowed memory."""
        return bytes_of_covers(n_covers, layout) <= self.max_memory


@dataclass(frozen=True)
class Mined:
    """A pool with packed covers: its antecedents', or its conditions' where those do not fit."""

    pool: Pool
    covers: np.ndarray  # uint64 (antecedents or conditions, words)
    layout: BitLayout  # of the covers: identical observations may have been merged
    is_lazy: bool = False  # whether covers are those of conditions, to be joined at every use
    left_out: LeftOut = field(default_factory=LeftOut)
    shards: Shards | None = None  # who holds the covers, which then have no words here
    # covers of the conditions and their layout, where those in shards are few enough to be here
    local_covers: tuple[np.ndarray, BitLayout] | None = None

    def with_notes(self, notes: Iterable[str]) -> Mined:
        """The same pool with further notes for the fit report."""
        return replace(self, left_out=replace(self.left_out, notes=(*self.left_out.notes, *notes)))

    @property
    def condition_ids(self) -> np.ndarray | None:
        """The covers that an antecedent's cover is joined from, unless it is stored itself."""
        return self.pool.members if self.is_lazy else None


def mine(
    binarised: Binarised,
    layout: BitLayout,
    settings: MiningSettings,
    pseudocounts: np.ndarray | None = None,
) -> Mined:
    """All conjunctions that reach the support, except those that the settings leave out.

    Evidence is computed with the model's pseudocounts, or 1 if they are not given.
    """
    frequent_alone, covers = _frequent_conditions(binarised, layout, settings)
    conditions, covers, aliases = _merge_identical(frequent_alone, covers)
    distinct, all_aliases = conditions, aliases
    covers, layout = merge_observations(covers, layout) or (covers, layout)
    if pseudocounts is None:
        pseudocounts = np.ones(len(layout.label_totals))
    members, note = _conjunctions(conditions, covers, layout, settings, pseudocounts)
    members = members[canonical_order(members)]
    frequent = Frequent(conditions, covers, members, layout, pseudocounts)
    places, left_out = make_smaller(frequent, settings.max_correlation, settings.max_antecedents)
    members = members[places]
    used = np.unique(members[members >= 0])
    if len(used) < len(conditions):  # what was left out leaves no trace in the model
        conditions, covers = [conditions[c] for c in used], covers[used]
        members = np.where(members >= 0, np.searchsorted(used, members), -1).astype(np.int32)
        aliases = {c.name: aliases[c.name] for c in conditions if c.name in aliases}
    mined = _with_covers(conditions, covers, members, layout, settings, aliases)
    steps = (binarised.conditions, frequent_alone, distinct, conditions)
    reasons = why_left_out(steps, all_aliases, left_out.near_equivalents, settings)
    notes = (*filter(None, [note]), *left_out.notes)
    mined = replace(mined, left_out=replace(left_out, reasons=reasons, notes=notes))
    return merge_equivalents(mined) if settings.merge_equivalents else mined


def why_left_out(
    steps: Sequence[Sequence[Condition]],
    aliases: Mapping[str, tuple[str, ...]],
    near: Mapping[str, tuple[str, ...]],
    settings: MiningSettings,
) -> dict[str, str]:
    """Why no condition of a column is in the pool: the step that removed the last one."""
    made, frequent, distinct, kept = ({c.column for c in conditions} for conditions in steps)
    column_of = {c.name: c.column for c in steps[0] if c.column not in kept}
    stand_in = {SAME: aliases, NEARLY_SAME: near}
    other: dict[tuple[str, str], str] = {}  # by column and by what is said of it
    for says, by_name in stand_in.items():
        for name, others in by_name.items():
            for column in {column_of[each] for each in others if each in column_of}:
                other.setdefault((column, says), name)
    reasons: dict[str, str] = {}
    for column in made - kept:
        says = NEARLY_SAME if column in distinct else SAME
        if column not in frequent:
            reasons[column] = f"{TOO_RARE}={settings.min_support:g}"
        elif (column, says) in other:
            reasons[column] = f"{says} {show_name(other[column, says], 60)!r}"
        else:
            reasons[column] = f"{SCREENED} by max_antecedents={settings.max_antecedents}"
    return reasons


def given_pool(
    antecedents: Sequence[Antecedent],
    table: Table,
    layout: BitLayout,
    kinds: Mapping[str, Kind],
    settings: MiningSettings,
) -> Mined:
    """The user's own antecedents instead of mined ones: none is left out or merged."""
    conditions = conditions_of(antecedents)
    columns = (table.column(c.column, kinds.get(c.column)) for c in conditions)
    masks = [pack_mask(c.mask(x), layout) for c, x in zip(conditions, columns, strict=True)]
    return pool_of_masks(antecedents, masks, layout, settings)


def conditions_of(antecedents: Iterable[Antecedent]) -> list[Condition]:
    """The conditions of some antecedents, each once, in canonical order."""
    return sorted({c for a in antecedents for c in a}, key=Condition.sort_key)


def pool_of_masks(
    antecedents: Sequence[Antecedent],
    masks: Sequence[PackedMask],
    layout: BitLayout,
    settings: MiningSettings,
) -> Mined:
    """A pool of given antecedents; the masks are those of ``conditions_of`` them."""
    conditions = conditions_of(antecedents)
    members = pool_members(antecedents, conditions)
    members = members[canonical_order(members)]
    warn_of_large_covers(len(conditions), "conditions", layout)
    covers = stack_words(list(masks), layout)
    covers, layout = merge_observations(covers, layout) or (covers, layout)
    return _with_covers(conditions, covers, members, layout, settings, {})


def warn_of_leaks(mined: Mined, classes: np.ndarray) -> None:
    """Warn of a condition that is true of exactly the observations of one label."""
    single = np.flatnonzero(mined.pool.cardinalities == 1)
    rows = mined.pool.members[single, 0] if mined.is_lazy else single
    members = rows[:, None].astype(np.int32)
    if mined.shards is not None:
        counts = mined.shards.conjunctions(members)
    else:
        counts = conjunction_counts(mined.covers, members, mined.layout)
    for label, total in enumerate(mined.layout.label_totals):
        others = counts.sum(axis=1) - counts[:, label]
        for i in np.flatnonzero((counts[:, label] == total) & (others == 0)):
            warnings.warn(
                f"{mined.pool.names[single[i]]!r} is true of exactly the observations labelled "
                f"{shown_label(classes[label])}. Does its column leak the label?",
                UserWarning,
                stacklevel=4,
            )


def empty_pool(layout: BitLayout) -> Mined:
    """An empty pool: the default rule is the only list."""
    members = np.empty((0, 1), dtype=np.int32)
    covers = np.empty((0, layout.n_words), dtype=np.uint64)
    return Mined(Pool.from_members((), members, np.empty(0)), covers, layout)


def _with_covers(
    conditions: Sequence[Condition],
    covers: np.ndarray,
    members: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
    aliases: dict[str, tuple[str, ...]],
) -> Mined:
    """A pool with covers of its antecedents, or of its conditions if those do not fit."""
    counts = conjunction_counts(covers, members, layout).sum(axis=1)
    supports = counts / max(1, int(layout.label_totals.sum()))
    pool = Pool.from_members(tuple(conditions), members, supports, aliases)
    if not settings.has_room_for(len(members), layout):
        return Mined(pool, covers, layout, is_lazy=True)
    warn_of_large_covers(len(members), "antecedents", layout)
    joined = zero_words(len(members), layout.n_words)
    compiled.join_covers(covers, members, joined)
    return Mined(pool, joined, layout)


def _frequent_conditions(
    binarised: Binarised, layout: BitLayout, settings: MiningSettings
) -> tuple[list[Condition], np.ndarray]:
    """The conditions that reach the support on their own, in canonical order."""
    least = settings.least_counts(layout)
    if settings.support_in == IN_ALL:
        counts = total_counts(binarised.truths, layout)[:, None]
        least = least[-1:]
    else:
        counts = label_counts(binarised.truths, layout)
        least = least[:-1]
    chosen = choose_frequent(binarised, counts, least, layout, settings)
    n = len(chosen)
    if not settings.has_room_for(n, layout):
        raise MiningError(
            f"The packed covers of {n:,} conditions that reach min_support={settings.min_support} "
            f"take {bytes_of_covers(n, layout):.3g} bytes, above "
            f"max_memory={settings.max_memory:.3g}. Raise min_support, or set "
            f"max_memory={enough(bytes_of_covers(n, layout))}."
        )
    conditions = [binarised.conditions[i] for i in chosen]
    warn_of_large_covers(n, "conditions", layout)
    return conditions, stack_words([binarised.truths[i] for i in chosen], layout)


def choose_frequent(
    binarised: Binarised,
    counts: np.ndarray,
    least: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
) -> list[int]:
    """Positions of the conditions whose counts reach the support, in canonical order."""
    totals = counts.sum(axis=1)
    splits = (totals > 0) & (totals < layout.label_totals.sum())
    frequent = splits & np.any(counts >= least, axis=1)
    if not frequent.any():
        raise NothingFrequentError(_nothing_frequent(binarised, counts, splits, layout, settings))
    n = int(frequent.sum())
    # before a single cover is packed
    most = MOST_CONDITIONS if settings.max_cardinality > 1 else MOST_MINED
    if n > max(settings.max_antecedents, most):
        raise MiningError(
            f"{n:,} conditions alone reach min_support={settings.min_support}, above the {most:,} "
            "that can be joined. Raise min_support, or max_antecedents above that number."
        )
    return sorted(
        np.flatnonzero(frequent).tolist(), key=lambda i: binarised.conditions[i].sort_key()
    )


def _nothing_frequent(
    binarised: Binarised,
    counts: np.ndarray,
    splits: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
) -> str:
    if not len(counts):
        return "No condition can be made of the table: every column is constant or missing."
    if not splits.any():
        return "No condition splits the observations: each is true of all of them or of none."
    in_all = settings.support_in == IN_ALL
    totals = layout.label_totals.sum(keepdims=True) if in_all else layout.label_totals
    as_count = isinstance(settings.min_support, (int, np.integer))
    supports = counts * layout.unit if as_count else counts / totals
    best = int(np.argmax(np.where(splits, supports.max(axis=1), -1)))
    asked = f"{settings.min_support:g}" if as_count else f"{settings.min_support:.2f}"
    share = f"{supports[best].max():g}" if as_count else f"{supports[best].max():.2g}"
    return (
        f"No antecedent reaches min_support={asked}; the most frequent condition, "
        f"{binarised.conditions[best].name!r}, has {share}. Lower min_support."
    )


def _merge_identical(
    conditions: list[Condition], covers: np.ndarray
) -> tuple[list[Condition], np.ndarray, dict[str, tuple[str, ...]]]:
    """One condition for each cover, the plainest: not a negation, and of the shortest name.

    The others are its aliases: two equivalent columns would otherwise give twin modes that no chain
    can distinguish.
    """
    kept, aliases = plainest(conditions, same_covers(covers))
    if not aliases:
        return conditions, covers, aliases  # a copy may be a gigabyte
    return [conditions[i] for i in kept], covers[kept], aliases


def plainest(
    conditions: Sequence[Condition], groups: Iterable[list[int]]
) -> tuple[list[int], dict[str, tuple[str, ...]]]:
    """Positions of the plainest condition of each group, and the others' names by its name."""
    kept: list[int] = []
    aliases: dict[str, tuple[str, ...]] = {}
    for twins in groups:
        best, *others = sorted(twins, key=lambda i: (*_plainness(conditions[i]), i))
        kept.append(best)
        if others:
            aliases[conditions[best].name] = tuple(conditions[i].name for i in others)
    return sorted(kept), aliases


def _plainness(condition: Condition) -> tuple[bool, int]:
    return condition.operator in (FALSE, UNEQUAL), len(condition.name)


def merge_equivalents(mined: Mined) -> Mined:
    """One antecedent for each cover, the simplest; the others become its aliases."""
    pool = mined.pool
    kept: list[int] = []
    aliases = dict(pool.aliases)
    for twins in _same_conjunctions(mined):
        # the pool is in order of cardinality, so the simplest come first
        best = min(twins, key=lambda a: (pool.cardinalities[a], len(pool.names[a]), a))
        kept.append(best)
        others = tuple(pool.names[a] for a in twins if a != best)
        if others:
            aliases[pool.names[best]] = (*aliases.get(pool.names[best], ()), *others)
    kept.sort()
    merged = Pool.from_members(pool.conditions, pool.members[kept], pool.supports[kept], aliases)
    covers = mined.covers if mined.is_lazy else mined.covers[kept]
    return replace(mined, pool=merged, covers=covers)


def _same_conjunctions(mined: Mined) -> Iterable[list[int]]:
    """Positions of antecedents with the same cover, grouped."""
    if mined.shards is not None:
        return mined.shards.same_covers(mined.pool.members)
    if mined.is_lazy:
        return same_covers(LazyCovers(mined.covers, mined.pool.members))
    return same_covers(mined.covers)


def _conjunctions(
    conditions: list[Condition],
    covers: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
    pseudocounts: np.ndarray,
) -> tuple[np.ndarray, str | None]:
    """Frequent conjunctions as rows of condition numbers, and a note if some were not formed."""
    limit = max(settings.max_antecedents, MOST_MINED)
    members = _walk(conditions, covers, layout, settings, limit)
    if members is not None:
        return members, None
    if settings.max_cardinality != 2 or len(conditions) > limit:
        raise MiningError(_too_many(conditions, covers, layout, settings, limit))

    def join(places: np.ndarray) -> np.ndarray | None:
        some = [conditions[i] for i in places]
        room = limit - (len(conditions) - len(some))  # the others are used singly
        return _walk(some, covers[places], layout, settings, room)

    return join_the_strongest(covers, len(conditions), layout, pseudocounts, join)


def _walk(
    conditions: list[Condition],
    covers: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
    limit: int,
) -> np.ndarray | None:
    """All frequent conjunctions, or None when there are more than the limit."""
    n, depth = len(conditions), min(settings.max_cardinality, len(conditions))
    miner = compiled.Miner(
        covers=covers,
        can_join=join_matrix(conditions if depth > 1 else []),
        section_starts=layout.section_starts,
        section_labels=layout.section_labels,
        section_weights=layout.section_weights,
        least=settings.least_counts(layout),
        prefix=np.empty((depth, layout.n_words), dtype=np.uint64),
        candidates=np.zeros((depth, n + 1), dtype=np.int64),
        n_candidates=np.zeros(depth, dtype=np.int64),
        counts=np.zeros(len(layout.label_totals), dtype=np.int64),
    )
    members = np.empty((min(limit, max(1024, 16 * n)) + 1, depth), dtype=np.int32)
    n_found = 0
    for first in range(n):
        while (n_after := compiled.mine_from(miner, first, depth, members, n_found)) < 0:
            if len(members) > limit:
                return None
            more = np.empty((min(2 * len(members), limit + 1), depth), dtype=np.int32)
            more[:n_found] = members[:n_found]
            members = more
        n_found = n_after
        if n_found > limit:
            return None
    return members[:n_found]


def _too_many(
    conditions: list[Condition],
    covers: np.ndarray,
    layout: BitLayout,
    settings: MiningSettings,
    limit: int,
) -> str:
    """An error for too many antecedents, with settings that would work."""
    ways = []
    support = settings.min_support
    as_count = isinstance(support, (int, np.integer))
    most = 0.5 * (float(layout.label_totals.sum()) * layout.unit if as_count else 1)
    # three digits of the share, or a small one would round to nothing
    while (support := support * 2 if as_count else float(f"{support * 1.5:.3g}")) <= most:
        fewer = replace(settings, min_support=support)
        frequent = _still_frequent(covers, layout, fewer)
        pool = _walk([conditions[i] for i in frequent], covers[frequent], layout, fewer, limit)
        if pool is not None:
            ways.append(f"min_support={support} (which gives {len(pool):,})")
            break
    for cardinality in range(settings.max_cardinality - 1, 0, -1):
        fewer = replace(settings, max_cardinality=cardinality)
        pool = _walk(conditions, covers, layout, fewer, limit)
        if pool is not None:
            ways.append(f"max_cardinality={cardinality} (which gives {len(pool):,})")
            break
    advice = f" Try {' or '.join(ways)}." if ways else ""
    return (
        f"More than {limit:,} antecedents reach min_support={settings.min_support} with "
        f"max_cardinality={settings.max_cardinality}: too many to choose the best from.{advice} A "
        f"max_antecedents above {limit:,} raises this limit."
    )


def _still_frequent(covers: np.ndarray, layout: BitLayout, settings: MiningSettings) -> np.ndarray:
    """Which of some conditions reach a higher support."""
    least = settings.least_counts(layout)
    counts = cover_label_counts(covers, layout)
    enough = (counts.sum(axis=1) >= least[-1]) | np.any(counts >= least[:-1], axis=1)
    return np.flatnonzero(enough)


def join_matrix(conditions: Sequence[Condition]) -> np.ndarray:
    """Which conditions may be joined in an antecedent."""
    matrix = np.ones((len(conditions), len(conditions)), dtype=bool)
    by_column: dict[str, list[int]] = {}
    for i, condition in enumerate(conditions):
        by_column.setdefault(condition.column, []).append(i)
    for same in by_column.values():
        for i in same:
            for j in same:
                matrix[i, j] = can_join(conditions[i], conditions[j])
    return matrix
