"""Consistency checks of what a model file says about its cohort or sites."""

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
    learnt = [rule.label_counts for rule in document.rule_list]
    old, new = made.old_label_counts, made.new_label_counts
    if not (len(learnt) == len(old) == len(new)) or any(
        len(a) != len(c) or len(b) != len(c) for a, b, c in zip(old, new, learnt, strict=True)
    ):
        raise ModelFileError("recalibrated: each line needs a row of counts.")
    for rows in zip(old, new, learnt, strict=True):
        for before, after, total in zip(*rows, strict=True):
            if not math.isclose(made.discount * before + after, total, rel_tol=1e-9, abs_tol=1e-9):
                raise ModelFileError("recalibrated: the counts of a line do not add up.")


def check_cohort(document: Document) -> None:
    """Raise if the definition does not match its checksum, or columns are inconsistent."""
    cohort = document.cohort
    if cohort is None:
        return
    if fingerprint(cohort.definition) != cohort.definition_sha256:
        raise ModelFileError("cohort: the definition is not the one that its SHA-256 is of.")
    known = {column.name for column in document.table.columns}
    columns = [concept.column for concept in cohort.concepts]
    if not known.issuperset(columns) or len(set(columns)) < len(columns):
        raise ModelFileError("cohort: concepts are of columns that do not exist, or occur twice.")
    distinct = {(c.concept_id, c.domain, c.feature, c.unit_concept_id) for c in cohort.concepts}
    if len(distinct) < len(columns):
        raise ModelFileError("cohort: two columns are of the same concept.")
    if document.training.rounding is not None and cohort.empty_groups:
        raise ModelFileError("cohort: counts are rounded, but empty groups would reveal them.")


def check_federation(document: Document) -> None:
    """Raise where the numbers of sites and labels do not fit, or would reveal small counts."""
    made = document.federation
    if made is None:
        return
    n_labels = len(made.labels)
    names = [site.site for site in made.sites]
    if len(set(names)) < len(names):
        raise ModelFileError("federation: two sites have the same name.")
    if len(set(made.labels)) < n_labels:
        raise ModelFileError("federation: the plan names a label twice.")
    if any(made.most_withheld) and all(site.min_cell is None for site in made.sites):
        raise ModelFileError("federation: a site without a minimum cell withholds nobody.")
    rows = [row for site in made.sites for row in (site.shared, site.withheld) if row is not None]
    if any(len(row) != n_labels for row in [*rows, made.most_withheld]):
        raise ModelFileError("federation: each label of the plan needs a count.")
    if document.training.rounding is not None:
        if rows:
            raise ModelFileError("federation: counts are rounded, but others would reveal them.")
        step = document.training.rounding.step
        if any(n % step for n in made.most_withheld):
            raise ModelFileError("federation: counts are rounded, but not those withheld.")
        return
    if len(rows) < 2 * len(made.sites):
        raise ModelFileError("federation: the numbers of people at a site are missing.")
    for site in made.sites:
        if site.min_cell is None and any(n != 0 for n in site.withheld or ()):
            raise ModelFileError("federation: a site without a minimum cell withholds nobody.")
        counts = [*(site.shared or ()), *(site.withheld or ())]
        if any(n is not None and 0 < n < (site.min_cell or 0) for n in counts):
            raise ModelFileError("federation: a site has a count below its minimum cell.")
    most = [
        sum(_most(site.withheld[i], site.min_cell) for site in made.sites if site.withheld)
        for i in range(n_labels)
    ]
    if most != list(made.most_withheld):
        raise ModelFileError("federation: the counts of withheld people do not add up.")
    if document.recalibrated is None:  # which has other people on top
        shared = [sum(n) for n in zip(*(site.shared or () for site in made.sites), strict=True)]
        by_label = [n for n in shared if n]  # the model has no label without observations
        if by_label != list(document.training.label_counts):
            raise ModelFileError(
                "federation: the counts of the sites do not add up to those of the model."
            )


def _most(withheld: int | None, min_cell: int | None) -> int:
    return (min_cell or 1) - 1 if withheld is None else withheld
