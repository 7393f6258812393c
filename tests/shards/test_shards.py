"""Chains whose observations are in shards draw what chains of one machine draw."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from elseif.bits.packing import make_layout
from elseif.bits.pattern_keys import in_order, sum_of_digests
from elseif.errors import ResourceError
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from elseif.progress import Progress
from elseif.sampler import correlation_neighbours, monitored, warm_starts
from elseif.sampler.block_redraws import Redraws
from elseif.sampler.chain import Chain, Room
from elseif.sampler.chain_workers import Paused
from elseif.sampler.chains import Sampled, SamplerSettings, sample
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.exact_sum import cover_patterns
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.sharded_steps import SharedMessages
from elseif.shards.shards import Shards
from tests.sampler.cases import CASES
from tests.shards.parts import LosingShard, ShardHere, in_shards, parts_of


def drawn(problem: Problem, n_chains: int = 2, **settings: Any) -> Sampled:
    how = SamplerSettings(n_chains=n_chains, **{"kernel": "tempered", "n_iter": 700} | settings)
    return sample(problem, how, np.random.SeedSequence(8), Progress())


def assert_same(mine: Sampled, theirs: Sampled) -> None:
    assert mine.infos == theirs.infos
    for one, other in zip(mine.chains, theirs.chains, strict=True):
        for name, value in vars(one).items():
            np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)


def random_problem(n_rows: int = 20_000, pool_size: int = 24) -> Problem:
    rng = np.random.default_rng(4)
    truths = rng.random((pool_size, n_rows)) < rng.uniform(0.1, 0.6, pool_size)[:, None]
    labels = (rng.random(n_rows) < 0.2 + 0.3 * truths[0] + 0.2 * truths[3]).astype(int)
    layout = make_layout(labels, 2, rng.integers(1, 4, n_rows))
    covers = np.stack([layout.pack(truth) for truth in truths])
    cardinalities = np.array([1] * (pool_size // 2) + [2] * (pool_size - pool_size // 2))
    prior = ListPrior(cardinalities, 3.0, 1.0, np.ones(pool_size))
    return Problem(covers, layout, np.ones(2), prior)


@pytest.mark.parametrize(
    ("case", "kernel"),
    [
        ("six-antecedents", "tempered"),
        ("six-antecedents", "paper"),
        ("fractional-weights", "tempered"),
        ("three-weighted", "tempered"),
        ("weighted-observations-lazy", "tempered"),
        ("no-observations", "paper"),
    ],
)
def test_draws_are_those_of_one_machine(case: str, kernel: str) -> None:
    """Also of shards without an observation, and with a stop in the middle of a round."""
    problem = CASES[case].problem
    holders = [ShardHere(rows) for rows in parts_of(problem, 3)]
    mine = drawn(in_shards(problem, holders), kernel=kernel)
    theirs = drawn(problem, kernel=kernel)
    assert_same(mine, theirs)
    more = [run.go_on(333, None, Progress(), None) for run in (mine, theirs)]
    assert_same(*more)


def test_redraws_are_those_of_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are summed from what shards count, and shards are brought to the lists drawn."""
    often = dataclasses.replace(KERNELS["tempered"], redraws=Redraws(after=125, size=6, every=10))
    monkeypatch.setitem(KERNELS, "tempered", often)
    problem = random_problem(600)
    parts = parts_of(problem, 2)
    holders = [LosingShard(parts[0], (450, 451)), ShardHere(parts[1])]
    mine, theirs = drawn(in_shards(problem, holders)), drawn(problem)
    assert_same(mine, theirs)
    assert_same(*[run.go_on(333, None, Progress(), None) for run in (mine, theirs)])
    monkeypatch.setitem(KERNELS, "tempered", dataclasses.replace(often, redraws=None))
    without = drawn(problem)
    assert without.chains[0].items.tolist() != theirs.chains[0].items.tolist()


def test_one_message_is_of_all_replicas_of_all_chains() -> None:
    """A message for each step of the coldest replica; the warmer ones go along."""
    problem = in_shards(
        random_problem(600), [ShardHere(rows) for rows in parts_of(random_problem(600), 2)]
    )
    assert problem.shards is not None
    drawn(problem, n_chains=1)
    of_one = problem.shards.n_messages
    drawn(problem, n_chains=4)
    of_four = problem.shards.n_messages - of_one
    assert 700 <= of_four <= 700 * 1.25
    assert of_four <= of_one * 1.1


def test_a_lost_shard_is_brought_to_the_present_lists() -> None:
    problem = random_problem(600)
    lost_at = [(), (90, 91, 400), (2, 4, 300)]
    parts = parts_of(problem, 3)
    holders = [LosingShard(rows, lost) for rows, lost in zip(parts, lost_at, strict=True)]
    assert_same(drawn(in_shards(problem, holders)), drawn(problem))
    assert [holder.n_started for holder in holders] == [1, 4, 4]


