"""What notebooks show of estimators, posteriors, convergence and inclusion."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.sampler.convergence import nothing_to_sample
from tests.posterior.test_rule_list import HOSTILE
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Elements(HTMLParser):
    """Start tags of a page; no attribute may run anything."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(key in ("style", "scope") for key, _ in attrs)
        # a colour would be wrong in a light or in a dark theme
        assert all("color" not in (value or "") for _, value in attrs)
        self.found.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_an_estimator_before_fit() -> None:
    """scikit-learn's own diagram."""
    page = BayesianRuleListClassifier()._repr_html_()
    assert "sk-" in page
    assert "BayesianRuleListClassifier" in page


def test_a_fitted_estimator(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The list, and a line on convergence."""
    page = titanic_classifier._repr_html_()
    assert "predict" not in page
    words = " ".join(Elements(page).words)
    assert "age = adult and sex = male" in words
    assert "probability of survived" in words
    assert "The posterior is exact, summed over all lists" in words
    assert titanic_classifier._repr_mimebundle_()["text/html"] == page
    with sklearn.config_context(display="text"):
        assert not hasattr(titanic_classifier, "_repr_html_")
        assert "text/html" not in titanic_classifier._repr_mimebundle_()
    assert repr(titanic_classifier).startswith("BayesianRuleListClassifier(")


def test_a_pipeline_keeps_its_diagram() -> None:
    """Inside scikit-learn's diagrams nothing changes."""
    X, y = random_frame()
    pipeline = make_pipeline(FunctionTransformer(), quick()).fit(X, y)
    assert "BayesianRuleListClassifier" in pipeline._repr_html_()


def test_the_posterior(titanic_classifier: BayesianRuleListClassifier) -> None:
    """How much was drawn, the best lists, and what is most often in them."""
    posterior = titanic_classifier.posterior_
    words = " ".join(Elements(posterior._repr_html_()).words)
    assert f"{posterior.n_draws:,} draws of 4 sequences" in words
    best = posterior.lists().iloc[0]
    assert "; else if ".join(best["antecedents"]) in words
    assert f"{100 * best['probability']:.1f}%" in words
    assert f"{best['log_posterior']:.2f}" in words


def test_inclusion(titanic_classifier: BayesianRuleListClassifier) -> None:
    """A dict that prints as a table."""
    inclusion = titanic_classifier.posterior_.inclusion()
    assert isinstance(inclusion, dict)
    name, share = next(iter(inclusion.items()))
    assert repr(inclusion).splitlines()[0] == f"{100 * share:5.1f}%  {name}"
    assert name in inclusion._repr_html_()
    assert dict(inclusion) == inclusion
    assert repr(type(inclusion)({f"a{i}": 0.5 for i in range(25)})).endswith("and 5 more")
    assert repr(type(inclusion)()) == "{}"


def test_convergence(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The verdict in words first, then what str() says."""
    convergence = titanic_classifier.convergence_
    parsed = Elements(convergence._repr_html_())
    assert parsed.words[0] == str(convergence).splitlines()[0]
    for line in str(convergence).splitlines()[1:]:
        for part in line.strip().split("  "):
            assert part.strip() in " ".join(parsed.words)
    assert "cannot be judged" in nothing_to_sample()._repr_html_()


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names(name: str) -> None:
    """The pages have the same elements whatever the names are."""
    X, y = random_frame()

    def pages(first: str) -> list[Any]:
        names = [first if name == "f1" else name for name in X.columns]
        table = X.set_axis(pd.Index(names, dtype=object), axis=1)  # pandas' own text is UTF-8
        classifier = quick(antecedents=[((first, "is true"),), ("f2",)], expected_length=1)
        classifier.fit(table, y)
        posterior = classifier.posterior_
        return [classifier._repr_html_(), posterior._repr_html_(), repr(posterior.inclusion())]

    estimator, posterior, inclusion = pages(name)
    plain = pages("zzz")  # sorts as the last column, as most of the odd ones do
    assert sorted(Elements(estimator).found) == sorted(Elements(plain[0]).found)
    assert sorted(Elements(posterior).found) == sorted(Elements(plain[1]).found)
    assert len(inclusion) < 400
    assert len(inclusion.splitlines()) == 2
    (estimator + posterior).encode("utf-8")


@pytest.mark.parametrize("predict_with", ["point", "map", "projected", "posterior"])
def test_the_list_shown_is_the_one_that_predicts(predict_with: str) -> None:
    """And what is shown is said, unless it is what ``rule_list_`` is too."""
    X, y = load_titanic("paper")
    clf = BayesianRuleListClassifier(predict_with=predict_with, max_length=1, random_state=0)
    clf.fit(X, y)
    page = clf._repr_html_()
    lists = {"map": "map_rule_list_", "projected": "projected_rule_list_"}
    name = lists.get(predict_with, "rule_list_")
    assert getattr(clf, name)._repr_html_() in page
    assert (f"<code>{name}</code>" in page) == (predict_with != "point")
    if predict_with == "projected":
        assert clf.rule_list_._repr_html_() not in page
        assert "<code>rule_list_</code> is the point estimate" in page


def test_columns_of_a_fit_report_stand_apart(
    titanic_classifier: BayesianRuleListClassifier,
) -> None:
    """By their own styles, since not every notebook has styles for tables."""
    page = titanic_classifier.fit_report_._repr_html_()
    assert ">sex<" in page
    assert "<td>" not in page
    assert page.count("padding:") == page.count("<td") + page.count("<th ") > 8
