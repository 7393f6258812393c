"""All conjunctions of conditions that reach the support asked for (section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from elseif import kernels
from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool, canonical_order, pool_members
from elseif.errors import MiningError
from elseif.tables.binarise import Binarised, true_rows
from elseif.tables.columns import Kind
from elseif.tables.conditions import Condition
from elseif.tables.packing import Layout
from elseif.tables.reading import Table
from elseif.tables.relations import can_join


@dataclass(frozen=True)
class MiningSettings:
    """What makes an antecedent worth having, and how much room there is."""

    min_support: float | int = 0.1  # a fraction of the observations, or a number of them
    max_cardinality: int = 2
    max_antecedents: int = 100_000
    max_memory: float = 4e9  # bytes of packed covers

    def least_count(self, n_units: int, unit: float) -> int:
        """The smallest count, in units, that reaches the support."""
        if isinstance(self.min_support, (int, np.integer)):
            return int(np.ceil(self.min_support / unit))
        # tolerate the rounding of a product such as 0.1 * 30
        return max(1, int(np.ceil(self.min_support * n_units * (1 - 1e-12))))

    def finds_nothing(self, binarised: Binarised, layout: Layout) -> bool:
        """Whether not a single condition reaches the support."""
        weights = layout.row_weights()
        least = self.least_count(int(weights.sum()), layout.unit)
        counts = [int(weights[rows].sum()) for rows in binarised.true_rows]
        return not any(least <= count < weights.sum() for count in counts)


@dataclass(frozen=True)
class Mined:
    """A pool with its packed covers."""

    pool: Pool
    covers: np.ndarray  # uint64 (antecedents, words)


def mine(binarised: Binarised, layout: Layout, settings: MiningSettings) -> Mined:
    """The complete pool: every conjunction that reaches the support, once."""
    n_units = int(layout.label_totals.sum())
    least = settings.least_count(n_units, layout.unit)
    frequent = _frequent_conditions(binarised, layout, least, settings)
    conditions, covers, aliases = _merge_identical(*frequent)
    members = _conjunctions(conditions, covers, layout, least, settings)
    return _with_covers(conditions, covers, members[canonical_order(members)], layout, aliases)


def given_pool(
    antecedents: Sequence[Antecedent], table: Table, layout: Layout, kinds: Mapping[str, Kind]
) -> Mined:
    """The user's own antecedents in place of mining: none is left out or merged."""
    conditions = sorted({c for a in antecedents for c in a}, key=Condition.sort_key)
    rows = [true_rows(c, table.column(c.column, kinds.get(c.column))) for c in conditions]
    members = pool_members(antecedents, conditions)
    members = members[canonical_order(members)]
    return _with_covers(conditions, pack_rows(rows, layout), members, layout, {})


def empty_pool(layout: Layout) -> Mined:
    """A pool of nothing: the default rule is the only list."""
    members = np.empty((0, 1), dtype=np.int32)
    return Mined(Pool((), members, np.empty(0)), np.empty((0, layout.n_words), dtype=np.uint64))


def _with_covers(
    conditions: Sequence[Condition],
    covers: np.ndarray,
    members: np.ndarray,
    layout: Layout,
    aliases: dict[str, tuple[str, ...]],
) -> Mined:
    joined = np.empty((len(members), layout.n_words), dtype=np.uint64)
    kernels.join_covers(covers, members, joined)
    supports = cover_counts(joined, layout) / max(1, int(layout.label_totals.sum()))
    return Mined(Pool(tuple(conditions), members, supports, aliases), joined)


def cover_counts(covers: np.ndarray, layout: Layout) -> np.ndarray:
    """Weighted number of observations in each packed cover, in units."""
    counts = np.zeros(len(covers), dtype=np.int64)
    for s, weight in enumerate(layout.section_weights):
        words = covers[:, layout.section_starts[s] : layout.section_starts[s + 1]]
        counts += weight * np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    return counts


def pack_rows(true_rows: list[np.ndarray], layout: Layout) -> np.ndarray:
    """Packed covers from the rows where each is true."""
    covers = np.empty((len(true_rows), layout.n_words), dtype=np.uint64)
    truth = np.zeros(layout.n_rows, dtype=bool)
    for i, rows in enumerate(true_rows):
        truth[rows] = True
        covers[i] = layout.pack(truth)
        truth[rows] = False
    return covers


def _frequent_conditions(
    binarised: Binarised, layout: Layout, least: int, settings: MiningSettings
) -> tuple[list[Condition], np.ndarray]:
    """The conditions that reach the support on their own, in canonical order."""
    weights = layout.row_weights()
    counts = np.array([weights[rows].sum() for rows in binarised.true_rows], dtype=np.int64)
    chosen = [i for i in np.flatnonzero(counts >= least) if counts[i] < weights.sum()]
    if not chosen:
        raise MiningError(_nothing_frequent(binarised, counts, int(weights.sum()), settings))
    chosen.sort(key=lambda i: binarised.conditions[i].sort_key())
    conditions = [binarised.conditions[i] for i in chosen]
    return conditions, pack_rows([binarised.true_rows[i] for i in chosen], layout)


