"""A rule list as a library of CQL, HL7's Clinical Quality Language."""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.errors import ExportError, ParamError
from elseif.export.plain import BOOLEAN, DATE, NUMBER, TEXT, PlainList, Test, date_parts, plain_list
from elseif.export.results import LABEL, RULE, Result, results
from elseif.visible import is_unseen

TYPES = {BOOLEAN: "Boolean", NUMBER: "Decimal", TEXT: "String", DATE: "DateTime"}
# a Decimal has 28 digits, of which 8 after the point; a DateTime has milliseconds
LAST_PLACE, LARGEST = Decimal("1e-8"), Decimal("1e20")
MILLISECOND = np.timedelta64(1, "ms")
LARGEST_INTEGER = 2**31 - 1
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
INPUTS = (
    "One parameter for each column that the list looks at; null where the value is not known.",
    "A definition of the same name and type may take the place of a parameter.",
)


def to_cql(
    model: Any,
    which: str | None = None,
    level: float = 0.95,
    name: str | None = None,
    version: str = "1.0.0",
) -> str:
    """A library of CQL: a parameter for each column, a definition for each answer."""
    plain = plain_list(model, which)
    return cql_text(plain, results(plain, level), library_name(model, name), version)


def library_name(model: Any, name: str | None) -> str:
    """The name of a library: as given, or after the outcome."""
    if name is None:
        words = re.findall(r"[A-Za-z0-9]+", model.metadata.outcome or "")
        return "RuleList" + "".join(word[:1].upper() + word[1:] for word in words)[:50]
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]{0,254}", name):
        raise ParamError(
            f"name is {name[:100]!r}; it must begin with a capital letter and contain "
            "only letters, digits and underscores."
        )
    return name


def cql_text(plain: PlainList, answers: Sequence[Result], name: str, version: str) -> str:
    """The text of a library."""
    if not re.fullmatch(r"[0-9A-Za-z.+-]{1,64}", version):
        raise ParamError(f"version is {version[:100]!r}; it must be like '1.0.0'.")
    _check_names(plain, answers)
    lines = [f"// {line}" for line in plain.header]
    lines += [f"library {name} version '{version}'", ""]
    if plain.sorts:
        lines += [f"// {line}" for line in INPUTS]
    lines += [
        f"parameter {identifier(column)} {TYPES[sort]} default null"
        for column, sort in plain.sorts.items()
    ]
    lines += ["", "context Unfiltered"]
    for answer in answers:
        lines += ["", f"// {answer.meaning}", f"define {identifier(answer.name)}:"]
        lines += _rule_cases(plain) if answer.name == RULE else _cases(plain, answer)
    lines += ["", "// whether each rule is the one that applies"]
    lines += [
        f"define {identifier(rule_name(number))}: {identifier(RULE)} = {number}"
        for number in range(1, len(plain.rules) + 1)
    ]
    return "\n".join(lines) + "\n"


def rule_name(number: int) -> str:
    """The definition that is true where a rule applies."""
    return f"{RULE}_{number}"


def _check_names(plain: PlainList, answers: Sequence[Result]) -> None:
    taken = {answer.name for answer in answers}
    taken |= {rule_name(number) for number in range(1, len(plain.rules) + 1)}
    for column in plain.sorts:
        if column in taken:
            raise ExportError(
                f"A column is called {column!r}, which CQL uses for a result. Rename it."
            )
        if not column:
            raise ExportError("A column has no name, and CQL needs one. Rename it.")


def _rule_cases(plain: PlainList) -> list[str]:
    """The number of the first rule whose conditions are all true; null is not true."""
    *rules, default = plain.rules
    if not rules:
        return ["  1"]
    lines = ["  case"]
    for number, rule in enumerate(rules, 1):
        tests = " and ".join(map(_test, rule.tests))
        lines += [f"    // {rule.words}", f"    when {tests} then {number}"]
    return [*lines, f"    // {default.words}", f"    else {len(plain.rules)}", "  end"]


def _cases(plain: PlainList, answer: Result) -> list[str]:
    """What follows from each rule."""
    label = label_type(plain.labels) if answer.name == LABEL else "Decimal"
    values = [_label(value, label) for value in answer.values]
    if len(values) == 1:
        return [f"  {values[0]}"]
    lines = [f"    when {number} then {value}" for number, value in enumerate(values[:-1], 1)]
    return [f"  case {identifier(RULE)}", *lines, f"    else {values[-1]}", "  end"]


