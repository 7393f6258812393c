"""How much memory chains will take, known before the first is made."""

from __future__ import annotations

from elseif.bits.packing import WORD_BITS
from elseif.memory import available_memory, require_memory
from elseif.model.problem import Problem
from elseif.sampler.chain import Room
from elseif.sampler.compiled_problem import LONGEST_TABLE
from elseif.sampler.monitored import MOST_WORDS
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.restricted_sum import bytes_of_check
from elseif.sampler.run_of_chains import LARGEST_COPY

NUMBERS_OF_A_BIT = 8  # of 64 bits each, while the monitored observations are chosen


def bytes_of_chain(problem: Problem, kernel: MoveMix) -> int:
    """Bytes of one chain: what its lists capture at every temperature, and its page of draws.

    Lists that grow beyond sixteen rules take more.
    """
    room, n_labels = Room(), problem.n_labels
    n_rungs = max(len(kernel.betas), kernel.rungs.most if kernel.rungs else 1)
    capacity = min(room.capacity, problem.pool_size)
    n_words = problem.layout.n_words if problem.shards is None else 0  # shards look after theirs
    captured = n_rungs * (capacity + 1) * n_words * 8
    of_pool = n_rungs * problem.pool_size * (8 + 8 + 8 + 1)  # proposals, their sums, counts
    page = (room.n_items + room.n_runs) * n_labels * 8 + room.n_items * 4 + room.n_runs * 26
    return captured + of_pool + page


def bytes_of_sampling(problem: Problem, kernel: MoveMix, n_chains: int) -> int:
    """Bytes of all chains, what they share and their check, without covers and kept draws.

    Chains that are not large have a copy, and one whose ladder grows is briefly there twice.
    """
    n_entries = min(int(problem.layout.label_totals.sum()) + 1, LONGEST_TABLE)
    tables = 2 * (problem.n_labels + 1) * n_entries * 8  # twice while they are made
    monitored = min(problem.layout.n_words, MOST_WORDS) * WORD_BITS * NUMBERS_OF_A_BIT * 8
    each = bytes_of_chain(problem, kernel)
    n_made = 2 * n_chains if n_chains * each <= LARGEST_COPY else n_chains
    return tables + max(monitored, bytes_of_check(problem)) + (n_made + 1) * each


def check_sampling_memory(problem: Problem, kernel: MoveMix, n_chains: int) -> None:
    """Raise where chains would take more memory than there is, with a setting that would do."""
    needed, available = bytes_of_sampling(problem, kernel, n_chains), available_memory()
    if needed <= available:
        return
    fewer = range(n_chains - 1, 0, -1)
    fits = (n for n in fewer if bytes_of_sampling(problem, kernel, n) <= available)
    fitting = next(fits, None)
    advice = "Set kernel='paper', whose chains have one temperature, or fit fewer rows."
    if fitting is not None:
        advice = f"Set n_chains={fitting}."
    require_memory(f"Sampling {n_chains} chains", needed, advice)
