"""Real tables that ship inside packages, each fitted as it is, in two lines, by a new user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier

# a few thousand iterations need not converge: that warning alone is let through
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def breast_cancer() -> tuple[Any, Any]:
    """scikit-learn: 569 tumours, 30 measurements."""
    datasets = pytest.importorskip("sklearn.datasets")
    return datasets.load_breast_cancer(return_X_y=True, as_frame=True)


def wine() -> tuple[Any, Any]:
    """scikit-learn: 178 wines of three growers."""
    datasets = pytest.importorskip("sklearn.datasets")
    bunch = datasets.load_wine(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def fair() -> tuple[Any, Any]:
    """statsmodels: 6,366 marriages."""
    sm = pytest.importorskip("statsmodels.api")
    table = sm.datasets.fair.load_pandas().data
    return table.drop(columns="affairs"), table["affairs"] > 0


def heart() -> tuple[Any, Any]:
    """statsmodels: 69 heart transplants, with missing values."""
    sm = pytest.importorskip("statsmodels.api")
    table = sm.datasets.heart.load_pandas().data
    return table.drop(columns="censors"), table["censors"].astype(int)


def rossi() -> tuple[Any, Any]:
    """lifelines: 432 convicts, arrested again or not."""
    datasets = pytest.importorskip("lifelines.datasets")
    table = datasets.load_rossi()
    return table.drop(columns=["week", "arrest"]), table["arrest"]


def larynx() -> tuple[Any, Any]:
    """lifelines: 90 patients with cancer of the larynx."""
    datasets = pytest.importorskip("lifelines.datasets")
    table = datasets.load_larynx()
    return table.drop(columns="death"), table["death"]


def gbsg2() -> tuple[Any, Any]:
    """scikit-survival: 686 women with breast cancer, categories beside numbers."""
    datasets = pytest.importorskip("sksurv.datasets")
    X, y = datasets.load_gbsg2()
    return X, (y["time"] < 1000) & y["cens"]


def whas500() -> tuple[Any, Any]:
    """scikit-survival: 500 patients after a heart attack, flags as categories of text."""
    datasets = pytest.importorskip("sksurv.datasets")
    X, y = datasets.load_whas500()
    return X, y["fstat"]


TABLES = [breast_cancer, wine, fair, heart, rossi, larynx, gbsg2, whas500]


@pytest.mark.parametrize("load", TABLES, ids=lambda load: load.__name__)
def test_a_real_table_in_two_lines(load: Callable[[], tuple[Any, Any]]) -> None:
    """The raw table is fitted, its list reads, and it beats the majority class both ways."""
    X, y = load()
    clf = BayesianRuleListClassifier(max_iter=4000, random_state=0).fit(X, y)
    print(clf.rule_list_)

    labels = np.asarray(y)
    _, counts = np.unique(labels, return_counts=True)
    majority = counts.max() / len(labels)
    text = str(clf.rule_list_)
    assert len(clf.rule_list_) >= 1
    assert len(text.splitlines()) >= len(clf.rule_list_) + 2
    assert clf.rule_list_.antecedents[0].columns[0] in text
    for way in ("point", "posterior"):
        clf.set_params(predict_with=way)
        probabilities = clf.predict_proba(X)
        assert probabilities.shape == (len(labels), len(counts))
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        picked = probabilities[np.arange(len(labels)), np.searchsorted(clf.classes_, labels)]
        assert np.log(picked).mean() > np.mean(np.log(counts / len(labels)) @ counts) / len(labels)
        if load is not rossi:  # no group of these convicts is arrested more often than not
            assert (clf.predict(X) == labels).mean() > majority
            assert clf.score(X, labels) > majority
    assert isinstance(clf.rule_list_.to_frame(), pd.DataFrame)
    assert clf.fit_report_.n_rows == len(labels)
    assert clf.rule_list_._repr_html_().startswith("<table")


def test_supervised_cuts_on_a_real_table() -> None:
    """Description-length cuts fit a table of measurements as well."""
    X, y = breast_cancer()
    clf = BayesianRuleListClassifier(cutting="mdl", max_iter=4000, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.9
    assert all(len(cuts) <= 6 for cuts in clf.fit_report_.cuts.values())


def flchain() -> tuple[Any, Any]:
    """scikit-survival: 7,874 blood samples, creatinine missing in a sixth of them."""
    datasets = pytest.importorskip("sksurv.datasets")
    X, y = datasets.load_flchain()
    return X, y["death"]


def test_a_real_table_with_missing_values() -> None:
    """A table with gaps goes in as it is; the gaps are counted and can be conditions."""
    X, y = flchain()
    X = X.drop(columns="chapter")
    clf = BayesianRuleListClassifier(max_iter=2000, random_state=0).fit(X, y)
    assert clf.fit_report_.missing == {"creatinine": int(X["creatinine"].isna().sum())}
    assert "creatinine is missing" in clf.pool_.names
    assert clf.score(X, y) > max(y.mean(), 1 - y.mean())


def test_a_real_leak() -> None:
    """The cause of death is missing for those who live: a leak that the table warns of."""
    X, y = flchain()
    with pytest.warns(UserWarning, match="leak") as caught:
        BayesianRuleListClassifier(max_iter=500, random_state=0).fit(X, y)
    said = [str(w.message) for w in caught if "leak" in str(w.message)]
    assert any("chapter is missing" in message for message in said)
