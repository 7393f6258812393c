"""Editing with a price: the price is the sampler's, to the last digits that count."""

from __future__ import annotations

import copy
import math
import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import elseif
from elseif import BayesianRuleListClassifier
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.editing.draft import Draft
from elseif.errors import ParamError, ParamTypeError
from elseif.showing.draft_text import in_words
from tests.tables.fitting import expect_refused, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def mixed_table(n: int = 240, seed: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with gaps, a boolean, categories, ordered stages and dates."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.15, np.nan, rng.normal(60, 12, n).round()),
            "smoker": rng.random(n) < 0.4,
            "region": rng.choice(["north", "east", "west"], n),
            "stage": pd.Categorical(rng.choice(["I", "II", "III"], n), ["I", "II", "III"], True),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
        }
    )
    risk = 0.15 + 0.5 * (X["age"] > 65) + 0.2 * X["smoker"]
    return X, (rng.random(n) < risk).astype(int)


def every_list(draft: Draft) -> list[tuple[int, Draft]]:
    """A draft of each list that was drawn."""
    context = draft.context
    lists = context.model.posterior.distinct
    return [
        (i, Draft(context, tuple(context.pool[a] for a in lists.antecedent_list(i))))
        for i in range(len(lists))
    ]


WEIGHTS = {
    "none": None,
    "whole": np.arange(240) % 4,
    "fractions": 0.25 + (np.arange(240) % 7) / 3,
}


@pytest.mark.parametrize(
    ("settings", "weights", "n_labels"),
    [
        ({}, "none", 2),
        ({"negations": True, "disjoint_bins": True}, "none", 2),
        ({"pseudocounts": [0.5, 2.5], "expected_length": 2, "expected_cardinality": 2}, "none", 2),
        ({"antecedent_weights": {"age": 0.2, "smoker": 3.0}}, "none", 2),
        ({}, "whole", 2),
        ({}, "fractions", 2),
        ({"max_cardinality": 3}, "fractions", 3),
        (
            {
                "antecedents": [("smoker",), (("age", ">", 60), "smoker"), (("stage", "=", "I"),)],
                "expected_length": 1,
            },
            "none",
            2,
        ),
        ({"kinds": {"region": ["west", "north", "east"]}, "missing_y": "drop"}, "none", 2),
    ],
)
def test_the_price_is_the_samplers(settings: Any, weights: str, n_labels: int) -> None:
    """Log posterior and counts of every drawn list come out as they were stored."""
    X, y = mixed_table()
    if n_labels == 3:
        y = y + (np.arange(len(y)) % 5 == 0)
    labels: Any = y
    if settings.get("missing_y") == "drop":
        labels = y.astype(float)
        labels[::17] = np.nan
    classifier = quick(**settings).fit(X, labels, sample_weight=WEIGHTS[weights])
    draft = classifier.edit(X, labels, sample_weight=WEIGHTS[weights])
    lists = classifier.posterior_.distinct
    drafts = every_list(draft)
    assert len(drafts) > 3
    for i, candidate in drafts:
        assert abs(candidate.log_posterior - lists.log_posterior[i]) < 1e-9
        unit = classifier.rule_list_.metadata.count_unit
        expected = lists.counts(i) * unit
        stacked = np.stack([rule.label_counts for rule in candidate.rule_list.rules])
        np.testing.assert_array_equal(stacked, expected)


@pytest.fixture(scope="module")
def fitted() -> tuple[BayesianRuleListClassifier, pd.DataFrame, np.ndarray]:
    X, y = mixed_table()
    return quick(n_iter=2000).fit(X, y), X, y


@pytest.fixture
def draft(fitted: Any) -> Draft:
    classifier, X, y = fitted
    edited: Draft = classifier.edit(X, y)
    # three rules to push about, whatever was fitted
    for antecedent in [*edited.antecedents][::-1]:
        edited = edited.drop(edited.antecedents.index(antecedent))
    for name in ("region = north", "smoker", "region = east"):
        edited = edited.insert(name, len(edited.antecedents))
    return edited


def names(draft: Draft) -> list[str]:
    return [antecedent.name for antecedent in draft.antecedents]


def assert_counts(draft: Draft, X: pd.DataFrame, y: np.ndarray) -> None:
    """The draft's counts are those of its own list on the data."""
    lines = draft.rule_list.captured_by(X)
    expected = [
        [int(np.sum((lines == j) & (y == label))) for label in (0, 1)]
        for j in range(len(draft.antecedents) + 1)
    ]
    assert [rule.label_counts.tolist() for rule in draft.rule_list.rules] == expected


