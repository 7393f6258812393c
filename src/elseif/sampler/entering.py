"""Entering a list in a chain's state: what each rule captures, counted from the beginning.

A chain does this once for every list it starts from, and again when it needs room; what happens
between is the compiled code's, which only ever counts changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif import kernels


def enter_list(
    data: kernels.Data,
    prior: kernels.Prior,
    state: kernels.State,
    replica: int,
    antecedent_list: Sequence[int],
) -> None:
    """Make a list the replica's: its observations, its counts and its log posterior."""
    length, items = len(antecedent_list), np.array(antecedent_list, dtype=np.int64)
    rows = state.rows[replica]
    rows[:] = replica * len(rows) + np.arange(len(rows))
    state.length[replica] = length
    state.antecedent_list[replica, :length] = items
    state.in_list[replica] = False
    state.in_list[replica, items] = True
    state.used[replica] = np.bincount(prior.classes[items], minlength=state.used.shape[1])
    left = data.everyone.copy()
    for row, antecedent in zip(rows, antecedent_list, strict=False):
        np.bitwise_and(left, _cover(data, antecedent), out=state.captured[row])
        left ^= state.captured[row]
    state.captured[rows[length]] = left
    for row in rows[: length + 1]:
        state.label_counts[row] = _label_counts(data, state.captured[row])
        state.log_likelihoods[row] = kernels.rule_log_likelihood(data, state.label_counts, row)
    at_work = int(state.at[0])
    state.at[0] = replica
    kernels.refresh_log_posterior(prior, state)
    state.at[0] = at_work


def _cover(data: kernels.Data, antecedent: int) -> np.ndarray:
    """What an antecedent covers, formed if it has no cover of its own."""
    if data.members.shape[1] == 0:
        return data.covers[antecedent]
    members = data.members[antecedent]
    return np.bitwise_and.reduce(data.covers[members[members >= 0]], axis=0)


def _label_counts(data: kernels.Data, bits: np.ndarray) -> np.ndarray:
    """Weighted number of observations of each label in a row of bits."""
    ones = np.concatenate([[0], np.cumsum(np.bitwise_count(bits), dtype=np.int64)])
    counts = np.zeros(len(data.pseudocounts), dtype=np.int64)
    weighted = np.diff(ones[data.section_starts]) * data.section_weights
    np.add.at(counts, data.section_labels, weighted)
    return counts
