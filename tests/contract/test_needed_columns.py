"""Predictions and explanations ask for the columns that they use, and for no other."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.errors import DataError

Fitted = tuple[BayesianRuleListClassifier, pd.DataFrame]


def people(n: int = 300) -> tuple[pd.DataFrame, pd.Series]:
    """An identifier, a date that decides, and three columns that do not."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "age": rng.integers(20, 90, n),
            "smoker": rng.random(n) < 0.4,
            "ward": pd.Categorical(rng.choice(["a", "b"], n)),
        }
    )
    return X, pd.Series(rng.random(n) < np.where(X["seen"] > "2021-01-01", 0.8, 0.1), name="ill")


@pytest.fixture(scope="module", params=["exact", "tempered"])
def fitted(request: pytest.FixtureRequest) -> Fitted:
    """The sum over a pool of a few antecedents, and chains."""
    X, y = people()
    own = [(("seen", ">", "2021-01-01"),), (("age", ">", 60),), ("smoker",), (("ward", "=", "a"),)]
    classifier = BayesianRuleListClassifier(
        antecedents=own, kernel=request.param, n_iter=2000, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the identifier, and chains that are too short
        return classifier.fit(X, y), X


def test_a_list_asks_for_its_columns_alone(fitted: Fitted) -> None:
    """Not for an identifier, nor for what only other lists use."""
    classifier, X = fitted
    assert classifier.rule_list_.columns_used == {"seen"}
    narrow = X[["seen"]]
    assert (classifier.predict_proba(narrow) == classifier.predict_proba(X)).all()
    assert (classifier.predict(narrow) == classifier.predict(X)).all()
    ours = classifier.predict_interval(narrow, predict_with="point")
    assert (ours == classifier.predict_interval(X, predict_with="point")).all()
    with pytest.raises(DataError, match=r"X lacks 1 of the columns that predictions use: 'seen'"):
        classifier.predict_proba(X[["age", "smoker"]])


def test_the_posterior_asks_for_the_columns_of_its_lists(fitted: Fitted) -> None:
    """The identifier may be missing; what a drawn list uses may not."""
    classifier, X = fitted
    averaging = BayesianRuleListClassifier(
        **{**classifier.get_params(), "predict_with": "posterior"}
    )
    averaging.model_ = classifier.model_
    without = X.drop(columns="id")
    assert (averaging.predict_proba(without) == averaging.predict_proba(X)).all()
    used = classifier.posterior_.columns_used
    assert "seen" in used
    with pytest.raises(DataError, match="columns that predictions use: 'seen'"):
        averaging.predict_proba(X.drop(columns="seen"))


def test_a_sum_that_lacks_a_column_falls_back_on_the_draws() -> None:
    """No drawn list asks for the column, so the draws still predict; and that is said."""
    X, y = people()
    weak = [("smoker", "is true"), ("ward", "=", "a")]
    classifier = BayesianRuleListClassifier(
        antecedents=[(("seen", ">", "2021-01-01"),), (weak[0],), (weak[1],)],
        expected_length=1e-6,  # a second rule is worth less than it costs
        kinds={"id": "category"},
        predict_with="posterior",
        random_state=0,
    ).fit(X, y)
    assert classifier.posterior_.exact is not None
    assert classifier.posterior_.columns_used == {"seen"}
    with pytest.warns(UserWarning, match=r"lacks 'smoker', 'ward'.*averages over the draws"):
        ours = classifier.predict_proba(X[["seen"]])
    np.testing.assert_allclose(ours, classifier.predict_proba(X), atol=0.01)


def test_an_explanation_without_the_other_lists(fitted: Fitted) -> None:
    """The list is explained; what other lists say is left out, with a note."""
    classifier, X = fitted
    for case in (X[["seen"]], {"seen": X["seen"].iloc[0]}):
        with pytest.warns(UserWarning, match="which other lists of the posterior use: their"):
            explanation = classifier.explain(case)
        assert explanation.others is None
        assert explanation.fired == classifier.explain(X).fired
    assert classifier.explain(X.drop(columns="id")).others is not None
    with pytest.raises(DataError, match="'seen'"):
        classifier.explain(X[["age"]])


def test_dates_as_pandas_reads_them(fitted: Fitted) -> None:
    """A column of dates comes back from CSV as text."""
    classifier, X = fitted
    for options in ({}, {"dtype_backend": "pyarrow"}, {"dtype": "string"}):
        read = pd.read_csv(io.StringIO(X.to_csv(index=False)), **options)
        assert (classifier.predict_proba(read[["seen"]]) == classifier.predict_proba(X)).all()
    explanation = classifier.explain(pd.read_csv(io.StringIO(X.to_csv(index=False))))
    assert explanation.fired == classifier.explain(X).fired
    written = classifier.predict_proba(X.assign(seen="31/12/2021"))
    assert (written == classifier.predict_proba(X.assign(seen="2021-12-31"))).all()
    with pytest.raises(DataError, match="whether the day or the month comes first"):
        classifier.predict_proba(X.assign(seen="03/04/2021"))


def test_a_column_under_nearly_the_name_is_pointed_at() -> None:
    X, y = load_titanic("paper")
    clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    with pytest.raises(DataError, match=r"'sex'\. It has a column 'Sex': is that 'sex'\?"):
        clf.predict(X.rename(columns={"sex": "Sex"}))
    with pytest.raises(DataError, match=r"use: 'sex'\.$"):
        clf.predict(X.drop(columns="sex").assign(height=1))
