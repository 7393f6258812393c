"""Numbers of five digits and more: read at a glance, typed in any usual way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from elseif.conditions import Condition
from tests.browser.calculator_tools import UNKNOWN, write
from tests.browser.models import model_of
from tests.browser.open_page import OpenPage

TYPED = [
    ("45,000", 45000.0), ("45000", 45000.0), ("45 000", 45000.0), ("1,234,567.5", 1234567.5),
    ("-45,000", -45000.0), ("45,5", 45.5), ("45.5", 45.5), ("4,50", 4.5), ("45.0000", 45.0),
    ("45.000", "Write 45000 or 45.0000."), ("45,00,000", "Not a number"),
    ("45.000,5", "Not a number"), ("0,125", 0.125), ("", None),
]  # fmt: skip


def test_a_field_reads_thousands_as_its_page_writes_them(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """And refuses what could be read in two ways; other fields refuse all separators."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income": rng.normal(50_000, 9000, 400).round(-2), "year": rng.integers(1990, 2020, 400)}
    )
    rules = [[Condition("income", "<=", 45_000.0)], [Condition("year", ">", 2010.0)]]
    page = open_page(write(tmp_path, model_of(rules, X, X["income"] < 44_000)))
    lines = page.locator("#lists").inner_text().replace("\u00a0", " ")
    assert "income ≤ 45,000" in lines
    assert "year > 2010" in lines
    income, year = page.locator(".question").all()
    assert ",000" in income.inner_text()
    for text, expected in TYPED:
        income.locator(".field").fill(text)
        shown = page.evaluate("() => readAnswer(0)")
        if isinstance(expected, str):
            assert expected in shown["why"], text
        else:
            known = {"state": "value", "value": expected}
            assert shown == (UNKNOWN if expected is None else known), text
    year.locator(".field").fill("2,010")
    assert "two ways" in page.evaluate("() => readAnswer(1)")["why"]
    income.locator(".field").fill("44000.5")
    year.locator(".field").fill("2011")
    told = "() => page.questions.map((question, i) => answerText(question, readAnswer(i)))"
    assert page.evaluate(told) == ["44,000.5", "2011"]
