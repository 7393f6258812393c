"""What tests of pages share: pictures, a checker of accessibility, and models to show."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

from elseif.conditions.condition import Condition
from elseif.fitted_model import FittedModel
from tests.browser.models import clinical, model_of

AXE_VERSION = "4.10.3"

Screenshot = Callable[[Page, str], Path]


@pytest.fixture
def screenshot(tmp_path: Path) -> Screenshot:
    """Save a picture of the whole page, in SCREENSHOTS if that is set."""
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))

    def take(page: Page, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility checker axe-core, from npm: too large to keep here."""
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    command = [npm or "npm", "pack", f"axe-core@{AXE_VERSION}", "--silent"]
    done = npm and subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done or done.returncode:
        reason = "axe-core could not be had from npm: " + (done.stderr if done else "no npm here.")
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode("utf-8")


@pytest.fixture(scope="session")
def patients() -> tuple[pd.DataFrame, pd.Series]:
    return clinical()


@pytest.fixture(scope="session")
def stroke(patients: tuple[pd.DataFrame, pd.Series]) -> FittedModel:
    """A list that asks for every kind of column."""
    order = ("I", "II", "III", "IV")
    return model_of(
        [
            [
                Condition("admitted", "<=", np.datetime64("2019-12-01")),
                Condition("ldl", "is missing"),
            ],
            [Condition("nyha", "<=", "II", order), Condition("prior stroke", "is true")],
            [Condition("prior stroke", "is true")],
            [Condition("age", ">", 60.0), Condition("ldl", ">", 3.3)],
            [Condition("ward", "in", ("stroke unit", "neurology"))],
            [Condition("smoking", "=", "current"), Condition("age", "<=", 75.0)],
            [Condition("systolic_bp", "between", (140.0, 160.0))],
        ],
        *patients,
    )
