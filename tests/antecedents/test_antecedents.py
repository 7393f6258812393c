"""Antecedents: names, order, an expert's own, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.own_antecedents import read_antecedents, read_weights
from elseif.conditions.condition import Condition
from elseif.errors import ParamError, ParamTypeError
from elseif.tables.reading import read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ABOVE_50, UP_TO_60 = Condition("age", ">", 50.0), Condition("age", "<=", 60.0)
FEMALE, SMOKER = Condition("sex", "=", "female"), Condition("smoker", "is true")


def small_table() -> Any:
    """A boolean, a number and a word."""
    return read_table(
        pd.DataFrame(
            {
                "smoker": [True, False, True, False],
                "age": [40.5, 55.0, 61.0, 72.0],
                "sex": ["female", "male", "female", "male"],
                "born": pd.to_datetime(["1950-01-01", "1960-01-01", "1970-01-01", "1980-01-01"]),
            }
        )
    )


def read(*antecedents: Any) -> list[Antecedent]:
    """An expert's antecedents on the small table."""
    return read_antecedents(list(antecedents), small_table(), {})


def test_an_interval_is_written_as_one() -> None:
    """Two thresholds of a column read as an interval; the rest keeps its order."""
    assert Antecedent([UP_TO_60, ABOVE_50]).name == "50 < age <= 60"
    assert Antecedent([SMOKER, UP_TO_60, FEMALE, ABOVE_50]).name == (
        "50 < age <= 60 and sex = female and smoker"
    )
    assert Antecedent([SMOKER, UP_TO_60]).name == "age <= 60 and smoker"


def test_thresholds_of_different_columns_are_no_interval() -> None:
    """Only thresholds on the same column make an interval."""
    other = Condition("weight", "<=", 60.0)
    assert Antecedent([ABOVE_50, other]).name == "age > 50 and weight <= 60"


def test_the_order_of_conditions_does_not_matter() -> None:
    """Equal conjunctions are equal, however they were written."""
    a, b = Antecedent([FEMALE, SMOKER]), Antecedent([SMOKER, FEMALE])
    assert a == b
    assert hash(a) == hash(b)
    assert a.cardinality == 2
    assert a.columns == ("sex", "smoker")
    assert str(a) == "sex = female and smoker"
    assert repr(a) == "Antecedent('sex = female and smoker')"


def test_the_default_rule_has_the_empty_antecedent() -> None:
    """No conditions, no name."""
    assert Antecedent().name == ""
    assert Antecedent().cardinality == 0


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("smoker", "smoker"),
        (("smoker",), "smoker"),
        ((("smoker", "is false"),), "not smoker"),
        ((("smoker", "=", 0),), "not smoker"),
        ((("smoker", "!=", False),), "smoker"),
        ((("age", ">", 60),), "age > 60"),
        (("age", ">", 60), "age > 60"),
        ((("age", "≥", 60), "smoker"), "age >= 60 and smoker"),
        ((("age", ">", 50), ("age", "<=", 60)), "50 < age <= 60"),
        ((("age", "between", [50, 60]),), "50 < age <= 60"),
        ((("sex", "==", "female"),), "sex = female"),
        ((("sex", "is", "female"),), "sex = female"),
        ((("sex", "in", ["female", "male"]),), "sex in {female, male}"),
        ((("born", "<", "1965-01-01"),), "born < 1965-01-01"),
        ((("sex", "is missing"),), "sex is missing"),
        (["smoker", ("sex", "=", "male")], "sex = male and smoker"),
        ((SMOKER, FEMALE), "sex = female and smoker"),
        (Antecedent([SMOKER]), "smoker"),
    ],
)
def test_expert_antecedents(given: Any, name: str) -> None:
    """Names, pairs, triples, conditions and antecedents all make antecedents."""
    assert [a.name for a in read(given)] == [name]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (("smokes",), ParamError, ("antecedents", "'smokes'", "no column")),
        ((), ParamError, ("antecedents", "no condition")),
        ((("age", "~", 3),), ParamError, ("'~'", "'age'", "'>'")),
        ((("age", ">", "old"),), ParamError, ("'age'", "numeric", "'old'")),
        ((("age", ">", float("nan")),), ParamError, ("'age'", "nan")),
        ((("sex", "=", "other"),), ParamError, ("'sex'", "'other'", "'female'", "'male'")),
        ((("sex", ">", "female"),), ParamError, ("'sex'", "unordered", "ordered")),
        (("sex",), ParamError, ("'sex'", "category")),
        ((("smoker", ">", 0),), ParamError, ("'smoker'", "boolean")),
        ((3,), ParamTypeError, ("3",)),
        (3, ParamTypeError, ("3",)),
        ((("age", ">", None),), ParamError, ("'age'", "None")),
        ((("age", "between", 3),), ParamError, ("'age'", "3")),
        ((("age", "between", (1, 2, 3)),), ParamError, ("'age'", "(1, 2, 3)")),
        ((("sex", "in", 3),), ParamError, ("'sex'", "3")),
        ((("sex", "=", ["female"]),), ParamError, ("'sex'", "['female']")),
        ((("born", ">", "yesterday"),), ParamError, ("'born'", "'yesterday'")),
    ],
)
def test_expert_antecedents_refused(given: Any, error: type, words: tuple[str, ...]) -> None:
    """What cannot be read is named, with what can."""
    with pytest.raises(error) as caught:
        read(given)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("given", ["smoker", b"smoker", 3])