# ------------------------------------------------------------------------------- literals


def identifier(name: str) -> str:
    """A name in quotes."""
    return '"' + _escaped(name, '"') + '"'


def string(text: str) -> str:
    """Text in quotes."""
    return "'" + _escaped(text, "'") + "'"


def _escaped(text: str, quote: str) -> str:
    """Text with its quotes escaped and what cannot be seen spelt out, in units of UTF-16."""
    made = []
    for character in text:
        if character == quote:
            made.append("\\" + quote)
        elif character in ESCAPES:
            made.append(ESCAPES[character])
        elif is_unseen(character):
            units = np.frombuffer(character.encode("utf-16-le", "surrogatepass"), "<u2")
            made += [f"\\u{unit:04x}" for unit in units]
        else:
            made.append(character)
    return "".join(made)


def decimal_literal(value: float, rounding: str = decimal.ROUND_HALF_EVEN) -> str:
    """A number with at most eight decimals, as many as CQL has."""
    exact = Decimal(repr(float(value)))
    if abs(exact) >= LARGEST:
        raise ExportError(f"A rule compares with {value!r}; the numbers of CQL end at 10^20.")
    with decimal.localcontext(prec=60):
        text = f"{exact.quantize(LAST_PLACE, rounding):f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def date_literal(date: np.datetime64, up: bool = False) -> str:
    """A time to the millisecond, in UTC."""
    whole = date.astype("datetime64[ms]")  # rounds down
    text = date_parts(whole + MILLISECOND if up and whole != date else whole)
    return f"@{text[:10]}T{text[11:23]}Z"


def label_type(labels: Sequence[Any]) -> str:
    """The type of the labels; text if they have several types or one that CQL lacks."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        return "Boolean"
    if kinds == {int} and all(abs(label) <= LARGEST_INTEGER for label in labels):
        return "Integer"
    if kinds == {float} and all(map(_is_exact, labels)):
        return "Decimal"
    return "String"


def _label(value: Any, of_type: str) -> str:
    if of_type == "Boolean":
        return "true" if value else "false"
    if of_type == "Integer":
        return str(value)
    return decimal_literal(value) if of_type == "Decimal" else string(str(value))


def _is_exact(value: Any) -> bool:
    """Whether CQL can write a number or time to its last digit."""
    if isinstance(value, np.datetime64):
        return bool(value.astype("datetime64[ms]") == value)
    exact = Decimal(repr(float(value)))
    with decimal.localcontext(prec=60):
        return abs(exact) < LARGEST and exact.quantize(LAST_PLACE) == exact


# ---------------------------------------------------------------------------------- tests


def _test(test: Test) -> str:
    name = identifier(test.column)
    if test.operator == MISSING:
        return f"{name} is null"
    if test.operator in (TRUE, FALSE):
        return f"{name} is {'true' if test.operator == TRUE else 'false'}"
    if test.sort in (NUMBER, DATE):
        return _number_test(name, test)
    if test.sort == BOOLEAN:
        wanted = [v for v in (True, False) if (v in test.values) != (test.operator == UNEQUAL)]
        return _one_of(name, ["true" if value else "false" for value in wanted])
    if test.operator == UNEQUAL:
        return f"{name} != {string(test.value)}"
    return _one_of(name, [string(value) for value in test.values])


def _number_test(name: str, test: Test) -> str:
    """A comparison with a number or time that has no more digits than CQL's own values have.

    Whatever is at most 0.123456789 and has eight decimals is at most 0.12345678. So a cut is
    rounded down or up, as the comparison asks, and no value that CQL has changes sides.
    """
    literal: Callable[[Any], str] = decimal_literal if test.sort == NUMBER else date_literal
    exact = [literal(value) for value in test.values if _is_exact(value)]
    if test.operator == ONE_OF:
        return _one_of(name, exact)
    if test.operator == UNEQUAL:
        return f"{name} != {exact[0]}" if exact else f"{name} is not null"
    up = test.operator in (AT_LEAST, BELOW)
    assert up or test.operator in (ABOVE, AT_MOST)
    if test.sort == DATE:
        return f"{name} {test.operator} {date_literal(test.value, up)}"
    rounding = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    return f"{name} {test.operator} {decimal_literal(test.value, rounding)}"


def _one_of(name: str, values: Sequence[str]) -> str:
    if not values:
        return "false"
    if len(values) == 1:
        return f"{name} = {values[0]}"
    return f"{name} in {{{', '.join(values)}}}"
