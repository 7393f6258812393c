"""The projected list through every door: Python, files, the program, exports and pages."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.cli.main import run
from elseif.datasets import load_titanic
from elseif.errors import DataError, ModelFileError, ParamError
from elseif.export.disclosed import disclosed
from elseif.export.model_file import checksum, read_model
from elseif.export.plain import plain_list
from elseif.report.calculator import calculator_page
from tests.export.running import rows, run_javascript, run_onnx, run_python


def people(n_labels: int = 2, n: int = 300) -> tuple[pd.DataFrame, pd.Series]:
    """Columns of every kind, some values missing."""
    rng = np.random.default_rng(n_labels)
    X = pd.DataFrame(
        {
            "smoker": rng.random(n) < 0.4,
            "age": rng.integers(18, 90, n).astype(float),
            "ward": rng.choice(["east", "north", "it's"], n),
            "admitted": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    X.loc[rng.random(n) < 0.1, "age"] = np.nan
    risk = 0.15 + 0.5 * X["smoker"] + 0.3 * (X["age"] > 60)
    ill = rng.random(n) < risk
    labels = np.where(ill, np.where(X["ward"] == "east", "dead", "ill"), "well")
    return X, pd.Series(labels if n_labels == 3 else np.where(ill, "ill", "well"), name="outcome")


def projected(X: Any, y: Any, **settings: Any) -> BayesianRuleListClassifier:
    settings = {"random_state": 0, "n_iter": 3000, "max_length": 3, **settings}
    return BayesianRuleListClassifier(predict_with="projected", **settings).fit(X, y)


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request: pytest.FixtureRequest) -> tuple[BayesianRuleListClassifier, Any, Any]:
    X, y = people(request.param)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three thousand iterations do not converge
        classifier = projected(X, y)
    assert len(classifier.projected_rule_list_) == 3
    return classifier, X, y


def test_python_predicts_and_explains_with_it(fitted: Any) -> None:
    classifier, X, _ = fitted
    rule_list = classifier.projected_rule_list_
    np.testing.assert_array_equal(classifier.predict_proba(X), rule_list.predict_proba(X))
    places = rule_list.captured_by(X)
    for row in range(20):
        assert classifier.explain(X, row).fired.place == places[row]


def test_it_is_saved_and_read_again(fitted: Any, tmp_path: Path) -> None:
    classifier, X, _ = fitted
    loaded = load_model(save_model(classifier, tmp_path / "model.json"))
    np.testing.assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))
    path = loaded.projection_path_
    assert str(path) == str(classifier.projection_path_)
    assert path.as_classifier(1).predict_with == "projected"
    np.testing.assert_array_equal(path.distances, classifier.projection_path_.distances)


def test_exports_export_it(fitted: Any, tmp_path: Path) -> None:
    classifier, X, _ = fitted
    model = read_model(save_model(classifier, tmp_path / "model.json"))
    expected = classifier.predict_proba(X)
    places = classifier.projected_rule_list_.captured_by(X)
    for shares, lines, _ in (
        run_python(model, rows(X), which="projected"),
        run_javascript(model, rows(X), tmp_path, which="projected"),
        run_onnx(model, X, which="projected"),
    ):
        np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(lines, places + 1)
    page = calculator_page(model)
    for antecedent in classifier.projected_rule_list_.antecedents:
        assert all(condition.column in page for condition in antecedent)


def test_a_minimum_cell_rounds_it_and_leaves_the_path_out(fitted: Any, tmp_path: Path) -> None:
    classifier, X, _ = fitted
    model = disclosed(classifier, 5)
    assert model.projection_path is None
    assert model.projected_rule_list is not None
    step = model.metadata.rounding.step
    for rule in model.projected_rule_list:
        assert (rule.label_counts % step == 0).all()
    loaded = load_model(save_model(model, tmp_path / "model.json"))
    np.testing.assert_array_equal(
        loaded.predict_proba(X), model.projected_rule_list.predict_proba(X)
    )
    with pytest.raises(DataError, match="min_cell"):
        loaded.project(X, people()[1])


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = people()
    table, model = tmp_path / "people.csv", tmp_path / "model.json"
    X.assign(outcome=y).to_csv(table, index=False)
    told = ["fit", str(table), "--label", "outcome", "--list", "projected", "--max-length", "2"]
    assert (
        run([*told, "--positive", "ill", "--n-iter", "3000", "--model", str(model), "--quiet"]) == 0
    )
    assert "The projected list: of the lists of at most 2 rules" in capsys.readouterr().out
    loaded = load_model(model)
    assert loaded.predict_with == "projected"
    text = loaded.projected_rule_list_.to_text(width=80)
    assert run(["show", str(model), "--list", "projected"]) == 0
    shown = capsys.readouterr().out
    assert text in shown
    assert "point estimate" in shown  # the path's table
    assert run(["predict", str(model), str(table)]) == 0
    predicted = pd.read_csv(io.StringIO(capsys.readouterr().out))
    places = loaded.projected_rule_list_.captured_by(X)
    np.testing.assert_array_equal(predicted["rule"], places + 1)
    assert run(["export", str(model), "--to", "text", "--list", "projected"]) == 0
    assert "projected list" in capsys.readouterr().out


def test_one_rule_is_one_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = people()
    X.assign(outcome=y).to_csv(tmp_path / "t.csv", index=False)
    told = ["fit", str(tmp_path / "t.csv"), "--label", "outcome", "--positive", "ill"]
    told += ["--list", "projected", "--max-length", "1", "--n-iter", "3000", "--quiet"]
    assert run(told) == 0
    words = "of the lists of at most 1 rule with at least 10 training observations on every line, "
    assert words in " ".join(capsys.readouterr().out.split())


def test_a_model_without_it_says_so(tmp_path: Path) -> None:
    X, y = load_titanic()
    classifier = BayesianRuleListClassifier(random_state=0, n_iter=5000).fit(X, y)
    with pytest.raises(ParamError, match=r"project\(X, y\)"):
        classifier.set_params(predict_with="projected").predict(X)
    classifier.set_params(predict_with="point")
    save_model(classifier, tmp_path / "model.json")
    with pytest.raises(ParamError, match="no projected list"):
        plain_list(read_model(tmp_path / "model.json"), "projected")


def _without_list(content: dict[str, Any]) -> None:
    del content["projection"]


def _another_list(content: dict[str, Any]) -> None:
    first, second, *others = content["projection"]["rule_list"]
    content["projection"]["rule_list"] = [second, first, *others]


def _one_more_case(content: dict[str, Any]) -> None:
    content["projection"]["path"]["lists"][1][0]["label_counts"][0] += 1


def _too_long(content: dict[str, Any]) -> None:
    lists = content["projection"]["path"]["lists"]
    lists[0] = lists[-1]


def _growing(content: dict[str, Any]) -> None:
    content["projection"]["path"]["distances"][-1] = 10.0


def _negative(content: dict[str, Any]) -> None:
    content["projection"]["path"]["distances"][-1] = -0.5


def _too_few(content: dict[str, Any]) -> None:
    del content["projection"]["path"]["distances"][-1]


@pytest.mark.parametrize(
    "forge",
    [_without_list, _another_list, _one_more_case, _too_long, _growing, _negative, _too_few],
)
def test_forged_files_are_refused(fitted: Any, forge: Any, tmp_path: Path) -> None:
    classifier, *_ = fitted
    path = save_model(classifier, tmp_path / "model.json")
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    forge(content)
    content["sha256"] = checksum(content)
    Path(path).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelFileError):
        load_model(path)


def test_the_program_compares_lengths_and_saves_one(
    fitted: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    classifier, X, y = fitted
    X.assign(outcome=y).to_csv(tmp_path / "people.csv", index=False)
    told = ["--label", "outcome", "--n-iter", "3000", "--model", str(tmp_path / "model.json")]
    if len(classifier.classes_) == 2:
        told += ["--positive", "ill"]
    told += ["--kinds", "admitted=date"]
    assert run(["fit", str(tmp_path / "people.csv"), *told]) == 0
    capsys.readouterr()
    files = [str(tmp_path / "model.json"), str(tmp_path / "people.csv")]
    new = tmp_path / "projected.json"
    asked = ["--max-length", "3", "--folds", "2"]
    assert run(["project", *files, *asked, "--model", str(new)]) == 0
    printed = capsys.readouterr().out
    model = load_model(files[0])  # with the label whose probability is wanted last
    labels = pd.Series(pd.Categorical(y, model.classes_.tolist()), name="outcome")
    path = model.project(X, labels, max_length=3, folds=2)
    saved = load_model(new)
    assert saved.predict_with == "projected"
    assert saved.max_length == path.suggested
    assert saved.projected_rule_list_.to_text() == path[path.suggested].to_text()
    assert path.to_text(width=80).split("\n\n")[0] in printed
    assert run(["project", *files, *asked, "--length", "1", "--folds", "0"]) == 0
    assert path[1].to_text(width=80) in capsys.readouterr().out
    assert run(["project", *files, *asked, "--length", "4"]) == 2
    assert "--length" in capsys.readouterr().err
