"""Labels that may be misspellings of others: a note for the fit report."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

FEW = 5  # observations of a label
SMALL_SHARE = 0.01  # of all observations
MOST_NAMED = 3


def misspelt_label_note(classes: np.ndarray, counts: np.ndarray) -> str | None:
    """A note on labels that differ only in capitals and spaces, or that hardly occur, or None.

    A misspelling is a label of its own, which takes part in the fit and is predicted.
    """
    if len(classes) < 3 or not all(isinstance(label, str) for label in classes):
        return None
    alike: dict[str, list[str]] = {}
    for label in classes.tolist():
        alike.setdefault("".join(label.casefold().split()), []).append(label)
    for labels in alike.values():
        if len(labels) > 1:
            return (
                f"The labels {_named(labels)} differ only in capitals or spaces. If they mean the "
                "same, give them one name."
            )
    is_rare = (counts <= FEW) & (counts < SMALL_SHARE * counts.sum())
    if not is_rare.any():
        return None
    rare = classes[is_rare].tolist()
    n = int(counts[is_rare].sum())
    return (
        f"Only {n} of the {counts.sum():,} observations {'has' if n == 1 else 'have'} the "
        f"label{'s' if len(rare) > 1 else ''} {_named(rare)}. If this is a misspelling, correct "
        "it: each label takes part in the fit."
    )


def _named(labels: Iterable[str]) -> str:
    known = [f"{label!r:.60}" for label in labels]
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"{', '.join(known[:MOST_NAMED])}{more}"
