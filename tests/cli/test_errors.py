"""What goes wrong is one line with what to do, and an exit code; nothing is written."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from elseif.cli import tables
from elseif.cli.main import run
from elseif.cli.problems import exit_code, in_options, one_line, warnings_as_notes
from elseif.errors import DataError, ExportError, ModelFileError, ParamError, ResourceError
from tests.cli.conftest import QUICK, Run

FIT = ["fit", "{f}/titanic.csv", "--label", "survival", "--positive", "survived"]

WRONG: list[tuple[list[str], int, str]] = [
    ([], 0, ""),
    (["wat"], 2, "there is no command 'wat'; elseif --help lists them."),
    (["fit"], 2, "elseif: fit needs TABLE (CSV, TSV or Parquet"),
    (
        ["fit", "{f}/titanic.csv"],
        2,
        "needs --label COLUMN (the column to predict): elseif fit TABLE --label COLUMN.",
    ),
    ([*FIT, "--lable", "x"], 2, "elseif: fit has no option --lable; did you mean --label?"),
    ([*FIT, "--kernel", "fast"], 2, "--kernel is 'fast'; it must be one of auto,"),
    ([*FIT, "--n-iter", "many"], 2, "--n-iter"),
    ([*FIT, "--n-chains", "0"], 2, "--n-chains is 0; it must be 1 or more"),
    ([*FIT, "--min-support", "2.5"], 2, "--min-support is 2.5"),
    ([*FIT, "--kinds", "rank=category"], 2, "--kinds: the table has no column 'rank'"),
    ([*FIT, "--random-state", "-1"], 2, "--random-state is -1"),
    ([*FIT, "--min-support", "99999"], 3, ""),
    ([*FIT, "--weight", "survival"], 2, "--weight and --label are both 'survival'"),
    ([*FIT, "--weight", "age"], 3, "--weight must hold one number"),
    ([*FIT, "--drop", "rank"], 3, "has no column 'rank' (--drop); it has 'class', 'sex'"),
    ([*FIT, "--drop", "survival"], 2, "--label and --drop"),
    ([*FIT, "--drop", "age", "--drop", "sex", "--drop", "class"], 3, "no column to learn from"),
    ([*FIT, "--model", "{f}/titanic.json"], 2, "is overwritten only with --force"),
    ([*FIT, "--model", "{t}/no/m.json"], 4, "there is no folder"),
    ([*FIT, "--model", "{t}"], 4, "is a folder"),
    ([*FIT, "--model", "{t}/a", "--report", "{t}/../{n}/a"], 2, "Two outputs"),
    ([*FIT, "--model", "{f}/titanic.csv", "--force"], 2, "titanic.csv is also an input"),
    (
        ["export", "{f}/titanic.json", "--to", "text", "--out", "{f}/titanic.json", "--force"],
        2,
        "is also an input",
    ),
    ([*FIT, "--pseudocounts", "died=1", "--pseudocounts", "alive=1"], 2, "the labels are 'died'"),
    ([*FIT, "--pseudocounts", "died=1"], 2, "'survived' has none"),
    ([*FIT, "--without-posterior", "--predict-with", "posterior"], 2, "--without-posterior"),
    (["fit", "{f}/titanic.csv", "--label", "survival"], 2, "say whose probability is wanted"),
    (["fit", "{f}/titanic.csv", "--label", "rank"], 3, "has no column 'rank' (--label)"),
    ([*FIT[:4], "--positive", "alive"], 2, "the labels are 'died', 'survived'"),
    (["fit", "{f}/none.csv", "--label", "x"], 3, "there is no such file"),
    (["fit", "{f}/titanic.json", "--label", "x"], 2, "the ending must be"),
    (["fit", "{f}/nothing.csv", "--label", "x"], 3, "is empty"),
    (["fit", "{f}/no-rows.csv", "--label", "survival"], 3, "has columns but no rows"),
    (["show", "{f}/none.json"], 5, "there is no such file"),
    (["show", "{f}/titanic.csv"], 5, "not a model file"),
    (["show", "{f}/titanic.json", "--label", "alive"], 2, "the labels are 'died'"),
    (["show", "{f}/titanic.json", "--level", "2"], 2, "--level is 2.0; it must be between 0 and 1"),
    (["predict", "{f}/titanic.json", "{f}/none.csv"], 3, "there is no such file"),
    (["predict", "{f}/titanic.json", "{f}/mixed.csv"], 3, "The table lacks 2 of the columns"),
    (["predict", "{f}/titanic.json", "{f}/titanic.csv", "--out", "{t}/no/p"], 4, "no folder"),
    (
        ["explain", "{f}/titanic.json", "{f}/titanic.csv", "--row", "0"],
        2,
        "--row is '0'; it must be 1 or",
    ),
    (["explain", "{f}/titanic.json", "{f}/titanic.csv", "--row", "x"], 2, "it must be a whole num"),
    (
        ["predict", "{f}/titanic.json", "{f}/titanic.csv", "--with", "x"],
        2,
        "--with is 'x'; it must",
    ),
    (["explain", "{f}/titanic.json", "{f}/titanic.csv", "--row", "9999"], 3, "has 1,761 rows"),
    (["export", "{f}/titanic.json", "--to", "word"], 2, "--to is 'word'; it must be one of text,"),
    (["export", "{f}/titanic.json", "--to", "text", "--dialect", "x"], 2, "not an option of text"),
    (["export", "{f}/titanic.json", "--to", "sql", "--dialect", "klingon"], 2, "klingon"),
    (
        ["export", "{f}/titanic.json", "--to", "sql", "--dialect", "mssql"],
        2,
        "elseif: --dialect is 'mssql'; it must be one of duckdb, sqlite, postgres, spark, "
        "databricks, bigquery, snowflake, mysql, tsql, oracle, trino. Did you mean 'tsql'?",
    ),
    (
        ["export", "{f}/titanic.json", "--to", "calculator", "--unit", "agee=years"],
        2,
        "elseif: --unit: the model has no column 'agee'; did you mean 'age'?",
    ),
    (
        ["export", "{f}/mixed.json", "--to", "calculator", "--range", "age=90:20"],
        2,
        "elseif: --range: column 'age' has '90' and '20'; give two numbers, the lower one first.",
    ),
    ([*FIT, "--date-format", "ymd"], 2, "elseif: --date-format is 'ymd'; it must be 'dmy' (day"),
    ([*FIT, "--antecedent-weights", "agee=2"], 2, "of the pool; did you mean 'age'?"),
    (
        ["export", "{f}/titanic.json", "--to", "cql", "--library-version", "a b"],
        2,
        "elseif: --library-version is 'a b'; it must be like '1.0.0'.",
    ),
    (["report", "{f}/titanic.json", "{f}/mixed.csv", "--out", "{t}/r"], 3, "no column 'survival'"),
    (["report", "{f}/titanic.json", "{f}/titanic.csv", "--folds", "0", "--out", "{t}/r"], 2, ""),
    (
        ["report", "{f}/titanic.json", "{f}/titanic.csv", "--label", "age", "--out", "{t}/r"],
        3,
        "the model's labels are 'died', 'survived'",
    ),
    # options that would change nothing
    (
        ["validate", "{f}/titanic.json", "--database", "x.duckdb", "--sep", ";"],
        2,
        "--sep is an option for text files, not for --database.",
    ),
    (
        ["site", "{f}/p.json", "--name", "a", "--database", "x.duckdb", "--na-values", "?"],
        2,
        "--na-values is an option for text files, not for --database.",
    ),
    (
        ["validate", "{f}/titanic.json", "{f}/half.csv", "--min-cell", "5"],
        2,
        "--min-cell rounds the counts in files, not those on the screen: it goes with --out,",
    ),
    ([*FIT, "--min-cell", "5"], 2, "it goes with --model, --report, --calculator or --explorer"),
    ([*FIT, "--without-posterior"], 2, "--without-posterior goes with --model FILE"),
    (
        ["federate", "{f}/p.json", "{f}/s.json", "--without-posterior"],
        2,
        "--without-posterior goes with --model FILE",
    ),
    (["federate", "{f}/p.json", "{f}/s.json", "--min-cell", "5"], 2, "it goes with --model FILE"),
    (
        ["study", "titanic", "--data-sets", "5"],
        2,
        "--data-sets is an option of elseif study simulation, not of study titanic.",
    ),
    (["study", "stroke", "--data-sets", "100"], 2, "--data-sets is an option of elseif study"),
    (
        ["plan", "{f}/titanic.csv", "--weight-scaling", "effective"],
        2,
        "plan has no option --weight-scaling",
    ),
    (["open", "{f}"], 2, "is a folder; it has no page"),
    (["open", "{f}/titanic.json"], 2, "titanic.json is a model file, which elseif show prints"),
    (["open", "{f}/none.html"], 2, "there is no such file. elseif report MODEL TABLE --out"),
    (["demo", "--out", "{f}/titanic.csv"], 4, "it is a file"),
    # an argument too many or too few, files in each other's place, folders and files cut short
    (["fit", "{f}/titanic.csv", "{f}/half.csv"], 2, "it is used as: elseif fit [TABLE]"),
    (["fit", "{f}/titanic.csv", "survival"], 2, "The column of the outcome is given by --label"),
    (["fit", "{f}/titanic.csv", "s" * 300], 2, "The column of the outcome is given by --label"),
    ([*FIT[:3]], 2, "--label needs a value: --label COLUMN. See elseif fit --help."),
    (["plan", "{f}/titanic.csv"], 2, "plan needs --label COLUMN"),
    (["predict", "{f}/titanic.csv", "{f}/titanic.json"], 5, "The model comes first, then the tab"),
    (["show", "{f}"], 5, "is a folder. Give a file."),
    (["predict", "{f}/titanic.json", "{f}/empty"], 3, "Give a file, or a folder that has Parquet"),
    (["edit", "{f}/titanic.json", "{f}/titanic.csv", "--list", "{f}/cut.json"], 3, "not an edited"),
    (["show", "{f}/cut.json"], 5, "it is damaged, cut short, or not a model file"),
    (["show", "{f}/newer.json"], 5, "has format version 99"),
    (["predict", "{f}/cut.json", "{f}/titanic.csv"], 5, "cut short"),
    (["export", "{f}/cut.json", "--to", "sql"], 5, "cut short"),
    (["serve", "{f}/cut.json"], 5, "cut short"),
    (["serve", "{f}/none.json"], 2, "none.json: there is no such file."),
    ([*FIT, "--labels", "{f}/none.yaml"], 2, "none.yaml: there is no such file."),
    (
        ["edit", "{f}/titanic.json", "{f}/titanic.csv", "--list", "{f}/none.json"],
        3,
        "none.json: there is no such file.",
    ),
    (["labels", "{f}/cut.json", "--out", "{t}/l.yaml"], 5, "cut short"),
    (["project", "{f}/titanic.json", "{f}/no-rows.csv"], 3, "has columns but no rows"),
    (["validate", "{f}/titanic.json", "{f}/no-rows.csv"], 3, "has columns but no rows"),
    (["validate", "{f}/titanic.json", "{f}/unlabelled.csv"], 3, "has no column 'survival'"),
    (["samplesize", "develop"], 2, "needs --prevalence and --parameters"),
    (
        ["site", "{f}/titanic.json", "{f}/titanic.csv", "--name", "a"],
        5,
        "is not a file of the format 'elseif plan'",
    ),
    (
        ["federate", "{f}/titanic.json", "{f}/titanic.json"],
        5,
        "is not a file of the format 'elseif plan'",
    ),
    (["extract", "--database", "x://y", "--out", "{t}/c"], 2, "databases of the kind 'x'"),
    (["extract", "--database", "{f}/none.duckdb", "--out", "{t}/c"], 6, "does not exist"),
    (
        ["report", "{f}/titanic.json", "{f}/titanic.csv", "--subgroup", "agee", "--out", "{t}/r"],
        2,
        "--subgroup: the table has no column 'agee'; did you mean 'age'?",
    ),
]


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG)
def test_an_error_is_one_line(
    elseif: Run, folder: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    """It begins with the program's name, and holds no traceback."""
    places = {"f": folder, "t": tmp_path, "n": tmp_path.name}
    ended = elseif(*(argument.format(**places) for argument in arguments))
    assert ended.code == code, ended
    assert said in ended.err
    if code:
        lines = ended.err.splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("elseif: ")
        assert ended.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [0, 1])
