"""Rows in shards on a Dask cluster: messages a second, bytes, and the time of larger tables.

python benchmarks/run.py sharded_rows

Measured here: fits whose rows two processes hold in 2 and in 8 shards, against the same fit of rows
in memory (equal draws), with their messages a second and the CPU time that each takes of the
process that sends them; and how long one core takes to count one message of all replicas of four
chains, by bits. From the last two follows what larger tables take, under the assumptions about a
network and a cluster that are printed with the table.
"""

from __future__ import annotations

import hashlib
import math
import time
import warnings
from typing import Any

import numpy as np

from elseif.shards.shard_rows import STEP

N_ROWS, N_ITER, N_CHAINS, FEW, MANY = 50_000, 300, 4, 2, 8
CONDITIONS = 60  # of the larger tables
ITERATIONS = 128_000  # the shortest run that is tried when no length is given
ROUND_TRIP = 0.002  # seconds: there and back within a rack, and for a worker to begin
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
        if name == "perform" and all(request[0] == STEP for request in arguments[0]):
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

    rng, n_rows, pool_size = np.random.default_rng(4), 8_000_000, 24
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
    how = SamplerSettings(kernel="tempered", n_chains=N_CHAINS, n_iter=100)
    for _ in range(2):  # the first loads compiled code
        holder.seconds, holder.n_messages = 0.0, 0
        sample(problem, how, np.random.SeedSequence(1), Progress())
    return shards.layout.n_words * 64 * holder.n_messages / holder.seconds


def fits() -> tuple[float, float]:
    """CPU seconds here of a message with few shards, and with many."""
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
    own = BayesianRuleListClassifier(**settings).fit(table.drop(columns="ill"), table["ill"])
    print(f"draws of the fit in memory: SHA-256 {_digest(own)}")
    spans: list[tuple[float, float]] = []  # wall and CPU time before each message
    call_each = Shards.call_each

    def timed(self: Shards, name: str, arguments: object) -> object:
        if name == "perform":
            spans.append((time.perf_counter(), time.process_time()))
        return call_each(self, name, arguments)  # type: ignore[arg-type]

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, direct_to_workers=True),
    ):
        frame = dd.from_pandas(table, npartitions=4)
        Shards.call_each = timed  # type: ignore[method-assign, assignment]
        try:
            each = []
            for n_shards in (FEW, MANY):
                spans.clear()
                far = BayesianRuleListClassifier(**settings, n_shards=n_shards).fit(frame, "ill")
                settled = spans[len(spans) // 4 :]  # workers have loaded compiled code by then
                wall, cpu = (np.array(settled[-1]) - settled[0]) / (len(settled) - 1)
                each.append(float(cpu))
                is_equal = "equal" if _digest(far) == _digest(own) else "NOT EQUAL"
                print(f"{N_ROWS:,} rows in {n_shards} shards of two processes: {1 / wall:.0f} "
                      f"messages a second, each of all replicas of {N_CHAINS} chains and "
                      f"{1e3 * cpu:.1f} ms of CPU time here; SHA-256 of the draws {_digest(far)}, "
                      f"{is_equal}")  # fmt: skip
        finally:
            Shards.call_each = call_each  # type: ignore[method-assign]
    return each[0], each[1]


def _digest(classifier: object) -> str:
    content = classifier.posterior_.lists().to_csv()  # type: ignore[attr-defined]
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def larger_tables(bits_a_second: float, of_few: float, of_many: float) -> None:
    """What tables up to ten billion rows take, every row a pattern of its own."""
    of_shard = max(0.0, of_many - of_few) / (MANY - FEW)
    fixed = max(0.0, of_few - FEW * of_shard)
    print(f"\nAssumed: {CONDITIONS} conditions, every row a pattern of its own, {N_CHAINS} chains "
          f"of {ITERATIONS:,} iterations at 8 temperatures with room for 16 rules; workers of "
          f"{CORES} cores, of whose {BITS_A_WORKER / 8 / 1e9:.0f} GB half are for rows, with one "
          f"shard for each core; {1e3 * ROUND_TRIP:g} ms for a message there and back in the "
          "network, and for the worker to begin. Measured above: "
          f"{1e3 * fixed:.1f} ms of CPU time for a message, {1e3 * of_shard:.2f} ms for each "
          "shard that it goes to, and "
          f"{bits_a_second / 1e9:.2g} billion bits a second of one core.")  # fmt: skip
    print("rows | covers | lists | engine | workers | messages/s | 128,000 iterations")
    for exponent in (6, 7, 8, 9, 10):
        rows = 10**exponent
        covers, lists = rows * CONDITIONS / 8, rows / 8 * 17 * 8 * N_CHAINS
        room = BITS_A_WORKER / 8 / 2
        n_workers = math.ceil((covers + lists) / room)
        if n_workers == 1:
            # the same looks at bits, in as many threads as there are chains
            seconds = ITERATIONS * rows / bits_a_second / min(CORES, N_CHAINS)
            where = "any, rows packed in memory | none | none"
        else:
            n_shards = n_workers * CORES
            each = rows / n_shards / bits_a_second + fixed + n_shards * of_shard + ROUND_TRIP
            seconds = ITERATIONS * each
            where = f"Dask, n_shards={n_shards} | {n_workers} | {1 / each:,.1f}"
        print(f"{rows:,} | {covers / 1e9:,.2f} GB | {lists / 1e9:,.1f} GB | {where} | "
              f"{_in_words(seconds)}")  # fmt: skip


def _in_words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    warnings.simplefilter("ignore")
    of_few, of_many = fits()
    bits = counted_bits_a_second()
    print(f"one core counts a message of {N_CHAINS} chains among {bits / 1e9:.2g} billion bits a "
          "second")  # fmt: skip
    larger_tables(bits, of_few, of_many)


if __name__ == "__main__":
    main()
