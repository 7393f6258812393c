"""The sum over all lists of a small pool, by the subset of its antecedents that came before.

What the rules of a list leave to the next one, and the prior of the next one, depend on which
antecedents came before and not on their order. So the sum over all ordered lists is a sum over
the paths through the subsets of the pool. A subset is a number: bit i is set where the i-th
antecedent of ``chosen`` has been used. Every function goes through a range of subsets, such that
the caller can be interrupted between two of them.
"""

import math
from typing import NamedTuple

import numpy as np

from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.marginal_likelihood import log_marginal_likelihood
from elseif.compiled.prior import log_normaliser, unused_weight

# terms smaller than the largest by this factor, in logs, are lost in a float's rounding
NEGLIGIBLE = -60.0


class Likelihood(NamedTuple):
    """What the marginal likelihood of a rule reads; fields as in Data."""

    pseudocounts: np.ndarray
    pseudocount_total: float
    log_pochhammer: np.ndarray
    count_unit: float


class Subsets(NamedTuple):
    """The subsets of some antecedents, and room to work on one of them."""

    chosen: np.ndarray  # int64 (antecedents,): the pool's antecedent of each bit
    log_weights: np.ndarray  # float64 (antecedents,): of each in the prior, 0 where all are alike
    # int32 or int64 (subsets, labels): counts of the observations that no antecedent covers
    uncovered: np.ndarray
    counts: np.ndarray  # int64 (1, labels): what a rule captures
    items: np.ndarray  # int64 (antecedents,): the subset as a list
    used: np.ndarray  # int64 (cardinalities,)
    class_terms: np.ndarray  # float64 (cardinalities,): log prior of a class of cardinality
    options: np.ndarray  # float64 (antecedents + 1,): to end there, or to go on with each


@compiled
def count_patterns(data, chosen, words, first, last, counts):
    """Count the observations of some words by label and by which antecedents cover them.

    They are counted at the complement of the subset that covers them; words is room for a word of
    each antecedent's cover.
    """
    n = len(chosen)
    section = 0
    for word in range(first, last):
        while data.section_starts[section + 1] <= word:
            section += 1
        present = data.everyone[word]
        if present == 0:
            continue
        for i in range(n):
            cover = present
            if data.condition_ids.shape[1] == 0:
                cover &= data.covers[chosen[i], word]
            else:
                for c in range(data.condition_ids.shape[1]):
                    if data.condition_ids[chosen[i], c] >= 0:
                        cover &= data.covers[data.condition_ids[chosen[i], c], word]
            words[i] = cover
        label, weight = data.section_labels[section], data.section_weights[section]
        for bit in range(64):
            shift = np.uint64(bit)
            if present >> shift & np.uint64(1):
                subset = 0
                for i in range(n):
                    subset |= np.int64(words[i] >> shift & np.uint64(1)) << i
                counts[(1 << n) - 1 - subset, label] += weight


@inlined
def enter_subset(prior, work, subset):
    """Compute what the prior of the next rule needs; the subset's size is returned."""
    for k in range(len(work.used)):
        work.used[k] = 0
    size = 0
    for i in range(len(work.chosen)):
        if subset >> i & 1:
            a = work.chosen[i]
            work.items[size] = a
            work.used[prior.cardinality_class[a]] += 1
            size += 1
    whole = 0.0
    if size < len(prior.cardinality_class):  # nothing comes after a list of the whole pool
        whole = log_normaliser(prior, work.used)
    for k in range(len(work.used)):
        unused = prior.class_sizes[k] - work.used[k]
        if unused > 0:
            if prior.weighted:
                log_unused = math.log(unused_weight(prior, work.items, size, k))
            else:
                log_unused = prior.log_counts[unused]
            work.class_terms[k] = prior.log_mass[k] - whole - log_unused
    return size


@inlined
def log_end(likelihood, prior, work, subset, size):
    """Log prior and likelihood of ending the list there: of its length and the default rule."""
    return prior.log_length[size] + log_marginal_likelihood(likelihood, work.uncovered, subset)


