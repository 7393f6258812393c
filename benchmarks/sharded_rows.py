"""Rows in shards on a Dask cluster: messages a second, bytes, and the time of larger tables.

python benchmarks/run.py sharded_rows

Measured here: a fit whose rows two processes hold, against the same fit of rows in memory (equal
draws), the messages a second of that fit, and how long one core takes to count one message of all
replicas of four chains, by bits. From these follows what larger tables take, under the assumptions
about a network and a cluster that are printed with the table.
"""

from __future__ import annotations

import hashlib
import math
import time
import warnings
from typing import Any

import numpy as np

N_ROWS, N_ITER, N_CHAINS = 50_000, 500, 4
CONDITIONS, ANTECEDENTS = 60, 1500  # of the larger tables
ITERATIONS = 128_000  # the shortest run that is tried when no length is given
ROUND_TRIP = 0.0005  # seconds: within a rack, by TCP
DASK_OVERHEAD = 0.002  # seconds that Dask takes for a message of an actor, with direct connections
BITS_A_WORKER = 64e9 * 8  # memory of a worker
CORES = 8  # of a worker; one shard for each


class ShardHere:
    """A shard in this process, which notes how long it works for chains."""

    def __init__(self, rows: Any) -> None:
        self._rows, self.seconds, self.n_messages = rows, 0.0, 0

    def start(self) -> None:
        from elseif.shards.shard import Shard

        self._shard = Shard(self._rows)

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        begin = time.perf_counter()
        answer = getattr(self._shard, name)(*arguments)
        if name == "perform":
            self.seconds += time.perf_counter() - begin
            self.n_messages += 1
        return answer

    def answer(self, asked: Any) -> Any:
        return asked


def counted_bits_a_second() -> float:
    """Bits of observations that one core looks at each second, for proposals of all replicas."""
    from elseif.model.prior import ListPrior
    from elseif.model.problem import Problem
    from elseif.progress import Progress
    from elseif.sampler.chains import SamplerSettings, sample
    from elseif.shards.shard_rows import ShardRows
    from elseif.shards.shards import Shards

    rng, n_rows, pool_size = np.random.default_rng(4), 1_000_000, 24
    keys = rng.integers(0, 1 << pool_size, (n_rows, 1)) & rng.integers(0, 1 << 62, (n_rows, 1))
    codes = (rng.random(n_rows) < 0.2 + 0.3 * (keys[:, 0] & 1)).astype(np.int64)
    holder = ShardHere(ShardRows(keys, codes, np.ones(n_rows, dtype=np.int64), 2))
    shards = Shards([holder], 2)
    members = np.arange(pool_size)[:, None]
    shards.tell("hold", list(range(pool_size)))
    shards.tell("pose", members, 1e9)
    prior = ListPrior(np.ones(pool_size, dtype=np.int64), 3.0, 1.0, np.ones(pool_size))
    none = np.zeros((pool_size, 0), dtype=np.uint64)
    problem = Problem(none, shards.layout, np.ones(2), prior, members, shards)
    how = SamplerSettings(kernel="tempered", n_chains=N_CHAINS, n_iter=60)
    for _ in range(2):  # the first loads compiled code
        holder.seconds, holder.n_messages = 0.0, 0
        sample(problem, how, np.random.SeedSequence(1), Progress())
    return shards.layout.n_words * 64 * holder.n_messages / holder.seconds


