"""Definitions of cohorts in YAML files, read strictly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from elseif.checks import did_you_mean
from elseif.cohort.atlas import AtlasCohort, read_atlas
from elseif.cohort.concepts import AnyOf, Concept, ConceptSet, Event, ExistingCohort
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.feature import Ancestors, Feature
from elseif.cohort.inclusion import Inclusion, PriorRecords
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
    return _parsed(yaml_text(path, "a definition"), path.name, path.parent)


def _parsed(text: str, name: str, folder: Path | None = None) -> CohortDefinition:
    return definition_from(parse_yaml(text, name), name, folder)


def definition_from(content: Any, file: str, folder: Path | None = None) -> CohortDefinition:
    """A definition from the plain data of a file, which errors name.

    Files of ATLAS that it names are looked for in a folder.
    """
    allowed = tuple(field.name for field in fields(CohortDefinition))
    given = _mapping(content, file, "the definition", allowed, NEEDED)
    if "domains" in given and "features" in given:
        raise ParamError(f"{file}: features says which records become columns; remove domains.")
    events = {key: _event(given[key], file, key, None, folder) for key in ("index", "outcome")}
    if isinstance(events["index"], AtlasCohort):
        given |= _of_target(events["index"], given, file)
    else:
        given["index"] = events["index"]
    outcome = events["outcome"]
    given["outcome"] = (
        _of_outcome(outcome, given, file) if isinstance(outcome, AtlasCohort) else outcome
    )
    if "groups" in given:
        given["groups"] = _named(given["groups"], file, "groups", "concept sets", _concept_set)
    if "outcomes" in given:
        given["outcomes"] = _named(
            given["outcomes"], file, "outcomes", "concept sets or cohorts", _event
        )
    if "features" in given:
        features = _list(given["features"], file, "features", "features")
        given["features"] = tuple(
            _feature(each, file, f"features, number {n}") for n, each in enumerate(features, 1)
        )
    if isinstance(given.get("inclusion"), Mapping):
        given["inclusion"] = _inclusion(given["inclusion"], file)
    return _made(partial(CohortDefinition, **given), file, "")


def _of_target(target: AtlasCohort, given: Mapping[str, Any], file: str) -> dict[str, Any]:
    """What a cohort of ATLAS says of the index date and of whom to include."""
    for key in ("inclusion", "first_after_days"):
        if key in given:
            raise ParamError(f"{file}: {key} comes from the ATLAS file; leave it out.")
    before = given.get("observation_before", 365)
    if isinstance(before, int) and before < target.prior_days and target.first_after_days is None:
        raise ParamError(
            f"{file}: observation_before is {before}, but the cohort of ATLAS asks for "
            f"{target.prior_days} days."
        )
    after = given.get("observation_after", 365)
    if isinstance(after, int) and after < target.post_days:
        raise ParamError(
            f"{file}: observation_after is {after}, but the cohort of ATLAS asks for "
            f"{target.post_days} days."
        )
    entries: dict[str, Any] = {"index": target.event}
    if target.inclusion is not None:
        entries["inclusion"] = target.inclusion
    if target.first_after_days is not None:
        entries["first_after_days"] = target.first_after_days
    return entries


def _of_outcome(outcome: AtlasCohort, given: Mapping[str, Any], file: str) -> Event:
    """The events of an ATLAS cohort, if nothing else about it matters."""
    if given.get("outcome_must_be_new") is not True:
        raise ParamError(
            f"{file}: outcome: a cohort of ATLAS joins the records of a person into entries, which "
            "only the first record is sure to begin. Write outcome_must_be_new: true, or generate "
            "the cohort and give its number: outcome: {name: ..., cohort: NUMBER}."
        )
    if outcome.inclusion is not None:
        raise ParamError(
            f"{file}: outcome: the cohort of ATLAS has criteria on persons or earlier records, "
            "which an outcome cannot have. Generate the cohort and give its number: outcome: "
            "{name: ..., cohort: NUMBER}."
        )
    before = given.get("observation_before", 365)
    if outcome.post_days or (isinstance(before, int) and outcome.prior_days > before):
        raise ParamError(
            f"{file}: outcome: the cohort of ATLAS asks for {outcome.prior_days} days of "
            f"observation before and {outcome.post_days} after an entry, which an outcome cannot. "
            "Generate the cohort and give its number."
        )
    return outcome.event


def _named(
    content: Any, file: str, key: str, what: str, read: Callable[..., Made]
) -> dict[str, Made]:
    if not isinstance(content, dict):
        raise ParamTypeError(f"{file}: {key} must map names to {what}.")
    return {name: read(each, file, f"{key}: {name}", name) for name, each in content.items()}


def _event(
    content: Any, file: str, where: str, name: str | None, folder: Path | None = None
) -> Any:
    """Concepts, any of several sets, a cohort that exists, or one that ATLAS has defined."""
    if isinstance(content, Mapping):
        kinds = [key for key in ("any_of", "cohort", "atlas", "include") if key in content]
        if len(kinds) > 1:
            raise ParamError(f"{file}: {where} has both {kinds[0]} and {kinds[1]}; choose one.")
        needed = () if name is not None else ("name",)
        if kinds == ["cohort"]:
            given = _mapping(content, file, where, ("name", "cohort"), needed)
            given.setdefault("name", name)
            return _made(partial(ExistingCohort, **given), file, f"{where}: ")
        if kinds == ["any_of"]:
            return _any_of(content, file, where, name)
        if kinds == ["atlas"]:
            return _atlas(content, file, where, name, folder)
    return _concept_set(content, file, where, name, ("domain",))


def _any_of(content: Any, file: str, where: str, name: str | None) -> AnyOf:
    given = _mapping(content, file, where, ("name", "any_of"), () if name else ("name",))
    sets = _list(given["any_of"], file, f"{where}: any_of", "concept sets")
    own: Any = given.get("name", name)
    read = tuple(
        _concept_set(each, file, f"{where}: any_of, number {n}", str(own), ("domain",))
        for n, each in enumerate(sets, 1)
    )
    return _made(partial(AnyOf, own, read), file, f"{where}: ")


def _atlas(
    content: Any, file: str, where: str, name: str | None, folder: Path | None
) -> AtlasCohort:
    if name is not None:
        raise ParamError(
            f"{file}: {where}: a further outcome cannot be a file of ATLAS. Generate the cohort "
            "and give its number: cohort: NUMBER."
        )
    given = _mapping(content, file, where, ("name", "atlas"), ("name",))
    source = given["atlas"]
    if not isinstance(source, str) or not source.lower().endswith(".json"):
        raise ParamTypeError(f"{file}: {where}: atlas must be a file that ends in .json.")
    path = Path(source) if folder is None else folder / source
    return _made(partial(read_atlas, path, given["name"]), file, f"{where}: ")


def _feature(content: Any, file: str, where: str) -> Feature:
    allowed = ("domain", "window", "value", "rollup", "at_least", "include", "exclude")
    given = _mapping(content, file, where, allowed, ("domain",))
    rollup = given.get("rollup")
    if isinstance(rollup, Mapping):
        inside = _mapping(rollup, file, f"{where}: rollup", ("below", "level"), ("below", "level"))
        given["rollup"] = _made(partial(Ancestors, **inside), file, f"{where}: ")
    concepts = {key: given.pop(key) for key in ("include", "exclude") if key in given}
    if concepts:
        given["concepts"] = _concept_set(concepts, file, where, f"{given['domain']}")
    return _made(partial(Feature, **given), file, f"{where}: ")


def _inclusion(content: Any, file: str) -> Inclusion:
    allowed = tuple(field.name for field in fields(Inclusion))
    given = _mapping(content, file, "inclusion", allowed, ())
    for key in ("prior", "no_prior"):
        if key in given:
            criteria = _list(given[key], file, f"inclusion: {key}", "criteria")
            given[key] = tuple(
                _prior(each, file, f"inclusion: {key}, number {n}")
                for n, each in enumerate(criteria, 1)
            )
    return _made(partial(Inclusion, **given), file, "")


def _prior(content: Any, file: str, where: str) -> PriorRecords:
    own = ("window", "at_least", "observed")
    allowed = ("name", "domain", "include", "exclude", "any_of", *own)
    given = _mapping(content, file, where, allowed, ("name",))
    more = {key: given.pop(key) for key in own if key in given}
    records = (
        _any_of(given, file, where, None)
        if "any_of" in given
        else _concept_set(given, file, where, None, ("domain",))
    )
    return _made(partial(PriorRecords, records, **more), file, f"{where}: ")


def _concept_set(
    content: Any, file: str, where: str, name: str | None, more: tuple[str, ...] = ()
) -> ConceptSet:
    needed = ("include",) if name is not None else ("name", "include")
    given = _mapping(content, file, where, ("name", "include", "exclude", *more), needed)
    if name is not None:
        given.setdefault("name", name.replace("_", " "))
    for key in ("include", "exclude"):
        if key in given:
            given[key] = _concepts(given[key], file, f"{where}: {key}")
    return _made(partial(ConceptSet, **given), file, f"{where}: ")


def _list(content: Any, file: str, where: str, what: str) -> list[Any]:
    if not isinstance(content, list) or not content:
        raise ParamTypeError(f"{file}: {where} must be a list of {what}, not {content!r:.80}.")
    return content


def _concepts(content: Any, file: str, where: str) -> tuple[Concept, ...]:
    if not isinstance(content, list):
        raise ParamTypeError(f"{file}: {where} must be a list of concepts, not {content!r:.80}.")
    concepts = []
    for number, item in enumerate(content, start=1):
        entry = f"{where}, concept {number}"
        given = _mapping(item, file, entry, ("id", "name", "descendants"), ("id", "name"))
        concepts.append(_made(partial(Concept, **given), file, f"{entry}: "))
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
        said = did_you_mean(str(unknown[0]), allowed)
        near = f"; {said.rstrip('?')}" if said.startswith("did") else ""
        raise ParamError(
            f"{file}: {where} has the unknown key {unknown[0]!r:.100}{near}. Allowed are "
            f"{', '.join(allowed)}."
        )
    missing = [key for key in needed if key not in content]
    if missing:
        raise ParamError(f"{file}: {where} lacks {', '.join(missing)}.")
    return dict(content)


def _made(make: Callable[[], Made], file: str, where: str) -> Made:
    """The object made of the values; errors name the file and the entry."""
    try:
        return make()
    except ParamTypeError as error:
        raise ParamTypeError(f"{file}: {where}{error}") from error
    except ParamError as error:
        raise ParamError(f"{file}: {where}{error}") from error
