"""Saved models: what goes in comes out, to the last bit."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

import elseif
from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.conditions.condition import OPERATORS, Condition
from elseif.errors import ModelFileError, ParamError
from elseif.export.document import schema
from elseif.export.json_values import decode, encode
from elseif.export.model_file import checksum, model_from_bytes, model_text, read_model
from elseif.fitted_model import as_model
from elseif.posterior.predictive import predictive_probabilities
from elseif.sampler.convergence import is_good_enough
from elseif.tables.reading import read_table
from tests.export.tables import HOSTILE, NAMES, TWINS, every_operator, frame, model_of
from tests.tables.fitting import quick, random_frame

DOCS = Path(__file__).parents[2] / "docs"
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.json"


@pytest.mark.parametrize("how", ["point", "map", "posterior"])
def test_a_loaded_classifier_predicts_the_same(
    how: str, classifier: BayesianRuleListClassifier, path: Path
) -> None:
    """Not a bit of any probability differs, on values that fit never saw as well."""
    save_model(classifier, path)
    loaded = load_model(path).set_params(predict_with=how)
    X = frame(1000, seed=9)
    expected = predictive_probabilities(classifier.posterior_, read_table(X))
    if how != "posterior":
        chosen = classifier.rule_list_ if how == "point" else classifier.map_rule_list_
        expected = chosen.predict_proba(X)
    np.testing.assert_array_equal(loaded.predict_proba(X), expected)
    np.testing.assert_array_equal(loaded.predict(X), classifier.classes_[expected.argmax(axis=1)])
    assert loaded.predict(X).dtype == classifier.classes_.dtype


def test_everything_else_is_the_same(classifier: BayesianRuleListClassifier, path: Path) -> None:
    """Texts, tables, diagnostics, settings and draws."""
    save_model(classifier, path)
    loaded = load_model(path)
    assert str(loaded.rule_list_) == str(classifier.rule_list_)
    assert str(loaded.map_rule_list_) == str(classifier.map_rule_list_)
    assert repr(loaded.get_params()) == repr(classifier.get_params())
    assert repr(loaded.convergence_.__dict__) == repr(classifier.convergence_.__dict__)
    assert loaded.fit_report_ == classifier.fit_report_
    assert loaded.fingerprint_ == classifier.fingerprint_
    assert loaded.n_iter_ == classifier.n_iter_
    assert loaded.pool_.names == classifier.pool_.names
    assert loaded.pool_.conditions == classifier.pool_.conditions
    assert loaded.pool_.aliases == classifier.pool_.aliases
    np.testing.assert_array_equal(loaded.pool_.supports, classifier.pool_.supports)
    mine, theirs = classifier.posterior_, loaded.posterior_
    pd.testing.assert_frame_equal(mine.lists(), theirs.lists(), check_exact=True)
    np.testing.assert_array_equal(mine.log_posterior, theirs.log_posterior)
    assert mine.inclusion() == theirs.inclusion()
    assert repr(mine) == repr(theirs)
    for name in ("items", "offsets", "label_counts", "log_posterior"):
        a, b = getattr(mine.distinct, name), getattr(theirs.distinct, name)
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


def test_a_model_is_read_without_scikit_learn_or_compiled_code(
    classifier: BayesianRuleListClassifier, path: Path
) -> None:
    """Reading and predicting load neither, nor pickle's unpicklers of models."""
    save_model(classifier, path)
    code = (
        "import sys; from elseif.export.model_file import read_model;"
        f"m = read_model({str(path)!r});"
        "import numpy as np;"
        "assert m.posterior is not None;"
        "bad = [n for n in ('sklearn', 'numba', 'joblib', 'matplotlib') if n in sys.modules];"
        "print(bad, len(m.rule_list))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"[] {len(classifier.rule_list_)}"


def test_import_is_quick() -> None:
    """The package itself loads nothing of this room."""
    code = (
        "import sys, elseif; print([n for n in ('pydantic', 'numpy', 'onnx') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_same_model_gives_the_same_bytes(
    classifier: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is saved: its date is that of the fit; and a loaded model is saved as it was."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second, third = (tmp_path / f"{i}.json" for i in range(3))
    save_model(classifier, first)
    save_model(classifier, second)
    assert first.read_bytes() == second.read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    save_model(load_model(first), third)
    assert first.read_bytes() == third.read_bytes()
    save_model(classifier, third, force=True)
    assert first.read_bytes() == third.read_bytes()


def test_a_refitted_classifier_forgets_its_file(path: Path) -> None:
    """What a file said of the training holds for the list that came with it alone."""
    X, y = random_frame(100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save_model(quick().fit(X, y), path)
        loaded = load_model(path)
        before = as_model(loaded).training
        after = as_model(loaded.fit(X[:60], y[:60])).training
    assert sum(before["label_counts"]) == 100
    assert sum(after["label_counts"]) == 60
    assert before["fingerprint"] != after["fingerprint"]


def test_the_published_schema_is_that_of_the_code(
    classifier: BayesianRuleListClassifier, path: Path
) -> None:
    """The schema in the documentation is in step, and a saved file follows it."""
    published = json.loads((DOCS / "model-file.schema.json").read_text(encoding="utf-8"))
    assert published == schema()
    save_model(classifier, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(document, published)
    document["rule_list"][0]["label_counts"][0] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, published)


def test_the_schema_knows_every_operator_and_kind() -> None:
    """A condition that the library can make can be saved."""
    text = json.dumps(schema())
    for word in (*OPERATORS, "boolean", "numeric", "category", "ordered", "date"):
        assert json.dumps(word) in text
    model = model_of(every_operator())
    again = model_from_bytes(model_text(model, None).encode())
    for mine, theirs in zip(model.rule_list.rules, again.rule_list.rules, strict=True):
        assert mine.antecedent == theirs.antecedent
        for a, b in zip(mine.antecedent, theirs.antecedent, strict=True):
            assert repr(a.order) == repr(b.order)
            assert a.name == b.name


@pytest.mark.parametrize(
    "labels",
    [
        np.array([False, True]),
        np.array([0, 1]),
        np.array([0, 1], dtype=np.uint8),
        np.array([0.0, 1.0]),
        np.array([0, 1], dtype=np.float32),
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype="U40"),
        np.array(["0", "1", "2"], dtype=object),
        np.array([0, 1, 10**30], dtype=object),
        np.array([False, True], dtype=object),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([TWINS[0], TWINS[1], "🫀", "\u202e"]),
    ],
    ids=lambda labels: f"{labels.dtype}-{len(labels)}",
)
def test_labels_keep_their_type(labels: np.ndarray) -> None:
    """True is not 1, 1 is not 1.0, and "1" is none of them."""
    made = np.empty(len(labels), dtype=labels.dtype)
    made[:] = labels
    model = model_of(every_operator(labels=made))
    again = model_from_bytes(model_text(model, None).encode()).rule_list.classes
    assert again.dtype == labels.dtype
    assert [(type(a), a) for a in again.tolist()] == [(type(a), a) for a in labels.tolist()]


def test_labels_that_no_file_can_hold() -> None:
    """Are refused when they are saved, not when they are missed."""
    with pytest.raises(ModelFileError, match="complex"):
        model_text(model_of(every_operator(labels=np.array([1j, 2j]))), None)
    with pytest.raises(ModelFileError, match="an unpaired surrogate"):
        model_text(model_of(every_operator(labels=("a", "\ud800"))), None)


@pytest.mark.parametrize("twin", TWINS, ids=["composed", "decomposed"])
def test_names_come_through_unchanged(twin: str) -> None:
    """To the byte, whatever they look like; what cannot be seen is spelt out in the file."""
    names = (*HOSTILE[:6], HOSTILE[6][:-1] + twin)
    model = model_of(every_operator(names, labels=(twin, *HOSTILE[:2])))
    text = model_text(model, None)
    assert "\u202e" not in text
    assert "\u2028" not in text
    again = model_from_bytes(text.encode())
    assert again.feature_names == list(names)
    assert list(again.rule_list.metadata.kinds) == list(names)
    assert [str(label) for label in again.rule_list.classes] == [twin, *HOSTILE[:2]]
    X = frame(50, names=names)
    np.testing.assert_array_equal(
        again.rule_list.predict_proba(X), model.rule_list.predict_proba(X)
    )


@pytest.mark.parametrize(
    "value",
    [
        None, True, 1, 1.0, "1", float("inf"), 10**25, -(10**25), np.float64(0.1),
        np.float32(0.1), np.int32(7),
        (1, 2.0, "x"), [1, [2, (3,)]], {"a": 1, (1, "b"): [2.5]}, {3, 1},
        np.datetime64("2020-01-01T12:30:00.000001"), np.datetime64("1066-10-14", "us"),
        np.array([1, 2]), pd.Timestamp("2020-03-01 10:00", tz="Europe/Berlin"), range(3),
    ],
    ids=repr,
)  # fmt: skip
def test_settings_of_all_sorts(value: Any) -> None:
    """What a parameter can be comes back as what it was, or as its plain counterpart."""
    back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    if isinstance(value, pd.Timestamp):
        value = np.datetime64("2020-03-01T09:00", "us")
    if isinstance(value, (np.ndarray, range)):
        value = list(value)
    assert back == value
    if type(value) in (bool, int, float, str, tuple, list, dict, set):
        assert type(back) is type(value)


def test_what_is_not_stored_is_none(path: Path) -> None:
    """A source of random numbers is not a setting that a file can bring back."""
    X, y = random_frame(80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = quick(random_state=np.random.default_rng(1), kinds=None).fit(X, y)
    save_model(fitted, path)
    assert load_model(path).random_state is None
    assert json.loads(path.read_text())["settings"]["random_state"] == {"not stored": "Generator"}


def test_without_the_posterior(classifier: BayesianRuleListClassifier, path: Path) -> None:
    """The file is small, and says what it cannot do."""
    save_model(classifier, path, posterior=None)
    loaded = load_model(path)
    assert not hasattr(loaded, "posterior_")
    assert read_model(path).posterior is None
    X = frame(20)
    np.testing.assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))
    with pytest.raises(ParamError, match="saved without its posterior"):
        loaded.set_params(predict_with="posterior").predict(X)
    wanting = replace(
        as_model(classifier),
        settings={**classifier.get_params(), "predict_with": "posterior"},
    )
    with pytest.raises(ParamError, match="posterior='lists'"):
        model_text(wanting, None)
    with pytest.raises(ParamError, match="'draws'"):
        save_model(classifier, path, posterior="draws", force=True)


def test_unfitted(path: Path) -> None:
    """There is nothing to save before fit."""
    with pytest.raises(TypeError, match="Call fit first"):
        save_model(BayesianRuleListClassifier(), path)
    assert not path.exists()


def test_arrays_without_names_and_weights(path: Path) -> None:
    """Columns by place, fractional weights, three labels."""
    X, y = random_frame(150, n_labels=3)
    weights = np.random.default_rng(0).random(150)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = quick().fit(X.to_numpy(), y, sample_weight=weights)
    save_model(fitted, path)
    loaded = load_model(path)
    assert not hasattr(loaded, "feature_names_in_")
    for how in ("point", "map", "posterior"):
        fitted.set_params(predict_with=how)
        loaded.set_params(predict_with=how)
        np.testing.assert_array_equal(
            loaded.predict_proba(X.to_numpy()), fitted.predict_proba(X.to_numpy())
        )


def test_antecedents_of_the_users_own(table: tuple[pd.DataFrame, pd.Series], path: Path) -> None:
    """Numbers of any type, and categories told by an equal of another type."""
    X, y = table
    antecedents = [
        (("ward", "=", 1.0),),
        (("ward", "in", [np.int64(2), 3]), "smoker"),
        (("age", ">", np.float32(17.5)), ("stage", "between", ("I", "III"))),
        (("visit", ">", datetime.date(2020, 1, 1)),),
        (Condition("city", "=", "Aachen"),),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = quick(antecedents=antecedents, kinds={"ward": "category"}).fit(X, y)
    save_model(fitted, path)
    loaded = load_model(path)
    assert loaded.pool_.names == fitted.pool_.names
    for how in ("point", "map", "posterior"):
        fitted.set_params(predict_with=how)
        loaded.set_params(predict_with=how)
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = loaded.fit(X, y)  # the settings that came back are settings
    assert again.pool_.names == fitted.pool_.names


def test_only_the_default_rule(path: Path) -> None:
    """An empty pool is a model too."""
    X, y = random_frame(100)
    fitted = quick(min_support=0.99, empty_pool="default_rule").fit(X, y)
    save_model(fitted, path)
    loaded = load_model(path)
    assert len(loaded.rule_list_) == 0
    for how in ("point", "posterior"):
        loaded.set_params(predict_with=how)
        fitted.set_params(predict_with=how)
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))


