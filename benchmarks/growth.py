"""How the cost of an iteration grows: with observations, labels, rules and weights.

One chain of the paper's kernel on problems with a planted list, where it starts; the best
of some stretches of CPU time, one thread. With observations, the limit of limit.py is measured
beside it: where covers leave a cache, memory itself grows dearer faster than they do. Each table
is also drawn, into results/growth-*.png.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from limit import least_time
from measuring import shown, time_chain
from problems import planted

from elseif.sampler.move_mix import KERNELS

N = 100_000  # observations, where something else grows
POOL_SIZE = 200


@dataclass(frozen=True)
class Point:
    """One size, and what an iteration took there."""

    size: float
    seconds: float
    length: float
    limit: float | None = None  # seconds that the memory alone would take


@dataclass(frozen=True)
class Growth:
    """Points of one curve, and the words that go with it."""

    name: str
    axis: str
    title: str
    points: tuple[Point, ...]


def measure(size: float, n: int, warm_up: int, with_limit: bool = False, **how: Any) -> Point:
    """The cost of an iteration on a planted problem."""
    made = planted(n, **how)
    timed = time_chain(made.problem, KERNELS["paper"], warm_up, made.start)
    limit = least_time(timed, made.problem) if with_limit else None
    return Point(size, timed.seconds, timed.length, limit)


def with_observations() -> Growth:
    points = []
    for n in (1000, 3000, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7):
        # covers of 125 MB at most
        pool_size = min(1000, 10**9 // n)
        warm_up = max(1000, 10**9 // n)
        points.append(measure(n, n, warm_up, with_limit=True, pool_size=pool_size))
    title = "Observations: lists of about 7 rules, 2 labels"
    return Growth("observations", "observations", title, tuple(points))


def with_labels() -> Growth:
    points = [
        measure(k, N, 20_000, pool_size=POOL_SIZE, n_labels=k) for k in (2, 3, 5, 8, 12, 16, 20)
    ]
    title = f"Labels: {N:,} observations, lists of about 7 rules"
    return Growth("labels", "labels", title, tuple(points))


def with_rules() -> Growth:
    points = []
    for m in (1, 2, 5, 10, 20, 35, 50):
        point = measure(m, N, 20_000, pool_size=POOL_SIZE, n_rules=m, expected_length=float(m))
        # the list that the chain settles at may be longer or shorter than the planted one
        points.append(Point(point.length, point.seconds, point.length))
    title = f"Rules: {N:,} observations, 2 labels"
    return Growth("rules", "mean length of the list, rules", title, tuple(points))


def with_weights() -> Growth:
    # large weights would make chance findings look certain, and lists long: here there are none
    points = [
        measure(w, N, 20_000, pool_size=POOL_SIZE, largest_weight=w, certain=True)
        for w in (1, 3, 10, 30, 100)
    ]
    title = f"Weights: {N:,} observations weighted 1 to this, lists of about 7 rules"
    return Growth("weights", "largest weight (1: unweighted)", title, tuple(points))


def show(growth: Growth) -> None:
    first = growth.points[0]
    print(growth.title)
    print(f"  {growth.axis:>32}{'an iteration':>14}{'length':>8}{'times first':>13}{'size':>10}")
    for point in growth.points:
        limit = "" if point.limit is None else f"   limit {shown(point.limit)}"
        print(
            f"  {_size(point.size):>32}{shown(point.seconds):>14}{point.length:>8.1f}"
            f"{point.seconds / first.seconds:>13,.1f}{point.size / first.size:>10,.1f}{limit}"
        )
    if growth.name == "observations":
        _show_powers(growth)
    sys.stdout.flush()


def _show_powers(growth: Growth) -> None:
    """The powers of n that the cost and the limit grow with, between neighbours."""
    sizes = [point.size for point in growth.points]
    costs = _powers(sizes, [point.seconds for point in growth.points])
    limits = _powers(sizes, [point.limit or np.nan for point in growth.points])
    for k in range(1, len(sizes)):
        print(
            f"  from n = {sizes[k - 1]:>9,} to {sizes[k]:>10,}: n to the power {costs[k - 1]:.2f}, "
            f"the limit {limits[k - 1]:.2f}"
        )
    ends = [growth.points[0], growth.points[-1]]
    (overall,) = _powers([sizes[0], sizes[-1]], [point.seconds for point in ends])
    print(f"  from first to last: n to the power {overall:.2f}")


def _powers(sizes: list[float], seconds: list[float]) -> np.ndarray:
    return np.diff(np.log(seconds)) / np.diff(np.log(sizes))


def _size(size: float) -> str:
    return f"{size:,.0f}" if size == round(size) else f"{size:.1f}"


def draw(growth: Growth, folder: Path) -> Path:
    """The curve, with what growth in proportion to the size would be."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter, NullLocator

    sizes = np.array([point.size for point in growth.points])
    times = np.array([point.seconds for point in growth.points]) * 1e6
    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    # at small n a fixed cost rules, so proportion is drawn through the largest
    anchor = -1 if growth.name == "observations" else 0
    axes.loglog(
        sizes,
        times[anchor] * sizes / sizes[anchor],
        "--",
        color="0.6",
        label="in proportion to the size (slope 1)",
    )
    axes.loglog(sizes, times, "o-", color="#1b6ca8", label="measured")
    for size, microseconds in zip(sizes, times, strict=True):
        axes.annotate(
            f"{microseconds:.3g}",
            (size, microseconds),
            xytext=(3, -12),
            textcoords="offset points",
            fontsize=8,
        )
    if growth.name != "observations":
        axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
        axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.margins(x=0.08, y=0.1)
    axes.set_xlabel(f"{growth.axis} (log scale)")
    axes.set_ylabel("CPU time of an iteration, µs (log scale)")
    axes.set_title(growth.title, fontsize=10)
    axes.grid(which="major", alpha=0.3)
    axes.legend(loc="upper left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"growth-{growth.name}.png"
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the plots")
    folder = parser.parse_args(arguments or []).out
    for measured in (with_observations, with_labels, with_rules, with_weights):
        growth = measured()
        show(growth)
        try:
            print(f"  drawn in {draw(growth, folder)}\n", flush=True)
        except ImportError as error:
            print(f"  not drawn: {error}\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
