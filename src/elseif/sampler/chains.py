"""Many chains: in growing batches, until they have converged or time is up."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from elseif.errors import ParamError, ResourceError
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.checkpoints import Checkpoints
from elseif.sampler.convergence import (
    PAPER_R_HAT,
    Convergence,
    assess,
    gelman_rubin,
    is_good_enough,
)
from elseif.sampler.exact_fit import ExactFit, check_sum, fit_exactly, sum_fits
from elseif.sampler.interruption import RunInterrupted, heeding_ctrl_c
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS, MoveMix
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.run_of_chains import RunOfChains
from elseif.sampler.sampling_memory import check_sampling_memory
from elseif.sampler.warm_starts import warm_starts
from elseif.sampler.warm_up import FIRST_WINDOW

# the first length tried when none is given: of chains with warmer replicas, since in shorter runs
# those are accepted that happen to have missed a rare mode, and most of a large pool is never
# tried; and of chains without
FIRST_RUN, FIRST_RUN_OF_ONE_TEMPERATURE = 1024 * FIRST_WINDOW, 512 * FIRST_WINDOW
# pools that are summed over all lists instead, where that costs less than the shortest run
MOST_SUMMED = 18
# draws over all chains: each is kept by itself, for it seldom is the list of the one before
MOST_EXACT_DRAWS = 2_000_000
# iterations that more seconds may add
LONGEST_RUN = 10**12
# iterations when none are given: independent draws say as much as many times more of a chain
EXACT_RUN = 6_000


class Continuation(Protocol):
    """Continues the chains: each for some iterations, or all for some seconds."""

    def __call__(
        self,
        n_iter: int | None,
        seconds: float | None,
        progress: Progress,
        checkpoints: Checkpoints | None = None,
        /,
    ) -> Sampled:
        """What there is then."""


@dataclass(frozen=True)
class SamplerSettings:
    """How to sample: which kernel, how many chains, how long."""

    kernel: str = "auto"
    n_chains: int = 4
    n_iter: int | None = None  # exactly this many, or None: until converged
    max_iter: int = 2_000_000
    n_jobs: int | None = None
    max_memory: float = 4e9  # bytes that a sum over all lists may take
    max_time: float | None = None  # seconds of sampling
    checkpoints: Checkpoints | None = None  # where to continue from, and to write


@dataclass(frozen=True)
class Sampled:
    """The kept draws of each chain, and how the run went."""

    chains: tuple[RunLengthDraws, ...]
    infos: tuple[ChainInfo, ...]
    convergence: Convergence
    go_on: Continuation
    exact: ExactFit | None = None  # where the posterior was summed over all lists


def sample(
    problem: Problem,
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
    part: str = "fit",
) -> Sampled:
    """Draw antecedent lists from the posterior (section 2.6).

    Chain k is seeded from the seed and k alone, and adapts to its own past alone, so it
    is the same for any number of chains or workers. Without n_iter, the run is made twice
    as long again and again until the chains agree: the result is that of the last length
    given as n_iter. Checkpoints are named by the part of the fit that they are of.
    """
    name = kernel_for(problem, settings)
    seeds = seed.spawn(settings.n_chains)
    if name == "exact":
        return _draw_exactly(problem, settings, seeds, progress)
    kernel = KERNELS[name]
    check_sampling_memory(problem, kernel, settings.n_chains)
    starts = warm_starts(problem, kernel, seeds)
    run = RunOfChains(problem, kernel, seeds, starts, settings.n_jobs)
    if settings.n_iter is not None:
        batches = [settings.n_iter]
    else:
        batches = growing(first_run(kernel), settings.max_iter)
    kept, before, cut_short = settings.checkpoints, 0.0, None
    if kept is not None:
        part_of_fit = kept.part(part, settings.n_chains)
        before, cut_short = run.keep_in(part_of_fit, batches[-1], settings.max_memory)
    deadline = None
    if settings.max_time is not None:
        is_over = cut_short == settings.max_time
        deadline = time.monotonic() + (0.0 if is_over else max(0.0, settings.max_time - before))
    with heeding_ctrl_c() as asked:
        try:
            convergence = _until_converged(run, batches, deadline, progress, asked)
        except (RunInterrupted, ResourceError) as error:
            convergence = _interrupted(run, error, asked)
        finally:
            run.release_workers()
    run.finish(settings.max_time if convergence.ended_by == "max_time" else None)
    return _sampled(run, convergence, settings)


def _interrupted(run: RunOfChains, error: Exception, asked: threading.Event) -> Convergence:
    """The report of what there is; KeyboardInterrupt where no run came to its end.

    Workers that were started in the same terminal may have ended by the same Ctrl-C.
    """
    if not asked.is_set():
        raise error
    if not run.draws:
        raise KeyboardInterrupt
    convergence = run.assess()
    # even if it agrees so far, it is shorter than requested
    status = "not converged" if convergence.status == "converged" else convergence.status
    return replace(convergence, status=status, ended_by="interrupted")


def _until_converged(
    run: RunOfChains,
    batches: Sequence[int],
    deadline: float | None,
    progress: Progress,
    asked: threading.Event,
) -> Convergence:
    """Run the chains to one length after another, until they have converged or time is up."""
    for n_iter in batches:
        if n_iter < (run.pending or 0):  # a run that went on had not converged at that length
            continue
        in_time = run.advance(n_iter, deadline, progress, asked)
        is_last = n_iter == batches[-1] or not in_time
        r_hat = gelman_rubin(run.draws)
        if r_hat >= PAPER_R_HAT and not is_last:
            # what fails the paper's criterion needs no stricter one
            progress.note(f"{n_iter:,} iterations a chain: R-hat {r_hat:.3f}, not converged")
            continue
        convergence = run.assess(briefly=not is_last)
        progress.note(f"{run.n_iter:,} iterations a chain: R-hat {r_hat:.3f}, {convergence.status}")
        if is_last or is_good_enough(convergence):
            break
    if not in_time:  # said of a converged run too: without the limit it would have been longer
        convergence = replace(convergence, ended_by="max_time")
    elif not is_good_enough(convergence) and len(batches) > 1:
        convergence = replace(convergence, ended_by="max_iter")
    return convergence


def _sampled(run: RunOfChains, convergence: Convergence, settings: SamplerSettings) -> Sampled:
    def go_on(
        n_iter: int | None,
        seconds: float | None,
        progress: Progress,
        checkpoints: Checkpoints | None = None,
    ) -> Sampled:
        length = run.n_iter + (LONGEST_RUN if n_iter is None else n_iter)
        kept = None if checkpoints is None else checkpoints.part("more", settings.n_chains)
        before, _ = run.keep_in(kept, length, settings.max_memory)
        deadline = None if seconds is None else time.monotonic() + max(0.0, seconds - before)
        with heeding_ctrl_c() as asked:
            try:
                run.advance(length, deadline, progress, asked)
                run.finish()
                return _sampled(run, run.assess(), settings)
            except (RunInterrupted, ResourceError) as error:
                return _sampled(run, _interrupted(run, error, asked), settings)
            finally:
                run.release_workers()

    return Sampled(tuple(run.draws), run.infos, convergence, go_on)


def kernel_for(problem: Problem, settings: SamplerSettings) -> str:
    """The kernel by its name, where "auto" is the sum over all lists of a small pool."""
    if settings.kernel != "auto":
        return settings.kernel
    few = problem.pool_size <= MOST_SUMMED and sum_fits(problem, settings.max_memory)
    few = few and _n_exact_draws(settings) <= MOST_EXACT_DRAWS
    return "exact" if few else DEFAULT_KERNEL


def _exact_iterations(settings: SamplerSettings) -> int:
    return settings.n_iter or min(EXACT_RUN, settings.max_iter)


def _n_exact_draws(settings: SamplerSettings) -> int:
    """Draws over all chains, if they are drawn exactly."""
    n_iter = _exact_iterations(settings)
    return settings.n_chains * (n_iter - n_iter // 2)


def _draw_exactly(
    problem: Problem,
    settings: SamplerSettings,
    seeds: list[np.random.SeedSequence],
    progress: Progress,
) -> Sampled:
    """Sum over all lists, and draw from them independently: as many as a chain would keep."""
    check_sum(problem, settings.max_memory)
    n_draws = _n_exact_draws(settings)
    if n_draws > MOST_EXACT_DRAWS:
        raise ParamError(
            f"kernel='exact' stores every draw separately, at most {MOST_EXACT_DRAWS:,} over "
            f"all chains, and n_iter={settings.n_iter} asks for {n_draws:,}. Lower n_iter: "
            "draws are independent, and thousands are as informative as millions from a chain."
        )
    n_iter = _exact_iterations(settings)
    with progress.stage(f"summing over the lists of {problem.pool_size} antecedents", 1):
        runs, exact = fit_exactly(problem, n_iter - n_iter // 2, seeds)
    infos = tuple(ChainInfo((), n_iter, {}, {}) for _ in runs)
    convergence = assess(runs, infos, problem, choose_monitored(problem), independent=True)
    progress.note(f"log evidence {exact.summaries.log_evidence:.3f}, exact")

    def go_on(
        n_more: int | None,
        seconds: float | None,
        progress: Progress,
        checkpoints: Checkpoints | None = None,
    ) -> Sampled:
        if n_more is None:
            raise ParamError(
                "sample_more takes n_iter, not seconds, after kernel='exact': its draws are "
                "independent and take next to no time."
            )
        longer = replace(settings, n_iter=n_iter + n_more)
        return _draw_exactly(problem, longer, seeds, progress)

    return Sampled(runs, infos, convergence, go_on, exact)


def first_run(kernel: MoveMix) -> int:
    """The first length to try."""
    return FIRST_RUN if len(kernel.betas) > 1 else FIRST_RUN_OF_ONE_TEMPERATURE


def growing(first: int, max_iter: int) -> list[int]:
    """Lengths of runs to try: each twice the one before, the last max_iter."""
    lengths = []
    n_iter = first
    while n_iter < max_iter:
        lengths.append(n_iter)
        n_iter *= 2
    return [*lengths, max_iter]