@inlined
def log_step(likelihood, prior, work, subset, i):
    """Log prior and likelihood of the i-th antecedent as the next rule."""
    keep_small()
    following = subset | 1 << i
    for label in range(work.counts.shape[1]):
        work.counts[0, label] = work.uncovered[subset, label] - work.uncovered[following, label]
    term = work.class_terms[prior.cardinality_class[work.chosen[i]]] + work.log_weights[i]
    return term + log_marginal_likelihood(likelihood, work.counts, 0)


@inlined
def enter_options(likelihood, prior, work, subset, log_rest):
    """What ending there, and going on with each antecedent, adds to the sum after a subset."""
    size = enter_subset(prior, work, subset)
    work.options[0] = log_end(likelihood, prior, work, subset, size)
    for i in range(len(work.chosen)):
        work.options[i + 1] = -np.inf
        if not subset >> i & 1:
            rest = log_rest[subset | 1 << i]
            work.options[i + 1] = log_step(likelihood, prior, work, subset, i) + rest


@compiled
def sum_up(likelihood, prior, work, first, last, log_rest, log_best):
    """For subsets from the last down: log sum of all that can follow each, and its maximum."""
    n = len(work.chosen)
    for subset in range(last - 1, first - 1, -1):
        size = enter_subset(prior, work, subset)
        best = log_end(likelihood, prior, work, subset, size)
        highest = best
        work.options[0] = best
        n_options = 1
        for i in range(n):
            if not subset >> i & 1:
                step = log_step(likelihood, prior, work, subset, i)
                option = step + log_rest[subset | 1 << i]
                work.options[n_options] = option
                n_options += 1
                highest = max(highest, option)
                best = max(best, step + log_best[subset | 1 << i])
        total = 0.0
        for j in range(n_options):
            if work.options[j] - highest > NEGLIGIBLE:
                total += math.exp(work.options[j] - highest)
        log_rest[subset] = highest + math.log(total)
        log_best[subset] = best


@compiled
def maximise(likelihood, prior, work, first, last, may_end, longest, log_best):
    """For subsets from the last down: the highest log posterior of what can follow each.

    A list may end at some subsets only, none of which is larger than the longest list.
    """
    for subset in range(last - 1, first - 1, -1):
        size = 0
        for i in range(len(work.chosen)):
            size += subset >> i & 1
        best = -np.inf
        if size <= longest:
            enter_subset(prior, work, subset)
            if may_end[subset]:
                best = log_end(likelihood, prior, work, subset, size)
            if size < longest:
                for i in range(len(work.chosen)):
                    if not subset >> i & 1:
                        rest = log_best[subset | 1 << i]
                        if rest > -np.inf:
                            best = max(best, log_step(likelihood, prior, work, subset, i) + rest)
        log_best[subset] = best


@compiled
def visit(likelihood, prior, work, first, last, log_rest, visits, ends):
    """For subsets from the first up: the probability that a list comes through, and ends there.

    Of the empty subset it is given, as 1.
    """
    for subset in range(first, last):
        share = visits[subset]
        ends[subset] = 0.0
        if share == 0.0:
            continue
        enter_options(likelihood, prior, work, subset, log_rest)
        ends[subset] = share * math.exp(work.options[0] - log_rest[subset])
        for i in range(len(work.chosen)):
            if not subset >> i & 1:
                following = share * math.exp(work.options[i + 1] - log_rest[subset])
                visits[subset | 1 << i] += following


@compiled
def draw_lists(likelihood, prior, work, log_rest, uniforms, items, lengths):
    """Independent lists, (draws, antecedents): each step with its exact probability."""
    n = len(work.chosen)
    for draw in range(len(uniforms)):
        subset, length = 0, 0
        while True:
            enter_options(likelihood, prior, work, subset, log_rest)
            total = 0.0
            for j in range(n + 1):
                work.options[j] = math.exp(work.options[j] - log_rest[subset])
                total += work.options[j]
            # the total is 1 but for rounding
            left = uniforms[draw, length] * total
            option, last = -1, 0
            for j in range(n + 1):
                if work.options[j] > 0.0:
                    last = j
                    left -= work.options[j]
                    if left < 0.0:
                        option = j
                        break
            if option < 0:
                option = last
            if option == 0:
                break
            items[draw, length] = option - 1
            subset |= 1 << (option - 1)
            length += 1
        lengths[draw] = length


