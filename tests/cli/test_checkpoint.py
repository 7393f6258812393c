"""elseif fit --checkpoint: what a signal ends, the same command continues."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from elseif.cli.main import run
from tests.cli.program import end_by
from tests.tables.fitting import random_frame


@pytest.fixture
def table(tmp_path: Path) -> Path:
    X, y = random_frame(n_rows=600, n_columns=12)
    path = tmp_path / "t.csv"
    X.assign(y=y).to_csv(path, index=False)
    return path


def command(table: Path, model: Path, *more: Any) -> list[str]:
    how = ["--kernel", "tempered", "--n-iter", "250000", "--n-chains", "2", "--quiet"]
    return ["fit", str(table), "--label", "y", "--model", str(model), *how, *map(str, more)]


def drawn(model: Path) -> tuple[Any, ...]:
    """What a model file holds of its draws and list, without its date."""
    document = json.loads(model.read_text())
    return document["posterior"], document["rule_list"], document["settings"]


@pytest.mark.fault(50, "Ctrl-C and SIGTERM during `elseif fit --checkpoint`",
                   "a line that says how to continue; exit codes 130 and 143")  # fmt: skip
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_the_same_command_continues(
    number: signal.Signals,
    code: int,
    table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, model, plain = tmp_path / "kept", tmp_path / "m.json", tmp_path / "plain.json"
    printed = command(table, model, "--checkpoint", folder)

    def until_there_is_one() -> None:
        for _ in range(6_000):
            if any(folder.glob("*.checkpoint")):
                return
            time.sleep(0.01)

    result, lines = end_by(number, printed, until_there_is_one)
    assert result == code, lines
    if number != signal.SIGKILL:
        assert lines[-1].endswith(f"the same command continues from {folder}")
    assert any(folder.glob("*.checkpoint"))
    assert run(printed) == 0
    went_on = f"note: the fit was resumed from the checkpoints in {folder}, which are now removed."
    assert went_on in capsys.readouterr().err
    assert not folder.exists(), "what is written to the model need not be kept twice"
    assert run(command(table, plain)) == 0
    assert drawn(model) == drawn(plain)


def test_removed_checkpoints_are_told_of(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of an exact sum there are none, and nothing is said."""
    folder = tmp_path / "kept"
    command = ["fit", str(table), "--label", "y", "--checkpoint", str(folder), "--quiet"]
    assert run([*command, "--kernel", "tempered", "--n-iter", "20000", "--n-chains", "2"]) == 0
    said = f"note: the fit is complete; its checkpoints in {folder} are removed."
    assert said in capsys.readouterr().err
    assert (
        run([*command, "--kernel", "exact", "--max-cardinality", "1", "--min-support", "0.45"]) == 0
    )
    assert "checkpoint" not in capsys.readouterr().err


def test_a_folder_of_another_fit(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line, and the code of a wrong option."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.txt").write_text("a")
    assert run(command(table, tmp_path / "m.json", "--checkpoint", tmp_path / "rows")) == 2
    assert "contains files other than checkpoints" in capsys.readouterr().err


def quick(table: Path, folder: Path) -> int:
    """Fit for a moment, with checkpoints."""
    how = ["--kernel", "tempered", "--n-iter", "2000", "--n-chains", "2", "--quiet"]
    return run(["fit", str(table), "--label", "y", "--checkpoint", str(folder), *how])


def test_a_folder_by_a_link(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its checkpoints are removed; the link, which is none, stays."""
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert quick(table, tmp_path / "link") == 0
    assert not any((tmp_path / "real").iterdir())
    assert f"its checkpoints in {tmp_path / 'link'} are removed" in capsys.readouterr().err


def test_what_is_no_checkpoint_is_not_resumed(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finished fit does not fail for what cannot be removed, and says what is true."""
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    (folder / "fit-chain-0.a.checkpoint").write_bytes(b"no checkpoint")
    assert quick(table, folder) == 0
    said = capsys.readouterr().err
    assert "is damaged" in said
    assert "resumed" not in said
    assert f"its checkpoints in {folder} are removed" in said
    (folder / "fit-chain-0.a.checkpoint" / "inside").mkdir(parents=True, mode=0o700)
    assert quick(table, folder) == 0
    assert f"note: the checkpoints in {folder} could not all be removed" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["fit-chain-0.a.checkpoint"]
