"""The consequent of a rule: Dirichlet(alpha + N_j) over labels (section 2.7)."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv


def consequent_mean(label_counts: np.ndarray, pseudocounts: np.ndarray) -> np.ndarray:
    """E[theta_j] for one rule or for many (labels along the last axis)."""
    alphas = label_counts + pseudocounts
    mean: np.ndarray = alphas / alphas.sum(axis=-1, keepdims=True)
    return mean


def consequent_interval(
    label_counts: np.ndarray, pseudocounts: np.ndarray, label: int, level: float = 0.95
) -> tuple[float, float]:
    """Equal-tailed credible interval of one label's probability, by its Beta marginal."""
    alphas = np.asarray(label_counts, dtype=float) + pseudocounts
    # added up, not taken away: beside many observations a small pseudocount would be lost
    a, b = alphas[label], np.delete(alphas, label).sum()
    tail = (1 - level) / 2
    return float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))
