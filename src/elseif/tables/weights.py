"""Survey weights: how many people they are worth, and how many they count for."""

from __future__ import annotations

import numpy as np

NOTED_FROM = 1.01  # people that weights count for, by each that they are worth


def effective_size(weights: np.ndarray) -> float:
    """Kish's effective sample size of weights, (sum w)^2 / sum w^2.

    Parameters
    ----------
    weights : ndarray
        None negative, not all zero.

    Returns
    -------
    float
        Their number where they are equal, and less where they are not.
    """
    shares = np.asarray(weights, dtype=float) / np.max(weights)
    return float(shares.sum() ** 2 / (shares @ shares))


def scaled_to_effective_size(weights: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Weights in the same proportions whose sum, over the rows used, is their effective size."""
    weights = np.asarray(weights, dtype=float)
    chosen = weights[used]
    if not chosen.any():
        return weights
    scaled: np.ndarray = weights * (effective_size(chosen) / chosen.sum())
    return scaled


def weight_note(weights: np.ndarray, unit: float) -> str | None:
    """What to say of weights, in whole units, that count for more people than they are worth."""
    if not weights.strides[0]:  # one weight, of 1, for all
        return None
    known = weights[weights > 0] * unit
    total, worth = float(known.sum()), effective_size(known)
    if total <= NOTED_FROM * worth:
        return None
    return (
        f"The weights add up to {total:,.0f}, and count as that many people; Kish's effective "
        f"sample size is {worth:,.0f}. Numbers of repeated rows are meant to count so. For survey "
        "or probability weights set weight_scaling='effective', or intervals will be too narrow "
        "and lists too long."
    )
