"""A model of a cohort says where it comes from, in every file, and predicts in another database."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest
import yaml

from elseif import BayesianRuleListClassifier
from elseif.cli.main import run
from elseif.cohort import connect, extract, load_definition
from elseif.datasets import make_stroke_cdm
from elseif.errors import ModelFileError
from elseif.export.formats import FORMATS
from elseif.export.model_file import checksum, read_model
from elseif.report import explorer_page, report_page, summarise

SMALL = {"n_patients": 300, "n_others": 30, "n_concepts": 77}
OUR_NAME = "claims of a hospital"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two databases, the cohort of the first, and a model that elseif fit has made of it."""
    path = tmp_path_factory.mktemp("cohorts")
    make_stroke_cdm(path / "one.duckdb", **SMALL, random_state=0)
    make_stroke_cdm(path / "two.duckdb", **SMALL, random_state=1)
    source = ["--database", str(path / "one.duckdb"), "--schema", "cdm"]
    assert run(["extract", *source, "--out", str(path / "cohort")]) == 0
    model = ["--model", str(path / "model.json"), "--n-iter", "4000"]
    assert run(["fit", str(path / "cohort"), *model, "--quiet"]) == 0
    return path


def test_fit_reads_what_extract_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Features, label and cuts of age are the cohort's; the label need not be told."""
    model = read_model(folder / "model.json")
    definition = load_definition("stroke")
    assert model.metadata.outcome == "stroke"
    assert model.n == 300
    cuts = {c.value for c in model.pool.conditions if c.column == "age"}
    assert cuts <= set(map(float, definition.age_cuts))
    assert model.cohort is not None
    assert model.cohort["definition"] == definition.as_dict()
    assert model.cohort["definition_sha256"] == definition.sha256
    named = {c["column"] for c in model.cohort["concepts"]}
    assert named == {c.column for c in model.pool.conditions} - {"age", "sex"}
    command = ["fit", str(folder / "cohort"), "--label", "death"]
    assert run(command) == 2
    assert "the outcome of the cohort" in capsys.readouterr().err
    assert run(["predict", str(folder / "model.json"), str(folder / "cohort")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 301


@pytest.mark.parametrize("to", [*FORMATS, "calculator"])
@pytest.mark.parametrize("options", [[], ["--min-cell", "10"]], ids=["exact", "rounded"])
def test_every_export_says_synthetic(
    folder: Path, to: str, options: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "exported"
    made = run(["export", str(folder / "model.json"), "--to", to, "--out", str(out), *options])
    assert made == 0
    word = b'"synthetic": true' if to == "json" else b"SYNTHETIC"
    assert word in out.read_bytes()


def test_every_page_says_synthetic(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(folder / "model.json")
    report, explorer = folder / "report.html", folder / "explorer.html"
    command = ["report", model, str(folder / "cohort"), "--folds", "2", "--quiet"]
    assert run([*command, "--out", str(report), "--explorer", str(explorer)]) == 0
    for page in (report, explorer):
        title = page.read_text("utf-8").partition("</title>")[0].rpartition(">")[2]
        assert title.startswith("SYNTHETIC patients: ")
    assert run(["show", model]) == 0
    assert "SYNTHETIC patients, made up by a program" in capsys.readouterr().out


def test_a_hospital_is_not_called_synthetic(folder: Path) -> None:
    """The same rows under another name; the flag of the file is what pages go by."""
    with connect(folder / "one.duckdb", schema="cdm") as database:
        cohort = extract(database, "stroke")
    table = cohort.table()
    assert table.origin is not None
    table.origin = {**table.origin, "synthetic": False, "source_names": [OUR_NAME]}
    clf = BayesianRuleListClassifier(max_cardinality=1, cuts=cohort.cuts, random_state=0)
    clf.fit(table, cohort.labels())
    page = report_page(summarise(clf, table, cohort.labels(), folds=2))
    assert "SYNTHETIC" not in page
    assert "SYNTHETIC" not in explorer_page(clf, table, cohort.labels())


def test_warnings_are_in_the_report(folder: Path) -> None:
    """Groups that nobody has, and concepts that the vocabulary lacks."""
    with connect(folder / "one.duckdb", schema="cdm") as database:
        cohort = extract(database, "stroke")
    table = cohort.table()
    assert table.origin is not None
    gap, empty = "316139 Heart failure has no row of its own", "diabetes: recorded of nobody"
    table.origin = {**table.origin, "warnings": [gap], "empty_groups": [empty]}
    clf = BayesianRuleListClassifier(max_cardinality=1, cuts=cohort.cuts, random_state=0)
    clf.fit(table, cohort.labels())
    exact = summarise(clf, table, cohort.labels(), folds=2)
    assert {gap, empty} <= set(exact.about.notes)
    assert gap in report_page(exact)
    rounded = summarise(clf, table, cohort.labels(), folds=2, min_cell=10)
    assert gap in rounded.about.notes
    assert empty not in rounded.about.notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"definition_sha256": "0" * 64}, "not the one that its SHA-256 is of"),
        (
            {"concepts": [{"column": "nothing", "concept_id": 1, "domain": "drug"}]},
            "do not exist",
        ),
        ({"empty_groups": "all"}, "cohort"),
    ],
)
def test_a_cohort_that_does_not_fit(
    folder: Path, change: dict[str, object], words: str, tmp_path: Path
) -> None:
    document = json.loads((folder / "model.json").read_text())
    document["cohort"] |= change
    document["sha256"] = checksum(document)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=words):
        read_model(path)