def test_debug_shows_the_traceback(elseif: Run, folder: Path, place: int) -> None:
    """Before the command or after it, with the same exit code."""
    arguments = ["show", folder / "none.json"]
    arguments.insert(place, "--debug")
    ended = elseif(*arguments)
    assert ended.code == 5
    assert "Traceback" in ended.err


def test_a_model_may_have_the_name_of_a_table(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """As fit --model titanic.csv writes it; what is a table is still refused."""
    model = tmp_path / "model.csv"
    model.write_bytes((folder / "titanic.json").read_bytes())
    assert elseif("show", model).out == elseif("show", folder / "titanic.json").out != ""


@pytest.mark.parametrize(("no", "yes"), [("no", "yes"), ("Nein", "Ja"), ("N", "Y")])
def test_of_yes_and_no_the_former_is_meant(elseif: Run, tmp_path: Path, no: str, yes: str) -> None:
    """Whatever their order in the alphabet or in the table."""
    table = tmp_path / "t.csv"
    table.write_text(
        "age,ill\n" + "".join(f"{i % 60},{yes if i % 7 else no}\n" for i in range(300))
    )
    ended = elseif("fit", table, "--label", "ill", *QUICK)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("Probability of ill (")
    assert "85% (" in ended.out


def test_missing_labels_are_counted_from_1(elseif: Run, tmp_path: Path) -> None:
    """The rows are named as --row counts them, and the way out is an option."""
    table = tmp_path / "t.csv"
    table.write_text("a,y\n" + "1,0\n2,\n3,1\n4,0\n" * 3)
    ended = elseif("fit", table, "--label", "y")
    assert ended.code == 3
    assert "missing in 3 rows (row 2, 6, 10)" in ended.err
    assert "--missing-y drop" in ended.err
    ended = elseif("fit", table, "--label", "y", "--missing-y", "drop", "--n-iter", "500")
    assert ended.code == 0
    assert "Rows left out because they have no label: 3." in ended.out


@pytest.mark.parametrize("command", ["fit", "predict", "explain"])
def test_rows_are_counted_as_explain_counts_them(
    elseif: Run, folder: Path, tmp_path: Path, command: str
) -> None:
    """From 1, the first below the header; Python counts from 0."""
    lines = (folder / "mixed.csv").read_text().splitlines()
    cells = lines[3].split(",")
    cells[lines[0].split(",").index("age")] = "inf"
    lines[3] = ",".join(cells)
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    options = {"fit": ["--label", "grade"], "explain": ["--row", "3"]}.get(command, [])
    model = [] if command == "fit" else [folder / "mixed.json"]
    ended = elseif(command, *model, tmp_path / "t.csv", *options)
    assert ended.code == 3
    assert "column 'age' has 1 infinite value (row 3). Replace them, or fit with" in ended.err
    assert "--infinite outer" in ended.err


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("2 are not (rows 0, 4), such", "2 are not (rows 1, 5), such"),
        ("6 missing (rows 0, 1, 2, 3, 4, ...).", "6 missing (rows 1, 2, 3, 4, 5, ...)."),
        ("the first in row 0 (1e30).", "the first in row 1 (1e30)."),
        ("another order from row 50,000 on", "another order from row 50,001 on"),
        ("column 'row 5' has 3 rows", "column 'row 5' has 3 rows"),
    ],
)
def test_rows_in_messages(python: str, said: str) -> None:
    assert in_options(python) == said


