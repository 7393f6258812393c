"""What checkpoints cost: seconds that go into writing them, and their size.

python benchmarks/run.py checkpoints
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from elseif import BayesianRuleListClassifier
from elseif.sampler.checkpoints import PartOfFit


def main(n_rows: int = 100_000, n_iter: int = 256_000) -> None:
    """Print the share of a fit's time that writing takes."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 30)) < 0.4
    y = rng.random(n_rows) < np.where(X[:, 0] & X[:, 1], 0.7, 0.3)
    written: list[float] = []
    save = PartOfFit.save

    def timed(self: Any, *args: Any, **named: Any) -> None:
        began = time.perf_counter()
        save(self, *args, **named)
        written.append(time.perf_counter() - began)

    PartOfFit.save = timed  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(temporary) / "fit"
        how: dict[str, Any] = {"kernel": "tempered", "random_state": 0, "n_jobs": 2}
        BayesianRuleListClassifier(n_iter=500, **how).fit(X[:1000], y[:1000])  # compiles
        began = time.perf_counter()
        BayesianRuleListClassifier(n_iter=n_iter, checkpoint=folder, **how).fit(X, y)
        seconds = time.perf_counter() - began
        sizes = [path.stat().st_size for path in folder.iterdir()]
    print(f"{n_rows:,} rows, {n_iter:,} iterations of 4 chains: {seconds:.0f} s")
    print(f"{len(written)} checkpoints in {sum(written):.2f} s of all threads")
    print(f"largest file {max(sizes) / 1e6:.1f} MB, all {sum(sizes) / 1e6:.1f} MB")
    print(f"share of the time: {100 * sum(written) / seconds / 2:.2f} % of two threads")


if __name__ == "__main__":
    main()
