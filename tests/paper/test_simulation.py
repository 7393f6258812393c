"""Figure 2, reduced: more observations bring the draws nearer to the true list."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.studies.simulation import distances, edit_distance

SIZES, N_DATA_SETS = (100, 500, 5000), 8


def test_the_distance_falls_with_the_number_of_observations() -> None:
    """The median over data sets of the mean distance to the true list falls towards 0."""
    seeds = np.random.SeedSequence(0).spawn(len(SIZES) * N_DATA_SETS)
    medians = []
    for i, n in enumerate(SIZES):
        means = []
        for seed in seeds[i * N_DATA_SETS : (i + 1) * N_DATA_SETS]:
            d, share, _ = distances(n, seed)
            assert share.sum() == pytest.approx(1)
            means.append(np.average(d, weights=share))
        medians.append(float(np.median(means)))
    assert medians == sorted(medians, reverse=True)
    assert medians[0] - medians[1] > 0.3
    assert medians[1] - medians[2] > 0.3
    assert medians[2] < 2


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "", 3),
        ("", "ab", 2),
        ("kitten", "sitting", 3),
        ("abcde", "acde", 1),
        ("abc", "cab", 2),
        (("r1", "r2"), ("r2", "r1"), 2),
    ],
)
def test_edit_distance(a: str, b: str, distance: int) -> None:
    """Levenshtein's distance, on known cases and from both sides."""
    assert edit_distance(a, b) == distance
    assert edit_distance(b, a) == distance
