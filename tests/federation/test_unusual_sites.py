"""Sites that share nobody, only one site, names that hide things, and made-up patients."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from elseif.errors import FederationError, ModelFileError
from elseif.evaluation.updating import recalibrate
from elseif.export import export_model, read_model, save_model
from elseif.export.model_file import checksum
from elseif.federation import (
    Federated,
    Plan,
    SiteCounts,
    count_site,
    federate,
    federation_page,
    make_plan,
    read_site,
    save_site,
)
from elseif.federation.federation_report import federation_page as page_of
from elseif.federation.federation_text import federation_text
from elseif.tables.federated import federation_in_short, federation_sentences

HOSTILE = "ward\x1b[31m \u202e<script>alert(1)</script>\nx"


def people(n: int = 400, seed: int = 0, labels: Sequence[str] = ("no", "yes")) -> Any:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"old": rng.random(n) < 0.5, "smoker": rng.random(n) < 0.4})
    risk = 0.1 + 0.4 * X["old"] + 0.3 * X["smoker"]
    y = np.where(rng.random(n) < risk, labels[-1], labels[0])
    if len(labels) > 2:
        y[:: n // 4] = labels[1]
    return X, pd.Series(y, name="event")


@cache
def plan_of(labels: tuple[str, ...] = ("no", "yes")) -> Plan:
    X, y = people(labels=labels)
    return make_plan(X, y, name="ours", min_support=0.05, max_cardinality=1)


def site(seed: int, name: str, **settings: Any) -> SiteCounts:
    return count_site(plan_of(), *people(seed=seed), site=name, **settings)


def found_of(*sites: SiteCounts, **settings: Any) -> Federated:
    return federate(plan_of(), sites, random_state=0, expected_length=1, **settings)


def healthy(n: int, name: str, min_cell: int | None = 5) -> SiteCounts:
    """Nobody has the event, and a line or two are of nobody."""
    X = pd.DataFrame({"old": [False] * n, "smoker": [True] * 3 + [False] * (n - 3)})
    return count_site(plan_of(), X, ["no"] * n, site=name, min_cell=min_cell)


def test_bounds_where_only_one_label_is_withheld() -> None:
    reported = found_of(site(1, "a"), healthy(40, "b"))
    empty = [line for line in reported.lines if line.site == "b" and not line.n]
    assert empty
    assert all(line.low == line.high == 0 for line in empty)
    for text in (federation_text(reported), page_of(reported).split("<script")[0]):
        assert "nan" not in text.lower()


def test_a_site_that_shares_nobody_is_judged_by_nothing() -> None:
    X, y = people(6, seed=3)
    nobody = count_site(plan_of(), X, y, site="tiny", min_cell=5)
    assert not len(nobody.patterns)
    reported = found_of(site(1, "a"), site(2, "b"), nobody, leave_one_out=True)
    assert "nan" not in federation_text(reported).lower()
    page = page_of(reported)
    assert "At most" in page.split("missing</p>")[0].split('class="headline">')[-1]


def test_one_site_is_compared_with_none() -> None:
    page = federation_page(found_of(site(1, "a")))
    assert "differ between sites" not in page
    assert "--leave-one-out" not in page
    assert "one site" in page


def test_hostile_names_are_spelt_out_everywhere() -> None:
    reported = found_of(site(1, HOSTILE), site(2, "b", min_cell=5), leave_one_out=True)
    for text in (federation_page(reported), federation_text(reported)):
        assert not {"\x1b", "\u202e"} & set(text)
    assert "<script>alert" not in federation_page(reported)


@pytest.mark.parametrize("name", ["", "  ", "x" * 1_001, "half \ud800", 5])
def test_names_that_no_file_can_hold(name: Any, tmp_path: Path) -> None:
    X, y = people()
    with pytest.raises(FederationError, match="site"):
        count_site(plan_of(), X, y, site=name)
    with pytest.raises(FederationError, match="name of the plan"):
        make_plan(X, y, name=name)
    path = save_site(site(1, "a"), tmp_path / "site.json")
    path.write_text(path.read_text().replace('"site": "a"', f'"site": {json.dumps(name)}'))
    with pytest.raises(FederationError):
        read_site(path, plan_of())


def test_three_labels_in_good_english() -> None:
    labels = ("dead", "home", "ward")
    plan = plan_of(labels)
    sites = [
        count_site(plan, *people(seed=i, labels=labels), site=f"s{i}", min_cell=5) for i in (1, 2)
    ]
    federation = federate(plan, sites, random_state=0, expected_length=1)
    said = " ".join(federation_sentences(federation.model.federation))
    assert "labelled dead, 1 to 4 labelled home and " in said
    assert "Nobody labelled home is left: the list does not know this label." in said


def test_a_rounded_model_does_not_forget_that_some_may_be_missing(tmp_path: Path) -> None:
    # 40 people are withheld, which a step of 200 rounds to nobody
    reported = found_of(site(1, "a"), healthy(40, "b"))
    assert 0 < sum(reported.model.federation["most_withheld"]) < 100
    rounded = read_model(save_model(reported.classifier, tmp_path / "m.json", None, min_cell=200))
    assert not any(rounded.federation["most_withheld"])
    assert "may have been withheld" in federation_in_short(rounded.federation)
    assert "may have been withheld" in export_model(rounded, to="python")


def spoilt(path: Path, change: Any) -> Path:
    document = json.loads(path.read_text())
    change(document["federation"])
    document["sha256"] = checksum(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("min_cell", "change", "message"),
    [
        (None, lambda f: f["sites"][0]["shared"].reverse(), "do not add up to those of the model"),
        (None, lambda f: f["sites"][1].update(min_cell=10**6), "a count below its minimum cell"),
        (50, lambda f: [s.update(min_cell=None) for s in f["sites"]], "withholds nobody"),
        (None, lambda f: f["labels"].__setitem__(0, f["labels"][1]), "label twice"),
    ],
)
def test_a_crafted_file_is_refused(
    min_cell: int | None, change: Any, message: str, tmp_path: Path
) -> None:
    reported = found_of(site(1, "a"), healthy(400, "b", min_cell=100))
    path = save_model(reported.classifier, tmp_path / "m.json", None, min_cell=min_cell)
    with pytest.raises(ModelFileError, match=message):
        read_model(spoilt(path, change))


def test_a_recalibrated_list_is_not_of_the_sites_alone() -> None:
    reported = found_of(site(1, "a"), site(2, "b", min_cell=60))
    alone = "probabilities are based on the remaining people"
    assert alone in " ".join(federation_sentences(reported.model.federation))
    made = recalibrate(reported.model, *people(seed=9), discount=0.5)
    said = " ".join(federation_sentences(made.federation, is_recalibrated=True))
    assert alone not in said
    assert "The earlier cases are the remaining people." in said


def test_validation_on_a_site_says_that_its_people_may_be_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model of counts has no fingerprint of rows, so nobody can tell whether they are its own."""
    reported = found_of(site(1, "a"), site(2, "b"))
    model, table = tmp_path / "m.json", tmp_path / "rows.csv"
    save_model(reported.classifier, model)
    X, y = people(seed=1)
    X.assign(event=y).to_csv(table, index=False)
    assert run(["validate", str(model), str(table)]) == 0
    assert "If these people are among them" in " ".join(capsys.readouterr().err.split())


