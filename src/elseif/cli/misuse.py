"""Invalid command line arguments, answered with a sentence that says what is right."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from elseif.checks import did_you_mean

# what typer says of a value, and what the program says
_WANTED = (
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"it must be \1 or more"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"it must be \1 or less"),
    (re.compile(r"Input should be a valid integer.*"), "it must be a whole number"),
    (re.compile(r"Input should be a valid number.*"), "it must be a number"),
    # older releases of typer
    (re.compile(r"is not in the range x>=(\S+?)\.?$"), r"it must be \1 or more"),
    (re.compile(r"is not in the range x<=(\S+?)\.?$"), r"it must be \1 or less"),
    (re.compile(r"is not in the range (\S+?)<=x<=(\S+?)\.?$"), r"it must be from \1 to \2"),
    (re.compile(r"is not a valid integer"), "it must be a whole number"),
    (re.compile(r"is not a valid float"), "it must be a number"),
)
_GIVEN = re.compile(r"^'?(?P<given>.*?)'? is not (?:in the range|a valid) ")
_NOT_ONE_OF = re.compile(r"(?:Value error, )?'(?P<given>.*)' is not one of (?P<known>.*?)\.?$")
_NO_FILE = re.compile(r"[Ff]ile '(?P<path>.*)' does not exist")
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<given>.*)\)")
_COMMAND = re.compile(r"No such command '(?P<given>.*?)'")


def in_a_sentence(error: BaseException, program: Any, arguments: Sequence[str]) -> str:
    """What is wrong with the arguments of a program, and what to write instead."""
    context: Any = getattr(error, "ctx", None)
    path = "elseif" if context is None else context.command_path
    command = path.removeprefix("elseif ")
    parameter: Any = getattr(error, "param", None)
    kind, said = type(error).__name__, " ".join(str(getattr(error, "message", error)).split())
    if kind == "MissingParameter" and parameter is not None:
        return _missing(path, parameter, context)
    if kind == "NoSuchOption":
        name, known = str(getattr(error, "option_name", "")), _options(context)
        near = did_you_mean(name, known)
        hint = near if near.startswith("did") else f"{path} --help lists them."
        return f"{command} has no option {name}; {hint.replace(chr(39), '')}"
    if parameter is not None:
        return _wrong_value(path, parameter, said, error.__cause__)
    if (unknown := _COMMAND.search(said)) is not None:
        near = did_you_mean(unknown["given"], _commands(context))
        hint = near if near.startswith("did") else "elseif --help lists them."
        return f"there is no command {unknown['given']!r}; {hint}"
    if kind == "BadOptionUsage" and "requires an argument" in said:
        return _without_value(str(getattr(error, "option_name", "")), program, arguments)
    if (extra := _EXTRA.search(said)) is not None:
        is_file = os.path.exists(extra["given"])  # also of a name that no file can have
        if "--label" in _options(context) and "--label" not in arguments and not is_file:
            return (
                f"{command} does not take {extra['given']!r}. The column of the outcome is given "
                f"by --label: {_usage(context)} --label COLUMN."
            )
        return f"{command} does not take {extra['given']!r}; it is used as: {_usage(context)}"
    return f"{said.rstrip('.')}. See {path} --help."


def _missing(path: str, parameter: Any, context: Any) -> str:
    help_text = str(getattr(parameter, "help", "") or "").rstrip(".")
    if not help_text[1:2].isupper():
        help_text = help_text[:1].lower() + help_text[1:]
    what = f" ({help_text})" if help_text else ""
    command = path.removeprefix("elseif ")
    return f"{command} needs {_name(parameter)}{what}: {_usage(context)}. See {path} --help."


def _without_value(name: str, program: Any, arguments: Sequence[str]) -> str:
    """An option at the end of the line, whose command the error does not name."""
    known = program.commands
    command = next((argument for argument in arguments if argument in known), None)
    options = program.params if command is None else known[command].params
    metavar = next((p.metavar for p in options if name in p.opts), None) or "VALUE"
    path = "elseif" if command is None else f"elseif {command}"
    return f"{name} needs a value: {name} {metavar}. See {path} --help."


def _wrong_value(path: str, parameter: Any, said: str, cause: Any) -> str:
    name = _flag(parameter)
    if (choice := _NOT_ONE_OF.search(said)) is not None:
        known = re.findall(r"'([^']*)'", choice["known"])
        near = did_you_mean(choice["given"], known)
        hint = f" {near[:1].upper()}{near[1:]}" if near.startswith("did") else ""
        return f"{name} is {choice['given']!r:.80}; it must be one of {', '.join(known)}.{hint}"
    if (absent := _NO_FILE.search(said)) is not None:
        return f"{absent['path']}: there is no such file."
    given = _given(cause, said)
    is_said = "" if given is None else f" is {given!r:.80}"
    for pattern, wanted in _WANTED:
        if (match := pattern.search(said)) is not None:
            return f"{name}{is_said or ':'}; {match.expand(wanted)}.".replace(":;", ":")
    return f"{name}{is_said}: {said.removeprefix('Value error, ').rstrip('.')}. See {path} --help."


def _given(cause: Any, said: str) -> Any:
    """The value that was refused, as it was written."""
    errors = getattr(cause, "errors", None)
    if errors is not None:
        return errors()[0].get("input")
    match = _GIVEN.search(said)
    return None if match is None else match["given"]


def _flag(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    return str(parameter.opts[0])


def _name(parameter: Any) -> str:
    """An argument by its name, an option with what follows it."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return f"{parameter.opts[0]} {parameter.metavar or 'VALUE'}"


def _usage(context: Any) -> str:
    """A command with all that it needs."""
    if context is None:
        return "elseif COMMAND"
    needed = [p for p in context.command.params if p.required or _may_be_elsewhere(p)]
    needed.sort(key=lambda parameter: parameter.param_type_name != "argument")
    return " ".join([context.command_path, *map(_name, needed)])


def _may_be_elsewhere(parameter: Any) -> bool:
    """Whether an argument is needed in all but rare uses, such as a table file."""
    return bool(parameter.param_type_name == "argument" and parameter.metavar == "[TABLE]")


def _options(context: Any) -> list[str]:
    if context is None:
        return []
    parameters = context.command.params
    return [o for p in parameters for o in p.opts if p.param_type_name == "option"]


def _commands(context: Any) -> list[str]:
    return [] if context is None else list(context.command.commands)