def fits() -> tuple[float, float, bool]:
    """Messages a second of a fit in shards, its time by that of the fit here, and whether equal."""
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster

    from elseif import BayesianRuleListClassifier
    from elseif.shards.shards import Shards

    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{i}": rng.normal(size=N_ROWS).round(2) for i in range(6)})
    table["sex"] = rng.choice(["male", "female"], N_ROWS)
    risk = 0.1 + 0.3 * (table["x0"] > 0.7) + 0.2 * (table["x2"] < -0.5)
    table["ill"] = rng.random(N_ROWS) < risk
    settings = {"n_iter": N_ITER, "n_chains": N_CHAINS, "random_state": 0}
    began = time.perf_counter()
    own = BayesianRuleListClassifier(**settings).fit(table.drop(columns="ill"), table["ill"])
    here = time.perf_counter() - began
    spans: list[tuple[float, float]] = []
    call_each = Shards.call_each

    def timed(self: Shards, name: str, arguments: object) -> object:
        begin = time.perf_counter()
        try:
            return call_each(self, name, arguments)  # type: ignore[arg-type]
        finally:
            if name == "perform":
                spans.append((begin, time.perf_counter()))

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, direct_to_workers=True),
    ):
        frame = dd.from_pandas(table, npartitions=4)
        Shards.call_each = timed  # type: ignore[method-assign, assignment]
        try:
            began = time.perf_counter()
            far = BayesianRuleListClassifier(**settings, n_shards=2).fit(frame, "ill")
            took = time.perf_counter() - began
        finally:
            Shards.call_each = call_each  # type: ignore[method-assign]
    settled = spans[len(spans) // 4 :]  # after compiled code has been loaded by the workers
    rate = len(settled) / (settled[-1][1] - settled[0][0])
    print(f"draws of the fit in shards: SHA-256 {_digest(far)}")
    print(f"draws of the fit in memory: SHA-256 {_digest(own)}")
    return rate, took / here, _digest(far) == _digest(own)


def _digest(classifier: object) -> str:
    content = classifier.posterior_.lists().to_csv()  # type: ignore[attr-defined]
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def larger_tables(bits_a_second: float) -> None:
    """What tables up to ten billion rows take, every row a pattern of its own."""
    print(f"\nAssumed: {CONDITIONS} conditions, every row a pattern of its own, {N_CHAINS} chains "
          f"of {ITERATIONS:,} iterations at 8 temperatures with room for 16 rules; workers of "
          f"{CORES} cores and {BITS_A_WORKER / 8 / 1e9:.0f} GB; {1e3 * ROUND_TRIP:g} ms for a "
          f"message there and back, {1e3 * DASK_OVERHEAD:g} ms of Dask; one core looks at "
          f"{bits_a_second / 1e9:.2g} billion bits a second, measured above.")  # fmt: skip
    header = ("rows", "covers", "lists", "engine", "workers", "messages/s", "128,000 iterations")
    print(" | ".join(header))
    for exponent in (6, 7, 8, 9, 10):
        rows = 10**exponent
        covers = rows * CONDITIONS / 8
        lists = rows / 8 * 17 * 8 * N_CHAINS
        n_bytes = covers + lists
        is_here = n_bytes <= BITS_A_WORKER / 8 / 2
        workers = 0 if is_here else math.ceil(n_bytes / (BITS_A_WORKER / 8 / 2))
        if is_here:
            # the same looks at bits, in as many threads as there are chains
            seconds = ITERATIONS * rows / bits_a_second / min(CORES, N_CHAINS)
            engine, rate = "any, rows packed here", "none"
        else:
            counting = rows / (workers * CORES) / bits_a_second
            each = counting + ROUND_TRIP + DASK_OVERHEAD
            seconds = ITERATIONS * each
            engine, rate = "Dask, n_shards", f"{1 / each:,.0f}"
        print(f"{rows:,} | {covers / 1e9:,.2f} GB | {lists / 1e9:,.1f} GB | {engine} | "
              f"{workers or 'none'} | {rate} | {_in_words(seconds)}")  # fmt: skip


def _in_words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    warnings.simplefilter("ignore")
    rate, ratio, is_equal = fits()
    print(f"{N_ROWS:,} rows in two processes: {rate:.0f} messages a second, each of all replicas "
          f"of {N_CHAINS} chains; {ratio:.0f} times the time of the fit in memory; draws "
          f"{'equal' if is_equal else 'NOT EQUAL'}")  # fmt: skip
    bits = counted_bits_a_second()
    print(f"one core counts a message among {bits / 1e9:.2g} billion bits a second")
    larger_tables(bits)


if __name__ == "__main__":
    main()
