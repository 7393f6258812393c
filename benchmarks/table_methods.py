"""Classifiers for any table of public_tables, all fitted with the same few lines.

Whoever needs numbers gets medians for missing numbers, with a column that says so, and a column
of 0 and 1 for each category; whoever needs 0 and 1 gets the conditions at quartiles that elseif
itself makes of the training rows. Peers that are not installed, or that know two labels alone, are
left out with a sentence. GOSDT and FasterRisk get environments of their own (make_peers.py).
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from make_peers import ask_peer, lacking
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from elseif import evaluation

N_TUNING_FOLDS = 3
COSTS = [2.0**k for k in range(-7, 6, 2)]
LEAVES = [4, 6, 8, 12, 16, 24, 32]
LEAST_SHARE = 0.1  # of the training rows that an indicator is true of
MOST_SECONDS = 20  # that GOSDT may search
N_SCORED = 5  # conditions of a score of FasterRisk


@dataclass(frozen=True)
class Fitted:
    """What a fit is judged by."""

    predict_proba: Callable[[pd.DataFrame], np.ndarray]
    n_lines: float  # rules, leaves, terms or curves
    seconds: float = 0.0  # CPU time in a process of its own


@dataclass(frozen=True)
class Peer:
    """A classifier of others: how it is fitted, and what it needs."""

    name: str
    fit: Callable[[pd.DataFrame, np.ndarray, int], Fitted]  # labels are 0, 1, ...
    lines: str  # what its lines are
    two_labels: bool = False
    needs: str = ""  # the module to import
    apart: str = ""  # the peer's name in make_peers, if it has an environment of its own

    def lacking(self, n_labels: int) -> str | None:
        """Why it cannot be fitted, or None."""
        if self.needs and find_spec(self.needs) is None:
            return f"{self.needs} is not installed"
        if self.two_labels and n_labels > 2:
            return "two labels alone"
        return lacking(self.apart) if self.apart else None


def numbers(scale: bool = False) -> Pipeline:
    """Any frame as numbers."""
    made = make_column_transformer(
        (
            SimpleImputer(strategy="median", add_indicator=True),
            make_column_selector(dtype_include=["number", "bool"]),
        ),
        (
            OneHotEncoder(handle_unknown="ignore", min_frequency=5, sparse_output=False),
            make_column_selector(dtype_exclude=["number", "bool"]),
        ),
    )
    return make_pipeline(_Plain(), made, *([StandardScaler()] if scale else []))


class _Plain:
    """Columns as floats, or as text with what is missing as a category of its own."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> _Plain:
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        plain = {}
        for name in X:
            column = X[name]
            if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
                plain[name] = column.astype(float)
            else:
                plain[name] = column.astype(object).where(column.notna(), "missing").astype(str)
        return pd.DataFrame(plain, index=X.index)

    def fit_transform(self, X: pd.DataFrame, y: Any = None) -> pd.DataFrame:
        return self.transform(X)


def _tuned(model: Any, grid: dict[str, list[Any]]) -> GridSearchCV:
    return GridSearchCV(model, grid, cv=N_TUNING_FOLDS, scoring="neg_log_loss")


def _through_numbers(model: Any, n_lines: Callable[[Any], float], scale: bool = False) -> Any:
    def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
        pipeline = make_pipeline(numbers(scale), model(seed, len(np.unique(y)))).fit(X, y)
        best = pipeline[-1]
        return Fitted(pipeline.predict_proba, n_lines(getattr(best, "best_estimator_", best)))

    return fit


def _leaves(tree: Any) -> float:
    return float(tree.get_n_leaves())


def _l1(seed: int, n_labels: int) -> GridSearchCV:
    solver = "liblinear" if n_labels == 2 else "saga"
    model = LogisticRegression(solver=solver, l1_ratio=1.0, max_iter=1000, random_state=seed)
    return _tuned(model, {"C": COSTS})


