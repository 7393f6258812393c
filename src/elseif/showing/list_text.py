"""A rule list as plain text, in the shape of the paper's figure 1."""

from __future__ import annotations

import textwrap
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.model.consequent import consequent_interval
from elseif.tables.labels import label_place
from elseif.visible import show_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elseif.posterior.rule_list import Rule, RuleList

MOST_LABELS = 3  # shown on a line when there are many


def rule_list_text(
    rule_list: RuleList,
    label: Any = None,
    level: float = 0.95,
    decimals: int | None = None,
    width: int = 100,
) -> str:
    """Lines of if ... else if ... else, each with probability, interval and n."""
    places = shown_labels(rule_list, label)
    if decimals is None:
        decimals = enough_decimals(rule_list, places, level)
    heads = ["if"] + ["else if"] * (len(rule_list) - 1) + ["else"]
    if len(rule_list) == 0:
        heads = ["always"]
    parts = [tuple(map(show_name, rule.antecedent.parts)) for rule in rule_list.rules]
    conditions = [" and ".join(of_rule) for of_rule in parts]
    results = [consequent_text(rule, places, level, decimals) for rule in rule_list.rules]
    counts = [count_text(rule.n) for rule in rule_list.rules]
    head_width = max(map(len, heads))
    count_width = max(map(len, counts))
    result_width = max(map(display_width, results))
    room = width - head_width - result_width - count_width - len("  then    n = ")
    condition_width = min(max(map(display_width, conditions)), max(24, room))
    lines = []
    for head, of_rule, result, count in zip(heads, parts, results, counts, strict=True):
        wrapped = wrap(of_rule, condition_width)
        for line in wrapped[:-1]:
            lines.append(f"{head:<{head_width}} {line}".rstrip())
            head = ""
        then = "then" if of_rule else "    "
        lines.append(
            f"{head:<{head_width}} {pad(wrapped[-1], condition_width)} {then} "
            f"{pad(result, result_width)}  n = {count:>{count_width}}"
        )
    return "\n".join([_caption(rule_list, places, level), *lines])


def shown_labels(rule_list: RuleList, label: Any = None) -> list[int]:
    """Places of the labels to show: the positive one of two, or all."""
    if label is not None:
        return [label_place(label, rule_list.classes)]
    n = len(rule_list.classes)
    return [n - 1] if n == 2 else list(range(n))


def enough_decimals(rule_list: RuleList, places: Sequence[int], level: float) -> int:
    """As many decimals of a percentage as the narrowest interval deserves."""
    narrowest = min(
        (
            high - low
            for rule in rule_list.rules
            for low, high in [
                consequent_interval(rule.label_counts, rule.pseudocounts, p, level) for p in places
            ]
        ),
        default=1.0,
    )
    return int(np.clip(np.ceil(np.log10(0.02 / max(narrowest, 1e-9))), 0, 3))


def consequent_text(
    rule: Rule, places: Sequence[int], level: float, decimals: int, named: bool = True
) -> str:
    """Labels with probability and interval, the most probable first."""
    order = sorted(places, key=lambda place: -rule.probabilities[place])
    parts = []
    # of many labels, the likeliest: the rest would hide them
    shown = order if len(order) <= MOST_LABELS + 1 else order[:MOST_LABELS]
    for place in shown:
        low, high = consequent_interval(rule.label_counts, rule.pseudocounts, place, level)
        name = f"{show_name(rule.metadata.label_names[place])} " if named else ""
        mean = percent(rule.probabilities[place], decimals)
        parts.append(f"{name}{mean} ({percent(low, decimals)}–{percent(high, decimals)})")
    rest = order[len(shown) :]
    if rest:
        share = percent(sum(rule.probabilities[place] for place in rest), decimals)
        parts.append(f"{len(rest)} others {share}")
    return ", ".join(parts)


def percent(share: float, decimals: int) -> str:
    """A share as a percentage."""
    return f"{100 * float(share):.{decimals}f}%"


def count_text(n: float) -> str:
    """A number of observations, with thousands set apart."""
    return f"{n:,.0f}" if n == int(n) else f"{n:,.2f}"


def _caption(rule_list: RuleList, places: Sequence[int], level: float) -> str:
    metadata = rule_list.metadata
    interval = f"{100 * level:g}% credible interval"
    of = show_name(metadata.label_names[places[0]]) if len(places) == 1 else "each label"
    rounded = "" if metadata.rounding is None else f". {metadata.rounding.sentence}"
    return f"Probability of {of} ({interval}){rounded}"


def display_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def pad(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def wrap(conditions: Sequence[str], width: int) -> list[str]:
    """Lines of at most a width, broken between conditions where that suffices."""
    lines = [""]
    for i, condition in enumerate(conditions):
        part = f"and {condition}" if i else condition
        longer = f"{lines[-1]} {part}".lstrip()
        if display_width(longer) <= width:
            lines[-1] = longer
            continue
        if display_width(part) <= width:
            broken = [part]
        else:
            broken = textwrap.wrap(part, max(1, width), break_on_hyphens=False)
        if not lines[-1]:
            lines.pop()
        lines += broken
    return lines
