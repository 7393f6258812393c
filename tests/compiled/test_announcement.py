"""That it compiles is said once in a command, whatever compiles and wherever."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from joblib import Parallel, delayed

from elseif.compiled.jit import Announcer


def compile_something(n: int = 1) -> None:
    """What Numba reports when it begins to compile a function of elseif's."""
    announcer = Announcer()
    function = SimpleNamespace(__module__="elseif.compiled.chain")
    begun = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})
    for _ in range(n):
        announcer.on_start(begun)


def test_once_in_a_process(capfd: pytest.CaptureFixture[str]) -> None:
    compile_something(3)
    assert capfd.readouterr().err.count("compiling what is used") == 1


def test_worker_processes_say_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    Parallel(n_jobs=2, backend="loky")(delayed(compile_something)() for _ in range(4))
    assert "compiling" not in capfd.readouterr().err
