"""Antecedents that nearly coincide are merged into the most readable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif.antecedents import left_out
from elseif.antecedents.mining import MiningSettings, mine
from tests.antecedents.test_mining_options import prepared
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def every_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pools are merged as well."""
    monkeypatch.setattr(left_out, "SMALL", 0)


def near_twins(n: int = 2000, differ: int = 10, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns a and ab, which differ in a few rows, b, and labels that depend on a and b."""
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, n)) < 0.4
    twin = a.copy()
    twin[rng.choice(n, differ, replace=False)] ^= True
    y = (rng.random(n) < 0.2 + 0.5 * a + 0.2 * b).astype(int)
    return pd.DataFrame({"a": a, "ab": twin, "b": b}), y


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def test_the_most_readable_stands_for_the_others() -> None:
    X, y = near_twins()
    clf = quick(expected_length=1, max_correlation=0.95).fit(X, y)
    assert set(clf.pool_.names) == {"a", "b", "a and b"}
    near = clf.fit_report_.near_equivalents
    assert near == {"a": ("ab", "a and ab"), "a and b": ("ab and b",)}
    (note,) = [n for n in clf.fit_report_.notes if "nearly" in n]
    assert note.startswith("3 antecedents")
    assert "'ab' into 'a'" in note
    assert "a nearly coincides with ab and 1 more" in str(clf.fit_report_)


def test_covers_below_the_correlation_stay_apart() -> None:
    X, y = near_twins(differ=200)
    assert correlation(X["a"], X["ab"]) < 0.9
    assert len(quick(expected_length=1, max_correlation=0.9).fit(X, y).pool_) == 6
    assert len(quick(expected_length=1, max_correlation=0.6).fit(X, y).pool_) == 6
    noise = np.random.default_rng(9).permutation(y)  # no longer told apart by the labels
    assert len(quick(expected_length=1, max_correlation=0.6).fit(X, noise).pool_) < 6


def test_what_the_labels_tell_apart_stays_apart() -> None:
    """A rare outcome that is exactly what two covers differ in: correlation alone would lose it."""
    rng = np.random.default_rng(1)
    a = rng.random(5000) < 0.5
    event = a & (rng.random(5000) < 0.02)
    X = pd.DataFrame({"a": a, "not yet": a & ~event})
    assert correlation(X["a"], X["not yet"]) > 0.97
    names = quick(expected_length=1, max_correlation=0.97).fit(X, event.astype(int)).pool_.names
    assert {"a", "not yet"} <= set(names)
    noise = rng.permutation(event).astype(int)
    assert quick(expected_length=1, max_correlation=0.97).fit(X, noise).pool_.names == ("a",)


def test_everything_left_out_is_near_what_stands_for_it() -> None:
    """Whatever is merged correlates with the leader, so twice that near with what stands for it."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(1500, 3))
    X = pd.DataFrame(base[:, [0, 0, 1, 1, 2]] + 0.05 * rng.normal(size=(1500, 5)))
    X.columns = list("vwxyz")
    y = (base.sum(axis=1) + rng.normal(size=1500) > 0).astype(int)
    least = 0.9
    clf = quick(expected_length=1, max_correlation=least, n_quantiles=8).fit(X, y)
    plain = quick(expected_length=1, max_correlation=None, n_quantiles=8).fit(X, y)
    near = clf.fit_report_.near_equivalents
    listed = [name for others in near.values() for name in others]
    assert sorted([*listed, *clf.pool_.names]) == sorted(plain.pool_.names)
    assert len(clf.pool_) < 0.7 * len(plain.pool_)
    covers = dict(zip(plain.pool_.names, truths(plain, X), strict=True))
    for name, others in near.items():
        for other in others:
            assert correlation(covers[name], covers[other]) > 2 * least - 1


def truths(clf: Any, X: pd.DataFrame) -> list[np.ndarray]:
    from elseif.tables.reading import read_table

    table = read_table(X)
    return [
        np.logical_and.reduce([c.mask(table.column(c.column)).as_array() for c in a])
        for a in clf.pool_
    ]


def test_covers_that_are_joined_at_every_use_give_the_same_groups() -> None:
    X, y = near_twins()
    binarised, layout = prepared(X, y)
    asked = {"max_correlation": 0.95}
    own = mine(binarised, layout, MiningSettings(**asked))
    lazy = mine(binarised, layout, MiningSettings(**asked, max_memory=3 * layout.n_words * 8))
    assert own.pool.names == lazy.pool.names
    assert own.left_out == lazy.left_out


def test_small_pools_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    X, y = near_twins()
    clf = quick(expected_length=1, max_correlation=0.95).fit(X, y)
    assert len(clf.pool_) == 6
    assert clf.fit_report_.near_equivalents == {}
