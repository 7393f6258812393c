"""The prior over lists, from the settings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from elseif.antecedents.own_antecedents import read_weights
from elseif.antecedents.pool import Pool
from elseif.model.prior import ListPrior


def list_prior(settings: Mapping[str, Any], pool: Pool, columns: Sequence[str]) -> ListPrior:
    """The prior over lists of a pool, from the settings."""
    return ListPrior(
        pool.cardinalities,
        float(settings["expected_length"]),
        float(settings["expected_cardinality"]),
        read_weights(settings["antecedent_weights"], pool, columns),
    )


def warn_of_long_prior(expected_length: float | str, pool: Pool) -> None:
    """Warn if more rules are expected than there are antecedents; such values are never learnt."""
    if not isinstance(expected_length, str) and expected_length > len(pool) > 0:
        warnings.warn(
            f"expected_length={expected_length} is more than the {len(pool)} antecedents "
            "of the pool; the prior then favours the longest lists.",
            UserWarning,
            stacklevel=3,
        )
