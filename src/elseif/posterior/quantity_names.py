"""Readable names of monitored quantities, with rules and lists in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from elseif.posterior.draws import Posterior
from elseif.sampler.convergence import Convergence
from elseif.sampler.quantity import INCLUSION, SHARE, Quantity


def quantity_names(quantities: Iterable[Quantity], posterior: Posterior) -> dict[str, str]:
    """Readable names of the monitored quantities that are about a rule or a list."""
    names = {}
    for quantity in quantities:
        if quantity.level == INCLUSION and 0 <= quantity.index < len(posterior.pool):
            names[quantity.name] = f"inclusion of {posterior.text(quantity.index)}"
        elif quantity.level == SHARE and 0 <= quantity.index < len(posterior.distinct):
            items = posterior.distinct.antecedent_list(quantity.index)
            rules = "; ".join(posterior.text(item) for item in items)
            names[quantity.name] = f"share of the list: {rules or 'no rules'}"
    return names


def named(convergence: Convergence | None, posterior: Posterior | None) -> Convergence | None:
    """The convergence of a sampler with names for the rules and lists that it is about."""
    if convergence is None or posterior is None:
        return convergence
    return replace(convergence, names=quantity_names(convergence.quantities, posterior))
