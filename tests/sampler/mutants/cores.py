"""Wrong functions to put into a copy of the package's compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit

from elseif.compiled.moves.options import ADD, REMOVE
from tests.sampler.cases import Case
from tests.sampler.core import Core, compiled_alone, package_core

# ------------------------------------------------------------- the published mistakes


def log_masses_subtracted(case: Case) -> Callable:
    """log_normaliser, with log masses taken off a linear sum when a cardinality runs out."""
    eta = case.expected_cardinality

    def log_normaliser(prior, used):
        total = 0.0
        for k in range(len(used)):
            log_mass = prior.log_mass[k] - eta  # of a Poisson, as the published code has it
            total += np.exp(log_mass)
            if used[k] == prior.class_sizes[k]:
                total -= log_mass
        return np.log(total) + eta

    return log_normaliser


def option_case_forgotten() -> Callable:
    """log_proposal_ratio, with the options from length 2 and from 1 taken as equally likely."""
    core = package_core()
    right, option_probability = core.log_proposal_ratio, core.option_probability
    add, remove = ADD, REMOVE

    def log_proposal_ratio(tuning, state, t, r, option, position, target):
        value = right(tuning, state, t, r, option, position, target)
        if option == remove and state.length[r] == 2:
            weights, pool_size = tuning.option_weights, tuning.addition_weights.shape[1]
            backward = option_probability(weights, add, 1, pool_size)
            value -= math.log(backward / option_probability(weights, remove, 2, pool_size))
        return value

    return log_proposal_ratio


# ------------------------------------------------------------- mistakes of tempering


def wrong_swap(sign: float, always: bool) -> Callable:
    """swap_lists with a sign for its acceptance ratio, or accepting without the ratio."""
    return swap_by(lambda state, r: state.log_tempered[r], sign, always)


def swap_by(log_tempered: Callable, sign: float = 1.0, always: bool = False) -> Callable:
    """swap_lists by another log of what a temperature takes a power of."""
    write_run = package_core().write_run
    next_uniform = compiled_alone("next_uniform")
    log_tempered = njit(log_tempered)

    def swap_lists(tuning, state, info, buffer, seed):
        first = state.n_swap_rounds[0] % 2
        state.n_swap_rounds[0] += 1
        for t in range(first, len(state.replica) - 1, 2):
            u = next_uniform(seed)
            colder, warmer = state.replica[t], state.replica[t + 1]
            gain = log_tempered(state, warmer) - log_tempered(state, colder)
            ratio = sign * (tuning.beta[t] - tuning.beta[t + 1]) * gain
            if always or ratio >= 0.0 or u < math.exp(ratio):
                state.replica[t], state.replica[t + 1] = warmer, colder
                if t == 0:
                    write_run(state, buffer, info.iteration[0] + 1)

    return swap_lists


def swap_by_log_posterior() -> Callable:
    """swap_lists by the posterior of the two lists, as if the prior had a temperature too."""
    return swap_by(lambda state, r: state.log_posterior[r])


def swap_by_likelihood() -> Callable:
    """swap_lists by the likelihood alone, though steps temper the antecedents' weights with it."""

    def log_likelihood(state, r):
        total = 0.0
        for j in range(state.length[r] + 1):
            total += state.log_likelihoods[state.rows[r, j]]
        return total

    return swap_by(log_likelihood)


def replicas_recorded(core: Core) -> Callable:
    """step, which writes every warmer replica's new list down as a draw of the chain."""
    right, write_run = core.step, core.write_run

    def step(data, prior, tuning, state, info, buffer, seed):
        t = state.temperature[0]
        r = state.replica[t]
        before = state.log_posterior[r]
        is_right = right(data, prior, tuning, state, info, buffer, seed)
        if t > 0 and state.log_posterior[r] != before:
            coldest = state.replica[0]
            state.replica[0] = r  # whose list is written
            write_run(state, buffer, info.iteration[0])
            state.replica[0] = coldest
        return is_right

    return step


def adapted_everywhere() -> Callable:
    """choose_addition, by what the coldest list has adapted to at every temperature."""

    def choose_addition(tuning, state, t, r, u):
        outside = 0.0
        for a in range(tuning.addition_weights.shape[1]):
            if not state.in_list[r, a]:
                outside += tuning.addition_weights[0, a]
        wanted, chosen = u * outside, np.int64(-1)
        for a in range(tuning.addition_weights.shape[1]):
            if not state.in_list[r, a]:
                chosen = np.int64(a)
                if wanted < tuning.addition_weights[0, a]:
                    break
                wanted -= tuning.addition_weights[0, a]
        return chosen

    return choose_addition
