"""Out-of-sample predictions, by cross-validation or for a held-out table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from elseif.errors import DataError, ParamError, ParamTypeError
from elseif.evaluation.folds import caught_warnings, fold_seeds, rows_of, stratified_folds
from elseif.fitted_model import as_model
from elseif.parallel import across_workers
from elseif.posterior.rule_list import RuleList
from elseif.progress import Progress
from elseif.sampler.convergence import Convergence
from elseif.tables.labels import (
    category_order,
    label_array,
    missing_labels,
    read_labels,
    shown_label,
)

CROSS_VALIDATION, HELD_OUT = "cross-validation", "held-out table"


@dataclass(frozen=True, eq=False)
class Fold:
    """One fit on all folds but one: pool, cut points and list are learnt from these alone."""

    rule_list: RuleList
    convergence: Convergence
    n_train: int
    n_test: int
    seconds: float
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Validation:
    """Out-of-sample probabilities of the observations that have a label and a positive weight.

    Attributes
    ----------
    method : str
        How they were obtained.
    classes : np.ndarray
        The labels.
    rows : np.ndarray
        Rows of the table, shape (n,).
    labels : np.ndarray
        Codes into ``classes``, shape (n,).
    probabilities : np.ndarray
        Predicted probability of each label, shape (n, labels).
    fold : np.ndarray
        The fold in which each observation was left out, shape (n,).
    folds : tuple[Fold, ...]
        One entry for each fold; empty for a held-out table.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import cross_validate
    >>> X, y = load_titanic()
    >>> validation = cross_validate(BayesianRuleListClassifier(), X, y, folds=2)
    >>> truth, risk = validation.against_the_rest(1)
    >>> truth.mean().round(2), risk.shape
    (np.float64(0.32), (2201,))
    """

    method: str
    classes: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray
    fold: np.ndarray
    folds: tuple[Fold, ...] = ()

    def against_the_rest(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """One label against all others.

        Parameters
        ----------
        place : int
            The label's place in ``classes``.

        Returns
        -------
        truth : array of bool
            Whether each observation has the label.
        risk : array of float
            Its predicted probability.
        """
        return self.labels == place, self.probabilities[:, place]


def cross_validate(
    classifier: Any,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    sample_weight: Any = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Validation:
    """Cross-validate a rule list classifier.

    Everything is learnt again in each fold, including cut points and the pool of antecedents. Folds
    are stratified by label. Within ``joblib.parallel_config(backend="loky" | "dask" | ...)`` its
    workers fit the folds, with the same result.

    Parameters
    ----------
    classifier : BayesianRuleListClassifier
        The classifier, fitted or not; clones of it are fitted.
    X : table
        Observations, in any kind of table that ``fit`` takes.
    y : array
        The labels.
    folds : int, default=5
        Number of folds.
    sample_weight : array, default=None
        Weights, used in fitting. In the validation every observation with a positive weight
        counts once.
    random_state : int, default=0
        Seed of the folds and of each fold's sampler.
    progress : Progress, default=None
        Receives progress updates.

    Returns
    -------
    Validation
        Out-of-fold probabilities. Warnings of the fits are kept with their folds.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import auc_with_interval, cross_validate
    >>> X, y = load_titanic()
    >>> validation = cross_validate(BayesianRuleListClassifier(), X, y, folds=2)
    >>> truth, risk = validation.against_the_rest(1)
    >>> round(auc_with_interval(truth, risk, validation.fold).value, 1)
    0.7
    """
    return cross_validate_all(
        classifier,
        X,
        y,
        _its_predictions,
        folds=folds,
        sample_weight=sample_weight,
        random_state=random_state,
        progress=progress,
    )[0]


def cross_validate_all(
    classifier: Any,
    X: Any,
    y: Any,
    predict: Callable[[Any, Any], Sequence[np.ndarray]],
    *,
    folds: int = 5,
    sample_weight: Any = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> list[Validation]:
    """cross_validate for several predictions of each fit, as ``predict`` makes them."""
    _check_folds(folds)
    known = read_labels(
        _one_column(y), sample_weight, classifier.missing_y == "drop", category_order(y)
    )
    rows = np.flatnonzero(known.codes >= 0)
    codes = known.codes[rows]
    _enough_of_each(codes, known.classes, folds)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    splits = stratified_folds(codes, folds, random_state)
    seeds = fold_seeds(folds, random_state)
    probabilities: list[np.ndarray] = []
    fold_of = np.full(len(rows), -1, dtype=np.int64)
    fitted = []
    tasks = []
    for k, (train, test) in enumerate(splits):
        fold_of[test] = k
        fresh = clone(classifier)
        wanted = {"random_state": seeds[k], "verbose": False, "checkpoint": None}
        accepted = fresh.get_params(deep=False)  # a subclass may lack some
        fresh.set_params(**{name: value for name, value in wanted.items() if name in accepted})
        weight = None if weights is None else weights[rows[train]]
        tasks.append((fresh, X, y, rows[train], rows[test], weight, predict))
    with (progress or Progress()).stage("Cross-validating", folds) as report:
        for k, (fold, predicted) in enumerate(across_workers(_fit_fold, tasks)):
            fitted.append(fold)
            if not probabilities:
                probabilities = [
                    np.full((len(rows), len(known.classes)), np.nan) for _ in predicted
                ]
            for whole, part in zip(probabilities, predicted, strict=True):
                whole[splits[k][1]] = part
            report(k + 1)
    return [
        Validation(CROSS_VALIDATION, known.classes, rows, codes, each, fold_of, tuple(fitted))
        for each in probabilities
    ]


def held_out(
    predict_proba: Callable[[Any], np.ndarray], classes: np.ndarray, X: Any, y: Any
) -> Validation:
    """Predicted probabilities for a table that took no part in fitting.

    Parameters
    ----------
    predict_proba : callable
        Gives the probabilities of a table's rows.
    classes : array
        The labels, in the order of its columns.
    X : table
        Observations, in any kind of table that ``fit`` takes.
    y : array
        The labels; rows without one are left out.

    Returns
    -------
    Validation
        The probabilities.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import held_out
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> held_out(clf.predict_proba, clf.classes_, X[1::2], y[1::2]).probabilities.shape
    (1100, 2)
    """
    given = _one_column(y)
    rows = np.flatnonzero(~missing_labels(given))
    code_of = {label: i for i, label in enumerate(classes.tolist())}
    given_labels = given[rows].tolist()
    unknown = [label for label in given_labels if label not in code_of]
    if unknown:
        labels = ", ".join(shown_label(label) for label in classes)
        raise DataError(
            f"The held-out labels hold {shown_label(unknown[0])}, which is not a label of the "
            f"model; its labels are {labels}."
        )
    if not given_labels:
        raise DataError("The held-out table has no row with a label; give at least one.")
    probabilities = np.asarray(predict_proba(X))
    if len(probabilities) != len(given):
        raise DataError(
            f"The held-out table has {len(probabilities)} rows and {len(given)} labels; "
            "give one label per row."
        )
    return Validation(
        HELD_OUT,
        classes,
        rows,
        np.array([code_of[label] for label in given_labels], dtype=np.int64),
        probabilities[rows],
        np.zeros(len(rows), dtype=np.int64),
    )


def _one_column(y: Any) -> np.ndarray:
    """Labels as an array of one dimension, also where they are a table of one column."""
    labels = label_array(y)
    return labels.ravel() if labels.shape[1:] == (1,) else labels


def _its_predictions(fitted: Any, tested: Any) -> list[np.ndarray]:
    return [fitted.predict_proba(tested)]


def _fit_fold(
    classifier: Any,
    X: Any,
    y: Any,
    train: np.ndarray,
    test: np.ndarray,
    weight: np.ndarray | None,
    predict: Callable[[Any, Any], Sequence[np.ndarray]],
) -> tuple[Fold, Sequence[np.ndarray]]:
    start = time.perf_counter()
    with caught_warnings() as caught:
        classifier.fit(rows_of(X, train), rows_of(y, train), sample_weight=weight)
        probabilities = predict(classifier, rows_of(X, test))
    fold = Fold(
        as_model(classifier).chosen_list(),
        classifier.convergence_,
        len(train),
        len(test),
        time.perf_counter() - start,
        tuple(caught),
    )
    return fold, probabilities


def _check_folds(folds: Any) -> None:
    if isinstance(folds, bool) or not isinstance(folds, Integral):
        raise ParamTypeError(f"folds is {folds!r}; it must be a whole number.")
    if int(folds) < 2:
        raise ParamError(f"folds is {folds!r}; it must be 2 or more.")


def _enough_of_each(codes: np.ndarray, classes: np.ndarray, folds: int) -> None:
    """Raise unless every fold can have every label."""
    counts = np.bincount(codes, minlength=len(classes))
    rarest = int(np.argmin(counts))
    n = int(counts[rarest])
    if n < folds:
        observations = "1 observation" if n == 1 else f"{n} observations"
        advice = "Use fewer folds, or a held-out table." if n > 1 else "Use a held-out table."
        raise DataError(
            f"Label {shown_label(classes[rarest])} has {observations}, too few for folds={folds}: "
            f"each fold needs one. {advice}"
        )
