"""YAML's safe loader, made stricter; imported only where such a file is read."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

DEEPEST = 16  # levels within levels

# 010 would be eight in YAML and 1:30 ninety, which nobody means by the id of a concept
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,18})")


class StrictLoader(yaml.SafeLoader):
    """Neither repeated keys, nor references, which may explode, nor numbers in odd notations."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        mark = self.get_mark()
        if self.check_event(yaml.events.AliasEvent):
            raise _refused("references (& and *) are not allowed", mark)
        if self.depth == DEEPEST:
            raise _refused(f"it nests more than {DEEPEST} levels deep", mark)
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
            raise _refused(problem, node.start_mark) from error

    def construct_yaml_int(self, node: Any) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            raise _refused("expected a whole number", node.start_mark)
        if not _WHOLE.fullmatch(str(node.value)):
            problem = f"{node.value!r:.40} must be a whole number in plain digits"
            raise _refused(problem, node.start_mark)
        return super().construct_yaml_int(node)

    def construct_yaml_float(self, node: Any) -> Any:
        value = super().construct_yaml_float(node)
        if ":" in str(node.value) or not math.isfinite(value):
            problem = f"{node.value!r:.40} must be a number in plain digits"
            raise _refused(problem, node.start_mark)
        return value

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        if not isinstance(node, yaml.MappingNode):
            raise _refused("expected keys and values", node.start_mark)
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise _refused(f"the key {key!r:.40} is not text", key_node.start_mark)
            if key in seen:
                raise _refused(f"the key {key!r:.40} occurs twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


class TextLoader(StrictLoader):
    """Takes every value as it is written: "no" is not false, nor 1.10 a number."""


TextLoader.yaml_implicit_resolvers = {}
StrictLoader.add_constructor("tag:yaml.org,2002:int", StrictLoader.construct_yaml_int)
StrictLoader.add_constructor("tag:yaml.org,2002:float", StrictLoader.construct_yaml_float)


def _refused(problem: str, mark: Any) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, mark)
