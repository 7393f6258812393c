"""A rule list as a table of text, for Markdown and LaTeX."""

from __future__ import annotations

from elseif.checks import check_level
from elseif.model.consequent import consequent_interval
from elseif.posterior.rule_list import Rule, RuleList
from elseif.showing.line_heads import line_head
from elseif.showing.list_text import enough_decimals, shown_labels
from elseif.showing.numbers import count_text, interval_text
from elseif.visible import show_name


def table_cells(rule_list: RuleList, level: float) -> tuple[list[str], list[list[str]]]:
    """Titles and cells: if ..., conditions, each label with its interval, n."""
    check_level(level)
    positions = shown_labels(rule_list)
    decimals = enough_decimals(rule_list, positions, level)
    names = rule_list.metadata.label_names
    titles = ["", "condition"]
    titles += [f"{show_name(names[p])} ({100 * level:g}% interval)" for p in positions]
    rows = []
    for number, rule in enumerate(rule_list.rules):
        head = line_head(number, len(rule_list))
        shares = [_share(rule, position, level, decimals) for position in positions]
        rows.append([head, show_name(rule.text), *shares, count_text(rule.n)])
    return [*titles, "n"], rows


def _share(rule: Rule, position: int, level: float, decimals: int) -> str:
    low, high = consequent_interval(rule.label_counts, rule.pseudocounts, position, level)
    return interval_text(rule.probabilities[position], low, high, decimals)
