"""The methods paragraph says what was done, whatever was done."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from elseif.errors import ParamError
from elseif.report import methods_text, report_page
from elseif.report.links import links_from
from elseif.report.summary import summarise
from tests.report.reading import fitted, patients, summary, three_labels_summary

Data = dict[str, Any]


def changed(**changes: Any) -> str:
    """The paragraph of a real report after changes to its plain data, by dotted name."""
    data = copy.deepcopy(summary().to_dict())
    for name, value in changes.items():
        part: Any = data
        *path, last = name.split("__")
        for key in path:
            part = part[key]
        part[last] = value
    return methods_text(data)


def with_setting(name: str, value: str) -> str:
    data = copy.deepcopy(summary().to_dict())
    (setting,) = (s for s in data["settings"] if s["name"] == name)
    setting["value"] = value
    return methods_text(data)


def test_of_a_cross_validated_list() -> None:
    _, y = patients()
    text, result = methods_text(summary()), summary()
    n, n_events = len(y), int(y.sum())
    pool = len(fitted().pool_)
    for words in (
        "We fitted a Bayesian rule list [1] to predict “stroke” from 6 columns",
        f"{n} observations ({n - n_events} “not stroke” and {n_events} “stroke”)",
        "Numeric and date columns were cut at quantiles, moved to readable values, into 4 groups.",
        "Missing values were not imputed",
        f"Candidate rules ({pool}) were conjunctions of at most 1 condition that hold for at least "
        "10% of the observations.",
        "A priori, 3 rules and 1 condition per rule were expected; the Dirichlet prior of each "
        "rule had 1 pseudocount for each outcome.",
        f"{result.convergence.n_iter:,} iterations" if result.convergence else "",
        "The chains converged (R-hat of the log posterior ",
        "point estimate",
        "3-fold cross-validation, stratified by outcome",
        "DeLong’s variance in each fold [2,3]",
        "intercept [4] and the Brier score, and usefulness for decisions by net benefit [5]",
        "All intervals are 95% intervals.",
    ):
        assert words in text, words
    assert [line[:4] for line in text.splitlines()[2:]] == [f"[{i}] " for i in range(1, 6)]
    assert "10.1214/15-AOAS848" in text


def test_columns_that_were_left_out_do_not_count() -> None:
    """An identifier is in the table, and nothing is predicted from it."""
    data = copy.deepcopy(summary().to_dict())
    data["people"]["columns"][0]["left_out"] = "looks like an identifier"
    assert "to predict “stroke” from 5 columns" in methods_text(data)


def test_of_a_held_out_table() -> None:
    result = summarise(fitted(), *patients(), folds=None, holdout=patients(100, seed=1))
    text = methods_text(result)
    assert "Performance was estimated on a held-out table (100 cases, " in text
    assert "fold" not in text
    assert (
        "intercept [3] and the Brier score, and usefulness for decisions by net benefit [4]" in text
    )
    assert "[5]" not in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"convergence__status": "not converged"}, "The chains had not converged"),
        ({"convergence__status": "undetermined"}, "Convergence could not be assessed."),
        ({"convergence__n_chains": 1}, "with 1 chain of"),
        (
            {"convergence__independent": True, "convergence__summed": True},
            "computed exactly, by summing over all lists",
        ),
        ({"convergence__independent": True}, "drawn independently from the exact posterior"),
        ({"about__predicts": "posterior"}, "averaged over all lists of the posterior"),
        ({"about__predicts": "map"}, "the list of highest posterior probability"),
        ({"about__predicts": "projected"}, "the projected list"),
        ({"about__edited": True}, "changed by hand, and predictions were made with that list"),
        ({"about__weighted": True}, "In evaluation, every case counted once."),
        ({"about__n_without_label": 3}, "3 rows without an outcome were excluded."),
        ({"about__rounded_to": 10}, "computed from rounded counts"),
        ({"about__n_antecedents": 2500}, "If there were more than 2,500, those with most evid"),
    ],
)
def test_says_what_was_done(changes: Data, words: str) -> None:
    assert words in changed(**changes)
    assert words not in methods_text(summary())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("kernel", "'paper'", "by the Metropolis–Hastings algorithm"),
        ("kernel", "'tempered'", "by parallel tempering"),
        ("cutting", "'mdl'", "minimum description length"),
        ("cuts", "{'age': [60]}", "some at cut points that we supplied"),
        ("min_support", "30", "at least 30 of the observations"),
        ("support_in", "'any_class'", "10% of the observations with any one outcome"),
        ("antecedents", "[['prior stroke']]", "We supplied the candidate rules"),
        ("antecedents", "[['prior stroke']]", "cut points and list were learnt anew"),
        ("expected_length", "'learn'", "a number of rules (chosen by maximum marginal"),
        ("pseudocounts", "{'a': 1, 'b': 2}", "a different number of pseudocounts"),
        ("antecedent_weights", "{'age': 2.0}", "prior weight than others"),
        ("max_correlation", "0.9", "correlation above 0.9"),
    ],
)
def test_follows_the_settings(name: str, value: str, words: str) -> None:
    assert words in with_setting(name, value)


def test_tells_what_was_learnt() -> None:
    data = copy.deepcopy(summary().to_dict())
    for setting in data["settings"]:
        if setting["name"] in ("expected_length", "pseudocounts"):
            setting["value"] = "'learn'"
    data["about"]["learnt"] = {"expected_length": 4.25713, "pseudocounts": 1.0}
    text = methods_text(data)
    assert "A priori, 4.26 rules (chosen by maximum marginal likelihood) and 1 condition" in text
    assert "rule had 1 pseudocount (chosen by maximum marginal likelihood) for each" in text


def test_of_three_outcomes() -> None:
    text = methods_text(three_labels_summary())
    assert "to predict “outcome” with 3 categories" in text
    assert "Each outcome was evaluated against all others together." in text


def test_of_a_list_alone() -> None:
    """Of a model without settings or diagnostics less is said, and nothing is made up."""
    text = changed(settings=[], convergence=None)
    for words in ("Candidate", "A priori", "chains", "cut at"):
        assert words not in text
    assert "Performance was estimated by 3-fold cross-validation" in text


# --------------------------------------------------------------------------------- links


def test_links_lead_to_pages_beside_the_report() -> None:
    page = report_page(summary(), links=links_from(Path("a/r.html"), {
        "calculator": Path("a/my calculator.html"), "explorer": Path("b/e.html"),
    }))  # fmt: skip
    assert '<a href="my%20calculator.html">Calculator' in page
    assert '<a href="../b/e.html">Explorer' in page
    assert 'class="links' not in report_page(summary())


def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    result = links_from(tmp_path / "r.html", {"calculator": tmp_path / "javascript:alert(1)"})
    assert result == {"calculator": "javascript%3Aalert%281%29"}
    assert links_from(tmp_path / "r.html", {"calculator": None}) == {}
    for address in ("javascript:alert(1)", "https://example.org/x", "//example.org/x"):
        with pytest.raises(ParamError, match="must be a relative address"):
            report_page(summary(), links={"calculator": address})
    with pytest.raises(ParamError, match="there is no page 'home'"):
        report_page(summary(), links={"home": "x.html"})
