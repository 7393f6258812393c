"""Ctrl-C during a fit in Python: its chains stop, and what they have is the result, flagged."""

from __future__ import annotations

import pytest

from elseif.sampler import chain
from tests.cli.program import printed_by_python
from tests.tables.fitting import assert_same, quick, random_frame

# Chains of a trillion iterations, interrupted when all of them run. Of a list that no proposal can
# change (the prior allows no rule) nothing is recorded, so that compiled code has nothing to hand
# over; otherwise chains move freely.
PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
from elseif import BayesianRuleListClassifier
from elseif.sampler import run_of_chains
from elseif.sampler.chain import Chain

rng = np.random.default_rng(0)
X, y = rng.random((2000, 30)) < 0.4, rng.integers(0, 2, 2000)
settings = {"kernel": sys.argv[4], "n_chains": 2, "max_cardinality": 1, "random_state": 0}
BayesianRuleListClassifier(**settings, n_iter=1000).fit(X, y)  # compiles
before = set(threading.enumerate())
FAR = 1_100_000  # iterations: a stage of the warm-up ends after 1,024,000 and 2,048,000
chains, then = [], []
create = Chain.__init__
def noted(self, *args, **named):
    create(self, *args, **named)
    chains.append(self)
Chain.__init__ = noted
def interrupt():
    while sum(chain.n_done > FAR for chain in chains) < running:
        time.sleep(0.01)
    then.extend(chain.n_done for chain in chains)
    for _ in range(n_signals):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
running, n_jobs, length = int(sys.argv[1]), eval(sys.argv[2]), float(sys.argv[3])
n_signals, n_iter = int(sys.argv[5]), int(sys.argv[6])
if n_iter < 10**7:  # which is reached without a stop before
    run_of_chains.FIRST_RESULT = 10**9
interrupter = threading.Thread(target=interrupt)
clf = BayesianRuleListClassifier(**settings, n_iter=n_iter, n_jobs=n_jobs, expected_length=length)
try:
    interrupter.start()
    clf.fit(X, y)
    found = clf.convergence_
    print(clf.n_iter_, found.ended_by, found.status, clf.predict(X).shape)
except KeyboardInterrupt:
    print("interrupted")
interrupter.join()
for thread in set(threading.enumerate()) - before:
    thread.join(20)
print([thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()])
done = [chain.n_done for chain in chains]
time.sleep(0.2)
stopped = done == [chain.n_done for chain in chains]
print("stopped" if stopped else "going on", hasattr(clf, "pool_"))
print("soon" if all(b - a < 500_000 for a, b in zip(then, done)) else (then, done))
sys.stdout.flush()
os._exit(0)  # nobody is waited for
"""


def printed(*arguments: object) -> list[str]:
    """What the program prints, run with arguments."""
    return printed_by_python("-c", PROGRAM, *arguments, timeout=180)


@pytest.mark.fault(50, "Ctrl-C in Python during a fit",
                   "the result is the longest complete run so far, never called converged, with a "
                   "warning; `KeyboardInterrupt` if there is none, or at a second Ctrl-C; all "
                   "chains stop")  # fmt: skip
@pytest.mark.parametrize(
    ("running", "n_jobs", "length", "kernel", "status"),
    [(1, None, 3, "tempered", "not converged"), (2, 2, 1e-300, "paper", "undetermined")],
    ids=["one thread, moving", "two threads, standing"],
)
def test_ctrl_c_gives_what_there_is(
    running: int, n_jobs: int | None, length: float, kernel: str, status: str
) -> None:
    """Threads end, no chain iterates on, and the result is the last run that is whole."""
    said = printed(running, n_jobs, length, kernel, 1, 10**12)
    expected = f"1024000 interrupted {status} (2000,)"
    assert said == [expected, "[]", "stopped True", "soon"]


@pytest.mark.parametrize(
    ("n_signals", "n_iter"), [(1, 3_000_000), (2, 10**12)], ids=["too early", "twice"]
)
def test_ctrl_c_without_a_result(n_signals: int, n_iter: int) -> None:
    """Before any run is whole, and the second time, it ends as it ends any program."""
    said = printed(2, 2, 3, "tempered", n_signals, n_iter)
    assert said == ["interrupted", "[]", "stopped False", "soon"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["tempered", "paper"])
def test_draws_do_not_depend_on_how_often_python_looks(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every iteration a call of its own, or as many as fit: the same lists, draw for draw."""
    X, y = random_frame(n_columns=6)
    settings = {"kernel": kernel, "n_iter": 2000}
    fits = []
    for first, moment in [(1, 0.0), (10**9, 1e9)]:
        monkeypatch.setattr(chain, "FIRST_BATCH", first)
        monkeypatch.setattr(chain, "MOMENT", moment)
        fits.append(quick(**settings).fit(X, y))
    assert_same(*fits)
