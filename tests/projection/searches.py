"""Print what both ways to search find in small random problems; run compiled and as Python."""

from __future__ import annotations

import numpy as np

from elseif.projection.search import nearest_lists
from elseif.projection.target import Target


def random_target(seed: int, n_labels: int, n_candidates: int = 5, n_cells: int = 30) -> Target:
    rng = np.random.default_rng(seed)
    truth = rng.random((n_candidates, n_cells)) < rng.uniform(0.2, 0.8, (n_candidates, 1))
    inverted = truth.mean(axis=1) > 0.5
    kept = [np.flatnonzero(t ^ i).astype(np.int32) for t, i in zip(truth, inverted, strict=True)]
    counts = rng.integers(0, 6, (n_cells, n_labels))
    shares = rng.dirichlet(np.ones(n_labels), n_cells)
    sums = np.rint(np.ldexp(counts.sum(axis=1, keepdims=True) * shares, 40)).astype(np.int64)
    return Target(
        candidates=np.arange(n_candidates),
        cells=np.hstack([counts, sums]).astype(np.int64),
        members=np.concatenate(kept),
        starts=np.cumsum([0, *map(len, kept)]).astype(np.int64),
        inverted=inverted,
        unit=0.5,
        target_unit=float(np.ldexp(0.5, -40)),
        entropy=0.0,
        information=0.0,
        pseudocounts=np.ones(n_labels),
        rank_weights=rng.random(n_labels) * (seed % 3),
        fewest=seed % 2 * 10,
    )


def main() -> None:
    for seed in range(6):
        target = random_target(seed, 2 + seed % 2)
        for exhaustive in (True, False):
            for result in nearest_lists(target, [(0, 1), (3,)], 3, exhaustive):
                print(seed, exhaustive, result.rules, result.captured, f"{result.loss:.10f}")


if __name__ == "__main__":
    main()
