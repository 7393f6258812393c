"""The walks in docs/design.md are those that real runs take."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import elseif
from elseif.cli.main import run
from tests.report.reading import classifier, patients

SOURCE = Path(elseif.__file__).parent
DESIGN = SOURCE.parents[1] / "docs" / "design.md"
ROW = re.compile(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \| .+ \|$", re.MULTILINE)


def walks() -> dict[str, list[tuple[str, str]]]:
    """Function and file of every hop, by walk."""
    text = DESIGN.read_text("utf-8")
    section = text[text.index("## Three walks") : text.index("## Data structures")]
    _, *parts = re.split(r"^### `(.+)`$", section, flags=re.MULTILINE)
    return {name: ROW.findall(rows) for name, rows in zip(parts[::2], parts[1::2], strict=True)}


WALKS = walks()


def test_there_are_three_walks() -> None:
    assert list(WALKS) == ["fit", "report", "study stroke"]
    for hops in WALKS.values():
        assert len(hops) > 10
        assert len(set(hops)) == len(hops)  # each once


@pytest.mark.parametrize("walk", WALKS)
def test_every_hop_is_there(walk: str) -> None:
    for name, file in WALKS[walk]:
        tree: Any = ast.parse((SOURCE / file).read_text("utf-8"))
        for part in name.split("."):
            kinds = (ast.FunctionDef, ast.ClassDef)
            named = [n for n in tree.body if isinstance(n, kinds) and n.name == part]
            assert named, f"{file} has no {name}"
            tree = named[0]


def hops_of(walk: str, go: Callable[[], Any]) -> list[tuple[str, str]]:
    """The hops of a walk in the order in which a run comes to them first."""
    by_place = {(str(SOURCE / file), name): (name, file) for name, file in WALKS[walk]}
    taken: dict[tuple[str, str], None] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            code = frame.f_code
            hop = by_place.get((code.co_filename, code.co_qualname))
            if hop is not None:
                taken.setdefault(hop)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        go()
    finally:
        sys.setprofile(before)
    return list(taken)


def test_the_walk_of_fit() -> None:
    X, y = patients()
    assert hops_of("fit", lambda: classifier().fit(X, y)) == WALKS["fit"]


def test_the_walk_of_report(tmp_path: Path) -> None:
    X, y = patients()
    table, model = tmp_path / "people.csv", tmp_path / "model.json"
    X.assign(stroke=y).to_csv(table, index=False)
    elseif.save_model(classifier().fit(X, y), model)
    command = ["report", str(model), str(table), "--label", "stroke", "--folds", "2", "--quiet"]
    went = hops_of("report", lambda: run([*command, "--out", str(tmp_path / "report.html")]))
    assert went == WALKS["report"]


@pytest.mark.slow
def test_the_walk_of_the_stroke_study(tmp_path: Path) -> None:
    command = ["study", "stroke", "--out", str(tmp_path / "stroke"), "--patients", "300"]
    options = ["--folds", "2", "--only", "BRL,CHADS2", "--jobs", "1", "--quiet"]
    went = hops_of("study stroke", lambda: run([*command, *options]))
    assert went == WALKS["study stroke"]


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    script = DESIGN.parents[1] / "scripts" / "draw_rooms.py"
    drawn = subprocess.run([sys.executable, script, "--check"], check=False)
    assert drawn.returncode == 0, "run python scripts/draw_rooms.py"
