"""How a text file is written, said on the command line; and tables from standard input."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
from pathlib import Path

import pytest

from elseif import load_model
from elseif.federation import read_plan, read_site
from tests.cli.conftest import QUICK, Run
from tests.cli.program import PROGRAM

LABEL = ["--label", "stroke"]


def rows(sep: str = ",", decimal: str = ".", missing: str = "") -> str:
    """Ages, notes that cannot be read as numbers, and who had a stroke."""
    lines = [["age", "note", "stroke"]]
    for i in range(200):
        age = missing if i % 20 == 7 else f"{40 + i % 50}.5".replace(".", decimal)
        note = "see letter" if i == 3 else str(i % 9)
        lines.append([age, note, str(int(i % 50 > 30))])
    return "".join(sep.join(line) + "\n" for line in lines)


@pytest.mark.parametrize("command", ["predict", "explain", "report", "edit"])
def test_every_command_reads_the_file_as_fit_did(elseif: Run, command: str, tmp_path: Path) -> None:
    """A file that is read only with all four options gives what the plain one gives."""
    plain, odd = tmp_path / "plain.csv", tmp_path / "odd.csv"
    plain.write_text(rows())
    odd.write_bytes(rows("^", ",", "nicht gemessen (ü)").encode("cp1252"))
    arguments = ["--sep", "^", "--decimal", ",", "--encoding", "cp1252"]
    arguments += ["--na-values", "nicht gemessen (ü)"]
    model, list_file = tmp_path / "m.json", tmp_path / "list.json"
    ended = elseif("fit", plain, *LABEL, "--drop", "note", "--model", model, *QUICK)
    assert ended.code == 0, ended.err
    fitted = elseif("fit", odd, *LABEL, "--drop", "note", *arguments, *QUICK)
    assert fitted.code == 0, fitted.err
    assert fitted.out.splitlines()[:3] == ended.out.splitlines()[:3]
    list_file.write_text('{"format": "elseif edited list", "version": 1, "antecedents": []}')
    more = {
        "predict": [],
        "explain": ["--row", "3"],
        "report": ["--out", tmp_path / "r.html", "--folds", "2", "--force", "--quiet"],
        "edit": ["--list", list_file],
    }[command]
    ends = [
        elseif(command, model, path, *more, *how) for path, how in ((plain, []), (odd, arguments))
    ]
    assert ends[0].code == ends[1].code == 0, ends[1].err
    assert ends[0].out == ends[1].out
    assert "not UTF-8" in elseif(command, model, odd, *more).err


def test_a_column_that_cannot_be_read_may_be_dropped(elseif: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows())
    ended = elseif("fit", path, *LABEL, *QUICK)
    assert ended.code == 3
    assert "line 5: column 'note' has 'see letter' among numbers" in ended.err
    assert "--na-values 'see letter'" in ended.err
    assert elseif("fit", path, *LABEL, "--drop", "note", *QUICK).code == 0


@pytest.mark.parametrize(
    ("option", "name", "meant"),
    [("--label", "stoke", "stroke"), ("--weight", "agge", "age"), ("--drop", "notes", "note")],
)
def test_a_misspelt_column(elseif: Run, option: str, name: str, meant: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows().replace("see letter", "0"))
    label = [] if option == "--label" else LABEL
    ended = elseif("fit", path, *label, option, name)
    assert ended.code == 3
    assert f"has no column {name!r} ({option}); did you mean {meant!r}?" in ended.err


def test_columns_between_commas_are_told_how_to_be_dropped(elseif: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows().replace("see letter", "0").replace("age,", "age in years,", 1))
    ended = elseif("fit", path, *LABEL, "--drop", "age in years, note")
    assert ended.code == 3
    assert ended.err.rstrip().endswith("one column at a time: --drop 'age in years' --drop note")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sep", "ab"], "--sep is 'ab'; it must be one character"),
        (["--decimal", "x"], "--decimal is 'x'"),
        (["--encoding", "klingon"], "--encoding is 'klingon'"),
    ],
)
def test_options_that_cannot_be(
    elseif: Run, arguments: list[str], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows())
    ended = elseif("fit", path, *LABEL, *arguments)
    assert ended.code == 2
    assert words in ended.err


@pytest.mark.parametrize("form", ["csv", "gzip", "parquet"])
def test_standard_input(form: str, elseif: Run, folder: Path) -> None:
    """A piped table is predicted as the file is, whatever its format."""
    table = folder / ("titanic.parquet" if form == "parquet" else "titanic.csv")
    content = table.read_bytes()
    if form == "gzip":
        content = gzip.compress(content)
    done = subprocess.run(
        [*PROGRAM, "predict", str(folder / "titanic.json"), "-"],
        input=content, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    from_file = elseif("predict", folder / "titanic.json", table)
    assert list(csv.reader(io.StringIO(done.stdout.decode()))) == list(
        csv.reader(io.StringIO(from_file.out))
    )


def test_help_in_short(elseif: Run) -> None:
    assert elseif("fit", "-h").out == elseif("fit", "--help").out
    assert "--sep" in elseif("fit", "-h").out


def test_predictions_with_an_id(elseif: Run, folder: Path) -> None:
    """A column of the table stands first, also one that fit left out or never saw."""
    ended = elseif("predict", folder / "mixed.json", folder / "mixed.csv", "--id", "id")
    assert ended.code == 0, ended.err
    lines = list(csv.DictReader(io.StringIO(ended.out)))
    assert next(iter(lines[0])) == "id"
    assert [line["id"] for line in lines] == [f"p{i}" for i in range(300)]
    without = elseif("predict", folder / "mixed.json", folder / "mixed.csv")
    assert [line["predicted"] for line in csv.DictReader(io.StringIO(without.out))] == [
        line["predicted"] for line in lines
    ]
    ended = elseif("predict", folder / "mixed.json", folder / "mixed.csv", "--id", "idd")
    assert (ended.code, "did you mean 'id'?" in ended.err) == (3, True)


def test_a_category_that_is_told_is_not_missing(elseif: Run, tmp_path: Path) -> None:
    """None may be a category of a scale or a label, unless --na-values says otherwise."""
    path, plan = tmp_path / "t.csv", tmp_path / "plan.json"
    lines = [f"{['None', 'some', 'much'][i % 3]},{['NA', 'fatal'][i % 3 > 1]}" for i in range(90)]
    path.write_text("\n".join(["alcohol,event", *lines, ",fatal\n"]))
    scale = ["--label", "event", "--positive", "NA", "--kinds", "alcohol=None,some,much"]
    model = tmp_path / "m.json"
    ended = elseif("fit", path, *scale, "--model", model, *QUICK)
    assert ended.code == 0, ended.err
    levels = load_model(model).fit_report_.columns[0]
    assert (levels.levels, levels.n_missing) == (("None", "some", "much"), 1)
    assert load_model(model).classes_.tolist() == ["fatal", "NA"]
    read_again = elseif(
        "fit", path, *scale, "--na-values", "None", "--model", model, "--force", *QUICK
    )
    assert read_again.code == 0, read_again.err
    assert load_model(model).fit_report_.columns[0].n_missing == 31
    assert elseif("plan", path, *scale, "--out", plan).code == 0
    site = elseif("site", plan, path, "--name", "a", "--out", tmp_path / "site.json")
    assert site.code == 0, site.err
    assert len(read_site(tmp_path / "site.json", read_plan(plan)).patterns) == 4  # one missing
