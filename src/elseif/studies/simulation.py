"""Figure 2: how close the posterior comes to the list that generated the data."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.datasets import make_rule_list_problem
from elseif.studies.running import StudySettings, save_figure

SIZES = (100, 250, 500, 1000, 2500, 5000)
N_RULES, TRUE_LENGTH = 100, 5
N_ITER, N_CHAINS = 20_000, 3  # the paper's numbers


def run(settings: StudySettings) -> None:
    """Fit every data set, print quartiles of the distance by size, draw both panels."""
    n_sets = settings.n_data_sets
    print(
        f"Simulation: {n_sets} data sets of each size, {N_RULES} rules, a true list of "
        f"{TRUE_LENGTH};\n{N_CHAINS} chains of {N_ITER:,} iterations each, by the default kernel\n"
    )
    print(f"{'':>8}{'distance of draws to the true list':^36}{'R-hat':>10}")
    print(f"{'n':>8}{'1st quartile':>14}{'median':>9}{'3rd quartile':>13}{'< 1.05':>10}")
    quartiles, examples = [], {}
    seeds = np.random.SeedSequence(settings.seed).spawn(len(SIZES) * n_sets)
    for i, n in enumerate(SIZES):
        jobs = joblib.Parallel(n_jobs=settings.n_jobs, prefer="processes", return_as="generator")(
            joblib.delayed(distances)(n, seed) for seed in seeds[i * n_sets : (i + 1) * n_sets]
        )
        results = []
        for result in jobs:
            results.append(result)
            _show_progress(n, len(results), n_sets)
        means = [np.average(d, weights=w) for d, w, _ in results]
        quartiles.append(np.quantile(means, [0.25, 0.5, 0.75]))
        converged = np.mean([r_hat < 1.05 for _, _, r_hat in results])
        first, median, third = quartiles[-1]
        print(f"{n:>8,}{first:>14.2f}{median:>9.2f}{third:>13.2f}{converged:>10.0%}", flush=True)
        if n in (SIZES[0], SIZES[-1]):
            # drawn at random, as the paper's are, but by the seed
            chosen = np.random.default_rng(settings.seed).integers(n_sets)
            examples[n] = results[chosen][:2]
    save_figure(_draw(np.array(quartiles), examples), settings.out, "simulation")


def distances(n: int, seed: np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray, float]:
    """Distance of each drawn list to the true one, its share of the draws, and R-hat."""
    problem = make_rule_list_problem(
        n, n_rules=N_RULES, length=TRUE_LENGTH, random_state=np.random.default_rng(seed)
    )
    classifier = BayesianRuleListClassifier(
        antecedents=[(name,) for name in problem.X.columns],
        n_chains=N_CHAINS,
        n_iter=N_ITER,
        random_state=int(seed.generate_state(1)[0]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # counted in the table instead
        classifier.fit(problem.X, problem.y)
    lists = classifier.posterior_.lists()
    d = np.array([edit_distance(drawn, problem.antecedents) for drawn in lists["antecedents"]])
    return d, lists["probability"].to_numpy(), classifier.convergence_.r_hat


def edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Levenshtein's: fewest substitutions, additions and removals from one list to the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def _show_progress(n: int, done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r  n = {n:,}: {done} of {total} data sets", end=end, file=sys.stderr, flush=True)


def _draw(quartiles: np.ndarray, examples: dict[int, tuple[np.ndarray, np.ndarray]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(SIZES, quartiles[:, 1], "k-o", markersize=4, label="median")
    left.plot(SIZES, quartiles[:, 0], "--", color="grey", label="quartiles")
    left.plot(SIZES, quartiles[:, 2], "--", color="grey")
    left.set_ylim(bottom=0)
    left.set_xlabel("number of observations")
    left.set_ylabel("mean distance to the true list")
    left.set_title("(a)", loc="left")
    left.legend(frameon=False)
    furthest = max(int(d.max()) for d, _ in examples.values())
    width = 0.8 / len(examples)
    for k, (n, (d, share)) in enumerate(examples.items()):
        heights = np.bincount(d, weights=share, minlength=furthest + 1)
        positions = np.arange(furthest + 1) + (k - (len(examples) - 1) / 2) * width
        right.bar(positions, heights, width, label=f"n = {n:,}", color=("#bbccee", "#223355")[k])
    right.set_xlabel("distance to the true list")
    right.set_ylabel("share of the posterior's draws")
    right.set_title("(b)", loc="left")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure
