"""Do lines of chosen lists keep their promises on rows that were held out?

For every line of a list, the held-out rows that it captures and how many of them have the outcome:
is that number within the line's 95 % predictive interval (Beta-binomial), and how much nearer to
the base rate is the share than the line's risk? Also for the posterior average, whose rows are put
into ten groups by predicted risk, and for the true risks of simulated tables, which are known: how
often they lie in the 95 % credible interval of the line, and in that over all lists. Real tables
are those whose default fits kept_fits.py has made; --seeds 0 leaves the simulated ones out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from kept_fits import default_fit, folds_of, is_kept
from public_tables import SMALL, public_tables
from scipy.stats import betabinom

from elseif import BayesianRuleListClassifier

LEVEL = 0.95
N_GROUPS = 10
N_ITER = 8000
SIZES = (200, 1000, 5000)  # of simulated tables
LISTS = ("point", "projected")


@dataclass(frozen=True)
class Line:
    """A line of a list, or a group of rows of about one risk, on held-out rows."""

    source: str
    what: str
    n_training: int
    n_rules: int
    risk: float
    base: float
    n: int
    events: int
    inside: bool | None  # None for groups, which have no predictive interval


def simulated(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers and truth values; risks of a short list that is not told, and outcomes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{i}": rng.normal(size=n).round(2) for i in range(4)})
    X = X.assign(**{f"b{i}": rng.random(n) < 0.3 for i in range(4)})
    chosen = [X["b0"] & (X["x0"] > 0), X["x1"] > 0.8, X["b1"], np.ones(n, dtype=bool)]
    risk = np.select(chosen, [0.6, 0.35, 0.25, 0.1])
    return X, rng.random(n) < risk, risk


def fitted(X: Any, y: Any) -> BayesianRuleListClassifier:
    """A list of simulated rows as by default, but for the number of iterations."""
    clf = BayesianRuleListClassifier(random_state=0, n_iter=N_ITER, predict_with="projected")
    return clf.fit(X, y)


def lines_of(clf: Any, source: str, X: Any, y: np.ndarray, n_training: int) -> Iterator[Line]:
    """Every line of the lists that captures held-out rows, and groups by the posterior's risk."""
    base = float(np.sum([r.label_counts for r in clf.rule_list_], axis=0)[-1] / n_training)
    for what in LISTS:
        rule_list = clf.model_.with_settings(predict_with=what).chosen_list()
        places = rule_list.captured_by(X)
        for place, rule in enumerate(rule_list):
            rows = places == place
            n, events = int(rows.sum()), int(y[rows].sum())
            if not n:
                continue
            a = rule.label_counts[-1] + rule.pseudocounts[-1]
            b = rule.n + rule.pseudocounts.sum() - a
            low, high = betabinom.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2], n, a, b)
            inside, risk = bool(low <= events <= high), float(rule.probabilities[-1])
            yield Line(source, what, n_training, len(rule_list), risk, base, n, events, inside)
    risks = clf.set_params(predict_with="posterior").predict_proba(X)[:, -1]
    order = np.argsort(risks, kind="stable")
    for rows in np.array_split(order, N_GROUPS):
        if len(rows):
            mean, events = float(risks[rows].mean()), int(y[rows].sum())
            yield Line(
                source, "posterior", n_training, len(clf.rule_list_), mean, base, len(rows), events,
                None,
            )  # fmt: skip


def flattery(lines: list[Line]) -> float:
    """By how much risks are further from the base rate than held-out shares, by rows."""
    sizes = np.array([line.n for line in lines])
    signs = np.array([np.sign(line.risk - line.base) for line in lines])
    gaps = np.array([line.risk - line.events / line.n for line in lines])
    return float(np.average(signs * gaps, weights=sizes))


def show(name: str, lines: list[Line]) -> None:
    """A row of the table for each of point, projected and posterior."""
    for what in (*LISTS, "posterior"):
        chosen = [line for line in lines if line.what == what]
        if not chosen:
            continue
        held = [line.inside for line in chosen if line.inside is not None]
        inside = f"{100 * np.mean(held):.1f} %" if held else ""
        groups = "groups" if what == "posterior" else "lines"
        print(
            f"| {name} | {what} | {len(chosen):,} {groups} | {inside} | {flattery(chosen):+.3f} |"
        )


def simulated_lines(seeds: int) -> tuple[list[Line], dict[int, np.ndarray]]:
    """Lines on new rows of simulated tables; and how often intervals hold the true risk."""
    lines: list[Line] = []
    held: dict[int, np.ndarray] = {}
    for n in SIZES if seeds else ():
        coverage = []
        for seed in range(seeds):
            X, y, _ = simulated(n, seed)
            new, outcome, risk = simulated(2000, 10_000 + seed)
            clf = fitted(X, y)
            found = []
            for what in (*LISTS, "posterior"):
                low, high = clf.predict_interval(new, LEVEL, what)[:, -1].T
                found.append(np.mean((low <= risk) & (risk <= high)))
            coverage.append(found)
            lines += lines_of(clf, f"simulated, {n:,} rows", new, outcome, n)
        held[n] = np.mean(coverage, axis=0)
    return lines, held


def real_lines(most_seconds: float) -> list[Line]:
    """Lines on held-out folds of public tables of two labels, of the default fits that are kept."""
    lines: list[Line] = []
    start, n_tables = time.monotonic(), 0
    for table in public_tables():
        if not is_kept(table, 0):
            continue
        if time.monotonic() - start > most_seconds:
            print(f"(stopped after {n_tables} tables)")
            break
        if len(np.unique(table.load()[1])) != 2:
            continue
        n_tables += 1
        for fold in folds_of(table):
            if not is_kept(table, fold.number):
                continue
            size = "below 1,500" if fold.n_rows < SMALL else "1,500 or more"
            clf = default_fit(fold).model
            n_rules = len(clf.rule_list_)
            path = clf.project(fold.X, fold.y, max_length=n_rules, folds=None)
            lines += lines_of(
                path.as_classifier(n_rules), f"real, {size} rows", fold.X_test, fold.y_test,
                len(fold.y),
            )  # fmt: skip
    print(f"\n{n_tables} real tables")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=600, help="for real tables")
    told = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines, held = simulated_lines(told.seeds)
    print("| rows | line of the point estimate | line of the projected list | over all lists |")
    print("|---|---|---|---|")
    for n, shares in held.items():
        print(f"| {n:,} | {' | '.join(f'{100 * share:.0f} %' for share in shares)} |")
    print(
        "\n| new rows of | predicted with | | in the 95 % predictive interval "
        "| too far from the base rate |"
    )
    print("|---|---|---|---|---|")
    for n in SIZES:
        name = f"simulated, {n:,} rows"
        show(name, [line for line in lines if line.source == name])
    lines = real_lines(told.seconds)
    for name in sorted({line.source for line in lines}):
        show(name, [line for line in lines if line.source == name])
    for low, high in ((0, 3), (4, 6), (7, 99)):
        chosen = [line for line in lines if low <= line.n_rules <= high]
        show(f"real, lists of {low} to {high} rules", chosen)


if __name__ == "__main__":
    main()
