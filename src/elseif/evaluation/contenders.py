"""Contenders: classifiers compared over the same folds, and the fit of one of them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.base import clone

from elseif.errors import DataError, ElseifError
from elseif.evaluation.folds import caught_warnings, rows_of
from elseif.phrases import clipped

FORMAT = 1  # of what is kept of a fit
# whose versions may change a result
DECIDING = (
    *("elseif", "numba", "numpy", "scipy", "scikit-learn"),
    *("interpret-core", "imodels", "corels"),
)
INDIFFERENT = {"n_jobs", "verbose"}  # settings that change no result
LONGEST_REASON = 300


@dataclass(frozen=True, eq=False)
class Scores:
    """Predictions of a classifier for observations that it was not fitted on.

    Attributes
    ----------
    order : np.ndarray
        Ranks the observations; a higher number means that the event is more likely. Shape
        (n,).
    risk : np.ndarray | None
        Predicted probability of the event, where the classifier gives one. Shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import Scores
    >>> Scores(order=np.array([1.0, 3.0]), risk=None).order
    array([1., 3.])
    """

    order: np.ndarray
    risk: np.ndarray | None


Scoring = Callable[[Any, Any], Scores]


def scores_of(fitted: Any, X: Any) -> Scores:
    """The decision function, if there is one, and the probabilities.

    A score's points order people, and its published rates need not rise with them: both are
    kept. The event is the last of the labels.
    """
    risk = fitted.predict_proba(X)[:, -1] if hasattr(fitted, "predict_proba") else None
    if hasattr(fitted, "decision_function"):
        return Scores(np.asarray(fitted.decision_function(X), dtype=float), risk)
    if risk is None:
        raise TypeError(f"{type(fitted).__name__} has no predict_proba and no decision_function")
    return Scores(np.asarray(risk, dtype=float), risk)


def nothing_more(fitted: Any) -> dict[str, Any]:
    """Keep nothing of a fitted classifier but its scores."""
    return {}


@dataclass(frozen=True, eq=False)
class Contender:
    """A classifier to compare, the table it learns from, and which predictions are evaluated.

    One fit may have several outputs: a rule list predicts by its point estimate and by its
    posterior.

    Parameters
    ----------
    name : str
        The name in the results.
    classifier : Any
        A scikit-learn classifier; a clone of it is fitted in each fold.
    X : Any
        The whole table, of which the population takes rows.
    outputs : Mapping[str, Scoring]
        Functions from a fitted classifier and a table to `Scores`, by the name of the output;
        by default one, named after the contender.
    learns : bool
        False for a published score, which has no training time.
    describe : Callable[[Any], dict[str, Any]]
        Gives what else to keep of a fitted classifier, as plain data.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import Contender
    >>> X, y = load_titanic()
    >>> Contender("rule list", BayesianRuleListClassifier(), X).name
    'rule list'
    """

    name: str
    classifier: Any
    X: Any
    outputs: Mapping[str, Scoring] = field(default_factory=dict)
    learns: bool = True
    describe: Callable[[Any], dict[str, Any]] = nothing_more

    @property
    def judged(self) -> Mapping[str, Scoring]:
        """The outputs by name."""
        return self.outputs or {self.name: scores_of}


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One fit, and its predictions for the observations that were left out.

    Attributes
    ----------
    scores : Mapping[str, Scores]
        Predictions by output.
    seconds : float
        Wall-clock time of fitting.
    cpu_seconds : float
        CPU time of this process and its threads.
    warnings : tuple[str, ...]
        Warnings raised by the fit.
    details : Mapping[str, Any]
        What `Contender.describe` gave.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import FoldResult, Scores
    >>> scores = Scores(np.array([0.2, 0.7]), np.array([0.2, 0.7]))
    >>> result = FoldResult({"rule list": scores}, seconds=0.5, cpu_seconds=0.4)
    >>> FoldResult.from_dict(result.to_dict()).seconds
    0.5
    """

    scores: Mapping[str, Scores]
    seconds: float
    cpu_seconds: float
    warnings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data that JSON can hold.

        Returns
        -------
        dict
            What ``from_dict`` takes.
        """
        return {
            "scores": {
                name: {
                    "order": scores.order.tolist(),
                    "risk": None if scores.risk is None else scores.risk.tolist(),
                }
                for name, scores in self.scores.items()
            },
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "warnings": list(self.warnings),
            "details": dict(self.details),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> FoldResult:
        """Restore a result from what ``to_dict`` gave.

        Parameters
        ----------
        document : dict
            Plain data; anything else raises KeyError, TypeError or ValueError.

        Returns
        -------
        FoldResult
            The result.
        """
        scores = {
            str(name): Scores(
                _numbers(s["order"]), None if s["risk"] is None else _numbers(s["risk"])
            )
            for name, s in document["scores"].items()
        }
        return cls(
            scores,
            float(document["seconds"]),
            float(document["cpu_seconds"]),
            tuple(map(str, document["warnings"])),
            dict(document["details"]),
        )


def fit_once(
    contender: Contender, y: Any, train: np.ndarray, test: np.ndarray, seed: int
) -> FoldResult:
    """Fit on some rows, score others; only the fit, all its mining and tuning, is timed."""
    classifier = clone(contender.classifier)
    if "random_state" in classifier.get_params(deep=False):
        classifier.set_params(random_state=seed)
    X_train, y_train, X_test = (rows_of(d, r) for d, r in _parts(contender.X, y, train, test))
    with caught_warnings() as caught:
        start, cpu_start = time.perf_counter(), time.process_time()
        classifier.fit(X_train, y_train)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        _check_event(contender.name, classifier, y_train)
        scores = {name: scoring(classifier, X_test) for name, scoring in contender.judged.items()}
    for name, scored in scores.items():
        _check(name, scored, len(test))
    said = tuple(dict.fromkeys(" ".join(text.split()) for text in caught))
    return FoldResult(scores, seconds, cpu_seconds, said, contender.describe(classifier))


def fingerprint(contender: Contender, **where: Any) -> str:
    """SHA-256 of all that decides a result: settings, versions, and what the caller adds."""
    decided = {
        "format": FORMAT,
        "contender": contender.name,
        "outputs": list(contender.judged),
        "settings": settings_of(contender.classifier),
        "versions": {name: _version(name) for name in DECIDING},
        **where,
    }
    text = json.dumps(decided, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def settings_of(value: Any) -> Any:
    """An estimator's settings, and those of estimators within, as plain data."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        kept = {k: v for k, v in value.get_params(deep=False).items() if k not in INDIFFERENT}
        return {"class": type(value).__qualname__, **{k: settings_of(v) for k, v in kept.items()}}
    if isinstance(value, Mapping):
        return {str(k): settings_of(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [settings_of(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    named = value if isinstance(value, type) or callable(value) else type(value)
    return getattr(named, "__qualname__", type(value).__qualname__)


def reason(error: BaseException) -> str:
    """Why a classifier failed, as one sentence."""
    if isinstance(error, MemoryError):
        return "not enough memory."
    text = " ".join(str(error).split()) or "no reason was given"
    if not isinstance(error, ElseifError):
        text = f"{type(error).__name__}: {text}"
    text = clipped(text, LONGEST_REASON)
    return text if text.endswith((".", "…", "!", "?")) else f"{text}."


def _parts(X: Any, y: Any, train: np.ndarray, test: np.ndarray) -> tuple[Any, ...]:
    return (X, train), (y, train), (X, test)


def _check_event(name: str, fitted: Any, y: Any) -> None:
    """The last label is the event for all, or one would be judged by the others' opposite."""
    event = np.unique(np.asarray(y))[-1]
    classes = getattr(fitted, "classes_", None)
    if classes is not None and classes[-1] != event:
        raise DataError(
            f"{name} takes {classes[-1]} for the event, and the comparison {event}: the labels "
            "are not in alphabetical order. Give y as true and false"
        )


def _check(name: str, scores: Scores, n: int) -> None:
    for values in (scores.order, scores.risk):
        if values is not None and (np.shape(values) != (n,) or not np.isfinite(values).all()):
            raise ValueError(
                f"{name} gives scores of shape {np.shape(values)} with "
                f"{int((~np.isfinite(values)).sum())} that are not numbers"
            )


def _numbers(values: Any) -> np.ndarray:
    numbers = np.array(values, dtype=float)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError("scores must be a row of numbers")
    return numbers


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # pragma: no cover - an installation without metadata
        return "unknown"
