"""Copies of the package's kernels in which a function has been replaced by a wrong one."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
from numba import njit

from elseif import kernels
from tests.helpers_sampler import Case, Drivers, make_drivers


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


def compiled_mutant(**wrong: Callable) -> Drivers:
    """Drivers of a copy whose callers of the given functions compile the wrong ones."""
    core = load_kernels()
    for name, function in wrong.items():
        assert name in vars(core)
        setattr(core, name, njit(error_model="numpy")(function))
    return make_drivers(core, njit)


def interpreted_mutant(**wrong: Callable) -> Drivers:
    """Drivers of a copy that plain Python runs, quick to make and slow to run."""
    core = load_kernels()
    for name, function in list(vars(core).items()):
        python_function = getattr(function, "py_func", None)
        if python_function is None:
            continue
        # popcount exists in compiled code alone, and Python warns of words that overflow
        keeps = "popcount" in python_function.__code__.co_names or name == "next_uniform"
        setattr(core, name, getattr(kernels, name) if keeps else python_function)
    for name, function in wrong.items():
        assert name in vars(core)
        setattr(core, name, function)
    return make_drivers(core, lambda function: function)


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
        if option == remove and state.length[0] == 2:
            backward = option_probability(additions, add, 1)
            value -= math.log(backward / option_probability(additions, remove, 2))
        return value

    return log_proposal_ratio
