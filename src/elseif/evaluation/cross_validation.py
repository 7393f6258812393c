"""Predictions for observations that the list was not learnt from: folds, or a held-out table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from elseif.errors import DataError, ParamError, ParamTypeError, public_text
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
from elseif.tables.parquet import ParquetTable
from elseif.tables.sparse_table import SparseTable

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
    """Out-of-sample probabilities of the observations that have a label and a weight."""

    method: str
    classes: np.ndarray
    rows: np.ndarray  # int (n,): which rows of the table
    labels: np.ndarray  # int (n,): codes into classes
    probabilities: np.ndarray  # float (n, labels)
    fold: np.ndarray  # int (n,): the fold that each observation was left out in
    folds: tuple[Fold, ...] = ()  # none for a held-out table

    def against_the_rest(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Whether each observation has one label, and its predicted probability of it."""
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
    """Out-of-fold probabilities: everything, cutting and mining too, is learnt in each fold.

    Folds are stratified by label and drawn by the seed, which also seeds each fold's
    sampler. Weights are used in fitting; in judging, every observation that has a weight
    counts once. Warnings of the fits are kept with their folds.
    """
    _check_folds(folds)
    known = read_labels(
        label_array(y), sample_weight, classifier.missing_y == "drop", category_order(y)
    )
    rows = np.flatnonzero(known.codes >= 0)
    codes = known.codes[rows]
    _enough_of_each(codes, known.classes, folds)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    splits = StratifiedKFold(folds, shuffle=True, random_state=random_state).split(
        np.zeros(len(rows)), codes
    )
    seeds = np.random.SeedSequence(random_state).generate_state(folds)
    probabilities = np.full((len(rows), len(known.classes)), np.nan)
    fold_of = np.full(len(rows), -1, dtype=np.int64)
    fitted = []
    with (progress or Progress()).stage("Cross-validating", folds) as report:
        for k, (train, test) in enumerate(splits):
            fold_of[test] = k
            fresh = clone(classifier).set_params(random_state=int(seeds[k]), verbose=False)
            weight = None if weights is None else weights[rows[train]]
            fold, probabilities[test] = _fit_fold(fresh, X, y, rows[train], rows[test], weight)
            fitted.append(fold)
            report(k + 1)
    return Validation(
        CROSS_VALIDATION, known.classes, rows, codes, probabilities, fold_of, tuple(fitted)
    )


def held_out(
    predict_proba: Callable[[Any], np.ndarray], classes: np.ndarray, X: Any, y: Any
) -> Validation:
    """Probabilities for a table that took no part in fitting; rows without a label are left out."""
    given = label_array(y)
    rows = np.flatnonzero(~missing_labels(given))
    place = {label: i for i, label in enumerate(classes.tolist())}
    found = given[rows].tolist()
    unknown = [label for label in found if label not in place]
    if unknown:
        labels = ", ".join(shown_label(label) for label in classes)
        raise DataError(
            f"The held-out labels hold {shown_label(unknown[0])}, which is not a label of the "
            f"model; its labels are {labels}."
        )
    if not found:
        raise DataError("The held-out table has no row with a label; give at least one.")
    probabilities = np.asarray(predict_proba(X))
    if len(probabilities) != len(given):
        raise DataError(
            f"The held-out table has {len(probabilities)} rows and {len(given)} labels; "
            "give one label a row."
        )
    return Validation(
        HELD_OUT,
        classes,
        rows,
        np.array([place[label] for label in found], dtype=np.int64),
        probabilities[rows],
        np.zeros(len(rows), dtype=np.int64),
    )


def rows_of(data: Any, rows: np.ndarray) -> Any:
    """Some rows of a data frame, series, array, sparse matrix or list, of the same type."""
    if isinstance(data, ParquetTable):
        data = data.to_frame()  # folds need rows, and files are read by column
    native = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, (nw.DataFrame, nw.Series)):
        return native[rows.tolist()].to_native()
    if sparse.issparse(data):
        return data.tocsr()[rows]
    if isinstance(data, (np.ndarray, SparseTable)):
        return data[rows]
    return [data[i] for i in rows]


def _fit_fold(
    classifier: Any,
    X: Any,
    y: Any,
    train: np.ndarray,
    test: np.ndarray,
    weight: np.ndarray | None,
) -> tuple[Fold, np.ndarray]:
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.fit(rows_of(X, train), rows_of(y, train), sample_weight=weight)
        probabilities = classifier.predict_proba(rows_of(X, test))
    said = dict.fromkeys(
        public_text(w.message)
        for w in caught
        if issubclass(w.category, (UserWarning, ConvergenceWarning))
    )
    predicts_by_map = classifier.predict_with == "map"
    fold = Fold(
        classifier.map_rule_list_ if predicts_by_map else classifier.rule_list_,
        classifier.convergence_,
        len(train),
        len(test),
        time.perf_counter() - start,
        tuple(said),
    )
    return fold, probabilities


def _check_folds(folds: Any) -> None:
    if isinstance(folds, bool) or not isinstance(folds, Integral):
        raise ParamTypeError(f"folds is {folds!r}; it must be a whole number.")
    if int(folds) < 2:
        raise ParamError(f"folds is {folds!r}; it must be 2 or more.")


def _enough_of_each(codes: np.ndarray, classes: np.ndarray, folds: int) -> None:
    """Every fold must hold every label, to be learnt and to be tested."""
    counts = np.bincount(codes, minlength=len(classes))
    rarest = int(np.argmin(counts))
    if counts[rarest] < folds:
        raise DataError(
            f"Label {shown_label(classes[rarest])} has {int(counts[rarest])} observations, too few "
            f"for folds={folds}: each fold needs one. Use fewer folds, or a held-out table."
        )
