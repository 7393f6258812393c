"""How the explorer draws: scales of bars, ticks of axes, names that are broken well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.model.consequent import consequent_interval
from elseif.showing.probability_axis import percent_tick
from tests.browser.explorer_models import DATA, fit, plain_model, write
from tests.browser.models import clinical
from tests.browser.open_page import PHONE, OpenPage


@pytest.fixture(scope="module")
def plain_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("plain"), plain_model().page(n_lists=40))


def test_bars_of_small_risks_are_no_slivers(open_page: OpenPage, tmp_path: Path) -> None:
    """Bars end at a round number that holds the risks, for all lists the same, and say which."""
    X, _ = clinical(4000, seed=4)
    risk = np.where(X["smoking"] == "current", 0.03, 0.005)
    happened = pd.Series(np.random.default_rng(0).random(len(X)) < risk, name="rare")
    fitted = fit(X[["age", "smoking"]], happened, expected_length=1)
    page = open_page(write(tmp_path, fitted.page(n_lists=1)))
    end = page.evaluate("() => model.end")
    assert end <= 0.1
    for where in ("#chosen", "#held", "#editing"):
        assert f"Bars: 0 to {percent_tick(end)}." in page.locator(where).inner_text()
    data = page.evaluate(DATA)
    point = data["lists"][data["point"]]
    drawn = page.locator("#held .bar .band").evaluate_all(
        "(all) => all.map((band) => ['x', 'width'].map((name) => +band.getAttribute(name)))"
    )
    pseudocounts = np.array(data["pseudocounts"])
    for counts, (x, width) in zip(point["counts"], drawn, strict=True):
        low, high = consequent_interval(np.array(counts), pseudocounts, 1)
        assert x == pytest.approx(100 * low / end, abs=0.01)
        assert x + width == pytest.approx(100 * high / end, abs=0.01)
    # an edited list whose risks go beyond the scale has one of its own
    assert page.evaluate("() => barEnd([[1, 9]])") == 1


def test_ticks_have_the_same_decimals(plain_page: Path, open_page: OpenPage) -> None:
    page = open_page(plain_page)
    asked = [[0.675, 0.68, 0.685], [-2, 0], [0, 5e-7, 1e-6], [0.5, 1]]
    shown = page.evaluate("(all) => all.map((v) => tickTexts(v).map(([, text]) => text))", asked)
    assert shown == [
        ["0.675", "0.680", "0.685"],
        ["\u22122", "0"],
        ["0.0000000", "0.0000005", "0.0000010"],
        ["0.5", "1.0"],
    ]


def test_an_axis_has_two_ticks_or_more(plain_page: Path, open_page: OpenPage) -> None:
    """Or a narrow page would show no scale."""
    page = open_page(plain_page)
    asked = [[0.713, 0.782, 3], [0.652, 0.684, 3], [-4.2, 0.3, 6], [0.5, 0.9, 4]]
    shown = page.evaluate("(all) => all.map((range) => ticks(...range))", asked)
    assert shown == [
        [0.72, 0.74, 0.76, 0.78], [0.66, 0.68], [-4, -3, -2, -1, 0], [0.5, 0.6, 0.7, 0.8, 0.9],
    ]  # fmt: skip


def test_a_list_is_not_compared_with_itself(plain_page: Path, open_page: OpenPage) -> None:
    page = open_page(plain_page)
    assert "change" in page.locator("#chosen .price").inner_text()
    itself = page.locator("#held .price").inner_text()
    assert "The point estimate itself" in itself
    assert "change" not in itself


def test_the_word_of_a_button_is_not_broken(plain_page: Path, open_page: OpenPage) -> None:
    """However narrow the column of a table that it stands in."""
    page = open_page(plain_page)
    n_lines = page.evaluate("""() => {
      const table = document.createElement("table");
      table.style.width = "1px";
      const button = document.createElement("button");
      button.append("Show");
      table.insertRow().insertCell().append(button);
      document.querySelector("main").append(table);
      const text = document.createRange();
      text.selectNodeContents(button);
      return text.getClientRects().length;
    }""")
    assert n_lines == 1


def test_names_of_a_card_do_not_lie_on_its_words(plain_page: Path, open_page: OpenPage) -> None:
    """A long name is a box of its own, which the hanging indent of a line does not move."""
    page = open_page(plain_page)
    page.evaluate("() => showCard(model.point)")
    gaps = page.evaluate("""() => [...document.querySelectorAll("#card li")].map((line) => {
      const head = document.createRange();
      head.selectNodeContents(line.querySelector(".head"));
      line.querySelector("bdi")?.replaceChildren(...unbroken("late_payments_of_2024 > 0"));
      const word = line.querySelector(".word");
      if (!word) return 1;
      const text = document.createRange();
      text.selectNodeContents(word);
      return text.getBoundingClientRect().left - head.getBoundingClientRect().right;
    })""")
    assert len(gaps) > 1
    assert min(gaps) > -1


def test_names_are_broken_after_underscores(plain_page: Path, open_page: OpenPage) -> None:
    """And only where no line has room for them."""
    page = open_page(plain_page, *PHONE)
    rows = """(name) => {
      const box = document.querySelector("#held .rule");
      box.replaceChildren(...unbroken(name));
      const range = document.createRange();
      return [...box.querySelectorAll(".word")].map((word) => {
        const texts = [...word.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
        const lines = new Map();
        for (const text of texts) {
          range.selectNodeContents(text);
          const rects = [...range.getClientRects()];
          if (rects.length > 1) return "broken within";
          const top = Math.round(rects[0].top);
          lines.set(top, (lines.get(top) ?? "") + text.data);
        }
        return [...lines.values()];
      });
    }"""
    short, long = "late_payments_of_2024", "late_payments_of_the_last_24_months_of_the_account"
    assert page.evaluate(rows, f"duration_months > 1 and {short} > 0")[1] == [short]
    broken = page.evaluate(rows, f"{long} > 0")[0]
    assert "".join(broken) == long
    assert len(broken) > 1
    assert all(line.endswith("_") for line in broken[:-1])


def test_two_lists_are_printed_from_the_top_of_a_page(
    plain_page: Path, open_page: OpenPage
) -> None:
    """Their heads are not left alone at the end of the page before."""
    page = open_page(plain_page)
    page.emulate_media(media="print")
    begins = page.locator("section[aria-labelledby='compare-title']")
    assert begins.evaluate("(section) => getComputedStyle(section).breakBefore") == "page"
