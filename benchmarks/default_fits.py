"""Default fits of ordinary tables: whether they end by themselves, how soon, and how alike.

Each table is fitted with default settings from several seeds. A fit ends by itself when the list,
its predictions and the shares of lists are steady. Over the seeds: how many different lists were
chosen, how far a predicted probability of any row and label is from its mean over the seeds (the
list's own, and the average over all lists), and how many inclusions were marked as not steady.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from public_tables import PublicTable, public_tables
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier

TABLES = ("breast_cancer", "wine", "fair")


@dataclass(frozen=True)
class Fit:
    """One fit, as its reader sees it."""

    seconds: float
    n_iter: int
    converged: bool
    pool_size: int
    unsteady: tuple[str, ...]  # inclusions that are not steady yet
    rules: tuple[str, ...]
    by_list: np.ndarray
    by_posterior: np.ndarray


def fit(table: PublicTable, seed: int) -> Fit:
    X, y = table.load()
    clf = BayesianRuleListClassifier(random_state=seed, n_jobs=1)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    seconds = time.process_time() - begin
    by_list = clf.predict_proba(X)
    convergence = clf.convergence_
    return Fit(
        seconds=seconds,
        n_iter=clf.n_iter_,
        converged=convergence.status == "converged",
        pool_size=len(clf.posterior_.pool.names),
        unsteady=tuple(
            clf.posterior_.pool.names[a] for a in sorted(convergence.unsteady_inclusions)
        ),
        rules=tuple(str(rule) for rule in clf.rule_list_.rules),
        by_list=by_list,
        by_posterior=clf.set_params(predict_with="posterior").predict_proba(X),
    )


def _spread(predicted: list[np.ndarray]) -> tuple[float, float]:
    """How far a predicted probability is from its mean over the seeds: largest, and typical."""
    off = np.abs(np.stack(predicted) - np.mean(predicted, axis=0))
    return float(off.max()), float(off.mean())


def line(table: PublicTable, fits: list[Fit]) -> str:
    lists = {f.rules for f in fits}
    own, averaged = _spread([f.by_list for f in fits]), _spread([f.by_posterior for f in fits])
    return (
        f"{table.name:<15}{fits[0].pool_size:>7,}{sum(f.converged for f in fits):>6} of "
        f"{len(fits):<3}{np.mean([f.n_iter for f in fits]) / 1000:>7.0f}k"
        f"{np.mean([f.seconds for f in fits]):>8.1f}{max(f.seconds for f in fits):>8.1f}"
        f"{len(lists):>7}{own[0]:>9.3f} {own[1]:.3f}{averaged[0]:>9.3f} {averaged[1]:.3f}"
        f"{np.mean([len(f.unsteady) for f in fits]):>10.1f}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="fits of each table")
    parser.add_argument("--tables", nargs="+", default=TABLES)
    options = parser.parse_args(arguments or [])
    print("off: a probability from its mean over the seeds, the largest and the mean difference")
    print(
        f"{'table':<15}{'pool':>7}{'converged':>12}{'length':>8}{'CPU s':>8}{'most':>8}{'lists':>7}"
        f"{'list off':>15}{'posterior off':>15}{'unsteady':>10}"
    )
    for table in public_tables(names=options.tables):
        fits = [fit(table, seed) for seed in range(options.seeds)]
        print(line(table, fits), flush=True)
        for seed, each in enumerate(fits):
            print(f"    seed {seed}, unsteady: {'; '.join(each.unsteady) or 'none'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
