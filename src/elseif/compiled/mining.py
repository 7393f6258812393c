"""Frequent conjunctions, by walking through those that begin with a condition (section 2.2)."""

import numpy as np

from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.vectors import copy_words, count_both, keep_covered, words_at


@inlined
def is_frequent(miner, bits, row, condition):
    """Whether a row and a condition together reach the support asked for."""
    keep_small()
    for label in range(len(miner.counts)):
        miner.counts[label] = 0
    total = np.int64(0)
    for s in range(len(miner.section_labels)):
        start, stop = miner.section_starts[s], miner.section_starts[s + 1]
        cover = words_at(miner.covers, condition, start)
        n = count_both(words_at(bits, row, start), cover, stop - start) * miner.section_weights[s]
        miner.counts[miner.section_labels[s]] += n
        total += n
    if total >= miner.least[len(miner.counts)]:
        return True
    for label in range(len(miner.counts)):
        if miner.counts[label] >= miner.least[label]:
            return True
    return False


@compiled
def mine_from(miner, first, max_cardinality, condition_ids, n_found):
    """Frequent conjunctions whose first condition is the given one.

    They are written into condition_ids from row n_found on; returned is the number of rows
    then filled, or -1 when there was no room for all.
    """
    keep_small()
    if n_found >= len(condition_ids):
        return -1
    n_words = miner.covers.shape[1]
    condition_ids[n_found, 0] = first
    for i in range(1, max_cardinality):
        condition_ids[n_found, i] = -1
    n_found += 1
    if max_cardinality == 1:
        return n_found
    depth = 0
    copy_words(words_at(miner.covers, first, 0), words_at(miner.prefix, 0, 0), n_words)
    n = 0
    for c in range(first + 1, miner.covers.shape[0]):
        if miner.can_join[first, c] and is_frequent(miner, miner.prefix, 0, c):
            miner.candidates[0, n] = c
            n += 1
    miner.n_candidates[0] = n
    # candidate[d]: which candidate of depth d is being extended, kept in the last column
    miner.candidates[0, miner.covers.shape[0]] = -1
    while depth >= 0:
        candidate = miner.candidates[depth, miner.covers.shape[0]] + 1
        if candidate >= miner.n_candidates[depth]:
            depth -= 1
            continue
        miner.candidates[depth, miner.covers.shape[0]] = candidate
        condition = miner.candidates[depth, candidate]
        if n_found >= len(condition_ids):
            return -1
        condition_ids[n_found, 0] = first
        for d in range(depth + 1):
            condition_ids[n_found, d + 1] = miner.candidates[
                d, miner.candidates[d, miner.covers.shape[0]]
            ]
        for i in range(depth + 2, max_cardinality):
            condition_ids[n_found, i] = -1
        n_found += 1
        if depth + 2 >= max_cardinality:
            continue
        longer = words_at(miner.prefix, depth + 1, 0)
        copy_words(words_at(miner.prefix, depth, 0), longer, n_words)
        keep_covered(longer, words_at(miner.covers, condition, 0), n_words)
        n = 0
        # what is infrequent with a shorter prefix cannot be frequent with this one
        for i in range(candidate + 1, miner.n_candidates[depth]):
            c = miner.candidates[depth, i]
            if miner.can_join[condition, c] and is_frequent(miner, miner.prefix, depth + 1, c):
                miner.candidates[depth + 1, n] = c
                n += 1
        depth += 1
        miner.n_candidates[depth] = n
        miner.candidates[depth, miner.covers.shape[0]] = -1
    return n_found
