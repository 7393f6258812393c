"""Projected list against point estimate out of sample, on public tables; see docs/projection.md.

The fits are those of kept_fits.py: default settings, three folds. Of every fold are judged its
point estimate, the projected list of the same length and the posterior average; with --l1, also
projected lists of other lengths beside an l1 logistic regression tuned within the training rows;
with --suggested, the list of the length that five folds within the training rows suggest. Log loss
is in nats. With more than two labels, AUC is the mean of each label against the others. The folds
of the published table are those of split 0; --splits shuffles the rows into folds in further ways,
which shows what of a difference is owed to the shuffle. Results are kept by table, split and fold,
and what is there is not run again:

    python benchmarks/projection.py --role judge --small
    python benchmarks/projection.py --l1 --folds 1
    python benchmarks/projection.py --role judge --large --splits 3
    python benchmarks/projection.py --seconds 0                 # print what there is
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from kept_fits import FITS, N_FOLDS, Fold, default_fit, folds_of, is_kept
from public_tables import SMALL, public_tables
from sklearn.metrics import log_loss, roc_auc_score
from table_methods import PEERS, fit_quietly

LENGTHS = (4, 6, 8, 10)
WORST = 0.003  # loss of AUC that is allowed on large tables
L1 = next(peer for peer in PEERS if peer.name.startswith("l1"))


def score(codes: np.ndarray, probabilities: np.ndarray) -> tuple[float, float]:
    """Log loss and AUC."""
    shares = np.clip(probabilities, 1e-12, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    loss = float(log_loss(codes, shares, labels=np.arange(shares.shape[1])))
    labels = [1] if shares.shape[1] == 2 else range(shares.shape[1])
    return loss, float(np.mean([roc_auc_score(codes == k, probabilities[:, k]) for k in labels]))


def placements(truth: np.ndarray, risk: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of others below each event (ties half), and of events above each other."""
    above = (risk[truth][:, None] > risk[~truth]) + 0.5 * (risk[truth][:, None] == risk[~truth])
    return above.mean(axis=1), above.mean(axis=0)


def error_of_difference(codes: np.ndarray, one: np.ndarray, two: np.ndarray) -> float:
    """Standard error of the difference between two AUCs on the same rows (DeLong and others)."""
    labels = [1] if one.shape[1] == 2 else range(one.shape[1])
    variance = 0.0
    for k in labels:
        parts = zip(
            placements(codes == k, one[:, k]), placements(codes == k, two[:, k]), strict=True
        )
        variance += sum((a - b).var(ddof=1) / len(a) for a, b in parts) / len(labels) ** 2
    return float(np.sqrt(variance))


def judge(fold: Fold, options: argparse.Namespace) -> dict[str, Any]:
    """What each way to predict scores on the test rows of a fold."""
    start = time.process_time()
    model = default_fit(fold).model
    X, y, point = fold.X, fold.y, model.rule_list_
    row: dict[str, Any] = {
        "table": fold.table.name, "role": fold.table.role, "rows": fold.n_rows,
        "split": fold.split, "fold": fold.number, "pool": len(model.pool_),
        "verdict": model.convergence_.status, "point_rules": len(point),
    }  # fmt: skip
    equal = model.project(X, y, max_length=len(point), folds=None)
    predicted = {
        "point": model.predict_proba(fold.X_test),
        "projected": equal[len(point)].predict_proba(fold.X_test),
        "posterior": model.set_params(predict_with="posterior").predict_proba(fold.X_test),
    }
    model.set_params(predict_with="point")
    if options.l1:
        path = model.project(X, y, max_length=max(LENGTHS), folds=None)
        for length in LENGTHS:
            predicted[f"length{length}"] = path[length].predict_proba(fold.X_test)
    if options.l1 or options.suggested:
        predicted["l1"] = fit_quietly(L1, X, y, 0).predict_proba(fold.X_test)
    if options.suggested:
        path = model.project(X, y)
        row["suggested_rules"] = len(path[path.chosen])
        predicted["suggested"] = path[path.chosen].predict_proba(fold.X_test)
    row["projected_rules"] = len(equal[len(point)])
    row["auc_error"] = error_of_difference(fold.y_test, predicted["projected"], predicted["point"])
    for way, probabilities in predicted.items():
        row[f"{way}_loss"], row[f"{way}_auc"] = score(fold.y_test, probabilities)
    return row | {"seconds": time.process_time() - start}


def show(frame: pd.DataFrame) -> None:
    """A line a table, then what the criteria ask."""
    by_table = frame.drop(columns=["verdict", "role"]).groupby("table", sort=False).mean()
    print(
        "| table | rows | rules | log loss, point | projected | AUC, point | projected | posterior "
        "|\n|---|---|---|---|---|---|---|---|"
    )
    for name, row in by_table.iterrows():
        print(
            f"| {name} | {row.rows:,.0f} | {row.point_rules:.1f} | {row.point_loss:.3f} "
            f"| {row.projected_loss - row.point_loss:+.4f} | {row.point_auc:.3f} "
            f"| {row.projected_auc - row.point_auc:+.4f}{error_of_mean(frame, str(name))} "
            f"| {row.posterior_auc - row.point_auc:+.3f} |"
        )
    print()
    for title, some in (
        (f"below {SMALL:,} rows", by_table[by_table.rows < SMALL]),
        (f"{SMALL:,} rows and more", by_table[by_table.rows >= SMALL]),
        ("all", by_table),
    ):
        if len(some):
            compare(title, some)
    unsure = (frame.verdict == "not converged").mean()
    print(f"{len(frame)} fits, {unsure:.1%} not converged")


