"""What is said of risks that are too extreme was measured, and is said where rows are few."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from elseif.showing.optimism import MEASURED, few_rows_words, optimism_words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
NAMES = ("fewer than 500 rows", "500 to 1,499 rows", "1,500 rows or more")


@pytest.mark.parametrize(("name", "measured"), list(zip(NAMES, MEASURED, strict=True)))
def test_numbers_are_those_of_the_page(name: str, measured: tuple[float, ...]) -> None:
    line = re.search(
        rf"^\| {name} \| point \| (\d+) \| [\d,]+ lines \| ([\d.]+) % \| \+([\d.]+) ±",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert line is not None
    n_tables, inside, overstatement = (float(text) for text in line.groups())
    assert measured[1:] == (n_tables, overstatement, round(inside))


def test_words_name_every_size() -> None:
    words = optimism_words()
    for measured in MEASURED:
        assert f"{measured.overstatement} p" in words
        assert f"{measured.inside}%" in words
    assert few_rows_words(333) is not None
    assert few_rows_words(334) is None


@pytest.mark.parametrize(
    ("n", "told", "is_said"),
    [(100, [], True), (600, [], False), (100, ["--list", "posterior"], False)],
)
def test_program_says_it_of_lists_from_few_rows(
    n: int, told: list[str], is_said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"smoker": rng.random(n) < 0.4, "old": rng.random(n) < 0.5})
    X["ill"] = rng.random(n) < np.where(X["smoker"], 0.6, 0.2)
    X.to_csv(tmp_path / "people.csv", index=False)
    assert run(["fit", str(tmp_path / "people.csv"), "--label", "ill", "--quiet", *told]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert ("From so few rows, the risks of selected rules are too extreme" in said) == is_said
