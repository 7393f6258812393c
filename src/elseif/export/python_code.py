"""A rule list as a Python function that needs nothing but Python."""

from __future__ import annotations

from typing import Any

from elseif.export.plain import (
    BOOLEAN,
    DATE,
    NUMBER,
    PlainList,
    PlainRule,
    Test,
    date_parts,
    plain_list,
)
from elseif.tables.conditions import (
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

HELPERS = '''
def _missing(value):
    """None, NaN, NaT and pandas' NA are missing values."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value)


def _number(value):
    """A number, NaN where it is missing: no comparison with NaN is true."""
    if isinstance(value, (str, bytes)):
        raise TypeError("expected a number, not the text " + repr(value)[:60])
    return float("nan") if _missing(value) else float(value)


def _text(value):
    """A category, None where it is missing."""
    return None if _missing(value) else value


def _date(value):
    """A date or time (or its ISO text, in UTC) as text that sorts as time does; "" if missing."""
    if _missing(value):
        return ""
    if isinstance(value, (int, float)):
        raise TypeError("expected a date, not the number " + repr(value)[:60])
    if getattr(value, "tzinfo", None) is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)
    text = str(value).replace("T", " ")[:26]
    return text + "0000-00-00 00:00:00.000000"[len(text):]
'''


def to_python(model: Any, which: str = "point") -> str:
    """Source of a module with predict(row): row is a dict by column name."""
    plain = plain_list(model, which)
    lines = [f"# {line}" for line in plain.header]
    lines += ["", f"LABELS = {list(plain.labels)!r}", f"COLUMNS = {list(plain.sorts)!r}", ""]
    lines += [HELPERS, "", "def predict(row):"]
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


def _result(plain: PlainList, rule: PlainRule, number: int) -> str:
    label, shares = plain.labels[rule.best], list(rule.probabilities)
    return f'{{"rule": {number}, "label": {label!r}, "probabilities": {shares!r}}}'


def _test(test: Test) -> str:
    value = f"row[{test.column!r}]"
    if test.operator == MISSING:
        return f"_missing({value})"
    if test.sort == DATE:
        return _date_test(f"_date({value})", test)
    if test.sort in (NUMBER, BOOLEAN):
        return _number_test(f"_number({value})", test)
    if test.operator == UNEQUAL:
        return f"_text({value}) not in (None, {test.value!r})"
    return f"_text({value}) in {tuple(test.values)!r}"


def _number_test(number: str, test: Test) -> str:
    if test.operator in (TRUE, FALSE):
        return f"{number} == {1.0 if test.operator == TRUE else 0.0!r}"
    if test.operator == ONE_OF:
        return f"{number} in {tuple(map(float, test.values))!r}"
    if test.operator in (ABOVE, AT_MOST, AT_LEAST, BELOW):
        return f"{number} {test.operator} {test.value!r}"
    return f"({number} < {test.value!r} or {number} > {test.value!r})"  # unequal, and no NaN


def _date_test(date: str, test: Test) -> str:
    dates = tuple(map(date_parts, test.values))
    if test.operator == ONE_OF:
        return f"{date} in {dates!r}"
    if test.operator in (ABOVE, AT_LEAST):
        return f"{date} {test.operator} {dates[0]!r}"
    if test.operator in (BELOW, AT_MOST):
        return f"'' < {date} {test.operator} {dates[0]!r}"
    return f"{date} not in ('', {dates[0]!r})"
