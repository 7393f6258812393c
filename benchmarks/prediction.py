"""Rows a CPU second of predict_proba at the shape of the stroke data, one thread.

The point estimate predicts for arrays, sparse matrices and data frames, of 12,586 and of a
million rows (the same rows repeated); then the posterior, over 10,000 distinct lists or more.
The peers get the same list: pysbrl the same array, imodels some rows only, and the pool too,
because it looks at every antecedent of its pool for every row.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from measuring import cpu_time
from peers import ask_pysbrl, imodels
from problems import stroke_shaped
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier

MILLION = 1_000_000
N_LISTS = 10_000
N_IMODELS_ROWS = 25
LONGEST = 30.0  # seconds: a case that would take longer is left out, with a line


def fitted(X: Any, y: np.ndarray, n_iter: int = 50_000) -> BayesianRuleListClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # any list will do here
        return BayesianRuleListClassifier(n_iter=n_iter, random_state=0).fit(X, y)


def repeated(X: Any, n: int) -> Any:
    """The rows of a table over and over, n in all."""
    rows = np.resize(np.arange(X.shape[0]), n)
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows].reset_index(drop=True)
    if sparse.issparse(X):
        copies = -(-n // X.shape[0])
        return sparse.vstack([X] * copies, format="csr")[:n].asformat(X.format)
    return X[rows]


def show(what: str, n: int, seconds: float, ours: float | None = None) -> None:
    compared = "" if ours is None else f"ours {ours * seconds / n:,.1f} times as fast"
    print(f"  {what:<48}{n:>10,}{n / seconds:>16,.0f}  {compared:>28}", flush=True)


def point_estimates(tables: dict[str, Any], y: np.ndarray) -> BayesianRuleListClassifier:
    """Every kind of table, small and large; the array's classifier is handed on."""
    for_arrays = None
    for name, X in tables.items():
        clf = fitted(X, y)
        if name == "array":
            for_arrays = clf
        for n in (X.shape[0], MILLION):
            if n == MILLION and not sparse.issparse(X) and X.shape[1] > 1000:
                continue  # gigabytes of columns that no rule looks at
            table = repeated(X, n)
            seconds, _ = cpu_time(lambda clf=clf, table=table: clf.predict_proba(table), 5)
            what = f"{name}, {X.shape[1]:,} columns, list of {len(clf.rule_list_)} rules"
            show(what, n, seconds)
    assert for_arrays is not None
    return for_arrays


def race_pysbrl(clf: BayesianRuleListClassifier, X: np.ndarray, columns: list[list[int]]) -> None:
    """The same list and array by pysbrl."""
    table = repeated(X, MILLION)
    seconds, predicted = cpu_time(lambda: clf.predict_proba(table), 5)
    probabilities = [rule.probabilities.tolist() for rule in clf.rule_list_]
    answer = ask_pysbrl(
        {"task": "prediction", "rules": columns, "probabilities": probabilities}, {"X": table}
    )
    if answer is None:
        return
    if not np.isclose(answer["sum"], predicted[:, 1].sum()):
        raise SystemExit("pysbrl predicts something else from the same list")
    show("pysbrl, the same array and list", MILLION, answer["seconds"], MILLION / seconds)


def race_imodels(clf: BayesianRuleListClassifier, X: np.ndarray) -> None:
    """The same pool and list by imodels, for a few rows."""
    package = imodels()
    if package is None:
        return
    peer = package.BayesianRuleListClassifier()
    names = np.array([f"X{i}" for i in range(X.shape[1])])
    pool = [tuple(names[columns_of(antecedent)]) for antecedent in clf.pool_]
    peer.classes_, peer.n_features_in_ = clf.classes_, X.shape[1]
    peer.feature_placeholders, peer.itemsets = names, ["null", *pool]
    listed = list(clf.pool_)
    peer.d_star = [*(listed.index(a) + 1 for a in clf.rule_list_.antecedents), 0]
    peer.theta = [rule.probabilities[1] for rule in clf.rule_list_]
    few = X[:N_IMODELS_ROWS].astype(int)
    begin = time.process_time()
    predicted = peer.predict_proba(few)
    seconds = time.process_time() - begin
    seconds_ours, ours = cpu_time(lambda: clf.predict_proba(X), 5)
    if not np.allclose(predicted, ours[:N_IMODELS_ROWS]):
        raise SystemExit("imodels predicts something else from the same list")
    show("imodels, the same pool and list", N_IMODELS_ROWS, seconds, len(X) / seconds_ours)


def columns_of(antecedent: Any) -> list[int]:
    """Places of an antecedent's columns in a table without names, x0 the first."""
    return [int(condition.column.lstrip("x")) for condition in antecedent]


def posterior_predictive(X: np.ndarray, y: np.ndarray) -> None:
    """The average over all kept draws, once there are enough distinct lists."""
    n_iter = 25_000
    clf = fitted(X, y, n_iter)
    while len(clf.posterior_.distinct) < N_LISTS:
        n_iter *= 2
        clf = fitted(X, y, n_iter)
    clf.set_params(predict_with="posterior")
    n_lists, length = len(clf.posterior_.distinct), clf.posterior_.mean_length
    what = f"posterior, {n_lists:,} lists of mean length {length:.1f}"
    begin = time.process_time()
    clf.predict_proba(X)
    seconds = time.process_time() - begin
    print(f"  {what:<48}{len(X):>10,}{len(X) / seconds:>16,.0f}  {seconds:>24.2f} s")
    if seconds * MILLION / len(X) > LONGEST:
        print(f"  {what}: a million rows left out, more than {LONGEST:.0f} s")
        return
    table = repeated(X, MILLION)
    begin = time.process_time()
    clf.predict_proba(table)
    seconds = time.process_time() - begin
    print(f"  {what:<48}{MILLION:>10,}{MILLION / seconds:>16,.0f}  {seconds:>24.2f} s", flush=True)


def main() -> None:
    shaped = stroke_shaped()
    frequent = np.flatnonzero(shaped.X.mean(axis=0) >= 0.1)
    X = shaped.X[:, frequent].toarray()
    names = [shaped.names[i] for i in frequent]
    print(f"{'':<50}{'rows':>10}{'rows / CPU s':>16}")
    tables = {
        "array": X,
        "array, whole": shaped.X.toarray(),
        "sparse": shaped.X,
        "data frame": pd.DataFrame(X, columns=names),
    }
    clf = point_estimates(tables, shaped.y)
    race_pysbrl(clf, X, [columns_of(antecedent) for antecedent in clf.rule_list_.antecedents])
    race_imodels(clf, X)
    posterior_predictive(X, shaped.y)


if __name__ == "__main__":
    main()
