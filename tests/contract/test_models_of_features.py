"""A model of rolled-up, windowed and measured features predicts in another database."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from elseif import BayesianRuleListClassifier
from elseif.cli.main import run
from elseif.cohort import connect, extract, load_definition
from elseif.export.model_file import read_model
from tests.cohort.engines import write_duckdb
from tests.cohort.rich import BASE, GRAM, OTHER_GRAM, rich_database

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*values in other units:UserWarning"),
    pytest.mark.filterwarnings("ignore:The table concept_ancestor:UserWarning"),
    pytest.mark.filterwarnings("ignore:Nobody in the cohort:UserWarning"),
]
DEFINITION = {
    **BASE,
    "features": [
        {"domain": "drug", "rollup": "ingredient", "window": [-365, -1], "at_least": [1, 2]},
        {"domain": "condition", "rollup": "groups"},
        {"domain": "measurement", "value": "last"},
        {"domain": "visit", "value": "count", "window": [-365, -1]},
    ],
    "outcomes": {"bleeding": {"include": [{"id": 437312, "name": "Bleeding"}]}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two databases, of which the second measures in other units, and a model of the first."""
    path = tmp_path_factory.mktemp("features")
    write_duckdb(path / "one.duckdb", rich_database(5, n_persons=200))
    other = rich_database(6, n_persons=150)
    swapped = {GRAM: OTHER_GRAM, OTHER_GRAM: GRAM}
    rows = [(*row[:4], swapped.get(row[4], row[4])) for row in other.measurements or ()]
    write_duckdb(path / "two.duckdb", replace(other, measurements=rows))  # type: ignore[arg-type]
    (path / "own.yaml").write_text(yaml.safe_dump(DEFINITION))
    command = ["extract", "--database", str(path / "one.duckdb"), "--schema", "cdm", "--quiet"]
    assert (
        run([*command, "--definition", str(path / "own.yaml"), "--out", str(path / "cohort")]) == 0
    )
    command = ["fit", str(path / "cohort"), "--label", "bleeding", "--quiet", "--n-iter", "2000"]
    command += ["--min-support", "0.05", "--max-cardinality", "1"]
    assert run([*command, "--model", str(path / "model.json")]) == 0
    return path


def test_a_model_keeps_what_its_columns_are(folder: Path) -> None:
    """Feature, unit and covariate id of every column that a condition names."""
    model = read_model(folder / "model.json")
    assert model.metadata.outcome == "bleeding"
    assert model.cohort is not None
    columns = {c.column for c in model.pool.conditions} - {"age", "sex"}
    concepts = {c["column"]: c for c in model.cohort["concepts"]}
    assert set(concepts) == columns
    aspirin = concepts["aspirin (ingredient), last 365 days"]
    assert (aspirin["concept_id"], aspirin["covariate_id"]) == (1000, 1000410)
    assert aspirin["feature"] == "ingredient, -365 to -1"
    heart = concepts["heart disease"]
    assert (heart["concept_id"], heart["covariate_id"]) == (10, 10209)
    hemoglobin = concepts["Hemoglobin (gram per deciliter), last value"]
    assert hemoglobin["feature"] == "last, any"
    assert hemoglobin["unit_concept_id"] == GRAM
    assert hemoglobin["covariate_id"] == 3000963 * 1_000_000 + GRAM % 1000 * 1000 + 705
    names = set(model.feature_names or ())
    assert "stroke" not in names
    assert "bleeding" not in names


def test_validation_asks_for_the_same_features(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Risks elsewhere are those of columns that are matched by hand, in the model's units."""
    results = folder / "two.json"
    command = ["validate", str(folder / "model.json"), "--database", str(folder / "two.duckdb")]
    assert run([*command, "--schema", "cdm", "--results", str(results), "--quiet"]) == 0
    model = read_model(folder / "model.json")
    assert model.cohort is not None
    with connect(folder / "two.duckdb", schema="cdm") as database:
        cohort = extract(database, load_definition(folder / "own.yaml"))
    kept = cohort.number_catalogue
    assert OTHER_GRAM in set(kept["unit_concept_id"])  # which the model does not ask for
    table = cohort.table_for(model.feature_names or [], model.cohort["concepts"])
    for concept in model.cohort["concepts"]:
        if concept["feature"] != "last, any":
            continue
        numbers = cohort.numbers
        assert numbers is not None
        places = numbers.places()
        unit = concept["unit_concept_id"]
        index = places[concept["concept_id"], "measurement", "last, any", unit]
        expected = numbers.frame([index], ["x"])["x"].to_numpy()
        np.testing.assert_array_equal(table.frame[concept["column"]].to_numpy(), expected)
        assert 0 < np.isfinite(expected).sum() < len(cohort)
    risk = model.predict_proba(table)[:, 1]
    numbers_of = json.loads(results.read_text())
    assert sum(line["expected"] for line in numbers_of["lines"]) == pytest.approx(risk.sum())
    assert numbers_of["n_events"] == int(cohort.labels("bleeding").sum())
    capsys.readouterr()
    assert run(["validate", str(folder / "model.json"), str(folder / "cohort")]) == 0


@pytest.mark.filterwarnings("ignore:The chains have not converged")
def test_the_table_is_one_to_learn_from(folder: Path) -> None:
    """Numbers are columns of the table, beside age and sex; other outcomes are none."""
    with connect(folder / "one.duckdb", schema="cdm") as database:
        cohort = extract(database, load_definition(folder / "own.yaml"))
    table = cohort.table()
    assert list(table.frame.columns) == ["age", "sex", *cohort.values.columns]
    clf = BayesianRuleListClassifier(
        cuts=cohort.cuts, max_cardinality=1, min_support=0.05, n_iter=500, random_state=0
    )
    clf.fit(table, cohort.labels("bleeding"))
    assert clf.model_.cohort is not None


def test_a_site_counts_the_outcome_of_the_plan(folder: Path) -> None:
    """One that is not the first of the definition."""
    from elseif.cohort import read_cohort
    from elseif.federation import read_plan, read_site

    plan, counts = folder / "plan.json", folder / "site.json"
    command = ["plan", str(folder / "cohort"), "--label", "bleeding", "--min-support", "0.05"]
    assert run([*command, "--max-cardinality", "1", "--out", str(plan)]) == 0
    command = ["site", str(plan), str(folder / "cohort"), "--name", "A", "--out", str(counts)]
    assert run(command) == 0
    labels = read_cohort(folder / "cohort").labels("bleeding")
    site = read_site(counts, read_plan(plan))
    assert site.counts.sum(axis=0).tolist() == [int((~labels).sum()), int(labels.sum())]
