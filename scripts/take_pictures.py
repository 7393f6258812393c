"""Take the pictures of the pages that README and docs show, as docs/_static/*.png.

    python scripts/take_pictures.py

It fits the tutorial's list (scikit-survival's whas500), writes the three pages and photographs them
in a browser that is installed already.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import Page, sync_playwright
from sksurv.datasets import load_whas500

from elseif import BayesianRuleListClassifier
from elseif.report import calculator_page, explorer_page, report_page, summarise

OUT = Path(__file__).resolve().parents[1] / "docs" / "_static"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TITLE = "Death within a year of a heart attack"
NAMES = {
    "afb": "atrial fibrillation",
    "av3": "complete heart block",
    "chf": "heart failure",
    "cvd": "cardiovascular disease",
    "diasbp": "diastolic pressure",
    "gender": "female",
    "hr": "heart rate",
    "miord": "recurrent infarction",
    "mitype": "Q-wave infarction",
    "sho": "cardiogenic shock",
    "sysbp": "systolic pressure",
}
LABELS = {
    "outcome": {"name": "death within a year", "event": "died", "no_event": "survived"},
    "columns": {
        "age": {"unit": "years"},
        "bmi": {"name": "body mass index", "unit": "kg/m²"},
        "diastolic pressure": {"unit": "mmHg"},
        "systolic pressure": {"unit": "mmHg"},
    },
}


def patients() -> tuple[pd.DataFrame, pd.Series]:
    """The table of docs/tutorial.md."""
    table, follow_up = load_whas500()
    X = table.drop(columns="los").rename(columns=NAMES)
    flags = X.select_dtypes("category").columns
    X[flags] = X[flags].astype(int)
    died = follow_up["fstat"] & (follow_up["lenfol"] <= 365)
    return X, pd.Series(died, name="death within a year")


def answer(page: Page) -> None:
    """Fill in the calculator for one patient."""
    page.locator(".number-field").first.fill("76")
    page.get_by_role("radio", name="yes").first.check()


def take(browser: Any, name: str, html: str, size: tuple[int, int], act: Any = None) -> None:
    """Photograph a page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]}, device_scale_factor=1.5
        )
        page.goto(path.as_uri())
        if act is not None:
            act(page)
        page.screenshot(path=OUT / f"{name}.png")
        page.close()


def main() -> None:
    """Fit, write the pages, and take their pictures."""
    X, y = patients()
    settings: dict[str, Any] = {"support_in": "any_class", "random_state": 0}
    fitted = BayesianRuleListClassifier(**settings).fit(X, y)
    chosen = fitted.project(X, y, max_length=5, folds=5).as_classifier().with_labels(LABELS)
    summary = summarise(chosen, X, y, folds=5, title=TITLE)
    program = next(path for name in BROWSERS if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        take(browser, "report", report_page(summary), (1100, 860))
        calculator = calculator_page(chosen, title=TITLE, X=X)
        take(browser, "calculator", calculator, (760, 860), answer)
        take(browser, "explorer", explorer_page(chosen, X, y, title=TITLE), (1100, 860))
        browser.close()


if __name__ == "__main__":
    main()
