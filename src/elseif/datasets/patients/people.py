"""Who the synthetic persons are: when observed, how old, how ill, and who has a stroke."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from elseif.datasets.patients.vocabulary import (
    CAROTID,
    CEREBROVASCULAR_DISEASE,
    CONSCIOUSNESS,
    FACTORS,
    HEMIPLEGIA,
    PLANTED_CONCEPTS,
    PREDICTORS,
    TRANSIENT_ISCHEMIA,
    Known,
)

YEAR = 365
FIRST_DAY = int(np.datetime64("2000-01-01", "D").astype(np.int64))
LAST_DAY = int(np.datetime64("2012-12-31", "D").astype(np.int64))

QUALIFYING, NO_FIBRILLATION, SHORT_BEFORE, SHORT_AFTER, IN_GAP, EARLIER_PERIOD = range(6)
KINDS = (
    "qualifying",
    "no atrial fibrillation",
    "diagnosed within 365 days of the start of observation",
    "observed for less than 365 days after the diagnosis",
    "diagnosed between two observation periods",
    "first diagnosed in an earlier, short observation period",
)
# with atrial fibrillation and not qualifying: how many for each who qualifies, of which kinds
NEAR_MISSES = 0.32
SHARES_OF_NEAR_MISSES = {SHORT_BEFORE: 0.35, SHORT_AFTER: 0.35, IN_GAP: 0.15, EARLIER_PERIOD: 0.15}

MEAN_AGE, AGE_DEVIATION = 74.5, 13.0  # of those with atrial fibrillation
WITH_AGE = 0.3  # how much of what diseases share comes with age
BURDEN_WITH_AGE = 0.22
WOMEN = 0.665  # as in the paper: 8,368 of 12,586
PLACE = {concept.id: i for i, concept in enumerate(PREDICTORS)}
# the lines of the paper's figure 4: concept, age above, age at most, risk, the paper's words
FIGURE_4: tuple[tuple[int | None, int | None, int | None, float, str], ...] = (
    (HEMIPLEGIA, 60, None, 0.589, "hemiplegia and age > 60"),
    (CEREBROVASCULAR_DISEASE, None, None, 0.478, "cerebrovascular disorder"),
    (TRANSIENT_ISCHEMIA, None, None, 0.238, "transient ischaemic attack"),
    (
        CAROTID,
        None,
        None,
        0.158,
        "occlusion and stenosis of carotid artery without infarction",
    ),
    (CONSCIOUSNESS, 60, None, 0.160, "altered state of consciousness and age > 60"),
    (None, None, 70, 0.046, "age <= 70"),
    (None, None, None, 0.087, "else"),
)
ENOUGH = 200  # qualifying patients of a block, for shares to be held exactly
ON_BURDEN = 0.4
RISKS = np.array([line[3] for line in FIGURE_4])


@dataclass(frozen=True)
class People:
    """A block of persons; days count from 1970, stretches have a first day and a length."""

    kind: np.ndarray
    female: np.ndarray
    age: np.ndarray  # year of the index date less the year of birth
    burden: np.ndarray  # of disease: what makes popular concepts go together
    factors: np.ndarray  # a column for each of FACTORS
    index: np.ndarray  # day of the diagnosis, or of a visit like any other where there is none
    old_first: np.ndarray  # an observation period before the one of the index date
    old_length: np.ndarray
    before_first: np.ndarray  # what is observed before the index date
    before_length: np.ndarray
    after_first: np.ndarray  # what is observed from the index date on
    after_length: np.ndarray

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def has_fibrillation(self) -> np.ndarray:
        return self.kind != NO_FIBRILLATION

    @property
    def year_of_birth(self) -> np.ndarray:
        years = self.index.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
        return years - self.age

    def periods(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Person (place in the block), first and last day of every observation period."""
        gap = self.kind == IN_GAP
        main_last = self.after_first + self.after_length - 1
        before_last = self.before_first + self.before_length - 1
        old, split = np.flatnonzero(self.old_length > 0), np.flatnonzero(gap)
        person = np.concatenate([np.arange(len(self)), old, split])
        first = np.concatenate([self.before_first, self.old_first[old], self.after_first[split]])
        last = np.concatenate(
            [
                np.where(gap, before_last, main_last),
                (self.old_first + self.old_length - 1)[old],
                main_last[split],
            ]
        )
        order = np.lexsort((first, person))
        return person[order], first[order], last[order]


