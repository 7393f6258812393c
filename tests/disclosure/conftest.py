"""Files that one command wrote of a simulated table, with and without a minimum cell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from elseif.export.formats import FORMATS
from elseif.export.model_file import read_model
from tests.disclosure.attacker import Attacker, embedded
from tests.disclosure.simulated import TABLES, Simulated

CELL = 10
QUICK = ["--n-iter", "1000", "--n-chains", "2", "--max-cardinality", "1", "--quiet", "--force"]


@dataclass(frozen=True)
class Written:
    """A table and the files that two commands made of it: fit, and report with explorer."""

    folder: Path
    simulated: Simulated
    min_cell: int | None

    @cached_property
    def table(self) -> pd.DataFrame:
        return self.simulated.table()

    @property
    def options(self) -> list[str]:
        return [] if self.min_cell is None else ["--min-cell", str(self.min_cell)]

    @property
    def weight(self) -> list[str]:
        return [] if self.simulated.weights is None else ["--weight", "weight"]

    def path(self, name: str) -> Path:
        return self.folder / name

    def write(self) -> None:
        """Run the commands."""
        self.table.to_csv(self.path("table.csv"), index=False)
        table, full = str(self.path("table.csv")), str(self.path("full.json"))
        fit = ["fit", table, "--label", "outcome", *self.weight, *QUICK]
        fit += ["--positive", self.simulated.labels[-1]]
        assert run([*fit, "--model", full]) == 0
        files = {"--model": "model.json", "--calculator": "calculator.html", "--report": "fit.html"}
        named = [part for o, name in files.items() for part in (o, str(self.path(name)))]
        assert run([*fit, *named, *self.options]) == 0
        report = ["report", full, table, *self.weight, "--folds", "2", "--subgroup", "region"]
        pages = ["--out", str(self.path("report.html")), "--explorer", str(self.path("e.html"))]
        assert run([*report, *pages, *self.options, "--quiet", "--force"]) == 0

    def attacker(self, page: str, by_weight: bool = False) -> Attacker:
        """Somebody who knows who is who, and holds nothing yet."""
        labels = embedded(self.path(page))["about"]
        order = sorted(self.simulated.labels)
        codes = np.array([order.index(value) for value in self.table["outcome"]])
        X = self.table.drop(columns=["outcome", "weight"], errors="ignore")
        ones = np.ones(len(X))
        measure = self.table["weight"].to_numpy(float) if by_weight else ones
        unit = 0.5 if by_weight and self.simulated.weights == "halves" else 1.0
        step = labels["rounded_to"]
        return Attacker(X, codes, labels["labels"], CELL, measure, step, unit)

    @cached_property
    def lines(self) -> np.ndarray:
        """The line that each row falls into."""
        X = self.table.drop(columns=["outcome", "weight"], errors="ignore")
        return read_model(self.path("full.json")).rule_list.captured_by(X)

    def probabilities(self) -> list[float]:
        """All probabilities in exports of the full model under the minimum cell."""
        result = []
        for to, how in FORMATS.items():
            # ends of intervals are quantiles, which are no fractions of counts
            if not how.predicts or how.is_binary or "level" in signature(how.write).parameters:
                continue
            out = self.path(f"list.{to}")
            export = ["export", str(self.path("full.json")), "--to", to, "--out", str(out)]
            assert run([*export, *self.options, "--force"]) == 0
            result += [float(p) for p in re.findall(r"\b0\.\d{3,}(?:e-\d+)?", out.read_text())]
        return result


def written(folder: Path, simulated: Simulated, min_cell: int | None) -> Written:
    """The files of one table."""
    files = Written(folder, simulated, min_cell)
    files.write()
    return files


@pytest.fixture(scope="module", params=TABLES, ids=lambda s: f"table {s.seed}")
def rounded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Each simulated table, with a minimum cell."""
    return written(tmp_path_factory.mktemp("rounded"), request.param, CELL)


@pytest.fixture(
    scope="module", params=(TABLES[2], TABLES[4], TABLES[6]), ids=lambda s: f"table {s.seed}"
)
def exact(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Some simulated tables, without a minimum cell."""
    return written(tmp_path_factory.mktemp("exact"), request.param, None)
