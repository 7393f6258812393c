"""A coarse sample: risks and labels of a group of people, rebuilt from rounded counts."""

from __future__ import annotations

import numpy as np

from elseif.disclosure.published_cells import Cells


def coarse_sample(
    cells: Cells, members: np.ndarray, risk: np.ndarray, position: int
) -> tuple[np.ndarray, np.ndarray]:
    """The labels and risks of a group, as far as they may be shown: (truth, risk).

    For each label the number of people at or above each risk is rounded, and a sample is rebuilt
    from these numbers: whatever is computed from it follows from rounded counts alone. If nothing
    is rounded, the sample is the people themselves. The risks given must follow from rounded
    counts.
    """
    if cells.rounding is None:
        return cells.codes[members] == position, risk[members]
    risks = np.unique(risk[members])[::-1]
    above = [members & (risk >= r) for r in risks]
    counts = np.array([cells.by_label(each) for each in above]).reshape(-1, cells.n_labels)
    steps = np.diff(counts, axis=0, prepend=0).astype(np.int64)
    events = steps[:, position]
    others = steps.sum(axis=1) - events
    truth = np.concatenate([np.ones(events.sum(), dtype=bool), np.zeros(others.sum(), dtype=bool)])
    return truth, np.concatenate([np.repeat(risks, events), np.repeat(risks, others)])
