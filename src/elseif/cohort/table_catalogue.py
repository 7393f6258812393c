"""The columns of a cohort: their names, and their covariate ids in OHDSI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from elseif.cohort.feature import GROUPS, Feature
from elseif.phrases import clipped

if TYPE_CHECKING:
    import pandas as pd

    from elseif.cohort.concepts import ConceptSet

RESERVED = ("age", "sex")
LONGEST_NAME = 255  # concept_name is varchar(255)
COLUMNS = ("name", "concept_id", "domain", "covariate_id", "feature")


@dataclass(frozen=True)
class CatalogueColumn:
    """A column before it has a name."""

    feature: Feature
    concept_id: int = 0
    unit: int = 0
    at_least: int = 1
    group: str = ""

    @property
    def key(self) -> str:
        """What distinguishes it from other columns of its concept and domain."""
        key = self.feature.key(self.at_least)
        return key.replace(GROUPS, f"group {self.group}", 1) if self.group else key


def columns_of_feature(
    feature: Feature,
    seen: Mapping[int, Sequence[tuple[int, int]]],
    groups: Mapping[str, ConceptSet],
) -> list[CatalogueColumn]:
    """The columns of a feature, by threshold and then by concept; those of groups in their order.

    ``seen`` has, for each threshold, the concepts and units that any member has.
    """
    if feature.is_of_domain:
        return [CatalogueColumn(feature)]
    if feature.rollup == GROUPS:
        return [
            CatalogueColumn(feature, _only_concept(group), 0, n, name)
            for n in feature.at_least
            for name, group in groups.items()
        ]
    return [
        CatalogueColumn(feature, concept, unit, n)
        for n in feature.at_least
        for concept, unit in seen[n]
    ]


def make_catalogue(columns: Sequence[CatalogueColumn], names: Mapping[int, str]) -> pd.DataFrame:
    """One row for each column, in the order of features and, within each, of concepts."""
    import pandas as pd

    return pd.DataFrame(
        {
            "name": different_names(columns, names),
            "concept_id": pd.array([c.concept_id for c in columns], dtype="int64"),
            "domain": [c.feature.domain for c in columns],
            "covariate_id": pd.array(
                [c.feature.covariate_id(c.concept_id, c.unit, c.at_least) for c in columns],
                dtype="int64",
            ),
            "feature": [c.key for c in columns],
            "unit_concept_id": pd.array([c.unit for c in columns], dtype="int64"),
            "is_number": pd.array([c.feature.is_number for c in columns], dtype="bool"),
        }
    )


def as_now(catalogue: pd.DataFrame) -> pd.DataFrame:
    """A catalogue of this release from one that was written when all columns were plain."""
    if "feature" in catalogue.columns:
        return catalogue
    return catalogue.assign(feature="any", unit_concept_id=0, is_number=False)


def plain_name(name: str | None) -> str:
    """A name in one line of what can be printed, no longer than the common data model allows.

    Names end up on terminals, in pages and in pictures; signs that steer a terminal or turn the
    direction of writing are no part of them.
    """
    shown = "".join(c if c.isprintable() else " " for c in name or "")
    line = " ".join(shown.split())
    return clipped(line, LONGEST_NAME)


def different_names(columns: Sequence[CatalogueColumn], names: Mapping[int, str]) -> list[str]:
    """Unique names: duplicates get the concept's id added."""

    def named(column: CatalogueColumn, add: str) -> str:
        feature = column.feature
        if feature.is_of_domain:
            return f"{feature.domain_name}{feature.suffix().partition(')')[2] or feature.suffix()}"
        unit = ""
        if column.unit:
            unit = f" ({names.get(column.unit) or f'unit {column.unit}'})"
        name = column.group.replace("_", " ") or names.get(column.concept_id, "")
        if not add:
            base = name or f"concept {column.concept_id}"
        else:
            concept = add.format(i=column.concept_id, domain=feature.domain)
            base = f"{name or 'unnamed'} ({concept})"
        return f"{base}{unit}{feature.suffix(column.at_least)}"

    unique = [named(column, "") for column in columns]
    for add in ("concept {i}", "concept {i}, {domain}"):
        counts = Counter([*unique, *RESERVED])
        unique = [
            named(columns[k], add) if counts[name] > 1 else name for k, name in enumerate(unique)
        ]
    return unique


def _only_concept(group: ConceptSet) -> int:
    """The concept that a group is all of, with what lies beneath; 0 if it is more or less."""
    is_one = len(group.include) == 1 and not group.exclude and group.include[0].descendants
    return group.include[0].id if is_one else 0
