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
from elseif.sampler.warm_starts import WarmStart, warm_starts
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


def test_the_paper_s_kernel_begins_with_the_prior() -> None:
    problem, _ = posed(1000)
    starts = warm_starts(problem, KERNELS["paper"], np.random.SeedSequence(0).spawn(2))
    assert starts.chains == (WarmStart(), WarmStart())
    assert starts.sentence() == ""


def test_replicas_begin_with_scored_lists() -> None:
    """One for every temperature; a chain's do not depend on how many others there are."""
    problem, _ = posed(1000)
    kernel = KERNELS["tempered"]
    starts = warm_starts(problem, kernel, np.random.SeedSequence(0).spawn(3))
    alone = warm_starts(problem, kernel, np.random.SeedSequence(0).spawn(1))
    assert alone.chains == starts.chains[:1]
    for start in starts.chains:
        assert start.replicas is not None
        assert start.chain is not None
        assert len(start.replicas) == len(kernel.betas) - 1
        assert set(start.chain) == set(PLANTED)
    assert len({start.replicas[-1] for start in starts.chains if start.replicas}) > 1
    assert starts.sentence() == ("Before sampling, 901 lists were scored: all of up to two rules.")


def needle(pool_size: int, seed: int) -> tuple[Problem, tuple[int, int]]:
    """Two antecedents that are worth nothing alone and hundreds of nats together."""
    rng = np.random.default_rng(seed)
    n = 2_400
    labels = rng.integers(0, 2, n)
    first = rng.random(n) < 0.5
    second = (labels == 1) ^ (rng.random(n) < 0.05) ^ first
    truths = rng.random((pool_size, n)) < 0.3
    pair = (pool_size // 3, 2 * pool_size // 3)
    truths[pair[0]], truths[pair[1]] = first, second
    layout = make_layout(labels, 2)
    prior = ListPrior(np.ones(pool_size, dtype=int), 3.0, 1.0, np.ones(pool_size))
    covers = np.stack([layout.pack(truth) for truth in truths])
    return Problem(covers, layout, np.ones(2), prior), pair


@pytest.mark.parametrize("pool_size", [1_000, 3_000])
def test_a_needle_in_a_large_pool_is_found(pool_size: int) -> None:
    """By every chain, of every seed: all lists of two rules have been looked at."""
    for seed in range(3):
        problem, pair = needle(pool_size, seed)
        settings = SamplerSettings("tempered", n_chains=2, n_iter=4_000, n_jobs=1)
        sampled = sample(problem, settings, np.random.SeedSequence(seed), Progress())
        for runs in sampled.chains:
            assert all(set(pair) <= set(d) for d in lists_of(runs))


def test_large_problems_begin_with_what_a_sample_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE_WORDS", 64)
    problem, _ = posed(80_000)
    starts = warm_starts(problem, KERNELS["tempered"], np.random.SeedSequence(0).spawn(3))
    lists = [start.chain for start in starts.chains]
    assert all(result is not None and set(PLANTED) <= set(result) for result in lists)
    assert starts.on_sample
    assert "on a sample" in starts.sentence()
    sampled = sample(
        problem, SamplerSettings(n_chains=3, n_iter=400), np.random.SeedSequence(0), Progress()
    )
    assert [info.start for info in sampled.infos] == lists
    assert all(set(PLANTED) <= set(d) for runs in sampled.chains for d in lists_of(runs))
    alone = sample(
        problem, SamplerSettings(n_chains=1, n_iter=400), np.random.SeedSequence(0), Progress()
    )
    assert lists_of(alone.chains[0]) == lists_of(sampled.chains[0])  # however many others there are
