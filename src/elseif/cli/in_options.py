"""Messages written for Python users, translated into command line options."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from elseif.errors import ParamError
from elseif.parameters import BY_NAME

# settings whose names no sentence has otherwise; the others are options where a value follows
OPTIONS = [name for name in BY_NAME if name != "verbose"]
TEXT_OPTIONS = ["sep", "decimal", "thousands", "encoding", "na_values", "date_format"]
SAID_WITH_VALUE = [*OPTIONS, "min_cell", "folds", *TEXT_OPTIONS]
UNMISTAKABLE = [name for name in OPTIONS if "_" in name]
UNMISTAKABLE += ["min_cell", "pseudocounts", "na_values", "date_format"]
_SETTING = re.compile(rf"(?<!['\"\w-])({'|'.join(SAID_WITH_VALUE)})=(?=\S)")
_BARE = re.compile(r"[\w.+,-]*\w")
_NAME = re.compile(rf"(?<!['\"\w-])({'|'.join(UNMISTAKABLE)})(?![\w'\"])")
# rows, which Python counts from 0, and the command line as --row does
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
_ROWS = re.compile(
    rf"((?:\(rows? |the first in row |another order from row ))({_NUMBER}(?:, {_NUMBER})*)"
)
LONGEST_LITERAL = 1000  # characters
_PYTHON = (
    (" go on with sample_more,", ""),  # chains end with the program
    ("force=True (--force)", "--force"),
    ("save it with posterior=None", "leave the posterior out by --without-posterior"),
    ("Save it with posterior='lists'", "Fit again without --without-posterior"),
    ("so the file needs the posterior: say posterior='lists'", "so the file needs the posterior"),
    ("Fit again, or save it with posterior='lists'", "Fit again without --without-posterior"),
    ("posterior=None", "--without-posterior"),
    ("give folds (such as 5), or a held-out table as holdout=(X, y)",
     "say --folds 5, or --holdout FILE"),
    ("with min_cell use predict_with='point', 'map' or 'projected'",
     "with --min-cell a model has to predict with a list: fit with --predict-with point, or "
     "make a projected list by elseif project"),
    (", or take project(X, y).as_classifier()", ", or make one by elseif project"),
    ("; elseif.possible_rules says which could", ""),
    ("with antecedents= set to those that may be used",
     "with --antecedents and a file of those that may be used"),
    (", or values by name as a dict", ""),
    ("sample_weight.shape ==", "the weights have the shape"),
    ("sample_weight", "--weight"),
    ("Input y contains NaN or infinity", "The label is missing in some rows"),
    ("Input X contains NaN", "Values are missing"),
    ("Input X contains infinity", "Some values are infinite"),
    ("Model files are made by save_model.", "Model files are made by elseif fit --model."),
    ("load it, change it in Python and save it again", "use elseif edit"),
)  # fmt: skip
_OPENINGS = (
    (re.compile(r"^X (?=has |lacks |does )"), "The table "),
    (re.compile(r"^y (?=holds |mixes |has )"), "The label "),
    (re.compile(r"^y: "), "The label: "),
    (re.compile(r"^(kinds|cuts)\[(['\"])(.*?)\2\](?= is |:)"), r"--\1 \3"),
    (re.compile(r"^(?=(kinds|cuts|antecedents)[:\[])"), "--"),
    (re.compile(r"^subgroups(?=:)"), "--subgroup"),
    (re.compile(r"^labels(?=:)"), "--labels"),
    (re.compile(r"^(?=(level|folds) is )"), "--"),
    (re.compile(r"^(?=(sep|decimal|thousands|encoding) is )"), "--"),
)


def in_options(message: str) -> str:
    """A message written for Python users, as one line with the options of the command line.

    "Set kinds={'ward no': 'category'}, or raise min_support." becomes "Set --kinds 'ward
    no=category', or raise --min-support."
    """
    message = " ".join(message.split())
    for python, option in _PYTHON:
        message = message.replace(python, option)
    for opening, said in _OPENINGS:
        message = opening.sub(said, message)
    message = _with_values(message)
    message = _ROWS.sub(lambda m: m[1] + re.sub(_NUMBER, _next, m[2]), message)
    return _NAME.sub(lambda m: _option(m[1]), message)


def _next(number: re.Match[str]) -> str:
    n = int(number[0].replace(",", "")) + 1
    return f"{n:,}" if "," in number[0] else str(n)


@contextmanager
def arguments_as_options(
    arguments: re.Pattern[str], option: Callable[[str], str]
) -> Iterator[None]:
    """Errors about arguments of a function of Python's, with the options that they came from."""
    try:
        yield
    except ParamError as error:
        raise type(error)(arguments.sub(lambda m: option(m[0]), str(error))) from error


def _with_values(message: str) -> str:
    """Settings with their values, however these are written in Python."""
    parts, at = [], 0
    for match in _SETTING.finditer(message):
        read = _literal(message, match.end())
        if match.start() < at or read is None:
            continue
        value, end = read
        parts += [message[at : match.start()], _said(match[1], value)]
        at = end
    return "".join([*parts, message[at:]])


def _literal(text: str, start: int) -> tuple[Any, int] | None:
    """The value at a position of a text, and where it ends; None if there is none."""
    closing = {"{": "}", "[": "]", "(": ")", "'": "'", '"': '"'}.get(text[start])
    if closing is None:
        bare = _BARE.match(text, start)
        return None if bare is None else (bare[0], bare.end())
    for end in range(start + 2, min(len(text), start + LONGEST_LITERAL) + 1):
        if text[end - 1] == closing:
            try:
                return ast.literal_eval(text[start:end]), end
            except (SyntaxError, ValueError):
                continue
    return None


def _said(name: str, value: Any) -> str:
    """An option with its value, as a shell takes it."""
    option = _option(name)
    if isinstance(value, dict):
        pairs = (f"{key}={_plain(each)}" for key, each in value.items())
        return " ".join(f"{option} {shlex.quote(pair)}" for pair in pairs)
    return option if value == "True" else f"{option} {shlex.quote(_plain(value))}"


def _plain(value: Any) -> str:
    if value in (..., [...]):
        return "A,B,C"
    if not isinstance(value, (list, tuple)):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([_plain(each) for each in value])
    return line.getvalue()


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
