"""Survey weights: their effective sample size, and scaling to it."""

from __future__ import annotations

import numpy as np

NOTED_FROM = 1.01  # people that weights count for, by each that they are worth


def effective_size(weights: np.ndarray, repeats: np.ndarray | None = None) -> float:
    """Kish's effective sample size of weights: (sum w)^2 / sum w^2.

    ``repeats`` says how many rows have each weight; 1 by default.
    """
    shares = np.asarray(weights, dtype=float) / np.max(weights)
    times = shares if repeats is None else shares * repeats
    return float(times.sum() ** 2 / (times @ shares))


def scaled_to_effective_size(
    weights: np.ndarray, used: np.ndarray, repeats: np.ndarray | None = None
) -> np.ndarray:
    """Weights in the same proportions whose sum, over the rows used, is their effective size."""
    weights = np.asarray(weights, dtype=float)
    chosen = weights[used]
    if not chosen.any():
        return weights
    times = None if repeats is None else repeats[used]
    total = chosen.sum() if times is None else (chosen * times).sum()
    scaled: np.ndarray = weights * (effective_size(chosen, times) / total)
    return scaled


def weight_note(weights: np.ndarray, unit: float, repeats: np.ndarray | None = None) -> str | None:
    """A note on weights, in whole units, that count for more than the effective sample size."""
    if not weights.strides[0]:  # one weight, of 1, for all
        return None
    known = weights[weights > 0] * unit
    times = None if repeats is None else repeats[weights > 0]
    total = float(known.sum() if times is None else (known * times).sum())
    worth = effective_size(known, times)
    if total <= NOTED_FROM * worth:
        return None
    return (
        f"The weights add up to {total:,.0f}, and count as that many people; Kish's effective "
        f"sample size is {worth:,.0f}. Numbers of repeated rows are meant to count so. For survey "
        "or probability weights set weight_scaling='effective', or intervals will be too narrow "
        "and lists too long."
    )
