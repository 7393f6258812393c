"""The model that may leave the machine: what is in it, what it can do, what is refused."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, export_model, load_model, save_model
from elseif.errors import DataError, DisclosureError, ModelFileError, ParamError, ParamTypeError
from elseif.export.disclosed import disclosed, disclosed_list
from elseif.export.formats import FORMATS
from elseif.export.model_file import checksum, model_from_bytes, read_model
from elseif.report.calculator import calculator_page
from tests.report.reading import patients


@functools.cache
def fit(**settings: Any) -> BayesianRuleListClassifier:
    X, y = patients()
    X["stage"] = pd.Categorical(
        np.resize(["I", "II", "III", "IV"], len(X)), ["I", "II", "III", "IV"], ordered=True
    )
    return quick(X, y, **settings)


def quick(
    X: pd.DataFrame, y: pd.Series, sample_weight: Any = None, **settings: Any
) -> BayesianRuleListClassifier:
    """A short run: whether it converged is of no matter here."""
    settings = {"n_iter": 2000, "n_chains": 2, "max_cardinality": 1, "random_state": 0, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BayesianRuleListClassifier(**settings).fit(X, y, sample_weight)


def multiples(values: Any, step: int = 10) -> bool:
    return not np.any(np.asarray(values, dtype=float) % step)


@pytest.mark.parametrize("settings", [{}, {"predict_with": "map"}, {"negations": True}], ids=str)
def test_a_disclosed_model_is_a_model(settings: dict[str, Any], tmp_path: Path) -> None:
    clf = fit(**settings)
    path = save_model(clf, tmp_path / "model.json", min_cell=10)
    model, again = read_model(path), load_model(path)
    assert model.metadata.rounding is not None
    assert model.posterior is None
    assert model.training["fingerprint"] is None
    for rule, true in zip(model.rule_list, clf.rule_list_, strict=True):
        assert rule.antecedent == true.antecedent
        assert multiples(rule.label_counts)
        assert np.all(np.abs(rule.label_counts - true.label_counts) <= 5)
    X = patients()[0].assign(stage="I")
    risks = again.predict_proba(X)
    assert np.abs(risks - clf.predict_proba(X)).max() < 0.35
    assert multiples([model.n, model.fit_report.n_rows, *model.training["label_counts"]])
    assert {column.n_missing for column in model.fit_report.columns} == {None}
    assert model.fit_report.notes == ()
    assert "Counts are rounded to multiples of 10." in str(again.rule_list_)
    assert save_model(again, tmp_path / "again.json", min_cell=10).read_text() == path.read_text()


@pytest.mark.parametrize("to", [name for name in FORMATS if name != "json"])
def test_exports_are_of_rounded_counts(to: str) -> None:
    clf = fit()
    content = export_model(clf, to, min_cell=10)
    text = content if isinstance(content, str) else onnx.load_from_string(content).doc_string
    assert "rounded to multiples of 10" in text.replace("\\", "")
    assert "SHA" not in text
    assert content == export_model(disclosed(clf, 10), to)


def test_json_exports_are_disclosed() -> None:
    document = json.loads(str(export_model(fit(), "json", min_cell=10)))
    assert document["training"]["rounding"] == {"min_cell": 10, "step": 10}
    assert document["posterior"] is None
    used = {c["column"] for rule in document["rule_list"] for c in rule["conditions"]}
    used |= {c["column"] for rule in document["map_rule_list"] for c in rule["conditions"]}
    for column in document["table"]["columns"]:
        assert not column["levels"] or column["name"] in used


def test_calculators_are_of_rounded_counts() -> None:
    clf = fit()
    page = calculator_page(clf, min_cell=10)
    assert "Counts are rounded to multiples of 10." in page
    assert "islands" not in page
    assert "Counts are rounded" not in calculator_page(clf)
    assert "Counts are rounded" in calculator_page(clf.rule_list_, min_cell=10)
    assert multiples([rule.label_counts for rule in disclosed_list(clf.rule_list_, 10)])


def test_a_model_that_is_coarse_enough_stays_as_it_is() -> None:
    once = disclosed(fit(), 20)
    assert disclosed(once, 10) is once
    assert disclosed(once, None) is once
    assert multiples([rule.label_counts for rule in disclosed(once, 60).rule_list], 60)


def test_averages_over_the_posterior_are_refused(tmp_path: Path) -> None:
    clf = fit(predict_with="posterior")
    for attempt in (
        lambda: save_model(clf, tmp_path / "model.json", min_cell=10),
        lambda: export_model(clf, "sql", min_cell=10),
        lambda: calculator_page(clf, min_cell=10),
    ):
        with pytest.raises(ParamError, match="which needs the posterior's draws"):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_too_few_people_are_refused() -> None:
    with pytest.raises(DisclosureError, match="too few people for min_cell=1000"):
        disclosed(fit(), 1000)


@pytest.mark.parametrize(("bad", "error"), [(1, ParamError), ("ten", ParamTypeError)])
def test_min_cell_is_checked(bad: Any, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error, match="min_cell is"):
        save_model(fit(), tmp_path / "model.json", min_cell=bad)


def test_a_disclosed_model_cannot_be_edited_or_explored(tmp_path: Path) -> None:
    from elseif.report.explorer import explorer_page

    X, y = patients()
    again = load_model(save_model(fit(), tmp_path / "model.json", min_cell=10))
    X["stage"] = "I"
    with pytest.raises(DataError, match="saved with min_cell"):
        again.edit(X, y)
    with pytest.raises(ParamError, match="needs a posterior"):
        explorer_page(again, X, y, min_cell=10)


def changed(path: Path, change: Any) -> bytes:
    """A model file with something changed, and the checksum of that."""
    document = json.loads(path.read_text())
    change(document)
    document["sha256"] = checksum(document)
    return json.dumps(document).encode()


CHANGES = {
    "not a multiple": lambda d: d["training"]["label_counts"].__setitem__(0, 303.0),
    "would reveal them": lambda d: d["training"].__setitem__("fingerprint", "0" * 64),
    "other parts": lambda d: d["pool"].__setitem__(
        "supports", [0.5] * len(d["pool"]["antecedents"])
    ),
    "but other": lambda d: d["table"]["columns"][0].__setitem__("n_missing", 3),
    "not a multiple of min_cell": lambda d: d["training"]["rounding"].__setitem__("min_cell", 3),
    "capture": lambda d: d["training"]["label_counts"].__setitem__(0, 900.0),
    "do not follow": lambda d: d["rule_list"][0]["label_counts"].__setitem__(0, 300.0),
    "there are no supports": lambda d: d["training"].pop("rounding"),
}


@pytest.mark.parametrize("why", CHANGES)
def test_a_file_that_contradicts_its_rounding_is_refused(why: str, tmp_path: Path) -> None:
    path = save_model(fit(), tmp_path / "model.json", min_cell=10)
    with pytest.raises(ModelFileError, match=why):
        model_from_bytes(changed(path, CHANGES[why]))


def test_weighted_counts_are_rounded() -> None:
    X, y = patients()
    weights = np.resize([0.5, 1.0, 2.5], len(y))
    model = disclosed(quick(X, y, weights), 10)
    assert multiples([rule.label_counts for rule in model.rule_list])
    assert multiples([model.fit_report.n_rows])
    assert abs(model.n - weights.sum()) <= 10


def test_a_disclosed_model_explains_and_offers_other_categories(tmp_path: Path) -> None:
    """Categories that were left out are not taken for unseen, nor for impossible."""
    clf = fit()
    assert "region" in {name for a in clf.rule_list_.antecedents for name in a.columns}
    again = load_model(save_model(clf, tmp_path / "model.json", min_cell=10))
    case = {"prior stroke": False, "age": 80.0, "region": "north", "stage": "II"}
    explanation = str(again.explain(case))
    assert "region is north" in explanation
    assert "not seen" not in explanation
    assert "It is based on 30 training cases (counts are rounded to multiples of 10)" in explanation
    assert "round to 0 (counts are rounded to multiples of 80)" in " ".join(
        str(disclosed(clf, 80).rule_list.explain(case)).split()
    )
    assert (
        "region (now north): if missing, nothing changes; if not known, rule 3 or rule 4"
        in " ".join(explanation.split())
    )
