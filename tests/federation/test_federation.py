"""Counts of sites give the posterior of their rows together, to the last bit."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from elseif.cli.main import run
from elseif.cohort import connect, extract, load_definition
from elseif.datasets import load_titanic, make_stroke_cdm
from elseif.errors import DataError, ParamError
from elseif.export import export_model, load_model, read_model, save_model
from elseif.federation import count_site, federate, make_plan, read_plan, read_site, save_plan
from elseif.federation.pooled_counts import PooledCounts
from tests.federation.sites import SHORT, digest, fitted_to_rows, nwtco, split


def federated(*arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return federate(*arguments, **options)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"kernel": "paper"},
        {"pseudocounts": {0: 2, 1: 0.5}, "predict_with": "projected"},
        {"antecedent_weights": {"stage": 3.0}},
    ],
    ids=["tempered", "paper", "pseudocounts", "weights"],
)
def test_draws_of_nwtco_by_institution(settings: dict[str, Any]) -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, name="nwtco", min_support=0.05)
    federation = federated(plan, split(plan, X, y, institution), **SHORT, **settings)
    rows = fitted_to_rows(plan, X, y, **SHORT, **settings)
    assert digest(federation.model.posterior) == digest(rows.posterior_)
    assert str(federation.model.rule_list) == str(rows.rule_list_)
    np.testing.assert_array_equal(federation.model.predict_proba(X), rows.predict_proba(X))
    assert federation.model.n == len(X) == federation.model.fit_report.n_rows


def test_exact_draws_and_order_of_sites() -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.3, max_cardinality=1)
    sites = split(plan, X, y, np.arange(len(X)) % 7)
    federation = federate(plan, sites, random_state=0)
    assert federation.model.posterior.exact is not None
    rows = fitted_to_rows(plan, X, y, random_state=0)
    assert digest(federation.model.posterior) == digest(rows.posterior_)
    other_way = federate(plan, sites[::-1], random_state=0)
    assert digest(other_way.model.posterior) == digest(federation.model.posterior)
    to_learn = {"expected_length": "learn", "random_state": 0}
    learnt = federate(plan, sites, **to_learn)
    of_rows = fitted_to_rows(plan, X, y, **to_learn)
    assert learnt.model.learnt == of_rows.learnt_
    assert digest(learnt.model.posterior) == digest(of_rows.posterior_)
    by_institution = federate(plan, split(plan, X, y, institution), random_state=0)
    assert digest(by_institution.model.posterior) == digest(federation.model.posterior)


def test_draws_of_the_synthetic_database_split_in_five(tmp_path: Path) -> None:
    make_stroke_cdm(
        tmp_path / "one.duckdb", n_patients=400, n_others=20, n_concepts=77, random_state=0
    )
    with connect(tmp_path / "one.duckdb", "cdm") as database:
        cohort = extract(database, load_definition("stroke"))
    X, y = cohort.table(), cohort.labels()
    plan = make_plan(X, y, min_support=0.1, cuts={"age": [50.0, 60.0, 70.0]})
    assert plan.cohort is not None
    assert plan.cohort["synthetic"]
    frame = X.to_frame()
    sites = split(plan, frame, y, np.arange(len(frame)) % 5)
    federation = federated(plan, sites, **SHORT)
    rows = fitted_to_rows(plan, X, y, **SHORT)
    assert digest(federation.model.posterior) == digest(rows.posterior_)
    assert federation.model.is_synthetic


def mixed(n: int = 600) -> tuple[pd.DataFrame, pd.Series]:
    """Every kind of column, with missing values and a rare category."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 90, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    X = pd.DataFrame(
        {
            "age": age,
            "smoker": rng.random(n) < 0.3,
            "region": rng.choice(["north", "south", "east"], n, p=[0.5, 0.4, 0.1]),
            "stage": pd.Categorical(
                rng.choice(["I", "II", "III"], n), categories=["I", "II", "III"], ordered=True
            ),
            "seen": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    X.loc[0, "region"] = "the one person of the isle"
    risk = 0.1 + 0.4 * (age > 60) + 0.3 * X["smoker"].to_numpy()
    y = pd.Series(np.where(rng.random(n) < risk, "yes", "no"), name="stroke")
    return X, y


def test_every_kind_of_column_and_what_a_site_does_not_tell(tmp_path: Path) -> None:
    X, y = mixed()
    plan = make_plan(X, y, name="mixed", negations=True)
    text = save_plan(plan, tmp_path / "plan.json").read_text()
    assert "isle" not in text
    again = read_plan(tmp_path / "plan.json")
    assert again.sha256 == plan.sha256
    assert again.antecedents == plan.antecedents
    site = np.arange(len(X)) % 3
    X = X.assign(name=[f"person {i}" for i in range(len(X))])  # of which the plan knows nothing
    sites = split(again, X, y, site)
    federation = federated(again, sites, **SHORT)
    rows = fitted_to_rows(plan, X[[c.name for c in plan.columns]], y, **SHORT)
    assert digest(federation.model.posterior) == digest(rows.posterior_)
    saved = save_model(federation.model, tmp_path / "model.json")
    loaded = load_model(saved)
    X = X[[c.name for c in plan.columns]]
    np.testing.assert_array_equal(loaded.predict_proba(X), rows.predict_proba(X))
    for word in ("isle", "person"):
        assert word not in saved.read_text()
    assert "CASE" in export_model(loaded, "sql")


def test_lines_by_site_are_those_of_the_rows() -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.1)
    federation = federated(plan, split(plan, X, y, institution), **SHORT)
    line = federation.model.rule_list.captured_in(federation.model.read(X))
    for each in federation.lines:
        inside = (line == each.line) & (institution.to_numpy() == int(each.site[-1]))
        assert (each.n, each.n_events) == (inside.sum(), y[inside].sum())
        assert each.low == each.high or each.n == 0


