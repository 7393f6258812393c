"""A label that looks like a measurement is warned of, and a column's name in place of labels."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from elseif import BayesianRuleListClassifier
from elseif.cli.main import run
from elseif.errors import DataError, MeasuredLabelWarning

RNG = np.random.default_rng(0)
N = 200
AGES = RNG.integers(20, 90, N)
X = pd.DataFrame({"smoker": RNG.random(N) < 0.4, "exposed": RNG.random(N) < 0.5})


def quick() -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(n_iter=500, n_chains=1, random_state=0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("of", ["rows", "engine"])
def test_many_numbers_in_few_rows(of: str) -> None:
    said = r"y has \d+ different numbers in 200 rows and looks like a measurement"
    in_engine = pl.from_pandas(X.assign(age=AGES)).lazy(), "age"
    with pytest.warns(MeasuredLabelWarning, match=said):
        quick().fit(*((X, AGES) if of == "rows" else in_engine))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "y",
    [AGES % 10, [f"code {age}" for age in AGES], np.repeat(AGES[:40], 5) > 50],
    ids=["ten numbers", "names", "yes or no"],
)
def test_classes_are_not_warned_of(y: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", MeasuredLabelWarning)
        quick().fit(X, y)


def test_the_program_says_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X.assign(age=AGES).to_csv(tmp_path / "t.csv", index=False)
    quickly = ["--n-iter", "500", "--n-chains", "1", "--quiet"]
    assert run(["fit", str(tmp_path / "t.csv"), "--label", "age", *quickly]) == 0
    said = capsys.readouterr().err
    assert said.count("looks like a measurement") == 1
    assert "elseif: note: The label has " in said
    X.assign(age=AGES + 0.5).to_csv(tmp_path / "u.csv", index=False)
    assert run(["fit", str(tmp_path / "u.csv"), "--label", "age", *quickly]) == 3
    assert "Make it yes or no first" in capsys.readouterr().err


def test_the_name_of_a_column_in_place_of_labels() -> None:
    """The advice, followed, works."""
    table = X.assign(**{"has died": X["smoker"] & X["exposed"]})
    with pytest.raises(DataError, match="y is a text") as refused:
        quick().fit(table, "has died")
    advice = "clf.fit(X.drop(columns='has died'), X['has died'])"
    assert advice in str(refused.value)
    eval(advice, {"clf": quick(), "X": table})
    with pytest.raises(DataError, match="did you mean 'has died'"):
        quick().fit(table, "has_died")
    with pytest.raises(DataError, match="one label for each row"):
        quick().fit(np.ones((3, 2)), "died")


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_labels_that_are_identifiers() -> None:
    """Of labels that each occur once nothing can be learnt."""
    with pytest.raises(DataError, match=r"y has 200 different labels in 200 rows.*identifiers"):
        quick().fit(X, [f"patient {i}" for i in range(N)])
    with pytest.raises(DataError, match="none occurs twice"):
        quick().fit(X, np.arange(N) + 100_000)
    with pytest.raises(DataError, match=r"holds measurements, .*Make it yes or no first"):
        quick().fit(X, np.linspace(0.1, 9.9, N))
