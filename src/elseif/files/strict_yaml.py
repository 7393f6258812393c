"""YAML read strictly: no repeated keys, no references, no code, and a limit to depth and size."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from elseif.errors import ParamError

LARGEST_FILE = 1_000_000  # bytes; what people write by hand is a page or two
DEEPEST = 16  # levels within levels

# 010 would be eight in YAML and 1:30 ninety, which nobody means by the id of a concept
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,18})")


def yaml_text(path: Path, what: str) -> str:
    """The text of a file of bearable size; ``what`` is what it should be, for messages."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may never end
            raise ParamError(f"{path} is not a file; {what} is a YAML file.")
        if path.stat().st_size > LARGEST_FILE:
            raise ParamError(f"{path.name} has more than {LARGEST_FILE:,} bytes: not {what}.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParamError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ParamError(f"{path.name} is not UTF-8 at byte {error.start}.") from error


def parse_yaml(text: str, name: str, only_text: bool = False) -> Any:
    """The plain data of a YAML text.

    Parameters
    ----------
    text : str
        The text.
    name : str
        The file's name, for messages.
    only_text : bool, default=False
        Take every value as it is written: "no" is not false then, nor 1.10 a number.

    Returns
    -------
    dict, list or str
        The content.
    """
    try:
        import yaml  # loaded by those who read such a file
    except ImportError:
        raise ParamError("YAML files need PyYAML: pip install pyyaml.") from None
    try:
        return yaml.load(text, Loader=_strict_loader(only_text))  # a safe loader, made stricter
    except yaml.YAMLError as error:
        raise ParamError(f"{name} is not readable as YAML: {_in_words(error)}.") from error


def _in_words(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    return f"{problem}, line {mark.line + 1}" if mark is not None else str(problem)


def _strict_loader(only_text: bool) -> Any:
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
            except (ValueError, LookupError, AttributeError, OverflowError) as error:
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

        def construct_yaml_float(self, node: Any) -> Any:
            value = super().construct_yaml_float(node)
            if ":" in str(node.value) or not math.isfinite(value):
                problem = f"{node.value!r:.40} must be a number in plain digits"
                raise refused(problem, node.start_mark)
            return value

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            if not isinstance(node, yaml.MappingNode):
                raise refused("expected keys and values", node.start_mark)
            seen: set[Any] = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if not isinstance(key, str):
                    raise refused(f"the key {key!r:.40} is no text", key_node.start_mark)
                if key in seen:
                    raise refused(f"the key {key!r:.40} occurs twice", key_node.start_mark)
                seen.add(key)
            return super().construct_mapping(node, deep)

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_yaml_float)
    if only_text:
        Loader.yaml_implicit_resolvers = {}
    return Loader
