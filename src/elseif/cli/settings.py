"""The estimator's settings as command line options, generated from one table."""

from __future__ import annotations

import csv
import inspect
import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.option_groups import Gathered, gathering, option
from elseif.errors import ParamError
from elseif.files.unreadable import unreadable
from elseif.parameters import (
    CHOICES,
    LEARN,
    SETTINGS,
    Choice,
    Count,
    Flag,
    FolderOrNone,
    PositiveOrLearn,
    Setting,
)

# a seed, so that the same command gives the same list, and the whole machine
CLI_DEFAULTS: dict[str, Any] = {"random_state": 0, "n_jobs": -1}
# options that are texts to be read: repeated ones as a list, the others as one text
REPEATED = {
    "pseudocounts": "NUMBER|learn|LABEL=NUMBER",
    "antecedent_weights": "NAME=NUMBER",
    "kinds": "COLUMN=KIND",
    "cuts": "COLUMN=CUTS",
}
ALSO_NAMED = {"predict_with": ("--list",)}  # as the other commands call it
NOT_OPTIONS = ("verbose", "n_shards")  # the first is --quiet; no command reads a Dask table


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every setting, which it gets as one dict, ``settings``."""
    return takes_some_settings(lambda setting: True)(command)


def takes_some_settings(
    wanted: Callable[[Setting], bool],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with an option for some settings, in the order of their groups."""
    groups = [setting.group for setting in SETTINGS]
    taken = [s for s in SETTINGS if s.name not in NOT_OPTIONS and wanted(s)]
    options = [_option(s) for s in sorted(taken, key=lambda s: groups.index(s.group))]
    return lambda command: gathering(command, settings=Gathered(options, dict))


def _option(setting: Setting) -> inspect.Parameter:
    """A setting as a parameter that typer makes an option of."""
    kind, default = setting.kind, CLI_DEFAULTS.get(setting.name, setting.default)
    more: dict[str, Any] = {"help": setting.help, "rich_help_panel": setting.group.value}
    name = setting.name
    annotation: Any
    if name in REPEATED:
        annotation = list[str]
        default = [] if default is None else [str(default)]
        more["metavar"] = REPEATED[name]
    elif name == "antecedents":
        annotation, more["metavar"] = Path | None, "FILE"
    elif isinstance(kind, FolderOrNone):
        annotation, more["metavar"] = Path | None, "FOLDER"
    elif name == "min_support":
        annotation, default, more["metavar"] = str, str(default), "NUMBER"
    elif isinstance(kind, Choice):
        annotation = _choices(name, kind.allowed)
        default, more["metavar"] = annotation(default), "|".join(kind.allowed)
    elif isinstance(kind, Flag):
        annotation = bool
    else:
        annotation = int if isinstance(kind, Count) or isinstance(default, int) else float
        if default is None:
            annotation = annotation | None
        more["metavar"] = "NUMBER"
        if isinstance(kind, PositiveOrLearn):
            annotation, default, more["metavar"] = str, str(default), f"NUMBER|{LEARN}"
    names = [f"--{name.replace('_', '-')}", *ALSO_NAMED.get(name, ())]
    return option(name, default, Annotated[annotation, typer.Option(*names, **more)])


def _choices(name: str, words: tuple[str, ...]) -> Any:
    """The words of a choice as typer wants them."""
    make: Any = StrEnum  # which mypy takes for a class to be written out
    return make(name, {word.upper(): word for word in words})


def estimator_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The estimator's parameters from the options of the command line."""
    readers: dict[str, Callable[[Any], Any]] = {
        "expected_length": lambda text: _number_or_learn(text, "--expected-length"),
        "expected_cardinality": lambda text: _number_or_learn(text, "--expected-cardinality"),
        "pseudocounts": read_pseudocounts,
        "antecedents": read_antecedents,
        "antecedent_weights": read_weights,
        "min_support": read_support,
        "kinds": read_kinds,
        "cuts": lambda texts: read_cuts(texts, read_kinds(given["kinds"])),
    }
    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if name in readers:
            value = readers[name](value)
        elif isinstance(value, str):
            value = str(value)  # a choice is a text to the estimator
        parameters[name] = value
    return parameters


