"""Many classifiers over the same folds: AUC and training time with their spread, curves, risks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.evaluation.calibration import (
    Brier,
    Group,
    Recalibration,
    brier,
    calibration_groups,
    quantile_groups,
    recalibration,
)
from elseif.evaluation.contenders import (
    Contender,
    FoldResult,
    fingerprint,
    fit_once,
    reason,
)
from elseif.evaluation.discrimination import Curve, auc_with_interval, curve, fold_aucs
from elseif.evaluation.folds import fold_seeds, rows_of, stratified_folds
from elseif.evaluation.intervals import Estimate
from elseif.evaluation.keeper import FitKey, Keeper, NoKeeper
from elseif.progress import Progress


@dataclass(frozen=True, eq=False)
class Population:
    """The people that classifiers are compared on.

    Parameters
    ----------
    name : str
        The name in the results.
    rows : np.ndarray
        Rows of every contender's table, shape (n,).
    y : Any
        Labels of all rows of the table; the event is the last of the two labels.
    data : str
        A text that identifies the content of the tables, for stored results.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import Population
    >>> Population("everybody", np.arange(4), [0, 1, 0, 1], "four people").name
    'everybody'
    """

    name: str
    rows: np.ndarray
    y: Any
    data: str


@dataclass(frozen=True, eq=False)
class Measured:
    """One output of one contender: out-of-fold predictions for the whole population.

    Attributes
    ----------
    name : str
        Name of the output.
    learns : bool
        False for a published score.
    truth : np.ndarray
        Whether the event happened, shape (n,).
    fold : np.ndarray
        The fold in which each person was left out, shape (n,).
    order : np.ndarray
        Ranks the people by risk, shape (n,).
    risk : np.ndarray | None
        Predicted probability, where there is one, shape (n,).
    seconds : tuple[float, ...]
        Wall-clock time of training in each fold.
    cpu_seconds : tuple[float, ...]
        CPU time of training in each fold.
    warnings : tuple[tuple[str, ...], ...]
        Warnings of the fits in each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import Measured
    >>> truth, risk = np.array([True, False] * 10), np.array([0.6, 0.2, 0.3, 0.4] * 5)
    >>> fold = np.repeat([0, 1], 10)
    >>> times, warnings = (0.1, 0.1), ((), ())
    >>> measured = Measured("list", True, truth, fold, risk, risk, times, times, warnings)
    >>> len(measured.curves()), len(measured.calibration())
    (2, 4)
    >>> round(measured.brier().score.value, 2), round(measured.recalibration().slope.value, 1)
    (0.21, 1.9)
    """

    name: str
    learns: bool
    truth: np.ndarray
    fold: np.ndarray
    order: np.ndarray
    risk: np.ndarray | None
    seconds: tuple[float, ...]
    cpu_seconds: tuple[float, ...]
    warnings: tuple[tuple[str, ...], ...]

    @property
    def aucs(self) -> list[float]:
        """The AUC of each fold."""
        return fold_aucs(self.truth, self.order, self.fold)

    @property
    def auc(self) -> Estimate:
        """Mean AUC with an interval for the people tested (DeLong within folds)."""
        return auc_with_interval(self.truth, self.order, self.fold)

    def curves(self) -> list[Curve]:
        """ROC curves.

        Returns
        -------
        list of Curve
            One for each fold.
        """
        return [
            curve(self.truth[self.fold == f], self.order[self.fold == f])
            for f in np.unique(self.fold)
        ]

    def calibration(self, most: int = 10) -> list[Group]:
        """Observed and predicted risk in groups of increasing predicted risk, over all folds.

        Parameters
        ----------
        most : int, default=10
            Largest number of groups.

        Returns
        -------
        list of Group
            The groups, with confidence intervals; empty if there is no predicted risk.
        """
        if self.risk is None:
            return []
        return calibration_groups(self.truth, self.risk, *quantile_groups(self.risk, most))

    def recalibration(self) -> Recalibration | None:
        """Calibration slope and intercepts.

        Returns
        -------
        Recalibration or None
            None if there is no predicted risk.
        """
        return None if self.risk is None else recalibration(self.truth, self.risk)

    def brier(self) -> Brier | None:
        """The Brier score.

        Returns
        -------
        Brier or None
            None if there is no predicted risk.
        """
        return None if self.risk is None else brier(self.truth, self.risk)


@dataclass(frozen=True, eq=False)
class Compared:
    """The results of a comparison on one population.

    Attributes
    ----------
    population : str
        Name of the population.
    n : int
        Number of people.
    n_events : int
        Number of events.
    n_folds : int
        Number of folds.
    measured : Mapping[str, Measured]
        Results by output, in the order of the contenders.
    details : Mapping[str, tuple[Mapping[str, Any], ...]]
        What `Contender.describe` gave, by contender and fold.
    failures : Mapping[str, str]
        Outputs without results, and why.

    Examples
    --------
    See `compare`, which makes it.

    >>> from elseif.evaluation import Compared
    >>> Compared("everybody", 10, 2, 5, measured={}, details={}).failures
    {}
    """

    population: str
    n: int
    n_events: int
    n_folds: int
    measured: Mapping[str, Measured]
    details: Mapping[str, tuple[Mapping[str, Any], ...]]
    failures: Mapping[str, str] = field(default_factory=dict)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation over folds.

    Parameters
    ----------
    values : sequence of float
        One value for each fold.

    Returns
    -------
    mean : float
        The mean.
    deviation : float
        The sample standard deviation (n - 1).

    Examples
    --------
    >>> from elseif.evaluation import spread
    >>> spread([1.0, 2.0, 3.0])
    (2.0, 1.0)
    """
    numbers = np.asarray(values, dtype=float)
    return float(numbers.mean()), float(numbers.std(ddof=1)) if len(numbers) > 1 else float("nan")


