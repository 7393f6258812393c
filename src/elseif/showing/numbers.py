"""One way to write probabilities and counts, for text, pages, figures and exports.

``report/templates/numbers.js`` is its twin for pages; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

MOST_DECIMALS = 3  # of a percentage
ROUNDED_UP = 1.1  # an interval of 0.19% is one of 0.2%, which one decimal shows
FINE = 0.0095  # nearer to 0 or 1 than this, a whole per cent would say too little


def percent(share: float, decimals: int = 0) -> str:
    """A share as a percentage, which is 0% or 100% only if the share is 0 or 1.

    Percentages near 0% and 100% have at least one decimal: "12%", "0.5%", "<0.1%", ">99.9%".
    """
    share = float(share)
    if 0 < share < FINE or 1 - FINE < share < 1:
        decimals = max(1, decimals)
        smallest = 10.0**-decimals
        if f"{100 * share:.{decimals}f}" == f"{0:.{decimals}f}":
            return f"<{smallest:.{decimals}f}%"
        if f"{100 * share:.{decimals}f}" == f"{100:.{decimals}f}":
            return f">{100 - smallest:.{decimals}f}%"
    return f"{100 * share:.{decimals}f}%"


def decimals_for(narrowest: float) -> int:
    """Decimals of percentages for intervals of which the narrowest has this width."""
    if not narrowest < 0.02:
        return 0
    return min(MOST_DECIMALS, math.ceil(math.log10(0.02 / max(narrowest, 1e-9))))


def decimals_between(low: float, high: float) -> int:
    """Decimals of percentages of one interval: enough to distinguish its ends."""
    width = high - low
    if width < 10.0 ** -(MOST_DECIMALS + 1):  # as good as one value
        return 0
    return decimals_for(width * ROUNDED_UP)


def interval_text(mean: float, low: float, high: float, decimals: int = 0) -> str:
    """A probability with its interval in brackets."""
    return f"{percent(mean, decimals)} ({percent(low, decimals)}–{percent(high, decimals)})"


def count_text(n: float) -> str:
    """A number of observations, with thousands set apart; weighted ones have two decimals."""
    return f"{n:,.0f}" if n == int(n) else f"{n:,.2f}"


def numbers_alike(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers of one kind, all with as many decimals as their significant digits need.

    They have a true minus sign. Thousands are separated if a number has five digits before the
    point, so that years stay as they are: '5,440', '3,200', '−10,224', but '1970', '1968'.
    """
    finite = [value for value in values if math.isfinite(value)]
    sizes = [abs(value) for value in finite if value]
    if sizes and (max(sizes) >= 1e15 or min(sizes) < 1e-4):
        return [f"{value:.{digits}g}".replace("-", "−", 1 if value < 0 else 0) for value in values]
    most = digits + 2 - len(f"{max(sizes, default=0):.0f}")  # with thousands, few decimals matter
    needed = max((_decimals(f"{value:.{digits}g}") for value in finite), default=0)
    decimals = max(0, min(needed, most))
    comma = "," if max(sizes, default=0) >= 10_000 else ""
    return [f"{value:{comma}.{decimals}f}".replace("-", "−") for value in values]


def _decimals(text: str) -> int:
    """Decimals of a number in Python's shortest notation; fewer than 0 of whole hundreds."""
    return -int(Decimal(text).as_tuple().exponent)
