"""The explorer in a real browser: its posterior is Python's, for lists drawn and edited."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page
from scipy.special import betaincinv, gammaln
from sklearn.metrics import roc_auc_score

from elseif.antecedents.antecedent import Antecedent
from elseif.errors import DataError, ParamError
from elseif.fitted_model import as_model
from elseif.report import explorer_page, read_edited_list
from elseif.report.edited_list import antecedent_document
from tests.browser.explorer_models import (
    DATA,
    MODELS,
    Fitted,
    antecedents_of,
    fit,
    plain_model,
    python_price,
    write,
)
from tests.browser.hostile import HOSTILE
from tests.browser.open_page import OpenPage
from tests.report.reading import patients, unsteady as unsteady_run

CONSEQUENTS = """(all) => all.map((counts) => counts.map(
  (line) => line.map((_, label) => consequent(model, line, label))))"""
PRICED = "(lists) => lists.map((items) => priced(items))"


@pytest.fixture
def plain() -> Fitted:
    return plain_model()


@pytest.fixture(params=MODELS)
def fitted(request: pytest.FixtureRequest) -> Fitted:
    return MODELS[request.param]()


# ------------------------------------------------------------------- equals Python


def test_log_gamma_and_beta_quantiles(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Over many magnitudes, against SciPy."""
    page = open_page(write(tmp_path, plain.page()))
    rng = np.random.default_rng(0)
    x = np.concatenate([10 ** rng.uniform(-12, 9, 500), np.arange(1, 60) / 2, [1, 2, 1e-300]])
    shown = page.evaluate("(values) => values.map(logGamma)", x.tolist())
    np.testing.assert_allclose(shown, gammaln(x), rtol=1e-13, atol=1e-13)
    a, b = 10 ** rng.uniform(-1, 5, 150), 10 ** rng.uniform(-1, 5, 150)
    share = rng.choice([0.025, 0.975, 0.5], 150)
    cases = np.column_stack([share, a, b]).tolist()
    quantiles = page.evaluate("(cases) => cases.map((c) => betaQuantile(...c))", cases)
    np.testing.assert_allclose(quantiles, betaincinv(a, b, share), atol=1e-9)


def test_lists_shown_equal_python(fitted: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Lists that can be edited have, computed anew, the posterior and counts they came with."""
    page = open_page(write(tmp_path, fitted.page()))
    data = page.evaluate(DATA)
    n = data["patterns"]["nAntecedents"]
    lists = [entry for entry in data["lists"] if all(item < n for item in entry["items"])]
    assert len(lists) >= 40
    prices = page.evaluate(PRICED, [entry["items"] for entry in lists])
    for entry, price in zip(lists, prices, strict=True):
        assert price["counts"] == entry["counts"]
        assert price["logPosterior"] == pytest.approx(entry["logPosterior"], rel=1e-11)
        assert price["auc"] == pytest.approx(entry["auc"], rel=1e-12)


def test_random_edits_equal_python(fitted: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Any list of the antecedents shown: log posterior, counts, means and intervals."""
    page = open_page(write(tmp_path, fitted.page()))
    data = page.evaluate(DATA)
    places = antecedents_of(data, fitted)
    rng = np.random.default_rng(0)
    n = data["patterns"]["nAntecedents"]
    lists = [rng.permutation(n)[: rng.integers(0, 9)].tolist() for _ in range(40)] + [
        [],
        list(range(n)),
    ]
    prices = page.evaluate(PRICED, lists)
    n_labels = len(data["labels"])
    drawn = page.evaluate(CONSEQUENTS, [price["counts"] for price in prices])
    for items, price, lines in zip(lists, prices, drawn, strict=True):
        log_posterior, counts, intervals = python_price(fitted, [places[i] for i in items])
        np.testing.assert_allclose(np.array(price["counts"]) * data["unit"], counts, rtol=1e-12)
        assert price["logPosterior"] == pytest.approx(log_posterior, rel=1e-9)
        for line, expected in zip(lines, intervals, strict=True):
            for label in range(n_labels):
                result = (line[label]["low"], line[label]["high"])
                assert result == pytest.approx(expected[label], abs=1e-6)


def test_areas_equal_sklearn(fitted: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """AUC of lists on the training data and on held-out data."""
    held_X, held_y = fitted.X.iloc[::2], fitted.y[::2]
    page = open_page(write(tmp_path, fitted.page(holdout=(held_X, held_y), n_lists=12)))
    data = page.evaluate(DATA)
    clf = fitted.classifier
    places = antecedents_of(data, fitted)
    lists = {
        clf.posterior_.distinct.antecedent_list(i): i for i in range(len(clf.posterior_.distinct))
    }
    for entry in data["lists"]:
        rule_list = clf.posterior_.rule_list(lists[tuple(places[i] for i in entry["items"])])
        for X, y, result, weight in (
            (fitted.X, fitted.y, entry["auc"], fitted.sample_weight),
            (held_X, held_y, entry["holdoutAuc"], None),
        ):
            proba = rule_list.predict_proba(X)
            areas = [
                roc_auc_score(np.asarray(y) == label, proba[:, index], sample_weight=weight)
                for index, label in enumerate(clf.classes_)
            ]
            assert result == pytest.approx(np.mean(areas), abs=1e-12)
    assert "held-out data" in page.locator("footer").inner_text()


def test_model_gives_the_same_page(plain: Fitted) -> None:
    """A model read from a file has the posterior, the settings and the names of columns."""
    clf = plain.classifier
    model = as_model(clf)
    assert explorer_page(model, plain.X, plain.y) == plain.page()
    with pytest.raises(ParamError, match="save the model with its lists"):
        explorer_page(replace(model, posterior=None), plain.X, plain.y)


def test_default_rule_alone(open_page: OpenPage, tmp_path: Path) -> None:
    """A posterior of one list without rules has a page, and nothing to edit."""
    X, y = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0] * 5}), np.tile([0, 0, 1, 1], 5)
    fitted = fit(X, y, min_support=20, empty_pool="default_rule")
    page = open_page(write(tmp_path, fitted.page()))
    assert page.locator(".dot").count() == 1
    assert "there is no rule to choose from" in page.locator("#editing").inner_text()
    assert "50%" in page.locator("#chosen").inner_text()


