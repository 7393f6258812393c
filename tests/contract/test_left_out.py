"""What is left out leaves no values: in no file, page, export or report that fit leads to."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.export.formats import FORMATS, export_model
from elseif.export.model_file import (
    checksum,
    load_model,
    model_from_bytes,
    model_text,
    read_model,
    save_model,
)
from elseif.fitted_model import as_model
from elseif.report.calculator import calculator_page
from elseif.report.explorer import explorer_page
from elseif.report.report import report_page
from elseif.report.summary import summarise
from tests.export.runners import RUNNERS
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore:The chains have not converged")

N = 400
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "negations": {"negations": True},
    "groups": {"group_rare": 0.12, "min_support": 0.05},
    "own": {
        "antecedents": [[("town", "!=", "Northtown")], ["smoker"], [("town", "=", "Southtown")]]
    },
    "bins": {"disjoint_bins": True, "negations": True},
}


def people(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """400 people with identifiers, names, notes and towns of a few of them each."""
    rng = np.random.default_rng(seed)
    towns = ["Northtown"] * 130 + ["Southtown"] * 120 + ["Midtown"] * 30
    rare = [f"Rareville{k:02}" for k in range(40)]
    towns += [rare[k] for k in range(40) for _ in range(1 + k % 5)]
    ids = [f"PX{i:05}" for i in rng.permutation(N)]
    ids[7] = ids[8]
    X = pd.DataFrame(
        {
            "patient": ids,
            "surname": [f"Quillfeather{k:03}" for k in np.r_[np.arange(395), np.arange(5)]],
            "note": [f"complained of thing number {k:03} since spring" for k in np.arange(N) // 2],
            "mrn": rng.choice(np.arange(1_000_000, 10_000_000), N, replace=False),
            "town": rng.permutation(towns),
            "age": rng.integers(20, 90, N),
            "smoker": rng.random(N) < 0.4,
            "stage": pd.Categorical(
                rng.choice(["I", "II", "III"], N), ["I", "II", "III"], ordered=True
            ),
        }
    )
    X.loc[::50, "surname"] = None
    y = np.where(rng.random(N) < 0.15 + 0.4 * X["smoker"] + 0.2 * (X["town"] == "Northtown"), 1, 0)
    return X, y


def leaks(text: str | bytes, X: pd.DataFrame) -> set[str]:
    """Values of identifying columns, and towns of fewer than five people, in a text."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    towns = X["town"].value_counts()
    few = [town for town in towns.index if towns[town] < 5]
    words = set(re.findall(r"\w+", text))
    names = {*X["patient"], *X["surname"].dropna(), *map(str, X["mrn"]), *few}
    notes = {f"thing number {k:03}" for k in range(N)}
    return (words & names) | {note for note in notes if note in text}


def fit(settings: dict[str, Any], **more: Any) -> BayesianRuleListClassifier:
    X, y = people()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return quick(**settings).fit(X, y, **more)


@pytest.fixture(scope="module", params=list(SETTINGS))
def fitted(request: pytest.FixtureRequest) -> BayesianRuleListClassifier:
    return fit(SETTINGS[request.param])


def outputs(clf: BayesianRuleListClassifier, folder: Path) -> Iterator[tuple[str, str | bytes]]:
    """All that a fitted classifier is turned into."""
    X, y = people()
    for posterior in ("lists", None):
        path = folder / f"model-{posterior}.json"
        save_model(clf, path, posterior)
        yield path.name, path.read_bytes()
    model = read_model(folder / "model-lists.json")
    yield "repr", repr(clf.fit_report_) + str(clf.fit_report_) + repr(clf)
    yield "frame", clf.fit_report_.to_frame().to_csv()
    yield "pickle", pickle.dumps(clf)
    for source in (clf, model):
        yield "calculator", calculator_page(source)
    for min_cell in (None, 10):
        options = {"folds": 2, "subgroups": ["town", "surname"], "min_cell": min_cell}
        yield f"report {min_cell}", report_page(summarise(clf, X, y, **options))
        yield f"explorer {min_cell}", explorer_page(clf, X, y, min_cell=min_cell)
    for name in FORMATS:
        yield name, export_model(model, name)


