"""CHADS2 and CHA2DS2-VASc: points, rates, and their manners as classifiers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from elseif.errors import DataError, DataTypeError, ParamError, ParamTypeError
from elseif.evaluation.scores import CHADS2, CHA2DS2VASc, PointScore

CONDITIONS = ["heart_failure", "hypertension", "diabetes", "stroke_or_tia", "vascular_disease"]
SCORES = [CHADS2, CHA2DS2VASc]


def person(age: float = 50, sex: str = "male", **conditions: bool) -> dict[str, object]:
    """A row of a healthy man but for what is said."""
    return {"age": age, "sex": sex, **dict.fromkeys(CONDITIONS, False), **conditions}


def people(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame(list(rows))


def everybody() -> pd.DataFrame:
    """Every combination of the conditions with ages round the bounds and every sex."""
    combinations = product(
        (0, 64, 65, 74, 75, 100), ("female", "male", "unknown"), *[(False, True)] * 5
    )
    return pd.DataFrame(list(combinations), columns=["age", "sex", *CONDITIONS])


def test_chads2_adds_up_over_all_combinations() -> None:
    """Points are what a person with pencil and paper would add, by the letters of the name."""
    X = everybody()
    by_hand = []
    for row in X.to_dict("records"):
        letters = ""
        letters += "C" if row["heart_failure"] else ""
        letters += "H" if row["hypertension"] else ""
        letters += "A" if row["age"] in (75, 100) else ""
        letters += "D" if row["diabetes"] else ""
        letters += "SS" if row["stroke_or_tia"] else ""
        by_hand.append(len(letters))
    np.testing.assert_array_equal(CHADS2().points(X), by_hand)
    assert set(by_hand) == set(range(7))


def test_cha2ds2vasc_adds_up_over_all_combinations() -> None:
    """The same of the longer name, whose ages are read from a table by hand."""
    X = everybody()
    of_age = {0: "", 64: "", 65: "A", 74: "A", 75: "AA", 100: "AA"}
    by_hand = []
    for row in X.to_dict("records"):
        letters = of_age[row["age"]]
        letters += "C" if row["heart_failure"] else ""
        letters += "H" if row["hypertension"] else ""
        letters += "D" if row["diabetes"] else ""
        letters += "SS" if row["stroke_or_tia"] else ""
        letters += "V" if row["vascular_disease"] else ""
        letters += "f" if row["sex"] == "female" else ""
        by_hand.append(len(letters))
    np.testing.assert_array_equal(CHA2DS2VASc().points(X), by_hand)
    assert set(by_hand) == set(range(10))


@pytest.mark.parametrize(
    ("changed", "chads2", "vasc"),
    [
        ({}, 0, 0),
        ({"heart_failure": True}, 1, 1),
        ({"hypertension": True}, 1, 1),
        ({"diabetes": True}, 1, 1),
        ({"stroke_or_tia": True}, 2, 2),
        ({"vascular_disease": True}, 0, 1),
        ({"sex": "female"}, 0, 1),
        ({"sex": "unknown"}, 0, 0),
        ({"age": 64}, 0, 0),
        ({"age": 64.9}, 0, 0),
        ({"age": 65}, 0, 1),
        ({"age": 74}, 0, 1),
        ({"age": 74.9}, 0, 1),
        ({"age": 75}, 1, 2),
    ],
)
def test_each_component_alone(changed: dict, chads2: int, vasc: int) -> None:
    """One thing is added to a healthy man of 50."""
    X = people(person(**changed))
    assert CHADS2().points(X).tolist() == [chads2]
    assert CHA2DS2VASc().points(X).tolist() == [vasc]


def test_rates_are_the_published_ones() -> None:
    """Per cent a year as printed in the papers, for each sum of points."""
    steps = [
        {},
        {"heart_failure": True},
        {"heart_failure": True, "hypertension": True},
        {"heart_failure": True, "hypertension": True, "diabetes": True},
        {"heart_failure": True, "hypertension": True, "stroke_or_tia": True},
        dict.fromkeys(CONDITIONS, True),
        {"age": 80, **dict.fromkeys(CONDITIONS, True)},
    ]
    X = people(*(person(**step) for step in steps))
    y = [False, True, False, True, False, True, False]
    risk = CHADS2().fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_allclose(100 * risk, [1.9, 2.8, 4.0, 5.9, 8.5, 12.5, 18.2])
    women = pd.concat([X.assign(sex="female"), X.iloc[-1:]], ignore_index=True)
    vasc = CHA2DS2VASc().fit(women, [*y, True])
    assert vasc.points(women).tolist() == [1, 2, 3, 4, 5, 7, 9, 8]
    np.testing.assert_allclose(
        100 * vasc.predict_proba(women)[:, 1], [1.3, 2.2, 3.2, 4.0, 6.7, 9.6, 15.2, 6.7]
    )
    six = people(person(age=80, stroke_or_tia=True, diabetes=True, sex="female"))
    np.testing.assert_allclose(100 * vasc.predict_proba(six), [[90.2, 9.8]])
    np.testing.assert_allclose(vasc.predict_proba(people(person())), [[1, 0]])


def test_breakdown_says_where_points_come_from() -> None:
    """A column a component in the order of the name, the sum last, rows as they were named."""
    X = people(person(age=80, sex="female", stroke_or_tia=True)).set_index(pd.Index(["Ann"]))
    result = CHA2DS2VASc().breakdown(X)
    assert result.loc["Ann"].to_dict() == {
        "heart failure": 0,
        "hypertension": 0,
        "age 75 or over": 2,
        "diabetes": 0,
        "stroke or TIA": 2,
        "vascular disease": 0,
        "age 65 to 74": 0,
        "female sex": 1,
        "points": 5,
    }
    assert list(CHADS2().breakdown(X).columns)[-1] == "points"


@pytest.mark.parametrize("score", SCORES)
def test_groups_of_another_definition(score: type[PointScore]) -> None:
    """A component can be told by a column of another name."""
    X = people(person(), person(stroke_or_tia=True)).rename(columns={"stroke_or_tia": "s2"})
    with pytest.raises(DataError, match=r"X lacks 'stroke_or_tia'.*columns="):
        score().points(X)
    assert score(columns={"stroke_or_tia": "s2"}).points(X).tolist() == [0, 2]
    with pytest.raises(ParamError, match=r"'stroke' is not a component.*stroke_or_tia"):
        score(columns={"stroke": "s2"}).points(X)


@pytest.mark.parametrize("score", SCORES)
def test_manners_of_a_classifier(score: type[PointScore]) -> None:
    """clone, pipelines, labels of any kind, AUC by either of the two ways."""
    X = everybody()
    y = np.where(np.random.default_rng(0).random(len(X)) < X["stroke_or_tia"] * 0.5, "yes", "no")
    before = score(columns={"diabetes": "diabetes"}, threshold=3)
    copy = clone(before)
    assert copy.get_params() == {"columns": {"diabetes": "diabetes"}, "threshold": 3}
    with pytest.raises(NotFittedError):
        copy.predict(X)
    fitted = make_pipeline(FunctionTransformer(), copy).fit(X, y)
    assert fitted.classes_.tolist() == ["no", "yes"]
    points = fitted.decision_function(X)
    assert roc_auc_score(y, points) > 0.7
    assert (fitted.predict(X) == np.where(points >= 3, "yes", "no")).all()
    assert fitted.predict_proba(X).sum(axis=1) == pytest.approx(1)
    if score is CHADS2:  # its rates rise with the points, so that both rank alike
        auc = roc_auc_score(y, fitted.predict_proba(X)[:, 1])
        assert auc == pytest.approx(roc_auc_score(y, points))


def test_other_frames_and_numbers_for_truth() -> None:
    """Polars, nullable booleans and 0 and 1 are read as well."""
    X = everybody()
    points = CHA2DS2VASc().points(X)
    np.testing.assert_array_equal(CHA2DS2VASc().points(pl.from_pandas(X)), points)
    np.testing.assert_array_equal(CHA2DS2VASc().points(X.astype({"diabetes": "boolean"})), points)
    np.testing.assert_array_equal(CHA2DS2VASc().points(X.astype({"diabetes": int})), points)
    categories = X.astype({"sex": "category"})
    np.testing.assert_array_equal(CHA2DS2VASc().points(categories), points)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("age", np.nan, "'age' lacks 1 of 2 values"),
        ("age", -1.0, "'age' holds -1"),
        ("age", np.inf, "'age' holds inf"),
        ("age", "old", "'age' is .*numbers of years"),
        ("sex", None, "'sex' lacks 1 of 2 values"),
        ("sex", "F", "'sex' holds 'F'; it may hold 'female', 'male', 'unknown'"),
        ("diabetes", None, "'diabetes' lacks 1 of 2 values"),
        ("diabetes", "yes", "'diabetes' is .*true and false"),
        ("diabetes", 2, "'diabetes' is .*true and false"),
        ("diabetes", 0.5, "'diabetes' is .*true and false"),
    ],
)
def test_what_cannot_be_scored(column: str, value: object, words: str) -> None:
    """Every table that lacks something is refused with the column and the remedy."""
    good = {"age": 60, "sex": "male", "diabetes": 0 if isinstance(value, float | int) else False}
    rows = [person(), {**person(), column: value}]
    rows[0][column] = good[column] if column != "age" or not isinstance(value, str) else "60"
    if column == "diabetes" and isinstance(value, str):
        rows[0][column] = "no"
    with pytest.raises(DataError, match=words):
        CHA2DS2VASc().points(people(*rows))


def test_labels_and_tables_of_the_wrong_kind() -> None:
    """Three labels, a length that differs, and an array without names."""
    X = people(person(), person(age=80), person(age=70))
    with pytest.raises(DataError, match=r"needs two labels.*3: 'a', 'b', 'c'"):
        CHADS2().fit(X, ["a", "b", "c"])
    with pytest.raises(DataError, match="X has 3 rows and y 2"):
        CHADS2().fit(X, [0, 1])
    with pytest.raises(DataTypeError, match="data frame with the columns heart_failure"):
        CHADS2().points(np.zeros((2, 5)))


def test_a_table_of_pyarrow_has_names() -> None:
    """What pyarrow calls columns are their values."""
    X = people(person(), person(age=80))
    fitted = CHADS2().fit(pa.Table.from_pandas(X), [0, 1])
    assert fitted.feature_names_in_.tolist() == list(X.columns)


def test_faults_of_settings_and_labels_are_sentences() -> None:
    X = people(person(), person(age=80))
    with pytest.raises(ParamTypeError, match="threshold is '2'"):
        CHADS2(threshold="2").fit(X, [0, 1])
    with pytest.raises(ParamTypeError, match="columns must be a dict"):
        CHADS2(columns="age").fit(X, [0, 1])
    with pytest.raises(DataError, match=r"shape \(2, 2\)"):
        CHADS2().fit(X, np.eye(2))
    with pytest.raises(DataError, match="must be unique"):
        CHADS2().fit(pd.concat([X, X], axis=1), [0, 1])
