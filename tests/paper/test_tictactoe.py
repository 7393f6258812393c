"""Table 1: tic-tac-toe endgames, without error and by the eight ways to win."""

from __future__ import annotations

import pytest
from sklearn.model_selection import StratifiedKFold

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_tictactoe

ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
LINES = [
    *[[(r, c) for c in COLUMNS] for r in ROWS],
    *[[(r, c) for r in ROWS] for c in COLUMNS],
    list(zip(ROWS, COLUMNS, strict=True)),
    list(zip(ROWS, COLUMNS[::-1], strict=True)),
]
WAYS_TO_WIN = {frozenset(f"X {row} {column}" for row, column in line) for line in LINES}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fold", range(5))
def test_every_fold_without_error(fold: int, seed: int) -> None:
    """Accuracy 1 on held-out boards, the list holding the eight ways to win, converged."""
    X, y = load_tictactoe()
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    train, test = list(folds.split(X, y))[fold]
    clf = BayesianRuleListClassifier(
        expected_length=8,
        expected_cardinality=3,
        max_cardinality=3,
        min_support=0.05,
        random_state=seed,
        n_jobs=2,
    ).fit(X.iloc[train], y.iloc[train])
    assert clf.score(X.iloc[test], y.iloc[test]) == 1.0
    result = {frozenset(antecedent.columns) for antecedent in clf.rule_list_.antecedents}
    assert result == WAYS_TO_WIN
    assert len(clf.rule_list_) == 8
    assert clf.convergence_.status in ("converged", "warn")
    assert clf.convergence_.r_hat < 1.05
