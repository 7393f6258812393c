"""How functions are compiled.

Nothing is compiled at import: Numba compiles a function at its first call.
"""

import multiprocessing
import sys
import threading

from numba import config, njit, types
from numba.core import event
from numba.extending import lower_builtin, register_jitable, type_callable

from elseif.compiled.cache import keep_on_disk

PACKAGE = __name__.rpartition(".")[0]
# Nothing here allocates, so Numba's reference counting is switched off (_nrt): it would take
# half of a step's time, and without it an allocation does not even compile.
OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def compiled(function):
    """Compile at the first call, and keep the result where a cache folder can be written."""
    return function if config.DISABLE_JIT else keep_on_disk(njit(**OPTIONS)(function))


def inlined(function):
    """Compile into whatever calls it: handing the state over would cost more than most steps.

    Called from Python, it stays the Python function that it is: a wrapper for each would
    take a sixth of the time to compile, and nobody needs it.
    """
    return register_jitable(**OPTIONS, forceinline=True, no_cpython_wrapper=True)(function)


def written_out(function):
    """Write its code into what calls it, before anything is compiled.

    For what is called in one place and takes everything there is: it compiles sooner.
    """
    return njit(inline="always", **OPTIONS)(function)


def keep_small():
    """Say, at the head of a function, that its loops are short: they go over rules or labels.

    Unrolled and turned into vectors, they would take LLVM half as long again, and be no quicker.
    """


@type_callable(keep_small)
def type_keep_small(typing_context):
    return lambda: types.void


@lower_builtin(keep_small)
def generate_keep_small(context, builder, signature, args):
    builder.function.attributes.add("optsize")
    return context.get_dummy_value()


class Announcer(event.Listener):
    """Says once, on standard error, that the first fit takes longer: it compiles.

    Workers are silent: each of them compiles what the others do.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.announced = multiprocessing.current_process().name != "MainProcess"

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        if not module.startswith(f"{PACKAGE}."):
            return
        with self.lock:
            is_first, self.announced = not self.announced, True
        if is_first:
            print(
                "elseif: compiling what is used for the first time; up to half a minute ...",
                file=sys.stderr,
            )

    def on_end(self, event):
        """Nothing is announced at the end: the fit continues."""


event.register("numba:compile", Announcer())
