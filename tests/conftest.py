"""What every test shares: Hypothesis without deadlines, the Titanic fitted once, one browser.

The browser is here since Playwright allows one of it in a process: a fixture that two folders
import would be two fixtures.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from tests.browser.open_page import OpenPage

# files that take long are begun first, so that no worker waits for another's at the end
LONG_FILES = (
    "contract/test_one_answer.py",
    "contract/test_docs.py",
    "compiled/test_as_python.py",
    "studies/test_stroke_study.py",
    "cohort/test_features.py",
    "sampler/statistical/test_false_convergence.py",
    "sampler/statistical/test_prior_draws.py",
    "contract/test_sklearn.py",
    "studies/test_nafld.py",
    "studies/test_real_cohorts.py",
)
# the first draws pages only, and takes a quarter of the time that whole browsers take for one
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

# the processes that tests start would each compile all of elseif again, were nothing kept
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# a first call may compile, and the machine may be shared: time says nothing of an example
settings.register_profile("elseif", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("elseif")


def pytest_configure(config: pytest.Config) -> None:
    """Let xdist hand out files in their order, not by how many tests they have."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long files first; otherwise the order stays."""
    places = {Path(__file__).parent / file: index for index, file in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """What has been imported stays: the garbage collector need not look at it again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def titanic() -> tuple[pd.DataFrame, pd.Series]:
    """The authors' 1,761 passengers."""
    return load_titanic("paper")


@pytest.fixture(scope="session")
def titanic_classifier(titanic: tuple[pd.DataFrame, pd.Series]) -> BayesianRuleListClassifier:
    """Default settings, fitted to the authors' split."""
    return BayesianRuleListClassifier(random_state=0).fit(*titanic)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a worker."""
    result = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if result is None:
        reason = "Chromium is not installed; scripts/install_for_tests.sh installs it."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=result, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Open a file; the test fails in the end if its page complained or asked for anything."""
    opener = OpenPage(chromium)
    yield opener
    opener.close()
    assert opener.complaints == []
