"""Strong conditions below min_support: a note for the fit report."""

from __future__ import annotations

import numpy as np

from elseif.antecedents.evidence import evidence_of, one_rule_gains
from elseif.antecedents.mining import IN_ALL, MiningSettings
from elseif.bits.packed_mask import label_counts, total_counts
from elseif.bits.packing import BitLayout
from elseif.conditions.binarise import Binarised
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.tables.labels import shown_label

STRONG_ODDS = 3.0  # times the odds of everybody else, from which a label is much more frequent
STRONG_EVIDENCE = np.log(20.0)  # log Bayes factor, after a look at all that is hidden
MOST_NAMED = 3  # columns


def hidden_note(
    binarised: Binarised,
    layout: BitLayout,
    settings: MiningSettings,
    classes: np.ndarray,
    pseudocounts: np.ndarray,
    counts: np.ndarray | None = None,
) -> str | None:
    """A note on conditions below the support that are strongly associated with the label.

    Such a condition holds for at least five people, the odds of a label are at least three times
    those of everybody else, and the evidence is strong even if it is one of many. Columns are
    named, but not their values: nothing is kept of the values of a column that is left out.
    ``counts`` are those of all conditions, if known.
    """
    places, counts = _below_support(binarised, layout, settings, counts)
    if not len(places):
        return None
    gains = one_rule_gains(evidence_of(layout, pseudocounts), counts) - np.log(len(places))
    ratios = _odds_ratios(counts, layout.label_totals)
    labels = ratios.argmax(axis=1)
    strong = np.flatnonzero((gains > STRONG_EVIDENCE) & (ratios.max(axis=1) >= STRONG_ODDS))
    if not len(strong):
        return None
    order = strong[np.argsort(-gains[strong], kind="stable")]
    best = order[0]
    label, totals = labels[best], layout.label_totals
    share = counts[best, label] / counts[best].sum()
    columns = list(dict.fromkeys(binarised.conditions[places[i]].column for i in order))
    more = " and others" if len(columns) > MOST_NAMED else ""
    n = len(strong)
    conditions = "1 single condition" if n == 1 else f"{n:,} single conditions"
    strongest = "it" if n == 1 else "the strongest"
    return (
        f"min_support={settings.min_support:g} leaves out {conditions} strongly associated with "
        f"the label, on {', '.join(map(repr, columns[:MOST_NAMED]))}{more}: {percent(share)} of "
        f"the observations covered by {strongest} are labelled {shown_label(classes[label])}, "
        f"compared with {percent(totals[label] / totals.sum())} of all. "
        f"min_support={_enough(counts[best], layout, settings)} would include {strongest}."
    )


def percent(share: float) -> str:
    """Two digits, but 100% where two would be 1e+02."""
    return f"{100 * share:.2g}%" if share < 0.995 else "100%"


def _below_support(
    binarised: Binarised, layout: BitLayout, settings: MiningSettings, counts: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and label counts of conditions below the support that several people have."""
    known = counts
    sizes = total_counts(binarised.truths, layout) if known is None else known.sum(axis=1)
    least = settings.least_counts(layout)
    several = sizes * layout.unit >= FEWEST_OF_A_LEVEL
    if settings.support_in == IN_ALL:
        several &= sizes < least[-1]
    places = np.flatnonzero(several & (sizes < layout.label_totals.sum()))
    if known is None:
        counts = label_counts([binarised.truths[i] for i in places.tolist()], layout)
    else:
        counts = known[places]
    if settings.support_in != IN_ALL:
        hidden = (counts < least[:-1]).all(axis=1)
        places, counts = places[hidden], counts[hidden]
    return places, counts


def _odds_ratios(counts: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """For each condition and label, its odds there as a multiple of those of everybody else."""
    rest = totals - counts
    without_label, rest_without_label = (
        counts.sum(axis=1, keepdims=True) - counts,
        rest.sum(axis=1, keepdims=True) - rest,
    )
    above, below = counts.astype(float) * rest_without_label, rest.astype(float) * without_label
    return np.divide(above, below, out=np.where(above > 0, np.inf, 0.0), where=below > 0)


def _enough(counts: np.ndarray, layout: BitLayout, settings: MiningSettings) -> str:
    """The roundest support, as the user gave it, that a condition with these counts reaches."""
    if isinstance(settings.min_support, (int, np.integer)):
        reached = max(counts.max() if settings.support_in != IN_ALL else counts.sum(), 0)
        return f"{round_down(float(reached * layout.unit)):g}"
    totals = layout.label_totals
    if settings.support_in == IN_ALL:
        return f"{round_down(counts.sum() / totals.sum()):g}"
    return f"{round_down(float((counts / np.maximum(totals, 1)).max())):g}"


def round_down(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above a number."""
    exponent = int(np.floor(np.log10(value)))
    scale = float(f"1e{exponent}")
    return max(step * scale for step in (1, 2, 5) if step == 1 or step * scale <= value)