def fold_splits(
    truth: np.ndarray, folds: int, random_state: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Stratified folds drawn by a seed, the same as those of ``cross_validate``."""
    fewest = int(min(np.count_nonzero(truth), np.count_nonzero(~truth)))
    if fewest < folds:
        remedy = "Use fewer folds." if fewest > 1 else "No number of folds will do."
        raise DataError(
            f"Of {len(truth):,} people {int(truth.sum()):,} had the event: too few for "
            f"{folds} folds, each of which needs people with and without it. {remedy}"
        )
    return stratified_folds(truth, folds, random_state)


def compare(
    contenders: Sequence[Contender],
    population: Population,
    *,
    folds: int = 5,
    random_state: int = 0,
    keeper: Keeper | None = None,
    progress: Progress | None = None,
    on_failure: Callable[[str, str], None] = lambda name, why: None,
) -> Compared:
    """Cross-validate several classifiers on the same folds.

    A contender that fails has a reason instead of results, and the others continue. After an
    interruption, what the keeper has stored is not computed again.

    Parameters
    ----------
    contenders : sequence of Contender
        The classifiers.
    population : Population
        The people.
    folds : int, default=5
        Number of folds.
    random_state : int, default=0
        Seed of the folds and of the classifiers.
    keeper : Keeper, default=None
        Stores the results of fits.
    progress : Progress, default=None
        Receives progress updates.
    on_failure : callable, default: does nothing
        Called with the name of a contender and the reason why it failed.

    Returns
    -------
    Compared
        The results.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import Contender, Population, compare
    >>> X, y = load_titanic()
    >>> contenders = [Contender("rule list", BayesianRuleListClassifier(), X)]
    >>> population = Population("everybody", np.arange(len(y)), y, "Titanic")
    >>> compared = compare(contenders, population, folds=2)
    >>> compared.n_events, round(compared.measured["rule list"].auc.value, 1)
    (711, 0.7)
    """
    rows, y = population.rows, rows_of(population.y, population.rows)
    truth = _truth(y)
    splits = fold_splits(truth, folds, random_state)
    fold = np.full(len(rows), -1, dtype=np.int64)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
    task = _Task(population, splits, truth, folds, random_state, keeper or NoKeeper())
    measured: dict[str, Measured] = {}
    details: dict[str, tuple[Mapping[str, Any], ...]] = {}
    failures: dict[str, str] = {}
    for contender in contenders:
        try:
            with (progress or Progress()).stage(
                f"{contender.name}, {population.name}", folds
            ) as report:
                results = task.run(contender, report)
        except _FitFailed as failure:
            failures |= dict.fromkeys(contender.judged, str(failure))
            on_failure(contender.name, str(failure))
            continue
        details[contender.name] = tuple(result.details for result in results)
        for name in contender.judged:
            measured[name] = _measured(name, contender.learns, results, truth, fold)
    n, n_events = len(rows), int(truth.sum())
    return Compared(population.name, n, n_events, folds, measured, details, failures)


class _FitFailed(Exception):
    """A contender cannot be fitted; a disk that is full is another matter."""


@dataclass(frozen=True, eq=False)
class _Task:
    """What all fits on a population share."""

    population: Population
    splits: list[tuple[np.ndarray, np.ndarray]]
    truth: np.ndarray
    folds: int
    random_state: int
    keeper: Keeper

    def run(self, contender: Contender, report: Callable[[int], None]) -> list[FoldResult]:
        """The results of every fold, kept ones and new ones."""
        seeds = fold_seeds(self.folds, self.random_state)
        rows = self.population.rows
        results = []
        for k, (train, test) in enumerate(self.splits):
            key = FitKey(self.population.name, contender.name, k, self._fingerprint(contender, k))
            result = self.keeper.read(key)
            if result is None or not _fits(result, contender, len(test)):
                try:
                    result = fit_once(
                        contender, self.population.y, rows[train], rows[test], seeds[k]
                    )
                except Exception as error:  # any library may be behind a contender
                    raise _FitFailed(f"fold {k + 1}: {reason(error)}") from error
                self.keeper.write(key, result)
            results.append(result)
            report(k + 1)
        return results

    def _fingerprint(self, contender: Contender, fold: int) -> str:
        train, test = self.splits[fold]
        return fingerprint(
            contender,
            data=self.population.data,
            population=self.population.name,
            rows=_digest(self.population.rows, self.truth, train, test),
            folds=self.folds,
            fold=fold,
            random_state=self.random_state,
        )


def _measured(
    name: str, learns: bool, results: Sequence[FoldResult], truth: np.ndarray, fold: np.ndarray
) -> Measured:
    order = np.full(len(truth), np.nan)
    risk: np.ndarray | None = np.full(len(truth), np.nan)
    for k, result in enumerate(results):
        scores = result.scores[name]
        order[fold == k] = scores.order
        if scores.risk is None or risk is None:
            risk = None
        else:
            risk[fold == k] = scores.risk
    return Measured(
        name,
        learns,
        truth,
        fold,
        order,
        risk,
        tuple(result.seconds for result in results),
        tuple(result.cpu_seconds for result in results),
        tuple(result.warnings for result in results),
    )


def _truth(y: Any) -> np.ndarray:
    """Whether each has the event: the last of two labels."""
    labels = np.unique(np.asarray(y))
    if len(labels) != 2:
        raise DataError(
            f"A comparison by AUC needs two labels, and there are {len(labels)}. "
            "An outcome that everybody or nobody has cannot be learnt."
        )
    return np.asarray(y) == labels[-1]


def _fits(result: FoldResult, contender: Contender, n: int) -> bool:
    """Whether stored results are for this contender and these people."""
    return set(result.scores) == set(contender.judged) and all(
        len(scores.order) == n and (scores.risk is None or len(scores.risk) == n)
        for scores in result.scores.values()
    )


def _digest(*arrays: np.ndarray) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode("ascii"))
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
