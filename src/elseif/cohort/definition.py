"""What a cohort is: index condition, observation, outcome, and named groups of concepts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from elseif.errors import ParamError, ParamTypeError
from elseif.files.sealed import fingerprint

LARGEST_ID = 2**31 - 1  # concept ids are integers of the common data model
LONGEST_SPAN = 36_525  # days: a hundred years
NO_CONCEPT = 0  # what a record has whose code was not mapped, whatever a vocabulary says of it
OLDEST = 120  # years; an older person is a mistake in the record
DOMAINS = ("condition", "drug")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = ("age", "sex", "person_id", "index_date")  # columns that the score table has anyway


@dataclass(frozen=True)
class Concept:
    """A concept of the OMOP vocabulary.

    Parameters
    ----------
    id : int
        Its concept id.
    name : str
        Its name.
    descendants : bool
        Whether its descendants are included.

    Examples
    --------
    >>> from elseif.cohort import Concept
    >>> Concept(313217, "Atrial fibrillation").descendants
    True
    """

    id: int
    name: str
    descendants: bool = True

    def __post_init__(self) -> None:
        _check_whole("Concept: id", self.id, 1, LARGEST_ID)
        _check_text("Concept: name", self.name)
        if not isinstance(self.descendants, bool):
            raise ParamTypeError(
                f"Concept {self.id}: descendants must be True or False, not "
                f"{self.descendants!r:.100}."
            )


@dataclass(frozen=True)
class ConceptSet:
    """Concepts under one name; a concept that is excluded is out even if it is also included.

    Parameters
    ----------
    name : str
        The name.
    include : tuple[Concept, ...]
        Concepts to include.
    exclude : tuple[Concept, ...]
        Concepts to exclude.

    Examples
    --------
    >>> from elseif.cohort import Concept, ConceptSet
    >>> ConceptSet("atrial fibrillation", (Concept(313217, "Atrial fibrillation"),)).name
    'atrial fibrillation'
    """

    name: str
    include: tuple[Concept, ...]
    exclude: tuple[Concept, ...] = ()

    def __post_init__(self) -> None:
        _check_text("ConceptSet: name", self.name)
        for key in ("include", "exclude"):
            concepts = getattr(self, key)
            if isinstance(concepts, Concept) or not isinstance(concepts, Iterable):
                raise ParamTypeError(f"{self.name}: {key} must be a sequence of Concept.")
            object.__setattr__(self, key, tuple(concepts))
            self._check_concepts(key)
        if not self.include:
            raise ParamError(f"{self.name}: include must have at least one concept.")

    def _check_concepts(self, key: str) -> None:
        seen = set()
        for concept in getattr(self, key):
            if not isinstance(concept, Concept):
                raise ParamTypeError(
                    f"{self.name}: {key} holds {concept!r}, which is not a Concept."
                )
            if concept.id in seen:
                raise ParamError(f"{self.name}: {key} has the concept {concept.id} twice.")
            seen.add(concept.id)

    def members(self, descendants: Mapping[int, Iterable[int]]) -> frozenset[int]:
        """The concept ids of the set.

        Parameters
        ----------
        descendants : dict
            Descendants of each concept id.

        Returns
        -------
        frozenset of int
            The ids.
        """
        concept_ids = _spread(self.include, descendants) - _spread(self.exclude, descendants)
        return frozenset(concept_ids - {NO_CONCEPT})

    def ancestors(self) -> frozenset[int]:
        """The concept ids whose descendants are needed.

        Returns
        -------
        frozenset of int
            The ids.
        """
        return frozenset(c.id for c in (*self.include, *self.exclude) if c.descendants)


@dataclass(frozen=True)
class CohortDefinition:
    """Whom to include, and which time before and after to look at.

    The index date is the first record of the index condition. Days are counted from it.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and underscores.
    title : str
        One line for readers.
    index : ConceptSet
        Its first record is the index date.
    outcome : ConceptSet
        What may follow.
    observation_before : int
        Days of observation required before the index date.
    observation_after : int
        Days of observation required after it.
    outcome_window : tuple[int, int]
        First and last day on which the outcome counts.
    outcome_must_be_new : bool
        Exclude persons who had the outcome on or before the index date.
    include_all_outcomes : bool
        Include persons with the outcome who were observed for less than ``observation_after``
        days, as ``includeAllOutcomes`` does in OHDSI's PatientLevelPrediction.
    age_cuts : tuple[int, ...]
        Cut points of age, in years.
    domains : tuple[str, ...]
        What becomes features: drugs, conditions.
    groups : Mapping[str, ConceptSet]
        Concept sets that scores count, by name.

    Examples
    --------
    >>> from elseif.cohort import CohortDefinition, Concept, ConceptSet
    >>> fibrillation = ConceptSet("atrial fibrillation", (Concept(313217, "Atrial fibrillation"),))
    >>> stroke = ConceptSet("stroke", (Concept(443454, "Cerebral infarction"),))
    >>> definition = CohortDefinition("af", "Stroke within a year", fibrillation, stroke)
    >>> definition.as_dict()["name"]
    'af'
    """

    name: str
    title: str
    index: ConceptSet
    outcome: ConceptSet
    observation_before: int = 365
    observation_after: int = 365
    outcome_window: tuple[int, int] = (1, 365)
    outcome_must_be_new: bool = False
    age_cuts: tuple[int, ...] = (50, 60, 70, 80)
    domains: tuple[str, ...] = DOMAINS
    groups: Mapping[str, ConceptSet] = field(default_factory=dict)
    include_all_outcomes: bool = False

    def __post_init__(self) -> None:
        _check_name("name", self.name)
        _check_text("title", self.title)
        for key in ("index", "outcome"):
            if not isinstance(getattr(self, key), ConceptSet):
                raise ParamTypeError(f"{key} must be a ConceptSet, not {getattr(self, key)!r}.")
        _check_whole("observation_before", self.observation_before, 0, LONGEST_SPAN)
        _check_whole("observation_after", self.observation_after, 0, LONGEST_SPAN)
        for key in ("outcome_must_be_new", "include_all_outcomes"):
            if not isinstance(getattr(self, key), bool):
                value = getattr(self, key)
                raise ParamTypeError(f"{key} must be True or False, not {value!r:.100}.")
        self._check_window()
        self._check_cuts()
        self._check_domains()
        self._check_groups()

    def __hash__(self) -> int:
        return hash((self.name, self.title, self.index, self.outcome))

    @property
    def concept_sets(self) -> tuple[ConceptSet, ...]:
        """Index, outcome and groups."""
        return (self.index, self.outcome, *self.groups.values())

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The definition.
        """
        if_true = {"include_all_outcomes": True} if self.include_all_outcomes else {}
        return {
            "name": self.name,
            "title": self.title,
            "index": _set_as_dict(self.index),
            "outcome": _set_as_dict(self.outcome),
            "observation_before": self.observation_before,
            "observation_after": self.observation_after,
            "outcome_window": list(self.outcome_window),
            "outcome_must_be_new": self.outcome_must_be_new,
            **if_true,
            "age_cuts": list(self.age_cuts),
            "domains": list(self.domains),
            "groups": {name: _set_as_dict(group) for name, group in self.groups.items()},
        }

    @property
    def sha256(self) -> str:
        """SHA-256 of the definition as JSON with sorted keys and without white space."""
        return fingerprint(self.as_dict())

    def _check_window(self) -> None:
        window = _as_tuple("outcome_window", self.outcome_window)
        if len(window) != 2:
            raise ParamError(
                "outcome_window must be two days, the first and the last, not "
                f"{list(window)!r:.100}."
            )
        _check_whole("outcome_window: its first day", window[0], 1, LONGEST_SPAN)
        _check_whole("outcome_window: its last day", window[1], window[0], LONGEST_SPAN)
        if window[1] > self.observation_after:
            raise ParamError(
                f"outcome_window ends on day {window[1]}, but observation_after asks for only "
                f"{self.observation_after} days: later outcomes would be missed. Lengthen it."
            )
        object.__setattr__(self, "outcome_window", window)

    def _check_cuts(self) -> None:
        cuts = _as_tuple("age_cuts", self.age_cuts)
        for cut in cuts:
            _check_whole("age_cuts: each", cut, 1, OLDEST)
        if sorted(set(cuts)) != list(cuts):
            raise ParamError(f"age_cuts must increase, which {list(cuts)} does not.")
        object.__setattr__(self, "age_cuts", cuts)

    def _check_domains(self) -> None:
        domains = _as_tuple("domains", self.domains)
        unknown = [domain for domain in domains if domain not in DOMAINS]
        if unknown or not domains or len(set(domains)) < len(domains):
            raise ParamError(
                f"domains must be one or both of {', '.join(DOMAINS)}, each once, "
                f"not {list(domains)!r:.100}."
            )
        ordered = tuple(domain for domain in DOMAINS if domain in domains)
        object.__setattr__(self, "domains", ordered)

    def _check_groups(self) -> None:
        if not isinstance(self.groups, Mapping):
            raise ParamTypeError("groups must map names to concept sets.")
        if self.groups and "condition" not in self.domains:
            raise ParamError("groups are found among conditions, which domains leaves out.")
        for name, group in self.groups.items():
            _check_name("groups: a name", name)
            if name in TAKEN:
                raise ParamError(
                    f"groups: the name {name!r:.100} is taken by a column of every cohort."
                )
            if not isinstance(group, ConceptSet):
                raise ParamTypeError(f"groups[{name!r:.100}] must be a ConceptSet, not {group!r}.")
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "groups": dict(self.groups)}  # a view cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, groups=MappingProxyType(state["groups"]))


