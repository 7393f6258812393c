"""Fits that are killed: a digest of all that a fit gives, and a child process to be ended."""

from __future__ import annotations

import hashlib
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from elseif.sampler import checkpoints


def digest(fitted: Any, X: Any) -> str:
    """SHA-256 of lists, counts, log posteriors, traces, verdict and predictions."""
    result, posterior = hashlib.sha256(), fitted.posterior_
    arrays = [posterior.distinct.offsets, posterior.distinct.items]
    arrays += [posterior.distinct.label_counts, posterior.distinct.log_posterior]
    for chain in posterior.chains:
        arrays += [chain.n_draws, chain.distinct]
    arrays.append(fitted.predict_proba(X))
    for array in arrays:
        result.update(np.ascontiguousarray(array).tobytes())
    convergence = fitted.convergence_
    said = (str(fitted.rule_list_), str(convergence), convergence.acceptance, fitted.n_iter_)
    result.update(repr((*said, convergence.swap_rates)).encode())
    return result.hexdigest()


def killed_after(seconds: float, work: Callable[[], Any], often: float = 0.01) -> bool:
    """Do something in a child process and kill it; whether it had not come to its end.

    Checkpoints are written as often as told, so that a short fit has many.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads that nobody runs now
        child = os.fork()
    if child == 0:
        try:
            checkpoints.SECONDS_BETWEEN, checkpoints.LARGEST_SHARE = often, 0.5
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0, "the child has failed"
        return False
    return True
