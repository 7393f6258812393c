"""Processes that load and use forged model files under limits, and say what they took.

    python -m tests.export.loading

reads lines of ``traced|limited KIND SIZE [SIZE ...]``. For each it forks a process, since loading
all libraries again would take longer than most files; that prints a line of JSON for each size,
with the most memory that was in use at a time: of Python's objects where it is traced, which takes
several times as long, else of the whole process. Memory and processor time are limited by the
system, so that a file that asks for all of either ends that process and nothing else. The line
after the last size is how the process ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from elseif.errors import ElseifError
from elseif.explaining.other_lists import probabilities_by_list
from elseif.export.formats import to_javascript, to_python
from elseif.export.model_file import model_from_bytes
from elseif.fitted_model import FittedModel
from elseif.posterior.predictive import predictive_probabilities
from elseif.tables.reading import read_table
from tests.export.forgeries import FORGERIES, sealed, smallest

MOST_MEMORY = 3 << 30  # bytes of address space, libraries included
MOST_SECONDS = 60  # of processor time


def uses(model: FittedModel) -> list[Callable[[], Any]]:
    """What people do with a model that they were sent."""
    names = model.feature_names
    frame = pd.DataFrame(np.arange(20.0)[:, None], columns=names[:1] if names else None)
    table, one = read_table(frame), read_table(frame.head(1))
    made: list[Callable[[], Any]] = [
        lambda: model.rule_list.to_text(),
        lambda: model.rule_list.to_frame() if len(model.rule_list.classes) < 10 else None,
        lambda: model.rule_list.predict(table),
        lambda: model.pool.names,
        lambda: repr(model.pool),
        lambda: to_python(model),
        lambda: to_javascript(model),
    ]
    posterior = model.posterior
    if posterior is not None:
        made += [
            lambda: repr(posterior),
            lambda: posterior.log_posterior,
            lambda: posterior.lengths,
            lambda: posterior.lists(),
            lambda: repr(posterior.inclusion()),
            lambda: posterior.average_cardinalities,
            lambda: predictive_probabilities(posterior, table),
            lambda: probabilities_by_list(posterior, one),
        ]
    return made


def take(content: bytes, is_traced: bool) -> dict[str, Any]:
    """Load a file and use the model: its size, and the most memory that was in use at a time."""
    if is_traced:
        tracemalloc.start()
    said = "loaded"
    try:
        model = model_from_bytes(content)
        for use in uses(model):
            with contextlib.suppress(ElseifError):
                use()
    except ElseifError as error:
        said = str(error)
    peak = peak_of_process()
    if is_traced:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return {"size": len(content), "peak": peak, "said": said}


def peak_of_process() -> int:
    """Bytes at most; a system's count for a child may begin with what its parent had taken."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


def answer(way: str, name: str, *sizes: str) -> None:
    """Take every size, within limits."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    kind = next(kind for kind in FORGERIES if kind.__name__ == name)
    for size in map(int, sizes):
        content = sealed(kind(FORGERIES[kind] * size))
        print(json.dumps(take(content, way == "traced")), flush=True)


def main() -> None:
    """Answer every line, after a small file for which all libraries are loaded."""
    take(sealed(smallest()), False)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            answer(*line.split())
            sys.exit()
        print(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])), flush=True)


if __name__ == "__main__":
    main()
