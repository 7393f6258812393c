"""A rule list as a small piece of HTML for notebooks."""

from __future__ import annotations

from html import escape

from elseif.posterior.rule_list import RuleList
from elseif.posterior.text import (
    consequent_text,
    count_text,
    enough_decimals,
    show_name,
    shown_labels,
)

STYLE = "text-align:left;padding:0.15em 0.8em;white-space:normal"


def rule_list_html(rule_list: RuleList, level: float = 0.95) -> str:
    """A table of three columns: the condition, the probability, and n."""
    places = shown_labels(rule_list)
    decimals = enough_decimals(rule_list, places, level)
    rows = []
    for j, rule in enumerate(rule_list.rules):
        head = "else" if j == len(rule_list) else "if" if j == 0 else "else if"
        head = "always" if len(rule_list) == 0 else head
        condition = escape(show_name(rule.antecedent.name))
        result = escape(consequent_text(rule, places, level, decimals))
        rows.append(
            f'<tr><td style="{STYLE}"><b>{head}</b> {condition}</td>'
            f'<td style="{STYLE}">{result}</td>'
            f'<td style="{STYLE};text-align:right">{count_text(rule.n)}</td></tr>'
        )
    label = escape(show_name(rule_list.vocabulary.label_names[-1]))
    what = f"probability of {label}" if len(places) == 1 else "probability of each label"
    heads = "".join(
        f'<th scope="col" style="{STYLE}">{head}</th>'
        for head in ("rule", f"{what} ({100 * level:g}% credible interval)", "n")
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
