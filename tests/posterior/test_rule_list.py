"""Rule lists as text, HTML and data frames."""

from __future__ import annotations

import unicodedata
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import ParamError
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.showing.list_text import display_width
from elseif.tables.columns import Kind
from elseif.visible import show_name


def make(
    names: list[str],
    counts: list[list[float]],
    classes: list[Any] | None = None,
    outcome: str | None = None,
) -> RuleList:
    """A list of boolean columns with the given label counts, the default rule last."""
    classes = ["no", "yes"] if classes is None else classes
    metadata = ModelMetadata(
        np.array(classes),
        np.ones(len(classes)),
        dict.fromkeys(names, Kind.BOOLEAN),
        outcome=outcome,
    )
    antecedents = [Antecedent([Condition(name, "is true")]) for name in names]
    return make_rule_list(antecedents, np.array(counts, dtype=float), metadata)


TWO = make(["smoker", "over 60"], [[10, 30], [200, 1800], [5, 0]])
THREE = make(["smoker"], [[10, 30, 0], [5, 0, 900]], ["a", "b", "c"])
HOSTILE = [
    '<img src=x onerror="alert(1)">',
    "</td></table><script>alert(1)</script>",
    "a & b",
    "line\nbreak\ttab\rreturn",
    "\x1b[31mred\x07",
    "right\u202eleft",
    "zero\u200bwidth",
    "lone \ud800 surrogate",
    "x" * 10_000,
    "漢字" * 60,
    "é" * 40,
    "",
    "   ",
    "{braces} %s %(x)s",
    "'quoted' \"twice\"",
]


def test_two_labels() -> None:
    """The positive label is named once, in the head; lines have probability, interval and n."""
    assert str(TWO).splitlines() == [
        "Probability of yes (95% credible interval)",
        "if      smoker  then 74% (60%–86%)   n =    40",
        "else if over 60 then 90% (89%–91%)   n = 2,000",
        "else                 14% (0.4%–46%)  n =     5",
    ]
    assert repr(TWO) == str(TWO)


def test_the_other_label() -> None:
    """Any label can be asked for, by name."""
    text = TWO.to_text(label="no", decimals=1, level=0.9)
    assert text.splitlines()[0] == "Probability of no (90% credible interval)"
    assert "then 26.2%" in text
    with pytest.raises(ParamError, match=r"'maybe'.*'no', 'yes'"):
        TWO.to_text(label="maybe")


def test_three_labels() -> None:
    """Every label has its probability and interval, the most probable first."""
    lines = str(THREE).splitlines()
    assert lines[0] == "Probability of each label (95% credible interval)"
    order = [lines[1].index(part) for part in ("b 72", "a 25", "c 2.")]
    assert order == sorted(order)
    assert lines[2].startswith("else")
    assert lines[2].index("c 9") < lines[2].index("a ")
    assert lines[1].endswith("n =  40")
    assert lines[2].endswith("n = 905")


def test_narrow_intervals_get_more_digits() -> None:
    """Rules of a million observations show the digits that they deserve."""
    text = str(make(["smoker"], [[500_000, 500_000], [400_000, 600_000]]))
    assert "50.00% (49.90%–50.10%)" in text


def test_the_empty_list() -> None:
    """A list without rules is one line."""
    empty = make([], [[30, 70]])
    assert len(empty) == 0
    lines = str(empty).splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("always")
    assert "always 70%" in " ".join(lines[1].split())
    assert "n = 100" in lines[1]
    assert "always" in empty._repr_html_()
    assert len(empty.to_frame()) == 1


def test_one_rule() -> None:
    """One rule has an if and an else."""
    lines = str(make(["smoker"], [[1, 2], [3, 4]])).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["if", "else"]


@pytest.mark.parametrize("classes", [[False, True], [0, 1]])
def test_a_yes_or_no_outcome_is_called_by_its_name(classes: list[Any]) -> None:
    """Labels True and 1 read as the name of y."""
    named = make(["smoker"], [[1, 2], [3, 4]], classes, outcome="stroke")
    assert str(named).startswith("Probability of stroke")
    assert "then 60%" in str(named)
    assert named.rules[0].interval(classes[1]) == named.rules[0].interval(True)


