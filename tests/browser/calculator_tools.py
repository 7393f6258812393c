"""The calculator's page in the hands of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from elseif.report.calculator import calculator_page

ASSESS = "(cases) => cases.map((answers) => assess(models[0], answers))"
UNKNOWN = {"state": "unknown"}


def write(folder: Path, model: Any, **settings: Any) -> Path:
    path = folder / "calculator.html"
    path.write_text(calculator_page(model, **settings), encoding="utf-8")
    return path


def columns_of(page: Page) -> list[str]:
    return page.evaluate("() => models[0].columns.map((column) => column.name)")


def fill_in(page: Page, index: int, answer: dict[str, Any]) -> None:
    """Answer a question as a person would."""
    question = page.locator(".question").nth(index)
    field = question.locator(".field")
    value = answer.get("value")
    if answer["state"] in ("missing", "not known"):
        if question.locator("select").count():
            field.select_option(answer["state"])
        else:
            question.locator(f".segments input[value='{answer['state']}']").check()
    elif answer["state"] == "unknown":
        take_back(page, index)
    elif field.count() == 0:
        value = int(value) if isinstance(value, float) else value  # a truth, as 0 or 1
        question.locator(f"input[type=radio][value='{value}']").check()
    elif field.evaluate("(e) => e.tagName") == "SELECT":
        field.select_option(str(value))
    elif field.get_attribute("type") == "date":
        field.fill(str(value)[:10])
    else:
        field.fill(repr(value))


def take_back(page: Page, index: int) -> None:
    """Leave a question open again."""
    question = page.locator(".question").nth(index)
    field, chosen = question.locator(".field"), question.locator(".segments input:checked")
    if chosen.count():
        chosen.press("Delete")
    elif question.locator("select").count():
        field.select_option("unknown")
    else:
        field.fill("")


def lit(page: Page) -> list[int]:
    lines = page.locator(".line")
    return [i for i in range(lines.count()) if lines.nth(i).get_attribute("aria-current") == "true"]
