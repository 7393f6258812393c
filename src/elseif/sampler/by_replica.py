"""Effective draws and R-hat, with the draws from one replica as one group.

A tempered chain can appear to move between two modes while each of its replicas stays in its own
mode, and swaps merely change which replica is at the lowest temperature. The share of a mode is
then the share of replicas that happen to be in it, however long the run and however well the chains
agree. Grouping the draws by replica reveals this: the group means differ as much as the modes do.
"""

from __future__ import annotations

import numpy as np


def by_replica(values: np.ndarray, list_of_draw: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Effective draws and R-hat of each quantity, by replica: (2, quantities).

    The variance of the mean is that of a sample of clusters, the replicas (linearised ratio
    estimator), so it holds whatever the dependence between the draws of one replica. If replicas
    never leave their modes, there are as many effective draws as replicas. ``values`` has every
    quantity at every list; ``list_of_draw`` and ``groups`` have the list and the replica of each
    draw, with replicas numbered over all chains.
    """
    n_lists, n_groups = len(values), int(groups.max()) + 1
    table = np.bincount((groups * n_lists + list_of_draw).ravel(), minlength=n_groups * n_lists)
    table = table.reshape(n_groups, n_lists)
    sizes, n_draws = table.sum(axis=1), list_of_draw.size
    met = sizes > 0
    n_met = int(met.sum())
    centred = values - table.sum(axis=0) @ values / n_draws
    variance = table.sum(axis=0) @ centred**2 / n_draws
    totals = (table @ centred)[met]
    ess, r_hat = np.full((2, values.shape[1]), np.nan)
    if n_met < 2:
        return np.stack([ess, r_hat])
    of_mean = n_met / (n_met - 1) * (totals**2).sum(axis=0) / n_draws**2
    between = (totals**2 / sizes[met][:, None]).sum(axis=0) / n_draws
    with np.errstate(divide="ignore", invalid="ignore"):
        ess = np.minimum(variance / of_mean, n_draws)
        r_hat = np.sqrt(variance / np.maximum(variance - between, 0.0))
    return np.stack([ess, r_hat])
