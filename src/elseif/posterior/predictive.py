"""The posterior predictive: every kept draw's prediction, averaged (section 2.7)."""

from __future__ import annotations

import numpy as np

from elseif.model.consequent import consequent_mean
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import antecedent_truth
from elseif.tables.reading import Table


def predictive_probabilities(posterior: Posterior, table: Table) -> np.ndarray:
    """Probability of each label, averaged over the kept draws of all chains.

    What a rule captures, and its consequent, depend only on the rules up to it, so lists
    that begin alike share that work: the distinct lists are walked as a tree.
    """
    lists, vocabulary = posterior.distinct, posterior.vocabulary
    truth: dict[int, np.ndarray] = {}

    def covered(a: int) -> np.ndarray:
        if a not in truth:
            truth[a] = antecedent_truth(posterior.pool[a], table, vocabulary.kinds)
        return truth[a]

    result = np.zeros((table.n_rows, len(vocabulary.classes)))
    all_lists = [lists.antecedent_list(i) for i in range(len(lists))]
    path: list[int] = []
    left = [np.arange(table.n_rows)]  # rows that the path's rules leave, after each
    captured: list[np.ndarray] = []
    weight: list[float] = []  # share of the draws that pass through each rule of the path
    consequents: list[np.ndarray] = []

    def step_back(length: int) -> None:
        while len(path) > length:
            path.pop()
            left.pop()
            result[captured.pop()] += weight.pop() * consequents.pop()

    for i in sorted(range(len(lists)), key=all_lists.__getitem__):
        antecedent_list = all_lists[i]
        means = consequent_mean(lists.counts(i) * vocabulary.count_unit, vocabulary.pseudocounts)
        shared = 0
        while shared < min(len(path), len(antecedent_list)) and (
            path[shared] == antecedent_list[shared]
        ):
            shared += 1
        step_back(shared)
        for j in range(shared, len(antecedent_list)):
            rows = left[-1]
            hit = covered(antecedent_list[j])[rows]
            path.append(antecedent_list[j])
            captured.append(rows[hit])
            left.append(rows[~hit])
            weight.append(0.0)
            consequents.append(means[j])
        share = float(posterior.probabilities[i])
        for j in range(len(path)):
            weight[j] += share
        result[left[-1]] += share * means[-1]
    step_back(0)
    return result
