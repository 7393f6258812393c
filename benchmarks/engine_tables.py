"""A table counted by DuckDB against the same table read into memory: CPU time and peak memory.

python benchmarks/run.py engine_tables
python benchmarks/engine_tables.py --rows 10000000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

N_ROWS = 10_000_000
MAKE = """
CREATE TABLE people AS
SELECT
  round(40 + 40 * random())::INTEGER AS age,
  round(100 + 80 * random(), 1) AS systolic,
  CASE WHEN random() < 0.03 THEN NULL ELSE round(3 + 9 * random(), 1) END AS glucose,
  random() < 0.2 AS "heart failure",
  random() < 0.3 AS diabetes,
  CASE WHEN random() < 0.5 THEN 'female' ELSE 'male' END AS sex,
  ['never', 'former', 'current'][1 + floor(3 * random())::INTEGER] AS smoking,
  DATE '2015-01-01' + floor(2000 * random())::INTEGER AS admitted,
  random() AS luck
FROM range({n});
CREATE TABLE patients AS
SELECT * EXCLUDE (luck),
  luck < 0.05 + 0.3 * "heart failure"::INTEGER + 0.1 * (age > 65)::INTEGER AS stroke
FROM people;
DROP TABLE people;
"""


def fit(path: str, where: str) -> None:
    """One fit, in the engine or in memory; prints what it took as JSON."""
    import duckdb

    from elseif import BayesianRuleListClassifier

    classifier = BayesianRuleListClassifier(n_iter=20_000, random_state=0)
    small = duckdb.sql("SELECT range % 7 AS a, range % 3 = 0 AS y FROM range(100)").df()
    BayesianRuleListClassifier(n_iter=100, random_state=0).fit(small[["a"]], small["y"])  # compile
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    with duckdb.connect(path, read_only=True, config={"threads": 1}) as connection:
        table = connection.table("patients")
        if where == "engine":
            classifier.fit(table, "stroke")
        else:
            frame = (
                table.fetch_arrow_table()
                if not hasattr(table, "to_arrow_table")
                else (table.to_arrow_table())
            )
            classifier.fit(frame.drop_columns(["stroke"]), frame["stroke"].to_numpy())
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lists = classifier.posterior_.lists()
    print(
        json.dumps(
            {
                "cpu": cpu,
                "seconds": time.perf_counter() - begin,
                "peak": after.ru_maxrss / 2**20,
                "list": str(classifier.rule_list_),
                "lists": lists.to_csv(),
                "notes": [n for n in classifier.fit_report_.notes if "patterns" in n],
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--fit", nargs=2, metavar=("FILE", "WHERE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        fit(*options.fit)
        return
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "patients.duckdb")
        with duckdb.connect(path) as connection:
            connection.sql("SELECT setseed(0.5)")
            connection.execute(MAKE.format(n=options.rows))
        results = {}
        for where in ("engine", "memory"):
            command = [sys.executable, __file__, "--fit", path, where]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            results[where] = json.loads(done.stdout.splitlines()[-1])
    engine, memory = results["engine"], results["memory"]
    print(engine["list"], *engine["notes"], sep="\n")
    print(
        f"\n{options.rows:,} rows of 8 columns, DuckDB on one thread, 20,000 iterations of 4 chains"
    )
    for where, result in results.items():
        print(f"{where}: {result['cpu']:.1f} CPU s, peak memory {result['peak']:.2f} GiB")
    cpu, peak = engine["cpu"] / memory["cpu"], engine["peak"] / memory["peak"]
    print(f"engine to memory: CPU time {cpu:.2f}, peak memory {peak:.2f}")
    print(f"same lists with the same shares: {engine['lists'] == memory['lists']}")


if __name__ == "__main__":
    main()
