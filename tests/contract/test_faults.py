"""Bad input, row by row of the table of faults; a test's name carries its row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError

from elseif import BayesianRuleListClassifier
from elseif.antecedents import mining
from elseif.errors import (
    DataError,
    ElseifError,
    MiningError,
    ParamError,
    ParamTypeError,
    ResourceError,
    SamplingError,
)
from tests.tables.fitting import expect_refused as expect_message, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAN, INF = float("nan"), float("inf")


def expect_refused(kind: type[Exception], *words: str, fit: Any) -> str:
    """The message of the error that a fit ends in; it must hold every one of the words."""
    return expect_message(fit, *words, kind=kind)


def fit(**settings: Any) -> BayesianRuleListClassifier:
    """A quick fit of a small table."""
    return quick(**settings).fit(*random_frame())


# ------------------------------------------------------------------- global rules


@pytest.mark.parametrize(
    ("error", "built_in"),
    [
        (ParamError, ValueError),
        (ParamTypeError, TypeError),
        (ParamTypeError, ParamError),
        (DataError, ValueError),
        (MiningError, ValueError),
        (ResourceError, OSError),
    ],
)
def test_global_rule_2_errors_are_elseif_errors_and_built_in(
    error: type[Exception], built_in: type[Exception]
) -> None:
    """An error is of our family and of the kind that scikit-learn's users expect."""
    assert issubclass(error, ElseifError)
    assert issubclass(error, built_in)


