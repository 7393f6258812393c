"""Lines that nobody, or hardly anybody, was on in training are named wherever a list is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.cli.main import run
from elseif.report.summary import summarise
from elseif.report.wording import reading_words
from elseif.showing.thin_lines import thin_lines_words

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
EMPTY = "No training observation reaches line 3 of the point estimate"


def few_people(seed: int, n: int = 40) -> tuple[pd.DataFrame, pd.Series]:
    """Three columns, from six antecedents of which all lists are summed over."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"b{i}": rng.random(n) < 0.4 for i in range(3)})
    return X, pd.Series(rng.random(n) < np.where(X["b0"], 0.7, 0.3), name="ill")


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    """A point estimate whose third line captures nobody."""
    clf = BayesianRuleListClassifier(random_state=0).fit(*few_people(2))
    assert [rule.n for rule in clf.rule_list_] == [14, 14, 0, 12]
    return clf


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([10, 10], None),
        (
            [20, 30, 0],
            "No training observation reaches the last line of the list: its probabilities are the "
            "prior's alone.",
        ),
        (
            [20, 0, 0],
            "No training observation reaches lines 2 and 3 (the last) of the list: their "
            "probabilities are the prior's alone.",
        ),
        (
            [20, 3.5, 9, 2],
            "Lines 2, 3 and 4 (the last) of the list rest on fewer than 10 training observations "
            "(3.50, 9 and 2): look at their intervals.",
        ),
        (
            [3, 30],
            "Line 1 of the list rests on fewer than 10 training observations (3): look at its "
            "interval.",
        ),
    ],
)
def test_words(counts: list[float], words: str | None) -> None:
    assert thin_lines_words(counts, "the list") == words


def test_fit_report_names_a_line_that_nobody_reaches(fitted: BayesianRuleListClassifier) -> None:
    assert fitted.fit_report_.notes == (f"{EMPTY}: its probabilities are the prior's alone.",)
    assert EMPTY in str(fitted.fit_report_)


@pytest.mark.parametrize("seed", range(8))
def test_notes_are_true_of_both_lists(seed: int) -> None:
    clf = BayesianRuleListClassifier(predict_with="projected", random_state=0)
    clf.fit(*few_people(seed, n=60))
    notes = clf.fit_report_.notes
    lists = {"point estimate": clf.rule_list_, "projected list": clf.projected_rule_list_}
    for name, rule_list in lists.items():
        counts = [rule.n for rule in rule_list]
        about = [note for note in notes if name in note]
        assert bool(about) == (min(counts) < 10)
        assert ("No training observation" in " ".join(about)) == (min(counts) == 0)
        assert ("fewer than 10" in " ".join(about)) == any(0 < n < 10 for n in counts)


@pytest.mark.parametrize("n_columns", [3, 9])
@pytest.mark.parametrize("seed", range(3))
def test_nobody_reaches_no_line_of_a_projected_list(seed: int, n_columns: int) -> None:
    """Whether all lists are looked at, as with few columns, or some are searched for."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"b{i}": rng.random(50) < 0.4 for i in range(n_columns)})
    y = rng.random(50) < np.where(X["b0"], 0.7, 0.3)
    clf = BayesianRuleListClassifier(random_state=0, n_iter=2000, n_jobs=1).fit(X, y)
    for rule_list in clf.project(X, y, max_length=6, folds=None):
        assert len(rule_list) == 0 or min(rule.n for rule in rule_list) > 0


def test_more_draws_replace_the_notes() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"b{i}": rng.random(30) < 0.4 for i in range(6)})
    y = rng.random(30) < np.where(X["b0"], 0.7, 0.3)
    clf = BayesianRuleListClassifier(n_iter=200, random_state=0, kernel="paper").fit(X, y)
    assert any("point estimate" in note for note in clf.fit_report_.notes)
    clf.sample_more(n_iter=20_000)
    whole = BayesianRuleListClassifier(n_iter=20_200, random_state=0, kernel="paper").fit(X, y)
    assert clf.fit_report_.notes == whole.fit_report_.notes


def test_files_keep_it_unless_counts_are_rounded(
    fitted: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    save_model(fitted, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").fit_report_.notes == fitted.fit_report_.notes
    save_model(fitted, tmp_path / "rounded.json", posterior=None, min_cell=5)
    assert load_model(tmp_path / "rounded.json").fit_report_.notes == ()


def test_program_and_report_say_it(
    tmp_path: Path, fitted: BayesianRuleListClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = few_people(2)
    X.assign(ill=y).to_csv(tmp_path / "people.csv", index=False)
    assert run(["fit", str(tmp_path / "people.csv"), "--label", "ill", "--random-state", "0"]) == 0
    assert EMPTY in " ".join(capsys.readouterr().out.split())
    words = reading_words(summarise(fitted, X, y, folds=None, holdout=(X, y)).to_dict())
    assert any(text.startswith("No training observation reaches line 3 of") for text in words)
