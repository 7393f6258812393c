"""A replica's list entered bit by bit, to hold the package's own way against."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit
def n_ones(word):
    """How many bits of a word are one."""
    n = 0
    while word:
        word &= word - np.uint64(1)
        n += 1
    return n


@njit
def capture(data, prior, state, r, antecedent_list):
    """What each rule of a list captures, and how many of each label."""
    length = len(antecedent_list)
    state.length[r] = length
    state.in_list[r] = False
    state.used[r] = 0
    for j in range(state.rows.shape[1]):
        state.rows[r, j] = r * state.rows.shape[1] + j
        state.label_counts[state.rows[r, j]] = 0
    for j in range(length):
        a = antecedent_list[j]
        state.antecedent_list[r, j] = a
        state.in_list[r, a] = True
        state.used[r, prior.cardinality_class[a]] += 1
    for s in range(len(data.section_labels)):
        label, weight = data.section_labels[s], data.section_weights[s]
        for w in range(data.section_starts[s], data.section_starts[s + 1]):
            left = data.everyone[w]
            for j in range(length + 1):
                taken = left
                if j < length:
                    taken &= cover_word(data, antecedent_list[j], w)
                state.captured[state.rows[r, j], w] = taken
                state.label_counts[state.rows[r, j], label] += weight * n_ones(taken)
                left ^= taken


@njit
def cover_word(data, antecedent, w):
    """A word of an antecedent's cover."""
    if data.condition_ids.shape[1] == 0:
        return data.covers[antecedent, w]
    word = data.everyone[w]
    for i in range(data.condition_ids.shape[1]):
        if data.condition_ids[antecedent, i] >= 0:
            word &= data.covers[data.condition_ids[antecedent, i], w]
    return word
