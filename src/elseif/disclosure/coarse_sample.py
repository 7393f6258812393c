"""A coarse sample: risks and labels of a group of people, rebuilt from rounded counts."""

from __future__ import annotations

import numpy as np

from elseif.disclosure.cells import Cells


def coarse_sample(
    cells: Cells, members: np.ndarray, risk: np.ndarray, position: int
) -> tuple[np.ndarray, np.ndarray]:
    """Who had one label, and at which risk, as far as it may be shown.

    For each label the number of people at or above each risk is rounded, and a sample is
    rebuilt of these numbers: whatever is computed of it follows from rounded counts alone.
    Where nothing is rounded, the sample is the people themselves.

    Parameters
    ----------
    cells : Cells
        How counts of these people are shown.
    members : ndarray of bool, shape (rows,)
        The group.
    risk : ndarray of float, shape (rows,)
        Risks that follow from rounded counts themselves.
    position : int
        The label whose risk it is.

    Returns
    -------
    truth : ndarray of bool
        Whether each of the sample had the label.
    risk : ndarray of float
        The risk of each.
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
