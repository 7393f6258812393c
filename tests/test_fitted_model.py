"""One fitted model: what was fitted stays what it is, whatever is set afterwards."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError, ParamTypeError
from elseif.export.formats import FORMATS, export_model
from elseif.export.model_file import load_model, model_text, save_model
from elseif.fitted_model import AFTER_FIT, as_model
from elseif.parameters import (
    SETTINGS,
    Choice,
    Count,
    Flag,
    Jobs,
    Positive,
    PositiveOrNone,
    Setting,
    ShareOrNone,
    Support,
)
from elseif.report.calculator import calculator_page
from elseif.report.summary import summarise
from tests.report.reading import classifier, patients

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# of settings that are neither number, flag nor choice, a value that would give another model
OTHER_VALUES: dict[str, Any] = {
    "pseudocounts": [5, 50],
    "antecedents": ["prior stroke"],
    "antecedent_weights": {"age": 20},
    "random_state": 99,
    "kinds": {"age": "category"},
    "cuts": {"age": [1]},
    "checkpoint": "elsewhere",
}
SETTINGS_OF_FIT = [setting for setting in SETTINGS if setting.name not in AFTER_FIT]


def other_value(setting: Setting) -> Any:
    """A value of a setting that is not its default."""
    kind = setting.kind
    if isinstance(kind, Choice):
        return next(word for word in kind.allowed if word != setting.default)
    if isinstance(kind, Flag):
        return not setting.default
    if isinstance(kind, ShareOrNone | Support):
        return 0.4
    if isinstance(kind, Count | Positive | PositiveOrNone | Jobs):
        return (setting.default or 0) + 1
    return OTHER_VALUES[setting.name]  # a new one needs an entry


@functools.cache
def two_lists() -> tuple[BayesianRuleListClassifier, pd.DataFrame]:
    """A classifier whose most probable list differs from its point estimate."""
    X, y = patients(300, seed=5)
    for seed in range(20):
        fitted = BayesianRuleListClassifier(
            predict_with="map", n_iter=1_000, n_chains=1, expected_length=4, random_state=seed
        ).fit(X, y)
        if str(fitted.rule_list_) != str(fitted.map_rule_list_):
            return fitted, X
    raise AssertionError("every seed gives the same list twice")


def test_an_export_predicts_as_its_classifier() -> None:
    fitted, X = two_lists()
    exported: dict[str, Any] = {}
    exec(export_model(fitted, "python"), exported)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    answers = [exported["predict"](row)["probabilities"] for row in rows]
    np.testing.assert_allclose(answers, fitted.predict_proba(X))


@pytest.mark.parametrize("to", [name for name in FORMATS if name != "json"])
def test_every_format_takes_the_list_that_predicts(to: str) -> None:
    fitted, _ = two_lists()
    assert export_model(fitted, to) == export_model(fitted, to, which="map")
    assert export_model(fitted, to) != export_model(fitted, to, which="point")


def test_predict_with_may_be_changed_after_fit() -> None:
    fitted, X = two_lists()
    other = clone(fitted).fit(*patients(300, seed=5))
    answers = {}
    for predict_with in ("point", "posterior", "map"):
        other.set_params(predict_with=predict_with)
        answers[predict_with] = other.predict_proba(X)
        assert json.loads(model_text(as_model(other)))["settings"]["predict_with"] == predict_with
    np.testing.assert_array_equal(answers["point"], other.rule_list_.predict_proba(X))
    np.testing.assert_array_equal(answers["map"], other.map_rule_list_.predict_proba(X))
    assert not np.allclose(answers["posterior"], answers["map"])
    other.set_params(predict_with="point")
    assert export_model(other, "text") == export_model(other, "text", which="point")
    assert calculator_page(other) != calculator_page(fitted)


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    X, y = patients()
    fitted = classifier().fit(X, y)
    return {
        "predictions": fitted.predict_proba(X),
        "file": model_text(as_model(fitted)),
        "price": fitted.edit(X, y).drop(0).change,
        "explanation": fitted.explain(X, 3).to_text(),
    }


@pytest.mark.parametrize("setting", SETTINGS_OF_FIT, ids=lambda setting: setting.name)
def test_a_setting_changed_after_fit_changes_nothing_fitted(
    setting: Setting, before: dict[str, Any]
) -> None:
    X, y = patients()
    name, other = setting.name, other_value(setting)
    fitted = loaded_again(before["file"]).set_params(**{name: other})
    assert fitted.get_params()[name] != BayesianRuleListClassifier().get_params()[name]
    np.testing.assert_array_equal(fitted.predict_proba(X), before["predictions"])
    assert model_text(as_model(fitted)) == before["file"]
    assert fitted.edit(X, y).drop(0).change == before["price"]
    assert fitted.explain(X, 3).to_text() == before["explanation"]
    assert fitted.get_params()[name] == other  # the next fit takes it


def loaded_again(text: str) -> BayesianRuleListClassifier:
    from elseif.export.model_file import model_from_bytes, to_classifier

    return to_classifier(model_from_bytes(text.encode()))


def test_what_fit_was_told_is_copied() -> None:
    kinds, weights = {"age": "numeric"}, {"age": 2.0}
    X, y = patients()
    fitted = classifier(kinds=kinds, antecedent_weights=weights).fit(X, y)
    text = model_text(as_model(fitted))
    kinds["age"], weights["age"] = "category", 9.0
    assert model_text(as_model(fitted)) == text


def test_missing_values_stay_what_fit_made_of_them() -> None:
    X, y = patients()
    whole = X.drop(columns="creatinine")
    fitted = classifier(missing="error").fit(whole, y).set_params(missing="own_level")
    lacking = whole.assign(age=whole["age"].where(whole.index != 7))
    with pytest.raises(DataError, match="age"):
        fitted.predict_proba(lacking)


def test_a_model_file_holds_the_date_of_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    fitted = classifier().fit(*patients())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")
    loaded = load_model(save_model(fitted, tmp_path / "model.json"))
    assert as_model(loaded).training["date"] == "2001-09-09T01:46:40Z"


def test_a_report_takes_the_settings_of_fit() -> None:
    X, y = patients()
    fitted = classifier().fit(X, y)
    expected = summarise(fitted, X, y, folds=2).to_dict()
    summary = summarise(fitted.set_params(max_cardinality=2, min_support=0.3), X, y, folds=2)
    for name in ("validation", "lines", "settings"):
        assert summary.to_dict()[name] == expected[name]


class Careful(BayesianRuleListClassifier):
    """A subclass with a parameter of its own, and only a few of the others."""

    def __init__(self, min_support: float = 0.2, caution: float = 1.0, random_state: Any = None):
        super().__init__(min_support=min_support, random_state=random_state, max_cardinality=1)
        self.caution = caution

    def predict_proba(self, X: Any) -> np.ndarray:
        return super().predict_proba(X) ** self.caution


def test_a_subclass_has_parameters_of_its_own(tmp_path: Path) -> None:
    X, y = patients()
    careful = Careful(caution=2.0, random_state=0)
    assert careful.get_params() == {"min_support": 0.2, "caution": 2.0, "random_state": 0}
    twin = clone(careful).set_params(caution=3.0, min_support=0.15)
    assert (twin.caution, twin.min_support, careful.caution) == (3.0, 0.15, 2.0)
    with pytest.raises(ParamTypeError, match="caution"):
        twin.set_params(cautoin=1.0)
    with pytest.raises(ParamTypeError, match="kernel"):
        twin.set_params(kernel="paper")  # no parameter of this class
    twin.fit(X, y)
    loaded = load_model(save_model(twin, tmp_path / "model.json"))
    np.testing.assert_array_equal(loaded.predict_proba(X) ** 3.0, twin.predict_proba(X))
    assert loaded.min_support == 0.15
    assert loaded.max_cardinality == 1
    assert summarise(twin, X, y, folds=2).folds


def test_fitted_attributes_come_from_the_model() -> None:
    X, y = patients()
    fitted = classifier()
    assert not hasattr(fitted, "rule_list_")
    assert not hasattr(fitted, "n_features_in_")
    fitted.fit(X, y)
    assert fitted.rule_list_ is fitted.model_.rule_list
    assert fitted.posterior_ is fitted.model_.posterior
    assert fitted.feature_names_in_.tolist() == list(X.columns)
    assert not hasattr(fitted, "edited_")
    with pytest.raises(AttributeError, match="rule_list_"):
        fitted.rule_list_ = fitted.map_rule_list_  # one model, which fit makes whole
