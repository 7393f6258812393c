"""Redraws from a block of antecedents: exact draws, chains that stay in the posterior, no seams."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from elseif.progress import Progress
from elseif.sampler import chain as chain_module
from elseif.sampler.block_redraws import Block, Redraws, choose_block
from elseif.sampler.chain import Chain, Room
from elseif.sampler.chain_workers import Paused
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.run_of_chains import RunOfChains
from elseif.sampler.warm_starts import WarmStart, WarmStarts
from tests.sampler.cases import CASES, Case
from tests.sampler.checks import FALSE_ALARM, chi_square_p, exact_starts, lists_p
from tests.sampler.variants import VARIANTS, lists_of, posterior

OFTEN = Redraws(after=125, size=3, every=4)
TEMPERED = dataclasses.replace(KERNELS["tempered"], redraws=OFTEN)
ALONE = dataclasses.replace(TEMPERED, betas=(1.0,), rungs=None)
BLOCKS = {
    "three-labels": [0, 2],
    "two-identical-covers": [0, 1, 3],
    "nobody-and-everybody": [1, 2],
    "weighted-antecedents": [0, 3],
    "weighted-observations": [0, 1, 2],
    "weighted-observations-lazy": [0, 1, 2],
    "six-antecedents": [1, 2, 4, 5],
}


def block_of(name: str) -> tuple[Case, np.ndarray]:
    return CASES[name], np.array(BLOCKS[name])


def new_chain(case: Case, kernel: MoveMix, seed: list[int], **given: Any) -> Chain:
    return Chain(case.compiled, kernel, np.random.SeedSequence(seed), **given)


@pytest.mark.parametrize("name", BLOCKS)
def test_draws_of_a_block(name: str) -> None:
    """Lists made of the block, by their posterior among all of these; false-alarm rate 1e-6."""
    case, antecedents = block_of(name)
    block = Block(case.compiled, antecedents)
    stream = np.random.default_rng(7).integers(0, 2**64, size=4, dtype=np.uint64)
    drawn = Counter(block.draw(stream) for _ in range(20_000))
    inside = {d: p for d, p in posterior(case).items() if set(d) <= set(BLOCKS[name])}
    total = sum(inside.values())
    expected = {d: 20_000 * p / total for d, p in inside.items()}
    assert chi_square_p(drawn, expected, pool_by=len) > FALSE_ALARM


def ends_p(name: str, kernel: MoveMix, n_chains: int = 1_000) -> float:
    """p-value of where chains with redraws are that started from exact draws of every target."""
    case, antecedents = block_of(name)
    variant = dataclasses.replace(VARIANTS["tempered"], kernel=kernel)
    starts = exact_starts(case, variant, n_chains, np.random.default_rng(5))
    ends = []
    for k, (start, *others) in enumerate(zip(*starts, strict=True)):
        one = new_chain(case, kernel, [5, k], start=start, replica_starts=others, block=antecedents)
        one.run_to(9)  # two redraws, and a step after them
        ends.append(one.antecedent_list)
    return lists_p(case, ends)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("three-labels", ALONE), ("three-labels", TEMPERED), ("weighted-antecedents", TEMPERED)],
    ids=["alone", "tempered", "weighted"],
)
def test_chains_with_redraws_stay_in_the_posterior(name: str, kernel: MoveMix) -> None:
    """T3: the ends of chains that start from the posterior, false-alarm rate 1e-6 each."""
    assert ends_p(name, kernel) > FALSE_ALARM


def any_list(_: Block, antecedent_list: tuple[int, ...]) -> bool:
    return len(antecedent_list) >= 0


def draw_shorter(block: Block, stream: np.ndarray) -> tuple[int, ...]:
    """Given the list where the chain is, one would have to come back to it."""
    return tuple(block.antecedents[:1])


@pytest.mark.parametrize(
    ("method", "wrong"), [("has", any_list), ("draw", draw_shorter)], ids=["any list", "no draw"]
)
def test_wrong_redraws_are_caught(
    method: str, wrong: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A redraw of lists that are not of the block, and one that is not from the posterior."""
    monkeypatch.setattr(Block, method, wrong)
    assert ends_p("three-labels", ALONE) < FALSE_ALARM


def expanded(chain: Chain, stops: list[int]) -> list[tuple[int, ...]]:
    """All draws up to the last stop."""
    drawn = []
    for stop in stops:
        runs = chain.run_to(stop)
        for d, n in zip(lists_of(runs), runs.n_draws, strict=True):
            drawn += [d] * int(n)
    return drawn


