"""How near an iteration is to what this machine's memory allows.

The limit is the time that it takes to read and write, once each, the rows of bits which a
proposal is about, at the bandwidth measured in the same run.

What must be read, in rows of one bit an observation, of a list of m rules (p is the position,
counted from 0, and captured means what a rule captures now):

- add at p: the new cover, and what is captured by each rule from p on, the default's included;
- remove at p: what p captures, and the covers of the rules after it;
- move: what is captured or covered by each rule between the two positions, and one row of
  the rule that moves;
- replace at p: both of an add and of a remove.

An accepted step also writes every row of captured observations that it changes, and has
to read what it had not; each counts once as read and once as written. Positions are uniform,
so the rows are means over them, and over the lengths that the chain's lists had.

Bandwidth is that of counting the ones of (row and row) over rows drawn at random, on one
thread: once from as many rows as the list works with, and once from the whole pool, where
the covers of additions come from. Each byte is charged at the bandwidth of its place.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from measuring import Timed, shown, time_chain
from numba import njit, types
from numba.extending import intrinsic
from problems import planted

from elseif.bits.packing import zero_words
from elseif.model.problem import Problem
from elseif.sampler.move_mix import KERNELS

# observations, antecedents: covers of 2.5, 12.5, 62.5 and 125 MB
SIZES = ((10_000, 2000), (100_000, 1000), (1_000_000, 500), (10_000_000, 100))


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones in a word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@njit
def count_pairs(rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> int:
    """Ones of (row and row), over pairs of rows."""
    total = np.uint64(0)
    for k in range(len(first)):
        a, b = rows[first[k]], rows[second[k]]
        for w in range(rows.shape[1]):
            total += popcount(a[w] & b[w])
    return total


def bandwidth(n_rows: int, n_words: int, seconds: float = 0.1, repeats: int = 7) -> float:
    """Bytes a CPU second of reading pairs among so many rows: the best of some passes."""
    rng = np.random.default_rng(0)
    rows = zero_words(n_rows, n_words)
    for row in rows:
        row[:] = rng.integers(0, 2**64, size=n_words, dtype=np.uint64)
    n_pairs, taken, best = 64, 0.0, float("inf")
    count_pairs(rows, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    for _ in range(repeats):
        while True:
            first, second = rng.integers(0, n_rows, size=(2, n_pairs))
            begin = time.process_time()
            count_pairs(rows, first, second)
            taken = time.process_time() - begin
            if taken > 0.1 * seconds:
                break
            n_pairs *= 2
        best = min(best, taken / n_pairs)
    return 2 * 8 * n_words / best


def rows_read(m: np.ndarray) -> dict[str, np.ndarray]:
    """Mean rows that a proposal must read from a list of m rules, the pool's cover left out."""
    return {
        "add": m / 2 + 1,
        "remove": 1 + (m - 1) / 2,
        "move": 1 + (m + 1) / 3,
        "replace": 1 + (m + 1) / 2 + (m - 1) / 2,
    }


def rows_rewritten(m: np.ndarray) -> dict[str, np.ndarray]:
    """Mean rows of captured observations that an accepted step changes."""
    return {
        "add": m / 2 + 2,
        "remove": (m + 1) / 2,
        "move": 1 + (m + 1) / 3,
        "replace": 1 + (m + 1) / 2,
    }


def bytes_touched(timed: Timed, n_words: int) -> tuple[float, float]:
    """Bytes an iteration must touch: of the list's rows, and of the pool's covers."""
    lengths, draws = timed.runs.lengths.astype(float), timed.runs.n_draws
    n_iter = sum(timed.proposed.values())
    of_list = 0.0
    for option, n in timed.proposed.items():
        if not n:
            continue
        of_list += n * np.average(rows_read(lengths)[option], weights=draws)
        rewritten = np.average(rows_rewritten(lengths)[option], weights=draws)
        of_list += 2 * timed.accepted[option] * rewritten
    of_pool = timed.proposed["add"] + timed.proposed["replace"]
    return 8 * n_words * of_list / n_iter, 8 * n_words * of_pool / n_iter


def least_time(timed: Timed, posed: Problem) -> float:
    """Seconds that an iteration must take at the bandwidth measured now."""
    n_words = posed.layout.n_words
    list_bytes, pool_bytes = bytes_touched(timed, n_words)
    of_list = bandwidth(2 * round(timed.length) + 1, n_words)
    return list_bytes / of_list + pool_bytes / bandwidth(posed.pool_size, n_words)


def compare(posed: Problem, start: tuple[int, ...], warm_up: int) -> None:
    n, n_words = posed.layout.n_rows, posed.layout.n_words
    # the two are measured by turns, so that a busy moment does not fall on one alone
    runs, of_list, of_pool = [], [], []
    for _ in range(3):
        runs.append(time_chain(posed, KERNELS["paper"], warm_up, start, n_stretches=3))
        n_list_rows = 2 * round(runs[-1].length) + 1
        of_list.append(bandwidth(n_list_rows, n_words))
        of_pool.append(bandwidth(posed.pool_size, n_words))
    timed = min(runs, key=lambda run: run.seconds)
    list_bytes, pool_bytes = bytes_touched(timed, n_words)
    limit = list_bytes / max(of_list) + pool_bytes / max(of_pool)
    ratio = timed.seconds / limit
    accepted = sum(timed.accepted.values()) / sum(timed.proposed.values())
    print(
        f"{n:>12,}{posed.pool_size:>12,}{timed.length:>8.1f}{accepted:>10.1%}"
        f"{list_bytes + pool_bytes:>14,.0f}{max(of_list) / 1e9:>10.0f}{max(of_pool) / 1e9:>10.0f}"
        f"{shown(limit):>11}{shown(timed.seconds):>11}{ratio:>8.2f}",
        flush=True,
    )


def main() -> None:
    print("the paper's kernel, one thread; the best of 3 x 3 stretches, by turns with bandwidth")
    print(f"{'':>42}{'bytes an':>14}{'GB/s:':>10}{'GB/s:':>10}{'':>11}{'measured':>11}")
    print(
        f"{'observations':>12}{'antecedents':>12}{'length':>8}{'accepted':>10}{'iteration':>14}"
        f"{'list':>10}{'pool':>10}{'limit':>11}{'iteration':>11}{'ratio':>8}"
    )
    for n, pool_size in SIZES:
        made = planted(n, pool_size)
        compare(made.problem, made.start, warm_up=max(1000, 10**9 // n))


if __name__ == "__main__":
    main()
