"""The default kernel of this version against that of another source tree, by turns.

    git worktree add --detach ../earlier 326c183
    python benchmarks/two_versions.py ../earlier --seeds 96

Each version runs in a process of its own on the same problems (`kernel_problems.py`), with the same
number of iterations, and the same estimate of effective draws (`between_chains.py`) is made of
both. Chains alternate between the two, so that a busy machine slows both alike; times are of CPU.
What is spent before the first chain starts is the last column, once for all chains of a fit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from between_chains import Measured, ratio_of_rates, shown_ratio
from kernel_problems import COMPARED, FOR_TUNING

HERE = Path(__file__).resolve().parent


class Version:
    """A process that runs chains of one source tree."""

    def __init__(self, tree: Path) -> None:
        source = tree.resolve() / "src"
        environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "version_worker.py")],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        imported = self._answer()["source"]
        if not Path(imported).is_relative_to(source):
            raise SystemExit(f"{source} was to be run, and {imported} is")

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a version could not run the problem: see above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, **asked: object) -> dict[str, Any]:
        """One chain."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def end(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measure(
    versions: dict[str, Version], problem: str, n_chains: int
) -> tuple[dict[str, Measured], dict[str, float]]:
    """Chains of both versions on a problem, by turns, and the time before they start."""
    measured = {name: Measured() for name in versions}
    to_start = {}
    for k in range(n_chains):
        for name, version in versions.items():
            got = version.run(problem=problem, n_chains=n_chains, chain=k, n_iter=None)
            m = measured[name]
            m.means.append(np.array(got["means"]))
            m.seconds.append(got["seconds"])
            m.length.append(got["length"])
            m.n_rungs.append(got["n_rungs"])
            to_start[name] = got["seconds_to_start"]
    return measured, to_start


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="another source tree")
    parser.add_argument("--this", type=Path, default=HERE.parent, help="else this one")
    parser.add_argument("--seeds", type=int, default=48, help="chains of each version")
    parser.add_argument("--only", default="", help="problems whose name begins so")
    parser.add_argument("--tuning", action="store_true", help="the problems to tune on instead")
    options = parser.parse_args(arguments or [])
    versions = {"earlier": Version(options.other), "this": Version(options.this)}
    print(f"one thread, {options.seeds} chains of each; rate: effective draws a CPU second")
    print(
        f"{'problem':<28}{'version':<9}{'rungs':>6}{'length':>8}{'draws':>7}{'CPU s':>8}{'rate':>8}"
        f"{'ratio':>19}{'s to start':>12}"
    )
    ratios, samples = [], []
    for name in FOR_TUNING if options.tuning else COMPARED:
        if not name.startswith(options.only):
            continue
        measured, to_start = measure(versions, name, options.seeds)
        ratio, of_samples = ratio_of_rates(measured["this"], measured["earlier"])
        ratios.append(ratio)
        samples.append(of_samples)
        for version, m in measured.items():
            print(
                f"{name:<28}{version:<9}{np.mean(m.n_rungs):>6.1f}{np.mean(m.length):>8.2f}"
                f"{m.effective_draws():>7.0f}{np.mean(m.seconds):>8.3f}{m.rate():>8.0f}"
                f"{shown_ratio(ratio, of_samples) if version == 'this' else '':>19}"
                f"{to_start[version]:>12.2f}",
                flush=True,
            )
    for version in versions.values():
        version.end()
    means = np.exp(np.mean(np.log(samples), axis=0))
    mean = float(np.exp(np.mean(np.log(ratios))))
    print(f"geometric mean of {len(ratios)} ratios: {shown_ratio(mean, means)}")


if __name__ == "__main__":
    main(sys.argv[1:])
