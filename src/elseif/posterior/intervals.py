"""Credible intervals with both uncertainties: about the list, and about each of its lines.

Given a list, the probability of a label for a case has the Beta posterior of the line that captures
the case. Over all lists it is a mixture of these, each with its list's share of the posterior. The
interval is equal-tailed: between two quantiles of the mixture.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np
from scipy.special import betainc

from elseif.model.consequent import beta_quantile
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList, truths_in_turn
from elseif.tables.reading import Table

ACCURACY = 1e-8  # of the ends of an interval
MOST_STEPS = 200  # far more than bisection alone needs
ROWS_AT_ONCE = 256


def list_intervals(rule_list: RuleList, table: Table, level: float) -> np.ndarray:
    """Each label's credible interval by the line of one list: (rows, labels, 2)."""
    by_rule = np.array(
        [[rule.interval(label, level) for label in rule_list.classes] for rule in rule_list]
    )
    return by_rule[rule_list.captured_in(table)]


def mixture_intervals(posterior: Posterior, table: Table, level: float) -> np.ndarray:
    """Each label's credible interval over all lists of a posterior: (rows, labels, 2).

    The ends are quantiles of the mixture, right to 1e-8.
    """
    lines = lines_of(posterior)
    covers, positions = distinct_covers(posterior, table)
    intervals = np.empty((len(covers), posterior.metadata.classes.size, 2))
    for start in range(0, len(covers), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        intervals[some] = lines.intervals(covers[some], level)
    return intervals[positions]


def distinct_covers(posterior: Posterior, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Rows that the lists' antecedents distinguish, as truths of the pool, and each row's index."""
    pool, used = posterior.pool, posterior.antecedents_used
    if not len(used):
        return np.zeros((1, len(pool)), dtype=bool), np.zeros(table.n_rows, dtype=np.int64)
    members, starts = pool.conditions_of(used)
    needed, ids = np.unique(members, return_inverse=True)
    conditions = [pool.conditions[c] for c in needed]
    truths = truths_in_turn(conditions, table, posterior.metadata.kinds)
    bits = np.stack([np.packbits(truth) for truth in truths])
    joined = np.bitwise_and.reduceat(bits[ids], starts, axis=0)
    by_row = np.packbits(np.unpackbits(joined, axis=1, count=table.n_rows).T, axis=1)
    distinct, positions = np.unique(by_row, axis=0, return_inverse=True)
    covers = np.zeros((len(distinct), len(pool)), dtype=bool)
    covers[:, used] = np.unpackbits(distinct, axis=1, count=len(used))
    return covers, positions.ravel()


class Lines:
    """Every line of every list of a posterior; lines of the same counts are one component."""

    def __init__(self, posterior: Posterior) -> None:
        lists, metadata = posterior.distinct, posterior.metadata
        n_lines = len(lists.label_counts)
        self.items = np.full(n_lines, -1)  # antecedents; -1 for default rules
        owners = np.repeat(np.arange(len(lists)), lists.lengths)
        self.items[np.arange(len(lists.items)) + owners] = lists.items
        self.owner = np.repeat(np.arange(len(lists)), lists.lengths + 1)
        self.shares = posterior.probabilities
        counts, self.component = np.unique(lists.label_counts, axis=0, return_inverse=True)
        self.component = self.component.ravel()
        self.alphas = counts * metadata.count_unit + metadata.pseudocounts

    def intervals(self, covers: np.ndarray, level: float) -> np.ndarray:
        """For rows, given by the antecedents that are true of each: (rows, labels, 2)."""
        return self.ends(map(self.mixture, covers), level)

    def ends(self, mixtures: Iterable[np.ndarray], level: float) -> np.ndarray:
        """Ends of the intervals of mixtures, each given by the mass of every component."""
        rows, components, weights = [], [], []
        for row, mass in enumerate(mixtures):
            chosen = np.flatnonzero(mass)
            rows.append(np.full(len(chosen), row))
            components.append(chosen)
            weights.append(mass[chosen])
        where, which = np.concatenate(rows), np.concatenate(components)
        weight = np.concatenate(weights)
        ends = []
        for label in range(self.alphas.shape[1]):
            a, b = self.alphas[:, label], np.delete(self.alphas, label, axis=1).sum(axis=1)
            tails = ((1 - level) / 2, (1 + level) / 2)
            ends.append([_quantiles(where, which, weight, a, b, tail) for tail in tails])
        return np.moveaxis(np.array(ends), 2, 0)

    def mixture(self, cover: np.ndarray) -> np.ndarray:
        """The share of each component for a row: that of the lists whose first true line it is."""
        holds = np.append(cover, True)[self.items]  # default rules, of item -1, always hold
        true = np.flatnonzero(holds)
        is_first = np.diff(self.owner[true], prepend=-1) > 0
        fired = self.component[true[is_first]]
        return np.bincount(fired, weights=self.shares, minlength=len(self.alphas))


_lines: WeakKeyDictionary[Posterior, Lines] = WeakKeyDictionary()


def lines_of(posterior: Posterior) -> Lines:
    """A posterior's lines, which are sorted out once: the rows of a table may come one by one."""
    lines = _lines.get(posterior)
    if lines is None:
        lines = _lines[posterior] = Lines(posterior)
    return lines


def _quantiles(
    where: np.ndarray,
    which: np.ndarray,
    weight: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    share: float,
) -> np.ndarray:
    """A quantile of each row's mixture of Betas, by secants that keep a bracket.

    ``where``, ``which`` and ``weight`` are rows, in order, with their components and shares.
    """
    starts = np.flatnonzero(np.diff(where, prepend=-1))
    used, own = np.unique(which, return_inverse=True)
    single = np.array([beta_quantile(a[u], b[u], share) for u in used])[own]
    # a mixture's quantile lies between those of its components
    low, high = np.minimum.reduceat(single, starts), np.maximum.reduceat(single, starts)
    a, b = a[which], b[which]
    total = np.add.reduceat(weight, starts)

    def excess(x: np.ndarray) -> np.ndarray:
        below: np.ndarray = np.add.reduceat(weight * betainc(a, b, x[where]), starts) / total
        return below - share

    at_low, at_high = excess(low), excess(high)
    for step in range(MOST_STEPS):
        width = high - low
        if (width <= ACCURACY).all():
            break
        slope = at_high - at_low
        part = np.divide(-at_low, slope, out=np.full(len(low), 0.5), where=slope > 0)
        if step % 3 == 2:  # so that no bracket shrinks slowly
            part[:] = 0.5
        # never onto an end, where a secant would stay
        middle = low + width * np.clip(part, 0.01, 0.99)
        at_middle = excess(middle)
        is_above = at_middle >= 0
        high, at_high = np.where(is_above, middle, high), np.where(is_above, at_middle, at_high)
        low, at_low = np.where(is_above, low, middle), np.where(is_above, at_low, at_middle)
    return (low + high) / 2
