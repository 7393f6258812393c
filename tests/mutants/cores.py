"""Copies of the package's kernels in which a function has been replaced by a wrong one."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
from numba import njit

from elseif import kernels
from elseif.sampler import chain as chain_module
from elseif.sampler import entering
from tests.helpers_sampler import Case, Drivers, compiled_alone, make_drivers

Intrinsic = type(kernels.words_at)


def load_kernels() -> types.ModuleType:
    """A second copy of kernels.py, of which nothing is compiled yet and nothing cached."""

    def njit_without_cache(**options: object) -> Callable:
        # a mutant must never be mistaken for the real thing
        return njit(**{**options, "cache": False})

    core = types.ModuleType("mutant_kernels")
    code = compile(Path(kernels.__file__).read_text(), "<mutant>", "exec")
    with mock.patch("numba.njit", njit_without_cache):
        exec(code, vars(core))
    return core


def compiled_core(**wrong: Callable) -> types.ModuleType:
    """A copy whose callers of the given functions compile the wrong ones."""
    core = load_kernels()
    for name, function in wrong.items():
        assert name in vars(core)
        setattr(core, name, njit(error_model="numpy")(function))
    return core


def compiled_mutant(**wrong: Callable) -> Drivers:
    """Drivers of such a copy."""
    return make_drivers(compiled_core(**wrong), njit)


def interpreted_core(**wrong: Callable) -> types.ModuleType:
    """A copy that plain Python runs, quick to make and slow to run."""
    core = load_kernels()
    for name, function in list(vars(core).items()):
        python_function = getattr(function, "py_func", function)
        if not isinstance(python_function, types.FunctionType):
            continue
        # loops over words exist in compiled code alone, and Python warns of words that overflow
        used = (vars(core).get(other) for other in python_function.__code__.co_names)
        keeps = name == "next_uniform" or any(isinstance(other, Intrinsic) for other in used)
        setattr(core, name, compiled_alone(name) if keeps else python_function)
    for name, function in wrong.items():
        assert name in vars(core)
        setattr(core, name, function)
    return core


def interpreted_mutant(**wrong: Callable) -> Drivers:
    """Drivers of such a copy."""
    return make_drivers(interpreted_core(**wrong), lambda function: function)


@contextmanager
def running_chains(core: types.ModuleType) -> Iterator[None]:
    """Let the package's chains be run by a copy of its kernels."""
    with (
        mock.patch.object(chain_module, "kernels", core),
        mock.patch.object(entering, "kernels", core),
    ):
        yield


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
    right, add, remove = kernels.log_proposal_ratio, kernels.ADD, kernels.REMOVE
    option_probability = kernels.option_probability

    def log_proposal_ratio(additions, state, option, position, target):
        value = right(additions, state, option, position, target)
        if option == remove and state.length[state.at[0]] == 2:
            backward = option_probability(additions, add, 1)
            value -= math.log(backward / option_probability(additions, remove, 2))
        return value

    return log_proposal_ratio


# ------------------------------------------------------------- mistakes of tempering


def wrong_exchange(sign: float, always: bool) -> Callable:
    """exchange_lists, with the ratio's sign to choose, or without asking it at all."""
    list_log_likelihood = kernels.list_log_likelihood
    next_uniform = compiled_alone("next_uniform")  # Python warns of words that overflow
    write_run = kernels.write_run

    def exchange_lists(additions, state, tally, record, seed):
        first = state.cursor[2] % 2
        state.cursor[2] += 1
        for t in range(first, len(state.replica) - 1, 2):
            u = next_uniform(seed)
            colder, warmer = state.replica[t], state.replica[t + 1]
            gain = list_log_likelihood(state, warmer) - list_log_likelihood(state, colder)
            ratio = sign * (additions.coldness[t] - additions.coldness[t + 1]) * gain
            if always or ratio >= 0.0 or u < math.exp(ratio):
                state.replica[t], state.replica[t + 1] = warmer, colder
                if t == 0:
                    state.at[0] = warmer
                    write_run(state, record, tally.iteration[0] + 1)

    return exchange_lists


def companions_recorded(core: types.ModuleType) -> Callable:
    """step, which writes every companion's new list down as a draw of the chain."""
    right, write_run = core.step, core.write_run

    def step(data, prior, additions, state, tally, record, seed):
        before = state.log_posterior[state.at[0]]
        is_right = right(data, prior, additions, state, tally, record, seed)
        if state.cursor[0] > 0 and state.log_posterior[state.at[0]] != before:
            write_run(state, record, tally.iteration[0])
        return is_right

    return step


def learnt_everywhere() -> Callable:
    """choose_addition, by what the coldest list has learnt at every temperature."""

    def choose_addition(additions, state, u):
        r = state.at[0]
        outside = 0.0
        for a in range(additions.weights.shape[1]):
            if not state.in_list[r, a]:
                outside += additions.weights[0, a]
        wanted, chosen = u * outside, np.int64(-1)
        for a in range(additions.weights.shape[1]):
            if not state.in_list[r, a]:
                chosen = np.int64(a)
                if wanted < additions.weights[0, a]:
                    break
                wanted -= additions.weights[0, a]
        return chosen

    return choose_addition
