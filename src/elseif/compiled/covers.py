"""Covers of antecedents: their own, or joined from their conditions' when they are needed."""

from elseif.compiled.jit import compiled, inlined
from elseif.compiled.sizes import BLOCK_WORDS, WORDS_AHEAD
from elseif.compiled.vectors import copy_words, count_both, fetch_words, keep_covered, words_at


@inlined
def join_block(covers, condition_ids, a, joined, start, n_words):
    """Write some words of an antecedent's cover, from start on, to where joined begins."""
    first = condition_ids[a, 0] if condition_ids.shape[1] > 0 else a
    copy_words(words_at(covers, first, start), joined, n_words)
    for i in range(1, condition_ids.shape[1]):
        if condition_ids[a, i] >= 0:
            keep_covered(joined, words_at(covers, condition_ids[a, i], start), n_words)


@inlined
def cover_at(covers, condition_ids, a, joined, start, n_words):
    """Where words of an antecedent's cover are; joined now if it has no cover of its own."""
    if condition_ids.shape[1] == 0:
        return words_at(covers, a, start)
    join_block(covers, condition_ids, a, joined, start, n_words)
    return joined


@inlined
def fetch_cover(covers, condition_ids, antecedent):
    """Ask for the beginning of a cover while there is something else to do."""
    if condition_ids.shape[1] == 0:
        fetch_words(words_at(covers, antecedent, 0), min(WORDS_AHEAD, covers.shape[1]))


@inlined
def group_of(bits, numbers, first, last, start):
    """Where the rows of bits begin that some rules, from the first on, have the numbers of."""
    second, third, fourth = min(first + 1, last), min(first + 2, last), min(first + 3, last)
    return (
        words_at(bits, numbers[first], start),
        words_at(bits, numbers[second], start),
        words_at(bits, numbers[third], start),
        words_at(bits, numbers[fourth], start),
    )


@compiled
def join_covers(covers, condition_ids, joined):
    """Covers of conjunctions, given as rows of condition numbers (-1 for none)."""
    for a in range(len(condition_ids)):
        join_block(covers, condition_ids, a, words_at(joined, a, 0), 0, covers.shape[1])


@compiled
def count_conjunctions(covers, condition_ids, sections, joined, counts):
    """Label counts of conjunctions that are joined a block at a time and not kept."""
    starts, labels, weights = sections
    for a in range(len(condition_ids)):
        for s in range(len(labels)):
            for start in range(starts[s], starts[s + 1], BLOCK_WORDS):
                n_words = min(BLOCK_WORDS, starts[s + 1] - start)
                words = words_at(joined, 0, 0)
                join_block(covers, condition_ids, a, words, start, n_words)
                counts[a, labels[s]] += count_both(words, words, n_words) * weights[s]
