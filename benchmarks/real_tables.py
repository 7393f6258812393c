"""elseif's settings and other people's classifiers on public tables, over the same folds.

Results are kept as JSON lines, and what is there is not run again: stop it, go on later, or run
some tables or methods at a time. Fits with default settings are those of kept_fits.py. Without
--run, the tables of what is there are printed.

    python benchmarks/run.py real_tables                      # print what is kept
    python benchmarks/real_tables.py --run methods --seconds 240
    python benchmarks/real_tables.py --run settings --tables pima oj
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from kept_fits import N_FOLDS, Fit, Fold, default_fit, folds_of
from public_tables import SMALL, PublicTable, public_tables
from sklearn.metrics import log_loss, roc_auc_score
from table_methods import PEERS, Peer, fit_quietly

from elseif import BayesianRuleListClassifier

KEPT = Path(__file__).resolve().parent.parent / ".bench" / "real_tables.jsonl"
N_SEEDS = 2  # whose lists and predictions are compared
LEAST, MOST = 1e-6, 1 - 1e-6  # of a probability, where a classifier is quite sure
OUTPUTS = ("point", "projected", "posterior")

DEFAULT = "default"
SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "no merging, no screening": {"max_correlation": None, "max_antecedents": 100_000},
    "merging at .98": {"max_correlation": 0.98},
    "merging at .9": {"max_correlation": 0.9},
    "500 antecedents": {"max_antecedents": 500},
    "1,000 antecedents": {"max_antecedents": 1_000},
    "5,000 antecedents": {"max_antecedents": 5_000},
    "length 6": {"expected_length": 6},
    "support 5 %": {"min_support": 0.05},
    "support 2 %": {"min_support": 0.02},
    "any class": {"support_in": "any_class"},
    "8 quantiles": {"n_quantiles": 8},
    "MDL cuts": {"cutting": "mdl"},
    "evidence cuts": {"cutting": "evidence"},
    "single conditions": {"max_cardinality": 1},
    "cardinality 3": {"max_cardinality": 3},
    "evidence, 5 %, length 6": {
        "cutting": "evidence",
        "min_support": 0.05,
        "expected_length": 6,
    },
}
Record = dict[str, Any]


def judged(codes: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    """AUC (of more than two labels, the mean of each against the rest), and log loss."""
    shares = np.clip(probabilities, LEAST, MOST)
    shares /= shares.sum(axis=1, keepdims=True)
    labels = np.arange(shares.shape[1])
    if len(labels) == 2:
        auc = roc_auc_score(codes, probabilities[:, 1])
    else:
        auc = roc_auc_score(codes, shares, multi_class="ovr", labels=labels)
    return {"auc": float(auc), "log_loss": float(log_loss(codes, shares, labels=labels))}


def run_setting(name: str, fold: Fold, n_seeds: int) -> list[Record]:
    """Fits with some settings, with several seeds in the first fold: a record for each output."""
    records: list[Record] = []
    others: dict[str, np.ndarray] = {}
    lists: list[str] = []
    for seed in range(n_seeds if fold.number == 0 else 1):
        fit = default_fit(fold, seed) if name == DEFAULT else fit_setting(name, fold, seed)
        model, seconds = fit.model, fit.seconds
        lists.append(str(model.rule_list_))
        for output in OUTPUTS:
            predicted, lines = predict_with(output, model, fold)
            if seed:
                mine = next(r for r in records if r["output"] == output)
                differences = np.abs(predicted - others[output])
                mine["difference"] = float(differences.mean())
                mine["largest_difference"] = float(differences.max())
                mine["same_list"] = lists[0] == lists[1]
                mine["status_of_other_seed"] = model.convergence_.status
                continue
            others[output] = predicted
            records.append(
                {
                    "output": output,
                    **judged(fold.y_test, predicted),
                    "lines": lines,
                    "seconds": seconds,
                    "status": model.convergence_.status,
                    "n_iter": model.n_iter_,
                    "pool": len(model.pool_),
                }
            )
    return records


def fit_setting(name: str, fold: Fold, seed: int) -> Fit:
    model = BayesianRuleListClassifier(random_state=seed, n_jobs=1, **SETTINGS[name])
    start = time.process_time()
    model.fit(fold.X, fold.y)
    return Fit(model, time.process_time() - start)


def predict_with(output: str, model: Any, fold: Fold) -> tuple[np.ndarray, int | None]:
    """Predictions of the test rows, and how many rules they come from."""
    if output == "projected":
        longest = len(model.rule_list_)
        shown = model.project(fold.X, fold.y, max_length=longest, folds=None)[longest]
        return shown.predict_proba(fold.X_test), len(shown)
    predicted = model.set_params(predict_with=output).predict_proba(fold.X_test)
    model.set_params(predict_with="point")
    return predicted, len(model.rule_list_) if output == "point" else None


def run_peer(peer: Peer, fold: Fold) -> list[Record]:
    start = time.process_time()
    fitted = fit_quietly(peer, fold.X, fold.y, 0)
    seconds = time.process_time() - start + fitted.seconds
    scores = judged(fold.y_test, fitted.predict_proba(fold.X_test))
    return [{"output": "", **scores, "lines": fitted.n_lines, "seconds": seconds}]


def read_kept(path: Path = KEPT) -> list[Record]:
    """What is kept; a last line that was cut short is passed over."""
    if not path.exists():
        return []
    records = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def run(
    tables: Sequence[PublicTable],
    methods: Sequence[str],
    seconds: float,
    n_folds: int,
    n_seeds: int,
) -> None:
    """Fit whatever is not kept yet, until the time is over."""
    done = {(r["table"], r["method"], r["fold"]) for r in read_kept()}
    KEPT.parent.mkdir(exist_ok=True)
    end = time.monotonic() + seconds
    for table in tables:
        wanted = [m for m in methods if any((table.name, m, f) not in done for f in range(n_folds))]
        if not wanted:
            continue
        for fold in folds_of(table, n_folds):
            for method in wanted:
                if (table.name, method, fold.number) in done:
                    continue
                if time.monotonic() > end:
                    return
                fit = partial(_fit, method, fold, n_seeds)
                keep(table, method, fold.number, len(fold.y), fit)


def _fit(method: str, fold: Fold, n_seeds: int) -> list[Record]:
    """Records of one method in one fold, or why there are none."""
    peer = next((p for p in PEERS if p.name == method), None)
    if peer is None:
        return run_setting(method, fold, n_seeds)
    lacking = peer.lacking(len(np.unique(fold.y)))
    return [{"failed": lacking}] if lacking else run_peer(peer, fold)


def keep(
    table: PublicTable, method: str, fold: int, n_rows: int, fit: Callable[[], list[Record]]
) -> None:
    """Fit and append the records."""
    about = {"table": table.name, "method": method, "fold": fold, "rows": n_rows}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            records = fit()
    except Exception as error:  # a peer may fail in any way, and the race goes on
        records = [{"failed": f"{type(error).__name__}: {error}"[:200]}]
    with KEPT.open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps({**about, "role": table.role, **record}) + "\n")
    first = records[0]
    shown = first.get("failed") or f"{first.get('status', '')} AUC {first['auc']:.3f}"
    print(f"{table.name}, {method}, fold {fold}: {shown}", flush=True)


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def means_by_table(records: Sequence[Record], key: str) -> dict[str, float]:
    """The mean over folds of each table."""
    by_table: dict[str, list[float]] = {}
    for record in records:
        if record.get(key) is not None:
            by_table.setdefault(record["table"], []).append(record[key])
    return {table: mean(values) for table, values in by_table.items()}


def league(records: Sequence[Record], role: str | None) -> None:
    """Every method against the default's point estimate, on the tables that both have."""
    records = [r for r in records if role in (None, r["role"]) and "failed" not in r]
    outputs = {(r["method"], r["output"]) for r in records}
    ours = [r for r in records if (r["method"], r["output"]) == (DEFAULT, "point")]
    base_auc, base_loss = means_by_table(ours, "auc"), means_by_table(ours, "log_loss")
    methods = [(DEFAULT, o) for o in OUTPUTS] + [(p.name, "") for p in PEERS]
    print(
        "| method | tables | AUC | against the point estimate | better, worse | log loss "
        "| against | size | seconds |\n|---|---|---|---|---|---|---|---|---|"
    )
    for key in methods:
        if key not in outputs:
            continue
        some = [r for r in records if (r["method"], r["output"]) == key]
        auc, loss = means_by_table(some, "auc"), means_by_table(some, "log_loss")
        both = [t for t in auc if t in base_auc]
        gains = np.array([auc[t] - base_auc[t] for t in both])
        costs = [loss[t] - base_loss[t] for t in both]
        name = f"**elseif, {key[1]}**" if key[0] == DEFAULT else key[0]
        lines = list(means_by_table(some, "lines").values())
        n_better, n_worse = int((gains > 0.001).sum()), int((gains < -0.001).sum())
        print(
            f"| {name} | {len(both)} | {mean([auc[t] for t in both]):.3f} | {mean(gains):+.3f} "
            f"| {n_better}, {n_worse} | {mean([loss[t] for t in both]):.3f} "
            f"| {mean(costs):+.3f} | {f'{np.median(lines):.0f}' if lines else ''} "
            f"| {np.median([r['seconds'] for r in some]):.1f} |"
        )


