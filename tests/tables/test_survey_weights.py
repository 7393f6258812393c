"""Weights that count for more people than they are worth, and outcomes that are rare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from elseif.fitted_model import as_model
from elseif.tables.weights import effective_size
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_effective_size() -> None:
    """Equal weights are worth their number, whatever they are; one that outweighs all, one."""
    assert effective_size(np.full(40, 1500.0)) == pytest.approx(40)
    assert effective_size(np.array([1e12, 1.0, 1.0])) == pytest.approx(1)
    assert effective_size(np.array([1.0, 2.0, 3.0])) == pytest.approx(36 / 14)


def test_weights_that_count_for_more_are_noted() -> None:
    """The report says the sum and what it is worth; nothing where they agree."""
    X, y = random_frame()
    [note] = quick().fit(X, y, np.full(len(y), 1500)).fit_report_.notes
    assert "300,000" in note
    assert "effective sample size is 200" in note
    assert "weight_scaling='effective'" in note
    assert not quick().fit(X, y).fit_report_.notes
    assert not quick().fit(X, y, np.ones(len(y))).fit_report_.notes


def test_scaled_weights_of_1500_are_no_weights() -> None:
    """Equal weights scaled to their effective size give the fit without weights."""
    X, y = random_frame()
    scaled = quick(weight_scaling="effective").fit(X, y, np.full(len(y), 1500))
    plain = quick().fit(X, y)
    assert str(scaled.rule_list_) == str(plain.rule_list_)
    assert not scaled.fit_report_.notes
    assert as_model(scaled).was_trained_on(X, y, np.full(len(y), 1500))
    scaled.edit(X, y, np.full(len(y), 1500))


def test_scaled_weights_add_up_to_the_effective_size() -> None:
    """Of the rows that count: those without a label or of no weight do not."""
    X, y = random_frame()
    weights = np.random.default_rng(0).lognormal(5, 1, len(y))
    weights[:20] = 0
    labels = y.astype(float)
    labels[20:40] = np.nan
    clf = quick(weight_scaling="effective", missing_y="drop").fit(X, labels, weights)
    counted = sum(rule.n for rule in clf.rule_list_)
    assert counted == pytest.approx(effective_size(weights[40:]), rel=1e-3)


def rare_table(n: int = 2000) -> tuple[pd.DataFrame, np.ndarray]:
    """2 % have the outcome, most of whom are on dialysis, as few others are."""
    rng = np.random.default_rng(4)
    y = rng.random(n) < 0.02
    X = pd.DataFrame({"smoker": rng.random(n) < 0.3, "old": rng.random(n) < 0.5})
    X["dialysis"] = np.where(y, rng.random(n) < 0.7, rng.random(n) < 0.01)
    X["ward"] = np.where(y & (rng.random(n) < 0.5), "icu", rng.choice(["east", "west"], n))
    return X, y


def test_a_rare_outcome_is_noted() -> None:
    """What the support among one label would add, by columns, and how strong it is."""
    X, y = rare_table()
    clf = quick().fit(X, y)
    [note] = clf.fit_report_.notes
    share = 100 * y[X["dialysis"]].mean(), 100 * y[X["ward"] == "icu"].mean()
    assert f"{100 * y.mean():.2g}% of the observations" in note
    assert "would add 2 single conditions, on 'ward', 'dialysis'" in note
    assert max(share) == 100
    assert "up to 100%" in note
    assert "icu" not in note  # no value of a column that the pool does not use
    fitted = quick(support_in="any_class").fit(X, y)
    assert {"dialysis", "ward = icu"} <= set(fitted.pool_.names) - set(clf.pool_.names)
    assert not fitted.fit_report_.notes
    assert not quick(min_support=20).fit(X, y).fit_report_.notes


def test_finer_cut_points_are_suggested_where_numbers_are_cut_at_quartiles() -> None:
    """Nine in ten of those with the outcome are among the top 5 % of a column."""
    X, y = rare_table()
    numbers = X[["smoker", "old"]].assign(dose=np.random.default_rng(0).random(len(y)))
    numbers["dose"] += y * (np.random.default_rng(1).random(len(y)) < 0.9)
    note = quick().fit(numbers, y).fit_report_.notes[-1]
    assert "would add no single condition. Numbers are cut at few quantiles" in note
    assert "cutting='evidence'" in note
    assert "cutting='evidence'" not in quick().fit(X, y).fit_report_.notes[0]  # no numbers
    own = quick(cuts={"dose": [0.3, 0.6, 0.8]}).fit(numbers, y)
    assert all("cutting" not in each for each in own.fit_report_.notes)
    fitted = quick(cutting="evidence").fit(numbers, y)
    assert all("cutting" not in each for each in fitted.fit_report_.notes)
    highest = [fit.predict_proba(numbers)[:, 1].max() for fit in (fitted, quick().fit(numbers, y))]
    assert highest[0] > 1.5 * highest[1]


def test_the_program_shows_the_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``elseif fit`` prints what the report says."""
    X, y = rare_table()
    X.assign(ill=y.astype(int)).to_csv(tmp_path / "people.csv", index=False)
    model = str(tmp_path / "model.json")
    arguments = ["fit", str(tmp_path / "people.csv"), "--label", "ill", "--model", model]
    assert run([*arguments, "--n-iter", "400", "--kernel", "paper"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "would add 2 single conditions" in out
