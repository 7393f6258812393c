"""Table 1: accuracy on tic-tac-toe endgames, by five folds of cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_tictactoe
from elseif.evaluation.comparison import comparison_classifiers
from elseif.studies.running import StudySettings, save_figure

PUBLISHED = {
    "BRL": (1.00, 0.00),
    "C5.0": (0.94, 0.01),
    "CART": (0.90, 0.04),
    "l1 logistic regression": (0.98, 0.01),
    "SVM": (0.99, 0.01),
    "random forests": (0.99, 0.01),
    "Bayesian CART": (0.71, 0.04),
}


def run(settings: StudySettings) -> None:
    """Cross-validate, print the table beside the paper's, and draw it."""
    X, y = load_tictactoe()
    folds = StratifiedKFold(5, shuffle=True, random_state=settings.seed)
    brl = BayesianRuleListClassifier(
        expected_length=8,
        expected_cardinality=3,
        max_cardinality=3,
        min_support=0.05,
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )
    classifiers: dict[str, Any] = {"BRL": brl}
    classifiers |= comparison_classifiers(X.shape[1], settings.seed, settings.n_jobs)
    print(f"Tic-tac-toe: {len(X)} final boards, X won {y.mean():.1%} of them\n")
    print(f"{'':<24}{'accuracy':>10}{'s.d.':>7}   {'in the paper':>12}")
    measured: dict[str, list[float]] = {}
    for name in PUBLISHED:
        published = "{:.2f} ({:.2f})".format(*PUBLISHED[name])
        if name not in classifiers:
            print(f"{name:<24}{'not in scikit-learn':>17}   {published:>12}")
            continue
        measured[name] = []
        for train, test in folds.split(X, y):
            fitted = classifiers[name].fit(X.iloc[train], y.iloc[train])
            measured[name].append(float(fitted.score(X.iloc[test], y.iloc[test])))
            if name == "BRL":
                _check_brl(fitted)
        mean, deviation = np.mean(measured[name]), np.std(measured[name], ddof=1)
        print(f"{name:<24}{mean:>10.2f}{deviation:>7.2f}   {published:>12}", flush=True)
    print("\nThe list of the last fold:\n")
    print(brl.rule_list_)
    save_figure(_draw(measured), settings.out, "tictactoe")


def _check_brl(fitted: BayesianRuleListClassifier) -> None:
    if fitted.convergence_.status == "not converged":
        print(f"  a fold has not converged: {fitted.convergence_!r}")


def _draw(measured: dict[str, list[float]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    for j, (name, accuracies) in enumerate(measured.items()):
        axes.plot(accuracies, [j] * len(accuracies), "o", color="#4477aa", alpha=0.5)
        axes.plot(np.mean(accuracies), j, "|", color="#223355", markersize=18, markeredgewidth=2)
        axes.plot(PUBLISHED[name][0], j, "x", color="#cc3311", markersize=8)
    axes.set_yticks(range(len(measured)), list(measured))
    axes.invert_yaxis()
    axes.set_xlabel("accuracy on held-out boards (dot: a fold, bar: mean, cross: the paper)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    return figure
