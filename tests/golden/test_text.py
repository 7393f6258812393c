"""Printed lists, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from elseif import BayesianRuleListClassifier

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("titanic.txt", {}),
        ("titanic-died.txt", {"label": "died"}),
        ("titanic-digits.txt", {"decimals": 1, "level": 0.9}),
        ("titanic-narrow.txt", {"width": 60}),
    ],
)
def test_the_titanic_list(
    name: str, options: dict, titanic_classifier: BayesianRuleListClassifier
) -> None:
    """The list of figure 1 as it is printed."""
    expected = (HERE / name).read_bytes()
    found = titanic_classifier.rule_list_.to_text(**options) + "\n"
    assert found.encode("utf-8") == expected
    if not options:
        assert (str(titanic_classifier.rule_list_) + "\n").encode("utf-8") == expected


def test_the_titanic_list_as_html(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The list of figure 1 as a notebook shows it."""
    expected = (HERE / "titanic.html").read_bytes()
    page = titanic_classifier.rule_list_._repr_html_() + "\n"
    assert page.encode("utf-8") == expected
