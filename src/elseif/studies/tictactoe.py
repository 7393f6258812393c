"""Table 1: accuracy on tic-tac-toe endgames, by five folds of cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_tictactoe
from elseif.evaluation import PUBLISHED, comparison_classifiers, stratified_folds
from elseif.studies.running import StudySettings, save_figure

ORDER = [name for name, figures in PUBLISHED.items() if figures.accuracy is not None]


def run(settings: StudySettings) -> None:
    """Cross-validate, print the table beside the paper's, and draw it."""
    X, y = load_tictactoe()
    folds = stratified_folds(y, 5, settings.seed)
    brl = BayesianRuleListClassifier(
        expected_length=8,
        expected_cardinality=3,
        max_cardinality=3,
        min_support=0.05,
        max_antecedents=100_000,  # the paper screens nothing
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )
    others = comparison_classifiers(settings.seed, settings.n_jobs)
    print(f"Tic-tac-toe: {len(X)} final boards, X won {y.mean():.1%} of them\n")
    print(f"{'':<24}{'accuracy':>10}{'s.d.':>7}   {'in the paper':>12}")
    measured: dict[str, list[float]] = {}
    not_run: dict[str, str] = {}
    for name in [*ORDER, *(name for name in others if name not in ORDER)]:
        if name in others and others[name].unavailable is not None:
            not_run[name] = str(others[name].unavailable)
            print(f"{name:<24}{'not run':>17}   {_published(name):>12}")
            continue
        measured[name] = []
        for train, test in folds:
            fitted = brl if name == "BRL" else others[name].make()
            fitted.fit(X.iloc[train], y.iloc[train])
            measured[name].append(float(fitted.score(X.iloc[test], y.iloc[test])))
            if name == "BRL":
                _check_brl(fitted)
        mean, deviation = np.mean(measured[name]), np.std(measured[name], ddof=1)
        print(f"{name:<24}{mean:>10.2f}{deviation:>7.2f}   {_published(name):>12}", flush=True)
    for name, reason in not_run.items():
        print(f"{name} is not run: {reason}.")
    print("\nThe list of the last fold:\n")
    print(brl.rule_list_)
    save_figure(_draw(measured), settings.out, "tictactoe")


def _published(name: str) -> str:
    """The paper's accuracy, or a dash for classifiers that it does not have."""
    figure = PUBLISHED[name].accuracy if name in PUBLISHED else None
    return f"{figure.mean:.2f} ({figure.deviation:.2f})" if figure else "-"


def _check_brl(fitted: BayesianRuleListClassifier) -> None:
    if fitted.convergence_.status == "not converged":
        print(f"  a fold has not converged: {fitted.convergence_!r}")


def _draw(measured: dict[str, list[float]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for j, (name, accuracies) in enumerate(measured.items()):
        axes.plot(accuracies, [j] * len(accuracies), "o", color="#4477aa", alpha=0.5)
        axes.plot(np.mean(accuracies), j, "|", color="#223355", markersize=18, markeredgewidth=2)
        figure_of_paper = PUBLISHED[name].accuracy if name in PUBLISHED else None
        if figure_of_paper is not None:
            axes.plot(figure_of_paper.mean, j, "x", color="#cc3311", markersize=8)
    axes.set_yticks(range(len(measured)), list(measured))
    axes.invert_yaxis()
    axes.set_xlabel("accuracy on held-out boards (dot: a fold, bar: mean, cross: the paper)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    return figure
