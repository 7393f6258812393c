"""Twelve tables of people: small and large, rare outcomes, weights, several labels, rare levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Simulated:
    """How a table is drawn."""

    seed: int
    n: int
    share: float = 0.3  # of people with the outcome
    labels: tuple[str, ...] = ("no", "yes")
    weights: str | None = None
    missing: float = 0.0

    def table(self) -> pd.DataFrame:
        """Columns of every kind, the label "outcome" and, where there are any, "weight"."""
        rng = np.random.default_rng(self.seed)
        n = self.n
        regions = ["north", "south", "west", "east", "islands", "abroad"]
        X = pd.DataFrame(
            {
                "age": rng.normal(60, 15, n).round(),
                "sex": rng.choice(["female", "male"], n),
                "diabetes": rng.random(n) < 0.25,
                "smoker": rng.random(n) < 0.4,
                "region": rng.choice(regions, n, p=[0.34, 0.3, 0.2, 0.12, 0.025, 0.015]),
                "pressure": rng.normal(130, 20, n).round(),
            }
        )
        X.loc[rng.random(n) < self.missing, "pressure"] = np.nan
        risk = self.share * np.exp(0.9 * X["diabetes"] + 0.02 * (X["age"] - 60))
        draw = rng.random(n)
        outcome = np.where(draw < risk, self.labels[-1], self.labels[0])
        if len(self.labels) == 3:
            outcome = np.where((draw > 0.8) & (draw > risk), self.labels[1], outcome)
        X["outcome"] = outcome
        if self.weights == "whole":
            X["weight"] = rng.integers(1, 4, n)
        if self.weights == "halves":
            X["weight"] = rng.integers(1, 5, n) / 2
        return X


TABLES = (
    Simulated(1, 90),
    Simulated(2, 150, 0.15),
    Simulated(3, 240, 0.3, missing=0.05),
    Simulated(4, 400, 0.05),
    Simulated(5, 400, 0.3, weights="whole"),
    Simulated(6, 500, 0.2, ("mild", "moderate", "severe")),
    Simulated(7, 700, 0.03, missing=0.02),
    Simulated(8, 900, 0.4, weights="halves"),
    Simulated(9, 1200, 0.1, ("mild", "moderate", "severe"), missing=0.01),
    Simulated(10, 1761, 0.3),
    Simulated(11, 2500, 0.02),
    Simulated(12, 4000, 0.1, missing=0.1),
)
