"""What the note on a rare outcome promises is what a fit with the suggestion finds."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def single(clf: BayesianRuleListClassifier) -> set[str]:
    """Single conditions of the pool, and those that they stand for."""
    aliases = clf.fit_report_.aliases.values()
    return {name for name in clf.pool_.names if " and " not in name}.union(*aliases)


def rare_note(clf: BayesianRuleListClassifier) -> str:
    [note] = [note for note in clf.fit_report_.notes if "which is rare" in note]
    return note


@pytest.mark.parametrize("seed", range(12))
def test_the_setting_adds_as_many_conditions_as_the_note_says(seed: int) -> None:
    """Also those that a tenth of a common label has, and with several rare labels or weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([400, 1000, 3000]))
    y = (rng.random(n) < rng.choice([0.01, 0.02, 0.045])).astype(int)
    if seed % 2:
        y = np.where(rng.random(n) < 0.03, 2, y)
    shares = rng.choice([0.02, 0.09, 0.095, 0.3, 0.6], 6)
    X = pd.DataFrame({f"b{i}": rng.random(n) < share for i, share in enumerate(shares)})
    X["dialysis"] = rng.random(n) < np.where(y == 1, 0.6, 0.01)
    X["well"] = (y == 0) & (rng.random(n) < 0.0985)
    X["ward"] = rng.choice(list("abcdef"), n, p=[0.55, 0.2, 0.1, 0.09, 0.04, 0.02])
    weights = [None, rng.integers(1, 4, n), rng.random(n)][seed % 3]
    clf = quick(max_cardinality=1).fit(X, y, weights)
    note = rare_note(clf)
    [said] = re.findall(r"would add (no|\d+) single condition", note)
    found = quick(max_cardinality=1, support_in="any_class").fit(X, y, weights)
    added = single(found) - single(clf)
    assert len(added) == (0 if said == "no" else int(said))
    assert single(clf) <= single(found)
    for count in re.findall(r"min_support=(\d+), a number of observations", note):
        counted = quick(max_cardinality=1, min_support=int(count)).fit(X, y, weights)
        assert added & single(counted)


def test_every_rare_label_counts() -> None:
    """Of two rare labels the risk factors of both are told about, not of the rarest alone."""
    rng = np.random.default_rng(3)
    y = rng.choice(["home", "dead", "moved"], 2000, p=[0.94, 0.035, 0.025])
    X = pd.DataFrame({name: rng.random(2000) < 0.5 for name in ("old", "male")})
    X["shock"] = rng.random(2000) < np.where(y == "dead", 0.8, 0.001)
    note = rare_note(quick().fit(X, y))
    shares = [f"{100 * (y == label).mean():.2g}%" for label in ("moved", "dead")]
    assert f"{shares[0]} of the observations are labelled 'moved' and {shares[1]} 'dead'" in note
    risk = 100 * (y[X["shock"]] == "dead").mean()
    assert (
        f"would add 1 single condition, on 'shock', with label 'dead' in up to {risk:.2g}" in note
    )


def test_a_number_of_observations_is_suggested_and_finds_the_strongest() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(2000) < 0.02
    X = pd.DataFrame({"smoker": rng.random(2000) < 0.3, "old": rng.random(2000) < 0.5})
    X["dialysis"] = rng.random(2000) < np.where(y, 0.7, 0.01)
    [count] = re.findall(r"min_support=(\d+), a number of obs", rare_note(quick().fit(X, y)))
    assert int(count) <= X["dialysis"].sum() < 2.5 * int(count)
    assert "dialysis" in quick(min_support=int(count)).fit(X, y).pool_.names


def test_what_the_setting_would_not_find_either_is_said() -> None:
    """A strong condition of less than a tenth of those with the outcome needs a lower support."""
    rng = np.random.default_rng(5)
    n = 20_000
    y = rng.random(n) < 0.04
    X = pd.DataFrame({name: rng.random(n) < 0.5 for name in ("old", "male")})
    X["shock"] = rng.random(n) < np.where(y, 0.06, 0.0005)
    clf = quick().fit(X, y)
    assert "would add no single condition" in rare_note(clf)
    [note] = [note for note in clf.fit_report_.notes if "strongly associated" in note]
    [support] = re.findall(r"min_support=([\d.]+) would include it", note)
    assert "shock" in quick(min_support=float(support)).fit(X, y).pool_.names
