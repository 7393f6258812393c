"""The page of a list learnt from sites' counts in a real browser: quiet, readable, accessible."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from elseif.datasets import load_titanic
from elseif.federation import count_site, federate, federation_page, make_plan
from tests.browser.hostile import HOSTILE
from tests.browser.open_page import LAPTOP, PHONE, OpenPage

NAMES = ("North", "South, hospital of the Holy Ghost", "a-site-without-any-blank-in-its-name" * 3)


def page_of(names: tuple[str, ...], min_cell: int | None = 5) -> str:
    X, y = load_titanic()
    plan, n = make_plan(X, y), len(names)
    sites = [
        count_site(plan, X[i::n], np.array(y)[i::n], site=name, min_cell=min_cell)
        for i, name in enumerate(names)
    ]
    return federation_page(federate(plan, sites, random_state=0))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("federation") / "federation.html"
    made.write_text(page_of(NAMES), encoding="utf-8")
    return made


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), [PHONE, LAPTOP])
def test_looks(
    open_page: OpenPage, path: Path, axe: str, width: int, height: int, dark: bool
) -> None:
    """No overflow and nothing for axe-core to complain of, at any width, in the light and dark."""
    page = open_page(path, width, height, dark=dark, init_script=axe)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    found = page.evaluate("() => axe.run()")["violations"]
    assert [v["id"] for v in found if v["impact"] in ("moderate", "serious", "critical")] == []


def test_a_phone_has_room_for_bars_and_for_what_is_possible(
    open_page: OpenPage, path: Path
) -> None:
    """Names of sites stand above their numbers, and nothing has to be scrolled."""
    page = open_page(path, *PHONE)
    tables = page.locator("#lines .scroll")
    assert tables.count() > 2
    fits = "(all) => all.every((one) => one.scrollWidth <= one.clientWidth)"
    assert tables.evaluate_all(fits)
    heads = tables.first.locator("thead th.number")
    assert heads.all_text_contents() == ["n", "events", "observed", "possible"]
    boxes = [box for head in heads.all() if (box := head.bounding_box()) is not None]
    assert len({round(box["y"]) for box in boxes}) == 1
    assert all(b["x"] >= a["x"] + a["width"] for a, b in pairwise(boxes))


def test_hostile_names(open_page: OpenPage, tmp_path: Path) -> None:
    """They are shown, and do nothing."""
    names = tuple(name for name in HOSTILE if name.isprintable() and len(name) < 100)[:4]
    path = tmp_path / "federation.html"
    path.write_text(page_of(names, None), encoding="utf-8")
    page = open_page(path, *PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
    assert names[0] in page.locator("#lines").inner_text()
