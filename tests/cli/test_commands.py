"""Every command on real files: what it prints, what it writes, and that it agrees with Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import load_model
from elseif.cli.export import To
from elseif.cli.report import say_rounding
from elseif.datasets import load_titanic
from elseif.disclosure.rounding import Rounding
from elseif.export import formats
from elseif.export.model_file import read_model
from elseif.report.edited_list import FORMAT, VERSION, antecedent_document
from tests.cli.conftest import QUICK, Run


def test_fit_prints_a_screen(elseif: Run, folder: Path) -> None:
    """At most 24 lines of 80 columns, with the list first."""
    ended = elseif(
        "fit", folder / "titanic.csv", "--label", "survival", "--positive", "survived", *QUICK
    )
    lines = ended.out.splitlines()
    assert ended.code == 0, ended.err
    assert lines[0] == "Probability of survived (95% credible interval)"
    assert lines[1].startswith("if ")
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "Learnt from 1,761 rows of titanic.csv" in ended.out


def test_fit_says_what_was_screened_out(elseif: Run, folder: Path) -> None:
    """The number of antecedents that were left out, and the setting that asked for it."""
    table, label = folder / "titanic.csv", ("--label", "survival", "--positive", "survived")
    ended = elseif("fit", table, *label, "--max-antecedents", 8, *QUICK)
    assert ended.code == 0, ended.err
    said = " ".join(ended.out.split())
    assert "the lists are made of 8 antecedents" in said
    assert "Of 15 antecedents the 8 with most evidence were kept, as --max-antecedents asks" in said


@pytest.mark.parametrize("name", ["titanic.csv", "titanic.tsv", "titanic.parquet"])
def test_the_format_of_a_table_makes_no_difference(
    elseif: Run, folder: Path, tmp_path: Path, name: str
) -> None:
    """The same fingerprint and the same list from CSV, TSV and Parquet."""
    arguments = ["--label", "survival", "--positive", "survived", "--model", tmp_path / "m.json"]
    assert elseif("fit", folder / name, *arguments, *QUICK).code == 0
    ours, first = load_model(tmp_path / "m.json"), load_model(folder / "titanic.json")
    assert ours.fingerprint_ == first.fingerprint_
    assert str(ours.rule_list_) == str(first.rule_list_)


def test_positive_is_the_last_class(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Texts and numbers alike; numbers are not made fractions."""
    titanic = pd.read_csv(folder / "titanic.csv")
    titanic["survival"] = titanic["survival"].map({"died": 2, "survived": 1})
    titanic.to_csv(tmp_path / "numbers.csv", index=False)
    arguments = ["--label", "survival", "--positive", "1", "--model", tmp_path / "m.json", *QUICK]
    assert elseif("fit", tmp_path / "numbers.csv", *arguments).code == 0
    assert load_model(tmp_path / "m.json").classes_.tolist() == [2, 1]
    shown = elseif("show", tmp_path / "m.json", "--label", "2").out
    assert shown.startswith("Probability of label 2 (95%")
    report = ["report", tmp_path / "m.json", tmp_path / "numbers.csv", "--folds", "2"]
    ended = elseif(*report, "--out", tmp_path / "r.html")
    assert (ended.code, ended.err) == (0, "")