def test_every_edit(draft: Draft, fitted: Any) -> None:
    """Drop, move, insert, replace and undo do what they say; the draft before stays."""
    _, X, y = fitted
    assert names(draft) == ["region = north", "smoker", "region = east"]
    assert names(draft.drop(1)) == ["region = north", "region = east"]
    assert names(draft.move(0, 2)) == ["smoker", "region = east", "region = north"]
    assert names(draft.move(2, 0)) == ["region = east", "region = north", "smoker"]
    assert names(draft.insert("region = west", 1))[1] == "region = west"
    assert names(draft.insert(("stage", "<=", "II"), 3))[3] == "stage <= II"
    assert names(draft.replace(0, ("age", ">", 60)))[0] == "age > 60"
    assert names(draft.insert([("age", ">", 60), "smoker"], 0))[0] == "age > 60 and smoker"
    assert names(draft) == ["region = north", "smoker", "region = east"]
    for edited in (
        draft,
        draft.drop(0),
        draft.move(0, 2),
        draft.insert(("stage", "<=", "II"), 1),
        draft.insert(("seen", ">", "2020-06-01"), 0),
        draft.replace(2, ("age", "is missing")),
    ):
        assert_counts(edited, X, y)
    assert draft.drop(1).undo() is draft
    assert [step.done for step in draft.drop(1).steps][-1] == "drop 'smoker'"
    first = draft.start
    assert first.previous is None
    with pytest.raises(ParamError, match="nothing to undo"):
        first.undo()


def test_the_change_is_told_in_its_parts(draft: Draft) -> None:
    """Prior and likelihood apart, and together the posterior."""
    moved = draft.move(0, 2)
    assert math.isclose(moved.change, moved.change_of_prior + moved.change_of_likelihood)
    assert math.isclose(moved.change, moved.log_posterior - draft.start.log_posterior)
    text = str(moved)
    assert "log prior" in text
    assert "Compared with the start:" in text
    assert "probable (prior" in text
    assert "move 'region = north' from 1 to 3" in text
    start = str(draft.start)
    assert "Compared with the start" not in start
    assert "Log posterior" in start


def test_in_words() -> None:
    """A difference of logarithms, as odds."""
    assert in_words(0.0) == "just as probable"
    assert in_words(-math.log(24)) == "e^3.18 = 24 times less probable"
    assert in_words(math.log(1.5)) == "e^0.41 = 1.50 times more probable"
    assert in_words(-45.3) == "e^45.30 times less probable"
    assert in_words(-5000) == "e^5000.00 times less probable"


def test_outside_the_pool(draft: Draft, fitted: Any) -> None:
    """The prior has no place for it; the likelihood is compared, and the text says so."""
    _, X, y = fitted
    odd = draft.insert([("age", ">", 63.5), ("region", "=", "west")], 0)
    assert [a.name for a in odd.outside] == ["age > 63.5 and region = west"]
    assert odd.log_prior == odd.log_posterior == -math.inf
    assert math.isfinite(odd.log_likelihood)
    assert_counts(odd, X, y)
    text = " ".join(str(odd).split())
    assert "Not in the pool: 'age > 63.5 and region = west'" in text
    assert "only the likelihood can be compared" in text
    assert "nan" not in text
    assert "nan" not in odd._repr_html_()
    # back in the pool, the price is comparable again
    assert math.isfinite(odd.drop(0).change)
    assert odd.drop(0).log_posterior == draft.log_posterior
    # what fits the data better is a statement on the likelihood alone
    assert str(odd.as_classifier().rule_list_) == str(odd.rule_list)


def test_an_interval_is_its_two_thresholds() -> None:
    """("age", "between", (a, b)) finds the antecedent that mining wrote as two thresholds."""
    X, y = mixed_table()
    classifier = quick(min_support=0.02).fit(X, y)
    cuts = classifier.fit_report_.cuts["age"]
    draft = classifier.edit(X, y).insert(("age", "between", (cuts[0], cuts[1])), 0)
    assert draft.outside == ()
    assert draft.antecedents[0].name == f"{cuts[0]:g} < age <= {cuts[1]:g}"


def test_a_column_that_fit_was_not_told_of() -> None:
    """With antecedents= the pool uses some columns; an edit may use any."""
    X, y = mixed_table()
    classifier = quick(antecedents=[("smoker",)], expected_length=1).fit(X, y)
    draft = classifier.edit(X, y).insert(("age", ">", 70), 0)
    assert_counts(draft, X, y)
    edited = draft.as_classifier()
    lines = draft.rule_list.captured_by(X)
    np.testing.assert_array_equal(lines == 0, (X["age"] > 70).to_numpy())
    np.testing.assert_array_equal(edited.predict_proba(X), draft.rule_list.predict_proba(X))


