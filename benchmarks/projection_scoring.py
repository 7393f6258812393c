"""Ways to compare a list with the posterior, and which finds lists that predict better.

Every fold is fitted once. Lists of at most the point estimate's length are then searched for by the
Kullback-Leibler divergence of the posterior predictive from

    counts  what the list predicts: the posterior mean of each line's label counts (elseif's way)
    means   the mean of the posterior predictive on each line, whatever the counts are
    halves  counts and posterior predictive taken together, each with half the weight

and predict with their counts or, as "means, projected", with those means. Results are kept by fold
in a CSV file, and what is there is not run again:

    python benchmarks/projection_scoring.py --role tune --small --results scoring.csv
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from projection import score
from public_tables import SMALL, PublicTable, public_tables
from sklearn.model_selection import StratifiedKFold

from elseif import BayesianRuleListClassifier
from elseif.posterior.rule_list import make_rule_list
from elseif.projection.project import problem_of_draft
from elseif.projection.search import Search, beginnings_of_drawn, nearest_lists
from elseif.projection.target import Target, make_target

SHARES = {"counts": 0.0, "halves": 0.5, "means": 1.0}  # of the posterior predictive in a line
LEAST_PSEUDOCOUNT = 1e-9  # a logarithm is taken of it, also where nobody is captured


def mixed(target: Target, share: float) -> Target:
    """A target whose lines have so much of the posterior predictive in place of their counts."""
    n_labels = len(target.pseudocounts)
    counts, sums = np.hsplit(target.cells.astype(float), [n_labels])
    in_sums = counts * (target.unit / target.target_unit)
    lines = np.rint((1 - share) * in_sums + share * sums).astype(np.int64)
    return replace(
        target,
        cells=np.hstack([lines, target.cells[:, n_labels:]]),
        unit=target.target_unit,
        pseudocounts=np.maximum((1 - share) * target.pseudocounts, LEAST_PSEUDOCOUNT),
    )


def closest(target: Target, posterior: Any, longest: int) -> tuple[int, ...]:
    """The closest list of at most so many rules, of equal ones the shortest."""
    tie = Search(target).tie
    best = None
    for found in nearest_lists(target, beginnings_of_drawn(target, posterior, longest), longest):
        if best is None or found.loss < best.loss - tie:
            best = found
    assert best is not None
    return best.rules


def predictions_of_fold(X: Any, y: Any, test: Any, fold: int, max_iter: int) -> dict[str, Any]:
    """What point estimate, posterior and each way's list predict for the test rows; and labels."""
    classifier = BayesianRuleListClassifier(max_iter=max_iter, random_state=fold, n_jobs=1)
    classifier.fit(X, y)
    predicted = {"point": classifier.predict_proba(test)}
    classifier.set_params(predict_with="posterior")
    predicted["posterior"] = classifier.predict_proba(test)
    posterior, longest = classifier.posterior_, len(classifier.rule_list_)
    target = make_target(problem_of_draft(classifier.edit(X, y)), posterior)
    for way, share in SHARES.items():
        rules = closest(mixed(target, share) if share else target, posterior, longest)
        antecedents = [posterior.pool[int(target.candidates[a])] for a in rules]
        counts = Search(target).label_counts(rules)
        rule_list = make_rule_list(antecedents, counts, posterior.metadata)
        predicted[way] = rule_list.predict_proba(test)
        if way == "means":
            # a target whose counts are the sums counts the sums
            sums = Search(mixed(target, 1.0)).label_counts(rules) + LEAST_PSEUDOCOUNT
            means = sums / sums.sum(axis=1, keepdims=True)
            predicted["means, projected"] = means[rule_list.captured_by(test)]
    return predicted | {"classes": classifier.classes_}


def compare(table: PublicTable, told: Any, known: set[tuple[str, int]]) -> list[dict[str, Any]]:
    X, y = table.load()
    rows = []
    splits = StratifiedKFold(told.folds, shuffle=True, random_state=told.split_seed).split(X, y)
    for fold, (train, test) in enumerate(splits):
        if (table.name, fold) in known:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = predictions_of_fold(
                X.iloc[train], y.iloc[train], X.iloc[test], fold, told.max_iter
            )
        classes, labels = found.pop("classes"), y.iloc[test].to_numpy()
        row: dict[str, Any] = {"table": table.name, "fold": fold}
        for way, probabilities in found.items():
            row[f"{way} loss"], row[f"{way} AUC"] = score(labels, probabilities, classes)
        rows.append(row)
    return rows


def show(frame: pd.DataFrame) -> None:
    """Each way minus the point estimate: mean over tables, its error, tables better and worse."""
    by_table = frame.drop(columns="fold").groupby("table", sort=False).mean()
    print(f"{len(by_table)} tables, {len(frame)} folds; differences from the point estimate")
    print(f"{'':18}{'log loss':>18}{'better, worse':>15}{'AUC':>18}{'better, worse':>15}")
    for way in (*SHARES, "means, projected", "posterior"):
        print(f"{way:18}", end="")
        for measure, sign in (("loss", -1), ("AUC", 1)):
            gain = by_table[f"{way} {measure}"] - by_table[f"point {measure}"]
            error = gain.std() / np.sqrt(len(gain))
            better, worse = (sign * gain > 0).sum(), (sign * gain < 0).sum()
            print(f"{f'{gain.mean():+.4f} ± {error:.4f}':>18}{f'{better}, {worse}':>15}", end="")
        print()


def main(told: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=("tune", "judge"))
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--small", action="store_true", help=f"only tables below {SMALL:,} rows")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--split-seed", type=int, default=0)
    parser.add_argument("--max-iter", type=int, default=200_000)
    parser.add_argument("--results", help="CSV file that keeps folds already compared")
    given = parser.parse_args([] if told is None else told)
    kept = []
    if given.results and Path(given.results).exists():
        kept = pd.read_csv(given.results).to_dict("records")
    for table in public_tables(given.role, given.tables):
        if given.small and len(table.load()[1]) >= SMALL:
            continue
        kept += compare(table, given, {(row["table"], row["fold"]) for row in kept})
        if given.results:
            pd.DataFrame(kept).to_csv(given.results, index=False)
        print(f"  {table.name}", file=sys.stderr, flush=True)
    show(pd.DataFrame(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
