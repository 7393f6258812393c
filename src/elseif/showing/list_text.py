"""A rule list as plain text, in the shape of the paper's figure 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elseif.model.consequent import consequent_interval
from elseif.showing.line_heads import line_head
from elseif.showing.numbers import count_text, decimals_for, interval_text, percent
from elseif.showing.wrapping import display_width, pad, wrap, wrap_words
from elseif.tables.labels import label_place
from elseif.visible import show_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elseif.posterior.rule_list import Rule, RuleList

LEAST_ROOM = 24  # columns for conditions next to what follows
MOST_LABELS = 3  # shown on a line when there are many


def rule_list_text(
    rule_list: RuleList,
    label: Any = None,
    level: float = 0.95,
    decimals: int | None = None,
    width: int = 100,
) -> str:
    """Lines of if ... else if ... else, each with probability, interval and n."""
    positions = shown_labels(rule_list, label)
    if decimals is None:
        decimals = enough_decimals(rule_list, positions, level)
    named = len(positions) > 1  # one label is named in the head of the list
    lines = [
        _Line(
            line_head(j, len(rule_list)),
            rule.metadata.display.parts(rule.antecedent, show_name),
            consequent_parts(rule, positions, level, decimals, named),
            count_text(rule.n),
        )
        for j, rule in enumerate(rule_list.rules)
    ]
    sentences = _caption(rule_list, positions, level)
    if display_width(". ".join(sentences)) <= width:
        sentences = [". ".join(sentences)]
    caption = [line for each in sentences for line in wrap_words(each.split(" "), width)]
    return "\n".join([*caption, *(_beside(lines, width) or _below(lines, width))])


@dataclass(frozen=True)
class _Line:
    head: str
    conditions: tuple[str, ...]
    results: list[str]
    count: str


def _beside(lines: Sequence[_Line], width: int) -> list[str] | None:
    """Conditions with what follows beside them; None where that leaves conditions no room."""
    head_width = max(len(line.head) for line in lines)
    count_width = max(len(line.count) for line in lines)
    results = [", ".join(line.results) for line in lines]
    result_width = max(map(display_width, results))
    room = width - head_width - result_width - count_width - len("  then    n = ")
    longest = max(display_width(" and ".join(line.conditions)) for line in lines)
    if room < min(longest, LEAST_ROOM):
        return None
    condition_width = min(longest, room)
    shown = []
    for line, result in zip(lines, results, strict=True):
        *above, last = wrap(line.conditions, condition_width)
        heads = [line.head, *[""] * len(above)]
        shown += [
            f"{head:<{head_width}} {text}".rstrip()
            for head, text in zip(heads, above, strict=False)
        ]
        then = "then" if line.conditions else "    "
        shown.append(
            f"{heads[-1]:<{head_width}} {pad(last, condition_width)} {then} "
            f"{pad(result, result_width)}  n = {line.count:>{count_width}}"
        )
    return shown


def _below(lines: Sequence[_Line], width: int) -> list[str]:
    """Conditions with what follows on the lines below them, for narrow windows and many labels."""
    head_width = max(len(line.head) for line in lines)
    margin = " " * (head_width + 1)
    room = max(8, width - len(margin))
    shown = []
    for line in lines:
        texts = wrap(line.conditions, room) if line.conditions else []
        results = [f"{part}," for part in line.results[:-1]] + line.results[-1:]
        first = f"then {results[0]}" if line.conditions else results[0]
        texts += wrap_words([first, *results[1:]], room)
        count = f"n = {line.count}"
        if display_width(texts[-1]) + len(count) + 2 <= room:
            texts[-1] += f"  {count}"
        else:
            texts.append(count)
        shown.append(f"{line.head:<{head_width}} {texts[0]}")
        shown += [f"{margin}{text}" for text in texts[1:]]
    return shown


def shown_labels(rule_list: RuleList, label: Any = None) -> list[int]:
    """Indices of the labels to show: the positive one of two, or all."""
    if label is not None:
        return [label_place(label, rule_list.classes)]
    n = len(rule_list.classes)
    return [n - 1] if n == 2 else list(range(n))


def enough_decimals(rule_list: RuleList, positions: Sequence[int], level: float) -> int:
    """As many decimals of a percentage as the narrowest interval deserves."""
    narrowest = min(
        (
            high - low
            for rule in rule_list.rules
            for low, high in [
                consequent_interval(rule.label_counts, rule.pseudocounts, p, level)
                for p in positions
            ]
        ),
        default=1.0,
    )
    return decimals_for(narrowest)


def consequent_text(
    rule: Rule, positions: Sequence[int], level: float, decimals: int, named: bool = True
) -> str:
    """Labels with probability and interval, the most probable first."""
    return ", ".join(consequent_parts(rule, positions, level, decimals, named))


def consequent_parts(
    rule: Rule, positions: Sequence[int], level: float, decimals: int, named: bool
) -> list[str]:
    """What ``consequent_text`` joins, a part for each label that is shown."""
    order = sorted(positions, key=lambda position: -rule.probabilities[position])
    parts = []
    # of many labels, the likeliest: the rest would hide them
    shown = order if len(order) <= MOST_LABELS + 1 else order[:MOST_LABELS]
    for position in shown:
        low, high = consequent_interval(rule.label_counts, rule.pseudocounts, position, level)
        name = f"{show_name(rule.metadata.label_names[position])} " if named else ""
        parts.append(f"{name}{interval_text(rule.probabilities[position], low, high, decimals)}")
    rest = order[len(shown) :]
    if rest:
        share = percent(sum(rule.probabilities[position] for position in rest), decimals)
        parts.append(f"{len(rest)} others {share}")
    return parts


def _caption(rule_list: RuleList, positions: Sequence[int], level: float) -> list[str]:
    """What the list gives the probability of, and how its counts are rounded."""
    metadata = rule_list.metadata
    interval = f"{100 * level:g}% credible interval"
    of = show_name(metadata.probability_of(positions[0])) if len(positions) == 1 else "each label"
    rounded = [] if metadata.rounding is None else [metadata.rounding.sentence]
    return [f"Probability of {of} ({interval})", *rounded]
