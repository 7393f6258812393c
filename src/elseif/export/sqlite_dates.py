"""Dates in SQLite, which has text in place of them: read as ISO 8601 and made equally long."""

from __future__ import annotations

from functools import cache
from typing import Any

Tree = Any  # an expression of sqlglot's, whose classes change names between its releases

# The steps are selections within each other, each of one row, so that what they have in common
# is written once. What is no ISO date raises an error that shows it: SQLite has no other way to
# say so than a function that fails. NULL stays NULL. SQLite reads February 30th as March 1st once
# it has to count, which distinguishes valid days from others.
STEPS = """
SELECT CASE
  WHEN (F_LENGTH(time) IN (10, 16, 19) OR F_LENGTH(time) > 20)
    AND whole GLOB 'dddd-dd-dd dd:dd:dd.dddddd*' AND NOT F_SUBSTR(whole, 27) GLOB '*[^0-9]*'
    AND F_STRFTIME('%Y-%m-%d', F_SUBSTR(whole, 1, 10), '+0 days') = F_SUBSTR(whole, 1, 10)
    AND F_SUBSTR(whole, 12) < '24' AND F_SUBSTR(whole, 15) < '60' AND F_SUBSTR(whole, 18) < '60'
    AND whole > '0001' AND F_STRFTIME('%Y', F_SUBSTR(whole, 1, 16) || zone) IS NOT NULL
  THEN F_STRFTIME('%Y-%m-%d %H:%M', F_SUBSTR(whole, 1, 16) || zone) || F_SUBSTR(whole, 17, 10)
  ELSE F_JSON_EXTRACT('{}', 'no ISO date: ' || blank) END
FROM (
  SELECT blank, zone, time,
    time || F_SUBSTR('0000-00-00 00:00:00.000000', F_LENGTH(time) + 1) AS whole
  FROM (
    SELECT blank, zone, F_SUBSTR(blank, 1, F_LENGTH(blank) - F_LENGTH(zone)) AS time
    FROM (
      SELECT blank, CASE WHEN blank GLOB '*:*[+-]dd:dd' THEN F_SUBSTR(blank, -6)
        WHEN blank GLOB '*:*Z' THEN 'Z' ELSE '' END AS zone
      FROM (SELECT F_REPLACE(given, 'T', ' ') AS blank) AS a
    ) AS b
  ) AS c
) AS e
"""


def utc_text(column: Tree) -> Tree:
    """A column's text as YYYY-MM-DD HH:MM:SS.ffffff in UTC, which sorts as time does."""
    from sqlglot import exp

    made = _steps().copy()
    for position in list(made.find_all(exp.Column)):
        if position.name == "given":
            position.replace(column.copy())
    return exp.paren(made, copy=False)


@cache
def _steps() -> Tree:
    import sqlglot
    from sqlglot import exp

    def completed(node: Tree) -> Tree:
        if isinstance(node, exp.Glob):
            pattern = node.expression.name.replace("d", "[0-9]")
            node.set("expression", exp.Literal.string(pattern))
        if isinstance(node, exp.Anonymous):  # so named that no release of sqlglot translates it
            node.set("this", node.name.removeprefix("F_"))
        return node

    return sqlglot.parse_one(STEPS).transform(completed)
