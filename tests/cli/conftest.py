"""Real files for the program: the Titanic as CSV, a small model of it, a mixed table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from elseif.datasets import load_titanic

QUICK = ["--n-iter", "2000", "--quiet"]


@dataclass(frozen=True)
class Ended:
    """How a run of the program ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def elseif(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The program in this process, with its exit code and what it wrote."""

    def call(*arguments: object) -> Ended:
        capfdbinary.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Ended(code, out.decode(), err.decode())

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with titanic.csv, .tsv and .parquet, mixed.csv, and models of both."""
    folder = tmp_path_factory.mktemp("tables")
    X, y = load_titanic("paper")
    titanic = X.assign(survival=y)
    titanic.to_csv(folder / "titanic.csv", index=False)
    titanic.to_csv(folder / "titanic.tsv", index=False, sep="\t")
    titanic.to_parquet(folder / "titanic.parquet")
    titanic.drop(columns="survival").head(5).to_csv(folder / "unlabelled.csv", index=False)
    titanic.head(0).to_csv(folder / "no-rows.csv", index=False)
    titanic.iloc[::2].to_csv(folder / "half.csv", index=False)
    (folder / "nothing.csv").write_text("")
    mixed().to_csv(folder / "mixed.csv", index=False)
    fit = ["fit", str(folder / "titanic.csv"), "--label", "survival", "--positive", "survived"]
    assert run([*fit, "--model", str(folder / "titanic.json"), *QUICK]) == 0
    model = (folder / "titanic.json").read_text()
    (folder / "cut.json").write_text(model[: len(model) // 2])
    newer = model.replace('"format_version": 1', '"format_version": 99', 1)
    assert newer != model
    (folder / "newer.json").write_text(newer)
    (folder / "empty").mkdir()
    mixed_fit = ["fit", str(folder / "mixed.csv"), "--label", "grade", "--weight", "weight"]
    mixed_fit += ["--kinds", "ward=category", "--positive", "=dead", "--drop", "id"]
    assert run([*mixed_fit, "--model", str(folder / "mixed.json"), *QUICK]) == 0
    return folder


def mixed(n: int = 300) -> pd.DataFrame:
    """Numbers, truths, codes, texts, dates, missing values, three labels, weights."""
    random = np.random.default_rng(0)
    age = random.integers(20, 95, n).astype(float)
    smoker, ward = random.random(n) < 0.3, random.choice(["1", "2", "3"], n)
    risk = age / 50 + 1.2 * smoker + (ward == "1") + random.normal(0, 0.7, n)
    age[::19] = np.nan
    days = pd.to_timedelta(random.integers(0, 900, n), "D")
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": age,
            "smoker": smoker,
            "ward": ward,
            "region": random.choice(["north", "south", "=1+1"], n),
            "admitted": pd.Timestamp("2020-01-01") + days,
            "weight": random.choice([0.5, 1, 2], n),
            "grade": np.select([risk < 1.2, risk < 2.2], ["well", "ill"], "=dead"),
        }
    )
