"""Observations that change rules: counted for a proposal, moved when it is accepted.

A chain keeps, for every position of its list, the observations that the rule there captures; the
default rule comes last. A proposal is evaluated by counting only what it would transfer from rule
to rule, and nothing is written unless it is accepted.
"""

from elseif.compiled.covers import cover_at, group_of
from elseif.compiled.jit import inlined, keep_small
from elseif.compiled.marginal_likelihood import log_marginal_likelihood
from elseif.compiled.sizes import BLOCK_WORDS, GROUP
from elseif.compiled.vectors import (
    clear_words,
    copy_words,
    count_group,
    move_covered,
    take_group,
    words_at,
)


@inlined
def begin_counts(state, r, change):
    """Set the counts to those of the present list, from which transfers are counted."""
    keep_small()
    labels = len(state.pending_counts)
    for j in range(change.first, change.last + 1):
        for label in range(labels):
            state.new_counts[j, label] = state.label_counts[state.rows[r, j], label]
    for label in range(labels):
        state.rule_counts[0, label] = 0
        state.pending_counts[label] = state.label_counts[change.row, label] if change.exists else 0


@inlined
def settle_pending(state, change):
    """Count what no cover took for the rule where it ends, once all transfers are counted."""
    keep_small()
    for label in range(len(state.pending_counts)):
        if change.rest == change.row:
            state.rule_counts[0, label] += state.pending_counts[label]
        else:
            state.new_counts[change.last, label] += state.pending_counts[label]


@inlined
def log_ratio_of_counts(data, state, r, change):
    """log p(y | d*) - log p(y | d), once the new counts are known."""
    keep_small()
    labels = len(state.pending_counts)
    ratio = 0.0
    if change.exists:
        ratio -= state.log_likelihoods[change.row]
    for j in range(change.first, change.last + 1):
        row = state.rows[r, j]
        for label in range(labels):
            if state.new_counts[j, label] != state.label_counts[row, label]:
                ratio += log_marginal_likelihood(data, state.new_counts, j)
                ratio -= state.log_likelihoods[row]
                break
    if change.stays:
        ratio += log_marginal_likelihood(data, state.rule_counts, 0)
    return ratio


@inlined
def count_transfer(data, state, r, change):
    """Count what a proposal transfers from rule to rule, a block of observations at a time.

    What is read for some rules, the block of a cover or of the pending observations, is then
    still in the nearest cache for the next. The default rule takes what is left pending.
    """
    rows, antecedents, counts = state.rows[r], state.antecedent_list[r], state.new_counts
    first, last_taken, last_covered = change.first, change.last_taken, change.last_covered
    takes, releases = change.taker >= 0, change.releases
    is_lazy = data.condition_ids.shape[1] > 0
    covers, condition_ids, captured = data.covers, data.condition_ids, state.captured
    pending, lazy_cover = words_at(state.pending, 0, 0), words_at(state.lazy_cover, 0, 0)
    for s in range(len(data.section_labels)):
        label, weight = data.section_labels[s], data.section_weights[s]
        for start in range(data.section_starts[s], data.section_starts[s + 1], BLOCK_WORDS):
            n_words = min(BLOCK_WORDS, data.section_starts[s + 1] - start)
            source = words_at(captured, change.row, start)
            if takes:
                cover = cover_at(covers, condition_ids, change.taker, lazy_cover, start, n_words)
                if releases and change.stays:  # a replacement keeps what both cover
                    group = (cover, cover, cover, cover)
                    n = take_group(
                        source, pending, group, 1, n_words, state.rule_counts, 0, label, weight
                    )
                    state.pending_counts[label] -= n
                    source = pending
                for j in range(first, last_taken + 1, GROUP):
                    group = group_of(captured, rows, j, last_taken, start)
                    n_rules = min(GROUP, last_taken + 1 - j)
                    state.rule_counts[0, label] -= count_group(
                        cover, group, n_rules, n_words, counts, j, label, -weight
                    )
            if releases:
                step = 1 if is_lazy else GROUP
                for j in range(change.first_released, last_covered + 1, step):
                    if is_lazy:
                        a = antecedents[j]
                        cover = cover_at(covers, condition_ids, a, lazy_cover, start, n_words)
                        group = (cover, cover, cover, cover)
                    else:
                        group = group_of(covers, antecedents, j, last_covered, start)
                    n_rules = min(step, last_covered + 1 - j)
                    state.pending_counts[label] -= take_group(
                        source, pending, group, n_rules, n_words, counts, j, label, weight
                    )
                    source = pending


@inlined
def write_transfer(data, state, r, change):
    """Move the bits that count_transfer counted, a block at a time."""
    covers, condition_ids = data.covers, data.condition_ids
    pending, lazy_cover = words_at(state.pending, 0, 0), words_at(state.lazy_cover, 0, 0)
    for start in range(0, len(data.everyone), BLOCK_WORDS):
        n_words = min(BLOCK_WORDS, len(data.everyone) - start)
        captured = words_at(state.captured, change.row, start)
        if change.releases:
            copy_words(captured, pending, n_words)
        if change.releases or not change.exists:
            clear_words(captured, n_words)
        if change.taker >= 0:
            cover = cover_at(covers, condition_ids, change.taker, lazy_cover, start, n_words)
            if change.releases:
                move_covered(pending, cover, captured, n_words)
            for j in range(change.first, change.last + 1):
                other = words_at(state.captured, state.rows[r, j], start)
                move_covered(other, cover, captured, n_words)
        if change.releases:
            for j in range(change.first, change.last_covered + 1):
                a = state.antecedent_list[r, j]
                cover = cover_at(covers, condition_ids, a, lazy_cover, start, n_words)
                other = words_at(state.captured, state.rows[r, j], start)
                move_covered(pending, cover, other, n_words)
            move_covered(pending, pending, words_at(state.captured, change.rest, start), n_words)


@inlined
def write_counts(data, state, r, change):
    """Keep the counts that a proposal was judged by, and the rules' terms."""
    keep_small()
    labels = len(state.pending_counts)
    for j in range(change.first, change.last + 1):
        row = state.rows[r, j]
        for label in range(labels):
            state.label_counts[row, label] = state.new_counts[j, label]
        state.log_likelihoods[row] = log_marginal_likelihood(data, state.label_counts, row)
    if change.stays:
        for label in range(labels):
            state.label_counts[change.row, label] = state.rule_counts[0, label]
        term = log_marginal_likelihood(data, state.label_counts, change.row)
        state.log_likelihoods[change.row] = term