def test_expert_antecedents_are_a_list(given: Any) -> None:
    """One name alone is not a list of antecedents."""
    with pytest.raises(ParamTypeError, match="list of tuples"):
        read_antecedents(given, small_table(), {})


def test_an_antecedent_given_twice() -> None:
    """The same conjunction in another order is the same antecedent."""
    with pytest.raises(ParamError, match="more than once"):
        read(("smoker", ("sex", "=", "male")), (("sex", "=", "male"), "smoker"))


def test_expert_antecedents_are_fitted_as_given() -> None:
    """The pool is the expert's: below the support, above the cardinality, all there."""
    X, y = random_frame()
    given = [("f1",), ("f2", "f3", "f4"), (("f1", "is false"), "f2")]
    clf = quick(antecedents=given, min_support=0.9, max_cardinality=1).fit(X, y)
    assert set(clf.pool_.names) == {"f1", "f2 and f3 and f4", "not f1 and f2"}
    truth = ~X["f1"] & X["f2"]
    index = clf.pool_.names.index("not f1 and f2")
    assert clf.pool_.supports[index] == pytest.approx(truth.mean())


def test_no_expert_antecedents() -> None:
    """An empty list of antecedents is refused, or leaves the default rule alone when asked to."""
    X, y = random_frame()
    with pytest.raises(ParamError, match="antecedents is empty"):
        quick(antecedents=[]).fit(X, y)
    clf = quick(antecedents=[], empty_pool="default_rule").fit(X, y)
    assert len(clf.rule_list_) == 0


def pool_of(frame: pd.DataFrame, y: np.ndarray) -> Any:
    """The mined pool of a frame."""
    return quick().fit(frame, y).pool_


def test_weights_multiply() -> None:
    """The weight of an antecedent is the product of its columns' weights."""
    X, y = random_frame()
    pool = pool_of(X, y)
    weights = dict(zip(pool.names, read_weights({"f1": 2, "f2": 5}, pool, X.columns), strict=True))
    assert weights["f1"] == 2
    assert weights["f1 and f2"] == 10
    assert weights["f2 and f3"] == 5
    assert weights["f3 and f4"] == 1


def test_weights_of_a_whole_antecedent_hold() -> None:
    """What is said of an antecedent stands, by name or by a tuple of its conditions."""
    X, y = random_frame()
    pool = pool_of(X, y)
    for key in ("f1 and f2", ("f2", "f1")):
        result = read_weights({"f1": 2, key: 7}, pool, X.columns)
        weights = dict(zip(pool.names, result, strict=True))
        assert weights["f1 and f2"] == 7
        assert weights["f1 and f3"] == 2


def test_weights_of_a_condition() -> None:
    """One category of a column can be weighed alone."""
    X, y = random_frame()
    X["sex"] = np.where(X["f1"] ^ X["f2"], "female", "male")
    pool = pool_of(X, y)
    weights = dict(
        zip(pool.names, read_weights({"sex": 3, "sex = male": 2}, pool, X.columns), strict=True)
    )
    assert weights["sex = male"] == 6
    assert weights["sex = female"] == 3


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), "heavy", None])
def test_weights_are_positive(weight: Any) -> None:
    """A weight that is no positive number is refused with its key."""
    X, y = random_frame()
    with pytest.raises(ParamError, match=r"antecedent_weights\['f1'\]"):
        quick(antecedent_weights={"f1": weight}).fit(X, y)


def test_weights_of_what_is_not_there() -> None:
    """A key that nothing bears is an error; a column that is not in the pool is none."""
    X, y = random_frame()
    with pytest.raises(ParamError, match=r"antecedent_weights.*'f9'"):
        quick(antecedent_weights={"f9": 2}).fit(X, y)
    with pytest.raises(ParamTypeError, match="dict"):
        quick(antecedent_weights=[1, 2]).fit(X, y)
    X["constant"] = True
    assert len(quick(antecedent_weights={"constant": 2}).fit(X, y).pool_) == 10


def test_what_weighs_more_is_preferred() -> None:
    """Between two columns that say nearly the same, the weight decides."""
    X, y = random_frame(400)
    X["twin"] = X["f1"].to_numpy() ^ (np.arange(400) < 1)
    settings = {"n_iter": 20_000, "max_cardinality": 1, "n_chains": 4}
    plain = quick(**settings).fit(X, y).posterior_.inclusion()
    cheap = quick(**settings, antecedent_weights={"twin": 100}).fit(X, y).posterior_.inclusion()
    assert cheap["twin"] > cheap["f1"] + 0.1
    assert cheap["twin"] > plain["twin"]
    assert cheap["f1"] < plain["f1"]


def test_equal_weights_are_no_weights() -> None:
    """Weights that are all equal leave the paper's prior as it is."""
    X, y = random_frame()
    a = quick().fit(X, y)
    b = quick(antecedent_weights=dict.fromkeys(a.pool_.names, 3.0)).fit(X, y)
    np.testing.assert_allclose(a.posterior_.log_posterior, b.posterior_.log_posterior, rtol=1e-12)


def test_twins_of_one_spelling_get_a_number() -> None:
    """Two antecedents that read the same are told apart."""
    X, y = random_frame(n_columns=3)
    X = X.rename(columns={"f1": "a", "f2": "b", "f3": "a and b"})
    names = quick().fit(X, y).pool_.names
    assert len(set(names)) == len(names)
    assert {"a and b", "a and b (2)"} <= set(names)
