"""Groups of antecedents whose covers nearly coincide, and whose differences say nothing."""

import math

import numpy as np

from elseif.compiled.covers import cover_at
from elseif.compiled.evidence import one_rule_gain
from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.sizes import WORDS_COMPARED
from elseif.compiled.vectors import count_both, words_at


@inlined
def bucket_of(size, n, width, n_buckets):
    """Covers that correlate more than exp(-width / 2) are in the same bucket, or in the next."""
    log_odds = math.log(size / (n - size)) + 50.0
    return min(max(np.int64(log_odds / width), 1), n_buckets - 2)


@inlined
def least_shared(size, other, n, correlation):
    """How many observations two covers share at least where they correlate so much."""
    spread = size * (n - size) * other * (n - other)
    return (correlation * math.sqrt(spread) + size * other) / n - 1e-6


@inlined
def shares_enough(covers, condition_ids, sections, pair, enough, counts, room):
    """Whether two antecedents share enough observations; if so room.both has them by label.

    The comparison ends where too many were found that only the first covers.
    """
    keep_small()
    starts, labels, weights = sections
    a, b = pair
    most = np.int64(0)
    for label in range(counts.shape[1]):
        most += min(counts[a, label], counts[b, label])
        room.both[0, label] = 0
    if most < enough:
        return False
    most = np.int64(0)
    for label in range(counts.shape[1]):
        most += counts[a, label]
    for s in range(len(labels)):
        for start in range(starts[s], starts[s + 1], WORDS_COMPARED):
            n_words = min(WORDS_COMPARED, starts[s + 1] - start)
            ours = cover_at(covers, condition_ids, a, words_at(room.words, 0, 0), start, n_words)
            theirs = cover_at(covers, condition_ids, b, words_at(room.words, 1, 0), start, n_words)
            n_both = count_both(ours, theirs, n_words) * weights[s]
            most -= count_both(ours, ours, n_words) * weights[s] - n_both
            if most < enough:
                return False
            room.both[0, labels[s]] += n_both
    return True


@inlined
def differs_in_labels(evidence, counts, a, room, most_evidence):
    """Whether those that a covers beyond the shared ones have labels of their own."""
    for label in range(counts.shape[1]):
        room.beyond[0, label] = counts[a, label] - room.both[0, label]
    return one_rule_gain(evidence, room.beyond, 0) > most_evidence


@compiled
def find_leaders(covers, condition_ids, sections, evidence, counts, order, limits, room, leader):
    """For each antecedent the leader of its group: one that came earlier, or itself.

    limits are the least correlation, the evidence that separates two covers, and n.
    """
    correlation, most_evidence, n = limits
    width = max(-2.0 * math.log(correlation), 1e-3) * 1.000001
    n_buckets = len(room.heads)
    for rank in range(len(order)):
        a = order[rank]
        size = np.int64(0)
        for label in range(counts.shape[1]):
            size += counts[a, label]
        leader[a] = a
        bucket = bucket_of(size, n, width, n_buckets)
        for near in range(bucket - 1, bucket + 2):
            b = room.heads[near]
            while b >= 0 and leader[a] == a:
                other = np.int64(0)
                for label in range(counts.shape[1]):
                    other += counts[b, label]
                enough = least_shared(size, other, n, correlation)
                if (
                    enough <= min(size, other)
                    and shares_enough(covers, condition_ids, sections, (a, b), enough, counts, room)
                    and not differs_in_labels(evidence, counts, a, room, most_evidence)
                    and not differs_in_labels(evidence, counts, b, room, most_evidence)
                ):
                    leader[a] = b
                b = room.following[b]
        if leader[a] == a:
            room.following[a] = room.heads[bucket]
            room.heads[bucket] = a
