"""Where chains of a very large problem begin."""

import numpy as np
import pytest

from elseif.bits.packing import make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from elseif.progress import Progress
from elseif.sampler import warm_starts as module
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.warm_starts import warm_starts
from tests.sampler.variants import lists_of

PLANTED = (3, 7)


def posed(n: int, weighted: bool = False) -> tuple[Problem, np.ndarray]:
    """A problem with a planted list, and the truths of its antecedents."""
    rng = np.random.default_rng(2)
    truths = rng.random((30, n)) < 0.3
    risk = np.where(truths[PLANTED[0]], 0.9, np.where(truths[PLANTED[1]], 0.1, 0.5))
    labels = (rng.random(n) < risk).astype(int)
    weights = rng.integers(0, 5, n) if weighted else None
    layout = make_layout(labels, 2, weights)
    prior = ListPrior(np.ones(30, dtype=int), 3.0, 1.0, np.ones(30))
    covers = np.stack([layout.pack(truth) for truth in truths])
    return Problem(covers, layout, np.ones(2), prior), truths


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_holds_some_of_the_observations_with_their_labels(weighted: bool) -> None:
    problem, truths = posed(60_000, weighted)
    small = sample_of(problem, 200)
    layout = small.layout
    # at most a block more for each section
    assert 200 <= layout.n_words <= 200 + 8 * len(layout.section_labels)
    weights = layout.row_weights()
    labels = layout.row_labels()
    inside = np.flatnonzero(weights)
    assert len(inside) < 15_000
    np.testing.assert_array_equal(labels[inside], problem.layout.row_labels()[inside])
    np.testing.assert_array_equal(layout.label_totals, np.bincount(labels[inside], weights[inside]))
    for cover, truth in zip(small.covers, truths, strict=True):
        np.testing.assert_array_equal(layout.unpack(cover)[inside], truth[inside])


def test_every_chain_has_a_sample_of_its_own() -> None:
    problem, _ = posed(60_000)
    samples = [sample_of(problem, 200, np.random.default_rng(k)) for k in (1, 2, 1)]
    inside = [np.flatnonzero(small.layout.row_weights()) for small in samples]
    np.testing.assert_array_equal(inside[0], inside[2])
    shared = len(np.intersect1d(inside[0], inside[1])) / len(inside[0])
    assert shared < 0.5
    for small, rows in zip(samples, inside, strict=True):
        assert small.layout.label_totals.sum() == len(rows)


def test_small_problems_begin_with_the_prior() -> None:
    problem, _ = posed(1000)
    seeds = np.random.SeedSequence(0).spawn(2)
    assert warm_starts(problem, KERNELS["tempered"], seeds) == [None, None]


def test_large_problems_begin_with_what_a_sample_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE_WORDS", 64)
    problem, _ = posed(80_000)
    seeds = np.random.SeedSequence(0).spawn(3)
    assert warm_starts(problem, KERNELS["paper"], seeds) == [None] * 3
    lists = warm_starts(problem, KERNELS["tempered"], seeds)
    assert all(found is not None and set(PLANTED) <= set(found) for found in lists)
    sampled = sample(
        problem, SamplerSettings(n_chains=3, n_iter=400), np.random.SeedSequence(0), Progress()
    )
    assert [info.start for info in sampled.infos] == lists
    assert all(set(PLANTED) <= set(d) for runs in sampled.chains for d in lists_of(runs))
    alone = sample(
        problem, SamplerSettings(n_chains=1, n_iter=400), np.random.SeedSequence(0), Progress()
    )
    assert lists_of(alone.chains[0]) == lists_of(sampled.chains[0])  # however many others there are
