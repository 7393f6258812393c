"""Kernels before and after adaptation, their exact targets, and chains of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from elseif import compiled
from elseif.sampler.chain import Chain, Room
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.correlation_neighbours import CorrelationNeighbours
from elseif.sampler.init_state import new_state
from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.run_length_draws import RunLengthDraws
from tests.sampler import naive
from tests.sampler.cases import Case


@dataclass(frozen=True)
class Variant:
    """A kernel of the package, before or after adaptation."""

    name: str
    kernel: MoveMix
    has_adapted: bool

    def inclusion(self, pool_size: int) -> np.ndarray:
        """Made-up shares of time in the list: uneven, of each temperature's own."""
        return np.array(
            [
                [(((5 + 2 * t) * a + 3 + t) % 6 + 1) * (a % 4 != 1) / 8 for a in range(pool_size)]
                for t in range(self.n_temperatures)
            ]
        )

    def neighbours(self, pool_size: int) -> tuple[tuple[int, ...], ...]:
        """A made-up mutual relation: some antecedents have many neighbours, the fourth none."""
        pool = range(pool_size)
        return tuple(
            tuple(b for b in pool if a != b and 3 not in (a, b) and (a * b % 4 < 2 or a + b < 4))
            for a in pool
        )

    def tuning(self, pool_size: int, steps_per_swap: int | None = None) -> compiled.Tuning:
        """The proposal distribution; with swaps after so many steps, where that is given."""
        lists = self.neighbours(pool_size)
        first = np.concatenate([[0], np.cumsum([len(others) for others in lists])])
        flat_lists = np.array([b for others in lists for b in others], dtype=np.int64)
        inclusion = self.inclusion(pool_size) if self.has_adapted else None
        neighbours = CorrelationNeighbours(flat_lists, first)
        tuning = self.kernel.tuning(pool_size, inclusion, neighbours)
        if steps_per_swap is None:
            return tuning
        steps = np.full(self.n_temperatures, steps_per_swap // 2 + 1)
        steps[0] = steps_per_swap
        return tuning._replace(steps_per_swap=steps)

    @property
    def n_temperatures(self) -> int:
        return len(self.kernel.betas)

    def proposals(self, pool_size: int, *mistakes: str, temperature: int = 0) -> naive.Proposals:
        """The same for the reference."""
        tuning = self.tuning(pool_size)
        options = zip(compiled.OPTION_NAMES, tuning.option_weights.tolist(), strict=True)
        weights = tuple(tuning.addition_weights[temperature].tolist())
        neighbours = self.neighbours(pool_size)
        return naive.Proposals(dict(options), weights, neighbours, frozenset(mistakes))


def _make_variants() -> dict[str, Variant]:
    made = []
    tempered = KERNELS["tempered"]
    alone = {
        "untempered": dataclasses.replace(tempered, betas=(1.0,)),
        "every-move": dataclasses.replace(tempered, betas=(1.0,), move=1, add=1, remove=1),
    }
    for name, kernel in {**KERNELS, **alone}.items():
        made.append(Variant(name, kernel, has_adapted=False))
        if kernel.uniform_share < 1:
            made.append(Variant(f"{name}-adapted", kernel, has_adapted=True))
            # so sure of itself that what is left outside the list nearly vanishes
            steep = dataclasses.replace(kernel, uniform_share=1e-3)
            made.append(Variant(f"{name}-steep", steep, has_adapted=True))
    return {variant.name: variant for variant in made}


VARIANTS = _make_variants()
# a steep kernel stays exact but seldom proposes what it has not seen: where a test waits for
# convergence, it would wait for thousands of steps
QUICK_VARIANTS = {name: v for name, v in VARIANTS.items() if not name.endswith("-steep")}
TEMPERED_VARIANTS = {name: v for name, v in VARIANTS.items() if v.n_temperatures > 1}


def neighbours(variant: Variant, pool_size: int, temperature: int = 0) -> naive.Neighbours:
    """The enumerated proposal distribution at a temperature."""
    proposals = variant.proposals(pool_size, temperature=temperature)
    options = tuple(proposals.option_weights.items())
    return _neighbours(options, proposals.addition_weights, proposals.neighbours)


@cache
def _neighbours(
    options: tuple[tuple[str, float], ...],
    weights: tuple[float, ...],
    near: tuple[tuple[int, ...], ...],
) -> naive.Neighbours:
    """The enumerated proposal distribution, computed once for all that propose alike."""
    return naive.Neighbours(naive.Proposals(dict(options), weights, near), len(weights))


@cache
def posterior(case: Case) -> dict[tuple[int, ...], float]:
    """The exact posterior, computed once."""
    return naive.posterior(case.model())


@cache
def tempered_posterior(case: Case, beta: float) -> dict[tuple[int, ...], float]:
    """The exact target of a temperature, normalised, computed once."""
    if beta == 1.0:
        return posterior(case)
    target = log_target(case, beta)
    logs = np.array(list(target.values()))
    masses = np.exp(logs - logs.max())
    return dict(zip(target, (masses / masses.sum()).tolist(), strict=True))


@cache
def log_target(case: Case, beta: float) -> dict[tuple[int, ...], float]:
    """Log of q(d) (p(y | d) p(d) / q(d))^beta, where q is the prior with equal weights."""
    return {
        d: log_prior - log_weighting(case)[d] + beta * log_tempered(case)[d]
        for d, (log_prior, _) in log_terms(case).items()
    }


@cache
def log_tempered(case: Case) -> dict[tuple[int, ...], float]:
    """Log of what a temperature takes a power of, for every list."""
    return {d: log_lik + log_weighting(case)[d] for d, (_, log_lik) in log_terms(case).items()}


@cache
def log_weighting(case: Case) -> dict[tuple[int, ...], float]:
    """What antecedent weights do to the log prior of every list, computed once."""
    model = case.model()
    return {d: naive.log_weighting(model, d) for d in naive.all_lists(case.pool_size)}


@cache
def used_prior(case: Case) -> dict[tuple[int, ...], float]:
    """The exact prior of how many antecedents of each cardinality, computed once."""
    return naive.used_prior(case.model())


@cache
def log_terms(case: Case) -> dict[tuple[int, ...], tuple[float, float]]:
    """Log prior and log likelihood of every list by the reference, computed once."""
    model = case.model()
    lists = naive.all_lists(case.pool_size)
    return {d: (naive.log_prior(model, d), naive.log_likelihood(model, d)) for d in lists}


# ----------------------------------------------------------------------------- chains


def make_chain(
    case: Case,
    variant: Variant,
    seed: Sequence[int],
    start: tuple[int, ...] | None = None,
    posed: CompiledProblem | None = None,
    *,
    replica_starts: Sequence[tuple[int, ...]] | None = None,
    steps_per_swap: int | None = None,
    room: Room | None = None,
) -> Chain:
    """A chain of the package whose proposals are frozen as the variant says."""
    return Chain(
        posed or case.compiled,
        variant.kernel,
        np.random.SeedSequence(list(seed)),
        start,
        replica_starts=replica_starts,
        tuning=variant.tuning(case.pool_size, steps_per_swap),
        room=room,
    )


def state_at(
    case: Case, variant: Variant, antecedent_list: tuple[int, ...], temperature: int = 0
) -> tuple[compiled.State, int]:
    """A state with a list at a temperature, among empty others, and the replica that has it."""
    n = variant.n_temperatures
    r = (temperature + 1) % n  # a list's temperature is not its place in the state
    lists: list[tuple[int, ...]] = [()] * n
    lists[r] = antecedent_list
    state = new_state(case.compiled, lists, case.pool_size)
    state.replica[:] = (np.arange(n) + 1) % n
    return state, r


def lists_of(runs: RunLengthDraws) -> list[tuple[int, ...]]:
    """The list of every run of equal draws."""
    ends = zip(runs.offsets[:-1], runs.offsets[1:], strict=True)
    return [tuple(runs.items[i:j].tolist()) for i, j in ends]


def flat(lists: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists one after another, and where each begins."""
    items = np.array([a for d in lists for a in d], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in lists])]).astype(np.int64)
    return items, offsets
