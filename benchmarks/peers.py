"""The other systems: found where they are installed, and a line where they are not."""

from __future__ import annotations

import importlib
import json
import pickle
import subprocess
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from make_pysbrl import CannotMakeError, pysbrl_environment

from elseif.model.problem import Problem

CORE = "imodels.rule_list.bayesian_rule_list.brl_util"
LONGEST = 20.0  # CPU seconds that a race gives to the iterations of a slow peer


def imodels(module: str = "imodels") -> Any:
    """A module of imodels, or None and a line that says why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError as error:
        print(f"  imodels is absent ({error}): skipped. It comes with the extra 'bench'.")
        return None


@cache
def _pysbrl_or_reason() -> tuple[Path, dict[str, str]] | str:
    """Made, or tried, once in a run."""
    try:
        return pysbrl_environment()
    except CannotMakeError as error:
        return str(error)


def pysbrl() -> tuple[Path, dict[str, str]] | None:
    """pysbrl's Python and its environment variables, or None and a line that says why."""
    program = _pysbrl_or_reason()
    if isinstance(program, str):
        print(f"  pysbrl is absent ({program}): skipped.")
        return None
    return program


def ask_pysbrl(job: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any] | None:
    """Hand a job and its arrays to pysbrl in its own process; None where it fails."""
    program = pysbrl()
    if program is None:
        return None
    python, environment = program
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **arrays)
        worker = str(Path(__file__).with_name("pysbrl_worker.py"))
        done = subprocess.run(
            [str(python), worker, json.dumps({**job, "data": str(path)})],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        print(f"  pysbrl failed: {words[-1]}")
        return None
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@dataclass(frozen=True)
class PeerTime:
    """CPU time of a peer's iteration, with the mean (or else the best) list's length."""

    seconds: float
    length: float
    note: str = ""


def time_pysbrl(posed: Problem) -> PeerTime | None:
    """CPU time of an iteration of pysbrl on the covers and the prior of a problem."""
    layout = posed.layout
    answer = ask_pysbrl(
        {
            "task": "iterations",
            "expected_length": posed.prior.expected_length,
            "expected_cardinality": posed.prior.expected_cardinality,
        },
        {
            "covers": np.stack([np.packbits(layout.unpack(words)) for words in posed.covers]),
            "labels": layout.row_labels(),
            "n": np.array(layout.n_rows),
            "cardinalities": posed.prior.cardinalities,
        },
    )
    if answer is None:
        return None
    return PeerTime(answer["seconds"], answer["length"], "its best list's length")


def time_imodels(
    posed: Problem, start: tuple[int, ...], n_iter: int | None = None
) -> PeerTime | None:
    """CPU time of an iteration of imodels' sampler core on the covers of a problem.

    It starts from the given list, so that its lists are as long as ours, and keeps its
    store of lists already seen, as a run of its own does. Without n_iter it gets 1,000
    iterations, or what it can do in some 20 seconds.
    """
    core = imodels(CORE)
    if core is None:
        return None
    wanted = 40 * np.bitwise_count(posed.covers).sum(dtype=np.int64)
    if wanted > 0.5 * _available_memory():
        print(f"  imodels: skipped, its sets would take some {wanted / 1e9:.0f} GB of memory")
        return None
    sampler = _ImodelsSampler(core, posed)
    sampler.run(0, start)  # whatever is loaded or computed at the first call
    setting_up, _, _ = sampler.run(0, start)
    seconds, lengths, last = sampler.run(10, start)
    each = max((seconds - setting_up) / 10, 1e-6)
    if n_iter is None:
        n_iter = int(np.clip(LONGEST / each, 10, 1000))
    seconds, lengths, _ = sampler.run(n_iter, last)
    return PeerTime((seconds - setting_up) / n_iter, float(np.mean(lengths)), f"{n_iter:,} of them")


class _ImodelsSampler:
    """imodels' own inputs: the set of observations of each antecedent, the default's first."""

    def __init__(self, core: Any, posed: Problem) -> None:
        layout, prior = posed.layout, posed.prior
        everyone = list(range(layout.n_rows))  # the sets share their integers
        self._core, self._prior = core, prior
        self._supports = [set(everyone)]
        for words in posed.covers:
            rows = np.flatnonzero(layout.unpack(words)).tolist()
            self._supports.append(set(map(everyone.__getitem__, rows)))
        labels = layout.row_labels()
        self._labels = np.stack([1 - labels, labels], axis=1)
        self._sizes = np.concatenate([[0], prior.cardinalities])
        self._seen = defaultdict(core.default_permsdic)

    def run(self, n_iter: int, start: tuple[int, ...]) -> tuple[float, list[int], tuple[int, ...]]:
        """CPU seconds, lengths of the lists drawn, and the last list."""
        begin = time.process_time()
        _, drawn = self._core.bayesdl_mcmc(
            n_iter,
            1,  # keep every draw
            np.ones(2),
            self._prior.expected_length,
            self._prior.expected_cardinality,
            self._supports,
            self._labels,
            Counter(self._sizes.tolist()),
            self._sizes,
            int(self._sizes.max()),
            self._seen,
            0,  # discard nothing
            1,  # its seed
            pickle.dumps([*(a + 1 for a in start), 0]),
        )
        seconds = time.process_time() - begin
        lists = [pickle.loads(draw) for draw in drawn]
        last = tuple(a - 1 for a in lists[-1][:-1]) if lists else start
        return seconds, [len(one) - 1 for one in lists], last


def _available_memory() -> float:
    """Bytes that can be had without swapping; plenty where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 8e9
    kilobytes = [line.split()[1] for line in lines if line.startswith("MemAvailable")]
    return 1024.0 * float(kilobytes[0]) if kilobytes else 8e9
