"""From the runs of chains to a Posterior: the distinct lists, each stored once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from elseif.antecedents.pool import Pool
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.rule_list import ModelMetadata
from elseif.sampler.exact_posterior import ExactPosterior
from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs

if TYPE_CHECKING:
    from elseif.model.prior import ListPrior
    from elseif.sampler.exact_fit import ExactFit  # loads compiled code


def collect(
    chains: Sequence[RunLengthDraws],
    pool: Pool,
    metadata: ModelMetadata,
    prior: ListPrior | None = None,
    exact: ExactFit | None = None,
) -> Posterior:
    """The posterior from the kept draws of all chains, with the exact sum if there is one.

    The lists that the sum found are among the distinct ones whether or not they were drawn.
    """
    joined = join_runs([*chains, *([] if exact is None else [exact.best])])
    first, distinct = distinct_lists(joined)
    lengths = joined.lengths
    chosen = np.zeros(len(lengths), dtype=bool)
    chosen[first] = True
    lists = Lists(
        offsets=np.concatenate([[0], np.cumsum(lengths[chosen])]),
        items=joined.items[np.repeat(chosen, lengths)],
        label_counts=joined.label_counts[np.repeat(chosen, lengths + 1)],
        log_posterior=joined.log_posterior[chosen],
    )
    ends = np.cumsum([len(chain.n_draws) for chain in chains])
    draws = [
        ChainDraws(chain.n_draws, part)
        for chain, part in zip(chains, np.split(distinct, ends)[: len(chains)], strict=True)
    ]
    if exact is None or prior is None:
        return Posterior(pool, metadata, draws, lists)
    best, point = distinct[ends[-1] :].tolist()
    summed = ExactPosterior(exact.summaries, exact.patterns, prior, best, point, exact.point_note)
    return Posterior(pool, metadata, draws, lists, summed)


def only_the_default_rule(
    label_totals: np.ndarray, log_posterior: float, pool: Pool, metadata: ModelMetadata
) -> Posterior:
    """The posterior over an empty pool: one list, of one rule."""
    lists = Lists(
        offsets=np.zeros(2, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        label_counts=label_totals[None, :],
        log_posterior=np.array([log_posterior]),
    )
    one = np.ones(1, dtype=np.int64)
    return Posterior(pool, metadata, [ChainDraws(one, one - 1)], lists)
