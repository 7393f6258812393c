"""A rule list as a Python function that uses only the standard library."""

from __future__ import annotations

from typing import Any

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

MISSING_VALUE = '''
def _missing(value):
    """None, NaN, NaT and pandas' NA are missing values."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value.is_nan() if type(value).__name__ == "Decimal" else bool(value != value)
'''

NUMBER_OF = '''
def _number(value):
    """A number, NaN where it is missing: no comparison with NaN is true. Durations in days."""
    if _missing(value):
        return float("nan")
    if type(value).__name__ == "timedelta64":
        return _from_numpy(value, "timedelta64[us]") / 86400000000.0
    if hasattr(value, "total_seconds"):
        return _microseconds(value) / 86400000000.0
    if isinstance(value, (str, bytes)) or type(value).__name__.startswith("complex"):
        raise TypeError("expected a number, not " + repr(value)[:60])
    return float(value)
'''

TEXT_OF = '''
def _text(value):
    """A category, None where it is missing; intervals and periods as pandas writes them."""
    if _missing(value):
        return None
    if isinstance(value, str):
        return value
    if type(value).__name__ in ("Interval", "Period"):
        return str(value)
    raise TypeError("expected text, not " + repr(value)[:60])
'''

MICROSECONDS = """
def _microseconds(duration):
    seconds = duration.days * 86400 + duration.seconds
    return seconds * 1000000 + duration.microseconds
"""

FROM_NUMPY = """
def _from_numpy(value, unit):
    found, own = value.astype(unit), value.dtype.name
    fine = own[-4:] in ("[ns]", "[ps]", "[fs]", "[as]")
    if own in ("timedelta64", "timedelta64[Y]", "timedelta64[M]"):
        raise ValueError("expected a duration in days, not " + repr(value)[:60])
    if found.astype(value.dtype) != value and not fine:
        raise ValueError("expected a time that microseconds can count, not " + repr(value)[:60])
    return int(found.astype("int64"))
"""

DATE_OF = '''
def _date(value):
    """Microseconds since 1970, in UTC, of a date, a time or ISO text; NaN where it is missing."""
    if _missing(value):
        return float("nan")
    if isinstance(value, str):
        value = _from_iso(value)
    if type(value).__name__ == "datetime64":
        return _from_numpy(value, "datetime64[us]")
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.replace(tzinfo=None) - value.utcoffset()
        return _microseconds(value - datetime.datetime(1970, 1, 1))
    if isinstance(value, datetime.date):
        return _microseconds(value - datetime.date(1970, 1, 1))
    raise TypeError("expected a date, not " + repr(value)[:60])
'''

FROM_ISO = '''
def _from_iso(text):
    """A time from ISO text such as 2020-01-31, 2020-01-31T12:30 or 2020-01-31 12:30:00.5+02:00."""
    found = re.fullmatch(
        r"(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.](\\d+))?)?"
        r"(?:Z|([+-])(\\d\\d):(\\d\\d))?)?", text, re.ASCII)
    if found is None or int(found[9] or 0) > 14 or int(found[10] or 0) > 59:
        raise ValueError("expected an ISO date, not " + repr(text)[:60])
    year, month, day, hour, minute, second, fraction, sign, ahead, minutes = found.groups("0")
    time = datetime.datetime(int(year), int(month), int(day), int(hour), int(minute), int(second),
                             int(fraction[:6].ljust(6, "0")))
    offset = datetime.timedelta(hours=int(ahead), minutes=int(minutes))
    return time + offset if sign == "-" else time - offset
'''

# what each function calls, in the order of their definitions
HELPERS = {
    "_missing": (MISSING_VALUE, ()),
    "_number": (NUMBER_OF, ("_missing", "_microseconds", "_from_numpy")),
    "_text": (TEXT_OF, ("_missing",)),
    "_microseconds": (MICROSECONDS, ()),
    "_from_numpy": (FROM_NUMPY, ()),
    "_date": (DATE_OF, ("_missing", "_microseconds", "_from_numpy", "_from_iso")),
    "_from_iso": (FROM_ISO, ()),
}


def to_python(model: Any, which: str | None = None) -> str:
    """Source of a module with predict(row): row is a dict by column name."""
    plain = plain_list(model, which)
    lines = [f"# {line}" for line in plain.header]
    helpers = _helpers(plain)
    if "_date" in helpers:
        lines += ["", "import datetime", "import re"]
    lines += ["", f"LABELS = {list(plain.labels)!r}", f"COLUMNS = {list(plain.sorts)!r}"]
    for name in helpers:
        lines += ["", HELPERS[name][0].rstrip()]
    lines += ["", "", "def predict(row):"]
    lines += [
        '    """Probability of each of LABELS, the most probable label, and the rule (from 1)."""'
    ]
    lines += ["    absent = [name for name in COLUMNS if name not in row]"]
    lines += ["    if absent:", "        raise KeyError(absent[0])"]
    for number, rule in enumerate(plain.rules, 1):
        result = f"return {_result(plain, rule, number)}"
        if rule.tests:
            lines += [f"    if {' and '.join(map(_test, rule.tests))}:", f"        {result}"]
        else:
            lines.append(f"    {result}")
    return "\n".join(lines) + "\n"


def _helpers(plain: PlainList) -> list[str]:
    """The functions that this list needs, and no others."""
    asked = {_reader(test) for rule in plain.rules for test in rule.tests}
    asked |= {called for name in asked for called in HELPERS[name][1]}
    return [name for name in HELPERS if name in asked]


def _reader(test: Test) -> str:
    """The function that a test reads its column with."""
    if test.operator == MISSING:
        return "_missing"
    return {DATE: "_date", NUMBER: "_number", BOOLEAN: "_number"}.get(test.sort, "_text")


def _result(plain: PlainList, rule: PlainRule, number: int) -> str:
    label, shares = plain.labels[rule.best], list(rule.probabilities)
    return f'{{"rule": {number}, "label": {label!r}, "probabilities": {shares!r}}}'


def _test(test: Test) -> str:
    value = f"{_reader(test)}(row[{test.column!r}])"
    if test.operator == MISSING:
        return value
    if test.sort == DATE:
        return _number_test(value, test, tuple(map(date_microseconds, test.values)))
    if test.sort in (NUMBER, BOOLEAN):
        return _number_test(value, test, tuple(map(float, test.values)))
    if test.operator == UNEQUAL:
        return f"{value} not in (None, {test.value!r})"
    return _one_of(value, tuple(test.values))


def _number_test(number: str, test: Test, values: tuple[float, ...]) -> str:
    if test.operator in (TRUE, FALSE):
        return f"{number} == {1.0 if test.operator == TRUE else 0.0!r}"
    if test.operator == ONE_OF:
        return _one_of(number, values)
    if test.operator in (ABOVE, AT_MOST, AT_LEAST, BELOW):
        return f"{number} {test.operator} {values[0]!r}"
    return f"({number} < {values[0]!r} or {number} > {values[0]!r})"  # unequal, and no NaN


def _one_of(value: str, values: tuple[Any, ...]) -> str:
    return f"{value} == {values[0]!r}" if len(values) == 1 else f"{value} in {values!r}"
