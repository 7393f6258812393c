"""A report reads each of its tables once, from Python and from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from elseif.cli.main import run
from elseif.report.explorer import explorer_page
from elseif.report.summary import summarise
from elseif.tables import lazily, reading
from tests.report.reading import fitted, patients

READERS = {reading.read_table.__code__, lazily.read_lazily.__code__}
TAKEN_OUT = {"read_lazily"}  # it calls read_table itself


@contextmanager
def counted_reads() -> Iterator[dict[int, int]]:
    """How often tables of so many rows are read from what is no table yet."""
    reads: dict[int, int] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code not in READERS:
            return
        X = frame.f_locals["X"]
        caller = frame.f_back.f_code.co_name if frame.f_back else ""
        if not isinstance(X, reading.Table) and caller not in TAKEN_OUT:
            reads[len(X)] = reads.get(len(X), 0) + 1

    sys.setprofile(watch)
    try:
        yield reads
    finally:
        sys.setprofile(None)


def test_a_report_reads_its_tables_once() -> None:
    X, y = patients()
    late, classifier = patients(90, seed=4), fitted()
    with counted_reads() as reads:
        summarise(classifier, X, y, folds=2, holdout=late, subgroups=["sex"])
    assert reads[len(X)] == 1
    assert reads[len(late[0])] == 1
    assert reads[len(X) // 2] == 4  # two folds, each to learn from and to predict


def test_an_explorer_reads_its_table_once() -> None:
    X, y = patients()
    classifier = fitted()
    with counted_reads() as reads:
        explorer_page(classifier, X, y, n_lists=3)
    assert reads == {len(X): 1}


def test_the_program_reads_its_tables_once(tmp_path: Path) -> None:
    X, y = patients()
    X.assign(stroke=y).to_csv(tmp_path / "people.csv", index=False)
    table, model = str(tmp_path / "people.csv"), str(tmp_path / "model.json")
    with counted_reads() as reads:
        assert run(["fit", table, "--label", "stroke", "--max-cardinality", "1", "--quiet",
                   "--model", model, "--report", str(tmp_path / "first.html")]) == 0  # fmt: skip
    assert reads[len(X)] == 1
    with counted_reads() as reads:
        assert run(["report", model, table, "--folds", "2", "--quiet", "--out",
                   str(tmp_path / "report.html"), "--explorer", str(tmp_path / "explorer.html")]
                   ) == 0  # fmt: skip
    assert reads[len(X)] == 1