# ------------------------------------------------------------------------ best_with


@pytest.mark.parametrize(
    ("must", "must_not", "wanted"),
    [
        ("age", (), lambda lists: any("age" in a.columns for a in lists)),
        ((), "age", lambda lists: not any("age" in a.columns for a in lists)),
        ("smoker", ["region"], None),
        (("region", "=", "north"), (), None),
        ("region = north", (), None),
        ([("region", "=", "north"), "smoker"], (), None),
        (Antecedent([Condition("smoker", "is true")]), (), None),
    ],
)
def test_the_best_drawn_list_with_wishes(
    fitted: Any, must: Any, must_not: Any, wanted: Any
) -> None:
    """The list found grants the wishes, and no drawn list of higher posterior does."""
    classifier, X, y = fitted
    start = classifier.edit(X, y)
    north = Condition("region", "=", "north")
    smoker = Condition("smoker", "is true")

    def grants(antecedents: Any) -> bool:
        if wanted is not None:
            return wanted(antecedents)
        has_north = any(north in a for a in antecedents)
        if must == "smoker":
            columns = {c for a in antecedents for c in a.columns}
            return "smoker" in columns and "region" not in columns
        if isinstance(must, Antecedent):
            return Antecedent([smoker]) in antecedents
        if isinstance(must, list):
            return has_north and any("smoker" in a.columns for a in antecedents)
        return has_north

    drawn = [d for _, d in every_list(start)]
    granting = [d for d in drawn if grants(d.antecedents)]
    assert 0 < len(granting) < len(drawn)  # a wish that every list grants would ask for nothing
    best = start.best_with(must=must, must_not=must_not)
    assert grants(best.antecedents)
    assert math.isclose(best.log_posterior, max(d.log_posterior for d in granting), abs_tol=1e-9)
    assert best.previous is start


def test_wishes_that_no_list_grants(fitted: Any) -> None:
    """A clear refusal, with what to do."""
    classifier, X, y = fitted
    start = classifier.edit(X, y)
    expect_refused(
        lambda: start.best_with(must="age", must_not="age"), "antecedents=", kind=ParamError
    )
    expect_refused(lambda: start.best_with(), "must_not=", kind=ParamError)
    expect_refused(lambda: start.best_with(must="nonsense"), "'nonsense'", kind=ParamError)
    expect_refused(
        lambda: start.best_with(must_not=list(X.columns)), "without column 'age'", kind=ParamError
    )


# ----------------------------------------------------------------------- classifiers


def test_an_edited_classifier(draft: Draft, fitted: Any) -> None:
    """It predicts by the edited list, says so, and leaves the fitted one alone."""
    classifier, X, y = fitted
    before = str(classifier.rule_list_)
    edited = draft.as_classifier()
    np.testing.assert_array_equal(edited.predict_proba(X), draft.rule_list.predict_proba(X))
    assert edited.edited_.endswith("insert 'region = east' at 3")
    assert edited.rule_list_ is draft.rule_list
    assert "Edited by hand" in edited._repr_html_()
    assert str(classifier.rule_list_) == before
    assert not hasattr(classifier, "edited_")
    assert edited.explain(X, row=0).n_rules == 3
    # a further edit begins where the last one ended
    again = edited.edit(X, y)
    assert names(again) == names(draft)
    assert not hasattr(clone(edited), "edited_")
    assert not hasattr(edited.fit(X, y), "edited_")
    assert not hasattr(classifier.edit(X, y).as_classifier(), "edited_")


def test_an_edited_classifier_predicts_with_the_edited_list() -> None:
    """An edit is never without effect: the copy predicts with its point list."""
    X, y = mixed_table()
    classifier = quick(predict_with="posterior").fit(X, y)
    draft = classifier.edit(X, y).drop(0)
    edited = draft.as_classifier()
    np.testing.assert_array_equal(edited.predict_proba(X), draft.rule_list.predict_proba(X))
    assert edited.predict_with == "point"
    assert classifier.predict_with == "posterior"


