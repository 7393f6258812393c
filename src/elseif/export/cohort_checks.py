"""Whether what a model file says of its cohort fits together."""

from __future__ import annotations

import math

from elseif.errors import ModelFileError
from elseif.export.document import Document
from elseif.files.sealed import fingerprint


def check_recalibrated(document: Document) -> None:
    """Raise where the counts of a recalibrated list are not those that it was made from."""
    made = document.recalibrated
    if made is None:
        return
    if made.old_label_counts is None or made.new_label_counts is None:
        if document.training.rounding is None:
            raise ModelFileError("recalibrated: the counts that it was made from are missing.")
        return
    if document.training.rounding is not None:
        raise ModelFileError("recalibrated: counts are rounded, but others would reveal them.")
    held = [rule.label_counts for rule in document.rule_list]
    old, new = made.old_label_counts, made.new_label_counts
    if not (len(held) == len(old) == len(new)) or any(
        len(a) != len(c) or len(b) != len(c) for a, b, c in zip(old, new, held, strict=True)
    ):
        raise ModelFileError("recalibrated: there is not one row of counts for each line.")
    for rows in zip(old, new, held, strict=True):
        for before, after, total in zip(*rows, strict=True):
            if not math.isclose(made.discount * before + after, total, rel_tol=1e-9, abs_tol=1e-9):
                raise ModelFileError("recalibrated: the counts of a line do not add up.")


def check_cohort(document: Document) -> None:
    """Raise where the definition is another than its checksum says, or columns are odd."""
    cohort = document.cohort
    if cohort is None:
        return
    if fingerprint(cohort.definition) != cohort.definition_sha256:
        raise ModelFileError("cohort: the definition is not the one that its SHA-256 is of.")
    known = {column.name for column in document.table.columns}
    columns = [concept.column for concept in cohort.concepts]
    if not known.issuperset(columns) or len(set(columns)) < len(columns):
        raise ModelFileError("cohort: concepts are of columns that are not there, or occur twice.")
    told = {(c.concept_id, c.domain, c.feature, c.unit_concept_id) for c in cohort.concepts}
    if len(told) < len(columns):
        raise ModelFileError("cohort: two columns are of the same concept.")
    if document.training.rounding is not None and cohort.empty_groups:
        raise ModelFileError("cohort: counts are rounded, but empty groups would reveal them.")
