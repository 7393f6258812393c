"""Do lines of chosen lists keep their promises on rows that were held out?

For every line of a list, the held-out rows that it captures and how many of them have the outcome:
is that number within the line's 95 % predictive interval (Beta-binomial), and how much nearer to
the base rate of the training rows is the share than the line's risk? The rows of the posterior
average are put into ten groups by predicted risk; the predictive interval of a group comes from
lists drawn from the posterior, with risks drawn for their lines. For simulated tables, whose risks
are known, also how often they lie in the 95 % credible interval of the line, and in that over all
lists.

Everything is fitted with default settings, and nothing of the held-out rows is seen by a fit. Real
tables of two labels are judged on three folds, by the fits of kept_fits.py; those that are not kept
are made with --fit. What was judged is kept in .bench/line_coverage.csv and not judged again:

    python benchmarks/run.py line_coverage --seeds 10 --seconds 600
    python benchmarks/line_coverage.py --seeds 0 --small --seconds 600
    python benchmarks/line_coverage.py --seeds 0 --large --seconds 600
    python benchmarks/line_coverage.py --seeds 0 --seconds 0           # print what is kept
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from kept_fits import FITS, Fold, default_fit, folds_of, is_kept
from public_tables import SMALL, public_tables
from scipy.stats import betabinom

from elseif import BayesianRuleListClassifier

LEVEL = 0.95
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
N_GROUPS = 10
N_LISTS = 400  # drawn for the predictive intervals of groups
SIZES = (200, 1000, 5000)  # of simulated tables
LISTS = ("point", "projected")
WAYS = (*LISTS, "posterior")
KEPT = FITS.parent / "line_coverage.csv"
LENGTHS = ((0, 3), (4, 6), (7, 99))


@dataclass(frozen=True)
class Line:
    """A line of a list, or a group of rows of about one risk, on held-out rows."""

    table: str
    fold: int
    rows: int  # of the table, or of the simulated training rows
    way: str
    n_rules: int  # of the list; of the point estimate, for groups
    n_training: float  # training rows on the line; of a group, all
    risk: float
    base: float  # of the training rows
    n: int
    events: int
    inside: bool


def simulated(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers and truth values; risks of a short list that is not told, and outcomes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{i}": rng.normal(size=n).round(2) for i in range(4)})
    X = X.assign(**{f"b{i}": rng.random(n) < 0.3 for i in range(4)})
    chosen = [X["b0"] & (X["x0"] > 0), X["x1"] > 0.8, X["b1"], np.ones(n, dtype=bool)]
    risk = np.select(chosen, [0.6, 0.35, 0.25, 0.1])
    return X, rng.random(n) < risk, risk


def lines_of(clf: Any, about: dict[str, Any], X: Any, y: np.ndarray) -> Iterator[Line]:
    """Every line of the lists that captures held-out rows, and groups by the posterior's risk."""
    totals = np.sum([rule.label_counts for rule in clf.rule_list_], axis=0)
    base = float(totals[-1] / totals.sum())
    for way in LISTS:
        rule_list = clf.model_.with_settings(predict_with=way).chosen_list()
        places = rule_list.captured_by(X)
        for number, rule in enumerate(rule_list):
            rows = places == number
            n, events = int(rows.sum()), int(y[rows].sum())
            if not n:
                continue
            a = rule.label_counts[-1] + rule.pseudocounts[-1]
            b = rule.n + rule.pseudocounts.sum() - a
            low, high = betabinom.ppf(TAILS, n, a, b)
            yield Line(
                **about, way=way, n_rules=len(rule_list), n_training=rule.n,
                risk=float(rule.probabilities[-1]), base=base, n=n, events=events,
                inside=bool(low <= events <= high),
            )  # fmt: skip
    risks = clf.set_params(predict_with="posterior").predict_proba(X)[:, -1]
    drawn = drawn_outcomes(clf.model_.posterior, X)
    for rows in np.array_split(np.argsort(risks, kind="stable"), N_GROUPS):
        if len(rows):
            events = int(y[rows].sum())
            low, high = np.quantile(drawn[:, rows].sum(axis=1), TAILS)
            yield Line(
                **about, way="posterior", n_rules=len(clf.rule_list_),
                n_training=float(totals.sum()), risk=float(risks[rows].mean()), base=base,
                n=len(rows), events=events, inside=bool(low <= events <= high),
            )  # fmt: skip


def drawn_outcomes(posterior: Any, X: Any) -> np.ndarray:
    """Outcomes of all rows, drawn anew by lists of the posterior with risks of their lines."""
    rng = np.random.default_rng(0)
    shares = posterior.list_probabilities
    places = rng.choice(len(shares), N_LISTS, p=shares / shares.sum())
    captured: dict[int, tuple[np.ndarray, Any]] = {}
    outcomes = np.empty((N_LISTS, len(X)), dtype=bool)
    for i, number in enumerate(places.tolist()):
        if number not in captured:
            rule_list = posterior.rule_list(number)
            captured[number] = rule_list.captured_by(X), rule_list
        rows, rule_list = captured[number]
        a = np.array([r.label_counts[-1] + r.pseudocounts[-1] for r in rule_list])
        total = np.array([r.n + r.pseudocounts.sum() for r in rule_list])
        outcomes[i] = rng.random(len(X)) < rng.beta(a, total - a)[rows]
    return outcomes