# ------------------------------------------------------------------------- the page


def displayed(page: Page) -> float:
    """The log posterior that the price table shows."""
    text = page.locator("#price .price").first.locator("tbody tr").first.locator("td").first
    return float((text.text_content() or "").replace("\u2212", "-"))


def draft(page: Page) -> list[int]:
    return page.evaluate("() => state.draft")


def test_editing_by_hand(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Drop, move, insert, undo and save with real clicks; the file gives the same list."""
    page = open_page(write(tmp_path, plain.page()))
    data = page.evaluate(DATA)
    places = antecedents_of(data, plain)
    start = draft(page)
    assert start == data["lists"][data["point"]]["items"]

    def check(expected: list[int]) -> None:
        assert draft(page) == expected
        price = python_price(plain, [places[i] for i in expected])
        assert displayed(page) == pytest.approx(price[0], abs=0.0051)
        shown = page.locator("#draft .count").all_text_contents()
        totals = price[1].sum(axis=1)
        assert shown == [f"{n:,.0f} case{'' if n == 1 else 's'}" for n in totals]

    check(start)
    page.locator(f"[data-key=down{start[0]}]").click()
    moved = [start[1], start[0], *start[2:]]
    check(moved)
    assert page.evaluate("() => document.activeElement.dataset.key") == f"down{start[0]}"
    page.locator(f"[data-key=drop{start[1]}]").click()
    check(moved[1:])
    new = next(i for i in range(data["patterns"]["nAntecedents"]) if i not in start)
    page.locator("#new-rule").select_option(str(new))
    page.locator("#new-place").select_option("0")
    page.get_by_role("button", name="Insert").click()
    check([new, *moved[1:]])
    assert page.locator("#draft .line").first.get_attribute("data-change") == "only"
    page.get_by_role("button", name="Undo").click()
    check(moved[1:])
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the edited list").click()
    path = tmp_path / "edited-list.json"
    waiting.value.save_as(path)
    assert read_edited_list(path) == [plain.classifier.pool_[places[i]] for i in moved[1:]]
    page.get_by_role("button", name="Start over").click()
    check(start)
    assert page.get_by_role("button", name="Start over").is_disabled()
    assert page.get_by_role("button", name="Undo").is_enabled()


def test_filters_lock_while_editing(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Must and must not filter the lists, pin rules and forbid them."""
    page = open_page(write(tmp_path, plain.page()))
    data = page.evaluate(DATA)
    must = draft(page)[0]
    mustnt = next(i for i in range(len(data["antecedents"])) if i not in draft(page))
    page.locator(f".lock[data-item='{must}']").select_option("must")
    page.locator(f".lock[data-item='{mustnt}']").select_option("not")
    page.locator("#longest").select_option("5")
    expected = [
        index
        for index, entry in enumerate(data["lists"])
        if must in entry["items"] and mustnt not in entry["items"] and len(entry["items"]) <= 5
    ]
    assert 0 < len(expected) < len(data["lists"])
    assert page.evaluate("() => passing()") == expected
    assert page.locator(".dot").count() == len(expected)
    page.locator("#table-twin summary").click()
    assert page.locator("#lists > tr").count() == len(expected)
    assert page.locator(f"[data-key=drop{must}]").is_disabled()
    assert page.locator(f"#new-rule option[value='{mustnt}']").count() == 0
    page.get_by_role("button", name="Clear filters").click()
    assert page.locator(".dot").count() == len(data["lists"])


def test_landscape_by_keyboard(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Arrows walk from dot to dot in order of the posterior; Enter shows the list."""
    page = open_page(write(tmp_path, plain.page(n_lists=20)))
    data = page.evaluate(DATA)
    page.locator(".dot[tabindex='0']").focus()
    first = page.evaluate("() => Number(document.activeElement.dataset.place)")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = (first + 1) % len(data["lists"])
    assert page.evaluate("() => state.chosen") == chosen
    assert page.evaluate("() => Number(document.activeElement.dataset.place)") == chosen
    price = page.locator("#chosen .price tbody tr").first.locator("td").nth(1).text_content()
    entry, point = data["lists"][chosen], data["lists"][data["point"]]
    cost = entry["logPosterior"] - point["logPosterior"]
    assert float((price or "").replace("\u2212", "-")) == pytest.approx(cost, abs=0.0051)
    page.get_by_role("button", name="Compare others with this one").click()
    assert page.evaluate("() => state.held") == chosen
    page.get_by_role("button", name="Compare with the point estimate").click()
    assert page.evaluate("() => state.held") == data["point"]
    page.locator("#across").select_option("length")
    assert page.locator(".dot").count() == len(data["lists"])


def test_differences_are_marked(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """What one list alone has, and what has moved, against the longest common order."""
    page = open_page(write(tmp_path, plain.page()))
    compare = "([a, b]) => a.map((item) => changeOf(item, commonRules(a, b), b))"
    assert page.evaluate(compare, [[1, 2, 3], [2, 3]]) == ["only here", "", ""]
    assert page.evaluate(compare, [[1, 2, 3], [2, 3, 1]]) == ["moved: line 3 there", "", ""]
    assert page.evaluate(compare, [[], [1]]) == []


def test_unsteady_shares_are_marked(open_page: OpenPage, tmp_path: Path) -> None:
    """By a sign that the page explains, and in words for those who hear it; and no others."""
    page = open_page(write(tmp_path, explorer_page(unsteady_run(), *patients())))
    posterior = unsteady_run().posterior_
    told_unsteady = posterior.inclusion().unsteady
    names = dict(zip(map(antecedent_document, posterior.pool), posterior.pool.names, strict=True))
    unsteady = {document for document, name in names.items() if name in told_unsteady}
    rows = page.evaluate(
        """() => [...document.querySelectorAll("#rules tbody tr")].map((row) => [
          model.antecedents[row.querySelector(".lock").dataset.item].document,
          row.querySelector("td.number").textContent,
          [...row.querySelectorAll("[aria-hidden=true]")].map((mark) => mark.textContent)])"""
    )
    assert 0 < sum(name in unsteady for name, _, _ in rows) < len(rows)
    for name, text, signs in rows:
        assert signs == (["~"] if name in unsteady else []), name
        assert ("not yet steady" in text) == (name in unsteady)
    element = page.locator("#rules p", has_text="~ marks a share that is not yet steady")
    assert element.is_visible()


def test_counts_are_rounded(plain: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """With min_cell all counts are multiples of it, no log posterior is told, and it says so."""
    page = open_page(write(tmp_path, plain.page(min_cell=10)))
    data = page.evaluate(DATA)
    exact = open_page(write(tmp_path, plain.page())).evaluate(DATA)
    step = data["roundedTo"]
    true = {tuple(names(exact, each)): each["counts"] for each in exact["lists"]}
    assert len(true) == len(data["lists"])
    for each in data["lists"]:
        counts = np.array(true[tuple(names(data, each))])
        assert each["counts"] == (np.floor(counts / step + 0.5) * step).tolist()
        assert each["logPosterior"] is None
    assert data["patterns"] is None
    page = open_page(write(tmp_path, plain.page(min_cell=10)))
    drawn = re.search(r"([\d,]+) distinct lists", page.locator("main, header").all_inner_texts()[0])
    assert drawn is not None  # to one digit: all of them would tell whether a fit is repeated
    assert re.fullmatch("[1-9]0*", drawn[1].replace(",", ""))
    assert "Editing is off: it needs the number" in page.locator("#editing").inner_text()
    assert f"rounded to multiples of {step}" in page.locator("footer").inner_text()
    assert page.locator("#edit").is_disabled()
    for index in range(len(data["lists"])):
        page.evaluate("(place) => choose(place)", index)
        assert "NaN" not in page.locator("main").inner_text()
    assert page.locator("#landscape .dot").count() > 1
    assert "Log posterior" not in page.locator("main").inner_text()


def names(data: dict[str, Any], each: dict[str, Any]) -> list[str]:
    """The rules of a list."""
    return [data["antecedents"][item]["document"] for item in each["items"]]


def test_held_out_people_are_rounded(plain: Fitted) -> None:
    """AUC on held-out people follows from their rounded counts."""
    text = plain.page(min_cell=10, holdout=(plain.X, plain.y))
    embedded = text.split('id="data">')[1].split("</script>")[0]
    for each in json.loads(embedded)["lists"]:
        assert each["holdoutAuc"] == pytest.approx(each["auc"])


def test_no_row_is_in_the_page(plain: Fitted) -> None:
    """Only counts: shuffled rows give the same page, to the letter."""
    shuffled = np.random.default_rng(1).permutation(len(plain.X))
    other = explorer_page(plain.classifier, plain.X.iloc[shuffled], plain.y.iloc[shuffled])
    assert other == plain.page()


def test_hostile_names(open_page: OpenPage, tmp_path: Path) -> None:
    """Names come through harmless and unchanged, to the saved file."""
    rng = np.random.default_rng(0)
    names = HOSTILE[:14]
    X = pd.DataFrame({name: rng.random(300) < 0.5 for name in names})
    y = np.where(rng.random(300) < 0.2 + 0.5 * X[names[0]], names[0], names[1])
    fitted = fit(X, pd.Series(y, name=names[1]), max_cardinality=1)
    page = open_page(write(tmp_path, fitted.page(title=names[1])), 360, 740)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    data = page.evaluate(DATA)
    documents = [json.loads(entry["document"])[0]["column"] for entry in data["antecedents"]]
    assert set(documents) == set(names)
    page.evaluate("() => startEditing([0, 1, 2])")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the edited list").click()
    path = tmp_path / "saved.json"
    waiting.value.save_as(path)
    saved: list[Antecedent] = read_edited_list(path)
    assert [antecedent[0].column for antecedent in saved] == documents[:3]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768)])
def test_looks(
    plain: Fitted, open_page: OpenPage, tmp_path: Path, axe: str,
    screenshot: Callable[[Page, str], Path], width: int, height: int, dark: bool,
) -> None:  # fmt: skip
    """Nothing sticks out, axe finds nothing serious, and a picture is kept."""
    path = write(tmp_path, plain.page(n_lists=30))  # axe looks at every cell of the table
    page = open_page(path, width, height, dark=dark, init_script=axe)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    shown = page.evaluate("() => axe.run()")
    serious = [v for v in shown["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []
    screenshot(page, f"explorer-{width}{'-dark' if dark else ''}")


# ------------------------------------------------------------------------ refusals


def test_refusals(plain: Fitted) -> None:
    """Other data, no posterior, and numbers that cannot be."""
    clf, X, y, _ = plain
    with pytest.raises(ParamError, match="not the data that the model was fitted to"):
        explorer_page(clf, X.iloc[:-5], y.iloc[:-5])
    with pytest.raises(ParamError, match="has the label 'maybe'"):
        explorer_page(clf, X, np.where(y, "maybe", "no"))
    with pytest.raises(DataError, match="X has 500 rows, y has 499 labels"):
        explorer_page(clf, X, y.iloc[:-1])
    with pytest.raises(ParamError, match="or a model is needed, not RuleList"):
        explorer_page(clf.rule_list_, X, y)
    with pytest.raises(ParamError, match="n_lists is 0"):
        explorer_page(clf, X, y, n_lists=0)
    with pytest.raises(ParamError, match="min_cell is 0"):
        explorer_page(clf, X, y, min_cell=0)
