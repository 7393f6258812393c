"""Strong conditions below min_support are reported, with the setting that would include them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif.cli.main import run
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N = 600


def people(shock_share: float = 0.06, risk: float = 0.95) -> tuple[pd.DataFrame, np.ndarray]:
    """A third dies; of the few in shock, most do."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"old": rng.random(N) < 0.5, "smoker": rng.random(N) < 0.3})
    for other in ("male", "rural", "insured"):
        X[other] = rng.random(N) < 0.5
    X["shock"] = rng.random(N) < shock_share
    chance = np.where(X["shock"], risk, np.where(X["old"], 0.45, 0.2))
    return X, rng.random(N) < chance


def as_kind(X: pd.DataFrame, kind: str) -> Any:
    """The same people with shock told in another way."""
    if kind == "integer":
        return X.assign(shock=X["shock"].astype(int))
    if kind == "category":
        ward = np.where(X["shock"], "icu", np.where(X["smoker"], "east", "west"))
        return X.assign(shock=pd.Categorical(ward))
    if kind == "missing":
        return X.assign(shock=np.where(X["shock"], np.nan, np.arange(N) % 50))
    if kind == "sparse":
        return X.astype(pd.SparseDtype(bool, False))
    return X


def hidden(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if " strongly associated " in note]


@pytest.mark.parametrize("kind", ["boolean", "integer", "category", "missing", "sparse"])
def test_a_strong_condition_of_few_people_is_named(kind: str) -> None:
    """With how strong it is, and with a support that has it in the pool once it is set."""
    X, y = people()
    shown = as_kind(X, kind)
    clf = quick().fit(shown, y)
    assert not any("shock" in name and "icu" in name for name in clf.pool_.names)
    [note] = hidden(clf.fit_report_.notes)
    share = 100 * y[X["shock"]].mean()
    assert "min_support=0.1 leaves out 1 single condition strongly associated with" in note
    assert f"on 'shock': {share:.2g}% of the observations covered by it are labelled True" in note
    assert f"{100 * y.mean():.2g}% of all" in note
    assert "icu" not in note  # no value of a column that the pool does not use
    [support] = re.findall(r"min_support=([\d.]+) would include it", note)
    assert support == "0.05"
    assert 0.05 <= X["shock"].mean() < 0.1
    fitted = quick(min_support=float(support)).fit(shown, y)
    assert not hidden(fitted.fit_report_.notes)
    assert set(fitted.pool_.names) - set(clf.pool_.names)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"min_support": 100}, "min_support=20"),
        ({"min_support": 0.3, "support_in": "any_class"}, "min_support=0.1"),
        ({"min_support": 150, "support_in": "any_class"}, "min_support=20"),
    ],
)
def test_the_support_is_suggested_as_it_was_given(given: dict[str, Any], said: str) -> None:
    """A number of people, or a fraction, of all or of one label."""
    X, y = people()
    [note] = hidden(quick(**given).fit(X, y).fit_report_.notes)
    assert f"{said} would include" in note
    name, _, value = said.partition("=")
    lower = type(given["min_support"])(value)
    assert not hidden(quick(**{**given, name: lower}).fit(X, y).fit_report_.notes)


@pytest.mark.parametrize(
    "table",
    [
        people(shock_share=0.2),  # in the pool
        people(shock_share=0.0),  # nobody has it
        people(shock_share=0.002),  # fewer than five people
        people(risk=0.35),  # as many as of all
    ],
)
def test_nothing_is_said_where_nothing_strong_is_hidden(table: tuple[pd.DataFrame, Any]) -> None:
    X, y = table
    assert not hidden(quick().fit(X, y).fit_report_.notes)


def test_chance_is_not_called_strong() -> None:
    """Hundreds of rare columns without a relation to the label, of which some stand out."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({f"drug {i}": rng.random(N) < 0.03 for i in range(400)})
    X = X.join(people()[0].drop(columns="shock"))
    y = rng.random(N) < np.where(X["old"], 0.5, 0.3)
    assert not hidden(quick().fit(X, y).fit_report_.notes)


def test_several_conditions_and_labels() -> None:
    """The strongest is told about; the label is the one that is much more frequent there."""
    X, _ = people()
    rng = np.random.default_rng(2)
    X["coma"] = ~X["shock"] & (rng.random(N) < 0.05)
    y = np.where(X["shock"], "died", np.where(X["coma"], "moved", rng.choice(["home", "moved"], N)))
    [note] = hidden(quick().fit(X, y).fit_report_.notes)
    assert "leaves out 2 single conditions strongly associated" in note
    assert "on 'shock', 'coma'" in note
    assert "100% of the observations covered by the strongest are labelled 'died'" in note
    assert "would include the strongest" in note


def test_weights_are_repeated_rows() -> None:
    """Whole weights count as rows that repeat."""
    X, y = people()
    weights = np.random.default_rng(3).integers(1, 4, N)
    weighted = quick().fit(X, y, weights)
    repeated = quick().fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    assert hidden(weighted.fit_report_.notes) == hidden(repeated.fit_report_.notes) != []


def test_the_program_says_it_in_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``elseif fit`` prints the note with the option to set, which it then takes."""
    X, y = people()
    X.assign(dead=y.astype(int)).to_csv(tmp_path / "people.csv", index=False)
    arguments = ["fit", str(tmp_path / "people.csv"), "--label", "dead"]
    arguments += ["--model", str(tmp_path / "model.json"), "--n-iter", "400", "--kernel", "paper"]
    assert run(arguments) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "--min-support 0.1 leaves out 1 single condition" in out
    assert "--min-support 0.05 would include it" in out
    assert run([*arguments, "--min-support", "0.05", "--force"]) == 0
    assert " strongly associated " not in capsys.readouterr().out
