"""Would other data have given another list? What the folds' lists have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from elseif.posterior.rule_list import RuleList


@dataclass(frozen=True)
class Stability:
    """How far lists learnt from different folds agree."""

    n_lists: int
    rules: tuple[tuple[str, int], ...]  # each rule's conditions, and in how many lists
    conditions: tuple[tuple[str, int], ...]
    columns: tuple[tuple[str, int], ...]
    lengths: tuple[int, ...]
    rule_agreement: float  # mean over pairs of lists of shared rules / all their rules
    column_agreement: float  # the same of columns
    mean_risk_difference: float  # mean over pairs and observations of |risk - other's risk|


def stability(lists: Sequence[RuleList], table: Any, position: int) -> Stability:
    """Rules, conditions and columns by number of lists, and agreement of pairs of lists.

    Risks of one label are compared for all observations of the table.
    """
    words = [rule_list.metadata.display for rule_list in lists]
    worded = list(zip(lists, words, strict=True))
    rules = [{word.text(a) for a in each.antecedents} for each, word in worded]
    conditions = [{word.condition(c) for a in each.antecedents for c in a} for each, word in worded]
    columns = [
        {word.column(n) for a in each.antecedents for n in a.columns} for each, word in worded
    ]
    risks = [rule_list.predict_proba(table)[:, position] for rule_list in lists]
    return Stability(
        len(lists),
        most_common(rules),
        most_common(conditions),
        most_common(columns),
        tuple(len(rule_list) for rule_list in lists),
        agreement(rules),
        agreement(columns),
        _mean([float(np.abs(a - b).mean()) for a, b in combinations(risks, 2)]),
    )


def shared(first: set[str], second: set[str]) -> float:
    """Jaccard's index: the share of two sets' elements that are in both; 1 of two empty sets."""
    either = first | second
    return len(first & second) / len(either) if either else 1.0


def agreement(sets: Sequence[set[str]]) -> float:
    """How similar sets are: the mean Jaccard similarity over all pairs.

    Parameters
    ----------
    sets : sequence of sets
        For instance the antecedents of the lists of several folds.

    Returns
    -------
    float
        From 0 to 1; NaN for fewer than two sets.

    Examples
    --------
    >>> from elseif.evaluation import agreement
    >>> agreement([{"age > 60", "smoker"}, {"age > 60"}])
    0.5
    """
    return _mean([shared(a, b) for a, b in combinations(sets, 2)])


def most_common(sets: Sequence[set[str]]) -> tuple[tuple[str, int], ...]:
    """Count in how many sets each element is.

    Parameters
    ----------
    sets : sequence of sets
        For instance the antecedents of the lists of several folds.

    Returns
    -------
    tuple of (str, int)
        Elements and counts, the most common first.

    Examples
    --------
    >>> from elseif.evaluation import most_common
    >>> most_common([{"age > 60", "smoker"}, {"age > 60"}])
    (('age > 60', 2), ('smoker', 1))
    """
    counts = Counter(name for names in sets for name in names)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
