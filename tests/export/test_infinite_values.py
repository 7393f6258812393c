"""Categories that are infinite and labels too large for a float, in every format."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.errors import ExportError
from elseif.export.formats import FORMATS, export_model
from tests.export.engines import bundled_cql
from tests.tables.fitting import quick


def fitted(levels: list[Any], labels: list[Any]) -> tuple[BayesianRuleListClassifier, pd.DataFrame]:
    """A list that asks for the second category."""
    codes = np.arange(120) % len(levels)
    X = pd.DataFrame({"a": pd.Categorical.from_codes(codes, levels), "b": np.arange(120) % 2 == 0})
    noise = np.arange(120) % 13 == 0
    y = np.array([labels[int(is_second)] for is_second in (codes == 1) ^ noise], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return quick().fit(X, y), X


@pytest.mark.parametrize("to", FORMATS)
def test_an_infinite_category_that_a_rule_asks_for(to: str, tmp_path: Path) -> None:
    """It is kept in the model file, shown in a text, and refused in a program, with a sentence."""
    made, X = fitted([1.0, np.inf, 3.0], ["no", "yes"])
    save_model(made, tmp_path / "m.json")
    classifier = load_model(tmp_path / "m.json")
    assert "inf" in str(classifier.rule_list_)
    np.testing.assert_array_equal(classifier.predict(X), made.predict(X))
    if FORMATS[to].predicts:
        with pytest.raises(ExportError, match="compares with inf"):
            export_model(classifier, to)
    else:
        assert export_model(classifier, to)


@pytest.mark.parametrize("to", FORMATS)
def test_an_infinite_category_that_no_rule_asks_for(to: str) -> None:
    """It is in nobody's way."""
    classifier, X = fitted([1.0, 2.0, np.inf], ["no", "yes"])
    text = export_model(classifier, to)
    assert text
    if to == "python":
        module: dict[str, Any] = {}
        exec(str(text), module)  # the export's own code
        rows = [row._asdict() for row in X.itertuples(index=False)]
        assert [module["predict"](row)["label"] for row in rows] == list(classifier.predict(X))


@pytest.mark.parametrize("to", FORMATS)
def test_labels_that_no_float_holds(to: str, tmp_path: Path) -> None:
    """Whole numbers of 400 digits are written as they are, in JavaScript, DMN and CQL as text."""
    made, X = fitted(["u", "v", "w"], [-(10**400), 10**400])
    save_model(made, tmp_path / "m.json")
    classifier = load_model(tmp_path / "m.json")
    assert list(classifier.predict(X)) == list(made.predict(X))
    text = export_model(classifier, to)
    if to == "fhir":
        text = bundled_cql(json.loads(str(text)))
    shortens_names = not FORMATS[to].predicts and to != "json"
    assert shortens_names or "1" + "0" * 400 in str(text)
    if to == "python":
        module: dict[str, Any] = {}
        exec(str(text), module)  # the export's own code
        assert module["LABELS"] == [-(10**400), 10**400]
    if to == "javascript":
        assert f'const labels = ["-1{"0" * 400}", "1{"0" * 400}"];' in str(text)
