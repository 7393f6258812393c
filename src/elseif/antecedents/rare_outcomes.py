"""Rare outcomes: a note on what a support among all observations leaves out."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from elseif.antecedents.hidden_by_support import percent
from elseif.antecedents.mining import IN_ALL, MiningSettings
from elseif.bits.counting import cover_label_counts
from elseif.bits.packed_mask import stack_words
from elseif.bits.packing import BitLayout
from elseif.conditions.binarise import QUANTILES, Binarised
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.tables.labels import shown_label

RARE = 0.05  # share of the observations below which a label is rare
AT_ONCE = 512  # conditions whose covers are in memory together
MOST_NAMED = 3  # columns
FINE = 16  # quantiles, as many as cutting="evidence" looks at
FINER_CUTS = (
    "Numbers are cut at few quantiles, which may be too coarse for a rare outcome: "
    "cutting='evidence' tries finer cut points."
)


def rare_outcome_note(
    binarised: Binarised,
    layout: BitLayout,
    settings: MiningSettings,
    classes: np.ndarray,
    counts: np.ndarray | None = None,
    cut_coarsely: bool = False,
) -> str | None:
    """A note for a rare label if the support is a share of all observations.

    Columns are named, but not their values: nothing is kept of the values of a column that is
    left out. ``counts`` are those of all conditions, if known. ``cut_coarsely``: numbers were cut
    at a few quantiles, above the highest of which most people with a rare outcome may be.
    """
    totals = layout.label_totals
    label = int(np.argmin(totals))
    share = totals[label] / totals.sum()
    is_count = isinstance(settings.min_support, (int, np.integer))
    if share >= RARE or settings.support_in != IN_ALL or is_count:
        return None
    counts = _counts(binarised, layout) if counts is None else counts
    least = settings.least_counts(layout)[-1]
    own = replace(settings, support_in="any_class").least_counts(layout)[label]
    added = (counts[:, label] >= own) & (counts.sum(axis=1) < least)
    is_rare = (
        f"{percent(share)} of the observations are labelled {shown_label(classes[label])}, which "
        "is rare: "
    )
    finer = f" {FINER_CUTS}" if cut_coarsely else ""
    n_added = int(added.sum())
    if not n_added:
        return (
            f"{is_rare}min_support={settings.min_support:g} is a share of all observations, but "
            "support_in='any_class', the support within any label, would add no single "
            f"condition.{finer}"
        )
    conditions = "1 single condition" if n_added == 1 else f"{n_added:,} single conditions"
    return (
        f"{is_rare}min_support={settings.min_support:g} of all observations may leave out strong "
        "risk factors that few people have. support_in='any_class', the support within any label, "
        f"would add {conditions}{_strongest(binarised, layout, counts, added, label)}. A suitable "
        f"number of observations as min_support would do the same.{finer}"
    )


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
    binarised: Binarised, layout: BitLayout, counts: np.ndarray, added: np.ndarray, label: int
) -> str:
    """The columns of the conditions of highest risk, and that risk."""
    sizes = counts.sum(axis=1)
    enough = np.flatnonzero(added & (sizes * layout.unit >= FEWEST_OF_A_LEVEL))
    if not len(enough):
        return ""
    risks = counts[enough, label] / sizes[enough]
    order = enough[np.argsort(-risks, kind="stable")]
    columns = list(dict.fromkeys(binarised.conditions[i].column for i in order))
    more = " and others" if len(columns) > MOST_NAMED else ""
    return (
        f", on {', '.join(map(repr, columns[:MOST_NAMED]))}{more}, with the label in up to "
        f"{percent(risks.max())} of the observations covered"
    )
