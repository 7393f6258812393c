"""The posterior predictive from the sum over all lists, by pattern of a table's rows."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from elseif.bits.packing import WORD_BITS
from elseif.errors import ModelFileError
from elseif.model.problem import Problem
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import rows_of, truths_in_turn
from elseif.sampler.exact_posterior import ExactPosterior, bytes_to_predict
from elseif.tables.reading import Table

MOST_BYTES = 4e9  # that predictions may take; above, they are averages over draws
CLOSE = 1e-6  # log evidences of the same sum, on whatever machine

_tables: WeakKeyDictionary[ExactPosterior, np.ndarray] = WeakKeyDictionary()


def predicts_exactly(posterior: Posterior) -> bool:
    """Whether predictions of the posterior come from the sum over all lists.

    They do not if there is no such sum, or if its table of predictions would be too large.
    """
    if posterior.exact is None:
        return False
    n_labels = len(posterior.metadata.pseudocounts)
    n_counted = int(posterior.exact.patterns.label_counts.sum())
    return bytes_to_predict(len(posterior.pool), n_labels, n_counted) <= MOST_BYTES


def exact_probabilities(posterior: Posterior, exact: ExactPosterior, table: Table) -> np.ndarray:
    """Probability of each label, summed over all lists: (rows, labels)."""
    pool, kinds = posterior.pool, posterior.metadata.kinds
    members, starts = pool.conditions_of(np.arange(len(pool)))
    owners = np.repeat(np.arange(len(pool)), np.diff([*starts, len(members)]))
    holding = np.zeros((len(pool), table.n_rows), dtype=np.int16)  # conditions that are true
    used, positions = np.unique(members, return_inverse=True)
    truths = truths_in_turn([pool.conditions[c] for c in used], table, kinds)
    for position, truth in enumerate(truths):
        holding[owners[positions == position]] += truth
    others = np.full(table.n_rows, (1 << len(pool)) - 1, dtype=np.int64)
    for a, n_true in enumerate(holding):
        others -= (n_true == pool.cardinalities[a]).astype(np.int64) << a
    return rows_of(_table_of(posterior, exact), others)


def exact_probabilities_of_problem(
    posterior: Posterior, exact: ExactPosterior, problem: Problem
) -> np.ndarray:
    """Probability of each label for every bit of a problem's layout, including padding."""
    everything = slice(0, problem.layout.n_words)
    n_bits = problem.layout.n_words * WORD_BITS
    others = np.full(n_bits, (1 << problem.pool_size) - 1, dtype=np.int64)
    for a in range(problem.pool_size):
        cover = problem.covers_at(np.array([a]), everything)[0]
        truth = np.unpackbits(cover.view(np.uint8), bitorder="little")
        others -= truth.astype(np.int64) << a
    return rows_of(_table_of(posterior, exact), others)


def _table_of(posterior: Posterior, exact: ExactPosterior) -> np.ndarray:
    if exact not in _tables:
        _tables[exact] = _predictive_table(posterior, exact)
    return _tables[exact]


def _predictive_table(posterior: Posterior, exact: ExactPosterior) -> np.ndarray:
    """Every pattern's probabilities, from the counts that the posterior follows from."""
    from elseif.sampler.exact_sum import ExactSum  # loads compiled code

    metadata = posterior.metadata
    summed = ExactSum(exact.patterns, exact.prior, metadata.pseudocounts, metadata.count_unit)
    stored = exact.summaries.log_evidence
    if abs(summed.log_evidence - stored) > CLOSE * max(1.0, abs(stored)):
        raise ModelFileError(
            f"The posterior contradicts itself: its log evidence is {stored:.6f}, and that of its "
            f"counts is {summed.log_evidence:.6f}. The model must be fitted again."
        )
    return summed.predictive_table()
