"""Definitions of cohorts in YAML files, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from elseif.cohort.definition import CohortDefinition, Concept, ConceptSet
from elseif.errors import ParamError, ParamTypeError

ENDINGS = (".yaml", ".yml")
LARGEST_FILE = 1_000_000  # bytes; a definition is a page or two
DEEPEST = 16  # levels within levels; a definition has six
NEEDED = ("name", "title", "index", "outcome")

# 010 would be eight in YAML and 1:30 ninety, which nobody means by the id of a concept
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,18})")

Made = TypeVar("Made")


def definition_names() -> list[str]:
    """Definitions that come with elseif."""
    folder = resources.files("elseif.cohort") / "definitions"
    names = (file.name for file in folder.iterdir() if file.name.endswith(".yaml"))
    return sorted(name.removesuffix(".yaml") for name in names)


def load_definition(source: str | Path) -> CohortDefinition:
    """A definition by the name of one that comes with elseif, or from a YAML file."""
    if not isinstance(source, str | Path):
        raise ParamTypeError(f"A definition is a name or a file, not {source!r}.")
    if isinstance(source, str) and source in definition_names():
        file = resources.files("elseif.cohort") / "definitions" / f"{source}.yaml"
        return _parsed(file.read_text(encoding="utf-8"), f"{source}.yaml")
    path = Path(source)
    if path.suffix.lower() not in ENDINGS:
        raise ParamError(
            f"{str(source)!r} is no definition. Those that come with elseif are "
            f"{', '.join(definition_names())}; your own is a file that ends in .yaml."
        )
    return _parsed(_text(path), path.name)


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may never end
            raise ParamError(f"{path} is no file; a definition is a YAML file.")
        if path.stat().st_size > LARGEST_FILE:
            raise ParamError(f"{path.name} has more than {LARGEST_FILE:,} bytes: no definition.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParamError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ParamError(f"{path.name} is not UTF-8 at byte {error.start}.") from error


def _parsed(text: str, name: str) -> CohortDefinition:
    try:
        import yaml
    except ImportError:
        raise ParamError("Definitions in files need PyYAML: pip install 'elseif[omop]'.") from None
    try:
        content = yaml.load(text, Loader=_strict_loader())  # a safe loader, made stricter
    except yaml.YAMLError as error:
        raise ParamError(f"{name} is not readable as YAML: {_in_words(error)}.") from error
    return definition_from(content, name)


def _in_words(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    return f"{problem}, line {mark.line + 1}" if mark is not None else str(problem)


def _strict_loader() -> Any:
    """YAML's safe loader without repeated keys and without references, which may explode."""
    import yaml

    def refused(problem: str, mark: Any) -> Exception:
        error: Exception = yaml.constructor.ConstructorError(None, None, problem, mark)
        return error

    class Loader(yaml.SafeLoader):
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            mark = self.get_mark()
            if self.check_event(yaml.events.AliasEvent):
                raise refused("references (& and *) are not allowed", mark)
            if self.depth == DEEPEST:
                raise refused(f"there are more than {DEEPEST} levels within levels", mark)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (ValueError, LookupError, AttributeError) as error:
                kind = str(node.tag).rpartition(":")[2]
                problem = f"{node.value!r:.40} cannot be read as {kind}"
                raise refused(problem, node.start_mark) from error

        def construct_yaml_int(self, node: Any) -> Any:
            if not isinstance(node, yaml.ScalarNode):
                raise refused("expected a whole number", node.start_mark)
            if not _WHOLE.fullmatch(str(node.value)):
                problem = f"{node.value!r:.40} must be a whole number in plain digits"
                raise refused(problem, node.start_mark)
            return super().construct_yaml_int(node)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if not isinstance(node, yaml.MappingNode):
                raise refused("expected keys and values", node.start_mark)
            seen: set[Any] = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if not isinstance(key, str):
                    raise refused(f"the key {key!r:.40} is no text", key_node.start_mark)
                if key in seen:
                    raise refused(f"the key {key!r:.40} stands twice", key_node.start_mark)
                seen.add(key)
            return super().construct_mapping(node, deep)

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    return Loader


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
    found = []
    for number, item in enumerate(content, start=1):
        place = f"{where}, concept {number}"
        given = _mapping(item, file, place, ("id", "name", "descendants"), ("id", "name"))
        found.append(_made(partial(Concept, **given), file, f"{place}: "))
    return tuple(found)


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