@pytest.mark.parametrize(
    "setting",
    [
        {"expected_length": 0},
        {"expected_cardinality": -1},
        {"pseudocounts": 0},
        {"min_support": 1.5},
        {"max_cardinality": 0},
        {"n_chains": 0},
        {"n_iter": 0},
        {"n_iter": 10**23},
        {"max_iter": 0},
        {"max_iter": 10**16},
        {"n_jobs": 0},
        {"random_state": -1},
        {"random_state": 1.5},
        {"kernel": "gibbs"},
        {"predict_with": "mode"},
        {"kinds": {"f1": "picture"}},
        {"antecedent_weights": {"f1": -1}},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_global_rule_5_settings_are_checked_before_mining(
    setting: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong setting is found before any work is done."""

    def mine(*_: Any) -> None:
        raise AssertionError("mining began before the settings were checked")

    monkeypatch.setattr(mining, "mine", mine)
    with pytest.raises(ParamError):
        fit(**setting)


# ------------------------------------------------------------ labels, rows, columns


@pytest.mark.fault(
    "1",
    "labels missing or infinite",
    '`DataError` that names the rows; `missing_y="drop"` leaves them out and counts them',
)
@pytest.mark.parametrize("gap", [NAN, INF, -INF])
def test_row_01_missing_number_among_labels(gap: float) -> None:
    """Missing and infinite labels are counted and their rows named."""
    X, y = random_frame()
    y = y.astype(float)
    y[[4, 9, 17]] = gap
    expect_refused(
        DataError, "y", "3 missing", "rows 4, 9, 17", "missing_y", fit=lambda: quick().fit(X, y)
    )


@pytest.mark.parametrize("gap", [None, NAN, pd.NA, pd.NaT])
def test_row_01_missing_text_among_labels(gap: object) -> None:
    """Missing values among labels of text are found too, even as the first."""
    X, y = random_frame()
    labels = np.array(["no", "yes"], dtype=object)[y]
    labels[[0, 9, 17]] = gap
    expect_refused(DataError, "y", "3 missing", "rows 0, 9, 17", fit=lambda: quick().fit(X, labels))
    expect_refused(DataError, "3 missing", fit=lambda: quick().fit(X, pd.Series(labels)))
    expect_refused(
        DataError, "3 missing", fit=lambda: quick().fit(X, pd.Series(pd.Categorical(labels)))
    )
    expect_refused(DataError, "3 missing", fit=lambda: quick().fit(X, list(labels)))


def test_row_01_more_than_five_rows_are_counted_not_listed() -> None:
    """The first five rows and the total are named."""
    X, y = random_frame()
    y = y.astype(float)
    y[10:30] = NAN
    message = expect_refused(
        DataError, "20 missing", "10, 11, 12, 13, 14", fit=lambda: quick().fit(X, y)
    )
    assert "15" not in message


def test_row_01_missing_labels_dropped_when_asked() -> None:
    """missing_y="drop" leaves the rows out and counts them."""
    X, y = random_frame()
    gaps = y.astype(float)
    gaps[[4, 9, 17]] = NAN
    dropped = quick(missing_y="drop").fit(X, gaps)
    kept = np.setdiff1d(np.arange(len(y)), [4, 9, 17])
    without = quick().fit(X.iloc[kept], y[kept])
    assert dropped.fit_report_.n_rows_without_label == 3
    np.testing.assert_array_equal(
        dropped.posterior_.log_posterior, without.posterior_.log_posterior
    )


@pytest.mark.fault(
    "2-5",
    "one class, a continuous y, a y with two columns, a number of labels that differs "
    "from the number of rows",
    "`DataError`",
)
def test_row_02_single_class() -> None:
    """One class is named with the number of observations."""
    X, _ = random_frame()
    expect_refused(
        DataError, "y", "one class", "'only'", "200", fit=lambda: quick().fit(X, ["only"] * 200)
    )


def test_row_02_single_class_once_the_rest_has_no_weight() -> None:
    """A class that only weightless rows have is no class."""
    X, y = random_frame()
    expect_refused(
        DataError, "one class", fit=lambda: quick().fit(X, y, sample_weight=(y == 1) * 1.0)
    )


@pytest.mark.parametrize(
    "spoil",
    [
        lambda y: y,
        lambda y: y.astype(object),
        lambda y: np.append(y[:-1], NAN),
    ],
    ids=["float", "object", "with a gap"],
)
def test_row_03_continuous_target(spoil: Any) -> None:
    """A continuous target is refused as such."""
    X, y = random_frame()
    target = spoil(y + np.linspace(0.1, 0.4, len(y)))
    expect_refused(DataError, "y", fit=lambda: quick().fit(X, target))


def test_row_03_continuous_target_is_called_continuous() -> None:
    """The message says what is wrong with the target."""
    X, y = random_frame()
    target = y + np.linspace(0.1, 0.4, len(y))
    message = expect_refused(DataError, fit=lambda: quick().fit(X, target))
    assert "continuous" in message.lower()


def test_row_04_column_of_labels() -> None:
    """Labels of shape (n, 1) are taken as n labels, with a warning."""
    X, y = random_frame()
    with pytest.warns(DataConversionWarning):
        clf = quick().fit(X, y[:, None])
    np.testing.assert_array_equal(clf.predict(X), quick().fit(X, y).predict(X))


@pytest.mark.parametrize("shape", [(200, 2), (100, 2, 1)])
def test_row_04_table_of_labels(shape: tuple[int, ...]) -> None:
    """Labels of shape (n, 2) are refused, with their shape."""
    X, _ = random_frame()
    labels = np.arange(np.prod(shape)).reshape(shape) % 2
    expect_refused(DataError, "y", str(shape[1]), fit=lambda: quick().fit(X, labels))


def test_row_04_data_frame_of_two_label_columns() -> None:
    """A data frame of two columns is no column of labels."""
    X, y = random_frame()
    expect_refused(DataError, "y", fit=lambda: quick().fit(X, pd.DataFrame({"a": y, "b": y})))


def test_row_05_lengths_differ() -> None:
    """Both lengths are in the message."""
    X, y = random_frame()
    expect_refused(DataError, "200", "150", fit=lambda: quick().fit(X, y[:150]))


@pytest.mark.fault(
    "6-7",
    'labels of any type; 1 and "1" together',
    "`classes_` sorted, or in the order of a Categorical; `DataError`",
)
@pytest.mark.parametrize(
    ("no", "yes", "make"),
    [
        (False, True, lambda v: np.array(v, dtype=bool)),
        (False, True, lambda v: pd.Series(v, dtype=bool)),
        (0, 1, lambda v: np.array(v, dtype=np.int8)),
        (2, 7, lambda v: np.array(v)),
        (-1.0, 1.0, lambda v: np.array(v, dtype=np.float32)),
        ("no", "yes", lambda v: np.array(v)),
        ("no", "yes", lambda v: np.array(v, dtype=object)),
        ("no", "yes", lambda v: pd.Series(v)),
        ("no", "yes", list),
        (np.str_("no"), np.str_("yes"), list),
    ],
    ids=["bool", "bool series", "int8", "int", "float32", "str_", "object", "series", "list", "np"],
)
def test_row_06_labels_come_back_as_they_went_in(no: Any, yes: Any, make: Any) -> None:
    """classes_ is sorted, and predict returns the type of the labels."""
    X, y = random_frame()
    labels = make([yes if v else no for v in y])
    clf = quick().fit(X, labels)
    assert clf.classes_.tolist() == [no, yes]
    predicted = clf.predict(X)
    assert set(predicted.tolist()) <= {no, yes}
    expected = labels.to_numpy() if isinstance(labels, pd.Series) else np.asarray(labels)
    assert predicted.dtype == expected.dtype
    assert clf.score(X, expected) > 0.5


def test_row_06_categories_keep_their_order() -> None:
    """A categorical's order is that of classes_, and unused levels are no classes."""
    X, y = random_frame(n_labels=3)
    names = np.array(["mild", "severe", "fatal"])[y]
    levels = ["none", "mild", "severe", "fatal"]
    for labels in (pd.Categorical(names, levels), pd.Series(pd.Categorical(names, levels))):
        clf = quick().fit(X, labels)
        assert clf.classes_.tolist() == ["mild", "severe", "fatal"]
        assert clf.predict_proba(X).shape == (200, 3)
        assert set(clf.predict(X)) <= set(names)


def test_row_06_polars_categories_and_text() -> None:
    """Labels may come from polars."""
    polars = pytest.importorskip("polars")
    X, y = random_frame()
    names = np.array(["no", "yes"])[y]
    for labels in (
        polars.Series("y", names),
        polars.Series("y", names, dtype=polars.Categorical),
        polars.Series("y", names, dtype=polars.Enum(["yes", "no"])),
    ):
        clf = quick().fit(X, labels)
        assert sorted(clf.classes_.tolist()) == ["no", "yes"]
    assert clf.classes_.tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    "make", [lambda v: np.array(v, dtype=object), list, lambda v: pd.Series(v, dtype=object)]
)
def test_row_07_labels_one_and_the_text_one(make: Any) -> None:
    """1 and "1" are different labels to Python and the same to a reader: refused."""
    X, y = random_frame()
    labels = [1 if v else 0 for v in y]
    labels[3:6] = ["1", "0", "1"]
    expect_refused(DataError, "y", "int", "str", fit=lambda: quick().fit(X, make(labels)))


def test_row_07_the_clash_is_listed() -> None:
    """The message shows the two that clash."""
    X, y = random_frame()
    labels = y.astype(object)
    labels[np.flatnonzero(y == 1)[0]] = "1"
    expect_refused(DataError, "1 (int)", "'1' (str)", fit=lambda: quick().fit(X, labels))


@pytest.mark.fault("9-11", "no rows, one row (which has one class), no columns", "`DataError`")
@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"f1": np.array([], dtype=bool)}),
        np.empty((0, 3)),
        sparse.csr_array((0, 3)),
    ],
    ids=["frame", "array", "sparse"],
)
def test_row_09_no_rows(X: Any) -> None:
    """An empty table has no rows to learn from."""
    expect_refused(DataError, "no rows", fit=lambda: quick().fit(X, np.empty(0)))


