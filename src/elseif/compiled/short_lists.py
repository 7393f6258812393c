"""The log posterior of every list of two rules, from what pairs of covers share."""

from elseif.compiled.covers import join_block
from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.marginal_likelihood import log_marginal_likelihood
from elseif.compiled.prior import log_prior
from elseif.compiled.vectors import count_both, words_at


@inlined
def count_shared(sections, first, second, first_row, second_row, shared):
    """Label counts of the observations that two covers share."""
    keep_small()
    starts, labels, weights = sections
    for label in range(shared.shape[1]):
        shared[0, label] = 0
    for s in range(len(labels)):
        a, b = words_at(first, first_row, starts[s]), words_at(second, second_row, starts[s])
        shared[0, labels[s]] += count_both(a, b, starts[s + 1] - starts[s]) * weights[s]


@compiled
def score_pairs(data, prior, pairs, room, counts, best):
    """Find the best second rule for each of some first rules, among some second rules.

    pairs are (first antecedents, their joined covers, second antecedents, theirs); counts are
    (label counts of all antecedents, of everybody); best are (second, log posterior, log
    likelihood) for each first rule so far, and are improved on; the second rule met first wins
    a tie. room is (shared, (1, labels); left, (2, labels); pair, (2,); used, (cardinalities,)).
    """
    keep_small()
    firsts, first_covers, seconds, second_covers = pairs
    shared, left, pair, used = room
    label_counts, totals = counts
    best_second, best_log_posterior, best_log_likelihood = best
    sections = (data.section_starts, data.section_labels, data.section_weights)
    n_labels = len(data.pseudocounts)
    for i in range(len(firsts)):
        a = firsts[i]
        alone = log_marginal_likelihood(data, label_counts, a)
        for j in range(len(seconds)):
            b = seconds[j]
            if a == b:
                continue
            count_shared(sections, first_covers, second_covers, i, j, shared)
            for label in range(n_labels):
                n_second = label_counts[b, label] - shared[0, label]
                left[0, label] = n_second
                left[1, label] = totals[label] - label_counts[a, label] - n_second
            pair[0], pair[1] = a, b
            value = alone + log_marginal_likelihood(data, left, 0)
            value += log_marginal_likelihood(data, left, 1)
            log_posterior = value + log_prior(prior, pair, 2, used)
            if best_second[i] < 0 or log_posterior > best_log_posterior[i]:
                best_second[i], best_log_posterior[i] = b, log_posterior
                best_log_likelihood[i] = value


@compiled
def join_some(data, antecedents, joined):
    """Write the covers of some antecedents."""
    n_words = len(data.everyone)
    for i in range(len(antecedents)):
        words = words_at(joined, i, 0)
        join_block(data.covers, data.condition_ids, antecedents[i], words, 0, n_words)