def show_splits(frame: pd.DataFrame) -> None:
    """A line a table: AUC of the projected list minus the point estimate's, by split."""
    gain = (frame.projected_auc - frame.point_auc).groupby([frame.table, frame.split], sort=False)
    by_split = gain.mean().unstack()
    titles = [f"split {number}" for number in by_split.columns]
    print("| table | " + " | ".join(titles) + " | mean | error |")
    print("|---" * (len(titles) + 3) + "|")
    for name, row in by_split.iterrows():
        cells = [f"{value:+.4f}" for value in row]
        error = row.std() / np.sqrt(row.notna().sum())
        print(f"| {name} | {' | '.join(cells)} | {row.mean():+.4f} | {error:.4f} |")
    print("The error is that of the mean over splits, which share their rows.")
    print()


def error_of_mean(frame: pd.DataFrame, table: str) -> str:
    """Standard error of a table's mean difference over folds, where it is known of all."""
    errors = frame[frame.table == table].get("auc_error", pd.Series([np.nan]))
    return "" if errors.isna().any() else f" ± {np.sqrt((errors**2).sum()) / len(errors):.4f}"


def compare(title: str, some: pd.DataFrame) -> None:
    """Projected against point at equal length; and the gap of every way to l1."""
    loss, auc = some.projected_loss - some.point_loss, some.projected_auc - some.point_auc
    print(
        f"{title}: {len(some)} tables; projected minus point: log loss {loss.mean():+.4f} "
        f"(better on {(loss < 0).sum()}, equal on {(loss == 0).sum()}), AUC {auc.mean():+.4f} ± "
        f"{auc.std() / np.sqrt(len(auc)):.4f} (better on {(auc > 0).sum()}, equal on "
        f"{(auc == 0).sum()}, worse by more than {WORST} on {(auc < -WORST).sum()}, worst "
        f"{auc.min():+.4f}); both better on {((loss < 0) & (auc > 0)).sum()}"
    )
    if "l1_auc" not in some:
        return
    ways = ["point", "projected", *(f"length{n}" for n in LENGTHS), "suggested", "posterior"]
    for way in ways:
        if f"{way}_auc" not in some or some[f"{way}_auc"].isna().all():
            continue
        has = some[some[f"{way}_auc"].notna() & some.l1_auc.notna()]
        gap = has[f"{way}_auc"] - has.l1_auc
        rules = f", {has.suggested_rules.mean():.1f} rules" if way == "suggested" else ""
        print(
            f"    {way} minus l1 logistic regression: AUC {gap.mean():+.4f} (median "
            f"{gap.median():+.4f}, better on {(gap > 0).sum()} of {len(gap)}{rules})"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--role", choices=("tune", "judge"), help="only tables of a role")
    parser.add_argument("--tables", nargs="*", default=[], help="only these")
    parser.add_argument("--small", action="store_true", help=f"only tables below {SMALL:,} rows")
    parser.add_argument("--large", action="store_true", help="only tables of at least as many")
    parser.add_argument("--folds", type=int, default=N_FOLDS)
    parser.add_argument("--splits", type=int, default=1, help="ways to shuffle rows into folds")
    parser.add_argument("--l1", action="store_true", help="also other lengths, and l1")
    parser.add_argument("--suggested", action="store_true", help="also the suggested length")
    parser.add_argument("--only-kept", action="store_true", help="no fits that are not kept yet")
    parser.add_argument("--seconds", type=float, default=600, help="after which no fold begins")
    options = parser.parse_args([] if arguments is None else arguments)
    asked = "".join(f"_{name}" for name in ("l1", "suggested") if getattr(options, name))
    results = FITS.parent / f"projection{asked}.csv"
    end = time.monotonic() + options.seconds
    kept = pd.read_csv(results).to_dict("records") if results.exists() else []
    for record in kept:
        record.setdefault("split", 0)
    done = {(r["table"], r["split"], r["fold"]) for r in kept}
    tables = public_tables(options.role, options.tables)
    if options.small or options.large:
        tables = [t for t in tables if options.small == (len(t.load()[1]) < SMALL)]
    for split, table in ((s, t) for s in range(options.splits) for t in tables):
        if time.monotonic() > end:
            break
        for fold in folds_of(table, options.folds, split):
            if (table.name, split, fold.number) in done or time.monotonic() > end:
                continue
            if options.only_kept and not is_kept(table, fold.number, split=split):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kept.append(judge(fold, options))
            pd.DataFrame(kept).to_csv(results, index=False)
            print(f"  {table.name}, {split}, {fold.number}", file=sys.stderr, flush=True)
    names = [table.name for table in tables]
    frame = pd.DataFrame(kept)
    if len(frame):
        shown = frame[frame.table.isin(names) & (frame.split < options.splits)]
        if options.splits > 1:
            show_splits(shown)
        show(shown)


if __name__ == "__main__":
    main(sys.argv[1:])