def simulated_lines(seeds: int) -> tuple[list[Line], dict[int, np.ndarray]]:
    """Lines on new rows of simulated tables; and how often intervals hold the true risk."""
    lines: list[Line] = []
    shares: dict[int, np.ndarray] = {}
    for n in SIZES if seeds else ():
        coverage = []
        for seed in range(seeds):
            X, y, _ = simulated(n, seed)
            new, outcome, risk = simulated(2000, 10_000 + seed)
            clf = BayesianRuleListClassifier(
                random_state=0, predict_with="projected", n_jobs=1
            ).fit(X, y)
            covered = []
            for way in WAYS:
                low, high = clf.predict_interval(new, LEVEL, way)[:, -1].T
                covered.append(np.mean((low <= risk) & (risk <= high)))
            coverage.append(covered)
            about = {"table": f"simulated {n} {seed}", "fold": 0, "rows": n}
            lines += lines_of(clf, about, new, outcome)
        shares[n] = np.mean(coverage, axis=0)
    return lines, shares


def lines_of_fold(fold: Fold) -> list[Line]:
    """Lines of the default fit of a fold on its held-out rows."""
    clf = default_fit(fold).model
    n_rules = len(clf.rule_list_)
    path = clf.project(fold.X, fold.y, max_length=n_rules, folds=None)
    about = {"table": fold.table.name, "fold": fold.number, "rows": fold.n_rows}
    return list(lines_of(path.as_classifier(n_rules), about, fold.X_test, fold.y_test))


def judge_real(options: argparse.Namespace) -> pd.DataFrame:
    """Lines of public tables of two labels: what is kept, and what the time allows."""
    kept = pd.read_csv(KEPT).to_dict("records") if KEPT.exists() else []
    done = {(line["table"], line["fold"]) for line in kept}
    end = time.monotonic() + options.seconds
    for table in public_tables(names=options.tables):
        if time.monotonic() > end or not (options.fit or is_kept(table, 0)):
            continue
        labels = table.load()[1]
        is_small = len(labels) < SMALL
        if labels.nunique() != 2 or (options.large if is_small else options.small):
            continue
        for fold in folds_of(table):
            if (table.name, fold.number) in done or time.monotonic() > end:
                continue
            if options.fit or is_kept(table, fold.number):
                kept += [asdict(line) for line in lines_of_fold(fold)]
                pd.DataFrame(kept).to_csv(KEPT, index=False)
                print(f"  {table.name}, fold {fold.number}", file=sys.stderr, flush=True)
    return pd.DataFrame(kept)


def overstatement(lines: pd.DataFrame) -> tuple[float, float]:
    """How much further risks are from the base rate than shares, by rows; and risks themselves."""
    signs = np.sign(lines.risk - lines.base)
    gaps, distances = lines.risk - lines.events / lines.n, lines.risk - lines.base
    return (
        float(np.average(signs * gaps, weights=lines.n)),
        float(np.average(signs * distances, weights=lines.n)),
    )


def show(name: str, lines: pd.DataFrame) -> None:
    """A row of the table for each of point, projected and posterior; tables count alike."""
    for way in WAYS:
        some = lines[lines.way == way]
        if not len(some):
            continue
        by_table = [overstatement(each) for _, each in some.groupby("table", sort=False)]
        excess, distance = np.transpose(by_table)
        error = excess.std(ddof=1) / np.sqrt(len(excess)) if len(excess) > 1 else np.nan
        groups = "groups" if way == "posterior" else "lines"
        print(
            f"| {name} | {way} | {len(by_table)} | {len(some):,} {groups} "
            f"| {100 * some.inside.mean():.1f} % | {100 * excess.mean():+.1f} ± {100 * error:.1f} "
            f"| {100 * distance.mean():.1f} |"
        )


HEAD = (
    "| new rows of | predicted with | tables | | in the 95 % predictive interval | too far from "
    "the base rate, in points | printed distance |\n|---|---|---|---|---|---|---|"
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10, help="simulated tables of each size")
    parser.add_argument("--seconds", type=float, default=600, help="for real tables")
    parser.add_argument("--tables", nargs="*", default=[], help="judge only these")
    parser.add_argument("--fit", action="store_true", help="make fits that are not kept")
    parser.add_argument("--small", action="store_true", help=f"only tables below {SMALL:,} rows")
    parser.add_argument("--large", action="store_true", help="only tables of at least as many")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines, by_size = simulated_lines(options.seeds)
    if lines:
        print("| rows | line of the point estimate | line of the projected list | over all lists |")
        print("|---|---|---|---|")
        for n, shares in by_size.items():
            print(f"| {n:,} | {' | '.join(f'{100 * share:.0f} %' for share in shares)} |")
        frame = pd.DataFrame([asdict(line) for line in lines])
        print(f"\n{HEAD}")
        for n in SIZES:
            show(f"simulated, {n:,} rows", frame[frame.rows == n])
        print()
    real = judge_real(options)
    if not len(real):
        return
    print(HEAD)
    for low, high in ((0, 500), (500, SMALL), (SMALL, 10**9)):
        name = f"{low:,} rows or more" if high == 10**9 else f"{low:,} to {high - 1:,} rows"
        name = f"fewer than {high:,} rows" if not low else name
        show(name, real[(real.rows >= low) & (real.rows < high)])
    for low, high in LENGTHS:
        name = f"lists of {low} or more rules" if high == 99 else f"lists of {low} to {high} rules"
        show(name, real[(real.n_rules >= low) & (real.n_rules <= high)])
    lists = real[real.way != "posterior"]
    for low, high in ((0, 19), (20, 49), (50, 10**9)):
        name = f"lines of {low} " + ("or more" if high == 10**9 else f"to {high}")
        some = lists[(lists.n_training >= low) & (lists.n_training <= high)]
        show(f"{name} training rows", some)
    show("all tables", real)


if __name__ == "__main__":
    main()
