"""Seconds of one fold of each compared classifier at the size of the stroke study.

Run as ``python -m benchmarks.comparison [--jobs 2] [--only SVM ...]``. CPU seconds count the
children of a classifier once they have ended, so that each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
from scipy import sparse
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.problems import stroke_shaped
from elseif.evaluation import comparison_classifiers


def one(name: str, n_jobs: int) -> None:
    """Fit and judge one classifier on the first of five folds, and print a line."""
    problem = stroke_shaped()
    X = sparse.csr_matrix(problem.X, dtype=np.float32)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    train, test = next(iter(folds.split(X, problem.y)))
    entry = comparison_classifiers(0, n_jobs, (len(train), X.shape[1]))[name]
    if entry.unavailable is not None:
        print(f"{name:<24} not run: {entry.unavailable}")
        return
    before, started = _cpu(), time.perf_counter()
    fitted = entry.make().fit(X[train], problem.y[train])
    seconds = time.perf_counter() - started
    if hasattr(fitted, "predict_proba"):
        risk = fitted.predict_proba(X[test])[:, 1]
    else:
        risk = fitted.decision_function(X[test])
    _end_workers()
    auc = roc_auc_score(problem.y[test], risk)
    print(f"{name:<24} {_cpu() - before:8.1f} {seconds:8.1f} {auc:6.3f}")


def _cpu() -> float:
    parts = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def _end_workers() -> None:
    """Let joblib's processes end, for their seconds are counted when they do."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True)


def main() -> None:
    """A line for each classifier, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(comparison_classifiers()))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one, options.jobs)
        return
    print(f"{'':<24} {'CPU s':>8} {'s':>8} {'AUC':>6}", flush=True)
    again = [sys.executable, "-m", "benchmarks.comparison", "--jobs", str(options.jobs), "--one"]
    for name in options.only:
        subprocess.run([*again, name], check=True)


if __name__ == "__main__":
    main()
