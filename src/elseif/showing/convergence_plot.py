"""A plot of the convergence report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from elseif.showing.figures import INK, MUTED, SOFT, escape_mathtext, new_figure, tidy
from elseif.showing.wrapping import wrap
from elseif.visible import show_ends

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = "limit, unless the standard error is small"
MOST_ROWS = 40  # of a figure
PREDICTED = "predicted probability"
NAME_WIDTH = 44  # characters of a line of text next to a picture
LONGEST = 120


class Diagnosed(Protocol):
    """A quantity and its diagnostics."""

    @property
    def name(self) -> str: ...
    @property
    def r_hat(self) -> float: ...
    @property
    def ess(self) -> float: ...
    @property
    def steady(self) -> bool: ...


def plot_convergence(
    quantities: Sequence[Diagnosed],
    r_hat_limit: float,
    ess_limit: float,
    names: Mapping[str, str],
) -> Figure:
    """R-hat and effective draws of the monitored quantities; hollow dots are not yet steady.

    Predicted probabilities share a row; of more than 40 rows, those with the fewest effective draws
    are shown. The limits apply to quantities whose Monte Carlo standard error is not small.
    """
    if not quantities:
        figure = new_figure(8.5, 1.5)
        figure.text(0.5, 0.5, "Nothing was sampled.", ha="center")
        return figure
    rows = _rows(quantities)
    texts = [_text(name, len(of_row), names) for name, of_row in rows]
    heights = [0.1 + 0.16 * (text.count("\n") + 1) for text in texts]  # inches
    at = (np.cumsum(heights) - np.array(heights) / 2).tolist()
    figure = new_figure(8.5, 1.4 + sum(heights))
    left, right = figure.subplots(1, 2, sharey=True)
    _dots(left, at, [[(q.r_hat, q.steady) for q in of_row] for _, of_row in rows], r_hat_limit)
    left.set_xlabel("rank-normalised split R-hat\n(lower is better)")
    left.set_xlim(left=0.998)
    left.xaxis.get_major_locator().set_params(nbins=5)
    _dots(right, at, [[(q.ess, q.steady) for q in of_row] for _, of_row in rows], ess_limit)
    right.set_xlabel("effective draws\n(higher is better)")
    right.set_xlim(left=0)
    right.xaxis.get_major_locator().set_params(nbins=4)
    right.xaxis.set_major_formatter(lambda draws, _: f"{draws:,.0f}")
    left.set_yticks(at, texts)
    left.set_ylim(sum(heights), 0)
    figure.legend(handles=left.get_lines()[-1:], loc="outside upper right", frameon=False)
    return figure


def _rows(quantities: Sequence[Diagnosed]) -> list[tuple[str, list[Diagnosed]]]:
    """A row to a quantity, and one to all predicted probabilities; the worst of too many."""
    rows: dict[str, list[Diagnosed]] = {}
    for quantity in quantities:
        is_predicted = quantity.name.startswith(PREDICTED)
        rows.setdefault(PREDICTED if is_predicted else quantity.name, []).append(quantity)
    all_rows = list(rows.items())
    worst = sorted(range(len(all_rows)), key=lambda i: min(_key(q.ess) for q in all_rows[i][1]))
    return [all_rows[i] for i in sorted(worst[:MOST_ROWS])]


def _text(name: str, n: int, names: Mapping[str, str]) -> str:
    if name == PREDICTED:
        return f"{n} predicted probabilities" if n > 1 else PREDICTED
    shown = show_ends(names.get(name, name), LONGEST)
    return escape_mathtext("\n".join(wrap(shown.split(" and "), NAME_WIDTH)))


def _key(value: float) -> float:
    return np.inf if np.isnan(value) else value


def _dots(
    axes: Any, at: Sequence[float], rows: Sequence[Sequence[tuple[float, bool]]], limit: float
) -> None:
    """Dots in a row; what has no number, or an infinite one, says so."""
    finite = [value for of_row in rows for value, _ in of_row if np.isfinite(value)]
    end = max([*finite, limit])
    for row, of_row in zip(at, rows, strict=True):
        for value, steady in of_row:
            if np.isfinite(value):
                face = INK if steady else "none"
                axes.plot(value, row, "o", color=INK, markerfacecolor=face, markersize=4.5)
        if not any(np.isfinite(value) for value, _ in of_row):
            text = "infinite" if any(np.isinf(value) for value, _ in of_row) else "not available"
            axes.annotate(text, (end, row), va="center", ha="right", color=MUTED, fontsize=9)
    axes.axvline(limit, color=SOFT, linewidth=1, label=LIMIT)
    tidy(axes, grid="y")
    axes.tick_params(axis="y", length=0)