@pytest.mark.parametrize("kernel", [ALONE, TEMPERED], ids=["alone", "tempered"])
def test_draws_do_not_depend_on_where_batches_and_pages_end(
    kernel: MoveMix, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One iteration at a time, in whole batches, in small pages, with lists that need room."""
    case, antecedents = block_of("six-antecedents")

    def drawn(stops: list[int], room: Room | None = None) -> list[tuple[int, ...]]:
        return expanded(new_chain(case, kernel, [3], block=antecedents, room=room), stops)

    one_by_one = drawn(list(range(1, 401)))
    assert drawn([400]) == one_by_one
    assert drawn([3, 4, 5, 399, 400]) == one_by_one
    small = Room(capacity=1, n_runs=3, n_items=20)
    assert drawn([400], small) == one_by_one
    monkeypatch.setattr(chain_module, "FIRST_BATCH", 1)
    assert drawn([400]) == one_by_one
    redrawn = [one_by_one[i] != one_by_one[i - 1] for i in range(4, 400, 4)]
    assert sum(redrawn) > 20


def test_a_snapshot_goes_on_with_the_redraws() -> None:
    """Taken at any moment, also between the last step before a redraw and the redraw itself."""
    case, _ = block_of("six-antecedents")
    whole = new_chain(case, TEMPERED, [9])
    expected = whole.run(1_000)
    for every in (3, 7, 50):
        chain, pauses = new_chain(case, TEMPERED, [9], room=Room(capacity=1)), 0

        def at_pause(chain: Chain, every: int = every) -> None:
            nonlocal pauses
            pauses += 1
            if pauses % every == 0:
                raise Paused

        for _ in range(5_000):
            chain.at_pause = at_pause
            try:
                ended = chain.run(1_000)
                break
            except Paused:
                chain = Chain.restored(case.compiled, TEMPERED, chain.snapshot())
        for name, value in vars(expected).items():
            np.testing.assert_array_equal(value, getattr(ended, name), err_msg=name)


def test_longer_runs_are_those_of_one_go() -> None:
    """Also where the chains go back to a window that they had passed without adapting."""
    case, _ = block_of("six-antecedents")
    seeds = np.random.SeedSequence(2).spawn(2)

    def run(*lengths: int) -> RunOfChains:
        chains = RunOfChains(case.problem, TEMPERED, seeds, WarmStarts((WarmStart(),) * 2), 1)
        for n_iter in lengths:
            chains.advance(n_iter, None, Progress())
        return chains

    for lengths in ((500, 1_000, 2_000), (700, 1_300, 2_000), (300, 2_000)):
        for one, other in zip(run(*lengths).draws, run(2_000).draws, strict=True):
            for name, value in vars(one).items():
                np.testing.assert_array_equal(value, getattr(other, name), err_msg=name)


def test_redraws_begin_after_their_window() -> None:
    """Shorter runs have the draws that they had without redraws, longer ones have others."""
    case, _ = block_of("six-antecedents")
    later = dataclasses.replace(TEMPERED, redraws=dataclasses.replace(OFTEN, after=500))
    never = dataclasses.replace(TEMPERED, redraws=None)

    def lists(kernel: MoveMix, n_iter: int) -> list[tuple[int, ...]]:
        return lists_of(new_chain(case, kernel, [4]).run(n_iter))

    assert lists(later, 999) == lists(never, 999)
    assert lists(later, 1_000) != lists(never, 1_000)


def test_the_block_is_what_was_drawn_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the pool; of what was never drawn nothing, and nothing if it costs much."""
    case = CASES["six-antecedents"]
    presence = np.array([3, 0, 9, 9, 1, 4])
    block = choose_block(case.compiled, OFTEN, presence)
    assert block is not None
    assert block.antecedents.tolist() == [2, 3, 5]
    few = choose_block(case.compiled, OFTEN, np.array([0, 0, 2, 0, 0, 0]))
    assert few is not None
    assert few.antecedents.tolist() == [2]
    assert choose_block(case.compiled, OFTEN, np.zeros(6, dtype=int)) is None
    monkeypatch.setattr("elseif.sampler.exact_sum.FEW_BYTES", 0)
    assert choose_block(case.compiled, OFTEN, presence) is None


def test_sums_are_shared_and_their_room_is_not() -> None:
    """Chains of a problem may redraw from the same block at the same time, in threads."""
    case, antecedents = block_of("six-antecedents")
    first = ExactSum.of(case.problem, antecedents.tolist())
    second = first.with_own_room()
    assert second.most_probable() == first.most_probable()
    uniforms = np.random.default_rng(1).random((50, len(antecedents) + 1))
    assert second.lists_at(uniforms) == first.lists_at(uniforms)
