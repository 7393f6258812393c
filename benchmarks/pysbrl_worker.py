"""Run pysbrl in its own environment: a job as JSON on the command line, JSON as last line.

Only NumPy and pysbrl are imported here: that environment has nothing else.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pysbrl import BayesianRuleList, train_sbrl

LEAST_SECONDS = 1.0  # that the iterations timed must take


def write_lines(path: Path, names: list[str], rows: np.ndarray, n: int) -> None:
    """pysbrl's format: a name and a digit for each observation, line by line."""
    with path.open("wb") as file:
        file.write(b"n_items: %d\nn_samples: %d\n" % (len(names), n))
        for name, packed in zip(names, rows, strict=True):
            bits = np.unpackbits(packed)[:n] + ord("0")
            file.write(b"%s %s\n" % (name.encode(), bits.astype(np.uint8).tobytes()))


def time_iterations(job: dict) -> dict:
    """CPU time of an iteration: a long run less a run of one iteration, which reads the same."""
    stored = np.load(job["data"])
    n, labels = int(stored["n"]), stored["labels"]
    names = ["{" + ",".join(["c"] * int(c)) + "}" for c in stored["cardinalities"]]
    with tempfile.TemporaryDirectory() as folder:
        data, label = Path(folder, "data"), Path(folder, "label")
        write_lines(data, names, stored["covers"], n)
        by_label = np.packbits(np.stack([labels == k for k in range(2)]), axis=1)
        write_lines(label, ["{label=0}", "{label=1}"], by_label, n)

        def run(n_iter: int) -> tuple[float, int]:
            begin = time.process_time()
            ids, _, _ = train_sbrl(
                str(data),
                str(label),
                lambda_=job["expected_length"],
                eta=job["expected_cardinality"],
                max_iters=n_iter,
                n_chains=1,
                alpha=[1, 1],
                seed=1,
            )
            return time.process_time() - begin, len(ids) - 1

        reading = min(run(1)[0] for _ in range(2))
        n_iter = 1000
        seconds, length = run(n_iter)
        while seconds - reading < LEAST_SECONDS + reading / 2 and n_iter < 10**7:
            n_iter *= 4
            seconds, length = run(n_iter)
        again, _ = run(n_iter)
    return {"seconds": (min(seconds, again) - reading) / n_iter, "length": length}


def time_prediction(job: dict) -> dict:
    """CPU time of predicting for a table with a given list."""
    X = np.load(job["data"])["X"]
    model = BayesianRuleList()
    probabilities = np.array(job["probabilities"])
    pool = [(rule, [1] * len(rule)) for rule in job["rules"]]
    model.from_raw([*range(1, len(pool) + 1), 0], probabilities, pool)
    times = []
    for _ in range(5):
        begin = time.process_time()
        predicted = model.predict_proba(X)
        times.append(time.process_time() - begin)
    return {"seconds": min(times), "sum": float(predicted[:, 1].sum())}


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    work = {"iterations": time_iterations, "prediction": time_prediction}[given["task"]]
    print("\n" + json.dumps(work(given)))
