"""Rule lists and posteriors as small pieces of HTML for notebooks.

No colour is set, so that light and dark themes both show them, and every text is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from elseif.showing.line_heads import line_head
from elseif.showing.list_text import (
    consequent_text,
    enough_decimals,
    shown_labels,
)
from elseif.showing.numbers import count_text, percent
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.posterior.draws import Posterior
    from elseif.posterior.rule_list import RuleList

STYLE = "text-align:left;padding:0.15em 0.8em;white-space:normal;vertical-align:top"
MOST_LISTS = 5
MOST_ANTECEDENTS = 8


def html_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()
) -> str:
    """A table of escaped texts; columns of numbers are right-aligned."""

    def style(column: int) -> str:
        return STYLE.replace("left", "right", 1) if column in numbers else STYLE

    head = "".join(
        f'<th scope="col" style="{style(i)}">{escape(text)}</th>' for i, text in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{style(i)}">{escape(text)}</td>' for i, text in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return (
        f'<table style="margin:0.6em 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def rule_list_html(rule_list: RuleList, level: float = 0.95) -> str:
    """A table: if or else, the condition, the probability, and n."""
    positions = shown_labels(rule_list)
    decimals = enough_decimals(rule_list, positions, level)
    rows = []
    for j, rule in enumerate(rule_list.rules):
        head = line_head(j, len(rule_list))
        result = consequent_text(rule, positions, level, decimals, named=len(positions) > 1)
        rows.append((head, show_name(rule.text), result, count_text(rule.n)))
    label = show_name(rule_list.metadata.probability_of(positions[0]))
    what = f"probability of {label}" if len(positions) == 1 else "probability of each label"
    interval = f"({100 * level:g}% credible interval)"
    table = html_table(("", "rule", f"{what} {interval}", "n"), rows, numbers=(3,))
    rounding = rule_list.metadata.rounding
    return table if rounding is None else f"{table}<p>{escape(rounding.sentence)}</p>"


def posterior_html(posterior: Posterior) -> str:
    """The number of draws, the best lists, and the antecedents included most often."""
    n_chains = len(posterior.chains)
    kind = "chain" if posterior.exact is None else "sequence"
    chains = f"1 {kind}" if n_chains == 1 else f"{n_chains} {kind}s"
    n = len(posterior.distinct)
    lists = "1 distinct list" if n == 1 else f"{n:,} distinct lists"
    shares = "draws" if posterior.exact is None else "probability"
    summary = (
        f"{'' if posterior.exact is None else 'summed over all lists; '}"
        f"{posterior.n_draws:,} draws of {chains}, {lists}, "
        f"{posterior.mean_length:.1f} rules on average"
    )
    best = []
    for i in posterior.best_first[:MOST_LISTS].tolist():
        names = [show_name(posterior.text(a), 80) for a in posterior.distinct.antecedent_list(i)]
        text = "; else if ".join(names) if names else "the default rule alone"
        share = percent(posterior.list_probabilities[i], 1)
        best.append((text, share, f"{posterior.distinct.log_posterior[i]:.2f}"))
    parts = [
        f"<p>{escape(summary)}</p>",
        html_table(("most probable lists", shares, "log posterior"), best, numbers=(1, 2)),
    ]
    if len(posterior.pool):
        parts.append(inclusion_html(posterior.inclusion(), MOST_ANTECEDENTS, shares))
    return f"<div>{''.join(parts)}</div>"


def inclusion_html(inclusion: Mapping[str, float], most: int = 20, shares: str = "draws") -> str:
    """The antecedents included most often, with their shares of the draws."""
    unsteady: frozenset[str] = getattr(inclusion, "unsteady", frozenset())
    texts: Mapping[str, str] = getattr(inclusion, "texts", {})
    shown = [(name, share) for name, share in list(inclusion.items())[:most] if share > 0]
    rows = [
        (show_name(texts.get(name, name), 80), percent(share, 1) + _mark(name in unsteady))
        for name, share in shown
    ]
    table = html_table(("antecedents most often in the list", shares), rows, numbers=(1,))
    marked = any(name in unsteady for name, _ in shown)
    return f"{table}<p>~ not yet steady: another run may differ</p>" if marked else table


def _mark(is_unsteady: bool) -> str:
    return " ~" if is_unsteady else ""
