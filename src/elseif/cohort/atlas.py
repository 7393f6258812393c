"""Cohorts exported from ATLAS as JSON (circe expressions), translated to our definitions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elseif.cohort.atlas_criteria import (
    MalformedError,
    Node,
    Translation,
    concept_sets_of,
    read_criterion,
    read_group,
)
from elseif.cohort.concepts import AnyOf, ConceptSet
from elseif.cohort.inclusion import Inclusion, PriorRecords
from elseif.cohort.value_checks import check_text
from elseif.errors import ElseifError, ParamError
from elseif.files.strict_json import nesting
from elseif.files.unreadable import unreadable

LARGEST_FILE = 20_000_000  # bytes; the largest of OHDSI's library has one
DEEPEST = 64
# what changes when an entry ends, which nothing here depends on
ENDS = ("EndStrategy", "CensoringCriteria", "CollapseSettings")
KNOWN = (
    "Title", "cdmVersionRange", "PrimaryCriteria", "AdditionalCriteria", "ConceptSets",
    "QualifiedLimit", "ExpressionLimit", "InclusionRules", "CensorWindow", *ENDS,
)  # fmt: skip


@dataclass(frozen=True)
class AtlasCohort:
    """A cohort expression from ATLAS, translated to the terms of a definition.

    Attributes
    ----------
    event : ConceptSet or AnyOf
        The events of entry.
    prior_days : int
        Days of observation before an entry.
    post_days : int
        Days of observation after it.
    first_after_days : int | None
        Days of observation before the first record that counts; None if it is the first ever.
    inclusion : Inclusion | None
        Criteria on persons and earlier records.

    Examples
    --------
    >>> from elseif.cohort import AtlasCohort, Concept, ConceptSet
    >>> fibrillation = ConceptSet("fibrillation", (Concept(313217, "Atrial fibrillation"),))
    >>> AtlasCohort(fibrillation, 365, 0, 365, None).prior_days
    365
    """

    event: ConceptSet | AnyOf
    prior_days: int
    post_days: int
    first_after_days: int | None
    inclusion: Inclusion | None


def read_atlas(path: str | Path, name: str | None = None) -> AtlasCohort:
    """Read a cohort that ATLAS has exported as JSON.

    Parameters
    ----------
    path : str or path
        The file.
    name : str, default=None
        What its events are called; by default the name of their concept set.

    Returns
    -------
    AtlasCohort
        Events, days of observation and criteria. Anything that cannot be expressed is an error,
        which names each such part by its place in the JSON.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from elseif.cohort import read_atlas
    >>> concept = {"CONCEPT_ID": 313217, "CONCEPT_NAME": "Atrial fibrillation"}
    >>> items = [{"concept": concept, "includeDescendants": True}]
    >>> expression = {
    ...     "ConceptSets": [{"id": 0, "name": "fibrillation", "expression": {"items": items}}],
    ...     "PrimaryCriteria": {
    ...         "CriteriaList": [{"ConditionOccurrence": {"CodesetId": 0, "First": True}}],
    ...         "ObservationWindow": {"PriorDays": 365, "PostDays": 0},
    ...         "PrimaryCriteriaLimit": {"Type": "First"},
    ...     },
    ... }
    >>> written = Path("fibrillation.json").write_text(json.dumps(expression))
    >>> read_atlas("fibrillation.json").event.name
    'fibrillation'
    """
    path = Path(path)
    if name is not None:
        check_text("name", name)
    expression = _expression(_content(path), path.name)
    translation = Translation()
    try:
        cohort = _translated(expression, name, translation)
    except MalformedError as error:
        raise ParamError(
            f"{path.name} is not a cohort of ATLAS: {str(error).rstrip('.')}."
        ) from None
    except ElseifError as error:
        if not translation.refused:
            raise ParamError(f"{path.name}: {error}") from error
        cohort = None
    if translation.refused or cohort is None:
        listed = "; ".join(translation.refused)
        raise ParamError(
            f"{path.name} uses features that are not supported here: {listed}. Generate the "
            "cohort in ATLAS and give its number instead: cohort: NUMBER."
        )
    return cohort


def _content(path: Path) -> Any:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may never end
            raise ParamError(f"{path} is not a file; a cohort of ATLAS is a JSON file.")
        if path.stat().st_size > LARGEST_FILE:
            raise ParamError(f"{path.name} has more than {LARGEST_FILE:,} bytes: no cohort.")
        content = path.read_bytes()
    except OSError as error:
        raise ParamError(unreadable(path, error)) from error
    if nesting(content) > DEEPEST:
        raise ParamError(
            f"{path.name} has more than {DEEPEST} nested levels, so it is not a cohort."
        )
    try:
        return json.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise ParamError(f"{path.name} is not readable as JSON.") from error


def _expression(content: Any, file: str) -> Node:
    """The expression, which WebAPI wraps in an object."""
    if isinstance(content, dict) and "PrimaryCriteria" not in content:
        inner = content.get("expression")
        if isinstance(inner, str):
            try:
                inner = json.loads(inner)
            except ValueError:
                inner = None
        content = inner if isinstance(inner, dict) else content
    if not isinstance(content, dict) or "PrimaryCriteria" not in content:
        raise ParamError(f"{file} is not a cohort of ATLAS: it has no PrimaryCriteria.")
    return Node(content, "")


def _translated(expression: Node, name: str | None, translation: Translation) -> AtlasCohort | None:
    for key in expression.names:
        if key not in KNOWN and expression.value(key) not in (None, [], {}, False):
            translation.refuse(expression.child(key), "is unknown")
    sets = concept_sets_of(expression)
    primary = expression.mapping("PrimaryCriteria")
    events: list[ConceptSet] = []
    criteria = primary.list("CriteriaList")
    if not criteria:
        translation.refuse(primary.child("CriteriaList"), "has no event of entry")
    sexes: set[tuple[str, ...]] = set()
    is_first = False
    for node in criteria:
        read = read_criterion(node, sets, translation, is_entry=len(criteria) == 1)
        if read is None:
            continue
        events.append(read.records)
        is_first = is_first or read.is_first
        if read.sex is not None:
            sexes.add(read.sex)
        if read.age is not None:
            translation.ages.append(read.age)
    translation.sexes += list(sexes)
    window = primary.mapping("ObservationWindow")
    prior, post = window.whole("PriorDays"), window.whole("PostDays")
    limits = {
        "PrimaryCriteria.PrimaryCriteriaLimit": primary.mapping("PrimaryCriteriaLimit"),
        "ExpressionLimit": expression.mapping("ExpressionLimit"),
        "QualifiedLimit": expression.mapping("QualifiedLimit"),
    }
    of = {part: str(node.value("Type") or "All").lower() for part, node in limits.items()}
    is_one = is_first or of["PrimaryCriteria.PrimaryCriteriaLimit"] == "first"
    _check_limits(expression, translation, of, is_one)
    if post and not is_first:
        translation.refuse(
            window.child("PostDays"), "asks for observation after an entry that is not the first"
        )
    if any(value is not None for value in expression.mapping("CensorWindow").values()):
        translation.refuse(expression.child("CensorWindow"), "cuts entries at a date")
    for part, rule in _rules(expression):
        read_group(part, rule, sets, translation)
    if translation.refused or not events:
        return None
    event: ConceptSet | AnyOf
    event = _one(events, name or events[0].name)
    return AtlasCohort(event, prior, post, None if is_first else prior, _inclusion(translation))


def _check_limits(
    expression: Node, translation: Translation, of: dict[str, str], is_one: bool
) -> None:
    """Refuse what makes another entry than the earliest event the first."""
    for part, kind in of.items():
        if kind not in ("all", "first") and not (is_one and not part.startswith("Primary")):
            translation.refuse(part, f"takes the {kind} event, not the first")
    if is_one:
        return
    for key, what in (("AdditionalCriteria", "criteria"), ("InclusionRules", "rules")):
        if expression.value(key):
            translation.refuse(
                "PrimaryCriteria.PrimaryCriteriaLimit",
                f"lets {what} ({key}) choose among all events of a person; here they are about "
                "the first",
            )


def _rules(expression: Node) -> list[tuple[str, Node]]:
    """Every group of criteria with its name."""
    groups = []
    if expression.value("AdditionalCriteria"):
        groups.append(("AdditionalCriteria", expression.mapping("AdditionalCriteria")))
    for rule in expression.list("InclusionRules"):
        groups.append((str(rule.value("name") or ""), rule.mapping("expression")))
    return groups


def _one(sets: list[ConceptSet], name: str) -> ConceptSet | AnyOf:
    """One concept set with several domains if the sets are the same, otherwise any of them."""
    joined: list[ConceptSet] = []
    for each in sets:
        for i, known in enumerate(joined):
            if (known.include, known.exclude) == (each.include, each.exclude):
                domain = tuple(dict.fromkeys((*known.domain, *each.domain)))
                joined[i] = ConceptSet(known.name, known.include, known.exclude, domain)
                break
        else:
            joined.append(each)
    if len(joined) == 1:
        only = joined[0]
        return ConceptSet(name, only.include, only.exclude, only.domain)
    return AnyOf(name, tuple(joined))


def _inclusion(translation: Translation) -> Inclusion | None:
    """All criteria together; of repeated ages and years, the intersection."""

    def both(ranges: list[tuple[int | None, int | None]]) -> tuple[int | None, int | None] | None:
        least = [low for low, _ in ranges if low is not None]
        most = [high for _, high in ranges if high is not None]
        if not least and not most:
            return None
        return max(least, default=None), min(most, default=None)

    sexes = set.intersection(*map(set, translation.sexes)) if translation.sexes else None
    if sexes is not None and not sexes:
        raise ParamError("its criteria on sex exclude each other.")
    made = Inclusion(
        age=both(translation.ages),
        sex=None if sexes is None else tuple(sexes),
        index_year=both(translation.years),
        prior=_different(translation.prior),
        no_prior=_different(translation.no_prior),
    )
    return made if made.as_dict() else None


def _different(criteria: list[PriorRecords]) -> tuple[PriorRecords, ...]:
    return tuple(dict.fromkeys(criteria))
