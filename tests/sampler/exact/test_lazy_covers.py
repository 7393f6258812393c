"""Conjunctions joined at every use: the same chain as with covers of their own, draw by draw."""

import dataclasses

import numpy as np
import pytest

from elseif import compiled
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import KERNELS
from tests.sampler.cases import CASES, Case, random_case

N = 3 * 64 * compiled.BLOCK_WORDS  # a section is more than one block of words, and not whole ones


@pytest.fixture(scope="module")
def large() -> Case:
    return random_case("large", 5, (1, 2, 3, 1, 2, 3, 1, 2), (1.0, 1.0), n=N, expected_length=4.0)


def lazy(case: Case) -> Case:
    return dataclasses.replace(case, is_lazy=True)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["large", "six-antecedents", "fractional-weights"])
def test_a_chain_takes_the_same_way(large: Case, name: str, kernel: str) -> None:
    case = large if name == "large" else CASES[name]
    runs = []
    for posed in (case.problem, lazy(case).problem):
        chain = Chain(CompiledProblem.of(posed), KERNELS[kernel], np.random.SeedSequence(7))
        runs.append(chain.run(1500))
    for field in dataclasses.fields(runs[0]):
        np.testing.assert_array_equal(getattr(runs[0], field.name), getattr(runs[1], field.name))
    assert len(runs[0].n_draws) > 3  # it went somewhere


def test_conjunctions_are_those_that_were_split(large: Case) -> None:
    own, split = large.problem, lazy(large).problem
    assert len(split.covers) != len(own.covers)
    for a in range(large.pool_size):
        np.testing.assert_array_equal(split.cover(a), own.cover(a))


def test_the_same_observations_are_followed(large: Case) -> None:
    own, split = (choose_monitored(posed) for posed in (large.problem, lazy(large).problem))
    np.testing.assert_array_equal(own.truth, split.truth)
    np.testing.assert_array_equal(own.labels, split.labels)


def test_conjunctions_are_counted_without_being_kept(large: Case) -> None:
    posed = lazy(large).problem
    layout = posed.layout
    counts = np.zeros((large.pool_size, 2), dtype=np.int64)
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    room = np.zeros(compiled.BLOCK_WORDS, dtype=np.uint64)
    assert posed.condition_ids is not None
    compiled.count_conjunctions(posed.covers, posed.condition_ids, sections, room, counts)
    for a, truth in enumerate(large.truths):
        np.testing.assert_array_equal(counts[a], np.bincount(large.labels[truth], minlength=2))
