"""A million synthetic persons in DuckDB: how long extraction takes, beside a plain scan.

Every step runs in a process of its own, whose peak memory is its own. Fewer persons:
python benchmarks/cohort_million.py 100000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

N_PERSONS = 1_000_000
PATIENTS_A_PERSON = 0.05
SCHEMA = "cdm"
EVENTS = (
    ("condition_occurrence", "condition_concept_id"),
    ("drug_exposure", "drug_concept_id"),
)


def make(path: str, n_persons: int) -> None:
    """The database."""
    from elseif.datasets import make_stroke_cdm

    n_patients = round(n_persons * PATIENTS_A_PERSON)
    begin, cpu = time.perf_counter(), time.process_time()
    planted = make_stroke_cdm(path, n_patients=n_patients, n_others=n_persons - n_patients)
    seconds = time.perf_counter() - begin
    n_records = sum(planted.records[table] for table, _ in EVENTS)
    print(
        f"made     {n_persons:,} persons with {n_records:,} records: {seconds:.1f} s, "
        f"of CPU {time.process_time() - cpu:.1f} s, {peak():.2f} GB at most; "
        f"the file has {Path(path).stat().st_size / 1e9:.2f} GB",
        flush=True,
    )


def scan(path: str) -> None:
    """The limit: DuckDB counts the same records by person and by concept, and no more."""
    import duckdb

    with duckdb.connect(path, read_only=True) as connection:
        begin, cpu = time.perf_counter(), time.process_time()
        for table, concept in EVENTS:
            connection.execute(
                f"SELECT max(n) FROM (SELECT count(DISTINCT {concept}) AS n "
                f"FROM {SCHEMA}.{table} GROUP BY person_id)"
            ).fetchall()
        seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    print(f"{seconds} {cpu} {peak()}")


def extract(path: str) -> None:
    """The cohort of the stroke study."""
    from elseif.cohort import connect, extract, load_definition

    definition = load_definition("stroke")
    begin, cpu = time.perf_counter(), time.process_time()
    with connect(path, SCHEMA) as database:
        cohort = extract(database, definition)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    print(f"{seconds} {cpu} {peak()} {cohort.features.shape[0]} {cohort.features.shape[1]}")
    print(cohort.features.nnz, int(cohort.outcome.sum()))


def peak() -> float:
    """Most memory that this process had, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def in_a_process(step: str, path: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, __file__, step, str(path)], check=True, capture_output=True, text=True
    )
    return [float(word) for word in done.stdout.split()]


def main(n_persons: int = N_PERSONS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.duckdb"
        subprocess.run([sys.executable, __file__, "make", str(path), str(n_persons)], check=True)
        scanned, scan_cpu, scan_memory = in_a_process("scan", path)
        print(
            f"scanned  distinct concepts of every person by DuckDB alone: {scanned:.1f} s, "
            f"of CPU {scan_cpu:.1f} s, {scan_memory:.2f} GB at most",
            flush=True,
        )
        seconds, cpu, memory, n, n_columns, n_true, n_strokes = in_a_process("extract", path)
        print(
            f"extracted {n:,.0f} patients by {n_columns:,.0f} columns ({n_true:,.0f} true, "
            f"{n_strokes:,.0f} strokes): {seconds:.1f} s, of CPU {cpu:.1f} s, "
            f"{memory:.2f} GB at most\n"
            f"extraction took {seconds / scanned:.2f} times as long as the plain scan, and "
            f"{cpu / scan_cpu:.2f} times its CPU"
        )


if __name__ == "__main__":
    steps = {"scan": scan, "extract": extract}
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] and sys.argv[1] in steps:
        steps[sys.argv[1]](sys.argv[2])
    else:
        main(*map(int, sys.argv[1:]))
