"""A process that is forked while a thread loads or compiles code can fit by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys, threading, time
from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic

X, y = load_titanic("paper")
def fit():
    return str(BayesianRuleListClassifier(random_state=0, kernel="exact", n_iter=2000).fit(X, y))

class Listening:  # to the announcement that code is compiled
    compiling = threading.Event()
    def write(self, text):
        if "compiling" in text:
            self.compiling.set()
    def flush(self):
        pass

def numba_is_being_loaded():
    while "numba" not in sys.modules:
        time.sleep(0)

sys.stderr = Listening()
wait = {"compiling": Listening.compiling.wait, "loading": numba_is_being_loaded}[sys.argv[1]]
results = []
thread = threading.Thread(target=lambda: results.append(fit()))
thread.start()
wait()
child = os.fork()
if child == 0:
    signal.alarm(100)  # ends a child that hangs
    print("child:", fit() != "", flush=True)
    os._exit(0)
thread.join()
print("parent:", len(results), os.waitpid(child, 0)[1], flush=True)
"""


@pytest.mark.fault(
    "",
    "a process forked while a thread compiles",
    "the fork waits for the compiler, and the child can fit",
)
@pytest.mark.parametrize("while_a_thread_is", ["compiling", "loading"])
def test_a_child_forked_meanwhile_fits(while_a_thread_is: str, tmp_path: Path) -> None:
    """It neither hangs nor fails, and its parent goes on."""
    # compiled by whoever is to be interrupted at that, and else taken from where it is kept
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)} if while_a_thread_is == "compiling" else {}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, while_a_thread_is],
        capture_output=True,
        text=True,
        env={**os.environ, **cache},
        check=False,
    )
    assert sorted(done.stdout.splitlines()) == ["child: True", "parent: 1 0"], done.stderr
