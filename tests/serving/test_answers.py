"""What the server says of a case is what the classifier says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, save_model
from elseif.errors import DataError
from elseif.explaining import possibilities
from elseif.serving import ServedModel, serve_file
from elseif.serving.cds_hooks import card
from tests.serving.models import all_kinds, json_cases, served_ward


def test_every_kind_of_column() -> None:
    """Rule, probabilities and intervals of every row, all at once and one at a time."""
    clf, X = all_kinds()
    served = ServedModel("all", clf.model_)
    cases = json_cases(X)
    used = {c.column for rule in clf.rule_list_.antecedents for c in rule}
    kinds = {clf.model_.metadata.kinds[name].value for name in used}
    assert len(kinds) >= 4, kinds
    answers = served.answers(cases)
    assert [a["rule"] for a in answers] == (clf.rule_list_.captured_by(X) + 1).tolist()
    for answer, shares in zip(answers, clf.predict_proba(X), strict=True):
        assert [each["probability"] for each in answer["probabilities"]] == shares.tolist()
        rule = clf.rule_list_[answer["rule"] - 1]
        ends = [tuple(each["interval"]) for each in answer["probabilities"]]
        assert ends == [rule.interval(label) for label in clf.classes_]
    predicted = [str(answer["predicted"]) for answer in answers]
    assert predicted == [{True: "ill", False: "not ill"}[bool(v)] for v in clf.predict(X)]
    assert [served.answers([case])[0] for case in cases] == answers


def test_three_labels_and_weights() -> None:
    """Every label has its probability, in every answer and on the card."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"fever": rng.integers(0, 2, 300), "days": rng.normal(size=300).round(3)})
    y = np.where(X["fever"] == 1, "flu", np.where(X["days"] > 0, "cold", "well"))
    y[:30] = rng.permutation(y[:30])  # else a column would tell a label exactly
    clf = BayesianRuleListClassifier(random_state=0)
    clf.fit(X, y, sample_weight=rng.integers(1, 4, 300))
    served = ServedModel("three", clf.model_)
    answers = served.answers(json_cases(X))
    assert [a["rule"] for a in answers] == (clf.rule_list_.captured_by(X) + 1).tolist()
    shares = [[each["probability"] for each in a["probabilities"]] for a in answers]
    np.testing.assert_array_equal(shares, clf.predict_proba(X))
    assert [a["predicted"] for a in answers] == clf.predict(X).tolist()
    open_answer = served.answers([{"days": 1.0}])[0]
    assert (open_answer["rule"], open_answer["ask"]) == (None, ["fever"])
    for answer in (answers[0], open_answer):
        summary = card(served, answer)["summary"]
        assert all(f"Probability of {label}" in summary for label in clf.classes_)


def test_a_column_that_is_left_out_is_not_known() -> None:
    """It is never taken for false, nor for missing: the answer is what could apply."""
    served = served_ward()
    case = {"age": 80, "sex": "male", "systolic": 150}
    open_answer = served.answers([case])[0]
    expected = possibilities(served.rule_list, case, served.levels)
    assert not expected.is_decided
    assert open_answer["rule"] is None
    assert open_answer["possible_rules"] == [line + 1 for line in expected.places]
    assert open_answer["ask"] == ["heart failure"]
    stroke = open_answer["probabilities"][1]
    assert (stroke["lowest"], stroke["highest"]) == (expected.low[1], expected.high[1])
    missing, false = served.answers(
        [{**case, "heart failure": None}, {**case, "heart failure": False}]
    )
    assert missing["rule"] is not None
    assert missing == false  # no line asks whether it is missing


def test_a_column_that_does_not_matter_may_be_left_out() -> None:
    """Where every value leads to one line, that line is the answer."""
    served = served_ward()
    known = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}
    answer = served.answers([known])[0]
    assert answer["rule"] == 1
    del known["systolic"], known["sex"]
    assert served.answers([known])[0] == answer


def test_a_misspelt_column() -> None:
    """Would be taken for one that is not known, so it is refused."""
    with pytest.raises(DataError, match=r"no column 'aged'\. Did you mean 'age'"):
        served_ward().answers([{"aged": 80}])
    with pytest.raises(DataError, match="no column 'shoe size'"):
        served_ward().explain({"shoe size": 80})


def test_explanations() -> None:
    """The explanation is that of Python, as data and as text."""
    served = served_ward()
    case = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}
    explained = served.explain(case)
    expected = served.model.explain(case)
    assert explained["text"] == expected.to_text()
    assert explained["explanation"] == expected.to_dict()


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("age", [1], "a list; it must be a number"),
        ("age", {"a": 1}, "an object; it must be a number"),
        ("age", "80", "'80'; it must be a number"),
        ("age", True, "True; it must be a number"),
        ("age", 1e16, "1e+16; it must be a number from -1e+15 to 1e+15"),
        ("heart failure", 2, "2; it must be true or false"),
        ("heart failure", "yes", "'yes'; it must be true or false"),
    ],
)
def test_values_that_a_column_cannot_hold(column: str, value: object, words: str) -> None:
    """An error names the column, the value and what it may be."""
    served = served_ward()
    whole = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}
    for case in (whole | {column: value}, {column: value}):
        with pytest.raises(DataError, match=f"'{column}' is ") as caught:
            served.answers([case])
        assert words in str(caught.value)
    with pytest.raises(DataError, match=f"'{column}' is "):
        served.explain(whole | {column: value})


def test_values_never_seen() -> None:
    """A category that fit did not see makes no condition true, and is no error."""
    served = served_ward()
    whole = {"age": 60, "heart failure": False, "sex": "unheard of", "systolic": 150}
    assert served.answers([whole])[0]["rule"] is not None


def test_a_file_has_a_name_and_a_digest(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """By which one knows which version answered."""
    clf, X = all_kinds()
    save_model(clf, tmp_path / "ill.json", posterior=None)
    served = serve_file(tmp_path / "ill.json")
    assert served.name == "ill"
    assert served.sha256 == served.model.sha256
    assert len(served.sha256) == 64
    described = served.description()
    assert described["labels"] == ["not ill", "ill"]
    assert {c["name"] for c in described["columns"]} <= set(X.columns)
    assert np.isclose(described["n"], len(X))
