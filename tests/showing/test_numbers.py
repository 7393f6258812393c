"""Probabilities, counts and heads of lines are written by one rule, in Python and in pages."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from elseif.showing.line_heads import line_head
from elseif.showing.numbers import count_text, decimals_for, numbers_alike, percent
from elseif.showing.probability_axis import percent_tick, probability_end

SHARES = [
    0.0, 1.0, 0.5, 0.125, 0.375, 0.005, 0.0049, 0.0095, 0.0094999, 0.00001, 1e-12, 0.9905, 0.9951,
    0.99999, 1 - 1e-12, 0.00125, 0.00375, 0.0625, 0.15625, 0.995, 0.0005, 0.9995, 0.015, 0.025,
]  # fmt: skip
COUNTS = [0, 1, 999, 1000, 12345.0, 1234567, 0.5, 0.125, 0.375, 2.5, 1234.565, 1e6 + 0.25, 999.995]


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.0, 0, "0%"),
        (1.0, 0, "100%"),
        (0.005, 0, "0.5%"),
        (0.004, 0, "0.4%"),
        (0.0095, 0, "1%"),
        (0.0001, 0, "<0.1%"),
        (0.0001, 1, "<0.1%"),
        (0.0001, 2, "0.01%"),
        (0.000001, 3, "<0.001%"),
        (0.996, 0, "99.6%"),
        (0.99999, 0, ">99.9%"),
        (0.124, 0, "12%"),
        (0.124, 1, "12.4%"),
        (-0.3, 1, "-30.0%"),
    ],
)
def test_percentages(share: float, decimals: int, text: str) -> None:
    assert percent(share, decimals) == text


def test_nothing_between_reads_as_never_or_always() -> None:
    for share in np.random.default_rng(0).random(2000) ** 6:
        for decimals in range(4):
            for each in {share, 1 - share} - {0.0, 1.0}:
                assert float(percent(each, decimals).rstrip("%").lstrip("<>")) not in (0, 100)


@pytest.mark.parametrize(
    ("narrowest", "decimals"), [(1.0, 0), (0.02, 0), (0.019, 1), (0.002, 1), (0.001, 2), (0, 3)]
)
def test_narrow_intervals_have_more_decimals(narrowest: float, decimals: int) -> None:
    assert decimals_for(narrowest) == decimals


def test_counts_and_heads() -> None:
    assert [count_text(n) for n in (1234567.0, 0.5, 12)] == ["1,234,567", "0.50", "12"]
    assert [line_head(j, 3) for j in range(4)] == ["if", "else if", "else if", "else"]
    assert [line_head(j, 1) for j in range(2)] == ["if", "else"]
    assert line_head(0, 0) == "always"


def test_axes_of_probabilities() -> None:
    assert [probability_end(p) for p in (0.001, 0.05, 0.051, 0.11, 0.45, 0.81, 1.0)] == [
        0.01, 0.05, 0.06, 0.15, 0.5, 1.0, 1.0,
    ]  # fmt: skip
    assert [percent_tick(p) for p in (0.0, 0.05, 0.025, 0.3, 1.0)] == [
        "0%", "5%", "2.5%", "30%", "100%",
    ]  # fmt: skip


def test_pages_write_the_same() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here")
    random = np.random.default_rng(1).random(3000)
    shares = [*SHARES, *random.tolist(), *(random**8).tolist(), *(1 - random**8).tolist()]
    counts = [*COUNTS, *(random * 1e6).tolist(), *(random * 10_000).round().tolist()]
    asked: dict[str, Any] = {"shares": shares, "counts": counts}
    script = files("elseif.report").joinpath("templates", "numbers.js").read_text("utf-8")
    script += f"""
    const asked = {json.dumps(asked)};
    console.log(JSON.stringify({{
      percents: asked.shares.map((p) => [0, 1, 2, 3].map((d) => percentText(p, d))),
      decimals: asked.shares.map(decimalsFor),
      counts: asked.counts.map(countText),
      ends: asked.shares.map(probabilityEnd),
      ticks: asked.shares.map((p) => percentTick(probabilityEnd(p))),
      heads: [0, 1, 2, 3].map((n) => [...Array(n + 1).keys()].map((j) => lineHead(j, n))),
    }}));"""
    ran = subprocess.run([node], input=script.encode(), capture_output=True, check=True)
    answer = json.loads(ran.stdout)
    assert answer["percents"] == [[percent(p, d) for d in range(4)] for p in shares]
    assert answer["decimals"] == [decimals_for(p) for p in shares]
    assert answer["counts"] == [count_text(n) for n in counts]
    ends = [probability_end(p) for p in shares]
    assert answer["ends"] == ends
    assert answer["ticks"] == [percent_tick(end) for end in ends]
    assert answer["heads"] == [[line_head(j, n) for j in range(n + 1)] for n in range(4)]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([37.0, 36.5, 37.5], ["37.0", "36.5", "37.5"]),
        ([1.21, 0.87, 1.7], ["1.21", "0.87", "1.70"]),
        ([5440.3, 3199.85, 9486.05], ["5440", "3200", "9486"]),
        ([0.0123, 12.0, 4500.0], ["0.01", "12.00", "4500.00"]),
        ([-179_114.2, 226.854, 887_909.0], ["−179,114", "227", "887,909"]),
        ([1.00108e-05, 1.2e-05, -1e-05], ["1.001e-05", "1.2e-05", "−1e-05"]),
        ([0.0, 1.0, 2.0], ["0", "1", "2"]),
        ([], []),
        ([np.inf, 1.5], ["inf", "1.5"]),
    ],
)
def test_numbers_of_one_column_have_the_same_decimals(
    values: list[float], texts: list[str]
) -> None:
    assert numbers_alike(values) == texts
