"""The calculator's page in the hands of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from elseif.report.calculator import calculator_page

ASSESS = "(cases) => cases.map((answers) => assess(model, answers))"
UNKNOWN = {"state": "unknown"}


def write(folder: Path, model: Any, **settings: Any) -> Path:
    path = folder / "calculator.html"
    path.write_text(calculator_page(model, **settings), encoding="utf-8")
    return path


def columns_of(page: Page) -> list[str]:
    return page.evaluate("() => model.columns.map((column) => column.name)")


def fill_in(page: Page, place: int, told: dict[str, Any]) -> None:
    """Answer a question as a person would."""
    question = page.locator(".question").nth(place)
    field = question.locator(".field")
    value = told.get("value")
    if told["state"] != "value" or field.count() == 0:
        value = told["state"] if told["state"] != "value" else value
        if question.locator("select").count():
            field.select_option(str(value))
        else:
            question.locator(f"input[type=radio][value='{value}']").check()
    elif field.evaluate("(e) => e.tagName") == "SELECT":
        field.select_option(str(value))
    elif field.get_attribute("type") == "date":
        field.fill(str(value)[:10])
    else:
        field.fill(repr(value))


def lit(page: Page) -> list[int]:
    lines = page.locator(".line")
    return [i for i in range(lines.count()) if lines.nth(i).get_attribute("aria-current") == "true"]
