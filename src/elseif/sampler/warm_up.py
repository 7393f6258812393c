"""Adaptation windows: how a chain uses the half of its iterations that is discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace

# the end of the first window; each of the next ends after twice as many iterations
FIRST_WINDOW = 125


@dataclass(frozen=True)
class AdaptationWindow:
    """Iterations up to a point, after which proposals and temperatures may be adapted to them."""

    until: int
    adapt: bool = True


def growing_warm_up(n_iter: int) -> list[AdaptationWindow]:
    """Windows that end after 125, 250, 500 ... iterations, the proposals adapted after each.

    The windows of a shorter run are the first of a longer one's, so that a run can be made
    longer without beginning again. A run of 250, 500, 1,000 ... iterations keeps all that
    comes after its last window.
    """
    windows = []
    until = FIRST_WINDOW
    while until <= n_iter // 2:
        windows.append(AdaptationWindow(until))
        until *= 2
    return windows


def plain_warm_up(n_iter: int) -> list[AdaptationWindow]:
    """The paper's warm-up: the first half, without adaptation."""
    return [replace(window, adapt=False) for window in growing_warm_up(n_iter)]
