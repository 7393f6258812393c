"""Small problems that the tests of the sampler share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from elseif.bits.packing import make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.compiled_problem import CompiledProblem
from tests.sampler import naive


@dataclass(frozen=True, eq=False)
class Case:
    """A small problem, from which both the package's and the reference's are made."""

    name: str
    truths: np.ndarray  # bool (antecedents, rows)
    labels: np.ndarray
    cardinalities: tuple[int, ...]
    pseudocounts: tuple[float, ...]
    expected_length: float = 2.0
    expected_cardinality: float = 1.5
    weights: np.ndarray | None = None  # of observations, in units
    unit: float = 1.0
    antecedent_weights: tuple[float, ...] | None = None
    is_lazy: bool = False  # whether covers are joined from those of conditions at every use

    @property
    def pool_size(self) -> int:
        return len(self.cardinalities)

    @property
    def n_labels(self) -> int:
        return len(self.pseudocounts)

    @cached_property
    def problem(self) -> Problem:
        """The problem as the package states it."""
        layout = make_layout(self.labels, self.n_labels, self.weights, self.unit)
        truths, condition_ids = split_truths(self.truths) if self.is_lazy else (self.truths, None)
        covers = [layout.pack(truth) for truth in truths]
        prior = ListPrior(
            np.array(self.cardinalities),
            self.expected_length,
            self.expected_cardinality,
            np.array(self._antecedent_weights),
        )
        return Problem(np.stack(covers), layout, np.array(self.pseudocounts), prior, condition_ids)

    @cached_property
    def compiled(self) -> CompiledProblem:
        return CompiledProblem.of(self.problem)

    @property
    def _antecedent_weights(self) -> tuple[float, ...]:
        return self.antecedent_weights or (1.0,) * self.pool_size

    def model(self, *mistakes: str) -> naive.Model:
        """The problem as the reference states it."""
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        return naive.Model(
            covers=tuple(frozenset(np.flatnonzero(truth).tolist()) for truth in self.truths),
            labels=tuple(self.labels.tolist()),
            observation_weights=tuple((weights * self.unit).tolist()),
            n_labels=self.n_labels,
            cardinalities=self.cardinalities,
            antecedent_weights=self._antecedent_weights,
            expected_length=self.expected_length,
            expected_cardinality=self.expected_cardinality,
            pseudocounts=self.pseudocounts,
            mistakes=frozenset(mistakes),
        )


def split_truths(truths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conditions whose conjunctions have the given truths, one to three each, in mixed order."""
    rng = np.random.default_rng(0)
    conditions: list[np.ndarray] = []
    condition_ids = np.full((len(truths), 3), -1)
    for a, truth in enumerate(truths):
        more = 1 + a % 3
        # every observation that the conjunction leaves out is left out by one condition at least
        left_out_by = rng.integers(0, more, truths.shape[1])
        for i in range(more):
            also = (left_out_by != i) & (rng.random(truths.shape[1]) < 0.5)
            condition_ids[a, i] = len(conditions)
            conditions.append(truth | also)
    order = rng.permutation(len(conditions))
    index = np.append(np.argsort(order), -1)
    return np.stack(conditions)[order], index[condition_ids]


def random_case(
    name: str,
    seed: int,
    cardinalities: tuple[int, ...],
    pseudocounts: tuple[float, ...],
    n: int = 24,
    **options: object,
) -> Case:
    """A case whose first antecedents tell something of the label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(pseudocounts), n)
    truths = rng.random((len(cardinalities), n)) < 0.45
    truths[0] ^= (labels == 0) & (rng.random(n) < 0.6)
    return Case(name, truths, labels, cardinalities, pseudocounts, **options)


def _with_rows(case: Case, **rows: np.ndarray) -> Case:
    """The case with some antecedents' truths replaced, by number (a0=..., a1=...)."""
    truths = case.truths.copy()
    for name, truth in rows.items():
        truths[int(name[1:])] = truth
    return dataclasses.replace(case, truths=truths)


def _make_cases() -> dict[str, Case]:
    two_alike = random_case(
        "two-identical-covers", 3, (1, 1, 2, 4, 4), (0.5, 2.0, 1.3), expected_cardinality=2.5
    )
    two_alike = _with_rows(two_alike, a4=two_alike.truths[3])
    extremes = random_case("nobody-and-everybody", 4, (1, 2, 2, 3), (2.0, 0.5))
    extremes = _with_rows(extremes, a1=np.zeros(24, dtype=bool), a2=np.ones(24, dtype=bool))
    made = [
        random_case("two-labels", 1, (1, 1, 2, 2), (1.0, 1.0)),
        random_case("three-labels", 2, (1, 2, 2), (1.0, 1.0, 1.0), expected_length=3.0),
        # a gap between the cardinalities, and pseudocounts of each label's own
        two_alike,
        extremes,
        random_case(
            "weighted-antecedents", 5, (1, 1, 1, 3), (0.7, 0.7), antecedent_weights=(0.2, 1, 5, 2)
        ),
        # differences of weights lose their digits here
        random_case(
            "lopsided-antecedents",
            6,
            (2, 2, 2, 2),
            (1.0, 1.0, 1.0),
            antecedent_weights=(1e6, 1e3, 1.0, 1e-3),
        ),
        # equal weights are the paper's prior, whatever they are
        random_case(
            "equally-weighted", 7, (1, 1, 5), (1.0, 3.0), antecedent_weights=(3.0, 3.0, 3.0)
        ),
        random_case(
            "weighted-observations",
            8,
            (1, 1, 2, 3),
            (1.0, 0.5, 2.0),
            weights=np.random.default_rng(8).integers(0, 6, 24),
        ),
        random_case(
            "fractional-weights",
            9,
            (1, 2, 2, 2),
            (1.0, 1.0),
            weights=np.random.default_rng(9).integers(1, 9, 24),
            unit=0.25,
        ),
        random_case("no-observations", 10, (1, 1, 2, 4), (1.0, 2.0, 0.5), n=0),
        random_case("one-observation", 11, (1, 2, 2), (1.0, 0.5), n=1),
        random_case("one-antecedent", 12, (2,), (1.0, 1.0)),
        # no cardinality runs out in short lists, hence the prior's short cut
        random_case("one-cardinality", 13, (2, 2, 2, 2, 2), (1.0, 1.0, 1.0)),
        random_case("three-of-one-cardinality", 16, (2, 2, 2), (1.0, 2.0)),
        random_case(
            "three-weighted",
            17,
            (1, 1, 3),
            (0.5, 1.0, 2.0),
            weights=np.random.default_rng(17).integers(0, 6, 24),
            unit=0.5,
            antecedent_weights=(1e6, 5.0, 1.0),
        ),
        # more than one word a section
        random_case("many-observations", 14, (1, 1, 3), (1.0, 1.0), n=1300),
        random_case("six-antecedents", 15, (1, 1, 1, 3, 3, 3), (1.0, 0.8, 2.0), n=30),
    ]
    by_name = {case.name: case for case in made}
    for name in ("three-labels", "weighted-observations", "many-observations"):
        lazy = dataclasses.replace(by_name[name], name=f"{name}-lazy", is_lazy=True)
        by_name[lazy.name] = lazy
    return by_name


CASES = _make_cases()
SMALL_CASES = {name: case for name, case in CASES.items() if case.pool_size <= 5}