def test_a_model_saved_without_its_posterior(fitted: Any) -> None:
    """It can be edited and explained; what needs drawn lists says so."""
    classifier, X, y = fitted
    bare = copy.copy(classifier)
    bare.model_ = replace(classifier.model_, posterior=None, convergence=None)
    draft = bare.edit(X, y)
    assert draft.log_posterior == classifier.edit(X, y).log_posterior
    expect_refused(lambda: draft.best_with(must="age"), "without its posterior", kind=ParamError)
    assert bare.explain(X).others is None
    assert "The model was saved without its convergence" in bare._repr_html_()


# -------------------------------------------------------------------------- refusals


def test_other_data_are_refused(fitted: Any) -> None:
    """Only the data of fit give the price of fit."""
    classifier, X, y = fitted
    expect_refused(lambda: classifier.edit(X, 1 - y), "not the data", "Pass the same X, y")
    expect_refused(lambda: classifier.edit(X[:200], y[:200]), "not the data", "captures")
    expect_refused(lambda: classifier.edit(X, y + 1), "the labels of y are [1, 2]", "[0, 1]")
    expect_refused(lambda: classifier.edit(X, y, np.full(len(y), 2)), "not the data")
    expect_refused(lambda: classifier.edit(X, y, np.full(len(y), 0.5)), "weights differ")
    expect_refused(lambda: classifier.edit(X, y[:-1]), "inconsistent")
    expect_refused(lambda: classifier.edit(X.drop(columns="age"), y), "'age'")


def test_prices_are_those_of_the_prior_of_fit() -> None:
    """Settings that are changed after fit are those of the next one."""
    X, y = mixed_table()
    classifier = quick().fit(X, y)
    price = classifier.edit(X, y).log_posterior
    classifier.set_params(expected_length=9)
    assert classifier.edit(X, y).log_posterior == price
    assert classifier.fit(X, y).edit(X, y).log_posterior != price


def test_editing_leaves_no_marks(fitted: Any) -> None:
    """The classifier is not changed by reading the data again."""
    classifier, X, y = fitted
    before = dict(vars(classifier))
    classifier.edit(X, y)
    elseif.edit(classifier, X, y)
    assert vars(classifier) == before


def test_wrong_edits(draft: Draft) -> None:
    """What is wrong, what was found, and what to do."""
    expect_refused(lambda: draft.drop(3), "position is 3", "0 to 2", kind=ParamError)
    expect_refused(lambda: draft.drop(-1), "position is -1", kind=ParamError)
    expect_refused(lambda: draft.move(0, 3), "to is 3", "0 to 2", kind=ParamError)
    expect_refused(lambda: draft.insert("smoker", 4), "at is 4", "0 to 3", kind=ParamError)
    expect_refused(lambda: draft.insert("smoker", 0), "'smoker' already", kind=ParamError)
    expect_refused(lambda: draft.insert("nonsense", 0), "'nonsense'", kind=ParamError)
    expect_refused(lambda: draft.insert((), 0), "no condition", kind=ParamError)
    expect_refused(lambda: draft.insert(("age", ">", "old"), 0), "'old'", kind=ParamError)
    for index in (1.0, "1", None, True):
        expect_refused(lambda index=index: draft.drop(index), "whole number", kind=ParamTypeError)
    empty = draft.drop(0).drop(0).drop(0)
    expect_refused(lambda: empty.drop(0), "no rules", kind=ParamError)
    assert len(empty.rule_list) == 0
    assert empty.insert("smoker", 0).antecedents[0].name == "smoker"


def test_an_empty_pool() -> None:
    """The default rule alone has its price too."""
    X, y = random_frame(40, 2)
    classifier = quick(min_support=1.0, empty_pool="default_rule").fit(X, y)
    draft = classifier.edit(X, y)
    assert abs(draft.log_posterior - classifier.posterior_.distinct.log_posterior[0]) < 1e-9
    assert draft.insert("f1", 0).log_prior == -math.inf


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "right\u202eleft", "line\nbreak", "x" * 10_000]
)
def test_hostile_names(name: str) -> None:
    """In text made visible and short, in HTML escaped; in the data unchanged."""
    X, y = random_frame()
    X = X.rename(columns={"f1": name})
    draft = quick().fit(X, y).edit(X, y)
    for index in range(len(draft.antecedents))[::-1]:
        draft = draft.drop(index)
    draft = draft.insert((name,), 0).drop(0).insert((name,), 0)
    assert draft.antecedents[0].name == name
    text = str(draft)
    assert all(unicodedata.category(c) not in ("Cc", "Cf") for c in text if c != "\n")
    assert len(text) < 5000
    page = draft._repr_html_() + draft.as_classifier()._repr_html_()
    assert "<img" not in page
    assert "\u202e" not in page
    assert len(page) < 12_000