@compiled
def log_end_of(likelihood, prior, work, subset):
    """log_end of a single subset."""
    size = enter_subset(prior, work, subset)
    return log_end(likelihood, prior, work, subset, size)


@compiled
def log_step_of(likelihood, prior, work, subset, i):
    """log_step of a single subset."""
    enter_subset(prior, work, subset)
    return log_step(likelihood, prior, work, subset, i)


@compiled
def add_up_lists(likelihood, prior, work, lists, lengths, log_posterior):
    """Log prior times likelihood of some lists, (lists, antecedents), given by their bits."""
    for row in range(len(lists)):
        subset, total = 0, 0.0
        for j in range(lengths[row]):
            enter_subset(prior, work, subset)
            total += log_step(likelihood, prior, work, subset, lists[row, j])
            subset |= 1 << lists[row, j]
        size = enter_subset(prior, work, subset)
        log_posterior[row] = total + log_end(likelihood, prior, work, subset, size)


@inlined
def consequent(likelihood, counts, row, label, total):
    """Posterior mean of a label's probability, from the counts that a rule captures."""
    unit = likelihood.count_unit
    alpha = counts[row, label] * unit + likelihood.pseudocounts[label]
    return alpha / (total * unit + likelihood.pseudocount_total)


@compiled
def begin_table(likelihood, prior, work, first, last, ends, table):
    """What lists that end at a subset predict where none of their antecedents is true."""
    for subset in range(first, last):
        total = np.int64(0)
        for label in range(table.shape[1]):
            total += work.uncovered[subset, label]
        for label in range(table.shape[1]):
            mean = consequent(likelihood, work.uncovered, subset, label, total)
            table[subset, label] = ends[subset] * mean


@compiled
def enter_captured(likelihood, prior, work, i, first, last, log_rest, visits, captured):
    """What lists predict by the i-th antecedent's rule, by the subset that came before it.

    A row of captured stands for the subset without i whose other bits are those of the row.
    """
    low = (1 << i) - 1
    for row in range(first, last):
        subset = (row & ~low) << 1 | row & low
        share = visits[subset]
        if share == 0.0:
            for label in range(captured.shape[1]):
                captured[row, label] = 0.0
            continue
        enter_subset(prior, work, subset)
        rest = log_rest[subset | 1 << i] - log_rest[subset]
        share *= math.exp(log_step(likelihood, prior, work, subset, i) + rest)
        total = np.int64(0)
        for label in range(captured.shape[1]):
            total += work.counts[0, label]
        for label in range(captured.shape[1]):
            captured[row, label] = share * consequent(likelihood, work.counts, 0, label, total)


@compiled
def add_to_subsets(values, i):
    """Add the value at each subset with i to that of the same subset without it."""
    low = (1 << i) - 1
    for row in range(len(values) // 2):
        subset = (row & ~low) << 1 | row & low
        for column in range(values.shape[1]):
            values[subset, column] += values[subset | 1 << i, column]


@compiled
def add_to_supersets(values, i):
    """Add the value at each subset without i to that of the same subset with it."""
    low = (1 << i) - 1
    for row in range(len(values) // 2):
        subset = (row & ~low) << 1 | row & low
        for column in range(values.shape[1]):
            values[subset | 1 << i, column] += values[subset, column]


@compiled
def add_captured(values, i, captured):
    """Add, at subsets without i, the row of captured that stands for them."""
    low = (1 << i) - 1
    for row in range(len(captured)):
        subset = (row & ~low) << 1 | row & low
        for column in range(values.shape[1]):
            values[subset, column] += captured[row, column]