def test_no_value_of_a_person_is_written(
    fitted: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """Identifiers, surnames, notes and rare towns are in nothing that leaves the machine."""
    X, _ = people()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = {name: leaks(text, X) for name, text in outputs(fitted, tmp_path)}
    assert {name: sorted(values)[:3] for name, values in result.items() if values} == {}


def test_the_program_writes_none_either(tmp_path: Path) -> None:
    """The same through fit --model --report --calculator; the terminal names columns alone."""
    from elseif.cli.main import run

    X, y = people()
    X.assign(outcome=np.where(y, "ill", "well")).to_csv(tmp_path / "people.csv", index=False)
    made = [tmp_path / name for name in ("m.json", "r.html", "c.html")]
    options = ["--model", made[0], "--report", made[1], "--calculator", made[2], "--negations"]
    options += ["--label", "outcome", "--positive", "ill", "--n-iter", "2000", "--quiet"]
    assert run(["fit", str(tmp_path / "people.csv"), *map(str, options)]) == 0
    assert {path.name: leaks(path.read_bytes(), X) for path in made} == {
        path.name: set() for path in made
    }


def test_what_is_kept_is_what_conditions_name(fitted: BayesianRuleListClassifier) -> None:
    """Levels are those of the pool; the rest is a number."""
    columns = {column.name: column for column in fitted.fit_report_.columns}
    town = columns["town"]
    named: set[Any] = set()
    for condition in fitted.pool_.conditions:
        if condition.column == "town" and condition.value is not None:
            values = condition.value
            named |= set(values) if isinstance(values, tuple) else {values}
    assert set(town.levels) == named
    assert town.n_levels == 43
    assert town.n_other_levels == 43 - len(named)
    for name in ("patient", "surname", "note", "mrn"):
        if name in columns:
            assert columns[name].levels == columns[name].cuts == columns[name].grouped == ()
    if "stage" in columns:
        assert columns["stage"].levels == ("I", "II", "III")


@pytest.mark.parametrize("settings", [{}, {"negations": True}], ids=["plain", "negations"])
def test_reasons_say_how_to_keep_a_column(settings: dict[str, Any]) -> None:
    """A column that identifies is named with what was counted and the way back."""
    excluded = fit(settings).fit_report_.excluded
    assert excluded["patient"] == (
        "looks like an identifier (399 distinct values in 400 rows); "
        "kinds={'patient': 'category'} keeps it"
    )
    assert "identifier (388 distinct values in 392 rows)" in excluded["surname"]
    assert "free text (200 distinct values in 400 rows)" in excluded["note"]
    assert "kinds={'mrn': 'numeric'} keeps it" in excluded["mrn"]


# -------------------------------------------------------------- fewer levels, same answers


def test_counts_and_predictions_hold_with_fewer_levels(
    fitted: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """A rare town still is another town: every rule captures in the table what fit counted."""
    X, y = people()
    save_model(fitted, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # no town of the training table is new
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        places = fitted.rule_list_.captured_by(X)
    for index, rule in enumerate(fitted.rule_list_.rules):
        result = [np.count_nonzero(y[places == index] == label) for label in (0, 1)]
        assert rule.label_counts.tolist() == result


def negation_model() -> Any:
    """A list whose first rule is a "!=" on a column of which most levels are not kept."""
    antecedents = [
        [("town", "!=", "Northtown"), "smoker"],
        [("town", "!=", "Southtown")],
        ["smoker"],
    ]
    clf = fit({"antecedents": antecedents, "n_iter": 2000})
    X, y = people()
    draft = clf.edit(X, y).take([antecedents[0], [("town", "!=", "Southtown")]])
    return draft.as_classifier()


@pytest.mark.parametrize("name", RUNNERS)
def test_exports_say_unequal_without_a_list_of_the_others(name: str, tmp_path: Path) -> None:
    """A "!=" is true of rare and new towns and of no missing one, in every language."""
    model = as_model(negation_model())
    assert "Northtown" in str(model.rule_list)
    X, _ = people()
    X = X[["town", "smoker"]].astype({"town": object}).head(60)
    X.loc[3:5, "town"], X.loc[6:8, "town"] = None, "Atlantis"
    RUNNERS[name].assert_agrees(model, X, tmp_path)


def test_an_edited_list_may_name_what_the_model_does_not_keep(tmp_path: Path) -> None:
    """A level that the pool does not use can be put into a list by hand, saved and loaded."""
    X, y = people()
    clf = fit({"negations": True})
    town = X["town"].value_counts().index[-1]
    edited = clf.edit(X, y).insert([("town", "=", town)], 0).insert([("town", "!=", town)], 1)
    save_model(edited.as_classifier(), tmp_path / "edited.json")
    loaded = load_model(tmp_path / "edited.json")
    assert str(loaded.rule_list_) == str(edited.rule_list)
    assert leaks((tmp_path / "edited.json").read_bytes(), X) == {town}
    np.testing.assert_array_equal(loaded.predict(X), edited.as_classifier().predict(X))


def test_a_negation_of_the_pool_is_recognised_when_written_anew() -> None:
    """("town", "!=", "Northtown") is the pool's own antecedent, so it has a price."""
    X, y = people()
    draft = fit({"negations": True}).edit(X, y)
    again = draft.take([[("town", "!=", "Northtown")]])
    assert again.outside == ()


@pytest.mark.parametrize("negations", [False, True])
def test_new_categories_are_told_only_where_they_are_certain(negations: bool) -> None:
    """One unknown town may be one of the rare ones; more than there were cannot all be."""
    X, _ = people()
    clf = fit({"negations": negations})
    n_others = next(c.n_other_levels for c in clf.fit_report_.columns if c.name == "town")
    assert n_others > 30
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        clf.predict(X.assign(town="Atlantis"))
    new = [f"New {i % (n_others + 3)}" for i in range(N)]
    with pytest.warns(UserWarning, match="'town'.*at least 3 of them are new"):
        clf.predict(X.assign(town=new))


def test_explanations_and_calculators_have_another_category() -> None:
    """What is not kept can still be asked about: a town other than those that are named."""
    X, _ = people()
    clf = negation_model()
    case = X[["town", "smoker"]].iloc[:1].assign(town="Rareville00", smoker=True)
    text = str(clf.explain({"town": "Rareville00", "smoker": True}))
    assert "which is not in the training data" not in text
    assert "town is Rareville00 (not Northtown)" in text
    text = " ".join(str(clf.explain({"town": "Northtown", "smoker": True})).split())
    assert "with town Southtown or other than Northtown and Southtown" in text
    assert clf.rule_list_.captured_by(case)[0] == 0
    page = calculator_page(clf)
    assert "Northtown" in page
    assert '"other"' in page or ">other<" in page


def test_codes_of_digits_stay_text_without_their_levels(tmp_path: Path) -> None:
    """The program still reads a column as it is written where the model keeps no level of it."""
    from elseif.cli.main import run

    rng = np.random.default_rng(1)
    codes = [f"{i:03}" for i in rng.integers(0, 60, 300)]
    frame = pd.DataFrame({"code": codes, "smoker": rng.random(300) < 0.5})
    frame["y"] = np.where(rng.random(300) < 0.3 + 0.4 * frame["smoker"], "a", "b")
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.json"
    arguments = ["--label", "y", "--positive", "a", "--kinds", "code=category", "--n-iter", "2000"]
    assert run(["fit", str(tmp_path / "t.csv"), *arguments, "--model", str(model), "--quiet"]) == 0
    report = {c.name: c for c in read_model(model).fit_report.columns}["code"]
    assert (report.levels, report.levels_hold) == ((), "text")
    assert read_model(model).was_trained_on(
        frame[["code", "smoker"]], pd.Categorical(frame["y"], ["b", "a"])
    )
    assert run(["predict", str(model), str(tmp_path / "t.csv")]) == 0


def test_a_negation_or_group_names_no_level_of_few() -> None:
    """Four people of a town are in no "!=" and in no group; five are."""
    X = pd.DataFrame({"town": ["A"] * 90 + ["B"] * 90 + ["four"] * 4 + ["five"] * 5 + ["six"] * 6})
    y = np.arange(len(X)) % 2
    negated = quick(negations=True, expected_length=1).fit(X, y)
    assert "town != five" in negated.pool_.names
    assert "town != four" not in negated.pool_.names
    grouped = quick(group_rare=0.05, min_support=0.01, expected_length=1).fit(X, y)
    assert "town in {five, six}" in grouped.pool_.names
    assert grouped.fit_report_.columns[0].levels == ("A", "B", "five", "six")
    assert grouped.fit_report_.columns[0].n_other_levels == 1


def test_weights_count_as_repeated_rows_do() -> None:
    """A whole weight is a row that repeats, also for what may be named."""
    X = pd.DataFrame({"town": ["A", "B", "few", "C"], "x": [True, True, True, False]})
    y, weights = np.array([0, 1, 0, 1]), np.array([40, 40, 4, 30])
    settings = {"negations": True, "expected_length": 1}
    one = quick(**settings).fit(X, y, weights)
    repeated = np.repeat(np.arange(4), weights)
    other = quick(**settings).fit(X.iloc[repeated], y[repeated])
    assert one.pool_.names == other.pool_.names
    assert "town != few" not in one.pool_.names
    assert one.fit_report_.columns[0] == other.fit_report_.columns[0]


def test_files_of_earlier_releases_lose_what_they_hold() -> None:
    """A file that still lists identifiers loads, and what is made of it has none."""
    X, _ = people()
    clf = fit({})
    document = json.loads(model_text(as_model(clf)))
    for column in document["table"]["columns"]:
        del column["n_levels"], column["holds"]
        if column["kind"] == "category":
            column["levels"] = sorted(X[column["name"]].dropna().unique())
        if column["name"] == "patient":
            column["excluded"] = "no value repeats: it looks like an identifier"
    document["sha256"] = checksum(document)
    model = model_from_bytes(json.dumps(document).encode())
    columns = {column.name: column for column in model.fit_report.columns}
    assert (columns["patient"].levels, columns["patient"].n_levels) == ((), 399)
    assert columns["patient"].levels_hold == "text"
    assert columns["town"].n_other_levels == 0
    assert not {"PX00001", "Quillfeather001"} & leaks(model_text(model), X)
    np.testing.assert_array_equal(model.rule_list.predict(X), clf.predict(X))