def test_made_up_patients_of_one_site_are_said_everywhere(tmp_path: Path) -> None:
    made_up = replace(site(1, "a"), synthetic=True)
    path = save_site(made_up, tmp_path / "a.json")
    assert read_site(path, plan_of()).synthetic
    assert "synthetic" not in save_site(site(1, "a"), tmp_path / "real.json").read_text()
    reported = found_of(made_up, site(2, "b"))
    assert reported.model.is_synthetic
    assert "SYNTHETIC" in federation_text(reported)
    assert "SYNTHETIC" in federation_page(reported).split("</title>")[0]
    for min_cell in (None, 10):
        file = save_model(
            reported.classifier, tmp_path / f"{min_cell}.json", None, min_cell=min_cell
        )
        model = read_model(file)
        assert model.is_synthetic
        assert "SYNTHETIC" in export_model(model, to="sql")
        assert "SYNTHETIC" in " ".join(federation_sentences(model.federation))


def test_a_site_hears_what_its_database_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from elseif.datasets import make_stroke_cdm

    url = str(tmp_path / "one.duckdb")
    make_stroke_cdm(url, n_patients=200, n_others=20, n_concepts=77, random_state=0)
    cohort, plan = str(tmp_path / "cohort"), str(tmp_path / "plan.json")
    source = ["--database", url, "--schema", "cdm"]
    assert run(["extract", *source, "--out", cohort]) == 0
    assert run(["plan", cohort, "--out", plan]) == 0
    import duckdb

    with duckdb.connect(url) as database:
        database.execute("DELETE FROM cdm.concept_ancestor")
    capsys.readouterr()
    out = tmp_path / "site.json"
    assert run(["site", plan, *source, "--name", "one", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "concept_ancestor" in printed.out + printed.err
    assert "persons" in printed.out  # and how many each step left
    assert json.loads(out.read_text())["synthetic"] is True


def test_a_rounded_model_does_not_hold_the_plan(tmp_path: Path) -> None:
    """The plan's antecedents are from the rows of one site, and may name categories of few."""
    X, y = people(400)
    region = np.where(np.arange(400) < 3, "isle", np.where(np.arange(400) % 2, "east", "west"))
    X = X.assign(region=region, stage=np.where(np.arange(400) == 7, "late", "early"))
    kinds = {"stage": ["early", "late"]}
    plan = make_plan(X, y, min_support=1, max_cardinality=1, kinds=kinds)
    assert any("isle" in antecedent.name for antecedent in plan.antecedents)
    halves = [(X[i::2], y[i::2]) for i in (0, 1)]
    sites = [count_site(plan, *half, site=f"s{i}") for i, half in enumerate(halves)]
    federation = federate(plan, sites, random_state=0, n_iter=2000, expected_length=1)
    path = save_model(federation.classifier, tmp_path / "m.json", min_cell=10)
    named = {c.column for a in read_model(path).rule_list.antecedents for c in a}
    assert "region" not in named
    assert "stage" not in named
    text = path.read_text()
    assert "isle" not in text
    assert "late" not in text
    assert read_model(path).predict_proba(X).shape == (400, 2)
    exact = save_model(federation.classifier, tmp_path / "exact.json")
    assert "isle" in exact.read_text()


def test_a_folder_for_patient_level_prediction_says_where_it_was_learnt(tmp_path: Path) -> None:
    from elseif.datasets import make_stroke_cdm

    url, folder = str(tmp_path / "one.duckdb"), str(tmp_path)
    make_stroke_cdm(url, n_patients=300, n_others=20, n_concepts=77, random_state=0)
    assert run(["extract", "--database", url, "--schema", "cdm", "--out", f"{folder}/cohort"]) == 0
    few = ["--max-cardinality", "1", "--min-support", "0.5"]
    assert run(["plan", f"{folder}/cohort", "--out", f"{folder}/plan.json", *few]) == 0
    count = ["site", f"{folder}/plan.json", f"{folder}/cohort", "--min-cell", "2"]
    assert run([*count, "--name", "Ours", "--out", f"{folder}/site.json"]) == 0
    fit = ["federate", f"{folder}/plan.json", f"{folder}/site.json", "--n-iter", "2000"]
    assert run([*fit, "--model", f"{folder}/m.json"]) == 0
    assert run(["export", f"{folder}/m.json", "--to", "plp", "--out", f"{folder}/plp"]) == 0
    details = json.loads((tmp_path / "plp" / "trainDetails.json").read_text())
    assert details["developmentDatabase"] == "Ours"
    assert "people in small patterns were withheld" in " ".join(details["about"])


def test_a_site_with_other_codes_is_told() -> None:
    X, y = people()
    sex = np.where(np.arange(len(y)) % 2, "female", "male")
    plan = make_plan(X.assign(sex=sex), y, min_support=0.05, max_cardinality=1)
    count_site(plan, X.assign(sex="female"), y, site="all women")
    with pytest.warns(UserWarning, match="No category of column 'sex' is one of the plan's"):
        count_site(plan, X.assign(sex=np.arange(len(y)) % 2), y, site="coded")
