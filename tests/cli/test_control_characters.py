"""Text of a table or a model file that is a command to a terminal is shown, never sent."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.cli.main import run
from elseif.errors import ModelFileError
from tests.cli.program import PROGRAM
from tests.export.forgeries import sealed

EVIL = "\x1b[2J\x1b]0;owned\x07\u202eevil\x9b31m\r"


def has_commands(text: str) -> bool:
    """Whether a text moves the cursor, rings, colours or turns the reading direction."""
    return any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n" for c in text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a model, both full of such texts, in a folder of such a name."""
    made = tmp_path_factory.mktemp("texts") / f"folder {EVIL}"
    made.mkdir()
    a = [k % 2 for k in range(80)]
    frame = pd.DataFrame(
        {
            f"{EVIL}a": [f"{EVIL}{v}" for v in a],
            f"{EVIL}b": [k % 5 for k in range(80)],
            f"{EVIL}constant": [1] * 80,
        }
    )
    y = pd.Series([f"{EVIL}{v}" if k % 9 else f"{EVIL}0" for k, v in enumerate(a)], name=f"y{EVIL}")
    frame.assign(**{f"y{EVIL}": y}).to_csv(made / f"{EVIL}.csv", index=False, quoting=1)
    other = frame.assign(**{f"{EVIL}a": f"{EVIL}new", "more": 1})
    other.to_csv(made / "other.csv", index=False, quoting=1)
    frame.drop(columns=[f"{EVIL}a"]).to_csv(made / "lacking.csv", index=False, quoting=1)
    # a small pool, summed over; with few draws, since every command reads them again
    classifier = BayesianRuleListClassifier(n_iter=2000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that hold such characters
        save_model(classifier.fit(frame, y), made / "fitted.json")
    content = json.loads((made / "fitted.json").read_text(encoding="utf-8"))
    content.update(made_by=EVIL, edited=EVIL)
    content["training"].update(date=EVIL, versions={EVIL: EVIL})
    content["table"]["notes"] = [EVIL]
    content["table"]["columns"][0]["excluded"] = EVIL
    content["pool"]["aliases"] = {EVIL: [EVIL]}
    for quantity in content["convergence"]["quantities"]:
        quantity["name"] = EVIL
    content["convergence"]["acceptance"] = {EVIL: 0.5}
    (made / f"{EVIL}.json").write_bytes(sealed(content))
    (made / "newer.json").write_bytes(sealed({**content, "format_version": 2}))
    (made / "setting.json").write_bytes(sealed({**content, "settings": {f"a{EVIL}": 1}}))
    column = {**content["table"]["columns"][0], EVIL: 1}
    content["table"]["columns"][0] = column
    (made / "field.json").write_bytes(sealed(content))
    (made / "broken.json").write_text(f'{{"{EVIL}": 1, "{EVIL}": 2}}', encoding="utf-8")
    return made


MODEL, TABLE = f"{EVIL}.json", f"{EVIL}.csv"
COMMANDS = [
    ["show", MODEL, "--lists", "3"],
    ["explain", MODEL, TABLE, "--row", "3"],
    ["explain", MODEL, "other.csv", "--row", "1"],
    ["explain", MODEL, "lacking.csv", "--row", "1"],
    ["explain", MODEL, TABLE, "--row", "3000"],
    ["predict", MODEL, "other.csv", "--out", f"out{EVIL}.csv"],
    ["predict", MODEL, "other.csv", "--out", f"no folder{EVIL}/out.csv"],
    ["predict", MODEL, f"absent{EVIL}.csv"],
    ["predict", MODEL, "lacking.csv"],
    ["predict", f"absent{EVIL}.json", TABLE],
    ["fit", TABLE, "--label", f"y{EVIL}", "--n-iter", "500", "--model", f"new{EVIL}.json"],
    ["fit", TABLE, "--label", f"absent{EVIL}"],
    ["fit", TABLE, "--label", f"y{EVIL}", "--drop", f"absent{EVIL}"],
    ["fit", TABLE, "--label", f"y{EVIL}", "--kernel", EVIL],
    ["fit", TABLE, "--label", f"y{EVIL}", "--kinds", f"{EVIL}=numeric"],
    ["show", MODEL, "--label", EVIL],
    ["show", "newer.json"],
    ["show", "field.json"],
    ["show", "broken.json"],
    ["show", "."],
    ["predict", "setting.json", TABLE],
    ["export", MODEL, "--to", EVIL],
    ["export", MODEL, "--to", "sql", "--out", f"out{EVIL}.sql"],
    ["export", MODEL, "--to", "text"],
    ["export", MODEL, "--to", "python"],
    ["export", MODEL, "--to", "javascript"],
    [EVIL],
    ["show", MODEL, f"--{EVIL}"],
]


@pytest.mark.fault(
    "25-32, 65-70",
    "control characters in a model file, a table, an argument or a file name",
    "escaped wherever they would reach a terminal, also in predictions; written "
    "unchanged to files and pipes",
)
@pytest.mark.parametrize("arguments", COMMANDS, ids=range(len(COMMANDS)))
def test_no_command_reaches_the_terminal(
    arguments: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In what is printed, in notes, in errors, and in names of files."""
    monkeypatch.chdir(folder)
    code = run(arguments)
    out, err = capsys.readouterr()
    assert out or err
    assert code in (0, 2, 3, 4, 5), err
    assert not has_commands(out), ascii(out)
    assert not has_commands(err), ascii(err)


def test_nor_in_the_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That --debug shows."""
    monkeypatch.chdir(folder)
    assert run(["--debug", "show", "newer.json"]) == 5
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert not has_commands(err), ascii(err)


def test_data_for_a_terminal_are_shown_and_data_for_a_program_are_not_changed(folder: Path) -> None:
    """Predictions go to either."""
    command = [*PROGRAM, "predict", MODEL, TABLE]
    piped = subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=300)
    assert EVIL.rstrip("\r") in piped.stdout.decode()
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=slave, stderr=subprocess.PIPE) as running:
        os.close(slave)
        shown = _read_all(master)
        running.wait(timeout=300)
    text = shown.decode().replace("\r\n", "\n")
    assert running.returncode == 0
    assert "\\x1b[2J" in text
    assert not has_commands(text), ascii(text)


def _read_all(handle: int) -> bytes:
    parts = []
    while True:
        try:
            part = os.read(handle, 65_536)
        except OSError:  # what a terminal says when the other end has gone
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


def test_nor_what_python_prints(folder: Path) -> None:
    """Of the parts of a model that have a text for people."""
    classifier = load_model(folder / MODEL)
    table = pd.read_csv(folder / TABLE).iloc[:, :3]
    parts: list[Any] = [
        classifier, classifier.rule_list_, classifier.posterior_, classifier.posterior_.inclusion(),
        classifier.fit_report_, classifier.convergence_, classifier.pool_,
        classifier.rule_list_[0], classifier.explain(table, 3),
    ]  # fmt: skip
    for part in parts:
        for text in (str(part), repr(part)):
            assert not has_commands(text), (type(part), ascii(text))


@pytest.mark.parametrize(
    "name", ["newer.json", "setting.json", "field.json", "broken.json", EVIL], ids=range(5)
)
def test_nor_an_error_in_python(name: str, folder: Path) -> None:
    """Of a model file."""
    with pytest.raises(ModelFileError) as caught:
        load_model(folder / name)
    assert not has_commands(str(caught.value)), ascii(str(caught.value))
    assert len(str(caught.value)) < 1000
