"""100 million observations by 100 conditions, from a Parquet file to draws, below 8 GB.

The file is made block by block; it is read one column at a time, straight into packed bits. The
covers of all conjunctions would take tens of gigabytes, so they are joined at every use. Fewer
observations: python benchmarks/hundred_million.py 10000000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_ROWS = 100_000_000
N_CONDITIONS = 100
BLOCK = 1_000_000
LIMIT = 8e9
N_ITER = 400
# the list that labels are drawn from: conditions, and the probability of the outcome
PLANTED = (((3, 17), 0.62), ((8,), 0.05), ((21, 40), 0.35), ((55,), 0.48))
OTHERWISE = 0.14


def blocks(n_rows: int) -> object:
    """Truths of the conditions and the outcome, some rows at a time."""
    rng = np.random.default_rng(0)
    # shares of true values from 5 % to 60 %, to be compared with one random byte each
    thresholds = np.linspace(13, 154, N_CONDITIONS)[rng.permutation(N_CONDITIONS)].astype(np.uint8)
    for begin in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - begin)
        truth = [
            np.frombuffer(rng.bytes(n), dtype=np.uint8) < threshold for threshold in thresholds
        ]
        risk = np.full(n, OTHERWISE)
        for conditions, probability in reversed(PLANTED):
            risk[np.logical_and.reduce([truth[c] for c in conditions])] = probability
        yield truth, rng.random(n) < risk


def write_table(path: Path, n_rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"condition {i:02d}" for i in range(N_CONDITIONS)]
    schema = pa.schema([(name, pa.bool_()) for name in [*names, "outcome"]])
    with pq.ParquetWriter(path, schema) as writer:
        for truth, outcome in blocks(n_rows):
            columns = [pa.array(column) for column in [*truth, outcome]]
            writer.write_table(pa.table(columns, schema=schema))


def fit(path: str) -> None:
    from elseif import BayesianRuleListClassifier, ParquetTable

    begin = time.perf_counter()
    table = ParquetTable(path)
    clf = BayesianRuleListClassifier(
        n_chains=2, n_iter=N_ITER, n_jobs=2, random_state=0, verbose=True
    )
    clf.fit(table.drop("outcome"), table["outcome"])
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(clf.rule_list_)
    pool = len(clf.pool_)
    print(
        f"\n{len(table):,} x {N_CONDITIONS}, {pool:,} antecedents (their covers would take "
        f"{pool * len(table) / 8e9:.0f} GB): {seconds:.0f} s, peak memory {peak / 1e9:.2f} GB "
        f"({peak / LIMIT:.2f} of 8 GB); mean length of the lists drawn "
        f"{np.average(clf.posterior_.distinct.lengths, weights=clf.posterior_.probabilities):.1f}"
    )


def main(n_rows: int = N_ROWS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        begin = time.perf_counter()
        write_table(path, n_rows)
        size = path.stat().st_size / 1e9
        print(f"a file of {size:.1f} GB, made in {time.perf_counter() - begin:.0f} s", flush=True)
        subprocess.run([sys.executable, __file__, "fit", str(path)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["fit"]:
        fit(sys.argv[2])
    else:
        main(*map(int, sys.argv[1:]))
