"""What fit says of the table."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.errors import LabelOrderWarning
from tests.tables.fitting import quick

# short runs on toy tables do not converge, and are not meant to
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
N = 300
TRUTH = RNG.random(N) < 0.4


def table() -> pd.DataFrame:
    """Mixed columns, one of them too rare in every level."""
    return pd.DataFrame(
        {
            "age": RNG.integers(20, 90, N),
            "sex": RNG.choice(["female", "male"], N),
            "town": RNG.choice([f"town {i}" for i in range(40)], N),
        }
    )


def test_the_report_is_a_table() -> None:
    """Printed, it names every column with its kind, cut points or levels, and why it is out."""
    clf = quick().fit(table(), RNG.integers(0, 2, N))
    text = str(clf.fit_report_)
    assert text.splitlines()[0] == "300 rows, 0 without a label"
    for words in ("age", "numeric", "female, male", "40 levels", "min_support"):
        assert words in text
    assert repr(clf.fit_report_).startswith("FitReport(300 rows, 3 columns, 1 of them left out")
    assert repr(clf.model_).startswith(f"FittedModel({len(clf.rule_list_)} rules, ")
    assert "\n" not in repr(clf.fit_report_) + repr(clf.model_)
    assert "town 0" not in text
    frame = clf.fit_report_.to_frame()
    assert frame["column"].tolist() == ["age", "sex", "town"]
    assert clf.fit_report_.excluded.keys() == {"town"}


def test_numbers_and_dates_hidden_in_text_are_warned_of() -> None:
    """A column of text that is mostly numbers or dates would drop out for want of support."""
    X = table().assign(
        age=[str(a) if i > 3 else "n/a" for i, a in enumerate(RNG.integers(20, 90, N))],
        day=pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d")[RNG.integers(0, 200, N)],
    )
    with pytest.warns(UserWarning, match="looks|text") as caught:
        quick(expected_length=1).fit(X, RNG.integers(0, 2, N))
    messages = [str(w.message) for w in caught]
    assert any("'age' is text" in m and "'n/a'" in m and "'numeric'" in m for m in messages)
    assert any("'day' is text" in m and "'date'" in m for m in messages)


@pytest.mark.parametrize("written", ["{}%", "${}", "{:.2f} €", "£ {}"])
def test_numbers_with_signs_are_warned_of(written: str) -> None:
    """As categories they would drop out for want of support, without a word."""
    X = table().assign(share=[written.format(a) for a in RNG.integers(20, 90, N)])
    with pytest.warns(UserWarning, match="'share' is text") as caught:
        quick(expected_length=1).fit(X, RNG.integers(0, 2, N))
    messages = [str(w.message) for w in caught]
    assert any("numbers with a sign" in m and "Remove the signs" in m for m in messages)


def test_the_weight_of_a_merged_twin_holds() -> None:
    """Two columns that say the same are one condition, whichever of them is weighted."""
    X = table()[["age", "sex"]].assign(a=TRUTH, bb=TRUTH)
    y = RNG.integers(0, 2, N)
    plain = quick().fit(X, y)
    by_name = quick(antecedent_weights={"a": 50.0}).fit(X, y)
    by_twin = quick(antecedent_weights={"bb": 50.0}).fit(X, y)
    assert plain.pool_.aliases == {"a": ("bb",)}
    assert by_twin.posterior_.inclusion() == by_name.posterior_.inclusion()
    assert by_twin.posterior_.inclusion() != plain.posterior_.inclusion()


def test_one_bad_chain_is_warned_of() -> None:
    """A single chain whose halves disagree is no quiet success."""
    problem = table()
    clf = BayesianRuleListClassifier(n_chains=1, n_iter=30, random_state=0)
    with pytest.warns(ConvergenceWarning, match="R-hat not available"):
        clf.fit(problem, RNG.integers(0, 2, N))
    assert clf.convergence_.status == "undetermined"


def test_few_exact_draws_are_enough() -> None:
    """Lists and predictions come from the sum over all lists: 15 draws or 3,000 give the same."""
    labels = RNG.integers(0, 2, N)
    X = table()
    few = quick(n_chains=1, n_iter=30, kernel="exact", max_cardinality=1).fit(X, labels)
    many = quick(n_iter=6000, kernel="exact", max_cardinality=1, random_state=1).fit(X, labels)
    assert few.convergence_.status == many.convergence_.status == "converged"
    assert str(few.rule_list_) == str(many.rule_list_)
    assert few.posterior_.inclusion() == many.posterior_.inclusion()
    for which in ("point", "map", "posterior"):
        predicted = [c.set_params(predict_with=which).predict_proba(X) for c in (few, many)]
        np.testing.assert_array_equal(*predicted)


def test_exchanges_are_reported() -> None:
    """The report says how often neighbours in temperature exchanged lists."""
    clf = quick(kernel="tempered", n_iter=4000).fit(table(), RNG.integers(0, 2, N))
    assert len(clf.convergence_.swap_rates) >= 5  # as many as six rungs have, at least
    assert all(0 <= share <= 1 for share in clf.convergence_.swap_rates)
    assert max(clf.convergence_.swap_rates) > 0


def test_each_column_is_told_its_own_reason() -> None:
    """Too rare, the same as another, screened out: never a choice of three."""
    rng = np.random.default_rng(0)
    flag = rng.random(500) < 0.4
    y = np.where(flag, rng.random(500) < 0.7, rng.random(500) < 0.2)
    X = pd.DataFrame(
        {"flag": flag, "twin": flag, "rare": rng.random(500) < 0.03, "noise": rng.random(500) < 0.5}
    )
    clf = BayesianRuleListClassifier(
        random_state=0, n_iter=2000, max_antecedents=1, min_support=0.05
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        excluded = clf.fit(X, y).fit_report_.excluded
    assert excluded == {
        "twin": "true of the same observations as 'flag'",
        "rare": "no condition reaches min_support=0.05",
        "noise": "screened out by max_antecedents=1",
    }


@pytest.mark.parametrize(
    ("labels", "event"),
    [
        (("ja", "nein"), "nein"),
        (("yes", "no"), "yes"),
        (("alive", "dead"), "dead"),
        (("died", "survived"), "survived"),
    ],
)
def test_of_two_texts_the_report_says_whose_probability_is_shown(
    labels: tuple[str, str], event: str
) -> None:
    """Sort order chose, so that is said, and how to choose; what it says works."""
    other = next(label for label in labels if label != event)
    X, y = table(), pd.Series(np.where(TRUTH, *labels))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelOrderWarning)
        clf = quick().fit(X, y)
    # the probability of "no" is wanted by nobody, so fit itself says so
    is_order_warning = [w.category is LabelOrderWarning for w in caught]
    assert is_order_warning.count(True) == int(event == "nein")
    assert clf.rule_list_.positive == event
    assert str(clf.rule_list_).startswith(f"Probability of {event} ")
    [note] = [n for n in clf.fit_report_.notes if "alphabetical" in n]
    assert f"those of {event!r}" in note
    assert note in str(clf.fit_report_)
    advice = re.search(r"fit (pandas\.Categorical\(.*\))\.$", note)
    assert advice is not None
    again = quick().fit(X, eval(advice[1], {"pandas": pd, "y": y.rename("outcome")}))
    assert not any("alphabetical" in n for n in again.fit_report_.notes)
    assert str(again.rule_list_).startswith(f"Probability of {other} ")
    np.testing.assert_allclose(again.predict_proba(X)[:, 1], clf.predict_proba(X)[:, 0], atol=1e-12)


@pytest.mark.parametrize("y", [TRUTH, TRUTH.astype(int), np.array(["a", "b", "c"] * 100)])
def test_labels_that_leave_no_doubt_get_no_note(y: np.ndarray) -> None:
    """True and 1 are the event, and of three labels all are shown."""
    clf = quick().fit(table(), y)
    assert not any("alphabetical" in note for note in clf.fit_report_.notes)


def test_a_lazy_frame_is_told_of_its_event_too() -> None:
    """What is advised is what a lazy frame takes: another column."""
    frame = table().assign(outcome=np.where(TRUTH, "ja", "nein"))
    with pytest.warns(LabelOrderWarning, match="those of 'nein'"):
        clf = quick().fit(pl.from_pandas(frame).lazy(), "outcome")
    [note] = [n for n in clf.fit_report_.notes if "alphabetical" in n]
    assert "a column that is true where the label is 'ja'" in note