def test_validate_on_another_database(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Concepts are matched by id, whatever they are called there; what is absent is false."""
    model = read_model(folder / "model.json")
    assert model.cohort is not None
    used = {c for a in model.rule_list.antecedents for c in a.columns} - {"age", "sex"}
    ids = {c["column"]: c["concept_id"] for c in model.cohort["concepts"]}
    first = ids[sorted(used)[0]] if used else next(iter(ids.values()))
    with duckdb.connect(str(folder / "two.duckdb")) as connection:
        connection.execute(
            "UPDATE cdm.concept SET concept_name = 'called otherwise' WHERE concept_id = ?", [first]
        )
    results = folder / "two.json"
    command = ["validate", str(folder / "model.json"), "--database", str(folder / "two.duckdb")]
    command += ["--schema", "cdm", "--results", str(results), "--recalibrated"]
    assert run([*command, str(folder / "two-model.json"), "--quiet"]) == 0
    assert "SYNTHETIC patients: stroke within a year" in capsys.readouterr().out
    with connect(folder / "two.duckdb", schema="cdm") as database:
        cohort = extract(database, "stroke")
    names = dict(zip(cohort.catalogue["concept_id"], cohort.catalogue["name"], strict=True))
    frame = cohort.table().to_frame(["age", "sex"])
    for column, concept in ids.items():
        known = names.get(concept)
        frame[column] = False if known is None else cohort.table().to_frame([known])[known]
    for column in set(model.feature_names or []) - set(frame.columns):
        frame[column] = False
    risk = model.predict_proba(frame)[:, 1]
    numbers = json.loads(results.read_text())
    expected = sum(line["expected"] for line in numbers["lines"])
    assert expected == pytest.approx(risk.sum())
    assert numbers["n_events"] == int(np.sum(cohort.outcome))
    again = read_model(folder / "two-model.json")
    assert again.is_synthetic
    assert again.recalibrated is not None


def test_another_definition_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cohort by another definition is judged, with a note."""
    own = folder / "other.yaml"
    definition = {**load_definition("stroke").as_dict(), "name": "other", "age_cuts": [60]}
    own.write_text(yaml.safe_dump(definition))
    source = ["--database", str(folder / "two.duckdb"), "--schema", "cdm"]
    command = ["extract", *source, "--definition", str(own), "--out", str(folder / "other")]
    assert run(command) == 0
    assert run(["validate", str(folder / "model.json"), str(folder / "other")]) == 0
    assert "extracted by another definition (other)" in " ".join(capsys.readouterr().err.split())