def _ebm(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    plain = _Plain()
    model = ExplainableBoostingClassifier(outer_bags=4, random_state=seed, n_jobs=1)
    model.fit(plain.transform(X), y)
    return Fitted(lambda T: model.predict_proba(plain.transform(T)), len(model.term_names_))


class Indicators:
    """elseif's own conditions at quartiles that reach its support, as columns of 0 and 1."""

    def __init__(self, X: pd.DataFrame, y: np.ndarray) -> None:
        self._made = evaluation.Indicators().fit(X, y)
        shares = np.asarray(self._made.transform(X).mean(axis=0)).ravel()
        self._kept = np.flatnonzero((shares >= LEAST_SHARE) & (shares < 1))

    def __call__(self, X: pd.DataFrame) -> pd.DataFrame:
        truths = self._made.transform(X)[:, self._kept].toarray().astype(int)
        return pd.DataFrame(truths, columns=[f"c{i}" for i in range(truths.shape[1])])


def _greedy_list(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    from imodels import GreedyRuleListClassifier

    coder, model = numbers().fit(X), GreedyRuleListClassifier(max_depth=5)
    model.fit(coder.transform(X), y)
    return Fitted(lambda T: model.predict_proba(coder.transform(T)), len(model.rules_))


def _boosted_rules(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    from imodels import BoostedRulesClassifier

    coder, model = numbers().fit(X), BoostedRulesClassifier(n_estimators=10, random_state=seed)
    model.fit(coder.transform(X), y)
    return Fitted(lambda T: model.predict_proba(coder.transform(T)), len(model.estimators_))


def _bayesian_list(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    from imodels import BayesianRuleListClassifier

    indicators = Indicators(X, y)
    Z = indicators(X)
    model = BayesianRuleListClassifier(
        minsupport=0.1, maxcardinality=2, max_iter=10_000, n_chains=3, random_state=seed
    )
    model.fit(Z.to_numpy(), y, feature_names=list(Z))
    return Fitted(lambda T: model.predict_proba(indicators(T).to_numpy()), len(model.d_star) - 1)


def _ripper(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    import wittgenstein

    plain = _Plain()
    model = wittgenstein.RIPPER(random_state=seed)
    model.fit(plain.transform(X), y, pos_class=1)
    return Fitted(
        lambda T: np.asarray(model.predict_proba(plain.transform(T)), dtype=float),
        len(model.ruleset_.rules),
    )


def _gosdt(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    """Risks are the shares of the leaves, with one more observation of each label."""
    coder = numbers().fit(X)
    job = {"seed": seed, "regularization": 0.01, "depth_budget": 5, "time_limit": MOST_SECONDS}
    model = ask_peer("gosdt", job, X=np.asarray(coder.transform(X)), y=y)

    def leaves(T: pd.DataFrame) -> list[str]:
        values = np.asarray(coder.transform(T))
        holds = np.array([values[:, column] <= cut for column, cut in model["features"]]).T
        return [_leaf(model["tree"], row) for row in holds]

    places = np.array(leaves(X))
    shares = {
        place: (y[places == place].sum() + 1) / ((places == place).sum() + 2)
        for place in np.unique(places)
    }

    def predict_proba(T: pd.DataFrame) -> np.ndarray:
        risk = np.array([shares.get(place, y.mean()) for place in leaves(T)])
        return np.column_stack([1 - risk, risk])

    return Fitted(predict_proba, len(shares), model["seconds"])


def _leaf(node: dict[str, Any], row: np.ndarray) -> str:
    """The leaf of a tree that a row falls into, by the turns that lead there."""
    path = ""
    while "prediction" not in node:
        turn = "true" if row[node["feature"]] else "false"
        path, node = path + turn[0], node[turn]
    return path


def _fasterrisk(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    """Scores of at most five conditions, from -5 to 5 points each."""
    indicators = Indicators(X, y)
    model = ask_peer("fasterrisk", {"k": N_SCORED}, X=indicators(X).to_numpy(), y=y)
    points = np.array(model["points"])

    def predict_proba(T: pd.DataFrame) -> np.ndarray:
        score = (indicators(T).to_numpy() @ points + model["intercept"]) / model["multiplier"]
        risk = 1 / (1 + np.exp(-score))
        return np.column_stack([1 - risk, risk])

    return Fitted(predict_proba, float(np.count_nonzero(points)), model["seconds"])


PEERS: tuple[Peer, ...] = (
    Peer(
        "CART, depth 3",
        _through_numbers(
            lambda seed, _: DecisionTreeClassifier(max_depth=3, random_state=seed), _leaves
        ),
        "leaves",
    ),
    Peer(
        "CART, tuned",
        _through_numbers(
            lambda seed, _: _tuned(
                DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
                {"max_leaf_nodes": LEAVES},
            ),
            _leaves,
        ),
        "leaves",
    ),
    Peer(
        "l1 logistic regression, tuned",
        _through_numbers(
            _l1, lambda m: float(np.count_nonzero(np.abs(m.coef_).sum(axis=0))), scale=True
        ),
        "terms",
    ),
    Peer(
        "gradient boosting",
        _through_numbers(
            lambda seed, _: HistGradientBoostingClassifier(random_state=seed),
            lambda m: float(m.n_iter_),
        ),
        "trees",
    ),
    Peer("explainable boosting", _ebm, "curves", needs="interpret"),
    Peer("imodels, greedy list", _greedy_list, "rules", True, "imodels"),
    Peer("imodels, boosted rules", _boosted_rules, "rules", True, "imodels"),
    Peer("imodels, Bayesian list", _bayesian_list, "rules", True, "imodels"),
    Peer("RIPPER", _ripper, "rules", True, "wittgenstein"),
    Peer("GOSDT", _gosdt, "leaves", True, apart="gosdt"),
    Peer("FasterRisk", _fasterrisk, "terms", True, apart="fasterrisk"),
)


def fit_quietly(peer: Peer, X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    """A fit without the warnings and messages that its author thought of."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return peer.fit(X, y, seed)
