"""Shared code for figures, which do not touch the user's matplotlib session.

Imported when something is drawn, for matplotlib is an extra.
"""

from __future__ import annotations

import io
import textwrap
from typing import Any

from elseif.errors import ParamError, install
from elseif.showing.probability_axis import percent_tick

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ParamError(f"Figures need matplotlib: {install('plot')}.") from None

SMALL, MEDIUM = 9, 10  # points: of numbers, and of what they are
INK, SOFT, MUTED = "#223355", "#4477aa", "#888888"
# distinguishable by colour-blind readers and in grey (Paul Tol's "bright")
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


class Picture(Figure):
    """A figure that notebooks show even where pyplot was never loaded."""

    def _repr_png_(self) -> bytes:
        memory = io.BytesIO()
        self.savefig(memory, format="png")
        return memory.getvalue()


def new_figure(width: float, height: float) -> Picture:
    """Make a matplotlib figure without pyplot, so that nothing has to be closed.

    Parameters
    ----------
    width, height : float
        Size in inches.

    Returns
    -------
    matplotlib.figure.Figure
        An empty figure, which notebooks show.

    Examples
    --------
    >>> from elseif.showing import new_figure
    >>> new_figure(4, 3).get_size_inches().tolist()
    [4.0, 3.0]
    """
    return Picture(figsize=(width, height), layout="constrained")


def escape_mathtext(text: str, width: int | None = None) -> str:
    r"""Escape a text so that matplotlib does not read it as mathematics.

    Parameters
    ----------
    text : str
        The text.
    width : int, default=None
        Break it into lines of at most this many characters.

    Returns
    -------
    str
        The escaped text.

    Examples
    --------
    >>> from elseif.showing import escape_mathtext
    >>> print(escape_mathtext("5 $"))
    5 \$
    """
    lines = textwrap.wrap(text, width, break_on_hyphens=False) if width else [text]
    return "\n".join(lines).replace("$", r"\$")


def tidy(axes: Any, percent: str = "", grid: str = "") -> None:
    """Give axes the style of all figures: no frame at the top and on the right, small numbers.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    percent : str, default=""
        The axes in per cent: "x", "y" or "xy".
    grid : {"", "x", "y"}, default=""
        The axis whose ticks have thin lines across the picture.

    Examples
    --------
    >>> from elseif.showing import new_figure, tidy
    >>> axes = new_figure(4, 3).subplots()
    >>> tidy(axes, percent="y")
    >>> bool(axes.spines["top"].get_visible())
    False
    """
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=SMALL)
    axes.xaxis.label.set_size(MEDIUM)
    axes.yaxis.label.set_size(MEDIUM)
    if grid:
        axes.grid(axis=grid, color=MUTED, alpha=0.25, linewidth=0.6)
        axes.set_axisbelow(True)
    for which in percent:
        getattr(axes, f"{which}axis").set_major_formatter(lambda share, _: percent_tick(share))
