"""A picture of the convergence report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from elseif.showing.figures import INK, MUTED, SOFT, new_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMITS = ('limit of "converged"', 'limit of "warn"')


class Diagnosed(Protocol):
    """A quantity and its diagnostics."""

    @property
    def name(self) -> str: ...
    @property
    def r_hat(self) -> float: ...
    @property
    def ess_bulk(self) -> float: ...


def plot_convergence(
    quantities: Sequence[Diagnosed],
    r_hat_limits: tuple[float, float],
    ess_limits: tuple[float, float],
) -> Figure:
    """R-hat and effective draws of every monitored quantity, beside the limits.

    Parameters
    ----------
    quantities : sequence of Diagnosed
        What to show, a row each.
    r_hat_limits, ess_limits : tuple of float
        The limits of "converged" and of "warn".

    Returns
    -------
    Figure
        Of matplotlib.
    """
    figure = new_figure(8.5, 1.3 + 0.28 * max(2, len(quantities)))
    if not quantities:
        figure.text(0.5, 0.5, "Nothing was sampled, so nothing can be said.", ha="center")
        return figure
    left, right = figure.subplots(1, 2, sharey=True)
    _dots(left, [q.r_hat for q in quantities], r_hat_limits)
    left.set_xlabel("rank-normalised split R-hat (less is better)")
    left.set_xlim(left=0.998)
    _dots(right, [q.ess_bulk for q in quantities], ess_limits)
    right.set_xlabel("effective draws (more is better)")
    right.set_xlim(left=0)
    right.xaxis.set_major_formatter(lambda draws, _: f"{draws:,.0f}")
    left.set_yticks(range(len(quantities)), [q.name for q in quantities])
    left.set_ylim(len(quantities) - 0.5, -0.5)
    figure.legend(handles=left.get_lines()[-2:], loc="outside upper right", ncols=2, frameon=False)
    return figure


def _dots(axes: Any, values: list[float], limits: tuple[float, float]) -> None:
    """A dot to a quantity; what has no number, or an infinite one, says so."""
    finite = [value for value in values if np.isfinite(value)]
    end = max([*finite, *limits])
    for row, value in enumerate(values):
        if np.isfinite(value):
            axes.plot(value, row, "o", color=INK, markersize=5)
        else:
            text = "infinite" if np.isinf(value) else "not available"
            axes.annotate(text, (end, row), va="center", ha="right", color=MUTED, fontsize=9)
    for limit, style, name in zip(limits, ("-", "--"), LIMITS, strict=True):
        axes.axvline(limit, color=SOFT, linewidth=1, linestyle=style, label=name)
    axes.grid(axis="y", alpha=0.2)
    tidy(axes)
    axes.tick_params(axis="y", length=0)
