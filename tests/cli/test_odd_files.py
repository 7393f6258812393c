"""Cells that a spreadsheet would run, and files that are none."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from elseif.cli.csv_text import csv_text, harmless
from elseif.errors import DataError
from elseif.tables.parquet import ParquetTable
from elseif.tables.text_files import read_file
from tests.cli.conftest import QUICK, Run

FORMULAS = (
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\n", "\x0b=1", "\x00=1",
    "＝1+1", "＋1", "－1", "＠SUM(A1)", "﹦1", "−1", "\ufeff=1", "\u200b\u200e=1", "\ufeff\n=1",
)  # fmt: skip
TEXTS = ("", "a", "a=1", "1", "(20, 40]", "\ufeffa", "ä", "'=1", "0", "≥1", "\u200b")


@pytest.mark.fault(
    "28",
    "predictions as CSV: text that begins with a formula character of any width, a "
    "control character or a line feed",
    "a leading quote; numbers are unchanged",
)
@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_a_quote(text: str) -> None:
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_formula_stays(text: str) -> None:
    assert harmless(text) == text
    assert harmless(-1.5) == -1.5


def test_every_cell_comes_back() -> None:
    """Line ends of all kinds stay within their cells."""
    cells = [*FORMULAS, *TEXTS, "a\rb", "a\r\nb", "a\nb", 'a"b', "a,b", "a;b"]
    text = csv_text({"na\rme": cells, "=name": range(len(cells))})
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["na\rme", "'=name"]
    assert [row[0] for row in rows[1:]] == [harmless(cell) for cell in cells]
    assert [row[1] for row in rows[1:]] == [str(i) for i in range(len(cells))]


def test_labels_that_are_formulas(elseif: Run, tmp_path: Path) -> None:
    """From a table to predictions, through the program."""
    labels = ["\n=cmd|' /C calc'!A0", "＝1+1", "plain\rtext"]
    table = tmp_path / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["size", "label"])
        writer.writerows([i % 30, labels[i % 30 // 10]] for i in range(300))
    model = tmp_path / "model.json"
    ended = elseif("fit", table, "--label", "label", "--model", model, *QUICK)
    assert ended.code == 0, ended.err
    ended = elseif("predict", model, table)
    rows = list(csv.reader(io.StringIO(ended.out, newline="")))
    assert len(rows) == 301
    assert all(len(row) == len(rows[0]) for row in rows)
    index = rows[0].index("predicted")
    assert {row[index] for row in rows[1:]} == {f"'{labels[0]}", f"'{labels[1]}", labels[2]}


@pytest.mark.parametrize("name", ["table.csv", "table.tsv", "table.parquet"])
def test_a_pipe_is_no_table(elseif: Run, name: str, tmp_path: Path) -> None:
    """It is refused before anybody waits for what may never come."""
    pipe = tmp_path / name
    os.mkfifo(pipe)
    ended = elseif("fit", pipe, "--label", "label")
    assert ended.code == 3
    assert "not a regular file but a pipe" in ended.err
    with pytest.raises(DataError, match="not a regular file"):
        read_file(pipe)
    with pytest.raises(DataError, match="not a regular file"):
        ParquetTable(pipe)
