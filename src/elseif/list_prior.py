"""The prior over lists that settings ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elseif.antecedents.own_antecedents import read_weights
from elseif.antecedents.pool import Pool
from elseif.model.prior import ListPrior


def list_prior(settings: Mapping[str, Any], pool: Pool, columns: Sequence[str]) -> ListPrior:
    """The prior over lists of a pool that settings ask for."""
    return ListPrior(
        pool.cardinalities,
        float(settings["expected_length"]),
        float(settings["expected_cardinality"]),
        read_weights(settings["antecedent_weights"], pool, columns),
    )
