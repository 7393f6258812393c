"""The page: well formed, complete, harmless and readable without eyes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.report.page import asset
from elseif.report.page_tables import all_tables, quartile_texts
from elseif.report.report import SECTIONS, all_charts, report_page
from elseif.report.summary import summarise
from elseif.report.svg import Svg, element, nice_ticks, percent_tick
from elseif.report.tripod import tripod_items
from elseif.report.wording import best_lists_words
from tests.browser.hostile import HOSTILE
from tests.report.reading import classifier, named_summary, patients, summary

VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Elements with their attributes, and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.data = ""  # embedded as JSON
        self.code = ""  # of scripts
        self.kind: str | None = None  # of the script that is open
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.kind = dict(attrs).get("type") if tag == "script" else self.kind
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.data += data if self.kind == "application/json" else ""
            self.code += data if self.kind is None else ""
        elif not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def page() -> Reader:
    return Reader(report_page(summary()))


@pytest.mark.parametrize(
    ("predicts", "edited", "rank", "is_explained"),
    [
        ("point", False, 7, True),
        ("point", False, 1, False),
        ("point", True, 7, False),
        ("projected", False, 7, False),
    ],
)
def test_why_the_list_is_not_the_most_probable(
    predicts: str, edited: bool, rank: int, is_explained: bool
) -> None:
    """Only a point estimate that is not the first of the lists is explained as one."""
    document = summary().to_dict()
    document["about"] |= {"predicts": predicts, "edited": edited}
    document["posterior"]["lists"] = [{"is_shown": True, "rank": rank}]
    words = " ".join(best_lists_words(document))
    assert ("is the point estimate of the paper" in words) == is_explained
    assert "Numbered by posterior probability" in words


def test_the_page_is_well_formed_and_complete(page: Reader) -> None:
    assert page.open == []
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["h1"] == tags["main"] == tags["nav"] == tags["header"] == 1
    sections = [name for name, _ in SECTIONS if name != "projection"]  # which nobody asked for
    assert [a["id"] for a in page.attributes("section")] == sections
    assert page.attributes("html") == [{"lang": "en"}]
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for link in page.attributes("a"):
        assert (link["href"] or "").startswith("#")
        assert (link["href"] or "")[1:] in ids


def test_nothing_is_loaded_or_styled_inline_and_one_script_runs(page: Reader) -> None:
    for tag, attributes in page.elements:
        assert not {"src", "srcset", "style", "action", "xlink:href"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")]
    scripts = page.attributes("script")
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    assert page.code == asset("report.js")
    (policy,) = (a["content"] for a in page.attributes("meta") if "http-equiv" in a)
    assert policy is not None
    digest = base64.b64encode(hashlib.sha256(page.code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert json.loads(page.data) == summary().to_dict()


def test_headings_do_not_skip_a_level(page: Reader) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_tables_and_drawings_speak_for_themselves(page: Reader) -> None:
    tags = [tag for tag, _ in page.elements]
    assert tags.count("caption") == tags.count("table")
    assert all("scope" in attributes for attributes in page.attributes("th"))
    for drawing in page.attributes("svg"):
        assert drawing["role"] == "img"
    assert tags.count("title") == tags.count("svg") + 1  # and that of the page
    ids = {a["id"] for _, a in page.elements if "id" in a}
    labelled = [a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a]
    assert all(part in ids for names in labelled for part in (names or "").split())


def test_every_cell_of_every_table_is_on_the_page(page: Reader) -> None:
    tables = all_tables(summary().to_dict())
    left_out = {"by_label"}  # for more than two labels
    cells = [c for k, t in tables.items() if k not in left_out for row in t.rows for c in row]
    assert len(cells) > 1000
    assert [c for c in cells if c and " ".join(c.split()) not in page.text] == []


def test_the_numbers_of_the_list_are_on_the_page(page: Reader) -> None:
    for line in summary().lines:
        assert line.condition in page.text
        assert f"{100 * line.risks[0].probability:.0f}%" in page.text
        assert f"n = {line.n:,.0f}" in page.text


def test_validation_is_named_beside_every_measure(page: Reader) -> None:
    badge = "Out of sample, 3-fold cross-validation · 400 cases"
    assert page.text.count(badge) == 5  # discrimination to subgroups
    assert "In sample, on the training data themselves" in page.text


def test_every_item_of_tripod_is_there_once() -> None:
    items = summary().tripod
    numbers = [item.number for item in items]
    assert len(set(numbers)) == len(numbers) == 52
    assert {int(re.sub("[a-g]", "", number)) for number in numbers} == set(range(1, 28))
    anchors = {item.anchor for item in items} - {None}
    assert anchors <= {name for name, _ in SECTIONS}
    fairness = {i.number: i.status for i in summary(subgroups=None).tripod}
    assert fairness["14"] == "to be written by the authors"
    assert {i.number: i.status for i in items}["14"] == "in part"


def test_tripod_claims_only_what_is_there() -> None:
    """No subgroups, no performance by subgroup; a recalibrated list was updated."""
    with_groups, without = tripod_items(True), tripod_items(False)
    claims = {i.number: (i.status, i.text) for i in without if "subgroup" in i.text}
    assert set(claims) == {"12d", "14", "23a", "23b"}
    assert all("no subgroups were chosen" in text.lower() for _, text in claims.values())
    assert claims["23a"][0] == "in part"
    assert {i.number: i.status for i in with_groups}["23a"] == "in this report"
    updated = {i.number: i.text for i in tripod_items(False, is_recalibrated=True)}
    assert "recalibrated" in updated["12f"]
    assert "recalibrated" in updated["24"]


# --------------------------------------------------------------------------- hostile names


def test_hostile_names_change_no_element() -> None:
    hostile, harmless = (Reader(report_page(named_summary(h))) for h in (True, False))
    assert hostile.open == []
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in harmless.elements]
    assert [sorted(a) for _, a in hostile.elements] == [sorted(a) for _, a in harmless.elements]
    assert not [tag for tag, _ in hostile.elements if tag in ("img", "iframe")]


def test_hostile_names_are_unchanged_in_the_data() -> None:
    result = named_summary(True)
    reader = Reader(report_page(result))
    assert json.loads(reader.data) == result.to_dict()
    names = {column.name[2:] for column in result.people.columns}
    assert set(HOSTILE) <= names


def test_hostile_names_are_read_as_they_are_but_for_invisible_characters() -> None:
    text = Reader(report_page(named_summary(True))).text
    assert "<img src=x onerror=alert(1)>" in text
    assert '"; DROP TABLE patients; --' in text
    assert "{{ 7 * 7 }} {% raw %} ${7*7} &lt; &amp;amp;" in text
    for invisible in ("\u202e", "\u200b", "\u2028"):
        assert invisible not in text
    assert "\\u202e" in text


# ------------------------------------------------------------------------------- drawings


def test_drawings_escape_what_they_are_given() -> None:
    drawn = element("text", "<b>&", x=1.005, class_='"')
    assert drawn == '<text x="1" class="&quot;">&lt;b&gt;&amp;</text>'
    assert isinstance(drawn, Svg)
    assert element("g", drawn) == f"<g>{drawn}</g>"


def test_all_drawings_are_there() -> None:
    drawn = all_charts(summary().to_dict())
    assert set(drawn) == {
        "roc", "precision_recall", "calibration", "decision", "traces", "lengths",
    }  # fmt: skip
    assert drawn["calibration"].count('class="events"') > 1
    assert drawn["roc"].count('class="curve fold"') == 4  # three folds and the legend
    assert drawn["traces"].count("<polyline") == 4
    places = re.compile(r' (?:points|x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"]*)"')
    numbers = re.compile(r"[-0-9., ]*")
    for svg in drawn.values():
        assert all(numbers.fullmatch(index) for index in places.findall(svg))


def test_ticks_are_round() -> None:
    assert nice_ticks(0, 0.5) == [0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert nice_ticks(-713, -681, 4) == [-710, -700, -690]
    assert nice_ticks(2, 2) == [2]
    assert percent_tick(0.125) == "12.5%"
    assert percent_tick(0.2) == "20%"


def test_rooms_are_quick_to_enter() -> None:
    code = (
        "import sys, elseif, elseif.cli.main; "
        "sys.exit(any(m in sys.modules for m in ('jinja2', 'sklearn', 'elseif.report.summary')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_of_a_wide_table_the_list_comes_first_then_what_is_frequent() -> None:
    """Sixty of thousands of columns are described, and not those that happen to stand first."""
    rng = np.random.default_rng(3)
    truths = rng.random((300, 90)) < np.linspace(0.02, 0.6, 90)
    X = pd.DataFrame(truths, columns=[f"drug {i:02}" for i in range(90)])
    X.insert(45, "age", rng.integers(40, 90, 300))
    y = rng.random(300) < np.where(X["drug 70"], 0.8, 0.2)
    classifier = BayesianRuleListClassifier(max_cardinality=1, random_state=0).fit(X, y)
    columns = [c.name for c in summarise(classifier, X, y, folds=2).people.columns]
    first = {c.name for c in summarise(classifier, X, y, folds=2).people.columns if c.in_list}
    assert "drug 70" in first
    assert set(columns[: len(first)]) == first
    assert len(columns) == 60
    assert "age" in columns[: len(first) + 1]
    rest = [int(name.removeprefix("drug ")) for name in columns[len(first | {"age"}) :]]
    others = [i for i in range(90) if f"drug {i:02}" not in first]
    assert rest == sorted(others, key=lambda i: -truths[:, i].sum())[: len(rest)]


def test_a_page_of_exact_draws_says_nothing_of_chains(page: Reader) -> None:
    """What was summed over all lists is called so; a page of chains tells how they moved."""
    X, y = patients()
    few = X[["sex", "prior stroke"]]
    result = summarise(classifier(n_iter=2_000).fit(few, y), few, y, folds=2)
    exact = Reader(report_page(result)).text
    assert "The posterior is exact, summed over all lists. The sum is over all lists" in exact
    assert "another seed gives the same ones" in exact
    assert "4 times 1,000 lists were drawn from it" in exact
    assert "sequences of independent draws" in exact
    for words in ("Converged.", "How the chains moved", "proposals accepted"):
        assert words in page.text
        assert words not in exact


@pytest.mark.parametrize(
    ("kind", "values", "shown"),
    [
        ("numeric", ("5440.3", "3199.85", "9486.05"), "5440 (3200–9486)"),
        ("numeric", ("37", "36.5", "37.9"), "37.0 (36.5–37.9)"),
        ("numeric", ("226.854", "-704636", "666563"), "227 (−704,636 to 666,563)"),
        (
            "date",
            ("2012-11-03", "2008-05-04", "2017-03-20"),
            "2012-11-03 (2008-05-04 to 2017-03-20)",
        ),
    ],
)
def test_quartiles_are_written_alike(kind: str, values: tuple[str, ...], shown: str) -> None:
    median, low, high = values
    group = {"low": low, "median": median, "high": high}
    column = {"kind": kind, "quartiles": [group, None, group]}
    assert quartile_texts(column) == [shown, None, shown]