def test_predict_is_exact_and_harmless(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Probabilities are Python's to the last bit; formulas get a quote, numbers do not."""
    ended = elseif("predict", folder / "mixed.json", folder / "mixed.csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    classifier = load_model(folder / "mixed.json")
    table = pd.read_csv(folder / "mixed.csv", dtype={"ward": str}, parse_dates=["admitted"])
    expected = classifier.predict_proba(table[classifier.feature_names_in_])
    labels = classifier.classes_.tolist()
    array = np.array([[float(row[f"probability {label}"]) for label in labels] for row in rows])
    assert np.array_equal(array, expected)
    assert {row["predicted"] for row in rows} <= {"'=dead", "ill", "well"}
    assert "'=dead" in {row["predicted"] for row in rows}
    captured = classifier.rule_list_.captured_by(table[classifier.feature_names_in_])
    assert [int(row["rule"]) for row in rows] == (captured + 1).tolist()
    assert "ignored: 'id', 'weight'" in ended.err
    saved = elseif("predict", folder / "mixed.json", folder / "mixed.csv", "--out", tmp_path / "p")
    assert saved.out == f"300 predictions: {tmp_path / 'p'}\n"
    assert (tmp_path / "p").read_text() == ended.out


def test_predict_without_the_label_and_in_other_ways(elseif: Run, folder: Path) -> None:
    """No label is needed; the posterior has no one rule; no rows give a header alone."""
    model = folder / "titanic.json"
    ended = elseif("predict", model, folder / "unlabelled.csv")
    assert (ended.code, ended.err, len(ended.out.splitlines())) == (0, "", 6)
    posterior = elseif("predict", model, folder / "titanic.parquet", "--with", "posterior")
    assert posterior.out.startswith("probability died,probability survived,predicted\n")
    empty = elseif("predict", model, folder / "no-rows.csv")
    assert (empty.code, len(empty.out.splitlines())) == (0, 1)


def test_codes_of_wards_stay_codes(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """A model that knows ward "1" as a category reads 1 as that, not as a number."""
    assert load_model(folder / "mixed.json").fit_report_.columns
    ended = elseif("predict", folder / "mixed.json", folder / "mixed.csv")
    assert "categories that fit did not see" not in ended.err
    few = pd.read_csv(folder / "mixed.csv", dtype=str).drop(columns=["id", "weight"]).head(3)
    few["ward"] = ["1", "9", "1"]
    few.to_csv(tmp_path / "few.csv", index=False)
    ended = elseif("predict", folder / "mixed.json", tmp_path / "few.csv")
    assert ended.code == 0
    assert ended.err == "" or "1 value is of a category that fit did not see ('9')" in ended.err


@pytest.mark.parametrize("name", ["titanic.csv", "titanic.parquet"])
def test_explain_counts_rows_from_1(elseif: Run, folder: Path, name: str) -> None:
    """The same sentences as in Python."""
    X, _ = load_titanic("paper")
    for row in (1, len(X)):
        ended = elseif("explain", folder / "titanic.json", folder / name, "--row", row)
        explained = load_model(folder / "titanic.json").explain(X, row - 1)
        assert ended.out == explained.to_text(width=80) + "\n"


def test_show(elseif: Run, folder: Path) -> None:
    """The list, another label or level, and the posterior's lists."""
    model = folder / "titanic.json"
    point = elseif("show", model).out
    assert load_model(model).rule_list_.to_text(width=80) in point
    assert elseif("show", model, "--label", "died", "--level", "0.5").out.startswith(
        "Probability of died (50%"
    )
    best = elseif("show", model, "--list", "map").out
    assert load_model(model).map_rule_list_.to_text(width=80) in best
    assert "The most probable list, proven" in best
    shown = elseif("show", model, "--lists", "3").out
    assert shown.count("probability (exact), log posterior") == 3


def test_a_calculator_asks_in_the_words_told(elseif: Run, folder: Path) -> None:
    """Units and questions go by column; a column that no rule asks for is refused."""
    model = folder / "titanic.json"
    options = ("--to", "calculator", "--question", "sex=Male or female?")
    assert "Male or female?" in elseif("export", model, *options).out
    wrong = elseif("export", model, *options, "--unit", "height=cm")
    assert wrong.code == 2
    assert "'height'" in wrong.err
    assert "COLUMN" not in wrong.err
    other = elseif("export", model, "--to", "sql", "--unit", "age=years")
    assert (other.code, other.err.strip()) == (2, "elseif: --unit is not an option of sql.")
    assert "must be NAME=VALUE" in elseif("export", model, *options, "--unit", "years").err


OF_COHORTS = ("cdm-sql", "plp")  # formats that need concept ids: tests/ohdsi


@pytest.mark.parametrize("name", OF_COHORTS)
def test_formats_of_cohorts_need_one(elseif: Run, folder: Path, tmp_path: Path, name: str) -> None:
    ended = elseif("export", folder / "titanic.json", "--to", name, "--out", tmp_path / "out")
    assert ended.code == 2
    assert "The model was not learnt from a cohort" in ended.err


@pytest.mark.parametrize("name", [str(each) for each in To if each not in OF_COHORTS])
def test_export(elseif: Run, folder: Path, tmp_path: Path, name: str) -> None:
    """The file is what is printed; a binary format needs a file."""
    model, out = folder / "titanic.json", tmp_path / "out"
    ended = elseif("export", model, "--to", name, "--out", out)
    assert (ended.code, ended.out) == (0, f"{name}: {out}\n"), ended.err
    printed = elseif("export", model, "--to", name)
    if name in formats.FORMATS and formats.FORMATS[name].is_binary:
        assert printed.code == 2
        assert "--out FILE" in printed.err
    else:
        assert printed.out.rstrip("\n") == out.read_bytes().decode().rstrip("\n")
    assert elseif("export", model, "--to", name, "--out", out).code == 2
    assert elseif("export", model, "--to", name, "--out", out, "--force").code == 0


def test_export_of_a_library(elseif: Run, folder: Path) -> None:
    """Its name, version and address can be told; other formats have none."""
    model = folder / "titanic.json"
    arguments = ["--name", "TitanicRisk", "--library-version", "2.0.0"]
    source = elseif("export", model, "--to", "cql", *arguments, "--level", "0.9").out
    assert "library TitanicRisk version '2.0.0'" in source
    assert "90% credible interval" in source
    bundle = elseif("export", model, "--to", "fhir", *arguments, "--url", "https://example.org").out
    (library, plan) = [entry["resource"] for entry in json.loads(bundle)["entry"]]
    assert library["url"] == "https://example.org/Library/TitanicRisk"
    assert plan["library"] == ["https://example.org/Library/TitanicRisk|2.0.0"]
    wrong = elseif("export", model, "--to", "dmn", "--library-version", "2.0.0")
    assert (wrong.code, wrong.err.strip()) == (
        2,
        "elseif: --library-version is not an option of dmn.",
    )
    assert "name is 'x y'" in elseif("export", model, "--to", "cql", "--name", "x y").err


def test_report_and_explorer(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """The training table is recognised; with another one it says so, and the explorer refuses."""
    model, pages = folder / "titanic.json", [tmp_path / "r.html", tmp_path / "e.html"]
    arguments = ["--folds", "2", "--subgroup", "sex", "--quiet"]
    methods = tmp_path / "methods.txt"
    ended = elseif(
        "report", model, folder / "titanic.csv", *arguments, "--out", pages[0],
        "--explorer", pages[1], "--methods", methods,
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"Explorer: {pages[1]}\nReport: {pages[0]}\nMethods: {methods}\n"
    assert methods.read_text(encoding="utf-8").startswith("We fitted a Bayesian rule list [1]")
    assert '<a href="e.html">Explorer' in pages[0].read_text(encoding="utf-8")
    assert all(page.read_text().lower().startswith("<!doctype html>") for page in pages)
    other = ["report", model, folder / "half.csv", *arguments, "--out", tmp_path / "o.html"]
    ended = elseif(*other)
    assert ended.code == 0
    assert "half.csv is not the table that titanic.json was learnt from" in ended.err
    assert "is not the one that the list was fitted to" in (tmp_path / "o.html").read_text()
    ended = elseif(*other, "--force", "--explorer", tmp_path / "x.html")
    assert ended.code in (2, 3)
    assert not (tmp_path / "x.html").exists()


def test_report_of_three_labels(elseif: Run, tmp_path: Path) -> None:
    """All labels are evaluated, or the one that is chosen; fit links to the pages beside."""
    rng = np.random.default_rng(0)
    smoker, old = rng.random(240) < 0.4, rng.random(240) < 0.5
    outcome = np.where(smoker, "cancer", np.where(old, "stroke", "none"))
    outcome = np.where(rng.random(240) < 0.2, "none", outcome)
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    pd.DataFrame({"smoker": smoker, "old": old, "outcome": outcome}).to_csv(table, index=False)
    pages = ["--report", tmp_path / "r.html", "--calculator", tmp_path / "c.html"]
    pages += ["--explorer", tmp_path / "x.html"]
    ended = elseif("fit", table, "--label", "outcome", "--model", model, *pages, "--quiet")
    assert ended.code == 0, ended.err
    explorer = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert '<h1 title="Lists for the probability of each outcome">' in explorer
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for label in ("cancer", "none", "stroke"):
        assert f'<bdi>{label}</bdi> <span class="basis">against all other labels' in page
    assert '<a href="c.html">Calculator' in page
    assert '<a href="x.html">Explorer' in page
    command = ["report", model, table, "--folds", "2", "--quiet", "--out", tmp_path / "one.html"]
    ended = elseif(*command, "--positive", "Cancer")
    assert ended.code == 0, ended.err
    one = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "Predicted outcome: <bdi>cancer</bdi>, against all other labels together" in one
    assert "by-label" not in one.split("</style>")[-1]
    ended = elseif(*command, "--force", "--positive", "flu")
    assert ended.code == 2
    assert "--positive is 'flu'; the labels are 'cancer', 'none', 'stroke'" in ended.err


def test_report_leaves_out_what_fit_left_out(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Dropped columns and weights are no features of the folds; the weights count again."""
    arguments = ["--weight", "weight", "--folds", "2", "--out", tmp_path / "r.html"]
    ended = elseif("report", folder / "mixed.json", folder / "mixed.csv", *arguments)
    assert ended.code == 0
    assert "is not the table" not in ended.err
    assert "ignored" not in ended.err


def test_edit_weighs_and_saves(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """What the explorer saves becomes a model, with the price of the change."""
    classifier = load_model(folder / "titanic.json")
    first, *rest = classifier.rule_list_.antecedents
    antecedents = [json.loads(antecedent_document(a)) for a in [*rest, first]]
    edited, new = tmp_path / "edited.json", tmp_path / "new.json"
    edited.write_text(
        json.dumps({"format": FORMAT, "version": VERSION, "antecedents": antecedents})
    )
    command = ["edit", folder / "titanic.json", folder / "titanic.csv", "--list", edited]
    ended = elseif(*command, "--model", new)
    assert ended.code == 0, ended.err
    assert "Compared with the start: " in ended.out
    assert "take the list in edited.json" in ended.out
    X, y = load_titanic("paper")
    expected = classifier.edit(X, y).take([*rest, first])
    assert load_model(new).rule_list_.to_text() == expected.rule_list.to_text()
    assert load_model(new).rule_list_.antecedents == (*rest, first)
    wrong = elseif("edit", folder / "titanic.json", folder / "half.csv", "--list", edited)
    assert wrong.code == 3
    assert "not the data that the list was fitted to" in wrong.err
    damaged = elseif("edit", folder / "titanic.json", folder / "titanic.csv", "--list", new)
    assert damaged.code == 3


def test_demo_writes_everything(elseif: Run, tmp_path: Path) -> None:
    """Table, model and three pages, which another run does not overwrite unless told."""
    out = tmp_path / "made" / "results"
    ended = elseif("demo", "--out", out)
    assert (ended.code, ended.err) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == [
        "titanic-calculator.html",
        "titanic-explorer.html",
        "titanic-report.html",
        "titanic.csv",
        "titanic.json",
    ]
    assert "then 21% (19%–23%)" in ended.out
    assert elseif("demo", "--out", out).code == 2
    assert elseif("explain", out / "titanic.json", out / "titanic.csv", "--row", 1).code == 0


def test_pseudocounts_of_labels_that_are_numbers(elseif: Run, tmp_path: Path) -> None:
    """An option can only spell a number; it is the label's all the same, also in the model."""
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("a,y\n" + "0,0\n1,1\n0,1\n" * 8)
    arguments = ["--pseudocounts", "0=1", "--pseudocounts", "1=50"]
    ended = elseif("fit", table, "--label", "y", *arguments, "--model", model, "--n-iter", "500")
    assert ended.code == 0, ended
    settings = read_model(model).settings
    assert settings["pseudocounts"] == {0: 1, 1: 50}
    arguments = ["--pseudocounts", "1=1", "--pseudocounts", "1.0=5", "--pseudocounts", "0=1"]
    ended = elseif("fit", table, "--label", "y", *arguments)
    assert ended.code == 2
    assert "the label 1 is given twice" in ended.err


def test_an_input_is_never_an_output(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Not even by --force, and not under another name."""
    table, link = tmp_path / "t.csv", tmp_path / "link.csv"
    table.write_bytes((folder / "titanic.csv").read_bytes())
    link.symlink_to(table)
    before = table.read_bytes()
    ended = elseif("predict", folder / "titanic.json", table, "--out", link, "--force")
    assert ended.code != 0
    assert table.read_bytes() == before


def test_min_cell_rounds_files_and_not_the_screen(
    elseif: Run, folder: Path, tmp_path: Path
) -> None:
    """Model and pages have rounded counts, what is printed is exact; all exports can."""
    model, page, explorer = (tmp_path / name for name in ("m.json", "c.html", "x.html"))
    files = ["--model", model, "--calculator", page, "--explorer", explorer]
    arguments = ["--label", "survival", "--positive", "survived", "--min-cell", "10", *QUICK]
    ended = elseif("fit", folder / "titanic.csv", *arguments, *files)
    assert ended.code == 0, ended.err
    assert "Counts are rounded" not in ended.out
    assert "Counts are rounded to multiples of 10;" in explorer.read_text(encoding="utf-8")
    assert "Counts are rounded to multiples of 10." in page.read_text()
    assert "Counts are rounded to multiples of 10." in elseif("show", model).out
    binary = [name for name, each in formats.FORMATS.items() if each.is_binary]
    for to in set(To) - {"json", *binary, *OF_COHORTS}:
        ended = elseif("export", folder / "titanic.json", "--to", to, "--min-cell", "10")
        assert ended.code == 0, ended.err
        assert "rounded to multiples of 10" in ended.out.replace("\\", "")
    ended = elseif("export", folder / "titanic.json", "--to", "json", "--min-cell", "10")
    assert json.loads(ended.out)["training"]["rounding"] == {"min_cell": 10, "step": 10}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (["--min-cell", "1"], "--min-cell"),
        (["--min-cell", "10", "--predict-with", "posterior"], "use --predict-with point, map"),
        (["--min-cell", "100000"], "too few people for --min-cell 100000"),
    ],
)
def test_min_cells_that_cannot_be(
    elseif: Run, folder: Path, tmp_path: Path, told: list[str], said: str
) -> None:
    model = tmp_path / "m.json"
    label = ["--label", "survival", "--positive", "survived"]
    ended = elseif("fit", folder / "titanic.csv", *label, *told, "--model", model, *QUICK)
    assert ended.code in (2, 3)
    assert said in ended.err
    assert not model.exists()


def test_a_rounded_model_is_not_edited(elseif: Run, folder: Path, tmp_path: Path) -> None:
    model, edited = tmp_path / "m.json", tmp_path / "edited.json"
    to = ["--to", "json", "--out", model, "--min-cell", "10"]
    assert elseif("export", folder / "titanic.json", *to).code == 0
    edited.write_text(json.dumps({"format": FORMAT, "version": VERSION, "antecedents": []}))
    ended = elseif("edit", model, folder / "titanic.csv", "--list", edited)
    assert ended.code == 3
    assert "saved with --min-cell" in ended.err


def test_the_program_exports_every_format() -> None:
    """What Python can write, the command line can; and a calculator and OHDSI's besides."""
    assert set(To) == {*formats.FORMATS, "calculator", "cdm-sql", "plp"}


def test_max_time_ends_a_fit(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """The list is there, the exit code is that of success, and a note says what was cut short."""
    model = tmp_path / "model.json"
    done = elseif(
        "fit", folder / "titanic.csv", "--label", "survival", "--positive", "survived",
        "--kernel", "tempered", "--max-time", "0.001", "--model", model, "--quiet",
    )  # fmt: skip
    assert done.code == 0
    assert "stopped by --max-time" in done.out
    assert "have not converged after 250 iterations" in done.err
    assert "Raise --max-time, or make the pool smaller" in done.err  # nothing can go on from here
    shown = elseif("show", model)
    assert shown.code == 0
    assert "stopped by --max-time" in shown.out
    assert elseif("fit", folder / "titanic.csv", "--label", "survival", "--max-time", 0).code == 2


def test_one_calculator_of_several_models(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """Named by their files; another format takes one model, and a range has two ends."""
    model, other = folder / "titanic.json", tmp_path / "again.json"
    other.write_bytes(model.read_bytes())
    options = ("--to", "calculator", "--about", "When to use=At sea.")
    page = elseif("export", model, other, *options).out
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert [each["name"] for each in data["models"]] == ["titanic", "again"]
    assert len(data["questions"]) == 3
    digest = json.loads(model.read_text())["sha256"]
    assert [each["hash"] for each in data["models"]] == [digest[:12]] * 2
    assert "At sea." in page
    assert "sql takes one model, not 2" in elseif("export", model, other, "--to", "sql").err
    assert "given twice" in elseif("export", model, model, *options).err
    assert "COLUMN=LOW:HIGH" in elseif("export", model, *options, "--range", "age=3").err
    assert "'age' is category" in elseif("export", model, *options, "--range", "age=3:4").err


@pytest.mark.parametrize("options", [[], ["--without-posterior"], ["--min-cell", "10"]])
def test_a_calculator_names_the_model_file_beside_it(
    elseif: Run, folder: Path, tmp_path: Path, options: list[str]
) -> None:
    """The hash on the page is that of the file; the report's AUC is the calculator's."""
    model, page, report = tmp_path / "m.json", tmp_path / "c.html", tmp_path / "r.html"
    arguments = ["--label", "survival", "--positive", "survived", *QUICK, *options]
    files = ["--model", model, "--calculator", page]
    if not options:
        files += ["--report", report]
    ended = elseif("fit", folder / "titanic.csv", *arguments, *files)
    assert ended.code == 0, ended.err
    text = page.read_text()
    assert f"<code>{json.loads(model.read_text())['sha256'][:12]}</code>" in text
    assert ("out of sample, 5-fold cross-validation" in text) == (not options)
    assert ("on the training data (too optimistic)" in text) == bool(options)


@pytest.mark.parametrize(("step", "words"), [(10, ""), (20, "rounded to multiples of 20, because")])
def test_coarser_rounding_than_asked_for_is_said(
    step: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    say_rounding(Rounding(10, step))
    said = capsys.readouterr().err
    assert words in said
    assert bool(said) == bool(words)
