"""Out-of-sample scores of projected lists of each length, by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from elseif.evaluation.cross_validation import Validation, cross_validate_all
from elseif.evaluation.discrimination import fold_aucs
from elseif.posterior.predictive import predictive_probabilities
from elseif.projection.path import PathScores

SMALLEST = 1e-15  # a probability of 0 for what happened costs this much, not everything


def score_path(
    classifier: Any, X: Any, y: Any, sample_weight: Any, max_length: int, **folding: Any
) -> PathScores:
    """Log loss and AUC of the lists of each length up to a maximum, learnt again in each fold.

    The scores of the point estimate and of the posterior are included. ``folding`` are arguments of
    ``cross_validate``: folds, seed, progress.
    """
    return scores_of(path_predictions(classifier, X, y, sample_weight, max_length, **folding))


def path_predictions(
    classifier: Any, X: Any, y: Any, sample_weight: Any, max_length: int, **folding: Any
) -> list[Validation]:
    """What the lists of each length predict out of sample, the posterior and the point estimate."""
    fresh = clone(classifier).set_params(predict_with="projected", max_length=max_length)
    return cross_validate_all(fresh, X, y, _all_predictions, sample_weight=sample_weight, **folding)


def scores_of(predictions: Sequence[Validation]) -> PathScores:
    """The scores of such predictions."""
    *lengths, posterior, point = predictions
    losses = np.stack([_log_losses(each) for each in lengths])
    means = losses.mean(axis=1)
    gaps = losses - losses[np.argmin(means)]
    n = losses.shape[1]
    return PathScores(
        folds=len(point.folds),
        n=n,
        log_loss=means,
        log_loss_gap=gaps.mean(axis=1),
        log_loss_gap_error=gaps.std(axis=1, ddof=1) / np.sqrt(n),
        auc=np.array([mean_auc(each) for each in lengths]),
        posterior_log_loss=float(_log_losses(posterior).mean()),
        posterior_auc=mean_auc(posterior),
        point_log_loss=float(_log_losses(point).mean()),
        point_auc=mean_auc(point),
    )


def _all_predictions(fitted: Any, tested: Any) -> Sequence[np.ndarray]:
    """The predictions of each list of the path, the posterior and the point estimate."""
    table = fitted.model_.read(tested)
    lists = [each.predict_proba(table) for each in fitted.projection_path_]
    posterior = predictive_probabilities(fitted.posterior_, table)
    return [*lists, posterior, fitted.rule_list_.predict_proba(table)]


def _log_losses(validation: Validation) -> np.ndarray:
    """Minus the log of the probability of what happened, row by row."""
    of_label = validation.probabilities[np.arange(len(validation.labels)), validation.labels]
    losses: np.ndarray = -np.log(np.maximum(of_label, SMALLEST))
    return losses


def mean_auc(validation: Validation) -> float:
    """The mean over folds; with more than two labels, of one label against the others each."""
    n_labels = len(validation.classes)
    positions = [1] if n_labels == 2 else range(n_labels)
    aucs = [fold_aucs(*validation.against_the_rest(k), validation.fold) for k in positions]
    return float(np.nanmean(aucs)) if n_labels > 1 else float("nan")
