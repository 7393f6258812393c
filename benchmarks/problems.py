"""Problems to race on, made by a generator: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.stats import norm

from elseif.antecedents.mining import MiningSettings, mine
from elseif.bits.packing import make_layout, zero_words
from elseif.conditions.binarise import Binarising, binarise
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table

N_PATIENTS, N_FEATURES = 12_586, 4_148
# risks of the lines of the paper's figure 4, the default rule's last
FIGURE_4_RISKS = (0.589, 0.478, 0.238, 0.158, 0.160, 0.046, 0.087)
CEREBROVASCULAR = (
    "hemiplegia",
    "cerebrovascular disorder",
    "transient ischaemic attack",
    "occlusion of carotid artery",
    "altered state of consciousness",
)
AGE_CUTS = (50, 60, 70, 80)


@dataclass(frozen=True)
class BinaryProblem:
    """Sparse binary features with names, labels, and the list the labels came from."""

    X: sparse.csc_array
    names: list[str]
    y: np.ndarray
    true_list: tuple[tuple[str, ...], ...]


def stroke_shaped(
    n: int = N_PATIENTS, n_features: int = N_FEATURES, seed: int = 0
) -> BinaryProblem:
    """Patients with a burden of disease that makes popular features go together.

    About 175 features and 2,025 pairs reach a support of 10 %; five overlapping conditions
    share a second latent factor; 14 to 15 % of the labels are positive, drawn from a list
    of seven lines with the risks of the paper's figure 4.
    """
    rng = np.random.default_rng(seed)
    burden, vascular = rng.normal(size=n), rng.normal(size=n)
    age = np.clip(rng.normal(68, 13, size=n) + 3 * burden, 18, 100)
    columns: dict[str, np.ndarray] = {}
    for name, prevalence in zip(CEREBROVASCULAR, (0.133, 0.104, 0.103, 0.102, 0.133), strict=True):
        latent = (
            0.35 * burden + 0.84 * vascular + np.sqrt(1 - 0.35**2 - 0.84**2) * rng.normal(size=n)
        )
        columns[name] = latent > norm.isf(prevalence)
    for cut in AGE_CUTS:
        columns[f"age <= {cut}"] = age <= cut
        columns[f"age > {cut}"] = age > cut
    n_rest = n_features - len(columns)
    rank = np.arange(1, n_rest + 1)
    prevalences = 0.455 / (1 + (rank / 54.5) ** 1.15)
    loads = rng.uniform(0.2, 0.68, size=n_rest)
    for j in range(n_rest):
        latent = loads[j] * burden + np.sqrt(1 - loads[j] ** 2) * rng.normal(size=n)
        columns[f"feature {j + 1:04d}"] = latent > norm.isf(prevalences[j])
    true_list = (
        ("age > 60", "hemiplegia"),
        ("cerebrovascular disorder",),
        ("transient ischaemic attack",),
        ("occlusion of carotid artery",),
        ("age > 60", "altered state of consciousness"),
        ("age <= 70",),
    )
    covers = [np.all([columns[c] for c in antecedent], axis=0) for antecedent in true_list]
    first = np.argmax(np.stack([*covers, np.ones(n, dtype=bool)]), axis=0)
    y = (rng.random(n) < np.array(FIGURE_4_RISKS)[first]).astype(int)
    X = sparse.csc_array(np.stack(list(columns.values()), axis=1))
    return BinaryProblem(X, list(columns), y, true_list)


def dense_binary(
    n: int = 100_000, n_features: int = 100, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Popular features that go together a little, and labels of no interest."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    bounds = norm.isf(rng.uniform(0.2, 0.75, size=n_features))
    columns = [0.3 * shared + 0.95 * rng.normal(size=n) > bound for bound in bounds]
    return np.stack(columns, axis=1), rng.integers(0, 2, size=n)


def noisy_copies(
    n: int, n_latent: int, n_copies: int, noise: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Groups of features that differ from a hidden one in a share of the observations.

    Labels are drawn from a list of the hidden ones, so that every choice of copies makes
    a good list: with many copies, strongly correlated conditions; with two and little
    noise, two distant good lists.
    """
    rng = np.random.default_rng(seed)
    latent = rng.random((n, n_latent)) < 0.35
    risks = np.array([*(0.85, 0.1, 0.65, 0.2, 0.75, 0.15, 0.6, 0.3)[:n_latent], 0.4])
    first = np.argmax(np.column_stack([latent, np.ones(n, dtype=bool)]), axis=1)
    y = (rng.random(n) < risks[first]).astype(int)
    flips = rng.random((n, n_latent * n_copies)) < noise
    return np.repeat(latent, n_copies, axis=1) ^ flips, y


