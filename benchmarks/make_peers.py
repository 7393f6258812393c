"""Make environments for classifiers whose requirements are not those of elseif.

Each gets a virtual environment of its own in .bench beside the Makefile, with the version named
here and whatever that asks for: FasterRisk 0.1.10 wants scikit-learn 1.2.0, and so NumPy 1 and
Python 3.11 at most; GOSDT 1.0.4 brings compiled code. Nothing else on the machine is changed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from make_pysbrl import FOLDER, CannotMakeError

REQUIREMENTS = {"gosdt": "gosdt==1.0.4", "fasterrisk": "fasterrisk==0.1.10"}
PYTHONS = ("python3.11", "python3.10", "python3.9")


@cache
def peer_python(name: str) -> Path:
    """The Python that has a peer; its environment is made where there is none."""
    target = FOLDER / name
    python = target / "bin" / "python"
    if not (python.exists() and _run([str(python), "-c", f"import {name}"]).returncode == 0):
        print(f"  making an environment for {name} in {FOLDER.name}/ ...", flush=True)
        shutil.rmtree(target, ignore_errors=True)
        own = [sys.executable] if sys.version_info < (3, 12) else []
        found = [*own, *filter(None, (shutil.which(each) for each in PYTHONS))]
        if not found:
            raise CannotMakeError("it needs Python 3.9 to 3.11, and none is installed")
        for step in (
            [found[0], "-m", "venv", str(target)],
            [str(python), "-m", "pip", "install", "--quiet", REQUIREMENTS[name]],
            [str(python), "-c", f"import {name}"],
        ):
            done = _run(step)
            if done.returncode != 0:
                words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
                raise CannotMakeError(words[-1])
    return python


@cache
def lacking(name: str) -> str | None:
    """Why a peer cannot be run here, or None."""
    try:
        peer_python(name)
    except CannotMakeError as error:
        return f"no environment for {name}: {error}"
    return None


def ask_peer(name: str, job: dict[str, Any], **arrays: np.ndarray) -> dict[str, Any]:
    """Fit in the peer's own process; its model as plain data, with the CPU seconds of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **arrays)
        worker = str(Path(__file__).with_name("peer_worker.py"))
        task = json.dumps({**job, "task": name, "data": str(path)})
        done = _run([str(peer_python(name)), worker, task])
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(words[-1])
    model: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return model


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONPATH", None)  # our own packages are not for that Python
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def main() -> None:
    for name in REQUIREMENTS:
        print(lacking(name) or f"{name} runs with {os.path.relpath(peer_python(name))}")


if __name__ == "__main__":
    main()
