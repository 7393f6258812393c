"""Definitions of cohorts in YAML files, read strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from elseif.cohort.definition import CohortDefinition, Concept, ConceptSet
from elseif.errors import ParamError, ParamTypeError
from elseif.files.strict_yaml import parse_yaml, yaml_text

ENDINGS = (".yaml", ".yml")
NEEDED = ("name", "title", "index", "outcome")

Made = TypeVar("Made")


def definition_names() -> list[str]:
    """The names of the definitions that come with elseif.

    Returns
    -------
    list of str
        What `load_definition` and `extract` accept by name.

    Examples
    --------
    >>> from elseif.cohort import definition_names
    >>> definition_names()
    ['heart_failure', 'stroke']
    """
    folder = resources.files("elseif.cohort") / "definitions"
    names = (file.name for file in folder.iterdir() if file.name.endswith(".yaml"))
    return sorted(name.removesuffix(".yaml") for name in names)


def load_definition(source: str | Path) -> CohortDefinition:
    """Load a cohort definition.

    Parameters
    ----------
    source : str or path
        The name of one that comes with elseif, or a YAML file.

    Returns
    -------
    CohortDefinition
        The definition.

    Examples
    --------
    >>> from elseif.cohort import load_definition
    >>> load_definition("stroke").observation_before
    365
    """
    if not isinstance(source, str | Path):
        raise ParamTypeError(f"A definition is a name or a file, not {source!r}.")
    if isinstance(source, str) and source in definition_names():
        file = resources.files("elseif.cohort") / "definitions" / f"{source}.yaml"
        return _parsed(file.read_text(encoding="utf-8"), f"{source}.yaml")
    path = Path(source)
    if path.suffix.lower() not in ENDINGS:
        raise ParamError(
            f"{str(source)!r} is not a definition. Those that come with elseif are "
            f"{', '.join(definition_names())}; your own is a file that ends in .yaml."
        )
    return _parsed(yaml_text(path, "a definition"), path.name)


def _parsed(text: str, name: str) -> CohortDefinition:
    return definition_from(parse_yaml(text, name), name)


def definition_from(content: Any, file: str) -> CohortDefinition:
    """A definition from the plain data of a file, which errors name."""
    allowed = tuple(field.name for field in fields(CohortDefinition))
    given = _mapping(content, file, "the definition", allowed, NEEDED)
    for key in ("index", "outcome"):
        given[key] = _concept_set(given[key], file, key, None)
    if "groups" in given:
        groups = given["groups"]
        if not isinstance(groups, dict):
            raise ParamTypeError(f"{file}: groups must map names to concept sets.")
        given["groups"] = {
            name: _concept_set(group, file, f"groups: {name}", name)
            for name, group in groups.items()
        }
    return _made(partial(CohortDefinition, **given), file, "")


def _concept_set(content: Any, file: str, where: str, name: str | None) -> ConceptSet:
    needed = ("include",) if name is not None else ("name", "include")
    given = _mapping(content, file, where, ("name", "include", "exclude"), needed)
    if name is not None:
        given.setdefault("name", name.replace("_", " "))
    for key in ("include", "exclude"):
        if key in given:
            given[key] = _concepts(given[key], file, f"{where}: {key}")
    return _made(partial(ConceptSet, **given), file, f"{where}: ")


def _concepts(content: Any, file: str, where: str) -> tuple[Concept, ...]:
    if not isinstance(content, list):
        raise ParamTypeError(f"{file}: {where} must be a list of concepts, not {content!r:.80}.")
    concepts = []
    for number, item in enumerate(content, start=1):
        place = f"{where}, concept {number}"
        given = _mapping(item, file, place, ("id", "name", "descendants"), ("id", "name"))
        concepts.append(_made(partial(Concept, **given), file, f"{place}: "))
    return tuple(concepts)


def _mapping(
    content: Any, file: str, where: str, allowed: tuple[str, ...], needed: tuple[str, ...]
) -> dict[str, Any]:
    """The keys of a part of the file, all known and none missing."""
    if not isinstance(content, Mapping):
        raise ParamTypeError(
            f"{file}: {where} must be keys and values ({', '.join(allowed)}), not {content!r:.80}."
        )
    unknown = [key for key in content if key not in allowed]
    if unknown:
        raise ParamError(
            f"{file}: {where} has the unknown key {unknown[0]!r:.100}. Allowed are "
            f"{', '.join(allowed)}."
        )
    missing = [key for key in needed if key not in content]
    if missing:
        raise ParamError(f"{file}: {where} lacks {', '.join(missing)}.")
    return dict(content)


def _made(make: Callable[[], Made], file: str, where: str) -> Made:
    """What the values make, with the file and the place in front of what is wrong with them."""
    try:
        return make()
    except ParamTypeError as error:
        raise ParamTypeError(f"{file}: {where}{error}") from error
    except ParamError as error:
        raise ParamError(f"{file}: {where}{error}") from error
