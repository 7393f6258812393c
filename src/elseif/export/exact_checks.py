"""Consistency checks of a posterior that was summed over all lists."""

from __future__ import annotations

import math

import numpy as np

from elseif.errors import ModelFileError
from elseif.export.document import Document, ExactPart, PosteriorPart
from elseif.sampler.exact_posterior import LARGEST_SUM

CLOSE = 1e-9  # probabilities and their sums, each rounded on its way


def check_exact(exact: ExactPart, posterior: PosteriorPart, document: Document) -> None:
    """Raise for the first contradiction in the results of an exact sum."""
    pool_size, n_lists = len(document.pool.antecedents), len(posterior.lists)
    _refuse_unless(
        0 < pool_size <= LARGEST_SUM,
        f"the pool has {pool_size:,} antecedents, and at most {LARGEST_SUM} are summed over.",
    )
    _refuse_unless(
        len(exact.weights) == len(exact.inclusion) == pool_size
        and len(exact.length_probabilities) == pool_size + 1,
        "each antecedent needs a weight and an inclusion, each length a probability.",
    )
    _refuse_unless(
        max(exact.map_list, exact.point_list) < n_lists,
        "the most probable list or the point estimate is not among the lists.",
    )
    _refuse_unless(
        math.isfinite(sum(exact.weights)), "the weights of the antecedents are too large."
    )
    _check_patterns(exact, document, pool_size)
    _check_probabilities(exact, posterior)


def _check_patterns(exact: ExactPart, document: Document, pool_size: int) -> None:
    n_labels = len(document.outcome.labels)
    _refuse_unless(
        0 < len(exact.patterns) == len(exact.pattern_counts)
        and all(len(counts) == n_labels for counts in exact.pattern_counts),
        "each pattern needs one count a label.",
    )
    patterns = np.array(exact.patterns)
    _refuse_unless(
        bool(np.all(np.diff(patterns) > 0)) and exact.patterns[-1] < 1 << pool_size,
        "the patterns are not in order, or of antecedents that are not there.",
    )
    trained = np.array(document.training.label_counts) / document.training.count_unit
    counted = np.array(exact.pattern_counts, dtype=float).sum(axis=0)
    _refuse_unless(
        bool(np.allclose(counted, trained, rtol=CLOSE, atol=CLOSE)),
        "the counts of the patterns do not add up to the training cases.",
    )


def _check_probabilities(exact: ExactPart, posterior: PosteriorPart) -> None:
    lengths = np.array(exact.length_probabilities)
    _refuse_unless(
        math.isclose(lengths.sum(), 1.0, abs_tol=CLOSE),
        "the probabilities of the lengths do not add up to 1.",
    )
    mean = float(lengths @ np.arange(len(lengths)))
    _refuse_unless(
        math.isclose(sum(exact.inclusion), mean, rel_tol=CLOSE, abs_tol=CLOSE),
        "the inclusions do not add up to the mean length.",
    )
    log_shares = np.array(posterior.log_posterior) - exact.log_evidence
    room = CLOSE * max(1.0, abs(exact.log_evidence))
    _refuse_unless(
        bool(np.all(log_shares <= room)), "a list has a probability above 1 by the log evidence."
    )
    best = posterior.log_posterior[exact.map_list]
    _refuse_unless(
        max(posterior.log_posterior) <= best + room, "the most probable list is not the best."
    )


def _refuse_unless(truth: bool, what: str) -> None:
    if not truth:
        raise ModelFileError(f"posterior: {what}")
