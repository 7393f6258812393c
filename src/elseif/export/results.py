"""The results of each rule as columns, for decision tables and CQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.checks import check_level
from elseif.export.plain import PlainList
from elseif.visible import show_name

RULE, LABEL = "elseif_rule", "elseif_label"


@dataclass(frozen=True)
class Result:
    """One answer of a list: what it is called, what it means, and its value by rule."""

    name: str
    meaning: str  # in one line
    values: tuple[Any, ...]


def results(plain: PlainList, level: float) -> list[Result]:
    """The rule that applies, the most probable label, and each label's probability and interval."""
    check_level(level)
    rules = plain.rules
    made = [
        Result(RULE, "number of the rule that applies", tuple(range(1, len(rules) + 1))),
        Result(LABEL, "most probable label", tuple(plain.labels[rule.best] for rule in rules)),
    ]
    for position, label in enumerate(plain.labels):
        shown, number = show_name(str(label)), position + 1
        ends = [rule.interval(position, level) for rule in rules]
        of = f"of the {100 * level:g}% credible interval of the probability of {shown}"
        made += [
            Result(
                f"elseif_probability_{number}",
                f"probability of {shown}",
                tuple(rule.probabilities[position] for rule in rules),
            ),
            Result(f"elseif_low_{number}", f"lower end {of}", tuple(low for low, _ in ends)),
            Result(f"elseif_high_{number}", f"upper end {of}", tuple(high for _, high in ends)),
        ]
    return made
