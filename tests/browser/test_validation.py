"""The page of an external validation in a real browser: quiet, readable, accessible."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.report import validate_externally, validation_page
from tests.browser.hostile import HOSTILE
from tests.browser.open_page import LAPTOP, PHONE, OpenPage

IMPACTS = ("moderate", "serious", "critical")


def people(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "previous stroke or transient ischaemic attack": rng.random(n) < 0.3,
            "age": rng.integers(40, 95, n),
            "ward": rng.choice(["stroke unit", "neurology", "elsewhere"], n),
        }
    )
    risk = 0.1 + 0.3 * X.iloc[:, 0] + 0.2 * (X["age"] > 75)
    return X, rng.random(n) < risk


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(random_state=0).fit(*people(800, 1))


@pytest.fixture(scope="module")
def path(fitted: BayesianRuleListClassifier, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("validation") / "validation.html"
    validation = validate_externally(fitted, *people(300, 2))
    facts = {"Model": "model.json", "People": "another hospital"}
    made.write_text(validation_page(validation, title="Another hospital", facts=facts), "utf-8")
    return made


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), [PHONE, LAPTOP])
def test_looks(
    open_page: OpenPage, path: Path, tmp_path: Path, axe: str, width: int, height: int, dark: bool
) -> None:
    """Nothing sticks out, folded or not, and axe finds nothing to mend."""
    page = open_page(path, width, height, dark=dark, init_script=axe)
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    for anchor in ("verdict", "lines", "calibration", "recalibrated"):
        name = f"validation-{anchor}-{width}{'-dark' if dark else ''}.png"
        page.locator(f"#{anchor}").screenshot(path=folder / name)
    for summary in page.locator("details > summary").all():
        summary.click()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    shown = page.evaluate("() => axe.run({exclude: [['tbody > tr:nth-child(n + 5)']]})")
    mend = [v for v in shown["violations"] if v["impact"] in IMPACTS]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in mend] == []


def test_print_shows_all_but_numbers_behind_drawings(open_page: OpenPage, path: Path) -> None:
    page = open_page(path)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    for anchor in ("lines", "drift", "recalibrated"):
        assert page.locator(f"#{anchor} table").first.is_visible()
    assert not page.locator("#calibration details").first.is_visible()


def test_contents_lead_to_every_section(open_page: OpenPage, path: Path) -> None:
    page = open_page(path)
    links = page.locator("nav a").evaluate_all("(all) => all.map((a) => a.hash.slice(1))")
    sections = page.locator("main > section").evaluate_all("(all) => all.map((s) => s.id)")
    assert links == sections


def test_names_stay_harmless(
    open_page: OpenPage, fitted: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """A title and facts of any letters are text, and nothing runs."""
    validation = validate_externally(fitted, *people(60, 3))
    path = tmp_path / "page.html"
    facts = {f"fact {i}": name for i, name in enumerate(HOSTILE)}
    path.write_text(validation_page(validation, title="</title><b>x", facts=facts), "utf-8")
    page = open_page(path)
    assert page.locator("main > section").count() == 8
    assert page.locator("#about dd").count() == len(HOSTILE) + 1
    assert page.locator("#about dd bdi > *").count() == 0