def read_support(text: str) -> float | int:
    """A share, or a number of rows if it is written without a decimal point."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise ParamError(f"--min-support is {text!r}; it must be a number.") from None


def read_pseudocounts(given: list[str]) -> Any:
    """One number for all labels, or numbers by label."""
    if len(given) == 1 and "=" not in given[0]:
        return _number_or_learn(given[0], "--pseudocounts")
    return {
        label: _number(value, "--pseudocounts")
        for label, value in named_values(given, "--pseudocounts")
    }


def _number_or_learn(text: str, option: str) -> float | str:
    if text == LEARN:
        return LEARN
    return int(text) if text.isdecimal() else _number(text, option)


def by_label(pseudocounts: Mapping[str, float], y: Any) -> dict[Any, float]:
    """Pseudocounts by the labels of a table, which options can only spell: 1 for "1"."""
    return by_label_name(pseudocounts, y.cat.categories.tolist())


def by_label_name(pseudocounts: Mapping[str, float], labels: list[Any]) -> dict[Any, float]:
    """Pseudocounts by some labels, which options can only spell."""
    from elseif.cli.tables import find_label

    by_value: dict[Any, float] = {}
    for name, value in pseudocounts.items():
        label = find_label(name, labels, "--pseudocounts")
        if label in by_value:
            raise ParamError(f"--pseudocounts: the label {label!r} is given twice.")
        by_value[label] = value
    return by_value


def read_weights(given: list[str]) -> dict[str, float] | None:
    """Weights by name."""
    pairs = named_values(given, "--antecedent-weights")
    return {name: _number(value, "--antecedent-weights") for name, value in pairs} or None


def read_kinds(given: list[str]) -> dict[str, Any] | None:
    """Kinds by column: one of their names, or categories in their order."""
    return {
        name: _categories(value) if "," in value else value
        for name, value in named_values(given, "--kinds")
    } or None


def _categories(text: str) -> list[str]:
    """As in a line of CSV: one that contains a comma is in double quotation marks."""
    return next(csv.reader([text]))


def read_cuts(given: list[str], kinds: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Cut points by column: numbers, dates or categories, or the name of a method."""
    as_written = {name for name, kind in (kinds or {}).items() if isinstance(kind, list)}
    cuts: dict[str, Any] = {}
    for name, value in named_values(given, "--cuts"):
        if value in CHOICES["cutting"]:
            cuts[name] = value
        elif name in as_written:
            cuts[name] = _categories(value)
        else:
            cuts[name] = [_as_number(part) for part in value.split(",")]
    return cuts or None


def read_antecedents(path: Path | None) -> list[Any] | None:
    """Antecedents from a JSON file: a list of lists of columns or [column, operator, value]."""
    if path is None:
        return None
    try:
        antecedents = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParamError(f"--antecedents: {unreadable(path, error)}") from error
    except ValueError as error:
        raise ParamError(f"--antecedents: {path.name} is not JSON: {error}.") from error
    except RecursionError:
        raise ParamError(f"--antecedents: {path.name} has too many lists within lists.") from None
    if not isinstance(antecedents, list) or not all(isinstance(one, list) for one in antecedents):
        raise ParamError(
            f"--antecedents: {path.name} must be a list of antecedents, each a list of conditions "
            'such as ["smoker", ["age", ">", 60]].'
        )
    return [tuple(tuple(c) if isinstance(c, list) else c for c in one) for one in antecedents]


def named_values(given: list[str], option: str) -> list[tuple[str, str]]:
    """NAME=VALUE, split at the last equals sign, since names may contain one."""
    pairs: list[tuple[str, str]] = []
    for text in given:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise ParamError(f"{option} is {text!r}; it must be NAME=VALUE.")
        if any(name == other for other, _ in pairs):
            raise ParamError(f"{option}: {name!r} is given twice.")
        pairs.append((name, value))
    return pairs


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParamError(f"{option}: {text!r} is not a number.") from None


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
