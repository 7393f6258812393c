"""The origin of a table of patients, as kept in a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from elseif.disclosure.rounding import Rounding
from elseif.tables.federated import federation_sentences, rounded_federation

SYNTHETIC = "SYNTHETIC patients, made up by a program: of no use for any person."
TITLE = "SYNTHETIC patients: "


def origin_of(X: Any, columns: Collection[str]) -> dict[str, Any] | None:
    """The origin of a table, with the concepts of some of its columns."""
    origin = getattr(getattr(X, "source", X), "origin", None)  # a table that is read has a source
    return None if origin is None else of_columns(origin, columns)


def of_columns(origin: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    """An origin without the concepts of other columns."""
    wanted = set(columns)
    concepts = [concept for concept in origin["concepts"] if concept["column"] in wanted]
    return {**origin, "concepts": concepts}


def says_so(title: str, is_synthetic: bool) -> str:
    """A title that says, once, if patients are synthetic."""
    if not is_synthetic or "SYNTHETIC" in title:
        return title
    return f"{TITLE}{title[:1].lower()}{title[1:]}"


def origin_in_short(origin: Mapping[str, Any] | None) -> list[str]:
    """The same in a line or two, for a terminal."""
    if origin is None:
        return []
    notes = [SYNTHETIC] if origin["synthetic"] else []
    n = len(origin["warnings"]) + len(origin["empty_groups"])
    if n:
        plural = "warning" if n == 1 else "warnings"
        notes.append(
            f"The cohort was extracted with {n:,} {plural} about its vocabulary and groups, which "
            "a report lists."
        )
    return notes


def origin_notes(
    origin: Mapping[str, Any] | None,
    recalibrated: Mapping[str, Any] | None = None,
    federation: Mapping[str, Any] | None = None,
    rounding: Rounding | None = None,
) -> list[str]:
    """Notes on where a model was learnt that readers need first.

    Under a minimum cell nothing is said of groups that nobody has, which would reveal a count, nor
    how many cases a recalibration is made of, nor how many people a site has.
    """
    notes = []
    if recalibrated is not None:
        none = {} if rounding is None else {"old_label_counts": None, "new_label_counts": None}
        notes.append(recalibration_sentence({**recalibrated, **none}))
    if federation is not None:
        shown = federation if rounding is None else rounded_federation(federation, rounding)
        notes += federation_sentences(shown, recalibrated is not None)
    if origin is None:
        return notes
    notes += [SYNTHETIC] if origin["synthetic"] else []
    return [*notes, *origin["warnings"], *([] if rounding else origin["empty_groups"])]


def recalibration_sentence(recalibrated: Mapping[str, Any]) -> str:
    """A sentence on recalibration, without counts under a minimum cell."""
    share = f"{recalibrated['discount']:.3g}"
    old, new = recalibrated["old_label_counts"], recalibrated["new_label_counts"]
    if old is None or new is None:
        return f"Recalibrated: new cases added to the earlier ones, each of which counts {share}."
    return (
        f"Recalibrated: {_total(new):,.10g} new cases added to {_total(old):,.10g} earlier "
        f"ones, each of which counts {share}."
    )


def _total(label_counts: Iterable[Iterable[float]]) -> float:
    return float(sum(sum(row) for row in label_counts))
