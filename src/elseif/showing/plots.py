"""Figures of rule lists and posteriors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.checks import check_level
from elseif.errors import ParamError
from elseif.model.consequent import consequent_interval
from elseif.showing.figures import (
    COLOURS,
    INK,
    MEDIUM,
    MUTED,
    SMALL,
    SOFT,
    escape_mathtext,
    new_figure,
    tidy,
)
from elseif.showing.line_heads import line_head
from elseif.showing.list_text import enough_decimals, shown_labels
from elseif.showing.numbers import count_text, interval_text, percent
from elseif.showing.probability_axis import probability_end
from elseif.showing.wrapping import wrap
from elseif.visible import show_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from elseif.posterior.draws import Posterior
    from elseif.posterior.rule_list import RuleList

NAME_WIDTH = 44  # characters of a line of text next to a picture
LONGEST = 120
MOST_POINTS = 2000  # of a chain's trace
MOST_CHAINS = 8
LEAST_SHARE = 5e-4  # of a number of rules, to be drawn
LIKELIEST = 3  # labels drawn where there are too many to distinguish


def plot_rule_list(rule_list: RuleList, label: Any = None, level: float = 0.95) -> Figure:
    """The rules on the left; probabilities with their credible intervals on the right."""
    check_level(level)
    positions = shown_labels(rule_list, label)
    if len(positions) > len(COLOURS):
        totals = np.sum([rule.label_counts for rule in rule_list.rules], axis=0)
        positions = sorted(np.argsort(-totals, kind="stable")[:LIKELIEST].tolist())
    texts = [_rule_text(rule_list, j) for j in range(len(rule_list.rules))]
    height = sum(max(0.5, 0.22 * text.count("\n") + 0.4) for text in texts)
    height = max(height, 0.22 * len(positions) * len(texts))
    figure = new_figure(8.5, 0.9 + height + 0.25 * (len(positions) > 1))
    axes = figure.subplots()
    decimals = enough_decimals(rule_list, positions, level)
    highest = max(
        consequent_interval(rule.label_counts, rule.pseudocounts, position, level)[1]
        for rule in rule_list.rules
        for position in positions
    )
    for k, position in enumerate(positions):
        shift = 0.0 if len(positions) == 1 else 0.6 * (k / (len(positions) - 1) - 0.5)
        colour = SOFT if len(positions) == 1 else COLOURS[k]
        _draw_label(axes, rule_list, position, shift, colour, level, many=len(positions) > 1)
        if len(positions) == 1:
            _write_numbers(axes, rule_list, position, level, decimals)
    if len(positions) > 1:
        for j in range(1, len(texts), 2):  # bands hold a rule's labels together
            axes.axhspan(j - 0.5, j + 0.5, color=MUTED, alpha=0.1, linewidth=0)
    axes.set_yticks(range(len(texts)), texts)
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.set_xlim(0, probability_end(highest))
    tidy(axes, percent="x", grid="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0, labelsize=MEDIUM)
    interval = f"with its {100 * level:g}% credible interval"
    if len(positions) == 1:
        name = escape_mathtext(show_name(rule_list.metadata.probability_of(positions[0]), 60))
        axes.set_xlabel(f"probability of {name}, {interval}")
    else:
        axes.set_xlabel(f"probability of each label, {interval}")
        figure.legend(loc="outside upper right", ncols=min(4, len(positions)), frameon=False)
    return figure


def _rule_text(rule_list: RuleList, j: int) -> str:
    rule = rule_list[j]
    head = line_head(j, len(rule_list)) + (" " if rule.antecedent else "")
    parts = rule.metadata.display.parts(rule.antecedent)
    first, *others = [show_name(part, LONGEST) for part in parts] or [""]
    name = escape_mathtext("\n".join(wrap([head + first, *others], NAME_WIDTH)))
    return f"{name}\nn = {count_text(rule.n)}"


def _draw_label(
    axes: Any,
    rule_list: RuleList,
    position: int,
    shift: float,
    colour: str,
    level: float,
    many: bool,
) -> None:
    """One label's bars and points, one to a rule; smaller where there are many labels."""
    name = escape_mathtext(show_name(rule_list.metadata.label_names[position], 40))
    for j, rule in enumerate(rule_list.rules):
        low, high = consequent_interval(rule.label_counts, rule.pseudocounts, position, level)
        y = j + shift
        axes.plot(
            [low, high],
            [y, y],
            color=colour,
            linewidth=4 if many else 6,
            alpha=0.45,
            solid_capstyle="butt",
        )
        axes.plot(
            rule.probabilities[position],
            y,
            "o",
            color=colour if many else INK,
            markersize=5 if many else 7,
            clip_on=False,
            label=name if j == 0 else None,
        )


