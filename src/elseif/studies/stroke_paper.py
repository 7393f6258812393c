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
    for name, found in PUBLISHED.items():
        if found.auc is not None and population in found.auc:
            minutes = None if found.minutes is None else found.minutes[population]
            rows[name] = PublishedRow(found.auc[population], minutes)
    return rows