def test_the_fingerprint_knows_the_data(
    classifier: BayesianRuleListClassifier, table: tuple[pd.DataFrame, pd.Series], path: Path
) -> None:
    """The same rows in the same order, however stored; nothing else."""
    X, y = table
    save_model(classifier, path)
    model = read_model(path)
    assert model.was_trained_on(X, y)
    assert model.was_trained_on(X[list(reversed(NAMES))], y.to_numpy())
    assert model.was_trained_on(X.assign(other=1), y)
    assert model.was_trained_on(X.astype({"stage": object, "city": object}), y.astype(object))
    assert not model.was_trained_on(X.drop(columns="age"), y)
    assert not model.was_trained_on(X, np.zeros(400))
    assert not model.was_trained_on(X, y[:-1])
    assert not model.was_trained_on(X[::-1], y[::-1])
    assert not model.was_trained_on(X[:-1], y[:-1])
    assert not model.was_trained_on(X, 1 - y)
    assert not model.was_trained_on(X, y, sample_weight=np.full(400, 2))
    for name in NAMES:
        changed = X.copy()
        known = changed.index[changed[name].notna()]
        changed.loc[known[0], name] = None
        assert not model.was_trained_on(changed, y), name


def test_the_golden_file_of_version_1_loads_for_ever(
    table: tuple[pd.DataFrame, pd.Series],
) -> None:
    """A file saved when the format was new predicts what it predicted then."""
    model = read_model(GOLDEN / "model-1.json")
    assert model.was_trained_on(*table)
    expected = json.loads((GOLDEN / "model-1-expected.json").read_text())
    X = frame(40, seed=77)
    np.testing.assert_array_equal(model.rule_list.predict_proba(X), expected["point"])
    assert model.posterior is not None
    probabilities = predictive_probabilities(model.posterior, read_table(X))
    np.testing.assert_allclose(probabilities, expected["posterior"], rtol=0, atol=1e-15)
    assert model.rule_list.to_text() == expected["text"]
    loaded = load_model(GOLDEN / "model-1.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), expected["point"])
    content = json.loads((GOLDEN / "model-1.json").read_text(encoding="utf-8"))
    assert content["sha256"] == checksum(content)
    assert content["made_by"] <= f"elseif {elseif.__version__}"


def test_a_file_that_says_warn_loads(path: Path) -> None:
    """Earlier versions said so of runs that they accepted; nothing is lost, and it is in words."""
    content = json.loads((GOLDEN / "model-1.json").read_text(encoding="utf-8"))
    content["convergence"]["status"] = "warn"
    content["sha256"] = checksum(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    loaded = load_model(path)
    assert loaded.convergence_.status == "warn"
    assert is_good_enough(loaded.convergence_)
    assert loaded.convergence_.sentence().startswith("Converged by the paper's criterion: 2 chains")
    assert str(loaded.convergence_).startswith("Converged by the paper's criterion (warn)")
    mcse = [q.mcse for q in loaded.convergence_.quantities]
    assert mcse
    assert np.isnan(mcse).all()  # which files of that time do not have
    again = path.with_name("again.json")
    save_model(loaded, again)
    assert read_model(again).convergence.status == "warn"


def test_an_edited_list_says_so(
    classifier: BayesianRuleListClassifier, table: tuple[pd.DataFrame, pd.Series], path: Path
) -> None:
    """What was changed by hand is in the file, and in what is loaded from it."""
    edited = classifier.edit(*table).drop(0).as_classifier()
    save_model(edited, path)
    assert read_model(path).edited == edited.edited_
    loaded = load_model(path)
    assert loaded.edited_ == edited.edited_
    assert str(loaded.rule_list_) == str(edited.rule_list_)
    assert read_model(GOLDEN / "model-1.json").edited is None
