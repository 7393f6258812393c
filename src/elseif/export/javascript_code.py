"""A rule list as a JavaScript function without dependencies."""

from __future__ import annotations

import json
import re
from typing import Any

from elseif.conditions.condition import FALSE, MISSING, ONE_OF, TRUE, UNEQUAL
from elseif.export.plain import (
    BOOLEAN,
    DATE,
    NUMBER,
    PlainList,
    PlainRule,
    Test,
    date_microseconds,
    plain_list,
)

MISSING_VALUE = r"""
  const missing = (value) =>
    value === null || value === undefined || Number.isNaN(value) ||
    (value instanceof Date && Number.isNaN(value.getTime()));
"""
NUMBER_OF = r"""
  // a number, NaN where it is missing: no comparison with NaN is true
  const number = (value) => {
    if (missing(value)) return NaN;
    if (typeof value === "number") return value;
    if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
    throw new TypeError("expected a number, not " + String(value).slice(0, 60));
  };
"""
TEXT_OF = r"""
  const text = (value) => {
    if (missing(value)) return null;
    if (typeof value === "string") return value;
    throw new TypeError("expected text, not " + String(value).slice(0, 60));
  };
"""
DATE_OF = r"""
  // microseconds since 1970, in UTC: of a Date, of its getTime(), or of ISO text
  const date = (value) => {
    if (missing(value)) return NaN;
    if (value instanceof Date) return value.getTime() * 1000;
    if (Number.isFinite(value)) return value * 1000;
    const shape = new RegExp(
      "^(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d+))?)?" +
        "(?:Z|([+-])(\\d\\d):(\\d\\d))?)?$");
    const iso = typeof value === "string" ? shape.exec(value) : null;
    const [y, m, d, hour, minute, second] = (iso || []).slice(1, 7).map((part) => +(part || 0));
    const day = new Date(0);
    day.setUTCFullYear(y, m - 1, d);
    const exists = iso && y > 0 && day.getUTCMonth() === m - 1 && day.getUTCDate() === d;
    const wrong = hour > 23 || minute > 59 || second > 59;
    if (!exists || wrong || +(iso[9] || 0) > 14 || +(iso[10] || 0) > 59) {
      throw new TypeError("expected a date, not " + String(value).slice(0, 60));
    }
    const ahead = (Number(iso[9] || 0) * 60 + Number(iso[10] || 0)) * (iso[8] === "-" ? -1 : 1);
    const seconds = hour * 3600 + (minute - ahead) * 60 + second;
    return day.getTime() * 1000 + seconds * 1e6 + Number((iso[7] || "").slice(0, 6).padEnd(6, "0"));
  };
"""
HELPERS = {"missing": MISSING_VALUE, "number": NUMBER_OF, "text": TEXT_OF, "date": DATE_OF}
LARGEST_WHOLE = 2**53 - 1
# invisible characters, and those that would end a script in a page, are spelt out
_ESCAPED = re.compile(r"[^\x20-\x7e\u00a1-\u024f\u0370-\u052f\u3040-\u30ff\u4e00-\u9fff]|[<>&\xad]")


def to_javascript(model: Any, which: str | None = None) -> str:
    """Source of a script with predict(row): row is an object by column name."""
    plain = plain_list(model, which)
    lines = [f"// {line}" for line in plain.header]
    lines += ["const predict = (() => {", '  "use strict";']
    lines += [HELPERS[name].rstrip() for name in _helpers(plain)]
    lines += ["", f"  const labels = {js(_labels(plain))};", ""]
    lines += ["  // probabilities are in the order of predict.labels; rules are counted from 1"]
    lines += ["  const predict = (row) => {"]
    for number, rule in enumerate(plain.rules, 1):
        result = f"return {_result(plain, rule, number)};"
        if rule.tests:
            lines += [f"    if ({' && '.join(map(_test, rule.tests))}) {{"]
            lines += [f"      {result}", "    }"]
        else:
            lines.append(f"    {result}")
    lines += ["  };", "  predict.labels = labels;", f"  predict.columns = {js(list(plain.sorts))};"]
    lines += ["  return predict;", "})();"]
    lines += ['if (typeof module === "object" && module.exports) module.exports = { predict };']
    return "\n".join(lines) + "\n"


def _helpers(plain: PlainList) -> list[str]:
    """The functions that this list needs, and no others."""
    asked = {_reader(test) for rule in plain.rules for test in rule.tests}
    return [name for name in HELPERS if name in asked or (name == "missing" and asked)]


def _reader(test: Test) -> str:
    """The function that a test reads its column with."""
    if test.operator == MISSING:
        return "missing"
    return {DATE: "date", NUMBER: "number", BOOLEAN: "number"}.get(test.sort, "text")


def js(value: Any) -> str:
    """A literal that means the same in a script, in a page and in an editor."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _ESCAPED.sub(lambda m: _escape(m[0]), text)


def _escape(character: str) -> str:
    if ord(character) > 0xFFFF:
        return json.dumps(character)[1:-1]  # as a pair of surrogates
    return f"\\u{ord(character):04x}"


def _labels(plain: PlainList) -> list[Any]:
    """Labels as JavaScript has them; all of them text where one is too large a number."""
    too_large = [isinstance(v, int) and abs(v) > LARGEST_WHOLE for v in plain.labels]
    return [str(label) for label in plain.labels] if any(too_large) else list(plain.labels)


def _result(plain: PlainList, rule: PlainRule, number: int) -> str:
    label = js(_labels(plain)[rule.best])
    return f"{{ rule: {number}, label: {label}, probabilities: {js(list(rule.probabilities))} }}"


def _test(test: Test) -> str:
    value = f"{_reader(test)}(row[{js(test.column)}])"
    if test.operator == MISSING:
        return value
    if test.sort in (NUMBER, BOOLEAN, DATE):
        return _number_test(value, test)
    if test.operator == UNEQUAL:
        return f"![null, {js(test.value)}].includes({value})"
    return _one_of(value, [js(each) for each in test.values])


def _number_test(number: str, test: Test) -> str:
    if test.operator in (TRUE, FALSE):
        return f"{number} === {1 if test.operator == TRUE else 0}"
    if test.sort == DATE:
        numbers = [js(date_microseconds(v)) for v in test.values]
    else:
        numbers = [js(float(v)) for v in test.values]
    if test.operator == ONE_OF:
        return _one_of(number, numbers)
    if test.operator == UNEQUAL:  # and no NaN
        return f"({number} < {numbers[0]} || {number} > {numbers[0]})"
    return f"{number} {test.operator} {numbers[0]}"


def _one_of(value: str, literals: list[str]) -> str:
    if len(literals) == 1:
        return f"{value} === {literals[0]}"
    return f"[{', '.join(literals)}].includes({value})"
