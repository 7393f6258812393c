"""Projected list against point estimate out of sample, on public tables; see docs/projection.md.

Every fold is fitted once: its point estimate, its projected list of the same length, its posterior
average and, with --suggested, the projected list of the length that a cross-validation within the
training rows suggests, beside an l1 logistic regression tuned in the same way. Log loss is in nats.
With more than two labels, AUC is the mean of each label against the others.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from public_tables import SMALL, PublicTable, public_tables
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from elseif import BayesianRuleListClassifier

WAYS = ("point", "projected", "posterior", "suggested", "l1")


def l1_logistic() -> Any:
    """As people fit it: categories as indicators, medians for missing numbers, C by folds."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", min_frequency=0.01)
    columns = make_column_transformer(
        (numbers, lambda X: X.select_dtypes("number").columns),
        (words, lambda X: X.select_dtypes(exclude="number").columns),
    )
    with_l1 = LogisticRegressionCV(
        l1_ratios=(1,), solver="saga", scoring="neg_log_loss", Cs=8, max_iter=300, random_state=0,
        use_legacy_attributes=False,
    )  # fmt: skip
    return make_pipeline(columns, with_l1)


def score(y: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> tuple[float, float]:
    clipped = np.clip(probabilities, 1e-12, 1)
    clipped /= clipped.sum(axis=1, keepdims=True)
    loss = log_loss(y, clipped, labels=classes)
    if len(classes) == 2:
        return loss, roc_auc_score(y == classes[1], probabilities[:, 1])
    aucs = [roc_auc_score(y == label, probabilities[:, k]) for k, label in enumerate(classes)]
    return loss, float(np.mean(aucs))


def judge_fold(
    table: PublicTable, X: pd.DataFrame, y: pd.Series, fold: int, parts: Any, told: Any
) -> dict[str, Any]:
    train, test = parts
    start = time.perf_counter()
    settings = {"max_iter": told.max_iter, "random_state": fold}
    classifier = BayesianRuleListClassifier(predict_with="projected", **settings)
    classifier.fit(X.iloc[train], y.iloc[train])
    row: dict[str, Any] = {
        "table": table.name, "role": table.role, "rows": len(X), "fold": fold,
        "pool": len(classifier.pool_), "verdict": classifier.convergence_.status,
        "point_rules": len(classifier.rule_list_),
        "projected_rules": len(classifier.projected_rule_list_),
    }  # fmt: skip
    seen, labels = X.iloc[test], y.iloc[test].to_numpy()
    predictions = {}
    for way in ("point", "projected", "posterior"):
        predictions[way] = classifier.set_params(predict_with=way).predict_proba(seen)
    if told.suggested:
        classifier.set_params(predict_with="point")
        path = classifier.project(X.iloc[train], y.iloc[train], folds=told.inner_folds)
        row["suggested_rules"] = len(path[path.chosen])
        predictions["suggested"] = path.as_classifier().predict_proba(seen)
        predictions["l1"] = l1_logistic().fit(X.iloc[train], y.iloc[train]).predict_proba(seen)
    for way, probabilities in predictions.items():
        row[f"{way}_loss"], row[f"{way}_auc"] = score(labels, probabilities, classifier.classes_)
    return row | {"seconds": time.perf_counter() - start}


def judge(table: PublicTable, told: Any) -> list[dict[str, Any]]:
    X, y = table.load()
    splits = StratifiedKFold(told.folds, shuffle=True, random_state=0).split(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [judge_fold(table, X, y, k, parts, told) for k, parts in enumerate(splits)]


def show(rows: list[dict[str, Any]]) -> None:
    """A line a table, then what the criteria ask."""
    frame = pd.DataFrame(rows)
    frame = frame.apply(lambda column: pd.to_numeric(column, errors="coerce").fillna(column))
    by_table = frame.drop(columns=["verdict", "role"]).groupby("table", sort=False).mean()
    print(f"{'table':16}{'rows':>7}{'pool':>7}{'rules':>12}", end="")
    print(f"{'log loss':>10}{'projected':>10}{'AUC':>8}{'projected':>10}{'posterior':>10}")
    for name, row in by_table.iterrows():
        rules = f"{row.point_rules:.1f} {row.projected_rules:.1f}"
        print(f"{name:16}{row.rows:7,.0f}{row.pool:7,.0f}{rules:>12}", end="")
        print(f"{row.point_loss:10.4f}{row.projected_loss - row.point_loss:+10.4f}", end="")
        print(f"{row.point_auc:8.3f}{row.projected_auc - row.point_auc:+10.4f}", end="")
        print(f"{row.posterior_auc - row.point_auc:+10.4f}")
    for title, some in (
        (f"below {SMALL:,} rows", by_table[by_table.rows < SMALL]),
        (f"{SMALL:,} rows and more", by_table[by_table.rows >= SMALL]),
    ):
        if not len(some):
            continue
        loss = some.projected_loss - some.point_loss
        auc = some.projected_auc - some.point_auc
        print(
            f"{title}: {len(some)} tables; projected minus point: log loss {loss.mean():+.4f} "
            f"(better on {(loss < 0).sum()}), AUC {auc.mean():+.4f} (better on {(auc > 0).sum()}, "
            f"worst {auc.min():+.4f}); both better on {((loss < 0) & (auc > 0)).sum()}"
        )
    if "suggested_auc" in by_table and by_table.suggested_auc.notna().any():
        some = by_table[by_table.suggested_auc.notna()]
        for way in ("point", "projected", "suggested", "posterior"):
            gap = some[f"{way}_auc"] - some.l1_auc
            print(
                f"{way} minus l1 logistic regression: AUC {gap.mean():+.4f} (median "
                f"{gap.median():+.4f}, better on {(gap > 0).sum()} of {len(gap)})"
            )
        lengths = some[["suggested_rules", "point_rules"]].mean()
        print(f"suggested: {lengths.iloc[0]:.1f} rules, point: {lengths.iloc[1]:.1f}")
    unsure = (frame.verdict == "not converged").mean()
    print(f"{len(frame)} fits, {unsure:.1%} not converged, {frame.seconds.sum():,.0f} s in all")


def main(told: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=("tune", "judge"), help="only tables of a role")
    parser.add_argument("--tables", nargs="*", default=[], help="only these")
    parser.add_argument("--small", action="store_true", help=f"only tables below {SMALL:,} rows")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--max-iter", type=int, default=2_000_000)
    parser.add_argument(
        "--suggested", action="store_true", help="also the suggested length, and l1"
    )
    parser.add_argument("--inner-folds", type=int, default=5)
    parser.add_argument("--results", help="CSV file that keeps folds already judged, and new ones")
    given = parser.parse_args([] if told is None else told)
    kept: list[dict[str, Any]] = []
    if given.results and Path(given.results).exists():
        kept = list(csv.DictReader(Path(given.results).read_text().splitlines()))
    chosen = public_tables(given.role, given.tables)
    if given.small:
        chosen = [table for table in chosen if len(table.load()[1]) < SMALL]
    for table in chosen:
        if any(row["table"] == table.name for row in kept):
            continue
        kept += judge(table, given)
        if given.results:
            pd.DataFrame(kept).to_csv(given.results, index=False)
        print(f"  {table.name}", file=sys.stderr, flush=True)
    names = {table.name for table in chosen}
    show([row for row in kept if row["table"] in names])


if __name__ == "__main__":
    main(sys.argv[1:])
