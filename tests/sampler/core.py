"""The package's compiled functions by name: its own, or those of a copy with a mistake in it."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import numba
from numba import njit
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

import elseif
import elseif.compiled
from elseif.compiled.jit import OPTIONS
from elseif.sampler import chain, init_state

PACKAGE = "elseif.compiled"


class Core:
    """All names of the modules of ``elseif.compiled``, or of a copy of them."""

    def __init__(self, modules: dict[str, types.ModuleType]) -> None:
        self._modules = modules

    def __getattr__(self, name: str) -> Any:
        for module in self._modules.values():
            if name in vars(module):
                return vars(module)[name]
        raise AttributeError(f"no module of {PACKAGE} has {name!r}")

    def replace(self, name: str, function: Callable) -> None:
        """Let every module that has a function of this name call another one."""
        right = getattr(self, name)
        for module in self._modules.values():
            if vars(module).get(name) is right:
                setattr(module, name, function)


def package_core() -> Core:
    """The package's own."""
    return Core(_modules())


def _modules() -> dict[str, types.ModuleType]:
    named = {n: m for n, m in sys.modules.items() if n == PACKAGE or n.startswith(f"{PACKAGE}.")}
    return dict(sorted(named.items()))


def load_copy(*, as_python: bool) -> Core:
    """A second copy of the package, of which nothing is compiled yet and nothing cached."""

    originals = _modules()
    for name in originals:
        del sys.modules[name]
    try:
        with mock.patch.object(numba.config, "DISABLE_JIT", as_python):
            importlib.import_module(PACKAGE)
        _keep_off_the_disk(_modules())
        return Core(_modules())
    finally:
        for name in _modules():
            del sys.modules[name]
        sys.modules.update(originals)
        elseif.compiled = originals[PACKAGE]


def _keep_off_the_disk(modules: dict[str, types.ModuleType]) -> None:
    """Have nothing loaded for a mutant that was compiled of the real thing, nor the reverse."""
    for module in modules.values():
        for function in vars(module).values():
            if isinstance(function, Dispatcher):
                function._cache = NullCache()


def compiled_core(**wrong: Callable) -> Core:
    """A copy whose callers of the given functions compile the wrong ones."""
    core = load_copy(as_python=False)
    for name, function in wrong.items():
        core.replace(name, njit(error_model="numpy")(function))
    return core


def interpreted_core(**wrong: Callable) -> Core:
    """A copy that plain Python runs, quick to make and slow to run."""
    core = load_copy(as_python=True)
    for name, function in wrong.items():
        core.replace(name, function)
    return core


@contextmanager
def running_chains(core: Core) -> Iterator[None]:
    """Let the package's chains be run by a copy of its compiled code."""
    with (
        mock.patch.object(chain, "compiled", core),
        mock.patch.object(init_state, "compiled", core),
    ):
        yield


@cache
def compiled_alone(name: str) -> Callable:
    """One of the package's own functions, to be called from Python."""
    function = getattr(package_core(), name)
    return function if hasattr(function, "py_func") else njit(**OPTIONS)(function)
