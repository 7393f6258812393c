"""Posterior: the kept draws of all chains, and their summaries (section 2.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from elseif.antecedents.pool import Pool
from elseif.errors import ResourceError
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.sampler.exact_posterior import ExactPosterior
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
        """The distinct lists of some draws, by position from 0."""
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


class InclusionProbabilities(dict[str, float]):
    """Inclusion probabilities by antecedent, the largest first; a dict that prints well."""

    MOST_SHOWN = 20
    unsteady: frozenset[str] = frozenset()  # whose probability another run may well change
    texts: Mapping[str, str] = MappingProxyType({})  # by name, as people read them

    def text(self, name: str) -> str:
        """An antecedent as people read it."""
        return self.texts.get(name, name)

    def __repr__(self) -> str:
        shown = list(self.items())[: self.MOST_SHOWN]
        marked = any(name in self.unsteady for name, _ in shown)
        lines = []
        for name, share in shown:
            mark = ("~ " if name in self.unsteady else "  ") if marked else ""
            lines.append(f"{100 * share:5.1f}%{mark}  {show_name(self.text(name), 80)}")
        if len(self) > len(shown):
            lines.append(f"        and {len(self) - len(shown):,} more")
        if marked:
            lines.append("~ not yet steady: another run may differ")
        return "\n".join(lines) or "{}"

    def _repr_html_(self) -> str:
        from elseif.showing.list_html import inclusion_html  # loaded in notebooks only

        return inclusion_html(self)


class Posterior:
    """The posterior over antecedent lists: draws and, for small pools, the sum over all lists.

    If ``exact`` is not None, the posterior was summed over all lists of the pool. Log evidence,
    lengths, inclusion probabilities, average cardinality, the probability of a list and predictions
    then come from the sum and do not depend on the seed; the draws are a sample of the lists.

    Parameters
    ----------
    pool : Pool
        The antecedents that lists are made of.
    metadata : ModelMetadata
        Labels, pseudocounts, and kinds and levels of the columns.
    chains : sequence of ChainDraws
        The draws of each chain.
    distinct : Lists
        The distinct lists.
    exact : ExactPosterior, default=None
        Results of the sum over all lists.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> posterior = clf.posterior_
    >>> posterior.n_draws
    12000
    >>> list(posterior.lists().columns)
    ['antecedents', 'probability', 'log_posterior']
    >>> posterior.text(0)
    'age = adult'
    >>> next(iter(posterior.inclusion()))
    'age = adult and sex = male'
    >>> len(posterior.rule_list(0).rules) > 0
    True
    >>> posterior.plot_lengths().savefig("lengths.png")
    >>> posterior.plot_inclusion(most=5).savefig("inclusion.png")
    >>> posterior.plot_traces().savefig("traces.png")
    """

    def __init__(
        self,
        pool: Pool,
        metadata: ModelMetadata,
        chains: Sequence[ChainDraws],
        distinct: Lists,
        exact: ExactPosterior | None = None,
    ) -> None:
        self.pool = pool
        self.metadata = metadata
        self.chains = tuple(chains)
        self.distinct = distinct
        self.exact = exact
        # antecedents of the pool whose inclusion probability is not steady yet
        self.unsteady: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        n_chains = len(self.chains)
        drawn = "chains" if self.exact is None else "sequences"
        return (
            f"Posterior({'' if self.exact is None else 'summed over all lists, '}"
            f"{n_chains} {drawn} of {self.n_draws // n_chains:,} draws, "
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

    @cached_property
    def list_probabilities(self) -> np.ndarray:
        """Posterior probability of each distinct list: exact, or its share of the kept draws.

        Exact ones do not add up to 1 unless every list there is has been drawn.
        """
        if self.exact is None:
            return self.probabilities
        shares: np.ndarray = np.exp(self.distinct.log_posterior - self.log_evidence)
        return shares

    @property
    def log_evidence(self) -> float:
        """log p(y | x), summed over all lists; NaN where only chains ran."""
        return float("nan") if self.exact is None else self.exact.summaries.log_evidence

    @cached_property
    def length_probabilities(self) -> np.ndarray:
        """Posterior probability of each length m from 0: exact, or the share of the kept draws."""
        if self.exact is not None:
            return self.exact.summaries.length_probabilities
        return np.bincount(self.distinct.lengths, weights=self.probabilities)

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
        """The distinct lists drawn, and the most probable list and point estimate of an exact fit.

        Returns
        -------
        DataFrame
            Antecedents, probability and log posterior, the most probable list first. The
            probability is exact where the posterior was summed over all lists, else the share of
            the draws.
        """
        import pandas as pd  # loaded when a table is requested

        names = self.pool.names
        order = self.best_first
        return pd.DataFrame(
            {
                "antecedents": [
                    tuple(names[a] for a in self.distinct.antecedent_list(i)) for i in order
                ],
                "probability": self.list_probabilities[order],
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

    def text(self, antecedent: int) -> str:
        """The text of an antecedent of the pool; antecedents with the same text are numbered.

        Parameters
        ----------
        antecedent : int
            Its place in the pool.

        Returns
        -------
        str
            The text.
        """
        conditions = self.pool[antecedent]
        number = self.pool.names[antecedent][len(conditions.name) :]
        return self.metadata.display.text(conditions) + number

    def inclusion(self) -> InclusionProbabilities:
        """The probability that an antecedent is in the list.

        Returns
        -------
        Inclusion
            A dict by name, the most probable first. Probabilities that another run may well change
            are in its ``unsteady``, and are printed with a mark.
        """
        values = self.inclusion_probabilities
        order = np.lexsort((np.arange(len(values)), -values))
        inclusion = InclusionProbabilities({self.pool.names[a]: float(values[a]) for a in order})
        inclusion.unsteady = frozenset(self.pool.names[a] for a in self.unsteady)
        inclusion.texts = {self.pool.names[a]: self.text(a) for a in order.tolist()}
        return inclusion

    @cached_property
    def inclusion_probabilities(self) -> np.ndarray:
        """Inclusion probabilities in the order of the pool: exact, or shares of the draws."""
        if self.exact is not None:
            return self.exact.summaries.inclusion
        weights = np.repeat(self.probabilities, self.distinct.lengths)
        return np.bincount(self.distinct.items, weights=weights, minlength=len(self.pool))

    @cached_property
    def pool_columns(self) -> set[str]:
        """The columns that lists of the pool may use."""
        return {condition.column for condition in self.pool.conditions}

    @cached_property
    def antecedents_used(self) -> np.ndarray:
        """The antecedents of the drawn lists, in the order of the pool."""
        return np.unique(self.distinct.items)

    @cached_property
    def columns_used(self) -> set[str]:
        """The columns that the drawn lists use."""
        members, _ = self.pool.conditions_of(self.antecedents_used)
        return {self.pool.conditions[c].column for c in np.unique(members)}

    @cached_property
    def mean_length(self) -> float:
        """Posterior mean of m; the default rule does not count."""
        if self.exact is not None:
            return self.exact.summaries.mean_length
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
        if self.exact is not None:
            return self.exact.summaries.mean_average_cardinality
        has_one = self.distinct.lengths > 0
        weights = self.probabilities[has_one]
        if not weights.sum():
            return float("nan")
        return float(weights @ self.average_cardinalities[has_one] / weights.sum())

    def plot_lengths(self) -> Figure:
        """Draw the distribution of the number of rules.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.plots import plot_lengths  # loads matplotlib

        return plot_lengths(self)

    def plot_inclusion(self, most: int = 15) -> Figure:
        """Draw the probabilities that antecedents are in the list.

        Parameters
        ----------
        most : int, default=15
            Largest number of antecedents.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.plots import plot_inclusion  # loads matplotlib

        return plot_inclusion(self, most)

    def plot_traces(self) -> Figure:
        """Draw log posterior and list length along the draws of each chain.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.plots import plot_traces  # loads matplotlib

        return plot_traces(self)

    def rule_list(self, i: int) -> RuleList:
        """One of the distinct lists with its probabilities.

        Parameters
        ----------
        i : int
            Its place in ``distinct``.

        Returns
        -------
        RuleList
            The list.
        """
        return make_rule_list(
            [self.pool[a] for a in self.distinct.antecedent_list(i)],
            self.distinct.counts(i),
            self.metadata,
        )


def _places_as_read(lists: Lists, chosen: np.ndarray) -> np.ndarray:
    """The index of each chosen list: matched by what its rules capture, then by its items."""
    captured = (-lists.label_counts.sum(axis=1)).tolist()
    items, offsets = lists.items.tolist(), lists.offsets.tolist()
    keys = [
        (captured[offsets[i] + i : offsets[i + 1] + i], items[offsets[i] : offsets[i + 1]])
        for i in chosen.tolist()
    ]
    positions = np.empty(len(keys), dtype=np.int64)
    positions[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return positions