def _nothing_frequent(
    binarised: Binarised, counts: np.ndarray, total: int, settings: MiningSettings
) -> str:
    if not len(counts):
        return "No condition can be made of the table: every column is constant or missing."
    some = np.flatnonzero(counts < total)
    if not len(some):
        return "No condition splits the observations: each is true of all of them or of none."
    best = some[np.argmax(counts[some])]
    as_count = isinstance(settings.min_support, (int, np.integer))
    asked = f"{settings.min_support}" if as_count else f"{settings.min_support:.2f}"
    share = f"{counts[best]}" if as_count else f"{counts[best] / total:.2f}"
    return (
        f"No antecedent reaches min_support={asked}; the most frequent condition, "
        f"{binarised.conditions[best].name!r}, has {share}. Lower min_support."
    )


def _merge_identical(
    conditions: list[Condition], covers: np.ndarray
) -> tuple[list[Condition], np.ndarray, dict[str, tuple[str, ...]]]:
    """One condition for each cover: the one of the shortest name; the rest are aliases.

    Two columns that say the same would otherwise give twin modes that no chain can
    tell apart.
    """
    groups: dict[bytes, list[int]] = {}
    for i, cover in enumerate(covers):
        groups.setdefault(cover.tobytes(), []).append(i)
    kept: list[int] = []
    aliases: dict[str, tuple[str, ...]] = {}
    for twins in groups.values():
        best, *others = sorted(twins, key=lambda i: (len(conditions[i].name), i))
        kept.append(best)
        if others:
            aliases[conditions[best].name] = tuple(conditions[i].name for i in others)
    kept.sort()
    return [conditions[i] for i in kept], covers[kept], aliases


def _conjunctions(
    conditions: list[Condition],
    covers: np.ndarray,
    layout: Layout,
    least: int,
    settings: MiningSettings,
) -> np.ndarray:
    """Frequent conjunctions as rows of condition numbers; counted before room is taken."""
    n, depth = len(conditions), min(settings.max_cardinality, len(conditions))
    n_labels = len(layout.label_totals)
    miner = kernels.Miner(
        covers=covers,
        can_join=_join_matrix(conditions),
        section_starts=layout.section_starts,
        section_labels=layout.section_labels,
        section_weights=layout.section_weights,
        least=np.append(np.full(n_labels, np.iinfo(np.int64).max), least),
        prefix=np.empty((depth, layout.n_words), dtype=np.uint64),
        candidates=np.zeros((depth, n + 1), dtype=np.int64),
        n_candidates=np.zeros(depth, dtype=np.int64),
        counts=np.zeros(n_labels, dtype=np.int64),
    )
    limit = _most_antecedents(layout, settings)
    members = np.empty((max(1024, 4 * n), depth), dtype=np.int32)
    n_found = 0
    for first in range(n):
        while (found := kernels.mine_from(miner, first, depth, members, n_found)) < 0:
            if n_found > limit or len(members) > 2 * limit + 1024:
                break
            members = np.concatenate([members, np.empty_like(members)])
        n_found = found if found >= 0 else len(members)
        if n_found > limit:
            raise MiningError(_too_many(n_found, limit, layout, settings))
    return members[:n_found]


def _most_antecedents(layout: Layout, settings: MiningSettings) -> int:
    by_memory = int(settings.max_memory // (8 * layout.n_words))
    return min(settings.max_antecedents, by_memory)


def _too_many(n_found: int, limit: int, layout: Layout, settings: MiningSettings) -> str:
    bound = f"max_antecedents={settings.max_antecedents}"
    if limit < settings.max_antecedents:
        bound = f"the {limit} that fit in max_memory={settings.max_memory:.2g} bytes"
    return (
        f"More than {n_found - 1} antecedents reach min_support={settings.min_support} with "
        f"max_cardinality={settings.max_cardinality}, above {bound}. Raise min_support, lower "
        f"max_cardinality, or raise the limit."
    )


def _join_matrix(conditions: list[Condition]) -> np.ndarray:
    matrix = np.ones((len(conditions), len(conditions)), dtype=bool)
    by_column: dict[str, list[int]] = {}
    for i, condition in enumerate(conditions):
        by_column.setdefault(condition.column, []).append(i)
    for same in by_column.values():
        for i in same:
            for j in same:
                matrix[i, j] = can_join(conditions[i], conditions[j])
    return matrix
