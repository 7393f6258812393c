"""What a study keeps of each fit: whole or not at all, and of one run alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from elseif.errors import ResourceError
from elseif.evaluation import FitKey
from elseif.evaluation.contenders import FoldResult, Scores
from elseif.studies.kept_results import FileKeeper

KEY = FitKey("women", "l1 logistic regression", 1, "ab" * 32)
RESULT = FoldResult(
    {"l1": Scores(np.array([0.1, 2 / 3]), np.array([0.2, 0.8]))},
    1.25,
    1.0,
    ("careful",),
    {"a": [1]},
)


def test_there_and_back(tmp_path: Path) -> None:
    """Every bit of a score survives, in a file that tells what it is."""
    keeper = FileKeeper(tmp_path / "kept")
    assert keeper.read(KEY) is None
    keeper.write(KEY, RESULT)
    result = keeper.read(KEY)
    assert result is not None
    assert result.to_dict() == RESULT.to_dict()
    path = keeper.path(KEY)
    assert path.relative_to(tmp_path).parts[:2] == ("kept", "women")
    assert path.name == "l1-logistic-regression-fold-2-abababababababab.json"
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    other = tmp_path / "kept" / "women" / "my-fold-notes.json"
    other.touch()
    keeper.forget()
    assert keeper.read(KEY) is None
    assert other.exists()


def test_any_damage_is_found(tmp_path: Path) -> None:
    """Cut anywhere, or with any digit or letter changed, the file counts as absent, with a note."""
    notes: list[str] = []
    keeper = FileKeeper(tmp_path, note=notes.append)
    keeper.write(KEY, RESULT)
    path = keeper.path(KEY)
    whole = path.read_bytes()
    damaged = [whole[:k] for k in range(0, len(whole), 7)]
    damaged += [
        whole[:k] + (b"7" if whole[k : k + 1] != b"7" else b"8") + whole[k + 1 :]
        for k in range(0, len(whole), 5)
    ]
    damaged += [b"[]", b"null", b"\xff", b"[" * 5000, b'{"sha256": 1}']
    for content in damaged:
        path.write_bytes(content)
        assert keeper.read(KEY) is None, content
    assert len(notes) == len(damaged)
    assert set(notes) == {f"{path} is damaged: computed again."}
    keeper.write(KEY, RESULT)
    assert path.read_bytes() == whole


def test_another_fingerprint_is_another_file(tmp_path: Path) -> None:
    """And a file under another's name is not believed."""
    keeper = FileKeeper(tmp_path)
    keeper.write(KEY, RESULT)
    other = replace(KEY, fingerprint="cd" * 32)
    assert keeper.read(other) is None
    keeper.path(other).write_bytes(keeper.path(KEY).read_bytes())
    assert keeper.read(other) is None
    near = replace(KEY, fingerprint=KEY.fingerprint[:16] + "0" * 48)
    assert keeper.path(near) == keeper.path(KEY)
    assert keeper.read(near) is None


def test_what_cannot_be_read_or_made(tmp_path: Path) -> None:
    notes: list[str] = []
    keeper = FileKeeper(tmp_path, note=notes.append)
    keeper.path(KEY).mkdir(parents=True)
    assert keeper.read(KEY) is None
    assert "cannot be read" in notes[0]
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError, match="it is a file"):
        FileKeeper(tmp_path / "file").write(KEY, RESULT)


def test_no_number_is_no_json(tmp_path: Path) -> None:
    """What is kept is JSON that any program reads."""
    keeper = FileKeeper(tmp_path)
    keeper.write(KEY, RESULT)
    content = json.loads(keeper.path(KEY).read_text("utf-8"), parse_constant=pytest.fail)
    assert content["fold"] == 2
    with pytest.raises(ValueError, match="JSON"):
        keeper.write(KEY, replace(RESULT, seconds=float("nan")))
