"""Cohorts from a database in the OMOP common data model: who, when, what before, what after."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elseif.cohort.cohort import Cohort, read_cohort
    from elseif.cohort.database import Database, connect
    from elseif.cohort.definition import CohortDefinition, Concept, ConceptSet
    from elseif.cohort.definition_file import definition_names, load_definition
    from elseif.cohort.extraction import extract

__all__ = [
    "CohortDefinition",
    "ConceptSet",
    "Concept",
    "load_definition",
    "definition_names",
    "connect",
    "Database",
    "extract",
    "Cohort",
    "read_cohort",
]

_HOMES = {
    "CohortDefinition": "elseif.cohort.definition",
    "ConceptSet": "elseif.cohort.definition",
    "Concept": "elseif.cohort.definition",
    "load_definition": "elseif.cohort.definition_file",
    "definition_names": "elseif.cohort.definition_file",
    "connect": "elseif.cohort.database",
    "Database": "elseif.cohort.database",
    "extract": "elseif.cohort.extraction",
    "Cohort": "elseif.cohort.cohort",
    "read_cohort": "elseif.cohort.cohort",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used; what connects to databases is slow to load."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'elseif.cohort' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