@dataclass(frozen=True)
class PlantedProblem:
    """A problem whose labels come from a list of its own antecedents, and that list."""

    problem: Problem
    start: tuple[int, ...]


def planted(
    n: int,
    pool_size: int,
    n_rules: int = 7,
    n_labels: int = 2,
    largest_weight: int = 1,
    expected_length: float = 3.0,
    certain: bool = False,
    seed: int = 0,
) -> PlantedProblem:
    """Any number of observations, antecedents, rules, labels and weights, at little cost.

    The first antecedents make the list that the labels are drawn from; each rule favours
    another label than its neighbours, or has it alone where it is certain: then there is
    nothing to learn by chance, whatever the weights. The rest of the pool has nothing to do
    with the labels, so its covers are made packed, without a table of truth values.
    """
    rng = np.random.default_rng(seed)
    share = min(0.25, 3 / n_rules)
    rules = np.stack([_coin(rng, n, share) for _ in range(n_rules)])
    first = np.where(rules.any(axis=0), np.argmax(rules, axis=0), n_rules)
    certainty = 1.0 if certain else np.resize([0.9, 0.75, 0.6], n_rules + 1)[first]
    other = (first + rng.integers(1, n_labels, size=n)) % n_labels
    y = np.where(rng.random(n) < certainty, first % n_labels, other)
    weights = None
    if largest_weight > 1:
        weights = rng.integers(1, largest_weight, size=n, endpoint=True)
    layout = make_layout(y, n_labels, weights)
    covers = zero_words(pool_size, layout.n_words)
    for a, truth in enumerate(rules):
        covers[a] = layout.pack(truth)
    everyone = layout.everyone()
    # with weights an observation has a bit in several sections, so truth has to go by rows
    for a in range(n_rules, pool_size):
        if largest_weight > 1:
            covers[a] = layout.pack(_coin(rng, n, share))
        else:
            bits = _coin(rng, layout.n_words * 64, share)
            covers[a] = np.packbits(bits, bitorder="little").view(np.uint64) & everyone
    prior = ListPrior(np.ones(pool_size, dtype=np.int64), expected_length, 1.0, np.ones(pool_size))
    return PlantedProblem(Problem(covers, layout, np.ones(n_labels), prior), tuple(range(n_rules)))


def _coin(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    """n independent truth values, each true with a share rounded to 1/256."""
    return np.frombuffer(rng.bytes(n), dtype=np.uint8) < round(256 * share)


def problem(
    X: object,
    y: object,
    support: float = 0.1,
    cardinality: int = 2,
    expected_length: float = 3.0,
    expected_cardinality: float = 1.0,
) -> Problem:
    """A problem from a table, with the estimator's defaults."""
    labels = read_labels(np.asarray(y), None, False, None)
    layout = make_layout(labels.codes, len(labels.classes))
    binarised = binarise(read_table(X), labels, Binarising())
    mined = mine(binarised, layout, MiningSettings(support, cardinality))
    prior = ListPrior(
        mined.pool.cardinalities, expected_length, expected_cardinality, np.ones(len(mined.pool))
    )
    return Problem(
        mined.covers, mined.layout, np.ones(len(labels.classes)), prior, mined.condition_ids
    )
