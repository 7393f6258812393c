"""What every picture shares: figures that belong to nobody's session, and plain names.

Imported when something is drawn, for matplotlib is an extra.
"""

from __future__ import annotations

import io
import textwrap
from typing import Any

from elseif.errors import ParamError

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ParamError("Pictures need matplotlib: pip install 'elseif[plot]'.") from None

INK, SOFT, MUTED = "#223355", "#4477aa", "#888888"
# told apart by colour-blind eyes and in grey (Paul Tol's "bright")
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


class Picture(Figure):
    """A figure that notebooks show even where pyplot was never loaded."""

    def _repr_png_(self) -> bytes:
        memory = io.BytesIO()
        self.savefig(memory, format="png")
        return memory.getvalue()


def new_figure(width: float, height: float) -> Picture:
    """A figure in inches, made without pyplot: nothing to close, nothing to leak."""
    return Picture(figsize=(width, height), layout="constrained")


def plain(text: str, width: int | None = None) -> str:
    """A text that matplotlib does not take for mathematics, broken into lines."""
    lines = textwrap.wrap(text, width, break_on_hyphens=False) if width else [text]
    return "\n".join(lines).replace("$", r"\$")


def tidy(axes: Any, percent: str = "") -> None:
    """Only what is read: no frame on the sides, a light grid, percentages where asked."""
    axes.spines[["top", "right"]].set_visible(False)
    for which in percent:
        getattr(axes, f"{which}axis").set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