def test_a_shard_that_is_lost_for_ever() -> None:
    problem = random_problem(600)
    holders = [LosingShard(parts_of(problem, 1)[0], tuple(range(50, 500)))]
    with pytest.raises(ResourceError, match="shard 1 of 1 ended 3 times"):
        drawn(in_shards(problem, holders))


def test_longer_lists_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """States grow in the middle of a round, and pages of draws fill up."""
    monkeypatch.setattr("elseif.sampler.chain.Room", lambda: Room(capacity=1, n_runs=20))
    problem = random_problem(600)
    prior = ListPrior(problem.prior.cardinalities, 9.0, 1.0, problem.prior.weights)
    longer = Problem(problem.covers, problem.layout, problem.pseudocounts, prior)
    holders = [ShardHere(rows) for rows in parts_of(longer, 2)]
    shares = drawn(in_shards(longer, holders))
    assert max(chain.lengths.max() for chain in shares.chains) > 3
    assert_same(shares, drawn(longer))


def test_samples_are_fetched_from_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large problem, starts and neighbours are found from the same words of the layout."""
    problem = random_problem()
    monkeypatch.setattr(warm_starts, "SAMPLE_WORDS", 32)
    monkeypatch.setattr(warm_starts, "N_ITER", 300)
    monkeypatch.setattr(correlation_neighbours, "SAMPLE_WORDS", 48)
    monkeypatch.setattr(monitored, "MOST_WORDS", 64)
    assert problem.layout.n_words > 8 * 32
    far = in_shards(problem, [ShardHere(rows) for rows in parts_of(problem, 3)], fetched=False)
    np.testing.assert_array_equal(far.layout.section_starts, problem.layout.section_starts)
    mine, theirs = sample_of(far, 40), sample_of(problem, 40)
    np.testing.assert_array_equal(mine.covers, theirs.covers)
    np.testing.assert_array_equal(mine.layout.everyone(), theirs.layout.everyone())
    np.testing.assert_array_equal(mine.layout.label_totals, theirs.layout.label_totals)
    np.testing.assert_array_equal(far.local().covers, problem.covers)
    assert_same(drawn(far), drawn(problem))


def test_sums_over_all_lists() -> None:
    problem = CASES["weighted-observations"].problem
    far = in_shards(problem, [ShardHere(rows) for rows in parts_of(problem, 2)])
    mine, theirs = cover_patterns(far), cover_patterns(problem)
    np.testing.assert_array_equal(mine.patterns, theirs.patterns)
    np.testing.assert_array_equal(mine.label_counts, theirs.label_counts)
    assert_same(drawn(far, kernel="exact"), drawn(problem, kernel="exact"))


def test_an_error_of_a_message_reaches_every_chain() -> None:
    problem = in_shards(random_problem(600), [ShardHere(parts_of(random_problem(600), 1)[0])])
    assert problem.shards is not None
    messages = SharedMessages(problem.shards, 1)
    with pytest.raises(KeyError):
        messages.ask(0, ("step", 0, None, np.zeros((0, 21), dtype=np.int64)))
    with pytest.raises(KeyError):
        messages.ask(0, ("load", 0, [[]], np.zeros((1, 2), dtype=np.int64)))


def test_fingerprints_do_not_depend_on_shards() -> None:
    problem = random_problem(2000, 70)
    sums = []
    for n in (1, 3):
        shards = Shards([ShardHere(rows) for rows in parts_of(problem, n)], 2)
        sums.append(shards.fingerprint())
    np.testing.assert_array_equal(*sums)
    keys, codes, weights = in_order(
        np.array([[1], [1], [0]]), np.array([0, 0, 0]), np.array([2, 3, 1])
    )
    assert keys.tolist() == [[0], [1]]
    assert weights.tolist() == [1, 5]
    assert (
        sum_of_digests(keys, codes, weights) != sum_of_digests(keys, codes, weights[::-1])
    ).all()


def test_a_snapshot_goes_on_from_where_it_was() -> None:
    """Checkpoints of a fit in shards are those of chains anywhere."""
    problem, mix = random_problem(600), KERNELS["tempered"]
    far = in_shards(problem, [ShardHere(rows) for rows in parts_of(problem, 2)])
    seed = np.random.SeedSequence(3)
    whole = Chain(CompiledProblem.of(problem), mix, seed, start=(1,)).run(700)
    taken: list[Any] = []

    def stop(chain: Chain) -> None:
        if chain.n_done >= 400 and not taken:
            taken.append(chain.snapshot())
            raise Paused

    chain = Chain(CompiledProblem.of(far), mix, np.random.SeedSequence(3), start=(1,))
    chain.at_pause = stop
    with pytest.raises(Paused):
        chain.run(700)
    for posed in (CompiledProblem.of(far), CompiledProblem.of(problem)):
        resumed = Chain.restored(posed, mix, taken[0]).run(700)
        for name, value in vars(whole).items():
            np.testing.assert_array_equal(value, getattr(resumed, name), err_msg=name)
