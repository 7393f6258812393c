"""Many chains: in parallel threads, in growing batches, until they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import joblib
import numpy as np

from elseif.model.problem import Problem
from elseif.sampler.chain import Chain, ChainInfo, CompiledProblem, Runs
from elseif.sampler.convergence import Convergence, assess, is_good_enough
from elseif.sampler.probe import choose_probe
from elseif.sampler.proposals import DEFAULT_KERNEL, KERNELS

SHORTEST_WINDOW = 250  # iterations from which a first lesson can be learnt
FIRST_CHECK = 10_000

Progress = Callable[[int, int, "Convergence | None"], None]


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

    chains: tuple[Runs, ...]
    infos: tuple[ChainInfo, ...]
    convergence: Convergence


def sample(
    problem: Problem,
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress | None = None,
) -> Sampled:
    """Draw antecedent lists from the posterior (section 2.6).

    Chain k is seeded from the seed and k alone, and learns from its own past alone, so it
    is the same for any number of chains or workers. The second half is kept.
    """
    kernel = KERNELS[DEFAULT_KERNEL if settings.kernel == "auto" else settings.kernel]
    compiled = CompiledProblem.of(problem)
    probe = choose_probe(problem)
    chains = [Chain(problem, compiled, kernel, child) for child in seed.spawn(settings.n_chains)]
    total = settings.n_iter if settings.n_iter is not None else settings.max_iter
    windows = adaptation_windows(total)
    for end in windows:
        runs = joblib.Parallel(n_jobs=settings.n_jobs, require="sharedmem")(
            joblib.delayed(chain.run_to)(end) for chain in chains
        )
        is_last = end == windows[-1]
        check = is_last or (settings.n_iter is None and end >= FIRST_CHECK)
        convergence = None
        if check:
            infos = tuple(chain.info for chain in chains)
            convergence = assess(
                runs,
                infos,
                problem.prior.cardinalities,
                problem.pseudocounts,
                problem.layout.unit,
                probe,
            )
        if progress is not None:
            progress(end, total, convergence)
        if convergence is not None and (is_last or is_good_enough(convergence)):
            return Sampled(tuple(runs), infos, convergence)
        for chain in chains:
            chain.adapt()
    raise AssertionError("the last window always returns")


def adaptation_windows(total: int) -> list[int]:
    """Iterations at which chains pause: each window is as long as all before it.

    A chain may learn at a pause, and a run that ends at one has its first half
    discarded, so nothing is learnt from draws that are kept.
    """
    ends = [total]
    while ends[0] > 1 and (len(ends) == 1 or ends[0] // 2 >= SHORTEST_WINDOW):
        ends.insert(0, ends[0] // 2)
    return ends
