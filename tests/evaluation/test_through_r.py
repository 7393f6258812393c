"""Classifiers of R: the road there and back, for real where R has their packages."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from elseif.errors import DataError, ParamError, ResourceError
from elseif.evaluation import C50, BayesianCART
from elseif.evaluation.comparison.through_r import RClassifier, lacking_in_r


def needs_r(package: str) -> None:
    """R is optional, and these tests are skipped without it; CI has it."""
    reason = lacking_in_r(package)
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def problem(n: int = 240) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Likely where two columns are true, unlikely elsewhere; one column is constant."""
    rng = np.random.default_rng(0)
    X = (rng.random((n, 5)) < 0.5).astype(np.float32)
    X[:, 3] = 1
    y = rng.random(n) < np.where(X[:, 0] * X[:, 1] > 0, 0.9, 0.1)
    return sparse.csr_matrix(X), np.where(y, "stroke", "none")


@pytest.mark.parametrize("kind", [BayesianCART, C50])
def test_learns_in_r(kind: type[RClassifier]) -> None:
    """Risks near those that the labels were drawn with, the same again, and after pickling."""
    X, y = problem()
    if kind is C50 and lacking_in_r(kind.package):  # which Debian does not have
        with pytest.raises(ParamError, match="C50 needs R"):
            kind().fit(X, y)
        return
    needs_r(kind.package)
    fitted = clone(kind(random_state=1)).fit(X, y)
    assert fitted.classes_.tolist() == ["none", "stroke"]
    risk = fitted.predict_proba(X)
    assert risk.sum(axis=1) == pytest.approx(1)
    likely = np.asarray(X[:, 0].multiply(X[:, 1]).todense()).ravel() > 0
    assert risk[likely, 1].mean() == pytest.approx(0.9, abs=0.12)
    assert risk[~likely, 1].mean() == pytest.approx(0.1, abs=0.12)
    assert set(fitted.predict(X)) == {"none", "stroke"}
    again = pickle.loads(pickle.dumps(clone(fitted).fit(X, y)))
    np.testing.assert_array_equal(again.predict_proba(X.toarray()), risk)


class Road(RClassifier):
    """What R's base can do alone: it gives back, as risks, what it was given."""

    package = "stats"
    script = "echo.R"


def test_the_road_carries_tables_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, places and labels arrive in R as they left, and risks come back in order."""
    needs_r("stats")
    _with_script(tmp_path, monkeypatch, ECHO)
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 4)) < 0.5, rng.random((30, 4)), 0)
    y = rng.integers(0, 2, 30)
    fitted = Road(random_state=0).fit(X, y)
    weights = y @ X  # only a table that has kept its rows and columns gives these sums
    expected = X @ weights / (1 + X @ weights)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expected, rtol=1e-12)
    one_row = fitted.predict_proba(sparse.csr_array(X[:1]))
    np.testing.assert_allclose(one_row[:, 1], expected[:1], rtol=1e-12)


def test_a_failure_in_r_is_told_in_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of R, a call that takes too long, and risks that are none."""
    needs_r("stats")
    X, y = problem(40)
    _with_script(tmp_path, monkeypatch, 'learn <- function(X, y) stop("no memory left")')
    with pytest.raises(ResourceError, match=r"R's package stats failed: .*no memory left"):
        Road().fit(X, y)
    _with_script(tmp_path, monkeypatch, "learn <- function(X, y) Sys.sleep(60)")
    with pytest.raises(ResourceError, match=r"stopped after 0\.5 s; allow more by max_seconds"):
        Road(max_seconds=0.5).fit(X, y)
    odd = "learn <- function(X, y) 0\nrisk <- function(model, X) rep(2, nrow(X))"
    _with_script(tmp_path, monkeypatch, odd)
    with pytest.raises(ResourceError, match="or risks outside 0 to 1"):
        Road().fit(X, y).predict_proba(X)


ECHO = """
learn <- function(X, y) as.vector(y %*% X)
risk <- function(model, X) { sums <- as.vector(X %*% model); sums / (1 + sums) }
"""


def _with_script(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """The road of the package, with another classifier at its end."""
    scripts = Path(__file__).parents[2] / "src" / "elseif" / "evaluation" / "comparison" / "r"
    (folder / "road.R").write_text((scripts / "road.R").read_text())
    (folder / "echo.R").write_text(text)
    monkeypatch.setattr("elseif.evaluation.comparison.through_r.SCRIPTS", folder)


def test_without_r_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lacking and where, by the entry and by the classifier."""
    monkeypatch.setenv("PATH", "")
    lacking_in_r.cache_clear()
    try:
        assert lacking_in_r("tgp") == (
            "needs R with its package tgp, and there is no Rscript on the path"
        )
        with pytest.raises(ParamError, match="BayesianCART needs R with its package tgp"):
            BayesianCART().fit(*problem(40))
    finally:
        lacking_in_r.cache_clear()


def test_a_package_that_r_lacks_is_named() -> None:
    """R is there, the package is not."""
    needs_r("stats")
    assert lacking_in_r("thereIsNoSuchPackage") == (
        "needs R's package thereIsNoSuchPackage: install.packages('thereIsNoSuchPackage') in R"
    )


def test_tables_that_r_is_not_given() -> None:
    """Too many cells, three labels, nothing that varies."""
    X, y = problem(40)
    with pytest.raises(ResourceError, match="40 rows by 5 columns are more than the 100 cells"):
        BayesianCART(max_cells=100).fit(X, y)
    with pytest.raises(DataError, match="can only separate two labels; y has 3"):
        C50().fit(X, np.arange(40) % 3)
    needs_r("tgp")
    with pytest.raises(DataError, match="Every column of X has one value"):
        BayesianCART().fit(np.ones((40, 2)), y)
