"""The miner against pyfim and mlxtend: CPU time on one thread, the same array, one run.

Each is timed with what it needs to read the array. Ours also hands over bit-packed covers,
which the peers' time leaves out.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from problems import dense_binary, stroke_shaped
from scipy import sparse

from elseif.antecedents.mining import MiningSettings, mine
from elseif.bits.packing import make_layout
from elseif.conditions.binarise import Binarising, binarise
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table


def cpu_time(work: Callable[[], int], repeats: int = 3) -> tuple[float, int]:
    """The least CPU time of a few repeats, and what the work returned."""
    best, result = float("inf"), 0
    for _ in range(repeats):
        begin = time.process_time()
        result = work()
        best = min(best, time.process_time() - begin)
    return best, result


def ours(X: Any, y: np.ndarray, support: float, cardinality: int) -> int:
    labels = read_labels(y, None, False, None)
    layout = make_layout(labels.codes, 2)
    binarised = binarise(read_table(X), labels, Binarising())
    settings = MiningSettings(support, cardinality, max_antecedents=10**6)
    return len(mine(binarised, layout, settings).pool)


def transactions(X: Any) -> list[list[int]]:
    rows = sparse.csr_array(X)
    return [part.tolist() for part in np.split(rows.indices, rows.indptr[1:-1])]


def outlasts(peer: str, work: Callable[[], int], time_ours: float) -> None:
    """Whether a slow peer needs more than 60 times our CPU time, without waiting for its end."""
    limit = max(10, int(60 * time_ours) + 1)
    process = multiprocessing.get_context("fork").Process(target=_limited, args=(work, limit))
    process.start()
    process.join()
    if process.exitcode not in (0, -signal.SIGXCPU):
        raise SystemExit(f"{peer} failed with exit code {process.exitcode}")
    verdict = "done within" if process.exitcode == 0 else "not done after"
    print(f"  {peer:<22}{verdict} {limit} s, {limit / time_ours:.0f} times ours")


def _limited(work: Callable[[], int], seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    work()


def race(name: str, X: Any, y: np.ndarray, support: float, cardinality: int) -> None:
    time_ours, n = cpu_time(lambda: ours(X, y, support, cardinality))
    repeats = 1 if n > 10_000 else 3
    if repeats == 1:  # the same for everybody
        time_ours, n = cpu_time(lambda: ours(X, y, support, cardinality), repeats)
    print(f"{name}: {n:,} antecedents of support {support:.0%}, cardinality up to {cardinality}")
    print(f"  {'elseif':<22}{time_ours:>9.3f} s")
    peers: dict[str, Callable[[], int]] = {}
    try:
        import fim

        def by_pyfim(algorithm: str) -> int:
            find = getattr(fim, algorithm)
            return len(find(transactions(X), target="s", supp=100 * support, zmax=cardinality))

        for algorithm in ("eclat", "fpgrowth", "apriori"):
            peers[f"pyfim {algorithm}"] = partial(by_pyfim, algorithm)
    except ImportError:
        print("  pyfim is not installed: skipped")
    try:
        import pandas as pd
        from mlxtend.frequent_patterns import fpgrowth

        def by_mlxtend() -> int:
            dense = X.toarray() if sparse.issparse(X) else X
            frequent = fpgrowth(pd.DataFrame(dense), min_support=support, max_len=cardinality)
            return len(frequent)

        if n <= 10_000:
            peers["mlxtend fpgrowth"] = by_mlxtend
        else:
            outlasts("mlxtend fpgrowth", by_mlxtend, time_ours)
    except ImportError:
        print("  mlxtend is not installed: skipped")
    for peer, work in peers.items():
        seconds, frequent = cpu_time(work, repeats)
        if frequent != n:
            raise SystemExit(f"{peer} finds {frequent:,} antecedents, elseif {n:,}")
        print(f"  {peer:<22}{seconds:>9.3f} s{seconds / time_ours:>9.1f} times ours")


def main() -> None:
    shaped = stroke_shaped()
    race("12,586 x 4,148, sparse", shaped.X, shaped.y, 0.1, 2)
    race("12,586 x 4,148, dense array", shaped.X.toarray(), shaped.y, 0.1, 2)
    X, y = dense_binary()
    race("100,000 x 100, dense", X, y, 0.15, 4)


if __name__ == "__main__":
    main()
