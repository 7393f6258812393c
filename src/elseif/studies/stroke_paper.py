"""The paper's published figures on stroke, tables 2 and 3, which are of another database."""

from __future__ import annotations

from dataclasses import dataclass

from elseif.evaluation import PUBLISHED, Figure

DATABASE = "MarketScan Medicaid"


@dataclass(frozen=True)
class PublishedRow:
    """A row of the paper's tables."""

    auc: Figure
    minutes: Figure | None  # of training; None: no training


def published_rows(population: str) -> dict[str, PublishedRow]:
    """The rows of a population in the paper's order; no rows of one that it does not have."""
    rows = {}
    for name, published in PUBLISHED.items():
        if published.auc is not None and population in published.auc:
            minutes = None if published.minutes is None else published.minutes[population]
            rows[name] = PublishedRow(published.auc[population], minutes)
    return rows