def test_row_10_one_row() -> None:
    """One row has one class only, so it is refused as such (row 2), naming class and number."""
    X, _ = random_frame(1)
    expect_refused(
        DataError, "one class", "'yes'", "1 observation", fit=lambda: quick().fit(X, ["yes"])
    )


def test_row_10_two_rows() -> None:
    """The fewest rows that can be fitted give a posterior near the prior."""
    X = pd.DataFrame({"f1": [True, False], "f2": [True, False]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the prior is longer than the pool
        clf = quick(n_iter=4000, n_chains=4, expected_length=1).fit(X, [0, 1])
    assert len(clf.pool_) == 1
    # p(m = 1) / p(m = 0) is 1 a priori; the likelihood is 1/4 with the rule and 1/6 without
    share = clf.posterior_.lengths.mean()
    assert share == pytest.approx(0.25 / (0.25 + 1 / 6), abs=0.05)


@pytest.mark.parametrize(
    "X",
    [pd.DataFrame(index=range(5)), np.empty((5, 0)), sparse.csr_array((5, 0))],
    ids=["frame", "array", "sparse"],
)
def test_row_11_no_columns(X: Any) -> None:
    """A table without columns is refused."""
    expect_refused(DataError, "no columns", "0", fit=lambda: quick().fit(X, [0, 1, 0, 1, 1]))


@pytest.mark.fault("12", "a constant column", "left out and listed")
def test_row_12_constant_columns_are_left_out_and_listed() -> None:
    """What is true of all or of none gives no condition, and the report says so."""
    X, y = random_frame()
    X["always"], X["never"], X["same"] = True, False, pd.Categorical(["x"] * len(X))
    clf = quick().fit(X, y)
    assert clf.fit_report_.excluded == {
        "always": "constant",
        "never": "constant",
        "same": "constant",
    }
    assert not {"always", "never", "same"} & {c.column for c in clf.pool_.conditions}


def test_row_12_antecedents_of_all_and_of_none_are_legal_when_given() -> None:
    """An expert's antecedent may capture everybody or nobody."""
    X, y = random_frame()
    X["always"], X["never"] = True, False
    clf = quick(antecedents=[("always",), ("never",), ("f1",)], n_iter=4000, expected_length=2).fit(
        X, y
    )
    inclusion = clf.posterior_.inclusion()
    assert set(inclusion) == {"always", "never", "f1"}
    assert inclusion["never"] > 0
    assert np.isfinite(clf.posterior_.log_posterior).all()
    captured = [
        rule.n for i in range(len(clf.posterior_.distinct)) for rule in clf.posterior_.rule_list(i)
    ]
    assert 0 in captured
    assert np.isfinite(clf.predict_proba(X)).all()


@pytest.mark.fault("13", "two columns with the same name", "`DataError` with names and positions")
def test_row_13_doubled_column_names() -> None:
    """Names that occur twice are given with their positions."""
    X, y = random_frame()
    X.columns = ["age", "sex", "age", "job"]
    expect_refused(DataError, "'age'", "0", "2", "unique", fit=lambda: quick().fit(X, y))


@pytest.mark.fault(
    "14",
    "columns that are true of the same observations",
    "merged; the others are kept as aliases",
)
def test_row_14_identical_columns_are_one() -> None:
    """Columns that say the same make one condition, and the report shows the aliases."""
    X, y = random_frame()
    X["f1 again"] = X["f1"]
    clf = quick().fit(X, y)
    assert clf.fit_report_.aliases == {"f1": ("f1 again",)}
    assert "f1 again" not in clf.posterior_.inclusion()
    alone = quick().fit(X.drop(columns="f1 again"), y)
    np.testing.assert_array_equal(clf.posterior_.log_posterior, alone.posterior_.log_posterior)


# ------------------------------------------------------------------------- mining


@pytest.mark.fault(
    "33-36",
    "no antecedent, too many, an invalid support or cardinality",
    "`MiningError` or `ParamError` with settings that would work",
)
def test_row_33_nothing_reaches_the_support() -> None:
    """The largest support found is in the message."""
    X = pd.DataFrame({"rare": [True] * 3 + [False] * 97, "rarer": [False] * 98 + [True] * 2})
    y = [0, 1] * 50
    expect_refused(
        MiningError, "min_support=0.10", "'rare'", "0.03", "Lower", fit=lambda: quick().fit(X, y)
    )
    expect_refused(MiningError, "min_support=5", "3", fit=lambda: quick(min_support=5).fit(X, y))


def test_row_33_a_support_just_missed_is_shown_as_missed() -> None:
    """The support found never reads as the support asked for."""
    X = pd.DataFrame({"rare": np.arange(1000) < 99})
    message = expect_refused(MiningError, "0.099", fit=lambda: quick().fit(X, [0, 1] * 500))
    assert "has 0.10" not in message


def test_row_33_default_rule_alone_when_asked() -> None:
    """empty_pool="default_rule" fits the list of no rules."""
    X = pd.DataFrame({"rare": [True] * 3 + [False] * 97})
    y = np.array([0] * 30 + [1] * 70)
    clf = quick(empty_pool="default_rule").fit(X, y)
    assert len(clf.rule_list_) == 0
    assert len(clf.pool_) == 0
    np.testing.assert_allclose(clf.predict_proba(X), np.tile([31 / 102, 71 / 102], (100, 1)))
    assert clf.convergence_.status == "undetermined"
    assert clf.posterior_.lengths.tolist() == [0]
    assert clf.posterior_.inclusion() == {}
    assert clf.posterior_.lists()["antecedents"].tolist() == [()]
    for way in ("posterior", "map"):
        np.testing.assert_allclose(
            clf.set_params(predict_with=way).predict_proba(X)[0], [31 / 102, 71 / 102]
        )
    assert str(clf.rule_list_)


def test_row_34_too_many_antecedents() -> None:
    """More antecedents than asked for are screened, and the fit says so."""
    X, y = random_frame(300, 12)
    clf = quick(min_support=0.01, max_cardinality=4, max_antecedents=50).fit(X, y)
    assert len(clf.pool_) == 50
    (note,) = [n for n in clf.fit_report_.notes if "max_antecedents" in n]
    assert "the 50 with most evidence" in note
    assert note in str(clf.fit_report_)


def test_row_34_exactly_as_many_as_allowed() -> None:
    """A pool of exactly max_antecedents is not too large."""
    X, y = random_frame(300, 6)
    n = len(quick().fit(X, y).pool_)
    exact, screened = (quick(max_antecedents=n - k).fit(X, y) for k in (0, 1))
    assert len(exact.pool_) == n
    assert not any("max_antecedents" in note for note in exact.fit_report_.notes)
    assert len(screened.pool_) == n - 1


def test_row_34_too_much_memory() -> None:
    """Covers of conditions that need more than max_memory are not made."""
    X, y = random_frame(2000, 12)
    expect_refused(
        MiningError,
        "max_memory=2e+03",
        "min_support",
        fit=lambda: quick(min_support=0.01, max_memory=2000).fit(X, y),
    )


def test_row_34_a_million_itemsets_are_refused_quickly() -> None:
    """A dense table of far more than a million itemsets is stopped at the limit."""
    rng = np.random.default_rng(0)
    X = rng.random((500, 60)) < 0.9
    expect_refused(
        MiningError,
        "2,000,000",
        "min_support",
        "max_cardinality=10",
        fit=lambda: quick(max_cardinality=10).fit(X, rng.integers(0, 2, 500)),
    )


@pytest.mark.parametrize("support", [10.0, 0, 0.0, 1.5, -0.1, -3, NAN, INF, -INF])
def test_row_35_supports_that_cannot_be(support: float) -> None:
    """A fraction lies in (0, 1], a number of rows is 1 or more."""
    expect_refused(ParamError, "min_support", repr(support), fit=lambda: fit(min_support=support))


@pytest.mark.parametrize("support", ["0.1", None, True, [0.1]])
def test_row_35_supports_of_a_wrong_type(support: object) -> None:
    """A support is a number."""
    expect_refused(
        ParamTypeError, "min_support", repr(support), fit=lambda: fit(min_support=support)
    )


def test_row_35_a_whole_number_counts_rows() -> None:
    """min_support=20 of 200 rows is 0.1, 1 is one row, and 1.0 is all of them."""
    X, y = random_frame()
    as_count = quick(min_support=20, max_cardinality=3).fit(X, y)
    as_share = quick(min_support=0.1, max_cardinality=3).fit(X, y)
    assert as_count.pool_.names == as_share.pool_.names
    assert len(quick(min_support=1, max_cardinality=4).fit(X, y).pool_) == 15
    expect_refused(MiningError, "min_support=1.00", fit=lambda: quick(min_support=1.0).fit(X, y))


@pytest.mark.parametrize("most", [0, -1])
def test_row_36_cardinalities_that_cannot_be(most: int) -> None:
    """An antecedent has a condition or more."""
    expect_refused(
        ParamError,
        "max_cardinality",
        repr(most),
        "1 or more",
        fit=lambda: fit(max_cardinality=most),
    )


@pytest.mark.parametrize("most", [1.5, "2", None, True])
def test_row_36_cardinalities_of_a_wrong_type(most: object) -> None:
    """A cardinality is a whole number."""
    expect_refused(
        ParamTypeError, "max_cardinality", repr(most), fit=lambda: fit(max_cardinality=most)
    )


def test_row_36_more_than_there_are_columns() -> None:
    """A cardinality beyond the columns is taken as their number, and the report notes it."""
    X, y = random_frame()
    clf = quick(max_cardinality=9, min_support=1).fit(X, y)
    assert len(clf.pool_) == 15
    assert any("max_cardinality" in note for note in clf.fit_report_.notes)


@pytest.mark.fault("37", "a different order of rows or columns", "the same result")
def test_row_37_pool_in_canonical_order() -> None:
    """Antecedents come by cardinality, then by name, whatever the order of the columns."""
    X, y = random_frame(300, 5)
    names = quick(max_cardinality=3).fit(X, y).pool_.names
    assert list(names) == sorted(names, key=lambda name: (name.count(" and "), name))
    assert quick(max_cardinality=3).fit(X[X.columns[::-1]], y).pool_.names == names


# --------------------------------------------------------------- hyper-parameters


@pytest.mark.fault(
    "38-43",
    "invalid or misspelt settings; pseudocounts below 1e-100 or above 1e9",
    "`ParamError` with the allowed values or the nearest name",
)
@pytest.mark.parametrize(
    ("alpha", "shown"),
    [
        (0, "0"),
        (-1, "-1"),
        (NAN, "nan"),
        (INF, "inf"),
        ([1, 0], "[1, 0]"),
        ([1, NAN], "[1, nan]"),
        ({0: 1, 1: -1}, "-1"),
        ("one", "'one'"),
        ([1, "two"], "[1, 'two']"),
        (None, "None"),
        (True, "True"),
        (5e-324, "5e-324"),
        (1e-310, "1e-310"),
        (1e-101, "1e-100 to 1e+09"),
        ([1, 1e300], "[1, 1e+300]"),
        ([1, 1e17], "[1, 1e+17]"),
        (1e308, "1e-100 to 1e+09"),
    ],
)
def test_row_38_pseudocounts_that_cannot_be(alpha: object, shown: str) -> None:
    """Pseudocounts are positive and finite."""
    words = ("pseudocounts", shown, "positive")
    expect_refused(ParamError, *words, fit=lambda: fit(pseudocounts=alpha))


@pytest.mark.parametrize("kernel", ["exact", "paper", "tempered"])
@pytest.mark.parametrize(
    "alpha", [1e-100, 1e9, [1e-100, 1e9], [1e9, 1e-100]], ids=["least", "most", "both", "turned"]
)
def test_row_38_the_widest_pseudocounts(alpha: object, kernel: str) -> None:
    """At either end everything that is said is a number."""
    X, y = random_frame(60, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few draws of so odd a posterior need not agree
        clf = quick(pseudocounts=alpha, kernel=kernel, n_iter=2000, expected_length=1).fit(X, y)
    assert np.all(np.isfinite(clf.posterior_.log_posterior))
    assert np.all(np.isfinite(clf.predict_proba(X)))
    for rule in clf.rule_list_.rules:
        for label in (0, 1):
            low, high = rule.interval(label)
            assert 0 <= low <= high <= 1
    str(clf.rule_list_)


@pytest.mark.fault(
    "47",
    "a log posterior that is not finite",
    "`SamplingError`: no draw is kept, and convergence is not reported",
)
@pytest.mark.parametrize("kernel", ["exact", "paper", "tempered"])
@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_row_47_a_posterior_that_is_not_a_number(
    kernel: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends the fit, and leaves no result that could be called converged."""
    from elseif.sampler import compiled_problem

    def broken(alpha: float, n_entries: int, unit: float) -> np.ndarray:
        return np.full(n_entries, value)

    monkeypatch.setattr(compiled_problem, "log_pochhammer", broken)
    X, y = random_frame(60, 2)
    clf = quick(kernel=kernel, expected_length=1)
    with np.errstate(invalid="ignore"), pytest.raises(SamplingError, match=r"finite|not a number"):
        clf.fit(X, y)
    assert not hasattr(clf, "convergence_")


@pytest.mark.parametrize("alpha", [[1, 2, 3], [1], [[1, 2]], {0: 1}, {0: 1, 1: 1, 2: 1}, {"0": 1}])
def test_row_39_pseudocounts_of_a_wrong_number(alpha: object) -> None:
    """There is one pseudocount for each class, and the classes are named."""
    expect_refused(
        ParamError, "pseudocounts needs 2 values", "[0, 1]", fit=lambda: fit(pseudocounts=alpha)
    )


def test_row_39_pseudocounts_by_label() -> None:
    """A number, a sequence and a dict say the same."""
    X, y = random_frame(n_labels=3)
    labels = np.array(["a", "b", "c"])[y]
    traces = [
        quick(pseudocounts=alpha).fit(X, labels).posterior_.log_posterior
        for alpha in ([2, 2, 2], 2, {"c": 2, "a": 2, "b": 2}, np.array([2.0, 2.0, 2.0]))
    ]
    for trace in traces[1:]:
        np.testing.assert_array_equal(trace, traces[0])
    other = quick(pseudocounts={"a": 1, "b": 2, "c": 3}).fit(X, labels)
    assert other.rule_list_.rules[-1].pseudocounts.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["expected_length", "expected_cardinality"])
@pytest.mark.parametrize("value", [0, -1, 0.0, NAN, INF, -INF])
def test_row_40_prior_means_that_cannot_be(name: str, value: float) -> None:
    """Lambda and eta are finite and above 0."""
    expect_refused(ParamError, name, repr(value), "above 0", fit=lambda: fit(**{name: value}))


@pytest.mark.parametrize("name", ["expected_length", "expected_cardinality"])
@pytest.mark.parametrize("value", ["3", None, True, [3]])
def test_row_40_prior_means_of_a_wrong_type(name: str, value: object) -> None:
    """Lambda and eta are numbers."""
    expect_refused(ParamTypeError, name, repr(value), "number", fit=lambda: fit(**{name: value}))


def test_row_40_longer_than_the_pool() -> None:
    """A prior mean above the pool's size warns and works."""
    with pytest.warns(UserWarning, match=r"expected_length=50 .* 10 antecedents"):
        clf = fit(expected_length=50, n_iter=4000)
    assert clf.posterior_.mean_length > 5


@pytest.mark.parametrize("name", ["expected_length", "expected_cardinality"])
@pytest.mark.parametrize("value", [1e4, 1e300, 1e-300])
def test_row_40_extreme_prior_means(name: str, value: float) -> None:
    """The prior is computed on the log scale: nothing overflows."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="expected_length", category=UserWarning)
        clf = fit(**{name: value})
    assert np.isfinite(clf.posterior_.log_posterior).all()
    assert np.isfinite(clf.predict_proba(random_frame()[0])).all()


@pytest.mark.parametrize("name", ["n_iter", "n_chains", "max_iter", "max_antecedents"])
@pytest.mark.parametrize("value", [0, -5])
def test_row_41_counts_that_cannot_be(name: str, value: int) -> None:
    """Numbers of things are 1 or more."""
    expect_refused(ParamError, name, repr(value), "1 or more", fit=lambda: fit(**{name: value}))


@pytest.mark.parametrize("name", ["n_iter", "n_chains", "max_iter", "n_jobs"])
@pytest.mark.parametrize("value", [1.5, "10", True])
def test_row_41_counts_of_a_wrong_type(name: str, value: object) -> None:
    """Numbers of things are whole."""
    expect_refused(
        ParamTypeError, name, repr(value), "whole number", fit=lambda: fit(**{name: value})
    )


def test_row_41_seeds_that_cannot_be() -> None:
    """A seed is a whole number of 0 or more."""
    expect_refused(ParamError, "random_state", "-1", "0 or more", fit=lambda: fit(random_state=-1))
    for seed in (1.5, "1", True):
        expect_refused(
            ParamTypeError, "random_state", repr(seed), fit=lambda s=seed: fit(random_state=s)
        )


@pytest.mark.parametrize("n_iter", [1, 2, 3])
def test_row_41_the_shortest_chains(n_iter: int) -> None:
    """A run of an iteration or two keeps a draw and claims nothing."""
    clf = fit(n_iter=n_iter)
    assert clf.posterior_.log_posterior.shape == (2, n_iter - n_iter // 2)
    assert clf.convergence_.status != "converged"


@pytest.mark.parametrize("name", ["kernel", "predict_with", "missing", "missing_y", "empty_pool"])
@pytest.mark.parametrize("value", ["nonsense", None, 3])
def test_row_41_words_that_are_not_known(name: str, value: object) -> None:
    """The words that are allowed are listed."""
    message = expect_refused(ParamError, name, repr(value), fit=lambda: fit(**{name: value}))
    assert message.count("'") >= 4


def test_row_42_one_chain() -> None:
    """One chain is allowed, and says that R-hat is not available."""
    clf = fit(n_chains=1, n_iter=20_000)
    assert np.isnan(clf.convergence_.r_hat)
    assert clf.convergence_.status == "undetermined"
    assert "not available" in str(clf.convergence_)


def test_row_42_one_chain_until_it_stops_by_itself() -> None:
    """An automatic run of one chain ends and never claims to have converged."""
    clf = fit(n_chains=1, n_iter=None)
    assert clf.n_iter_ < clf.max_iter
    assert clf.convergence_.status == "undetermined"


def test_row_43_misspelt_keyword() -> None:
    """A misspelt keyword is answered with the nearest names."""
    expect_refused(
        ParamTypeError,
        "'expected_lenght'",
        "'expected_length'",
        fit=lambda: BayesianRuleListClassifier(expected_lenght=3),
    )
    expect_refused(
        ParamError, "'n_chain'", "'n_chains'", fit=lambda: BayesianRuleListClassifier(n_chain=3)
    )


def test_row_43_misspelt_keyword_of_set_params() -> None:
    """So is one that is set later; then no other setting is changed either."""
    clf = quick()
    expect_refused(
        ParamError,
        "'expected_lenght'",
        "Did you mean 'expected_length'",
        fit=lambda: clf.set_params(n_chains=7, expected_lenght=3),
    )
    assert clf.get_params() == quick().get_params()
    expect_refused(ParamError, "'n_chains__x'", fit=lambda: clf.set_params(n_chains__x=3))
    expect_refused(ParamError, "'zzzzzzzzz'", fit=lambda: clf.set_params(zzzzzzzzz=3))
    assert clf.set_params(n_chains=7) is clf
    assert clf.n_chains == 7


@pytest.mark.fault(
    "44",
    "negative, missing or all-zero weights",
    "`DataError`; integers count as repeated rows",
)
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.r_[-1.0, np.ones(199)], ("negative", "rows 0", "-1")),
        (np.r_[np.ones(199), NAN], ("finite", "199", "nan")),
        (np.r_[np.ones(199), INF], ("finite", "199", "inf")),
        (np.zeros(200), ("zero",)),
        (np.ones(7), ("7", "200")),
        (np.ones((200, 2)), ("200", "2")),
    ],
    ids=["negative", "nan", "inf", "zero", "short", "2d"],
)
def test_row_44_weights_that_cannot_be(weights: np.ndarray, words: tuple[str, ...]) -> None:
    """Weights are finite, not negative, not all 0 and one for each observation."""
    X, y = random_frame()
    expect_refused(
        DataError, "sample_weight", *words, fit=lambda: quick().fit(X, y, sample_weight=weights)
    )


def test_row_44_weights_that_are_no_numbers() -> None:
    """Weights of text are refused in our words."""
    X, y = random_frame()
    weights = np.array(["heavy"] * 200)
    expect_refused(DataError, "sample_weight", "heavy", fit=lambda: quick().fit(X, y, weights))


def test_row_44_whole_weights_are_repeated_rows() -> None:
    """A weight of 3 equals the row three times, and 0 equals its absence."""
    X, y = random_frame(n_labels=3)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = quick().fit(X, y, sample_weight=weights)
    repeated = quick().fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    np.testing.assert_array_equal(
        weighted.posterior_.log_posterior, repeated.posterior_.log_posterior
    )
    assert str(weighted.rule_list_) == str(repeated.rule_list_)


# ------------------------------------------------------------------------ predict


@pytest.mark.fault(
    "59-64",
    "prediction before fit, with columns missing, reordered or extra, categories unseen, "
    "values missing, no rows",
    "as in scikit-learn; columns are matched by name; unseen categories are counted if "
    "the model keeps all levels",
)
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_row_59_predict_before_fit(method: str) -> None:
    """Nothing is predicted before fit."""
    with pytest.raises(NotFittedError):
        getattr(quick(), method)(random_frame()[0])


@pytest.mark.parametrize("way", ["point", "posterior", "map"])
def test_row_60_missing_column(way: str) -> None:
    """A column that predictions use is named where it is missing; others are not asked for."""
    X, y = random_frame()
    clf = quick(predict_with=way).fit(X, y)
    used = clf.model_.with_settings(predict_with=way).columns_used()
    assert used
    for name in X.columns:
        if name in used:
            expect_refused(
                DataError, repr(name), fit=lambda n=name: clf.predict_proba(X.drop(columns=n))
            )
        else:
            probabilities = clf.predict_proba(X.drop(columns=name))
            np.testing.assert_array_equal(probabilities, clf.predict_proba(X))


@pytest.mark.parametrize("way", ["point", "posterior", "map"])
def test_row_61_columns_are_matched_by_name(way: str) -> None:
    """Another order changes nothing; extra columns are ignored with a note."""
    X, y = random_frame()
    clf = quick(predict_with=way).fit(X, y)
    expected = clf.predict_proba(X)
    np.testing.assert_array_equal(clf.predict_proba(X[X.columns[::-1]]), expected)
    with pytest.warns(UserWarning, match="'extra'"):
        probabilities = clf.predict_proba(X.assign(extra=1.5)[["extra", *X.columns[::-1]]])
    np.testing.assert_array_equal(probabilities, expected)


def test_row_61_arrays_need_the_width_of_fit() -> None:
    """Columns without names must be as many as fit saw."""
    X, y = random_frame()
    clf = quick().fit(X.to_numpy(), y)
    expect_refused(DataError, "3", "4", fit=lambda: clf.predict(X.to_numpy()[:, :3]))
    expect_refused(DataError, "8", "4", fit=lambda: clf.predict(np.hstack([X, X])))


def category_frame(n_rows: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of three colours, the first of which matters, and one of noise."""
    rng = np.random.default_rng(3)
    colour = np.array(["blue", "green", "red"])[rng.integers(0, 3, n_rows)]
    y = (rng.random(n_rows) < np.where(colour == "green", 0.9, 0.2)).astype(int)
    return pd.DataFrame({"colour": colour, "noise": rng.random(n_rows) < 0.5}), y


def test_row_62_unseen_category_makes_no_condition_true() -> None:
    """A category that fit did not see falls through to what asks nothing of its column."""
    X, y = category_frame()
    clf = quick(n_iter=4000).fit(X, y)
    unseen = X.assign(colour=np.where(X["colour"] == "red", "mauve", X["colour"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the count, of the next test
        result, expected = clf.predict_proba(unseen), clf.predict_proba(X)
        first = clf.rule_list_.captured_by(unseen)
    same = (X["colour"] != "red").to_numpy()
    np.testing.assert_array_equal(result[same], expected[same])
    for index in np.unique(first[~same]):
        rule = clf.rule_list_.rules[index]
        assert "colour" not in rule.antecedent.columns


def test_row_62_unseen_categories_are_counted() -> None:
    """How many values were never seen in fit, and in which column, is said."""
    X, y = category_frame()
    clf = quick(n_iter=4000).fit(X, y)
    unseen = X.copy()
    unseen.loc[:6, "colour"] = "mauve"
    with pytest.warns(UserWarning, match=r"(?s)(?=.*colour)(?=.*mauve)(?=.*\b7\b)"):
        clf.predict(unseen)


def test_row_62_levels_in_another_order_change_nothing() -> None:
    """Codes of a categorical may shift between fit and predict; the categories count."""
    X, y = category_frame()
    X["colour"] = pd.Categorical(X["colour"], ["blue", "green", "red"])
    clf = quick(n_iter=4000).fit(X, y)
    shifted = X.assign(
        colour=pd.Categorical(X["colour"].astype(object), ["zinc", "red", "green", "blue"])
    )
    np.testing.assert_array_equal(clf.predict_proba(shifted), clf.predict_proba(X))


@pytest.mark.parametrize("gap", [None, NAN])
def test_row_63_missing_at_predict_as_at_fit(gap: object) -> None:
    """A missing value makes no condition of its column true."""
    X, y = category_frame()
    clf = quick(n_iter=4000).fit(X, y)
    gaps = X.assign(colour=gap)
    for index in np.unique(clf.rule_list_.captured_by(gaps)):
        assert "colour" not in clf.rule_list_.rules[index].antecedent.columns


def test_row_63_missing_refused_at_predict_when_refused_at_fit() -> None:
    """missing="error" holds for predict too."""
    X, y = category_frame()
    clf = quick(missing="error").fit(X, y)
    gaps = X.copy()
    gaps.loc[3, "colour"] = None
    expect_refused(DataError, "'colour'", "1", fit=lambda: clf.predict(gaps))


def test_row_63_missing_refused_with_given_antecedents() -> None:
    """missing="error" holds for an expert's antecedents too."""
    X, y = category_frame()
    X.loc[3, "colour"] = None
    clf = quick(missing="error", antecedents=[(("colour", "=", "red"),)], expected_length=1)
    expect_refused(DataError, "'colour'", "1", fit=lambda: clf.fit(X, y))


@pytest.mark.parametrize("way", ["point", "posterior", "map"])
@pytest.mark.parametrize("form", ["frame", "array", "sparse"])
def test_row_64_no_rows_and_one_row(way: str, form: str) -> None:
    """Predictions of no rows have the right shape, and a row alone is predicted as among many."""
    frame, y = random_frame(n_labels=3)
    table = {
        "frame": frame,
        "array": frame.to_numpy(),
        "sparse": sparse.csr_array(frame.to_numpy()),
    }[form]
    clf = quick(predict_with=way).fit(table, y)
    assert clf.predict_proba(table[:0]).shape == (0, 3)
    assert clf.predict(table[:0]).shape == (0,)
    together = clf.predict_proba(table)
    for i in range(10):
        np.testing.assert_array_equal(clf.predict_proba(table[i : i + 1])[0], together[i])


def test_row_64_no_rows_and_one_row_of_categories() -> None:
    """The same for categories, whose kind no value shows."""
    X, y = category_frame()
    clf = quick().fit(X, y)
    assert clf.predict_proba(X[:0]).shape == (0, 2)
    together = clf.predict_proba(X)
    for i in range(10):
        np.testing.assert_array_equal(clf.predict_proba(X[i : i + 1])[0], together[i])


def test_not_converged_is_a_warning_that_says_what_to_do() -> None:
    """Too few iterations warn, name the way out and leave the result in place."""
    X, y = random_frame(300, 8)
    with pytest.warns(ConvergenceWarning, match=r"Raise n_iter"):
        clf = quick(n_iter=20).fit(X, y)
    assert clf.rule_list_ is not None
    assert clf.convergence_.status == "not converged"
