"""A path of projected lists as text and as HTML: a table of lengths, and the chosen list."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from elseif.showing.list_html import html_table, rule_list_html
from elseif.showing.thin_lines import FEW

if TYPE_CHECKING:
    from elseif.projection.path import PathScores, ProjectionPath


def path_text(path: ProjectionPath, width: int = 100, length: int | None = None) -> str:
    """The table of lengths, what it suggests, and the list of the chosen length."""
    chosen = path.chosen if length is None else length
    lines = [table_text(path)]
    for line in path_lines(path):
        lines += ["", *textwrap.wrap(line, width)]
    return "\n".join([*lines, "", path[chosen].to_text(width=width)])


def table_text(path: ProjectionPath) -> str:
    """The table alone."""
    heads, rows = path_table(path)
    wide = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    return "\n".join(
        "  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)).rstrip()
        for row in (heads, *rows)
    )


def path_html(path: ProjectionPath) -> str:
    """The same for a notebook."""
    heads, rows = path_table(path)
    parts = [html_table(heads, rows, numbers=range(len(heads)))]
    parts += [f"<p>{escape(line)}</p>" for line in path_lines(path)]
    return f"<div>{''.join(parts)}{rule_list_html(path[path.chosen])}</div>"


def path_table(path: ProjectionPath) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and rows: a length each, then the point estimate and the posterior to compare with."""
    scores = path.scores
    heads: tuple[str, ...] = ("rules", "distance")
    rows: list[tuple[str, ...]] = [
        (f"at most {m}" if len(path[m]) < m else f"{m}", f"{distance:.4f}")
        for m, distance in enumerate(path.distances.tolist())
    ]
    rows.append(("point estimate", f"{path.point_distance:.4f}"))
    rows.append(("posterior", f"{0:.4f}"))
    if scores is None:
        return heads, rows
    losses = [*scores.log_loss.tolist(), scores.point_log_loss, scores.posterior_log_loss]
    aucs = [*scores.auc.tolist(), scores.point_auc, scores.posterior_auc]
    gaps = [
        f"{gap:+.4f} ± {error:.4f}" if error else "lowest"
        for gap, error in zip(
            scores.log_loss_gap.tolist(), scores.log_loss_gap_error.tolist(), strict=True
        )
    ]
    marks = ["<- suggested" if m == scores.suggested else "" for m in range(len(path))]
    cells = zip(rows, losses, [*gaps, "", ""], aucs, [*marks, "", ""], strict=True)
    return (
        (*heads, "log loss", "above the lowest", "AUC", ""),
        [(*row, f"{loss:.4f}", gap, f"{auc:.3f}", mark) for row, loss, gap, auc, mark in cells],
    )


def path_lines(path: ProjectionPath) -> list[str]:
    """What the numbers mean, and what they suggest."""
    lines = [
        "Distance: how far a list is from the posterior's predictions, in nats per training row: "
        "the mean of what it loses of their information and of their AUC."
    ]
    is_short = any(len(each) < m for m, each in enumerate(path))
    if is_short or path.point_distance < path.distances.min():
        lines.append(
            f"Of a projected list with rules, every line has at least {FEW} training observations; "
            "other lists may be longer, or closer to the posterior."
        )
    if path.scores is not None:
        lines.append(
            f"Log loss and AUC are out of sample, from {path.scores.folds} folds of "
            f"{path.scores.n:,} rows; everything was learnt again in each. "
            f"{suggestion_words(path.scores)}"
        )
    return lines


def suggestion_words(scores: PathScores) -> str:
    """Which length is suggested, and why."""
    m = scores.suggested
    words = (
        f"Suggested: {_rules(m)}, the fewest whose AUC is within 0.01 of the "
        "highest, of the lengths whose log loss is within two standard errors of the lowest."
    )
    if m == len(scores.auc) - 1:
        words += " This is the longest list that was tried; a longer one may do better."
    if scores.point_auc > scores.auc[m] and scores.point_log_loss < scores.log_loss[m]:
        words += " The point estimate did better in both."
    return words


def _rules(n: int) -> str:
    return "1 rule" if n == 1 else f"{n} rules"
