"""By which rule should a length be suggested? Compared on public tables for tuning.

Of every fold of kept_fits.py: the path of projected lists with what five folds within the training
rows predict at each length, and how each length scores on the test rows. A rule chooses a length
from the former and is judged by the latter, beside the best length in hindsight and an l1 logistic
regression. What was run is kept in .bench and not run again; with --role judge, the rules are
compared on the tables that nothing is chosen on:

    python benchmarks/suggested_length.py --seconds 600
    python benchmarks/suggested_length.py --seconds 0      # print what there is
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from kept_fits import FITS, Fold, default_fit, folds_of
from projection import L1, LENGTHS, placements, score
from public_tables import SMALL, public_tables
from table_methods import fit_quietly

from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.projection_scores import path_predictions, scores_of
from elseif.project_mixin import longest_of_path

KEPT = FITS.parent / "suggested_length"
Scores = dict[str, np.ndarray]
TOLERANCE = 0.01


def run_fold(fold: Fold) -> dict[str, Any]:
    """What five folds within the training rows predict at each length, and scores on test rows."""
    start = time.process_time()
    model = default_fit(fold).model
    longest = longest_of_path(model.rule_list_)
    path = model.project(fold.X, fold.y, max_length=longest, folds=None)
    inner = path_predictions(model, fold.X, fold.y, None, longest, folds=5)
    l1 = fit_quietly(L1, fold.X, fold.y, 0).predict_proba(fold.X_test)
    equal = path[len(model.rule_list_)] if len(model.rule_list_) <= longest else path[longest]
    predicted = {
        "point": model.predict_proba(fold.X_test),
        "projected": equal.predict_proba(fold.X_test),
        "posterior": model.set_params(predict_with="posterior").predict_proba(fold.X_test),
        "l1": l1,
    }
    model.set_params(predict_with="point")
    return {
        "table": fold.table.name, "fold": fold.number, "rows": fold.n_rows,
        "role": fold.table.role, "inner": inner,
        "test": [score(fold.y_test, each.predict_proba(fold.X_test)) for each in path],
        "rules": [len(each) for each in path], "point_length": len(model.rule_list_),
        "ways": {way: score(fold.y_test, each) for way, each in predicted.items()},
        "seconds": time.process_time() - start,
    }  # fmt: skip


def inner_scores(record: dict[str, Any]) -> Scores:
    """Log loss and AUC by length, and how far each is from the best, with standard errors."""
    lengths = record["inner"][:-2]
    scores = scores_of(record["inner"])
    auc = np.where(np.isnan(scores.auc), 0.5, scores.auc)
    best = int(auc.argmax())
    components = [auc_components(each) for each in lengths]
    errors = np.array([error_of(components[best], each, scores.folds) for each in components])
    return {
        "loss": scores.log_loss, "gap": scores.log_loss_gap, "error": scores.log_loss_gap_error,
        "auc": auc, "auc_gap": auc[best] - auc, "auc_error": errors,
    }  # fmt: skip


def auc_components(validation: Validation) -> list[np.ndarray]:
    """By fold and label: how often each event is above others, and each other below events."""
    n_labels = len(validation.classes)
    labels = [1] if n_labels == 2 else range(n_labels)
    parts = []
    for k in labels:
        truth, risk = validation.against_the_rest(k)
        for f in np.unique(validation.fold):
            of_fold = validation.fold == f
            parts += [part / len(labels) for part in placements(truth[of_fold], risk[of_fold])]
    return parts


def error_of(one: list[np.ndarray], two: list[np.ndarray], n_folds: int) -> float:
    """Standard error of the difference between two mean AUCs over folds (DeLong and others)."""
    variances = [(a - b).var(ddof=1) / len(a) for a, b in zip(one, two, strict=True) if len(a) > 1]
    return float(np.sqrt(sum(variances)) / n_folds)


def near(s: Scores, errors: float = 1.0) -> np.ndarray:
    return s["gap"] <= errors * s["error"]


def high(s: Scores, among: np.ndarray | None = None) -> np.ndarray:
    """AUC within the tolerance of the highest, of some lengths."""
    auc = s["auc"] if among is None else np.where(among, s["auc"], -np.inf)
    return auc >= auc.max() - TOLERANCE


def ranks(s: Scores, errors: float = 1.0) -> np.ndarray:
    """AUC within standard errors of the highest."""
    return s["auc_gap"] <= errors * s["auc_error"]


def first(chosen: np.ndarray, otherwise: int) -> int:
    lengths = np.flatnonzero(chosen)
    return int(lengths[0]) if len(lengths) else otherwise


RULES: dict[str, Callable[[Scores], int]] = {
    "log loss within one standard error": lambda s: first(near(s), 0),
    "AUC within .01": lambda s: first(high(s), 0),
    "AUC within one standard error": lambda s: first(ranks(s), 0),
    "AUC within half a standard error": lambda s: first(ranks(s, 0.5), 0),
    "both, else lowest log loss": lambda s: first(near(s) & high(s), int(s["loss"].argmin())),
    "both, else the highest AUC of log loss within one standard error": lambda s: first(
        near(s) & high(s), first(near(s) & high(s, near(s)), 0)
    ),
    "both, else AUC within .01": lambda s: first(near(s) & high(s), first(high(s), 0)),
    "both within one standard error, else AUC": lambda s: first(
        near(s) & ranks(s), first(ranks(s), 0)
    ),
    "highest AUC, within .01, of log loss within one standard error": lambda s: first(
        near(s) & high(s, near(s)), 0
    ),
    "highest AUC, within .01, of log loss within two standard errors": lambda s: first(
        near(s, 2) & high(s, near(s, 2)), 0
    ),
    "AUC within .01, if it is above one half by a standard error": lambda s: first(
        high(s) & ~ranks(s)[0], 0
    ),
    "lowest log loss": lambda s: int(s["loss"].argmin()),
    "highest AUC": lambda s: int(s["auc"].argmax()),
    "the longest": lambda s: len(s["loss"]) - 1,
}


def show(records: list[dict[str, Any]]) -> None:
    """A line a rule: rules of the list, scores on test rows, AUC against l1, by table and fold."""
    n_tables = len({r["table"] for r in records})
    print(f"{len(records)} folds of {n_tables} tables; differences with standard errors\n")
    print("| length suggested by | rules | test log loss | AUC | AUC against l1 | median | worst |")
    print("|---|---|---|---|---|---|---|")
    rows: dict[str, list[tuple[float, float, float, float]]] = {}
    for r in records:
        scores, l1 = inner_scores(r), r["ways"]["l1"][1]
        chosen = {name: rule(scores) for name, rule in RULES.items()}
        chosen |= {f"{n} rules": min(n, len(r["test"]) - 1) for n in LENGTHS}
        chosen["best AUC of the test rows, in hindsight"] = int(
            np.argmax([a for _, a in r["test"]])
        )
        for name, m in chosen.items():
            loss, auc = r["test"][m]
            rows.setdefault(name, []).append((r["rules"][m], loss, auc, auc - l1))
        for way in ("point", "projected", "posterior"):
            loss, auc = r["ways"][way]
            length = np.nan if way == "posterior" else r["point_length"]
            rows.setdefault(f"({way})", []).append((length, loss, auc, auc - l1))
    for name, some in rows.items():
        table = np.array(some)
        rules, loss, auc, gap = table.mean(axis=0)
        error = table[:, 3].std(ddof=1) / np.sqrt(len(table)) if len(table) > 1 else np.nan
        print(
            f"| {name} | {rules:.1f} | {loss:.4f} | {auc:.4f} | {gap:+.4f} ± {error:.4f} "
            f"| {np.median(table[:, 3]):+.4f} | {table[:, 3].min():+.3f} |"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--role", choices=("tune", "judge"), default="tune")
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=600, help="after which no fold begins")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.seconds
    tables = public_tables(options.role, options.tables)
    for number in range(options.folds):
        for table in tables:
            path = KEPT / f"{table.name}-{number}.pickle"
            if time.monotonic() > end or path.exists() or len(table.load()[1]) >= SMALL:
                continue
            record = run_fold(list(folds_of(table))[number])
            KEPT.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps(record))
            print(f"  {path.stem}, {record['seconds']:.0f} s", file=sys.stderr, flush=True)
    names = [table.name for table in tables]
    records = [pickle.loads(path.read_bytes()) for path in sorted(KEPT.glob("*.pickle"))]
    records = [r for r in records if r["table"] in names and r["fold"] < options.folds]
    if records:
        show(records)


if __name__ == "__main__":
    main()
