"""Posterior: the kept draws of all chains, and what they say together (section 2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from elseif.antecedents.pool import Pool
from elseif.errors import ResourceError
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.visible import show_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TIE = 1e-9  # log posteriors closer than this are equal, or than this part of their size:
TIE_SHARE = 1e-12  # sums of large terms lose digits
MOST_DRAWS = 10**8  # that are written out one by one


@dataclass(frozen=True, eq=False)
class ChainDraws:
    """The kept draws of one chain: a list is stored once for as long as it stayed."""

    n_draws: np.ndarray  # int64 (runs,)
    distinct: np.ndarray  # int64 (runs,): which of the posterior's distinct lists

    def at(self, draws: np.ndarray) -> np.ndarray:
        """Which of the distinct lists some draws are, by their places from 0."""
        return self.distinct[np.searchsorted(np.cumsum(self.n_draws), draws, side="right")]


@dataclass(frozen=True, eq=False)
class Lists:
    """Distinct antecedent lists, each with its counts and log posterior."""

    offsets: np.ndarray  # int64 (lists + 1,), into items
    items: np.ndarray  # int32: antecedents of the pool
    label_counts: np.ndarray  # int64 (items + lists, labels): rules and default of each
    log_posterior: np.ndarray  # float64 (lists,), up to the evidence

    def __len__(self) -> int:
        return len(self.log_posterior)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def antecedent_list(self, i: int) -> tuple[int, ...]:
        return tuple(self.items[self.offsets[i] : self.offsets[i + 1]].tolist())

    def counts(self, i: int) -> np.ndarray:
        """N[j, l] of a list, the default rule last."""
        return self.label_counts[self.offsets[i] + i : self.offsets[i + 1] + i + 1]


class Inclusion(dict[str, float]):
    """Inclusion probabilities by antecedent, the likeliest first; a dict that prints well."""

    MOST_SHOWN = 20

    def __repr__(self) -> str:
        shown = list(self.items())[: self.MOST_SHOWN]
        lines = [f"{100 * share:5.1f}%  {show_name(name, 80)}" for name, share in shown]
        if len(self) > len(shown):
            lines.append(f"        and {len(self) - len(shown):,} more")
        return "\n".join(lines) or "{}"

    def _repr_html_(self) -> str:
        from elseif.showing.list_html import inclusion_html  # loaded in notebooks only

        return inclusion_html(self)


class Posterior:
    """Draws from the posterior over antecedent lists, first halves discarded."""

    def __init__(
        self, pool: Pool, metadata: ModelMetadata, chains: Sequence[ChainDraws], distinct: Lists
    ) -> None:
        self.pool = pool
        self.metadata = metadata
        self.chains = tuple(chains)
        self.distinct = distinct

    def __repr__(self) -> str:
        n_chains = len(self.chains)
        return (
            f"Posterior({n_chains} chains of {self.n_draws // n_chains:,} draws, "
            f"{len(self.distinct):,} distinct lists, mean length {self.mean_length:.2f})"
        )

    def _repr_html_(self) -> str:
        from elseif.showing.list_html import posterior_html  # loaded in notebooks only

        return posterior_html(self)

    @property
    def n_draws(self) -> int:
        """Number of kept draws, all chains."""
        return int(sum(chain.n_draws.sum() for chain in self.chains))

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Share of the kept draws at each distinct list."""
        counts = np.zeros(len(self.distinct), dtype=np.int64)
        for chain in self.chains:
            np.add.at(counts, chain.distinct, chain.n_draws)
        return counts / counts.sum()

    @property
    def log_posterior(self) -> np.ndarray:
        """Log posterior of every kept draw, up to a constant: (chains, draws).

        ResourceError where there are more draws than can be written out one by one;
        ``chains`` holds them as runs.
        """
        return self._by_draw(self.distinct.log_posterior)

    @property
    def lengths(self) -> np.ndarray:
        """Length m of every kept draw, all chains one after another.

        ResourceError as for ``log_posterior``.
        """
        return self._by_draw(self.distinct.lengths).ravel()

    def _by_draw(self, values: np.ndarray) -> np.ndarray:
        if self.n_draws > MOST_DRAWS:
            raise ResourceError(
                f"The posterior has {self.n_draws:,} draws, of which at most {MOST_DRAWS:,} are "
                "written out one by one. Use chains, where a list is stored once for as long as "
                "it stayed, or probabilities, its share of the draws."
            )
        return np.stack([np.repeat(values[c.distinct], c.n_draws) for c in self.chains])

    def lists(self) -> pd.DataFrame:
        """The distinct lists: antecedents, share of draws, log posterior; best first."""
        import pandas as pd  # loaded when a table is asked for

        names = self.pool.names
        order = self.best_first
        return pd.DataFrame(
            {
                "antecedents": [
                    tuple(names[a] for a in self.distinct.antecedent_list(i)) for i in order
                ],
                "probability": self.probabilities[order],
                "log_posterior": self.distinct.log_posterior[order],
            }
        )

    @cached_property
    def best_first(self) -> np.ndarray:
        """Distinct lists by log posterior, ties in the order that reads best."""
        order = np.argsort(-self.distinct.log_posterior, kind="stable")
        # ties are exact in theory and differ in the last digits in practice
        tie = max(TIE, TIE_SHARE * float(np.abs(self.distinct.log_posterior).max()))
        rank = np.cumsum(np.diff(self.distinct.log_posterior[order], prepend=np.inf) < -tie)
        tied = np.empty(len(order), dtype=np.int64)
        tied[order] = rank
        # among equals: what captures more, rule by rule; then the order of the pool
        of_equals = np.bincount(rank)[tied] > 1
        reading: np.ndarray = np.zeros(len(order), dtype=np.int64)
        reading[of_equals] = _places_as_read(self.distinct, np.flatnonzero(of_equals))
        return np.lexsort((reading, tied))

    def inclusion(self) -> Inclusion:
        """Probability that an antecedent is in the list, by name; the likeliest first."""
        values = self.inclusion_probabilities
        order = np.lexsort((np.arange(len(values)), -values))
        return Inclusion({self.pool.names[a]: float(values[a]) for a in order})

    @cached_property
    def inclusion_probabilities(self) -> np.ndarray:
        """Inclusion probabilities in the order of the pool."""
        weights = np.repeat(self.probabilities, self.distinct.lengths)
        return np.bincount(self.distinct.items, weights=weights, minlength=len(self.pool))

    @cached_property
    def mean_length(self) -> float:
        """Posterior mean of m; the default rule does not count."""
        return float(self.probabilities @ self.distinct.lengths)

    @cached_property
    def average_cardinalities(self) -> np.ndarray:
        """Average cardinality of each distinct list; NaN for the empty list."""
        lengths = self.distinct.lengths
        totals = np.zeros(len(lengths))
        owners = np.repeat(np.arange(len(lengths)), lengths)
        np.add.at(totals, owners, self.pool.cardinalities[self.distinct.items])
        return np.divide(totals, lengths, out=np.full(len(lengths), np.nan), where=lengths > 0)

    @property
    def mean_average_cardinality(self) -> float:
        """Posterior mean of the average cardinality, over lists that have one."""
        has_one = self.distinct.lengths > 0
        weights = self.probabilities[has_one]
        if not weights.sum():
            return float("nan")
        return float(weights @ self.average_cardinalities[has_one] / weights.sum())

    def plot_lengths(self) -> Figure:
        """The share of the draws at each number of rules, as a matplotlib figure."""
        from elseif.showing.plots import plot_lengths  # loads matplotlib

        return plot_lengths(self)

    def plot_inclusion(self, most: int = 15) -> Figure:
        """The antecedents found most often, as a matplotlib figure."""
        from elseif.showing.plots import plot_inclusion  # loads matplotlib

        return plot_inclusion(self, most)

    def plot_traces(self) -> Figure:
        """Log posterior and length along each chain's kept draws, as a matplotlib figure."""
        from elseif.showing.plots import plot_traces  # loads matplotlib

        return plot_traces(self)

    def rule_list(self, i: int) -> RuleList:
        """A distinct list, by its place in ``distinct``, as a RuleList."""
        return make_rule_list(
            [self.pool[a] for a in self.distinct.antecedent_list(i)],
            self.distinct.counts(i),
            self.metadata,
        )


def _places_as_read(lists: Lists, chosen: np.ndarray) -> np.ndarray:
    """The place of each chosen list among them: by what its rules capture, then by its items."""
    captured = (-lists.label_counts.sum(axis=1)).tolist()
    items, offsets = lists.items.tolist(), lists.offsets.tolist()
    keys = [
        (captured[offsets[i] + i : offsets[i + 1] + i], items[offsets[i] : offsets[i + 1]])
        for i in chosen.tolist()
    ]
    places = np.empty(len(keys), dtype=np.int64)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return places
