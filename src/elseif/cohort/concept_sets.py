"""Concept ids of a definition's sets in one database, and gaps in its vocabulary."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from elseif.cohort.cdm_layout import EVENTS
from elseif.cohort.database import Database
from elseif.cohort.definition import CohortDefinition, Concept, ConceptSet
from elseif.cohort.drivers import LostConnectionError
from elseif.errors import DatabaseError, ParamError

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 3  # concepts in the sentence of a warning; the cohort names every one


def find_members(
    database: Database, queries: Any, definition: CohortDefinition
) -> tuple[dict[str, frozenset[int]], tuple[str, ...]]:
    """Concept ids of every set, with descendants if requested; and what the vocabulary lacks."""
    sets = definition.concept_sets
    ancestors = frozenset[int]().union(*(concepts.ancestors() for concepts in sets.values()))
    beneath: dict[int, list[int]] = {}
    if ancestors:
        rows = database.fetch(queries.descendants(ancestors))
        for row in rows.to_pylist() if rows is not None else ():
            beneath.setdefault(row["ancestor"], []).append(row["descendant"])
    lacking = _without_own_row(sets, beneath)
    _warn_of_lacking(database, definition, lacking, len(ancestors), bool(beneath))
    members = {name: concepts.members(beneath) for name, concepts in sets.items()}
    for name, ids in members.items():
        if not ids and not name.startswith("group "):
            raise ParamError(
                f"{definition.name}: everything that {name} includes, it excludes as well."
            )
    _check_drug_groups(database, queries, definition, members)
    return members, tuple(lacking.values())


def _without_own_row(
    sets: Mapping[str, ConceptSet], beneath: Mapping[int, Iterable[int]]
) -> dict[int, str]:
    """Concepts whose descendants are requested and that concept_ancestor lacks.

    A whole vocabulary has every concept beneath itself; one without that row is not whole.
    """
    sets_by_concept: dict[int, tuple[Concept, list[str]]] = {}
    for name, concepts in sets.items():
        for concept in (*concepts.include, *concepts.exclude):
            if concept.descendants and concept.id not in beneath.get(concept.id, ()):
                of = name.removeprefix("group ")
                sets_by_concept.setdefault(concept.id, (concept, []))[1].append(of)
    return {
        i: f"{i} {concept.name} ({', '.join(names)}) has no row of its own in concept_ancestor: "
        "records of its descendants may be missed."
        for i, (concept, names) in sets_by_concept.items()
    }


def _warn_of_lacking(
    database: Database,
    definition: CohortDefinition,
    lacking: Mapping[int, str],
    n_asked: int,
    has_any: bool,
) -> None:
    if not lacking:
        return
    named = ", ".join(text.partition(" (")[0] for text in list(lacking.values())[:SHOWN])
    more = f" and {len(lacking) - SHOWN:,} more" if len(lacking) > SHOWN else ""
    of = (
        f"its own for {len(lacking):,} of the {n_asked:,} concepts whose descendants "
        f"{definition.name} asks for ({named}{more})"
        if has_any
        else f"any concept of {definition.name}"
    )
    warnings.warn(
        f"The table concept_ancestor of {database.label} has no row of {of}: records of their "
        "descendants are missed. Load the vocabularies, or say descendants: false of every "
        "concept.",
        UserWarning,
        stacklevel=2,
    )


def _check_drug_groups(
    database: Database,
    queries: Any,
    definition: CohortDefinition,
    members: Mapping[str, frozenset[int]],
) -> None:
    """Refuse groups that are recorded as drugs alone where drugs are not read.

    The domain of a concept follows from the records, so no vocabulary has to be loaded.
    """
    if not definition.groups or "drug" in definition.group_domains:
        return
    try:
        among_drugs = database.queries([EVENTS["drug"]])
    except LostConnectionError:
        raise
    except DatabaseError:  # a database without drugs has no records of them
        return
    groups = {name: ids for name in definition.groups if (ids := members[f"group {name}"])}
    if not groups:
        return
    drugs = database.numbers(among_drugs.records_by_group("drug", groups))
    conditions = database.numbers(queries.records_by_group("condition", groups))
    wrong = [name for name in groups if drugs[name] and not conditions[name]]
    if wrong:
        raise ParamError(
            f"groups: {wrong[0]} is recorded among drugs ({drugs[wrong[0]]:,} records) and never "
            "among conditions, but domains leaves drugs out: it would be false for everybody. Add "
            "drug to domains, or remove the group."
        )


def empty_groups(groups: pd.DataFrame) -> list[str]:
    """Groups without a record for any member."""
    return [str(name) for name in groups.columns if not groups[name].any()]


def empty_group_warning(name: str) -> str:
    """What an empty group means."""
    return (
        f"{name}: recorded of nobody in the cohort before the index date, so false for everybody; "
        "scores that count it are too low."
    )


def warn_of_empty_groups(groups: pd.DataFrame) -> None:
    """Warn in Python of groups without a record."""
    empty = empty_groups(groups)
    if empty:
        warnings.warn(
            "Nobody in the cohort has a record of "
            f"{'this group' if len(empty) == 1 else 'these groups'} before the index date: "
            f"{', '.join(empty)}. Scores that count "
            f"{'it' if len(empty) == 1 else 'them'} are too low.",
            UserWarning,
            stacklevel=2,
        )