def test_sites_are_judged_beside_checkpoints(tmp_path: Path) -> None:
    """The folder belongs to the fit of all sites; those without one site leave it alone."""
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.1)
    sites = split(plan, X, y, institution)
    plain = federated(plan, sites, leave_one_out=True, **SHORT)
    kept = federated(plan, sites, leave_one_out=True, checkpoint=tmp_path / "kept", **SHORT)
    assert [each.auc for each in kept.left_out] == [each.auc for each in plain.left_out]
    assert str(kept.model.rule_list) == str(plain.model.rule_list)


def test_a_site_judged_by_the_others() -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.1)
    sites = split(plan, X, y, institution)
    federation = federated(plan, sites, leave_one_out=True, **SHORT)
    for judged, rows in zip(federation.left_out, (1, 2), strict=True):
        others = institution != rows
        learnt = fitted_to_rows(plan, X[others], y[others], **SHORT)
        risk = learnt.predict_proba(X[~others])[:, 1]
        truth = y[~others]
        assert judged.auc.value == pytest.approx(roc_auc_score(truth, risk))
        assert judged.observed_to_expected == pytest.approx(truth.sum() / risk.sum())
        assert judged.brier.score.value == pytest.approx(np.mean((truth - risk) ** 2))
    with pytest.raises(ParamError, match="two sites"):
        federated(plan, sites[:1], leave_one_out=True, **SHORT)


def test_sites_are_counted_once() -> None:
    X, y = load_titanic()
    plan = make_plan(X, y)
    one = count_site(plan, X, y, site="one")
    with pytest.raises(DataError, match="named 'one'"):
        federate(plan, [one, one])
    with pytest.raises(DataError, match="one site under two names"):
        federate(plan, [one, count_site(plan, X, y, site="two")])
    with pytest.raises(ParamError, match="at least one site"):
        federate(plan, [])
    other = make_plan(X, y, min_support=0.2)
    with pytest.raises(ParamError, match="another plan"):
        federate(other, [one])


def test_faults_of_a_site() -> None:
    X, y = load_titanic()
    plan = make_plan(X, y)
    with pytest.raises(DataError, match=r"lacks 1 of the plan's 3 columns: 'sex'"):
        count_site(plan, X.drop(columns="sex"), y, site="one")
    with pytest.raises(DataError, match="label 'lost'"):
        count_site(plan, X, y.astype(object).where(np.arange(len(y)) > 3, "lost"), site="one")
    unknown = y.astype(object).where(np.arange(len(y)) > 3, None)
    with pytest.raises(DataError, match="4 labels are missing"):
        count_site(plan, X, unknown, site="one")
    counted = count_site(plan, X, unknown, site="one", missing_y="drop")
    assert counted.n_shared.sum() == len(X) - 4


def test_labels_that_nobody_has_are_left_out() -> None:
    X, y, _ = nwtco()
    three = y.where(np.arange(len(y)) > 0, 2)
    plan = make_plan(X, three, min_support=0.1)
    sites = split(plan, X[1:], three[1:], np.arange(len(X) - 1) % 2)
    federation = federated(plan, sites, **SHORT)
    rows = fitted_to_rows(plan, X[1:], three[1:], **SHORT)
    assert digest(federation.model.posterior) == digest(rows.posterior_)
    nobody = PooledCounts.of(plan, sites)
    with pytest.raises(DataError, match="fewer than two labels"):
        PooledCounts(plan, nobody.patterns, nobody.counts * [1, 0, 0]).labels()


