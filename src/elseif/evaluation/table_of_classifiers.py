"""Many classifiers over the same folds: AUC and training time with their spread, curves, risks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from sklearn.model_selection import StratifiedKFold

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
from elseif.evaluation.cross_validation import rows_of
from elseif.evaluation.discrimination import Curve, auc_with_interval, curve, fold_aucs
from elseif.evaluation.intervals import Estimate
from elseif.progress import Progress


@dataclass(frozen=True)
class Place:
    """Which fit of a comparison: its fingerprint stands for data, settings and versions."""

    population: str
    contender: str
    fold: int  # from 0
    fingerprint: str


class Keeper(Protocol):
    """Keeps what is done, so that a comparison can be continued."""

    def read(self, place: Place) -> FoldResult | None:
        """What was kept of a fit, if it was and is whole."""

    def write(self, place: Place, result: FoldResult) -> None:
        """Keep a fit."""


class NoKeeper:
    """Keeps nothing."""

    def read(self, place: Place) -> FoldResult | None:
        """Nothing was kept."""
        return None

    def write(self, place: Place, result: FoldResult) -> None:
        """Forget it."""


@dataclass(frozen=True, eq=False)
class Population:
    """People that classifiers are compared on: rows of the tables, and who had the event."""

    name: str
    rows: np.ndarray  # int (n,): rows of every contender's table
    y: Any  # labels of all rows of the table; the event is the last of two labels
    data: str  # a text that stands for the content of the tables and for who reads them


@dataclass(frozen=True, eq=False)
class Measured:
    """One output of one contender, on everybody of a population, each in the fold left out."""

    name: str
    learns: bool
    truth: np.ndarray  # bool (n,)
    fold: np.ndarray  # int (n,)
    order: np.ndarray  # float (n,)
    risk: np.ndarray | None  # float (n,)
    seconds: tuple[float, ...]  # of training, a fold
    cpu_seconds: tuple[float, ...]
    warnings: tuple[tuple[str, ...], ...]  # a fold

    @property
    def aucs(self) -> list[float]:
        """The AUC of each fold."""
        return fold_aucs(self.truth, self.order, self.fold)

    @property
    def auc(self) -> Estimate:
        """Mean AUC with an interval for the people tested (DeLong within folds)."""
        return auc_with_interval(self.truth, self.order, self.fold)

    def curves(self) -> list[Curve]:
        """The ROC curve of each fold."""
        return [
            curve(self.truth[self.fold == f], self.order[self.fold == f])
            for f in np.unique(self.fold)
        ]

    def calibration(self, most: int = 10) -> list[Group]:
        """Groups of rising risk over all folds, with intervals; none of a mere order."""
        if self.risk is None:
            return []
        return calibration_groups(self.truth, self.risk, *quantile_groups(self.risk, most))

    def recalibration(self) -> Recalibration | None:
        """Slope and intercepts of the risks; None of a mere order."""
        return None if self.risk is None else recalibration(self.truth, self.risk)

    def brier(self) -> Brier | None:
        """The Brier score of the risks; None of a mere order."""
        return None if self.risk is None else brier(self.truth, self.risk)


@dataclass(frozen=True, eq=False)
class Compared:
    """Everything found on one population."""

    population: str
    n: int
    n_events: int
    n_folds: int
    measured: Mapping[str, Measured]  # by output, in the order of the contenders
    details: Mapping[str, tuple[Mapping[str, Any], ...]]  # by contender, a fold
    failures: Mapping[str, str] = field(default_factory=dict)  # by output: why it has no numbers


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation over folds (of a sample: n - 1)."""
    found = np.asarray(values, dtype=float)
    return float(found.mean()), float(found.std(ddof=1)) if len(found) > 1 else float("nan")


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
    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros(len(truth)), truth))


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
    """Fit every contender in every fold; what the keeper has is not computed again.

    A contender that fails has no numbers, but its reason; the others go on. An interrupt
    leaves what is kept.
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
        seeds = np.random.SeedSequence(self.random_state).generate_state(self.folds)
        rows = self.population.rows
        results = []
        for k, (train, test) in enumerate(self.splits):
            place = Place(self.population.name, contender.name, k, self._fingerprint(contender, k))
            result = self.keeper.read(place)
            if result is None or not _fits(result, contender, len(test)):
                try:
                    result = fit_once(
                        contender, self.population.y, rows[train], rows[test], int(seeds[k])
                    )
                except Exception as error:  # any library may be behind a contender
                    raise _FitFailed(f"fold {k + 1}: {reason(error)}") from error
                self.keeper.write(place, result)
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
    """Whether what was kept is of this contender and these people."""
    return set(result.scores) == set(contender.judged) and all(
        len(scores.order) == n and (scores.risk is None or len(scores.risk) == n)
        for scores in result.scores.values()
    )


def _digest(*arrays: np.ndarray) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode("ascii"))
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
