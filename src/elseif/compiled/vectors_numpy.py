"""The loops of ``vectors_llvm`` in NumPy: slower, and readable by any tool that reads Python.

Where compiled code has the address of a word, this has a view of all words from there on.
"""

import numpy as np


def words_at(bits, row, start):
    """The words of a row of bits from start on; an array of one dimension is a single row."""
    return bits[start:] if bits.ndim == 1 else bits[row, start:]


def count_both(a, b, n_words):
    """Number of ones that two runs of words share."""
    return n_ones(a[:n_words] & b[:n_words])


def n_ones(words):
    """Number of ones in some words."""
    return np.bitwise_count(words).sum(dtype=np.int64)


def fetch_words(words, n_words):
    """Ask for words that will soon be read: nothing that Python could do."""


def copy_words(source, copy, n_words):
    """Copy a run of words."""
    copy[:n_words] = source[:n_words]


def clear_words(words, n_words):
    """Make a run of words 0."""
    words[:n_words] = 0


def keep_covered(words, cover, n_words):
    """Clear what a cover does not have."""
    words[:n_words] &= cover[:n_words]


def move_covered(source, cover, target, n_words):
    """Move what a cover has of one run of words to another."""
    moved = source[:n_words] & cover[:n_words]
    source[:n_words] ^= moved
    target[:n_words] |= moved


def count_group(cover, group, n_rules, n_words, counts, first, label, unit):
    """Count what a cover has of each of some runs of words.

    For each, a multiple (unit) is added to counts[first + i, label]; their sum is returned.
    """
    total = np.int64(0)
    for i in range(n_rules):
        gain = count_both(cover, group[i], n_words) * unit
        counts[first + i, label] += gain
        total += gain
    return total


def take_group(source, left, group, n_rules, n_words, counts, first, label, unit):
    """Let some covers in turn take what they have of the source, and count it.

    Counts are as in count_group; what nobody took is written to left, which may be the source.
    """
    rest, total = source[:n_words].copy(), np.int64(0)
    for i in range(n_rules):
        taken = rest & group[i][:n_words]
        rest ^= taken
        gain = n_ones(taken) * unit
        counts[first + i, label] += gain
        total += gain
    left[:n_words] = rest
    return total


def wrapping_add(a, b):
    """The sum of two words modulo 2^64, without NumPy's warning."""
    return np.uint64((int(a) + int(b)) % 2**64)