def test_the_three_verbs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y, institution = nwtco()
    table = X.assign(rel=y)
    folder = tmp_path
    table.to_csv(folder / "all.csv", index=False)
    plan = str(folder / "plan.json")
    assert run(["plan", str(folder / "all.csv"), "--label", "rel", "--out", plan]) == 0
    for i in (1, 2):
        path = folder / f"rows{i}.csv"
        table[institution == i].to_csv(path, index=False)
        options = ["--name", f"site {i}", "--out", str(folder / f"site{i}.json")]
        assert run(["site", plan, str(path), *options]) == 0
    capsys.readouterr()
    counts = [str(folder / "site1.json"), str(folder / "site2.json")]
    model, results = str(folder / "model.json"), str(folder / "results.json")
    options = ["--n-iter", "4000", "--model", model, "--results", results, "--leave-one-out"]
    assert run(["federate", plan, *counts, *options]) == 0
    shown = capsys.readouterr().out
    for words in (
        "shared in place of rows",
        "by site",
        "evaluated with the list learnt from all others",
    ):
        assert words in shown
    rows = fitted_to_rows(read_plan(plan), X, y, n_iter=4000, random_state=0)
    assert digest(read_model(model).posterior) == digest(rows.posterior_)
    numbers = json.loads(Path(results).read_text())
    assert len(numbers["left_out"]) == 2
    assert run(["show", model]) == 0
    assert run(["export", model, "--to", "sql"]) == 0
    assert run(["validate", model, str(folder / "rows2.csv")]) == 0
    kept = ["--checkpoint", str(folder / "kept"), "--n-iter", "4000"]
    (folder / "kept").mkdir()
    (folder / "kept" / "letter.txt").write_text("not a checkpoint")
    assert run(["federate", plan, *counts, *kept]) != 0
    assert "contains files other than checkpoints" in capsys.readouterr().err
    (folder / "kept" / "letter.txt").unlink()
    federated(read_plan(plan), [read_site(path, read_plan(plan)) for path in counts],
              checkpoint=folder / "kept", n_iter=4000, random_state=0)  # fmt: skip
    assert any((folder / "kept").iterdir())  # which the command goes on from, and removes
    assert run(["federate", plan, *counts, *kept, "--model", model, "--force"]) == 0
    assert digest(read_model(model).posterior) == digest(rows.posterior_)
    assert not (folder / "kept").exists()
    rounded = ["--min-cell", "10", "--model", str(folder / "rounded.json"), "--n-iter", "4000"]
    assert run(["federate", plan, *counts, *rounded]) == 0
    assert run(["federate", plan, *counts, *rounded, "--force", "--results", results]) == 2
    assert "--results cannot be written" in capsys.readouterr().err
    assert run(["site", plan, str(folder / "rows1.csv")]) == 2
    assert "--name" in capsys.readouterr().err
    assert run(["federate", plan, plan]) == 5
    assert "is not a file of the format" in capsys.readouterr().err


def test_the_database_of_another_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan of a cohort asks another database by concept id, and counts as its extraction."""
    small = {"n_patients": 200, "n_others": 20, "n_concepts": 77}
    for i, name in enumerate(("one", "two")):
        make_stroke_cdm(tmp_path / f"{name}.duckdb", **small, random_state=i)
    one, two = (str(tmp_path / f"{name}.duckdb") for name in ("one", "two"))
    cohort, plan = str(tmp_path / "cohort"), str(tmp_path / "plan.json")
    assert run(["extract", "--database", one, "--schema", "cdm", "--out", cohort]) == 0
    assert run(["plan", cohort, "--out", plan]) == 0
    out = str(tmp_path / "two.json")
    source = ["--database", two, "--schema", "cdm"]
    assert run(["site", plan, *source, "--name", "two", "--out", out]) == 0
    with connect(two, "cdm") as database:
        result = extract(database, load_definition("stroke"))
    agreed = read_plan(plan)
    names = [column.name for column in agreed.columns]
    counted = count_site(
        agreed, result.table_for(names, agreed.cohort["concepts"]), result.labels(), site="two"
    )
    from elseif.federation import read_site

    read = read_site(out, agreed)
    np.testing.assert_array_equal(read.patterns, counted.patterns)
    np.testing.assert_array_equal(read.counts, counted.counts)
    folder = ["site", plan, cohort, "--name", "one", "--out", str(tmp_path / "one.json")]
    assert run(folder) == 0
    both = ["federate", plan, out, str(tmp_path / "one.json"), "--n-iter", "2000"]
    assert run(both) == 0
    X, y, _ = nwtco()
    X.assign(rel=y).to_csv(tmp_path / "rows.csv", index=False)
    table = ["plan", str(tmp_path / "rows.csv"), "--label", "rel", "--out", plan, "--force"]
    assert run(table) == 0
    assert run(["site", plan, *source, "--name", "two", "--out", out, "--force"]) == 2
    assert "no cohort definition" in capsys.readouterr().err
