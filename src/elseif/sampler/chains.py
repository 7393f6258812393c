"""Many chains: in parallel threads, in growing batches, until they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import joblib
import numpy as np

from elseif.errors import ParamError
from elseif.model.problem import Problem
from elseif.progress import Progress, polled
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import (
    PAPER_R_HAT,
    Convergence,
    assess,
    gelman_rubin,
    is_good_enough,
)
from elseif.sampler.enumeration import Enumeration
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS, MoveMix
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.warm_starts import warm_starts
from elseif.sampler.warm_up import FIRST_WINDOW

# the first length tried when none is given, at least and at most
SHORTEST_RUN, LONGEST_FIRST_RUN = 256 * FIRST_WINDOW, 512 * FIRST_WINDOW
# uniform proposals of every antecedent, on average, that a chain makes in its first run: where most
# of a pool was never tried, chains agree on what they happened to find
TRIES = 2.0
# pools that are summed over all lists instead, where that costs less than the shortest run
MOST_SUMMED = 18
# and the largest that may be; every antecedent more doubles the time and the memory
LARGEST_SUM = 20
# draws over all chains: each is kept by itself, for it seldom is the list of the one before
MOST_EXACT_DRAWS = 2_000_000
# iterations when none are given: independent draws say as much as many times more of a chain
EXACT_RUN = 6_000


@dataclass(frozen=True)
class SamplerSettings:
    """How to sample: which kernel, how many chains, how long."""

    kernel: str = "auto"
    n_chains: int = 4
    n_iter: int | None = None  # exactly so many, or None: until converged
    max_iter: int = 2_000_000
    n_jobs: int | None = None


@dataclass(frozen=True)
class Sampled:
    """The kept draws of each chain, and how the run went."""

    chains: tuple[RunLengthDraws, ...]
    infos: tuple[ChainInfo, ...]
    convergence: Convergence


def sample(
    problem: Problem,
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> Sampled:
    """Draw antecedent lists from the posterior (section 2.6).

    Chain k is seeded from the seed and k alone, and adapts to its own past alone, so it
    is the same for any number of chains or workers. Without n_iter, the run is made twice
    as long again and again until the chains agree: the result is that of the last length
    given as n_iter.
    """
    name = settings.kernel
    if name == "auto":
        few = problem.pool_size <= MOST_SUMMED and _n_exact_draws(settings) <= MOST_EXACT_DRAWS
        name = "exact" if few else DEFAULT_KERNEL
    if name == "exact":
        return _draw_exactly(problem, settings, seed, progress)
    kernel = KERNELS[name]
    posed = CompiledProblem.of(problem)
    monitored = choose_monitored(problem)
    seeds = seed.spawn(settings.n_chains)
    starts = warm_starts(problem, kernel, seeds)
    batches = [settings.n_iter] if settings.n_iter is not None else []
    if not batches:
        batches = growing(first_run(kernel, problem.pool_size), settings.max_iter)
    chains = [
        Chain(posed, kernel, child, start) for child, start in zip(seeds, starts, strict=True)
    ]
    for n_iter in batches:
        runs = _run(chains, n_iter, settings.n_jobs, progress)
        r_hat = gelman_rubin(runs)
        if r_hat >= PAPER_R_HAT and n_iter < batches[-1]:
            # what fails the paper's criterion needs no stricter one
            progress.note(f"{n_iter:,} iterations a chain: R-hat {r_hat:.3f}, not converged")
            continue
        infos = tuple(chain.info for chain in chains)
        convergence = assess(runs, infos, problem, monitored)
        progress.note(f"{n_iter:,} iterations a chain: R-hat {r_hat:.3f}, {convergence.status}")
        if is_good_enough(convergence):
            break
    return Sampled(tuple(runs), infos, convergence)


def _exact_iterations(settings: SamplerSettings) -> int:
    return settings.n_iter or min(EXACT_RUN, settings.max_iter)


def _n_exact_draws(settings: SamplerSettings) -> int:
    """Draws over all chains, if they are drawn exactly."""
    n_iter = _exact_iterations(settings)
    return settings.n_chains * (n_iter - n_iter // 2)


def _draw_exactly(
    problem: Problem,
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> Sampled:
    """Sum over all lists, and draw from them independently: as many as a chain would keep."""
    if problem.pool_size > LARGEST_SUM:
        raise ParamError(
            f"kernel='exact' sums over all lists of a pool of at most {LARGEST_SUM} antecedents, "
            f"and this pool has {problem.pool_size:,}. Take kernel='auto', or make the pool "
            "smaller by a higher min_support or a lower max_cardinality."
        )
    n_draws = _n_exact_draws(settings)
    if n_draws > MOST_EXACT_DRAWS:
        raise ParamError(
            f"kernel='exact' keeps every draw by itself, at most {MOST_EXACT_DRAWS:,} over all "
            f"chains, and n_iter={settings.n_iter} asks for {n_draws:,}. Lower n_iter: draws are "
            "independent, and thousands tell as much as millions of a chain."
        )
    n_iter = _exact_iterations(settings)
    with progress.stage(f"summing over the lists of {problem.pool_size} antecedents", 1):
        enumeration = Enumeration(problem)
    runs = tuple(
        enumeration.draw(n_iter - n_iter // 2, np.random.Generator(np.random.PCG64(child)))
        for child in seed.spawn(settings.n_chains)
    )
    infos = tuple(ChainInfo((), n_iter, {}, {}) for _ in runs)
    convergence = assess(runs, infos, problem, choose_monitored(problem), independent=True)
    progress.note(f"{n_iter:,} iterations a chain, independent draws: {convergence.status}")
    return Sampled(runs, infos, convergence)


def _run(
    chains: Sequence[Chain], n_iter: int, n_jobs: int | None, progress: Progress
) -> list[RunLengthDraws]:
    """Run the chains in threads; compiled code holds no lock that would keep them apart."""
    work = joblib.Parallel(n_jobs=n_jobs, require="sharedmem")
    with (
        progress.stage(f"sampling {n_iter:,} x {len(chains)}", n_iter * len(chains)) as report,
        polled(report, lambda: sum(chain.n_done for chain in chains)),
    ):
        try:
            runs: list[RunLengthDraws] = work(joblib.delayed(chain.run)(n_iter) for chain in chains)
        except BaseException:  # Ctrl-C as well: the other threads would go on without us
            for chain in chains:
                chain.stop()
            raise
        return runs


def first_run(kernel: MoveMix, pool_size: int) -> int:
    """The first length to try: the shorter, the fewer antecedents there are to be tried.

    Without warmer replicas chains agree too easily; they always begin with the longest.
    """
    n_iter = SHORTEST_RUN if len(kernel.betas) > 1 else LONGEST_FIRST_RUN
    while n_iter < LONGEST_FIRST_RUN and n_iter * kernel.uniform_proposals < TRIES * pool_size:
        n_iter *= 2
    return n_iter


def growing(first: int, max_iter: int) -> list[int]:
    """Lengths of runs to try: each twice the one before, the last max_iter."""
    lengths = []
    n_iter = first
    while n_iter < max_iter:
        lengths.append(n_iter)
        n_iter *= 2
    return [*lengths, max_iter]
