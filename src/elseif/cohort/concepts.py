"""Concepts, concept sets, and cohorts that already exist in the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from elseif.cohort.value_checks import (
    LARGEST_ID,
    check_flag,
    check_text,
    check_whole,
    read_choices,
)
from elseif.errors import ParamError, ParamTypeError

NO_CONCEPT = 0  # what a record has whose code was not mapped, whatever a vocabulary says of it
# where records are found; conditions unless something else is said
EVENT_DOMAINS = (
    "condition",
    "device",
    "drug",
    "measurement",
    "observation",
    "procedure",
    "visit",
)
CONDITIONS = ("condition",)


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
        check_whole("Concept: id", self.id, 1, LARGEST_ID)
        check_text("Concept: name", self.name)
        check_flag(f"Concept {self.id}: descendants", self.descendants)


@dataclass(frozen=True)
class ConceptSet:
    """A named set of concepts; exclusion takes precedence over inclusion.

    Parameters
    ----------
    name : str
        The name.
    include : tuple[Concept, ...]
        Concepts to include.
    exclude : tuple[Concept, ...]
        Concepts to exclude.
    domain : tuple[str, ...]
        Where an index event, an outcome or a criterion is recorded: "condition", "device", "drug",
        "measurement", "observation", "procedure", "visit", or several of them.

    Examples
    --------
    >>> from elseif.cohort import Concept, ConceptSet
    >>> ConceptSet("atrial fibrillation", (Concept(313217, "Atrial fibrillation"),)).name
    'atrial fibrillation'
    """

    name: str
    include: tuple[Concept, ...]
    exclude: tuple[Concept, ...] = ()
    domain: tuple[str, ...] = CONDITIONS

    def __post_init__(self) -> None:
        check_text("ConceptSet: name", self.name)
        for key in ("include", "exclude"):
            concepts = getattr(self, key)
            if isinstance(concepts, Concept) or not isinstance(concepts, Iterable):
                raise ParamTypeError(f"{self.name}: {key} must be a sequence of Concept.")
            object.__setattr__(self, key, tuple(concepts))
            self._check_concepts(key)
        if not self.include:
            raise ParamError(f"{self.name}: include must have at least one concept.")
        domain = read_choices(f"{self.name}: domain", self.domain, EVENT_DOMAINS)
        object.__setattr__(self, "domain", domain)

    @property
    def sets(self) -> tuple[ConceptSet, ...]:
        """The set itself, as ``AnyOf`` has several."""
        return (self,)

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
        ids = _spread(self.include, descendants) - _spread(self.exclude, descendants)
        return frozenset(ids - {NO_CONCEPT})

    def ancestors(self) -> frozenset[int]:
        """The concept ids whose descendants are needed.

        Returns
        -------
        frozenset of int
            The ids.
        """
        return frozenset(c.id for c in (*self.include, *self.exclude) if c.descendants)

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The set; its domain only if it is not conditions alone.

        Examples
        --------
        >>> from elseif.cohort import Concept, ConceptSet
        >>> ConceptSet("aspirin", (Concept(1112807, "aspirin"),), domain="drug").as_dict()["domain"]
        ['drug']
        """

        def plain(some: Iterable[Concept]) -> list[dict[str, Any]]:
            return [{"id": c.id, "name": c.name, "descendants": c.descendants} for c in some]

        return {
            "name": self.name,
            **({} if self.domain == CONDITIONS else {"domain": list(self.domain)}),
            "include": plain(self.include),
            "exclude": plain(self.exclude),
        }


@dataclass(frozen=True)
class AnyOf:
    """Records of any of several concept sets, each in its own domains.

    Parameters
    ----------
    name : str
        A common name for them.
    sets : tuple[ConceptSet, ...]
        The concept sets.

    Examples
    --------
    >>> from elseif.cohort import AnyOf, Concept, ConceptSet
    >>> diagnosis = ConceptSet("diabetes", (Concept(201820, "Diabetes mellitus"),))
    >>> treated = ConceptSet("metformin", (Concept(1503297, "metformin"),), domain="drug")
    >>> len(AnyOf("diabetes, diagnosed or treated", (diagnosis, treated)).sets)
    2
    """

    name: str
    sets: tuple[ConceptSet, ...]

    def __post_init__(self) -> None:
        check_text("AnyOf: name", self.name)
        if not isinstance(self.sets, Iterable) or isinstance(self.sets, str):
            raise ParamTypeError(f"{self.name}: any_of must be a sequence of ConceptSet.")
        object.__setattr__(self, "sets", tuple(self.sets))
        if not self.sets:
            raise ParamError(f"{self.name}: any_of must have at least one concept set.")
        for each in self.sets:
            if not isinstance(each, ConceptSet):
                raise ParamTypeError(
                    f"{self.name}: any_of holds {each!r:.80}, which is not a ConceptSet."
                )

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The name and the sets.

        Examples
        --------
        >>> from elseif.cohort import AnyOf, Concept, ConceptSet
        >>> AnyOf("bleeding", (ConceptSet("a", (Concept(437312, "Bleeding"),)),)).as_dict()["name"]
        'bleeding'
        """
        return {"name": self.name, "any_of": [each.as_dict() for each in self.sets]}


@dataclass(frozen=True)
class ExistingCohort:
    """A cohort of the table ``cohort``, as ATLAS and WebAPI generate it.

    Parameters
    ----------
    name : str
        What it is called here.
    cohort : int
        Its ``cohort_definition_id``.

    Examples
    --------
    >>> from elseif.cohort import ExistingCohort
    >>> ExistingCohort("atrial fibrillation", 1770) .as_dict()
    {'name': 'atrial fibrillation', 'cohort': 1770}
    """

    name: str
    cohort: int

    def __post_init__(self) -> None:
        check_text("ExistingCohort: name", self.name)
        check_whole(f"{self.name}: cohort", self.cohort, 0, 2**63 - 1)

    @property
    def sets(self) -> tuple[ConceptSet, ...]:
        """No concept sets: the database lists the members."""
        return ()

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            Name and cohort definition id.

        Examples
        --------
        >>> from elseif.cohort import ExistingCohort
        >>> ExistingCohort("stroke", 75).as_dict()["cohort"]
        75
        """
        return {"name": self.name, "cohort": self.cohort}


Event = ConceptSet | AnyOf | ExistingCohort


def check_event(key: str, value: Any) -> None:
    """Something that happens to a person on a day."""
    if not isinstance(value, ConceptSet | AnyOf | ExistingCohort):
        raise ParamTypeError(
            f"{key} must be a ConceptSet, AnyOf or ExistingCohort, not {value!r:.200}."
        )


def _spread(concepts: Iterable[Concept], descendants: Mapping[int, Iterable[int]]) -> set[int]:
    """Ids of concepts and of what lies beneath; a concept is its own even where no row says so."""
    ids: set[int] = set()
    for concept in concepts:
        ids.add(concept.id)
        if concept.descendants:
            ids.update(descendants.get(concept.id, ()))
    return ids
