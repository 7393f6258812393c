"""The problems that kernels are compared on, and others to tune them on.

Nothing is imported here that an earlier version of the package does not have, so that both
can be run on the same problems (`two_versions.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from iterations import stroke_problem
from problems import noisy_copies, problem, stroke_shaped

from elseif.datasets import load_tictactoe, load_titanic, make_rule_list_problem
from elseif.model.problem import Problem

Posed = tuple[Callable[[], Problem], int]


def _simulated(n: int, seed: int) -> Problem:
    drawn = make_rule_list_problem(n, random_state=seed)
    return problem(drawn.X, drawn.y, cardinality=1)


def _small_stroke() -> Problem:
    shaped = stroke_shaped(2_000, 1_000, seed=3)
    return problem(shaped.X, shaped.y)


def _table(name: str) -> Problem:
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")()
    y = loaded.target if name != "diabetes" else loaded.target > np.median(loaded.target)
    return problem(loaded.data, y)


def _some_passengers() -> Problem:
    """1,500 passengers of the Titanic."""
    X, y = load_titanic()
    some = np.sort(np.random.default_rng(1).choice(len(y), 1500, replace=False))
    return problem(X.iloc[some], np.asarray(y)[some])


def _first_boards() -> Problem:
    """The first half of the boards of tic-tac-toe: another list, and fewer antecedents."""
    X, y = load_tictactoe()
    return problem(X.iloc[::2], y[::2], 0.1, 2)


# each with the number of iterations that a chain is given
COMPARED: dict[str, Posed] = {
    "Titanic, the paper's split": (lambda: problem(*load_titanic("paper")), 128_000),
    "Titanic, all": (lambda: problem(*load_titanic()), 256_000),
    "tic-tac-toe": (lambda: problem(*load_tictactoe(), 0.05, 3, 8.0, 3.0), 128_000),
    "stroke-shaped": (stroke_problem, 256_000),
    "simulation, n = 100": (lambda: _simulated(100, 100), 128_000),
    "simulation, n = 5,000": (lambda: _simulated(5000, 5000), 128_000),
    "correlated conditions": (
        lambda: problem(*noisy_copies(2000, 4, 12, 0.03, 0), 0.1, 1),
        128_000,
    ),
    "two distant lists": (lambda: problem(*noisy_copies(4000, 5, 2, 0.002, 1), 0.1, 1), 128_000),
}
FOR_TUNING: dict[str, Posed] = {
    "simulation, n = 250": (lambda: _simulated(250, 1), 128_000),
    "simulation, n = 2,000": (lambda: _simulated(2000, 2), 128_000),
    "six copies, n = 1,000": (
        lambda: problem(*noisy_copies(1000, 5, 6, 0.05, 11), 0.1, 1),
        128_000,
    ),
    "three copies, pairs": (
        lambda: problem(*noisy_copies(3000, 3, 3, 0.01, 12), 0.1, 2),
        128_000,
    ),
    "stroke-shaped, small": (_small_stroke, 128_000),
    "half of tic-tac-toe": (_first_boards, 128_000),
    "Titanic, 1,500 passengers": (_some_passengers, 256_000),
    "twelve copies, n = 1,500": (
        lambda: problem(*noisy_copies(1500, 4, 12, 0.04, 21), 0.1, 1),
        128_000,
    ),
    "iris": (lambda: _table("iris"), 128_000),
    "diabetes": (lambda: _table("diabetes"), 128_000),
}
