"""What pyproject.toml allows at the lowest is what ``make test-oldest`` runs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
TOOLS = {"bench", "docs", "test"}  # extras of those who work on elseif itself
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def declared() -> Iterator[Requirement]:
    extras = PROJECT["optional-dependencies"]
    users = [requirements for extra, requirements in extras.items() if extra not in TOOLS]
    for requirements in [*PROJECT["dependencies"], *(line for lines in users for line in lines)]:
        requirement = Requirement(requirements)
        if requirement.name != PROJECT["name"]:
            yield requirement


def oldest() -> dict[str, Version]:
    lines = (ROOT / "constraints" / "oldest.txt").read_text().splitlines()
    pins = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): Version(pinned) for name, pinned in pins}


def test_lower_bounds_are_those_of_the_constraints() -> None:
    """Every dependency has one lower bound, and the constraints hold these and no others."""
    bounds: dict[str, set[Version]] = {}
    for requirement in declared():
        lower = bounds.setdefault(canonicalize_name(requirement.name), set())
        lower.update(Version(s.version) for s in requirement.specifier if s.operator == ">=")
    assert bounds == {name: {pinned} for name, pinned in oldest().items()}


@pytest.mark.parametrize("requirement", list(declared()), ids=str)
def test_what_is_installed_is_allowed(requirement: Requirement) -> None:
    """Upper bounds are not below what the tests run with."""
    assert requirement.specifier.contains(version(requirement.name))


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_what_is_used_from_within_is_bounded(name: str) -> None:
    """Compiled code uses insides of Numba that any release may change."""
    (requirement,) = (r for r in declared() if r.name == name)
    assert any(s.operator == "<" for s in requirement.specifier)
