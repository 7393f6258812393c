"""What is sent to a shard: its observations, and the requests of chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# requests of a chain: to bring a shard to its lists, and to count its proposals
LOAD, STEP = "load", "step"


@dataclass(frozen=True, eq=False)
class ShardRows:
    """Patterns of conditions, each with its label and how much it counts, in ascending order."""

    keys: np.ndarray  # int64 (patterns, numbers): a bit for each condition
    codes: np.ndarray  # int64 (patterns,): labels
    weights: np.ndarray  # int64 (patterns,): whole numbers of units
    n_labels: int
