"""A draft as text and as HTML: the list, what it costs, and what was done."""

from __future__ import annotations

import math
import textwrap
from html import escape
from typing import TYPE_CHECKING

from elseif.showing.list_html import html_table, rule_list_html
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.editing.draft import Draft

LARGEST_FACTOR = 1e6  # beyond it, a power of e is read more easily


def draft_text(draft: Draft, width: int = 100) -> str:
    """The list and its cost as plain text."""
    lines = [draft.rule_list.to_text(width=width), ""]
    for line in price_lines(draft):
        lines += textwrap.wrap(line, width, subsequent_indent="  ")
    if draft.previous is not None:
        lines += ["", "What was done, and the log posterior after it"]
        rows = step_rows(draft)
        wide = max(len(number) for _, number, _ in rows)
        for done, number, change in rows:
            shown = f"  {number:>{wide}}  {done}" + (f" ({change})" if change else "")
            lines += textwrap.wrap(shown, width, subsequent_indent=" " * (wide + 4))
    return "\n".join(lines)


def draft_html(draft: Draft) -> str:
    """The list and its cost for a notebook."""
    parts = [rule_list_html(draft.rule_list)]
    parts += [f"<p>{escape(line)}</p>" for line in price_lines(draft)]
    if draft.previous is not None:
        heads = ("what was done", "log posterior", "change")
        parts.append(html_table(heads, step_rows(draft), numbers=(1, 2)))
    return f"<div>{''.join(parts)}</div>"


def price_lines(draft: Draft) -> list[str]:
    """The log posterior in its two parts, and the change from the start in words."""
    lines = [
        f"Log posterior {number(draft.log_posterior)} = log prior {number(draft.log_prior)} "
        f"+ log likelihood {number(draft.log_likelihood)}"
    ]
    if draft.previous is None:
        return lines
    if draft.outside or draft.start.outside:
        display = draft.context.metadata.display
        outside = (*draft.outside, *draft.start.outside)
        names = ", ".join(f"'{show_name(display.text(a), 80)}'" for a in outside)
        lines.append(
            f"Not in the pool: {names}. The prior is over lists of the pool's antecedents and "
            "gives such a list no probability, so only the likelihood can be compared."
        )
    else:
        lines.append(
            f"Compared with the start: {signed(draft.change)} nats, {in_words(draft.change)} "
            f"(prior {signed(draft.change_of_prior)}, likelihood "
            f"{signed(draft.change_of_likelihood)})"
        )
        return lines
    change = draft.change_of_likelihood
    lines.append(
        f"Compared with the start: likelihood {signed(change)} nats, the labels are "
        f"{in_words(change)} under it"
    )
    return lines


def step_rows(draft: Draft) -> list[tuple[str, str, str]]:
    """What was done, the log posterior after it, and the change that it made."""
    rows = []
    for step in draft.steps:
        before = step.previous
        change = "" if before is None else signed(step.log_posterior - before.log_posterior)
        if before is not None and (step.outside or before.outside):
            change = f"likelihood {signed(step.log_likelihood - before.log_likelihood)}"
        rows.append((step.done, number(step.log_posterior), change))
    return rows


def number(value: float) -> str:
    """Two decimals; in words where the prior has nothing to say."""
    return "-∞" if math.isinf(value) else f"{value:.2f}"


def signed(value: float) -> str:
    """With its sign: +0.51, -3.20."""
    if math.isinf(value) or math.isnan(value):
        return "-∞" if value < 0 else "not comparable"
    return f"{value + 0.0:+.2f}"


def in_words(change: float) -> str:
    """What a difference of log probabilities means: "24 times less probable"."""
    if abs(change) < 0.005:
        return "just as probable"
    which = "less" if change < 0 else "more"
    size = abs(change)
    if math.exp(min(size, 700)) > LARGEST_FACTOR:
        return f"e^{size:.2f} times {which} probable"
    factor = math.exp(size)
    shown = f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"
    return f"e^{size:.2f} = {shown} times {which} probable"
