"""The calculator of a list that the explorer saves: the same as elseif's own of that list."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from elseif.conditions.condition import MISSING
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.rule_list import RuleList, make_rule_list
from elseif.report import calculator_page
from tests.browser.explorer_models import (
    DATA,
    MODELS,
    Fitted,
    antecedents_of,
    plain_model,
    python_price,
    write,
)
from tests.browser.open_page import OpenPage

# one of several models on the page, or the only one
PART = """(() => {
  const told = JSON.parse(document.getElementById('data').textContent);
  return told.models?.[0] ?? told; })()"""
# what is seen of the answer: what a screen reader is told follows once the typing pauses
ANSWER = """() => {
  const answer = document.getElementById('answer').cloneNode(true);
  answer.querySelector('#spoken').remove();
  return answer.textContent; }"""
ASSESS = (
    f"(cases) => {{ const part = {PART}; return cases.map((answers) => assess(part, answers)); }}"
)


def own_calculator(fitted: Fitted, rule_list: RuleList) -> str:
    """The calculator that elseif writes of a list, with what is known of its columns."""
    model = as_model(fitted.classifier)
    return calculator_page(replace(FittedModel.of_list(rule_list), fit_report=model.fit_report))


def list_of(fitted: Fitted, places: list[int]) -> RuleList:
    clf = fitted.classifier
    metadata = clf.rule_list_.metadata
    counts = python_price(fitted, places)[1] / metadata.count_unit
    return make_rule_list([clf.pool_[a] for a in places], counts, metadata)


def part_of(page: Page) -> dict[str, Any]:
    shown: dict[str, Any] = page.evaluate(PART)
    return shown


def save_draft(page: Page, items: list[int], path: Path) -> Path:
    """The calculator of an edited list, by its button."""
    page.evaluate("(items) => startEditing(items)", items)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the calculator of the edited list").click()
    waiting.value.save_as(path)
    return path


def answers(part: dict[str, Any], seed: int) -> list[list[dict[str, Any]]]:
    """Cases on and around the thresholds of every column, some of them not known."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(60):
        case: list[dict[str, Any]] = []
        for column in part["columns"]:
            values = [v for c in column["conditions"] for v in c["values"]]
            asks_missing = any(c["operator"] == MISSING for c in column["conditions"])
            kinds = ["unknown", *(["missing"] if asks_missing else [])]
            if rng.random() < 0.25 or not values:
                case.append({"state": kinds[rng.integers(len(kinds))]})
            else:
                value = values[rng.integers(len(values))]
                if not isinstance(value, str):
                    value += float(rng.choice([-1, 0, 1]))
                case.append({"state": "value", "value": value})
        cases.append(case)
    return cases


def check_same(ours: Page, saved: Page) -> None:
    """The same questions, lines and numbers, and the same answers to the same cases."""
    mine, other = part_of(ours), part_of(saved)
    assert len(mine["rules"]) == len(other["rules"])
    for a, b in zip(mine["rules"], other["rules"], strict=True):
        assert (a["head"], a["count"], a["conditions"]) == (b["head"], b["count"], b["conditions"])
        for p, q in zip(a["labels"], b["labels"], strict=True):
            assert p["texts"] == q["texts"]
            for name in ("risk", "low", "high"):
                assert p[name] == pytest.approx(q[name], abs=1e-9)
    for a, b in zip(mine["columns"], other["columns"], strict=True):
        assert (a["name"], a["conditions"]) == (b["name"], b["conditions"])
        assert sorted(map(tuple, a["cells"])) == sorted(map(tuple, b["cells"]))
    assert ours.locator(".asked").all_inner_texts() == saved.locator(".asked").all_inner_texts()
    for what in (".line .if", ".line .number", ".line .count", ".line .label"):
        assert ours.locator(what).all_inner_texts() == saved.locator(what).all_inner_texts()
    cases = answers(mine, seed=0)
    assert ours.evaluate(ASSESS, cases) == saved.evaluate(ASSESS, cases)


@pytest.mark.parametrize("name", MODELS)
def test_calculators_are_elseifs_own(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """Of edited lists: random ones, and one without a rule."""
    fitted = MODELS[name]()
    explorer = open_page(write(tmp_path, fitted.page(n_lists=5)))
    data = explorer.evaluate(DATA)
    places = antecedents_of(data, fitted)
    rng = np.random.default_rng(1)
    lists = [rng.permutation(len(places))[:6].tolist(), *([[]] if name == "weighted" else [])]
    for i, items in enumerate(lists):
        saved = open_page(save_draft(explorer, items, tmp_path / f"saved{i}.html"))
        own = tmp_path / f"own{i}.html"
        text = own_calculator(fitted, list_of(fitted, [places[item] for item in items]))
        own.write_text(text, encoding="utf-8")
        check_same(open_page(own), saved)


def test_a_case_is_answered_alike(open_page: OpenPage, tmp_path: Path) -> None:
    """By hand: the same fields filled in give the same sentence and the same risk."""
    fitted = plain_model()
    explorer = open_page(write(tmp_path, fitted.page(n_lists=5)))
    data = explorer.evaluate(DATA)
    places = antecedents_of(data, fitted)
    names = [data["antecedents"][i]["text"] for i in range(len(places))]
    items = [
        next(i for i, text in enumerate(names) if text.startswith(start) and " and " not in text)
        for start in ("age >", "prior stroke", "smoking =", "admitted >")
    ]
    saved = save_draft(explorer, items, tmp_path / "saved.html")
    own = tmp_path / "own.html"
    own.write_text(
        own_calculator(fitted, list_of(fitted, [places[i] for i in items])), encoding="utf-8"
    )
    shown = []
    for path in (own, saved):
        page = open_page(path)
        seen = [page.evaluate(ANSWER)]
        page.locator(".question").nth(0).locator(".field").fill("20")
        seen.append(page.evaluate(ANSWER))
        page.locator(".question").nth(1).locator("input[value='1']").check()
        seen.append(page.evaluate(ANSWER))
        seen.append(str(page.locator(".line[aria-current=true]").count()))
        shown.append(seen)
    assert shown[0] == shown[1]
    assert shown[0][-1] == "1"


def test_of_rounded_counts(open_page: OpenPage, tmp_path: Path) -> None:
    """Under a minimum cell: the list's rounded counts, and no other number of people."""
    fitted = plain_model()
    explorer = open_page(write(tmp_path, fitted.page(n_lists=4, min_cell=10)))
    data = explorer.evaluate(DATA)
    kit = zlib.decompress(base64.b64decode(data["calculator"])).decode("utf-8")
    content = json.loads(kit.split('id="data">')[1].split("</script>")[0])
    assert {rule["count"] for rule in (content.get("models") or [content])[0]["rules"]} == {"0"}
    with explorer.expect_download() as waiting:
        explorer.get_by_role("button", name="Download the calculator of the list compared").click()
    path = tmp_path / "saved.html"
    waiting.value.save_as(path)
    saved = open_page(path)
    entry = data["lists"][data["point"]]
    counts = [sum(line) for line in entry["counts"]]
    assert [rule["count"] for rule in part_of(saved)["rules"]] == [f"{n:,}" for n in counts]
    step = data["roundedTo"]
    assert f"multiples of {step}" in saved.locator("footer").inner_text()
    rule = part_of(saved)["rules"][0]
    yes, n = entry["counts"][0][1], sum(entry["counts"][0])
    assert rule["labels"][0]["risk"] == pytest.approx((yes + 1) / (n + 2))