def choose_kinds(n_patients: int, n_others: int, rng: np.random.Generator) -> np.ndarray:
    """The kind of every person, in random order, with exactly n_patients who qualify."""
    n_near = min(round(NEAR_MISSES * n_patients), n_others // 2)
    counts = np.zeros(len(KINDS), dtype=int)
    counts[QUALIFYING] = n_patients
    for kind, share in SHARES_OF_NEAR_MISSES.items():
        counts[kind] = round(share * n_near)
    counts[NO_FIBRILLATION] = n_patients + n_others - counts.sum()
    return rng.permutation(np.repeat(np.arange(len(KINDS), dtype=np.int8), counts))


def make_people(kind: np.ndarray, rng: np.random.Generator) -> People:
    """Persons of the given kinds."""
    n = len(kind)
    healthy = kind == NO_FIBRILLATION
    burden = rng.normal(size=n)
    age_score = BURDEN_WITH_AGE * burden + np.sqrt(1 - BURDEN_WITH_AGE**2) * rng.normal(size=n)
    age = np.where(healthy, 48 + 16 * age_score, MEAN_AGE + AGE_DEVIATION * age_score)
    age = np.clip(np.floor(age), 18, 99).astype(np.int64)
    burden = burden - 1.4 * healthy
    factors = _factors(_age_score(age), rng)
    female = rng.random(n) < WOMEN
    return People(kind, female, age, burden, factors, *_observation(kind, rng))


def _factors(age_score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What groups of diseases share; all rise with age, metabolism goes to heart and brain."""
    own = rng.normal(size=(len(age_score), len(FACTORS)))
    mixing = np.eye(len(FACTORS))
    heart, metabolism, brain = (FACTORS.index(f) for f in ("heart", "metabolism", "brain"))
    mixing[metabolism, heart] = 0.40
    mixing[metabolism, brain] = 0.05
    mixing[heart, brain] = 0.05
    mixed = own @ (mixing / np.sqrt((mixing**2).sum(axis=0)))
    return WITH_AGE * age_score[:, None] + np.sqrt(1 - WITH_AGE**2) * mixed


def _age_score(age: np.ndarray) -> np.ndarray:
    return (age - MEAN_AGE) / AGE_DEVIATION


def _observation(kind: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Index date and observed stretches; the bounds of a year are met exactly now and then."""
    n = len(kind)
    before = YEAR + _tail(700, 1800, n, rng)
    after = YEAR + _tail(500, 1200, n, rng)
    short = YEAR - 1 - np.where(rng.random(n) < 0.1, 0, rng.integers(0, YEAR, n))
    before = np.where(kind == SHORT_BEFORE, short, before)
    after = np.where(kind == SHORT_AFTER, short, after)
    old = (rng.random(n) < 0.1) & (kind != IN_GAP) | (kind == EARLIER_PERIOD)
    old_length = np.where(old, rng.integers(120, 400, n), 0)
    gap = rng.integers(31, 300, n)
    in_gap = kind == IN_GAP
    # of a gap around the index date, this much lies before it
    early = np.where(in_gap, rng.integers(1, 200, n), 0)
    late = np.where(in_gap, rng.integers(1, 200, n), 0)
    earliest = FIRST_DAY + before + early + np.where(old, gap + old_length, 0)
    latest = LAST_DAY - after - late
    index = earliest + np.floor(rng.random(n) * (latest - earliest + 1)).astype(np.int64)
    before_first = index - early - before
    return (
        index,
        np.where(old, before_first - gap - old_length, 0),
        old_length,
        before_first,
        before,
        index + late,
        after + 1,
    )


def _tail(mean: float, largest: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Whole days that fall off exponentially, with a few more zeros than that."""
    days = np.minimum(rng.exponential(mean, n), largest)
    return np.where(rng.random(n) < 0.02, 0, days).astype(np.int64)


def draw_diseases(people: People, rng: np.random.Generator) -> np.ndarray:
    """Which known predictors are recorded before the index date, a row a person."""
    has = np.empty((len(people), len(PREDICTORS)), dtype=bool)
    qualifying = people.kind == QUALIFYING
    for i, concept in enumerate(PREDICTORS):
        liability = _liability(people, concept, rng)
        bound = -ndtri(concept.share)
        if concept in PLANTED_CONCEPTS and qualifying.sum() >= ENOUGH:
            # exact among those who qualify, so that no seed takes it below a support of 10 %
            bound = np.quantile(liability[qualifying], 1 - concept.share)
        has[:, i] = liability > bound
    return has


def _liability(people: People, concept: Known, rng: np.random.Generator) -> np.ndarray:
    """What makes a person have a disease: standard normal, had where it is above a bound."""
    n = len(people)
    if not concept.factor:
        return ON_BURDEN * people.burden + np.sqrt(1 - ON_BURDEN**2) * rng.normal(size=n)
    on_burden = 0.30 if concept.factor == "brain" else 0.35
    shared = 2 * on_burden * concept.on_factor * WITH_AGE * BURDEN_WITH_AGE
    rest = np.sqrt(1 - on_burden**2 - concept.on_factor**2 - shared)
    factor = people.factors[:, FACTORS.index(concept.factor)]
    if concept.at_any_age:
        factor = (factor - WITH_AGE * _age_score(people.age)) / np.sqrt(1 - WITH_AGE**2)
    return on_burden * people.burden + concept.on_factor * factor + rest * rng.normal(size=n)


def first_lines(people: People, has: np.ndarray) -> np.ndarray:
    """Which line of the planted list is the first that is true of each person."""
    truths = []
    for concept, above, at_most, _, _ in FIGURE_4:
        truth = np.ones(len(people), dtype=bool)
        if concept is not None:
            truth &= has[:, PLACE[concept]]
        if above is not None:
            truth &= people.age > above
        if at_most is not None:
            truth &= people.age <= at_most
        truths.append(truth)
    return np.argmax(np.stack(truths), axis=0)


def draw_strokes(
    people: People, has: np.ndarray, line: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Who has a stroke within a year: the line's risk, more for the frail, less for others.

    Frailty multiplies the odds. It follows the burden of disease and the conditions that the
    scores count, and leaves the average risk of those whom a line captures as planted.
    """
    counted = [PLACE[i] for i in (320128, 201826, 316139, 317576)]
    log_frailty = 0.18 * people.burden + 0.03 * has[:, counted].sum(axis=1)
    planted = np.where(people.has_fibrillation, 1.0, 0.1)[:, None] * RISKS
    risk = np.empty(len(people))
    groups = np.where(people.kind == QUALIFYING, 0, np.where(people.has_fibrillation, 1, 2))
    for i in range(len(RISKS)):
        for group in range(3):
            rows = np.flatnonzero((line == i) & (groups == group))
            if len(rows):
                risk[rows] = _with_mean(log_frailty[rows], planted[rows[0], i])
    return rng.random(len(people)) < risk


def _with_mean(log_odds: np.ndarray, mean: float) -> np.ndarray:
    """Probabilities of the given log odds, all shifted so that they have the given mean."""
    low, high = logit(mean) - log_odds.max(), logit(mean) - log_odds.min()
    for _ in range(60):
        middle = (low + high) / 2
        if expit(log_odds + middle).mean() < mean:
            low = middle
        else:
            high = middle
    return expit(log_odds + middle)
