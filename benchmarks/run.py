"""Run the benchmarks named on the command line, or all: each prints ratios from one run."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

# one thread for everybody; NumPy's libraries read this when they are loaded
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path.insert(0, str(Path(__file__).parent))

BENCHMARKS = (
    "public_tables",
    "startup",
    "iterations",
    "race_iterations",
    "limit",
    "growth",
    "prediction",
    "titanic_fit",
    "titanic_lengths",
    "whole_fit",
    "mining",
    "million_rows",
    "hundred_million",
    "engine_tables",
    "sharded_rows",
    "cohort_million",
    "planted_rules",
    "mixing",
    "exact_sum",
    "converge",
    "false_convergence",
    "projection",
    "projected_example",
    "projection_scoring",
    "projection_time",
    "real_tables",
    "separated_modes",
    "real_pools",
    "default_fits",
    "line_coverage",
    "survey_weights",
    "serving",
    "checkpoints",
    "learning",
    "swap_schedules",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument(
        "--seeds",
        help="of converge (else 100), default_fits (5), false_convergence (40), line_coverage "
        "(10), separated_modes and real_pools (3), mixing (24) and planted_rules (5)",
    )
    parser.add_argument("--seconds", help="for the real tables of line_coverage (else 600)")
    parser.add_argument("--out", help="folder for the plots of growth; results where not given")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    options = {
        "converge": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "false_convergence": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "planted_rules": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "separated_modes": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "real_pools": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "mixing": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "default_fits": ["--seeds", arguments.seeds] if arguments.seeds else [],
        "line_coverage": [
            *(["--seeds", arguments.seeds] if arguments.seeds else []),
            *(["--seconds", arguments.seconds] if arguments.seconds else []),
        ],
        "growth": ["--out", arguments.out] if arguments.out else [],
        "projection_scoring": ["--role", "tune", "--small"],
        "projection": ["--role", "judge"],
    }
    for name in arguments.names or BENCHMARKS:
        print(f"== {name}", flush=True)
        run = importlib.import_module(name).main
        if name in options:
            run(options[name])
        else:
            run()
        print(flush=True)


if __name__ == "__main__":
    main()
