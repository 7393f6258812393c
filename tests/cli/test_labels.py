"""--labels and the command that writes such a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from elseif import load_model
from tests.cli.conftest import QUICK, Run

WORDS = """\
outcome: {name: survival}
columns:
  class: {name: Cabin class, levels: {3rd: third}}
conditions:
  sex = male and age = adult: Adult men
"""


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A file of a few words."""
    path = tmp_path / "labels.yaml"
    path.write_text(WORDS, encoding="utf-8")
    return path


def test_fit_keeps_them_in_the_model(
    elseif: Run, folder: Path, tmp_path: Path, labels: Path
) -> None:
    """The list is printed in them, and every command that reads the model has them."""
    model, page = tmp_path / "m.json", tmp_path / "c.html"
    arguments = [
        "--label",
        "survival",
        "--positive",
        "survived",
        "--model",
        model,
        "--labels",
        labels,
    ]
    ended = elseif("fit", folder / "titanic.csv", *arguments, "--calculator", page, *QUICK)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("Probability of survival (")
    assert "if      Adult men" in ended.out
    assert "Cabin class = third" in elseif("show", model).out
    assert "Cabin class" in page.read_text(encoding="utf-8")
    assert load_model(model).rule_list_.antecedents == (
        load_model(folder / "titanic.json").rule_list_.antecedents
    )


def test_every_command_takes_them(elseif: Run, folder: Path, tmp_path: Path, labels: Path) -> None:
    """A model that has none is worded for once."""
    model, table = folder / "titanic.json", folder / "titanic.csv"
    for command in (
        ["show", model, "--lists", 2],
        ["explain", model, table, "--row", 1],
        ["export", model, "--to", "markdown"],
        ["export", model, "--to", "calculator"],
    ):
        ended = elseif(*command, "--labels", labels)
        assert ended.code == 0, ended.err
        assert "Cabin class" in ended.out, command
    out, explorer = tmp_path / "r.html", tmp_path / "e.html"
    files = ["--out", out, "--explorer", explorer, "--folds", 2, "--quiet"]
    ended = elseif("report", model, table, *files, "--labels", labels)
    assert ended.code == 0, ended.err
    for page in (out, explorer):
        assert "Adult men" in page.read_text(encoding="utf-8")


def test_programs_keep_the_names(elseif: Run, folder: Path, labels: Path) -> None:
    """SQL is the same, and that is said."""
    command = ["export", folder / "titanic.json", "--to", "sql"]
    ended = elseif(*command, "--labels", labels)
    assert ended.out == elseif(*command).out
    assert "sql keeps the names of the columns" in ended.err


def test_a_file_to_fill_in(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Of every kind of column; read as it is, it changes nothing."""
    for name in ("titanic.json", "mixed.json"):
        path = tmp_path / f"{name}.yaml"
        ended = elseif("labels", folder / name, "--out", path)
        assert ended.code == 0, ended.err
        shown = elseif("show", folder / name)
        assert elseif("show", folder / name, "--labels", path).out == shown.out
    assert elseif("labels", folder / "mixed.json").out == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns: {clas: x}", "--labels: columns: the model has no column 'clas'; did you mean"),
        ("colums: {}", "labels.yaml has the unknown key 'colums'; did you mean 'columns'?"),
        ("outcome: {labels: {dead: x}}", "--labels: outcome: labels: the model has no 'dead'"),
    ],
)
def test_refusals(elseif: Run, folder: Path, labels: Path, text: str, message: str) -> None:
    """Before the fit, in one line that names the file and the key."""
    labels.write_text(text, encoding="utf-8")
    arguments = ["--label", "survival", "--positive", "survived", "--labels", labels, *QUICK]
    for ended in (
        elseif("fit", folder / "titanic.csv", *arguments),
        elseif("show", folder / "titanic.json", "--labels", labels),
    ):
        assert ended.code == 2
        assert ended.out == ""
        assert message in ended.err


def test_labels_of_a_dropped_column(elseif: Run, folder: Path, labels: Path) -> None:
    """One file serves a table of which some columns are left out."""
    labels.write_text("columns: {sex: Sex, class: Cabin}", encoding="utf-8")
    arguments = ["--label", "survival", "--positive", "survived", "--labels", labels, *QUICK]
    ended = elseif("fit", folder / "titanic.csv", *arguments, "--drop", "sex")
    assert ended.code == 0, ended.err
    assert "Cabin = " in ended.out
