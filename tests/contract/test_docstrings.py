"""Every public name says what it takes and gives, with an example; and the examples run."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import elseif
from tests.contract.test_public_names import PACKAGES

# modules whose names are public beside those of the packages
MODULES = {
    "elseif.fitted_model": ["FittedModel"],
    "elseif.progress": ["Progress", "ProgressBar"],
}
# by which packages of elseif work together; docs/api.md leaves them out
BETWEEN_PACKAGES = {
    "elseif.ParquetTable.read",
    "elseif.RuleList.captured_in",
    "elseif.SparseTable.mask",
    "elseif.cohort.ConceptSet.ancestors",
    "elseif.cohort.ConceptSet.members",
    "elseif.cohort.Database.again",
    "elseif.cohort.Database.fetch",
    "elseif.cohort.Database.numbers",
    "elseif.cohort.Database.queries",
    "elseif.cohort.Database.source_names",
    "elseif.cohort.Database.stream",
    "elseif.conditions.ColumnReport.without_values",
    "elseif.conditions.Condition.holds",
    "elseif.conditions.Condition.mask",
    "elseif.conditions.Condition.sort_key",
    "elseif.fitted_model.FittedModel.column",
    "elseif.fitted_model.FittedModel.intervals",
    "elseif.fitted_model.FittedModel.needed_posterior",
    "elseif.fitted_model.FittedModel.of_list",
    "elseif.fitted_model.FittedModel.probabilities",
    "elseif.fitted_model.FittedModel.read",
    "elseif.fitted_model.FittedModel.read_labels",
    "elseif.fitted_model.FittedModel.read_training",
    "elseif.fitted_model.FittedModel.refuse_missing",
    "elseif.fitted_model.FittedModel.setting",
    "elseif.fitted_model.FittedModel.with_settings",
}
# which run R, a program that need not be here
IN_R = {f"elseif.evaluation.C50.{method}" for method in ("fit", "predict", "predict_proba")}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Documented(NamedTuple):
    name: str
    what: Any
    owner: type | None = None


def public_things() -> Iterator[Documented]:
    """Functions and classes, each once, and the methods and properties of the classes."""
    seen: set[int] = set()
    packages = {name: importlib.import_module(name).__all__ for name in PACKAGES}
    for name, names in (packages | MODULES).items():
        module = importlib.import_module(name)
        for public in names:
            thing = getattr(module, public)
            is_code = inspect.isclass(thing) or inspect.isfunction(thing)
            if public.startswith("_") or not is_code or id(thing) in seen:
                continue
            seen.add(id(thing))
            yield Documented(f"{name}.{public}", thing)
            if inspect.isclass(thing):
                for method in methods(f"{name}.{public}", thing):
                    if id(method.what) not in seen:  # of a public class that it is made from
                        seen.add(id(method.what))
                        yield method


def methods(name: str, owner: type) -> Iterator[Documented]:
    """What a class, or a class of elseif that it is made from, defines."""
    result: dict[str, Any] = {}
    for base in reversed(owner.__mro__):
        if base.__module__.startswith("elseif."):
            result.update(vars(base))
    fields = getattr(owner, "__dataclass_fields__", {})
    for attribute, value in result.items():
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        is_method = inspect.isfunction(value) and value.__module__.startswith("elseif.")
        is_public = not attribute.startswith("_") and attribute not in fields
        if is_public and (is_method or isinstance(value, property)):
            yield Documented(f"{name}.{attribute}", value, owner)


THINGS = {thing.name: thing for thing in public_things()}
CALLABLES = [
    name
    for name, thing in THINGS.items()
    if name not in BETWEEN_PACKAGES and not isinstance(thing.what, property)
]


def sections(docstring: str) -> dict[str, str]:
    """The sections of a numpydoc docstring by their titles."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", docstring, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> set[str]:
    """The names that a section of parameters describes."""
    heads = re.findall(r"^(\S.*?)(?: :|$)", section, re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def parameters(thing: Documented) -> set[str]:
    """What a caller can pass; of a dataclass that is given to people, its fields."""
    if getattr(thing.what, "_is_protocol", False):
        return set()
    if dataclasses.is_dataclass(thing.what):
        return {field.name for field in dataclasses.fields(thing.what) if field.name[0] != "_"}
    signature = inspect.signature(thing.what)
    skipped = {"self", "cls"} if thing.owner else set()
    return set(signature.parameters) - skipped


@pytest.mark.parametrize("name", list(THINGS))
def test_everything_has_a_summary(name: str) -> None:
    """The first line of a docstring is one sentence."""
    summary = (inspect.getdoc(THINGS[name].what) or "").partition("\n")[0]
    assert summary.endswith((".", ":")), f"{name}: {summary!r}"


@pytest.mark.parametrize("name", CALLABLES)
def test_parameters_are_those_of_the_signature(name: str) -> None:
    """Each parameter is described once, and nothing that is not a parameter."""
    thing = THINGS[name]
    parts = sections(inspect.getdoc(thing.what) or "")
    rows = entries(parts.get("Parameters", ""))
    if inspect.isclass(thing.what):  # attributes that fit sets are described beside fields
        rows |= entries(parts.get("Attributes", "")) & parameters(thing)
    assert rows == parameters(thing)


@pytest.mark.parametrize("name", [n for n in CALLABLES if not inspect.isclass(THINGS[n].what)])
def test_what_is_returned_is_described(name: str) -> None:
    """A function that gives something says what."""
    what = THINGS[name].what
    parts = sections(inspect.getdoc(what) or "")
    gives = inspect.signature(what).return_annotation not in (None, "None")
    assert bool({"Returns", "Yields"} & set(parts)) == gives


@pytest.mark.parametrize("name", sorted(set(CALLABLES) - IN_R))
def test_there_is_an_example(name: str) -> None:
    """Functions and classes have one; a method has one, or is called in that of its class."""
    thing = THINGS[name]
    examples = sections(inspect.getdoc(thing.what) or "").get("Examples", "")
    if thing.owner and not examples:
        of_classes = [sections(inspect.getdoc(c) or "") for c in thing.owner.__mro__]
        calls = [result.get("Examples", "") for result in of_classes]
        examples = next((text for text in calls if f".{name.rpartition('.')[2]}(" in text), "")
    assert ">>> " in examples


def test_methods_without_examples_exist() -> None:
    """The exceptions name nothing that is gone."""
    assert set(THINGS) >= BETWEEN_PACKAGES | IN_R


def with_examples() -> list[str]:
    return [n for n in CALLABLES if ">>> " in (inspect.getdoc(THINGS[n].what) or "")]


@pytest.mark.filterwarnings("ignore::UserWarning")  # of runs that an example keeps short
@pytest.mark.parametrize("name", with_examples())
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an example shows is what it prints."""
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(THINGS[name].what) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    output: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=output.append)
    assert not output, "".join(output)


def test_the_version_is_that_of_the_changelog() -> None:
    """The newest dated section of the changelog is the version that is installed."""
    text = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
    newest = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)[0]
    citation = (Path(__file__).parents[2] / "CITATION.cff").read_text("utf-8")
    assert newest[0] == elseif.__version__
    assert f"version: {newest[0]}\ndate-released: {newest[1]}\n" in citation