def settings_table(records: Sequence[Record], role: str | None) -> None:
    """Every setting against the default, on the folds that both have."""
    records = [r for r in records if role in (None, r["role"]) and "failed" not in r]
    record_of = {(r["method"], r["output"], r["table"], r["fold"]): r for r in records}
    shown = [o for o in OUTPUTS if any(k[1] == o for k in record_of)]
    heads = [f"AUC, {o}" for o in shown] + [f"log loss, {o}" for o in shown]
    print(
        f"| setting | folds | {' | '.join(heads)} | rules | pool | not converged "
        "| same list | difference over seeds | seconds |"
    )
    print("|---" * (len(heads) + 8) + "|")
    for name in SETTINGS:
        keys = [k for k in record_of if k[:2] == (name, "point")]
        keys = [k for k in keys if (DEFAULT, *k[1:]) in record_of]
        if not keys:
            continue
        cells = []
        for measure in ("auc", "log_loss"):
            for output in shown:
                own = [record_of[(name, output, *k[2:])][measure] for k in keys]
                base = [record_of[(DEFAULT, output, *k[2:])][measure] for k in keys]
                cells.append(f"{mean(own):.3f}" if name == DEFAULT else _difference(own, base))
        points = [record_of[k] for k in keys]
        posteriors = [record_of[(name, "posterior", *k[2:])] for k in keys]
        n_unsure = sum(r["status"] == "not converged" for r in points)
        two = [r for r in points if "same_list" in r]
        differences = [r["difference"] for r in posteriors if "difference" in r]
        print(
            f"| {name} | {len(keys)} | {' | '.join(cells)} "
            f"| {mean([r['lines'] for r in points]):.1f} "
            f"| {np.median([r['pool'] for r in points]):,.0f} "
            f"| {n_unsure} of {len(points)} "
            f"| {sum(r['same_list'] for r in two)} of {len(two)} | {mean(differences):.4f} "
            f"| {np.median([r['seconds'] for r in points]):.1f} |"
        )


