"""How much memory a large fit takes is said before it is taken."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.antecedents import cover_memory, mining
from elseif.bits.packing import BitLayout
from elseif.cli.main import run
from elseif.errors import LargeDataWarning

NOTES = """\
elseif: note: The packed covers of 2 conditions over 4,000 observations take 0.0 MB of memory.
elseif: note: The packed covers of 3 antecedents over 4,000 observations take 0.0 MB of memory.
"""


@pytest.fixture
def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    made = pd.DataFrame(random.random((4_000, 2)) < 0.5, columns=["a", "b"])
    return made.assign(label=random.random(4_000) < 0.2 + 0.5 * made["a"])


@pytest.mark.fault(
    "57",
    "ten million rows, or a gigabyte of packed covers",
    "a `LargeDataWarning` with rows, conditions or antecedents and memory, before the "
    "memory is allocated",
)
def test_a_large_fit_in_numbers() -> None:
    """Ten million rows and 2,200 antecedents: 2.75 GB, which is 2.56 GiB."""
    starts = np.array([0, 10_000_000 // 64])
    none = np.zeros(1, dtype=np.int64)
    layout = BitLayout(none, starts, none, none, none, n_rows=10_000_000)
    assert cover_memory.bytes_of_covers(2_200, layout) == 2_750_000_000
    said = r"2,200 antecedents over 10,000,000 observations take 2.8 GB of memory\.$"
    with pytest.warns(LargeDataWarning, match=said):
        cover_memory.warn_of_large_covers(2_200, "antecedents", layout)
    with warnings.catch_warnings():  # not of 2 GB, but of so many rows
        warnings.simplefilter("error")
        with pytest.raises(LargeDataWarning):
            cover_memory.warn_of_large_covers(1, "conditions", layout)


def test_a_small_fit_says_nothing(table: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BayesianRuleListClassifier(random_state=0).fit(table[["a", "b"]], table["label"])


def test_before_the_memory_is_taken(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs out of memory knows what for; user's own antecedents as well."""
    monkeypatch.setattr(cover_memory, "LARGE_ROWS", 4_000)

    def full(*_: object) -> None:
        raise MemoryError

    X, y = table[["a", "b"]], table["label"]
    with pytest.warns(LargeDataWarning) as caught:
        BayesianRuleListClassifier(random_state=0).fit(X, y)
    assert [" ".join(str(w.message).split()[4:6]) for w in caught] == [
        "2 conditions",
        "3 antecedents",
    ]
    monkeypatch.setattr(mining, "stack_words", full)
    for antecedents in (None, [[("a", "=", True)]]):
        with pytest.warns(LargeDataWarning), pytest.raises(MemoryError):
            BayesianRuleListClassifier(antecedents=antecedents).fit(X, y)


def test_the_program_says_it(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """One line for each on standard error, unless it is quiet; the folds of a report add none."""
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    fit = ["fit", str(path), "--label", "label", "--report", str(tmp_path / "r.html"), "--force"]
    assert run(fit) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(cover_memory, "LARGE_ROWS", 1_000)
    assert run(fit) == 0
    assert capsys.readouterr().err == NOTES
    assert run([*fit, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
