"""Rare outcomes: a note on what a support among all observations leaves out."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from elseif.antecedents.hidden_by_support import hidden_note, percent, round_down
from elseif.antecedents.mining import IN_ALL, MiningSettings
from elseif.bits.counting import cover_label_counts
from elseif.bits.packed_mask import stack_words
from elseif.bits.packing import BitLayout
from elseif.conditions.binarise import QUANTILES, Binarised
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.phrases import joined
from elseif.tables.labels import shown_label

RARE = 0.05  # share of the observations below which a label is rare
AT_ONCE = 512  # conditions whose covers are in memory together
MOST_NAMED = 3  # columns
FINE = 16  # quantiles, as many as cutting="evidence" looks at
FINER_CUTS = (
    "Numbers are cut at few quantiles, which may be too coarse for a rare outcome: "
    "cutting='evidence' tries finer cut points."
)


def notes_on_support(
    binarised: Binarised,
    layout: BitLayout,
    settings: MiningSettings,
    classes: np.ndarray,
    pseudocounts: np.ndarray,
    counts: np.ndarray | None = None,
    cut_coarsely: bool = False,
) -> tuple[str, ...]:
    """What to know of conditions that ``min_support`` leaves out, for the fit report.

    If a label is rare, what the support within any label would add; if that is nothing, or no label
    is rare, strong conditions that a lower support would add. ``counts`` are those of all
    conditions, if known. ``cut_coarsely``: numbers were cut at a few quantiles, above the highest
    of which most people with a rare outcome may be.
    """
    told = (binarised, layout, settings, classes)
    rare = rare_labels(layout, settings)
    if not len(rare):
        return tuple(filter(None, [hidden_note(*told, pseudocounts, counts)]))
    known = _counts(binarised, layout) if counts is None else counts
    least = settings.least_counts(layout)[-1]
    within = replace(settings, support_in="any_class").least_counts(layout)[:-1]
    added = (known >= within).any(axis=1) & (known.sum(axis=1) < least)
    finer = f" {FINER_CUTS}" if cut_coarsely else ""
    begin = (
        f"{_shares(layout, classes, rare)}, which is rare: min_support={settings.min_support:g} "
    )
    n_added = int(added.sum())
    if not n_added:
        note = (
            f"{begin}is a share of all observations, but support_in='any_class', the support "
            f"within any label, would add no single condition.{finer}"
        )
        return tuple(filter(None, [note, hidden_note(*told, pseudocounts, counts)]))
    conditions = "1 single condition" if n_added == 1 else f"{n_added:,} single conditions"
    return (
        f"{begin}of all observations may leave out strong risk factors that few people have. "
        f"support_in='any_class', the support within any label, would add {conditions}"
        f"{_strongest(binarised, layout, classes, known, added, rare)}{finer}",
    )


def rare_labels(layout: BitLayout, settings: MiningSettings) -> np.ndarray:
    """Labels of few observations, rarest first, if the support is a share of all observations."""
    is_count = isinstance(settings.min_support, (int, np.integer))
    if settings.support_in != IN_ALL or is_count:
        return np.array([], dtype=np.intp)
    shares = layout.label_totals / layout.label_totals.sum()
    order = np.argsort(shares, kind="stable")
    return order[shares[order] < RARE]


def _shares(layout: BitLayout, classes: np.ndarray, rare: np.ndarray) -> str:
    """How rare each label is, as the beginning of a sentence."""
    totals = layout.label_totals
    first, *others = (
        (percent(totals[k] / totals.sum()), shown_label(classes[k])) for k in rare.tolist()
    )
    parts = [f"{first[0]} of the observations are labelled {first[1]}"]
    return joined([*parts, *(f"{share} {label}" for share, label in others)])


def are_cut_coarsely(
    binarised: Binarised, cutting: str, n_quantiles: int, own: Container[str]
) -> bool:
    """Whether a column has all the cut points of a few quantiles, and none of the user's own."""
    is_coarse = cutting == QUANTILES and n_quantiles < FINE
    return is_coarse and any(
        len(each.cuts) == n_quantiles - 1 and each.name not in own for each in binarised.columns
    )


def _counts(binarised: Binarised, layout: BitLayout) -> np.ndarray:
    """Observations of each label for each condition, in units."""
    parts = [np.zeros((0, len(layout.label_totals)), dtype=np.int64)]
    for start in range(0, len(binarised.truths), AT_ONCE):
        covers = stack_words(binarised.truths[start : start + AT_ONCE], layout)
        parts.append(cover_label_counts(covers, layout))
    return np.concatenate(parts)


def _strongest(
    binarised: Binarised,
    layout: BitLayout,
    classes: np.ndarray,
    counts: np.ndarray,
    added: np.ndarray,
    rare: np.ndarray,
) -> str:
    """The columns where a rare label is most over-represented, its share, and a support for it."""
    sizes, totals = counts.sum(axis=1), layout.label_totals
    several = np.flatnonzero(added & (sizes * layout.unit >= FEWEST_OF_A_LEVEL))
    risks = counts[several][:, rare] / sizes[several, None]
    times = risks / (totals[rare] / totals.sum())
    order = np.argsort(-times.max(axis=1, initial=0.0), kind="stable")
    order = order[times[order].max(axis=1, initial=0.0) > 1]
    if not len(order):
        return "."
    enough, best = several[order], int(times[order[0]].argmax())
    columns = list(dict.fromkeys(binarised.conditions[i].column for i in enough))
    n_columns = len({binarised.conditions[i].column for i in np.flatnonzero(added)})
    more = " and others" if n_columns > min(len(columns), MOST_NAMED) else ""
    which = "the label" if len(rare) == 1 else f"label {shown_label(classes[rare[best]])}"
    size = sizes[enough[0]] * layout.unit
    count = f" min_support={int(round_down(size))}, a number of observations, would include "
    is_only = int(added.sum()) == 1
    return (
        f", on {', '.join(map(repr, columns[:MOST_NAMED]))}{more}, with {which} in up to "
        f"{percent(risks[order, best].max())} of the observations covered."
        f"{count}{'it' if is_only else 'the strongest'} as well."
    )
