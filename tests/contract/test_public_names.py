"""Public names: where they are, that they load, and that every one is in the reference."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import elseif

ROOT = Path(__file__).resolve().parents[2]
STUBS = sorted(Path(elseif.__file__).parent.glob("*/__init__.pyi"))
PACKAGES = ["elseif", *(f"elseif.{stub.parent.name}" for stub in STUBS)]


def test_names_of_the_package() -> None:
    """What ``from elseif import`` gives: these names and no others."""
    assert set(elseif.__all__) == {
        "BayesianRuleListClassifier",
        "ParquetTable",
        "RuleList",
        "SparseTable",
        "UNKNOWN",
        "__version__",
        "edit",
        "explain",
        "export_model",
        "load_model",
        "possible_rules",
        "save_model",
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_names_load(name: str) -> None:
    """Every name of a stub is there, under the module that the stub says; others are refused."""
    package = importlib.import_module(name)
    assert package.__all__
    assert set(dir(package)) == set(package.__all__) - {"__version__"}
    for public in package.__all__:
        assert getattr(package, public) is not None
    with pytest.raises(AttributeError, match=f"'{name}' has no attribute 'nonsense'"):
        _ = package.nonsense


@pytest.mark.parametrize("name", PACKAGES)
def test_no_name_is_a_module_too(name: str) -> None:
    """A name that is a submodule as well would be one or the other, by what was imported before."""
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


def test_a_star_import_gives_the_public_names() -> None:
    """``__all__`` is what ``import *`` reads."""
    given: dict[str, object] = {}
    exec("from elseif.evaluation import *", given)
    assert set(importlib.import_module("elseif.evaluation").__all__) == set(given) - {
        "__builtins__"
    }


def public_of(package: ModuleType) -> set[str]:
    return {name for name in package.__all__ if not name.startswith("_")}


def test_the_reference_lists_every_public_name() -> None:
    """docs/api.md has every name of every package, under one of the packages that show it."""
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    listed = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)", text, re.MULTILINE))
    homes: dict[object, set[str]] = {}
    for name in PACKAGES:
        package = importlib.import_module(name)
        for public in public_of(package):
            homes.setdefault((public, id(getattr(package, public))), set()).add(f"{name}.{public}")
    absent = sorted(min(names) for names in homes.values() if not names & listed)
    assert not absent
