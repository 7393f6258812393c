"""A million rows of 50 mixed columns from Parquet to draws, in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_ROWS = 1_000_000


def write_table(path: Path) -> None:
    """20 numeric, 20 boolean and 10 categorical columns; some values are missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    burden = rng.normal(size=N_ROWS).astype(np.float32)
    columns: dict[str, pa.Array] = {}
    for i in range(20):
        values = np.round(50 + 12 * (0.4 * burden + rng.normal(size=N_ROWS)), 1)
        columns[f"measure {i:02d}"] = pa.array(values, mask=rng.random(N_ROWS) < 0.02)
    for i in range(20):
        truth = 0.5 * burden + rng.normal(size=N_ROWS) > 1.2 - 0.08 * i
        columns[f"disease {i:02d}"] = pa.array(truth)
    for i in range(10):
        codes = rng.choice(6, size=N_ROWS, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
        names = pa.array([f"level {k}" for k in range(6)])
        columns[f"category {i}"] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), names)
    risk = np.where(np.asarray(columns["disease 03"]), 0.5, 0.1)
    risk = np.where(np.asarray(columns["disease 07"]), 0.35, risk)
    columns["outcome"] = pa.array(rng.random(N_ROWS) < risk)
    pq.write_table(pa.table(columns), path)


def fit(path: str) -> None:
    """Read, binarise, mine, and run 3 chains of 50,000 iterations."""
    from elseif import BayesianRuleListClassifier
    from elseif.tables.text_files import read_file

    begin = time.perf_counter()
    table = read_file(path)
    y = table["outcome"].to_numpy()
    X = table.drop_columns(["outcome"])
    clf = BayesianRuleListClassifier(
        n_chains=3, n_iter=50_000, n_jobs=2, random_state=0, verbose=True
    )
    clf.fit(X, y)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(clf.rule_list_)
    print(
        f"\n{N_ROWS:,} x {X.num_columns}, {len(clf.pool_):,} antecedents: {seconds:.1f} s "
        f"({seconds / 60:.2f} of 60 s), peak memory {peak:.2f} GiB ({peak / 3.725:.2f} of 4 GB)"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.parquet"
        write_table(path)
        subprocess.run([sys.executable, __file__, str(path)], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        fit(sys.argv[1])
    else:
        main()