def _write_numbers(
    axes: Any, rule_list: RuleList, position: int, level: float, decimals: int
) -> None:
    for j, rule in enumerate(rule_list.rules):
        low, high = consequent_interval(rule.label_counts, rule.pseudocounts, position, level)
        text = interval_text(rule.probabilities[position], low, high, decimals)
        where = (1.02, j)
        axes.annotate(text, where, xycoords=("axes fraction", "data"), va="center", fontsize=MEDIUM)


def plot_lengths(posterior: Posterior) -> Figure:
    """The probability of each number of rules, or its share of the draws."""
    shares = posterior.length_probabilities
    visible = np.flatnonzero(shares >= LEAST_SHARE if posterior.exact is not None else shares > 0)
    first, last = int(visible.min()), int(visible.max())
    figure = new_figure(max(4.0, min(8.0, 2.0 + 0.6 * (last - first + 1))), 3)
    axes = figure.subplots()
    positions = np.arange(first, last + 1)
    bars = axes.bar(positions, shares[first : last + 1], color=SOFT, width=0.75)
    if len(positions) <= 12:
        labels = [percent(s, 1) for s in shares[first : last + 1]]
        axes.bar_label(bars, labels, padding=2, fontsize=9)
    step = max(1, len(positions) // 12)
    axes.set_xticks(positions[::step])
    mean = f"mean {posterior.mean_length:.1f}"
    axes.set_xlabel(f"number of rules, the default rule not counted ({mean})")
    axes.set_ylabel("share of the draws" if posterior.exact is None else "probability")
    tidy(axes, percent="y", grid="y")
    return figure


def plot_inclusion(posterior: Posterior, most: int = 15) -> Figure:
    """The antecedents included most often, by share of the draws."""
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ParamError(f"most is {most!r}; it must be a whole number of 1 or more.")
    inclusion = posterior.inclusion()
    included = [(n, share) for n, share in list(inclusion.items())[:most] if share > 0]
    names = [_wrapped(inclusion.text(name)) for name, _ in included]
    n_lines = sum(name.count("\n") + 1 for name in names)
    figure = new_figure(8, 0.9 + 0.27 * max(1, n_lines))
    axes = figure.subplots()
    shares = [share for _, share in included]
    unsteady = inclusion.unsteady
    bars = axes.barh(range(len(included)), shares, color=SOFT, height=0.7)
    marks = [" ~" if name in unsteady else "" for name, _ in included]
    texts = [percent(share, 1) + mark for share, mark in zip(shares, marks, strict=True)]
    axes.bar_label(bars, texts, padding=3, fontsize=9)
    axes.set_yticks(range(len(included)), names)
    axes.set_ylim(len(included) - 0.4, -0.6)
    axes.set_xlim(0, probability_end(max(shares, default=1.0)))
    what = "share of the draws whose list has it" if posterior.exact is None else "probability"
    axes.set_xlabel(f"{what} (~ not yet steady)" if any(marks) else what)
    tidy(axes, percent="x", grid="x")
    axes.tick_params(axis="y", length=0)
    return figure


def _wrapped(conditions: str) -> str:
    """Conditions next to a picture, wrapped over as many lines as needed."""
    shown = show_name(conditions, LONGEST).split(" and ")
    return escape_mathtext("\n".join(wrap(shown, NAME_WIDTH)))


def plot_traces(posterior: Posterior) -> Figure:
    """Log posterior and number of rules along the kept draws, one row to a chain."""
    n_chains = len(posterior.chains)
    shown = min(n_chains, MOST_CHAINS)
    n_draws = posterior.n_draws // n_chains
    points = np.unique(np.linspace(0, n_draws - 1, min(MOST_POINTS, n_draws)).astype(np.int64))
    figure = new_figure(8.5, 0.8 + 1.0 * shown)
    grid = figure.subplots(shown, 2, sharex=True, sharey="col", squeeze=False)
    distinct = posterior.distinct
    for chain in range(shown):
        lists = posterior.chains[chain].at(points)
        for column, values in enumerate((distinct.log_posterior, distinct.lengths)):
            axes = grid[chain, column]
            axes.plot(points + 1, values[lists], color=SOFT, linewidth=0.6)
            tidy(axes, grid="y")
            axes.set_xlim(0, n_draws)
        # inside, above the line: next to the axis it would overlap the numbers
        grid[chain, 0].set_title(f"chain {chain + 1}", fontsize=SMALL, loc="right", pad=2)
    for axes, title in zip(grid[0], ("log posterior", "number of rules"), strict=True):
        axes.set_title(title, fontsize=MEDIUM, loc="left")
    for axes in grid[0]:  # which the rows below share
        axes.yaxis.get_major_locator().set_params(nbins=3)
        axes.xaxis.get_major_locator().set_params(nbins=4)
    grid[0, 1].yaxis.get_major_locator().set_params(integer=True)
    rest = f", the first {shown} of {n_chains} chains" if shown < n_chains else ""
    for axes in grid[-1]:
        axes.set_xlabel(f"kept draw{rest}")
        axes.xaxis.set_major_formatter(lambda draw, _: f"{draw:,.0f}")
    return figure
