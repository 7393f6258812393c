"""Run the benchmarks named on the command line, or all: each prints ratios from one run."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

BENCHMARKS = (
    "iterations",
    "titanic_fit",
    "titanic_lengths",
    "mixing",
    "mining",
    "million_rows",
)

if __name__ == "__main__":
    chosen = sys.argv[1:] or BENCHMARKS
    unknown = [name for name in chosen if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    for name in chosen:
        print(f"== {name}", flush=True)
        importlib.import_module(name).main()
        print(flush=True)