def _spread(concepts: Iterable[Concept], descendants: Mapping[int, Iterable[int]]) -> set[int]:
    """Ids of concepts and of what lies beneath; a concept is its own even where no row says so."""
    concept_ids: set[int] = set()
    for concept in concepts:
        concept_ids.add(concept.id)
        if concept.descendants:
            concept_ids.update(descendants.get(concept.id, ()))
    return concept_ids


def _set_as_dict(concepts: ConceptSet) -> dict[str, Any]:
    def plain(some: Iterable[Concept]) -> list[dict[str, Any]]:
        return [{"id": c.id, "name": c.name, "descendants": c.descendants} for c in some]

    return {
        "name": concepts.name,
        "include": plain(concepts.include),
        "exclude": plain(concepts.exclude),
    }


def _as_tuple(key: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParamTypeError(f"{key} must be a list, not {value!r:.80}.")
    return tuple(value)


def _check_whole(what: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParamTypeError(f"{what} must be a whole number, not {value!r:.80}.")
    if not least <= value <= most:
        raise ParamError(f"{what} must be between {least:,} and {most:,}, not {value:,}.")


def _check_text(what: str, value: Any) -> None:
    if not isinstance(value, str):
        raise ParamTypeError(f"{what} must be text, not {value!r:.80}.")
    if not value.strip() or not value.isprintable():
        raise ParamError(f"{what} must be one line of text, not {value!r:.80}.")


def _check_name(what: str, value: Any) -> None:
    _check_text(what, value)
    if not _NAME.fullmatch(value) or len(value) > 63:
        raise ParamError(
            f"{what} must consist of lower-case letters, digits and underscores, begin with a "
            f"letter, and have at most 63 characters; {value!r:.100} does not."
        )
