"""Entering a list in a chain's state: what each rule captures, counted from the beginning.

A chain does this once for every list it starts from, and again when it needs room; what happens
between is the compiled code's, which only ever counts changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif import kernels
from elseif.antecedents.covers import FormedCovers


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
    is_formed = data.members.shape[1] > 0
    covers = FormedCovers(data.covers, data.members) if is_formed else data.covers
    left = data.everyone.copy()
    for row, antecedent in zip(rows, antecedent_list, strict=False):
        np.bitwise_and(left, covers[antecedent], out=state.captured[row])
        left ^= state.captured[row]
    state.captured[rows[length]] = left
    _count(data, state, rows[: length + 1])
    at_work = int(state.at[0])
    state.at[0] = replica
    kernels.refresh_log_posterior(prior, state)
    state.at[0] = at_work


def _count(data: kernels.Data, state: kernels.State, rows: np.ndarray) -> None:
    """Count the labels of what is captured, and find the rules' terms of the likelihood."""
    sections = (data.section_starts, data.section_labels, data.section_weights)
    counts = np.zeros((len(rows), len(data.pseudocounts)), dtype=np.int64)
    alone = rows.astype(np.int32)[:, None]  # each the conjunction of itself
    kernels.count_conjunctions(state.captured, alone, sections, state.joined, counts)
    state.label_counts[rows] = counts
    for row in rows:
        state.log_likelihoods[row] = kernels.rule_log_likelihood(data, state.label_counts, row)