def test_fractional_weights_are_shown() -> None:
    """A count that is not whole has its decimals."""
    assert "n = 2.50" in str(make(["smoker"], [[1, 1.5], [3, 4]]))


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_in_text(name: str) -> None:
    """A name cannot break lines, hide text or flood the terminal."""
    text = str(make([name, "plain"], [[1, 2], [3, 4], [5, 6]], ["no", name or "yes"]))
    lines = text.splitlines()
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in text if c != "\n")
    assert sum(line.startswith(("if", "else")) for line in lines) == 3
    assert sum("n = " in line for line in lines) == 3
    assert len(text) < 5000
    text.encode("utf-8")


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_in_html(name: str) -> None:
    """The page has the same elements whatever the names are."""

    class Elements(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert all(not key.startswith("on") for key, _ in attrs)
            self.found.append(tag)

    def elements(page: str) -> list[str]:
        parser = Elements()
        parser.feed(page)
        parser.close()
        return parser.found

    counts = [[1, 2], [3, 4], [5, 6]]
    plain = make(["a", "b"], counts)._repr_html_()
    hostile = make([name, "b"], counts, ["no", name or "yes"])._repr_html_()
    assert elements(hostile) == elements(plain)
    assert elements(plain).count("tr") == 4
    hostile.encode("utf-8")


def test_html_says_what_the_text_says() -> None:
    """Probabilities, intervals and counts are in the page."""
    page = TWO._repr_html_()
    for part in ("smoker", "over 60", "74% (60%–86%)", "2,000", "probability of yes"):
        assert part in page


def test_names_are_shown_in_full_up_to_a_length() -> None:
    """Long names are shortened, wide ones counted as wide."""
    assert show_name("x" * 200) == "x" * 200
    assert len(show_name("x" * 201)) == 200
    assert display_width("漢e\u0301") == 3


def test_long_lists_keep_to_the_width() -> None:
    """Long conjunctions are wrapped."""
    conditions = [Condition(f"a rather long name of a column {i}", "is true") for i in range(5)]
    metadata = ModelMetadata(np.array(["no", "yes"]), np.ones(2), {})
    text = str(make_rule_list([Antecedent(conditions)], np.array([[1, 2], [3, 4]]), metadata))
    assert max(map(len, text.splitlines())) <= 100
    joined = " ".join(text.split())
    for condition in conditions:
        assert condition.name in joined


def test_columns_line_up() -> None:
    """n stands under n."""
    for rule_list in (TWO, THREE):
        lines = str(rule_list).splitlines()[1:]
        assert len({line.index("n = ") for line in lines}) == 1


def test_to_frame() -> None:
    """A row a rule, with every label's count, probability and interval."""
    frame = TWO.to_frame(level=0.9)
    assert frame["antecedent"].tolist() == ["smoker", "over 60", ""]
    assert frame["n"].tolist() == [40, 2000, 5]
    assert frame["n no"].tolist() == [10, 200, 5]
    np.testing.assert_allclose(frame["probability yes"], [31 / 42, 1801 / 2002, 1 / 7])
    low, high = TWO.rules[0].interval("yes", level=0.9)
    assert (frame["low yes"][0], frame["high yes"][0]) == (low, high)
    np.testing.assert_allclose(frame["probability yes"] + frame["probability no"], 1)


def test_rules() -> None:
    """The default rule is last and its antecedent empty."""
    assert [rule.antecedent.name for rule in TWO.rules] == ["smoker", "over 60", ""]
    assert TWO.rules[-1].antecedent == Antecedent()
    assert TWO[0].label_counts.tolist() == [10, 30]
    np.testing.assert_allclose(TWO[0].probabilities, [11 / 42, 31 / 42])
    assert [rule.n for rule in TWO] == [40, 2000, 5]
    assert len(TWO) == 2
    assert TWO.positive == "yes"
    with pytest.raises(ParamError, match=r"level.*1\.5"):
        TWO[0].interval("yes", level=1.5)
    with pytest.raises(ParamError, match="'maybe'"):
        TWO[0].interval("maybe")


def test_prediction_by_hand() -> None:
    """The first true antecedent decides."""
    X = pd.DataFrame({"smoker": [True, True, False, False], "over 60": [True, False, True, False]})
    assert TWO.captured_by(X).tolist() == [0, 0, 1, 2]
    expected = np.array([[11, 31], [11, 31], [201 * 42 / 2002, 1801 * 42 / 2002], [36, 6]]) / 42
    np.testing.assert_allclose(TWO.predict_proba(X), expected)
    assert TWO.predict(X).tolist() == ["yes", "yes", "yes", "no"]
