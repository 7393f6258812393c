"""A model keeps how its training table was read; the commands that follow read tables likewise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elseif import load_model, save_model
from tests.cli.conftest import QUICK, Ended, Run
from tests.cli.test_text_options import LABEL, rows

TOLD = ["--sep", "^", "--decimal", ",", "--encoding", "cp1252"]
MISSING = "nicht gemessen (ü)"
TOLD += ["--na-values", MISSING]


def odd_file(path: Path) -> Path:
    """A file that is read only with all four options."""
    path.write_bytes(rows("^", ",", MISSING).encode("cp1252"))
    return path


@pytest.fixture
def odd(elseif: Run, tmp_path: Path) -> Path:
    """The folder of such a file, and of the model that was learnt from it."""
    path = odd_file(tmp_path / "odd.csv")
    fit = ["fit", path, *LABEL, "--drop", "note", *TOLD, "--model", tmp_path / "m.json", *QUICK]
    assert elseif(*fit).code == 0
    return tmp_path


def after_fit(elseif: Run, command: str, folder: Path, table: Path, *more: str) -> Ended:
    (folder / "list.json").write_text(
        '{"format": "elseif edited list", "version": 1, "antecedents": []}'
    )
    options = {
        "predict": [],
        "explain": ["--row", "3"],
        "report": ["--out", folder / "r.html", "--folds", "2", "--force", "--quiet"],
        "edit": ["--list", folder / "list.json"],
        "project": ["--model", folder / "p.json", "--force", "--quiet"],
        "validate": [],
    }[command]
    return elseif(command, folder / "m.json", table, *options, *more)


@pytest.mark.parametrize("command", ["predict", "explain", "report", "edit", "project", "validate"])
def test_options_of_fit_need_not_be_repeated(elseif: Run, command: str, odd: Path) -> None:
    """Nor do they change anything where a table is written as usual."""
    said = after_fit(elseif, command, odd, odd / "odd.csv", *TOLD)
    kept = after_fit(elseif, command, odd, odd / "odd.csv")
    assert said.code == kept.code == 0, kept.err
    assert kept.out == said.out
    note = "odd.csv is read as the training table was: --sep '^' --decimal , --encoding cp1252"
    assert f"{note} --na-values '{MISSING}'" in kept.err
    assert note not in said.err
    assert "is not the table" not in kept.err
    usual = odd / "usual.csv"
    usual.write_text(rows(missing=MISSING))
    plain = after_fit(elseif, command, odd, usual)
    assert plain.code == 0, plain.err
    assert plain.out.replace("usual.csv", "odd.csv") == kept.out
    assert f"--na-values '{MISSING}'" in plain.err  # which is a code of the data, not of a file
    assert "--sep" not in plain.err


def test_what_is_said_goes_before_what_was_kept(elseif: Run, odd: Path) -> None:
    other = odd / "other.csv"
    other.write_bytes(rows("|", ",", MISSING).encode("cp1252"))
    ended = elseif("predict", odd / "m.json", other, "--sep", "|")
    assert ended.code == 0, ended.err
    assert ended.out == elseif("predict", odd / "m.json", odd / "odd.csv").out
    assert "--sep" not in ended.err


def test_a_file_that_no_reading_fits_is_refused_as_ever(elseif: Run, odd: Path) -> None:
    short = odd / "short.csv"
    short.write_text("age,note,stroke\n61.5,1\n")
    ended = elseif("predict", odd / "m.json", short)
    assert ended.code == 3
    assert "short.csv, line 2" in ended.err
    assert "2 fields where the header has 3" in ended.err


def test_a_column_that_is_lacking_is_named(elseif: Run, tmp_path: Path) -> None:
    """In the encoding of fit, too: the file can be read, and it is the column that is missing."""
    table, short = tmp_path / "t.csv", tmp_path / "short.csv"
    lines = [
        "größe;fünf;tot",
        *(f"{i % 7};{i % 3};{'ja' if i % 7 > 3 else 'nein'}" for i in range(90)),
    ]
    table.write_bytes("\n".join(lines).encode("cp1252"))
    short.write_bytes("\n".join(";".join(line.split(";")[1:]) for line in lines).encode("cp1252"))
    model = tmp_path / "m.json"
    fit = ["fit", table, "--label", "tot", "--positive", "ja", "--encoding", "cp1252", *QUICK]
    assert elseif(*fit, "--model", model).code == 0
    ended = elseif("predict", model, short)
    assert ended.code == 3
    assert "'größe'" in ended.err
    assert "UTF-8" not in ended.err


def test_utf8_is_not_taken_for_another_encoding(elseif: Run, tmp_path: Path) -> None:
    """Every UTF-8 file can be decoded as cp1252, into nonsense."""
    lines = "".join(f"{'Köln' if i % 2 else 'Bonn'};{i % 2}\n" for i in range(100))
    path, utf8 = tmp_path / "t.csv", tmp_path / "u.csv"
    path.write_text("city;ill\n" + lines, encoding="cp1252")
    utf8.write_text("city;ill\n" + lines, encoding="utf-8")
    refused = elseif("fit", path, "--label", "ill", *QUICK)
    assert "--encoding cp1252" in refused.err
    fit = ["fit", path, "--label", "ill", "--encoding", "cp1252", "--model", tmp_path / "m.json"]
    assert elseif(*fit, *QUICK).code == 0
    answers = [elseif("predict", tmp_path / "m.json", each) for each in (path, utf8)]
    assert answers[0].out == answers[1].out
    assert "--encoding" in answers[0].err
    assert answers[1].err == ""


def test_it_is_in_the_model_file(elseif: Run, odd: Path) -> None:
    content = json.loads((odd / "m.json").read_text())
    assert content["training"]["reading"] == {
        "sep": "^", "decimal": ",", "encoding": "cp1252", "na_values": [MISSING]
    }  # fmt: skip
    save_model(load_model(odd / "m.json"), odd / "again.json")
    assert json.loads((odd / "again.json").read_text())["training"] == content["training"]
    shared = ["export", odd / "m.json", "--to", "json", "--min-cell", "5"]
    assert elseif(*shared, "--out", odd / "shared.json").code == 0
    kept = json.loads((odd / "shared.json").read_text())["training"]["reading"]
    assert kept == content["training"]["reading"]


@pytest.mark.parametrize("command", ["fit", "predict", "explain", "validate"])
def test_options_of_text_files_are_refused_for_parquet(
    elseif: Run, folder: Path, command: str
) -> None:
    more = {
        "fit": ["--label", "survival", "--positive", "survived"],
        "explain": ["--row", "1"],
    }.get(command, [])
    model = [] if command == "fit" else [folder / "titanic.json"]
    ended = elseif(command, *model, folder / "titanic.parquet", *more, "--sep", ";")
    assert ended.code == 2, ended.err
    assert "--sep is an option for text files; titanic.parquet is not one." in ended.err
