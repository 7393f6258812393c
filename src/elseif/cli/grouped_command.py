"""A command whose --help groups its options and describes their values in words."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

# what a number may be, which the texts say in words
_RANGE = r"(?:x>=[\d.]+|[\d.]+<=x<=[\d.]+)"
RANGE = re.compile(rf"  \[{_RANGE}\]|; {_RANGE}|(?<=\[){_RANGE}; ")


class GroupedCommand(TyperCommand):
    """A command; its options are shown under the heading that each was declared with."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command in its usage: options, and arguments by their names."""
        return ["[OPTIONS]", *(_name(p) for p in self.get_params(ctx) if _is_argument(p))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, group by group, in the order of declaration."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        parameters: list[Any] = list(self.get_params(ctx))
        for parameter in parameters:
            if _is_argument(parameter):
                groups["Arguments"].append((_name(parameter), parameter.help or ""))
                continue
            name, text = parameter.get_help_record(ctx)
            heading = getattr(parameter, "rich_help_panel", None) or "Options"
            groups.setdefault(heading, []).append((name, RANGE.sub("", text)))
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _name(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())
