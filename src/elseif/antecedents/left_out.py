"""A smaller pool with the same information, and a record of what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.evidence import evidence_of, one_rule_gains
from elseif.antecedents.near_equivalents import group_near_equivalents, most_readable
from elseif.antecedents.screening import screen
from elseif.bits.counting import conjunction_counts
from elseif.bits.packing import BitLayout
from elseif.conditions.condition import Condition
from elseif.shards.shards import Shards

# pools that are left as they are: chains go through all of them quickly
SMALL = 200
# before near-equivalents are merged, a pool is screened to this multiple of the largest pool
ROOM_TO_MERGE = 4


@dataclass(frozen=True)
class Frequent:
    """The conjunctions that reach the support, as they were mined."""

    conditions: list[Condition]
    covers: np.ndarray | Shards  # uint64 (conditions, words), or who holds them
    members: np.ndarray  # int32 (antecedents, most conditions), in canonical order
    layout: BitLayout
    pseudocounts: np.ndarray
    # covers of the conditions and their layout, where those in shards are few enough to be here
    local_covers: tuple[np.ndarray, BitLayout] | None = None

    def name(self, row_number: int | np.integer) -> str:
        """The name of an antecedent."""
        row = self.members[row_number]
        return Antecedent(self.conditions[c] for c in row[row >= 0]).name


@dataclass(frozen=True)
class LeftOut:
    """Antecedents that reach the support but are not in the pool."""

    n_mined: int = 0
    # by the antecedent that stands for them: near-equivalents, whose covers differ a little
    near_equivalents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)  # by column of which nothing is left


def make_smaller(
    frequent: Frequent, max_correlation: float | None, max_antecedents: int
) -> tuple[np.ndarray, LeftOut]:
    """Positions of the antecedents that are kept, in order, and what was left out and why."""
    n_mined = len(frequent.members)
    places = np.arange(n_mined)
    if n_mined <= SMALL:
        places = _screened(frequent, places, max_antecedents)
        return places, LeftOut(n_mined, {}, _screening_note(n_mined, len(places)))
    notes: list[str] = []
    near: dict[str, tuple[str, ...]] = {}
    if max_correlation is not None:
        places = _screened(frequent, places, ROOM_TO_MERGE * max_antecedents)
        notes += _screening_note(n_mined, len(places))
        kept, near = _merged(frequent, places, max_correlation)
        if near:
            notes.append(_merging_note(len(places) - len(kept), near, max_correlation))
        places = kept
    n_before = len(places)
    places = _screened(frequent, places, max_antecedents)
    notes += _screening_note(n_before, len(places))
    if len(places) < n_before:
        kept_names = {frequent.name(p) for p in places}
        near = {name: others for name, others in near.items() if name in kept_names}
    return places, LeftOut(n_mined, near, tuple(notes))


def _screened(frequent: Frequent, places: np.ndarray, n_kept: int) -> np.ndarray:
    some = frequent.members[places]
    return places[screen(frequent.covers, some, frequent.layout, frequent.pseudocounts, n_kept)]


def _merged(
    frequent: Frequent, places: np.ndarray, correlation: float
) -> tuple[np.ndarray, dict[str, tuple[str, ...]]]:
    """The representatives of near-equivalent antecedents, and the others by their names."""
    members = frequent.members[places]
    covers, layout = frequent.local_covers or (frequent.covers, frequent.layout)
    assert isinstance(covers, np.ndarray)
    counts = conjunction_counts(covers, members, layout)
    leaders = group_near_equivalents(
        covers, members, counts, layout, correlation, frequent.pseudocounts
    )
    gains = one_rule_gains(evidence_of(layout, frequent.pseudocounts), counts)
    standing = most_readable(leaders, members, frequent.conditions, gains)
    own = np.arange(len(places))
    groups: dict[int, list[int]] = {}
    for member in np.flatnonzero(standing != own):
        groups.setdefault(int(standing[member]), []).append(int(member))
    near = {
        frequent.name(places[best]): tuple(frequent.name(places[p]) for p in others)
        for best, others in sorted(groups.items())
    }
    return places[standing == own], near


def _screening_note(n_before: int, n_after: int) -> tuple[str, ...]:
    if n_after >= n_before:
        return ()
    return (
        f"Of {n_before:,} antecedents the {n_after:,} with most evidence were kept, as "
        "max_antecedents asks; lists are made of those alone.",
    )


def _merging_note(n_merged: int, near: dict[str, tuple[str, ...]], correlation: float) -> str:
    name, others = next(iter(near.items()))
    return (
        f"{n_merged:,} antecedents that nearly coincide with another (correlation of "
        f"{correlation:g} or more) were merged into the most readable, such as {others[0]!r} into "
        f"{name!r}."
    )
