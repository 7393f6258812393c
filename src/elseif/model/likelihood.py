"""The likelihood of the labels, consequents integrated out (section 2.5)."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def log_likelihood(label_counts: np.ndarray, pseudocounts: np.ndarray) -> float:
    """log p(y | x, d, alpha) from N[j, l], every constant of every rule kept."""
    return float(rule_log_likelihoods(label_counts, pseudocounts).sum())


def rule_log_likelihoods(label_counts: np.ndarray, pseudocounts: np.ndarray) -> np.ndarray:
    """The term of each rule, over label counts in the last axis."""
    terms: np.ndarray = (
        gammaln(pseudocounts.sum())
        - gammaln(pseudocounts).sum()
        + gammaln(label_counts + pseudocounts).sum(axis=-1)
        - gammaln(label_counts.sum(axis=-1) + pseudocounts.sum())
    )
    return terms


def log_pochhammer(alpha: float, n_entries: int, unit: float) -> np.ndarray:
    """Table over k of log Gamma(k unit + alpha) - log Gamma(alpha)."""
    table: np.ndarray = gammaln(np.arange(n_entries) * unit + alpha) - gammaln(alpha)
    return table