def _difference(own: Sequence[float], base: Sequence[float]) -> str:
    """The mean difference with its standard error."""
    differences = np.subtract(own, base)
    n = len(differences)
    error = differences.std(ddof=1) / np.sqrt(n) if n > 1 else float("nan")
    return f"{differences.mean():+.3f} ± {error:.3f}"


def print_tables(records: Sequence[Record]) -> None:
    """Everything that docs/comparison.md and docs/settings.md show."""
    n_tables = len({r["table"] for r in records})
    small = {r["table"] for r in records if r["rows"] * N_FOLDS / (N_FOLDS - 1) < SMALL}
    print(f"{n_tables} tables, {len(small)} of fewer than {SMALL:,} rows; {N_FOLDS} folds\n")
    if not records:
        return
    for title, role in (
        ("tables that nothing was chosen on", "judge"),
        ("tables that settings are chosen on", "tune"),
        ("all tables", None),
    ):
        print(f"League, {title}:\n")
        league(records, role)
        print(f"\nSettings, {title}:\n")
        settings_table(records, role)
        print()
    failed = {(r["method"], r["failed"]) for r in records if "failed" in r}
    for method, why in sorted(failed):
        n = len({r["table"] for r in records if (r["method"], r.get("failed")) == (method, why)})
        print(f"{method} has no result on {n} tables: {why}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", choices=["methods", "settings", "default"])
    parser.add_argument("--methods", nargs="*", help="names of settings or of classifiers")
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--role", choices=["tune", "judge"])
    parser.add_argument("--folds", type=int, default=N_FOLDS)
    parser.add_argument("--seconds", type=float, default=240.0, help="after which no fit begins")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="of the first fold")
    options = parser.parse_args(arguments or [])
    everything = {
        "methods": [DEFAULT, *(p.name for p in PEERS)],
        "settings": list(SETTINGS),
        "default": [DEFAULT],
    }
    methods = options.methods or everything.get(options.run, [])
    if methods:
        run(
            public_tables(options.role, options.tables),
            methods,
            options.seconds,
            options.folds,
            options.seeds,
        )
    print_tables(read_kept())


if __name__ == "__main__":
    main(sys.argv[1:])
