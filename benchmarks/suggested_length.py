"""By which rule should a length be suggested? Compared on public tables for tuning.

Of every fold of kept_fits.py: the path of projected lists with the scores that five folds within
the training rows give each length, and how each length scores on the test rows. A rule chooses a
length from the former and is judged by the latter, beside the best length in hindsight and an l1
logistic regression. What was run is kept in .bench and not run again:

    python benchmarks/suggested_length.py --seconds 600
    python benchmarks/suggested_length.py --seconds 0      # print what there is
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from kept_fits import FITS, Fold, default_fit, folds_of, is_kept
from projection import L1, score
from public_tables import SMALL, public_tables
from table_methods import fit_quietly

KEPT = FITS.parent / "suggested_length.jsonl"
Scores = dict[str, np.ndarray]
TOLERANCE = 0.01


def run_fold(fold: Fold) -> dict[str, Any]:
    """Scores within the training rows and on the test rows, by length."""
    model = default_fit(fold).model
    path = model.project(fold.X, fold.y)
    inner = path.scores
    assert inner is not None
    test = [score(fold.y_test, each.predict_proba(fold.X_test)) for each in path]
    l1 = score(fold.y_test, fit_quietly(L1, fold.X, fold.y, 0).predict_proba(fold.X_test))
    point = score(fold.y_test, model.predict_proba(fold.X_test))
    return {
        "table": fold.table.name, "fold": fold.number, "rows": fold.n_rows,
        "loss": inner.log_loss.tolist(), "gap": inner.log_loss_gap.tolist(),
        "error": inner.log_loss_gap_error.tolist(), "auc": inner.auc.tolist(),
        "test_loss": [loss for loss, _ in test], "test_auc": [auc for _, auc in test],
        "l1": l1, "point": point, "point_length": len(model.rule_list_),
    }  # fmt: skip


def near(s: Scores, errors: float = 1.0) -> np.ndarray:
    return s["gap"] <= errors * s["error"]


def high(s: Scores, among: np.ndarray | None = None) -> np.ndarray:
    """AUC within the tolerance of the highest, of some lengths."""
    auc = s["auc"] if among is None else np.where(among, s["auc"], -np.inf)
    return auc >= auc.max() - TOLERANCE


def first(chosen: np.ndarray, otherwise: int) -> int:
    lengths = np.flatnonzero(chosen)
    return int(lengths[0]) if len(lengths) else otherwise


RULES: dict[str, Callable[[Scores], int]] = {
    "log loss within one standard error": lambda s: first(near(s), 0),
    "AUC within .01": lambda s: first(high(s), 0),
    "both, else lowest log loss": lambda s: first(near(s) & high(s), int(s["loss"].argmin())),
    "both, else the highest AUC of log loss within one standard error": lambda s: first(
        near(s) & high(s), first(near(s) & high(s, near(s)), 0)
    ),
    "highest AUC, within .01, of log loss within one standard error": lambda s: first(
        near(s) & high(s, near(s)), 0
    ),
    "the same, two standard errors": lambda s: first(near(s, 2) & high(s, near(s, 2)), 0),
    "lowest log loss": lambda s: int(s["loss"].argmin()),
    "highest AUC": lambda s: int(s["auc"].argmax()),
    "the longest": lambda s: len(s["loss"]) - 1,
}


def show(records: list[dict[str, Any]]) -> None:
    """A line a rule: rules of the list, AUC and log loss on test rows, AUC against l1."""
    print(f"{len(records)} folds of {len({r['table'] for r in records})} tables")
    print("| length suggested by | rules | test log loss | AUC | AUC against l1 |")
    print("|---|---|---|---|---|")
    rows: dict[str, list[tuple[float, float, float, float]]] = {}
    for r in records:
        scores = {key: np.array(r[key]) for key in ("loss", "gap", "error", "auc")}
        chosen = {name: rule(scores) for name, rule in RULES.items()}
        chosen["best AUC of the test rows, in hindsight"] = int(np.argmax(r["test_auc"]))
        for name, m in chosen.items():
            rows.setdefault(name, []).append(
                (m, r["test_loss"][m], r["test_auc"][m], r["test_auc"][m] - r["l1"][1])
            )
        loss, auc = r["point"]
        rows.setdefault("(the point estimate)", []).append(
            (r["point_length"], loss, auc, auc - r["l1"][1])
        )
    for name, some in rows.items():
        table = np.array(some)
        rules, loss, auc, gap = table.mean(axis=0)
        error = table[:, 3].std(ddof=1) / np.sqrt(len(table)) if len(table) > 1 else np.nan
        print(f"| {name} | {rules:.1f} | {loss:.4f} | {auc:.4f} | {gap:+.4f} ± {error:.4f} |")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=600, help="after which no fold begins")
    told = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    records = [json.loads(line) for line in lines]
    done = {(r["table"], r["fold"]) for r in records}
    end = time.monotonic() + told.seconds
    for number in range(told.folds):
        for table in public_tables("tune"):
            if time.monotonic() > end or (table.name, number) in done:
                continue
            if not is_kept(table, number) or len(table.load()[1]) >= SMALL:
                continue
            fold = list(folds_of(table))[number]
            records.append(run_fold(fold))
            with KEPT.open("a", encoding="utf-8") as file:
                file.write(json.dumps(records[-1]) + "\n")
            print(f"  {table.name}, fold {number}", file=sys.stderr, flush=True)
    if records:
        show(records)


if __name__ == "__main__":
    main()
