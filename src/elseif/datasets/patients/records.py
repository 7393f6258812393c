"""What is recorded of the synthetic persons, and when."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import ndtr, ndtri

from elseif.datasets.patients.people import (
    EARLIER_PERIOD,
    IN_GAP,
    PLACE,
    YEAR,
    People,
)
from elseif.datasets.patients.vocabulary import (
    CEREBROVASCULAR_DISEASE,
    CONSCIOUSNESS,
    HEMIPLEGIA,
    INDEX_CONCEPTS,
    LATE_EFFECTS,
    PREDICTORS,
    STROKES,
    WARFARIN,
    Catalogue,
)

UNMAPPED = 0  # OMOP's concept of what could not be mapped
SHARE_UNMAPPED = 0.005
MOST_BINS = 64
STROKE_PLACES = [PLACE[concept.id] for concept in STROKES]


@dataclass(frozen=True)
class Records:
    """Events in no order: person (place in the block), concept, day, end of its observation."""

    person: np.ndarray
    concept: np.ndarray  # OMOP's id
    day: np.ndarray
    last_day: np.ndarray
    drug: np.ndarray

    def __len__(self) -> int:
        return len(self.person)

    def take(self, rows: np.ndarray) -> Records:
        """Some of the events."""
        return Records(
            self.person[rows],
            self.concept[rows],
            self.day[rows],
            self.last_day[rows],
            self.drug[rows],
        )


def join(parts: list[Records]) -> Records:
    """Events of several sources."""
    return Records(
        *(
            np.concatenate([getattr(part, field) for part in parts])
            for field in ("person", "concept", "day", "last_day", "drug")
        )
    )


def draw_made_up(
    catalogue: Catalogue, burden: np.ndarray, share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of person and made-up concept; each person has a concept at most once.

    Persons of a like burden share the probability of a concept. A Poisson number of hits
    falls on such a group at a rate of -log(1 - p) each: whoever is hit once or more, which
    has the probability p and is independent of the others, has the concept. That takes work
    in proportion to what is recorded, not to persons times concepts.
    """
    first = len(PREDICTORS)
    load, shares = catalogue.burden_loads[first:], catalogue.shares[first:]
    n_bins = int(np.clip(len(burden) // 32, 1, MOST_BINS))
    order = np.argsort(burden, kind="stable")
    bounds = np.linspace(0, len(burden), n_bins + 1).astype(int)
    middle = np.array([burden[order[a:b]].mean() for a, b in pairwise(bounds)])
    score = (load * middle[:, None] + ndtri(shares)) / np.sqrt(1 - load**2)
    sizes = np.diff(bounds)
    rate = -np.log1p(-ndtr(score)) * sizes[:, None] * share
    hits = rng.poisson(rate)
    concept = np.repeat(np.tile(np.arange(len(shares)), n_bins), hits.ravel())
    per_bin = hits.sum(axis=1)
    position = np.repeat(bounds[:-1], per_bin) + np.floor(
        rng.random(len(concept)) * np.repeat(sizes, per_bin)
    ).astype(np.int64)
    return order[position], first + concept


def distinct_pairs(
    person: np.ndarray, concept: np.ndarray, n_concepts: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each pair once, in order."""
    keys = np.unique(person * n_concepts + concept)
    return keys // n_concepts, keys % n_concepts


def recorded_before(
    people: People,
    catalogue: Catalogue,
    person: np.ndarray,
    concept: np.ndarray,
    rng: np.random.Generator,
) -> Records:
    """Each pair once or more on days before the index date, wherever the person is observed."""
    observed = people.old_length + people.before_length
    kept = observed[person] > 0
    person, concept = person[kept], concept[kept]
    more = rng.poisson(np.where(catalogue.drug[concept], 1.2, 0.6))
    person, concept = np.repeat(person, 1 + more), np.repeat(concept, 1 + more)
    position = np.floor(rng.random(len(person)) * observed[person]).astype(np.int64)
    old = position >= people.before_length[person]
    first = np.where(old, people.old_first[person], people.before_first[person])
    length = np.where(old, people.old_length[person], people.before_length[person])
    day = first + position - np.where(old, people.before_length[person], 0)
    # a supply that continues past the index date ends with the observation, not with the stretch
    last = np.where(
        old | (people.kind[person] == IN_GAP), first + length - 1, _last(people)[person]
    )
    return Records(person, catalogue.ids[concept], day, last, catalogue.drug[concept])


def recorded_after(
    people: People,
    catalogue: Catalogue,
    person: np.ndarray,
    concept: np.ndarray,
    rng: np.random.Generator,
) -> Records:
    """Each pair on one day from the index date on: nothing that may be used to predict."""
    position = np.floor(rng.random(len(person)) * people.after_length[person]).astype(np.int64)
    day = people.after_first[person] + position
    return Records(
        person, catalogue.ids[concept], day, _last(people)[person], catalogue.drug[concept]
    )


def diagnoses(people: People, rng: np.random.Generator) -> Records:
    """Atrial fibrillation: on the index date, later again, and in an earlier period if so."""
    ids = np.array([concept.id for concept in INDEX_CONCEPTS])
    with_it = np.flatnonzero(people.has_fibrillation)
    again = np.repeat(with_it, rng.poisson(1.5, len(with_it)))
    early = np.flatnonzero(people.kind == EARLIER_PERIOD)
    person = np.concatenate([with_it, again, early])
    later = np.floor(rng.random(len(again)) * people.after_length[again]).astype(np.int64)
    sooner = np.floor(rng.random(len(early)) * people.old_length[early]).astype(np.int64)
    day = np.concatenate(
        [people.index[with_it], people.after_first[again] + later, people.old_first[early] + sooner]
    )
    concept = rng.choice(ids, size=len(person), p=[0.6, 0.25, 0.15])
    return Records(person, concept, day, day, np.zeros(len(person), dtype=bool))


def strokes(people: People, in_a_year: np.ndarray, rng: np.random.Generator) -> Records:
    """Strokes on days 1 to 365 of those who have one, and on day 0 or later of a few others.

    What a stroke leaves behind is recorded after it: those who look there see the outcome.
    """
    n = len(people)
    chance = rng.random(n)
    on_day_0 = ~in_a_year & people.has_fibrillation & (chance < 0.01)
    late = ~in_a_year & (chance > 0.93)
    wait = rng.integers(1, YEAR + 1, n)
    wait = np.where(rng.random(n) < 0.02, YEAR, wait)
    until = YEAR + 1 + np.where(rng.random(n) < 0.1, 0, rng.integers(0, 1000, n))
    day = people.index + np.where(on_day_0, 0, np.where(late, until, wait))
    person = np.flatnonzero(in_a_year | on_day_0 | late)
    person = person[
        (day[person] >= people.after_first[person]) & (day[person] <= _last(people)[person])
    ]
    ids = np.array([concept.id for concept in STROKES])
    kinds = rng.choice(ids, size=len(person), p=[0.5, 0.1, 0.08, 0.15, 0.1, 0.07])
    parts = [_alone(people, person, kinds, day[person])]
    for concept, share in (
        (CEREBROVASCULAR_DISEASE, 0.8),
        (HEMIPLEGIA, 0.4),
        (CONSCIOUSNESS, 0.3),
        (LATE_EFFECTS, 0.3),
        (int(ids[0]), 0.3),
    ):
        some = person[rng.random(len(person)) < share]
        if concept in ids:  # on day 0 it is no outcome, so it must not come again in the year
            some = some[day[some] > people.index[some]]
        left = _last(people)[some] - day[some]
        when = day[some] + np.floor(rng.random(len(some)) * (left + 1)).astype(np.int64)
        parts.append(_alone(people, some, np.full(len(some), concept), when))
    return join(parts)


def anticoagulants(people: People, rng: np.random.Generator) -> Records:
    """Warfarin for every second person with atrial fibrillation, from the index date on."""
    person = np.flatnonzero(people.has_fibrillation & (rng.random(len(people)) < 0.5))
    day = people.after_first[person] + rng.integers(0, 30, len(person))
    last = _last(people)[person]
    day = np.minimum(day, last)
    warfarin = np.full(len(person), WARFARIN)
    return Records(person, warfarin, day, last, np.ones(len(person), dtype=bool))


def unmapped(records: Records, rng: np.random.Generator) -> Records:
    """A few records without a matching concept, on days of other records."""
    rows = np.flatnonzero(rng.random(len(records)) < SHARE_UNMAPPED)
    some = records.take(rows)
    return Records(some.person, np.full(len(rows), UNMAPPED), some.day, some.last_day, some.drug)


def _alone(people: People, person: np.ndarray, concept: np.ndarray, day: np.ndarray) -> Records:
    return Records(person, concept, day, _last(people)[person], np.zeros(len(person), dtype=bool))


def _last(people: People) -> np.ndarray:
    return people.after_first + people.after_length - 1


def draw_records(
    people: People,
    catalogue: Catalogue,
    has: np.ndarray,
    in_a_year: np.ndarray,
    must_have: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
) -> Records:
    """Everything that is recorded of a block of persons."""
    made_up = draw_made_up(catalogue, people.burden, 1.0, rng)
    known = np.nonzero(has)
    person, concept = distinct_pairs(
        np.concatenate([made_up[0], known[0], must_have[0]]),
        np.concatenate([made_up[1], known[1], must_have[1]]),
        len(catalogue),
    )
    # a stroke that is recorded again would be an outcome that nobody drew
    again = (rng.random(len(person)) < 0.45) & ~np.isin(concept, STROKE_PLACES)
    anew = draw_made_up(catalogue, people.burden, 0.2, rng)
    parts = [
        recorded_before(people, catalogue, person, concept, rng),
        recorded_after(
            people,
            catalogue,
            np.concatenate([person[again], anew[0]]),
            np.concatenate([concept[again], anew[1]]),
            rng,
        ),
        strokes(people, in_a_year, rng),
        anticoagulants(people, rng),
        diagnoses(people, rng),
    ]
    parts.append(unmapped(parts[0], rng))
    return join(parts)
