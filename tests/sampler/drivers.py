"""Loops over calls of the package's compiled functions.

They are compiled where those are, for a call from Python costs more than a step, and never cached
on disk: Numba would not notice that what they call has changed beneath them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit

from tests.sampler.bit_by_bit import capture
from tests.sampler.core import Core, compiled_core, interpreted_core, package_core


@njit
def set_uniform(seed, k, n_earlier):
    """Make the uniform that follows n_earlier others k 2^-53: xoshiro256++ run backwards."""
    out = np.uint64(k) << np.uint64(11)
    a, b = np.uint64(0), np.uint64(0x9E3779B97F4A7C15)
    c, d = np.uint64(0xBF58476D1CE4E5B9), (out >> np.uint64(23)) | (out << np.uint64(41))
    for _ in range(n_earlier):
        d = (d >> np.uint64(45)) | (d << np.uint64(19))
        a ^= d
        mixed = b ^ c
        old = mixed ^ (mixed << np.uint64(17)) ^ (mixed << np.uint64(34)) ^ (mixed << np.uint64(51))
        c = b ^ old ^ a
        b = old
        d ^= b
    seed[0], seed[1], seed[2], seed[3] = a, b, c, d


class Drivers(NamedTuple):
    """Loops over the compiled functions of one core, compiled as they are."""

    enter_list: Callable
    enter_all: Callable
    evaluate_steps: Callable
    weigh_steps: Callable
    propose_many: Callable
    run_many: Callable
    swap_all: Callable


def make_drivers(core: Core, compile_function: Callable) -> Drivers:
    """The loops, for the package's functions or for a mutant of them."""
    log_prior, log_marginal_likelihood = core.log_prior, core.log_marginal_likelihood
    refresh_log_posterior = core.refresh_log_posterior
    log_prior_ratio, log_proposal_ratio = core.log_prior_ratio, core.log_proposal_ratio
    log_known_ratio, log_ratio_of_counts = core.log_known_ratio, core.log_ratio_of_counts
    count, settle_pending = core.count_transfer, core.settle_pending
    begin_counts, decide, count_rule = core.begin_counts, core.decide, core.count_rule
    accept, propose, next_uniform = core.accept, core.propose, core.next_uniform
    describe_change = core.describe_change
    add, move, remove, add_positioned = core.ADD, core.MOVE, core.REMOVE, core.ADD_POSITIONED
    write_run, advance, swap_lists = core.write_run, core.advance, core.swap_lists
    running, needs_buffer = core.REACHED, core.NEEDS_BUFFER

    @compile_function
    def enter_list(data, prior, state, r, antecedent_list):
        """Make a list that of a replica."""
        capture(data, prior, state, r, antecedent_list)
        for j in range(state.length[r] + 1):
            row = state.rows[r, j]
            state.log_likelihoods[row] = log_marginal_likelihood(data, state.label_counts, row)
        refresh_log_posterior(prior, state, r)

    def enter_all(data, prior, state, items, offsets, terms, counts):
        """Log prior, log likelihood, log posterior and label counts of every list.

        With several replicas a list is read only after others were entered beside it.
        """
        n, n_replicas = len(offsets) - 1, len(state.length)
        for entered in range(n + n_replicas - 1):
            if entered < n:
                r = entered % n_replicas
                enter_list(data, prior, state, r, items[offsets[entered] : offsets[entered + 1]])
            i = entered - n_replicas + 1
            if i < 0:
                continue
            r = i % n_replicas
            length = state.length[r]
            terms[i, 0] = log_prior(prior, state.antecedent_list[r], length, state.trial_used)
            for j in range(length + 1):
                row = state.rows[r, j]
                terms[i, 1] += state.log_likelihoods[row]
                for label in range(counts.shape[2]):
                    counts[i, j, label] = state.label_counts[row, label]
            terms[i, 2] = state.log_posterior[r]

    @compile_function
    def count_differences(state, fresh, r):
        """How many entries of a replica differ from those of one freshly entered."""
        n = abs(state.length[r] - fresh.length[r])
        n += state.log_posterior[r] != fresh.log_posterior[r]
        for j in range(fresh.length[r] + 1):
            row, fresh_row = state.rows[r, j], fresh.rows[r, j]
            n += state.log_likelihoods[row] != fresh.log_likelihoods[fresh_row]
            for w in range(state.captured.shape[1]):
                n += state.captured[row, w] != fresh.captured[fresh_row, w]
            for label in range(state.label_counts.shape[1]):
                n += state.label_counts[row, label] != fresh.label_counts[fresh_row, label]
        for j in range(fresh.length[r]):
            n += state.antecedent_list[r, j] != fresh.antecedent_list[r, j]
        for a in range(state.in_list.shape[1]):
            n += state.in_list[r, a] != fresh.in_list[r, a]
        for k in range(state.used.shape[1]):
            n += state.used[r, k] != fresh.used[r, k]
        n_rows = state.rows.shape[1]
        for i in range(n_rows):  # the rows stay a permutation, and the replica's own
            result = 0
            for j in range(n_rows):
                result += state.rows[r, j] == r * n_rows + i
            n += result != 1
        return n

    def evaluate_steps(
        data, prior, tuning, t, state, fresh, items, offsets, ends, steps, values, wrong
    ):
        """The ratios at a temperature of every step (option, position, target), by its ends.

        Replicas take turns. wrong counts what the accepted state has different from the list
        freshly entered, or any other replica from what it was.
        """
        n_replicas = len(state.length)
        for s in range(len(steps)):
            option, position, target = steps[s, 0], steps[s, 1], steps[s, 2]
            old, new = ends[s, 0], ends[s, 1]
            r = s % n_replicas
            enter_list(data, prior, state, r, items[offsets[old] : offsets[old + 1]])
            enter_list(data, prior, fresh, r, items[offsets[new] : offsets[new + 1]])
            change = describe_change(state, r, option, position, target)
            values[s, 0] = log_prior_ratio(prior, state, r, change)
            begin_counts(state, r, change)
            count(data, state, r, change)
            settle_pending(state, change)
            values[s, 1] = log_ratio_of_counts(data, state, r, change)
            values[s, 2] = log_proposal_ratio(tuning, state, t, r, option, position, target)
            known = log_known_ratio(prior, tuning, state, t, r, option, position, target, change)
            begin_counts(state, r, change)
            count(data, state, r, change)
            uniforms = 0.5, 0.5, 0.5
            values[s, 3], _, _, _, _ = decide(
                data, prior, tuning, state, t, r, option, position, target, change, known, uniforms
            )
            accept(data, prior, state, r, change)
            for other in range(n_replicas):
                wrong[s] += count_differences(state, fresh, other)

    @compile_function
    def decide_with(data, prior, tuning, t, state, r, step, u_position, u_accept):
        """What is done for a step that weighs positions: whether, the option and the position."""
        option, position, target = step[0], step[1], step[2]
        change = describe_change(state, r, option, position, target)
        known = log_known_ratio(prior, tuning, state, t, r, option, position, target, change)
        begin_counts(state, r, change)
        count(data, state, r, change)
        uniforms = u_position, u_position, u_accept
        _, is_new, done, position, target = decide(
            data, prior, tuning, state, t, r, option, position, target, change, known, uniforms
        )
        return is_new, done, position, target

    def weigh_steps(
        data, prior, tuning, t, state, fresh, items, offsets, ends, steps, values, wrong
    ):
        """The probabilities with which every step that weighs positions is decided.

        steps are (option, position, target); ends the list now, without the antecedent, and with it
        at each position. values[s, 0] is the share of the uniforms that add or remove it, found by
        bisection of all 2^53, and values[s, 1 + p] that of those that put it to p or before. wrong
        counts what an accepted state has different from the list freshly entered.
        """
        n_replicas = len(state.length)
        for s in range(len(steps)):
            r, adds = s % n_replicas, steps[s, 0] == add_positioned
            now = ends[s, 0]
            enter_list(data, prior, state, r, items[offsets[now] : offsets[now + 1]])
            enter_list(data, prior, fresh, r, items[offsets[now] : offsets[now + 1]])
            low, high = 0, 1 << 53  # uniforms below low decide so, those from high on do not
            while low < high:
                k = (low + high) // 2
                is_new, done, position, target = decide_with(
                    data, prior, tuning, t, state, r, steps[s], 0.5, k / 2**53
                )
                if (is_new and adds) or done == remove:
                    low = k + 1
                else:
                    high = k
            values[s, 0] = low / 2**53
            stays = 0.0 if adds else 1.0 - 2.0**-53
            n_positions = state.length[r] + 1 if adds else state.length[r]
            if low == (0 if adds else 1 << 53):
                continue  # it is never added, or never stays
            for p in range(n_positions):
                low, high = 0, 1 << 53
                while low < high:
                    k = (low + high) // 2
                    is_new, done, position, target = decide_with(
                        data, prior, tuning, t, state, r, steps[s], k / 2**53, stays
                    )
                    if (position if adds else target) <= p:
                        low = k + 1
                    else:
                        high = k
                values[s, 1 + p] = low / 2**53
            for p in range(-1, n_positions):  # removed, or at every position
                option, position, target = add, np.int64(p), steps[s, 2]
                if not adds:
                    option, position, target = move, steps[s, 1], np.int64(p)
                if p < 0:
                    option, target = remove, np.int64(0)
                if (adds and p < 0) or (not adds and p == position):
                    continue
                new = ends[s, 2 + p]
                enter_list(data, prior, state, r, items[offsets[now] : offsets[now + 1]])
                enter_list(data, prior, fresh, r, items[offsets[new] : offsets[new + 1]])
                decide_with(data, prior, tuning, t, state, r, steps[s], 0.5, 0.5)
                change = describe_change(state, r, option, position, target)
                count_rule(state, r, change)
                accept(data, prior, state, r, change)
                for other in range(n_replicas):
                    wrong[s] += count_differences(state, fresh, other)

    def propose_many(tuning, t, state, r, seed, counts, n):
        """Count n proposals from a replica's list by option, position and target."""
        for _ in range(n):
            u_option, u_position = next_uniform(seed), next_uniform(seed)
            u_target = next_uniform(seed)
            option, position, target = propose(tuning, state, t, r, u_option, u_position, u_target)
            counts[option, position, target] += 1

    def run_many(
        data, prior, tuning, state, info, buffer, seed, items, offsets, n_steps, ends, lengths
    ):
        """Run chains of n_steps from lists for every temperature, and note where they end."""
        n_chains, n_temperatures = lengths.shape
        for i in range(n_chains):
            for t in range(n_temperatures):
                state.replica[t] = t
                first = i * n_temperatures + t
                enter_list(data, prior, state, t, items[offsets[first] : offsets[first + 1]])
            state.temperature[0], state.steps_left[0] = 0, tuning.steps_per_swap[0]
            state.n_swap_rounds[0] = 0
            info.iteration[0] = 0
            status = needs_buffer
            while status == needs_buffer:
                buffer.n_runs[0] = 0  # only where a chain ends is wanted
                write_run(state, buffer, info.iteration[0])
                status = advance(data, prior, tuning, state, info, buffer, seed, n_steps)
            if status != running:
                return status
            for t in range(n_temperatures):
                r = state.replica[t]
                lengths[i, t] = state.length[r]
                for j in range(lengths[i, t]):
                    ends[i, t, j] = state.antecedent_list[r, j]
        return running

    def swap_all(data, prior, tuning, state, info, buffer, seed, items, offsets, t, thresholds):
        """How many of the 2^53 uniforms swap the lists of t and t + 1, for all pairs.

        Every other temperature holds the empty list. What a swap should not have changed
        is counted and returned.
        """
        n, n_temperatures = len(offsets) - 1, len(state.replica)
        wrong = 0
        for r in range(n_temperatures):
            enter_list(data, prior, state, r, items[:0])
        for i in range(n):
            for j in range(n):
                colder, warmer = (t + 1) % n_temperatures, (t + 2) % n_temperatures
                enter_list(data, prior, state, colder, items[offsets[i] : offsets[i + 1]])
                enter_list(data, prior, state, warmer, items[offsets[j] : offsets[j + 1]])
                low, high = 0, 1 << 53  # uniforms below low swap, those from high on do not
                while low < high:
                    k = (low + high) // 2
                    set_uniform(seed, k, t // 2)
                    for u in range(n_temperatures):
                        state.replica[u] = (u + 1) % n_temperatures
                    state.temperature[0], state.n_swap_rounds[0] = n_temperatures, t % 2
                    buffer.n_runs[0] = 0
                    swap_lists(tuning, state, info, buffer, seed)
                    swapped = state.replica[t] == warmer
                    wrong += state.replica[t] != (warmer if swapped else colder)
                    wrong += state.replica[t + 1] != (colder if swapped else warmer)
                    wrong += state.n_swap_rounds[0] != t % 2 + 1
                    wrong += state.length[colder] != offsets[i + 1] - offsets[i]
                    wrong += state.length[warmer] != offsets[j + 1] - offsets[j]
                    if swapped:
                        low = k + 1
                    else:
                        high = k
                thresholds[i, j] = low
        return wrong

    loops = (enter_all, evaluate_steps, weigh_steps, propose_many, run_many, swap_all)
    return Drivers(enter_list, *map(compile_function, loops))


@cache
def production() -> Drivers:
    """The loops over the package's own compiled functions."""
    return make_drivers(package_core(), njit(nogil=True))


def compiled_mutant(**wrong: Callable) -> Drivers:
    """Drivers of a compiled copy with wrong functions in it."""
    return make_drivers(compiled_core(**wrong), njit)


def interpreted_mutant(**wrong: Callable) -> Drivers:
    """Drivers of a copy that plain Python runs, with wrong functions in it."""
    return make_drivers(interpreted_core(**wrong), lambda function: function)
