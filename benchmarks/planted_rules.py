"""Which planted rules the point lists find again in synthetic patients of seeds nobody looked at.

The generator of synthetic patients was adjusted on seed 0. Every other seed makes another database
and other folds: python benchmarks/planted_rules.py --seeds 5
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FORMS = ("folds", "turned_round", "in_another_rule")
CLASSIFIERS = ("BRL-point", "BRL-post", "CHADS2", "CHA2DS2-VASc")


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="seeds 1 to this one")
    seeds = range(1, parser.parse_args(arguments).seeds + 1)
    everybody = [study(seed) for seed in seeds]
    n_folds = sum(one["n_folds"] for one in everybody)
    print(f"{len(everybody)} databases, {n_folds} folds of everybody\n")
    print("| planted rule | found | turned round | its disease in another rule |")
    print("|---|---|---|---|")
    for rules in zip(*(one["planted"] for one in everybody), strict=True):
        counts = (sum(len(rule[form]) for rule in rules) for form in FORMS)
        print(f"| {rules[0]['rule']} | {' | '.join(f'{n} of {n_folds}' for n in counts)} |")
    print("\n| seed | antecedents | " + " | ".join(CLASSIFIERS) + " |\n|---|---|" + "---|" * 4)
    for seed, one in zip(seeds, everybody, strict=True):
        aucs = (one["classifiers"][name]["auc"] for name in CLASSIFIERS)
        cells = " | ".join(f"{auc['mean']:.3f} ({auc['sd']:.3f})" for auc in aucs)
        sizes = [fold["n_antecedents"] for fold in one["lists"]]
        print(f"| {seed} | {min(sizes):,} to {max(sizes):,} | {cells} |")


def study(seed: int) -> dict[str, Any]:
    """The study's results for everybody, in a database of this seed."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "elseif", "study", "stroke", "--out", folder),
                *("--seed", str(seed), "--only", "BRL,CHADS2,CHA2DS2-VASc"),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        results = json.loads((Path(folder) / "results.json").read_text(encoding="utf-8"))
    return next(one for one in results["populations"] if one["population"] == "everybody")


if __name__ == "__main__":
    main(sys.argv[1:])