def test_warnings_are_notes(capsys: pytest.CaptureFixture[str]) -> None:
    """One plain line, once; what is not meant for users is not shown."""
    with warnings_as_notes():
        for _ in range(2):
            warnings.warn("Raise n_iter,\nor max_cardinality=3.", UserWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == "elseif: note: Raise --n-iter, or --max-cardinality 3.\n"


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("X lacks 1 of the columns seen in fit: 'min_support'.", None),
        ("leave these rows out by missing_y='drop'.", "leave these rows out by --missing-y drop."),
        ("empty_pool='default_rule' allows that", "--empty-pool default_rule allows that"),
        ("the missing values of a kernel", "the missing values of a kernel"),
        (
            "with min_cell use predict_with='point', 'map' or 'projected'.",
            "with --min-cell a model has to predict with a list: fit with --predict-with point, or "
            "make a projected list by elseif project.",
        ),
        ("sample_weight must be finite", "--weight must be finite"),
    ],
)
def test_settings_are_called_by_their_options(python: str, said: str | None) -> None:
    """Names of settings become options, names of columns stay."""
    assert in_options(python) == (said or python.replace("X lacks", "The table lacks"))


def test_exit_codes() -> None:
    """2 usage, 3 data, 4 resources, 5 model file, 1 for an internal error."""
    kinds = [ParamError, ExportError, DataError, ResourceError, ModelFileError]
    assert [exit_code(kind("x")) for kind in kinds] == [2, 2, 3, 4, 5]
    assert [exit_code(e) for e in (MemoryError(), PermissionError(), KeyError())] == [4, 4, 1]
    assert "--debug" in one_line(KeyError("x"))
    assert one_line(PermissionError(13, "Permission denied", "a.csv")) == (
        "a.csv: Permission denied."
    )


def test_a_pipe_is_not_replaced(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """--force overwrites files, never what is none."""
    os.mkfifo(tmp_path / "pipe")
    arguments = ["--to", "text", "--out", tmp_path / "pipe", "--force"]
    ended = elseif("export", folder / "titanic.json", *arguments)
    assert ended.code == 4
    assert (tmp_path / "pipe").is_fifo()


def test_too_little_memory_for_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is told as such, once, with the exit code of memory rather than of data."""
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,0\n")

    def read(*_: object) -> None:
        raise ResourceError("Reading t.csv would take about 9 GB.")

    monkeypatch.setattr(tables, "read_as_fit", read)
    assert run(["fit", str(path), "--label", "y"]) == 4
    assert capsys.readouterr().err == "elseif: Reading t.csv would take about 9 GB.\n"
