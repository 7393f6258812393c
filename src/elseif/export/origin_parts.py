"""Parts of the model file about where the model was learnt: cohort, sites, recalibration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from elseif.export.document_part import Part
from elseif.export.field_types import LARGEST_WHOLE, Count, Many, Sha256, Share, Whole


class ConceptPart(Part):
    """The concept of a column, and where it was recorded."""

    column: str
    concept_id: Annotated[
        int, Field(ge=0, le=2**31 - 1, description="0 for a column of several concepts")
    ]
    domain: Literal[
        "condition", "device", "drug", "measurement", "observation", "procedure", "visit"
    ]
    feature: Annotated[
        str, Field(description="roll-up, value and window; any: as recorded, at any time before")
    ] = "any"
    unit_concept_id: Annotated[
        int, Field(ge=0, le=2**31 - 1, description="unit of last values; 0 for none")
    ] = 0
    covariate_id: Annotated[
        int, Field(ge=0, description="id in OHDSI's FeatureExtraction; 0 if it has none")
    ] = 0


class CohortPart(Part):
    """The cohort of an OMOP database that the model was learnt from."""

    synthetic: Annotated[bool, Field(description="whether a program made the patients up")]
    source_names: Annotated[Many[str], Field(description="what the database calls itself")]
    definition: Annotated[
        dict[str, JsonValue], Field(description="the cohort definition, as in a definition file")
    ]
    definition_sha256: Annotated[
        Sha256, Field(description="of the definition as JSON with sorted keys, no white space")
    ]
    warnings: Annotated[Many[str], Field(description="what the vocabulary lacked")]
    empty_groups: Annotated[
        Many[str], Field(description="groups that nobody had; none under a minimum cell")
    ]
    concepts: Annotated[Many[ConceptPart], Field(description="of columns that conditions name")]


class RecalibratedPart(Part):
    """A list that was learnt elsewhere, with the counts of another place on top of its own."""

    discount: Annotated[Share, Field(description="what an earlier case counts")]
    old_label_counts: list[list[Count]] | None  # of each line; None under a minimum cell
    new_label_counts: list[list[Count]] | None
    learnt: Annotated[str, Field(description="day and time of the earlier fit")]
    date: str


class SitePart(Part):
    """What a site shared, and whom its minimum cell withheld; numbers by label of the plan."""

    site: Annotated[str, Field(min_length=1)]
    min_cell: Annotated[int | None, Field(ge=2, le=LARGEST_WHOLE)]
    shared: Annotated[list[Whole] | None, Field(description="None under a minimum cell")]
    withheld: Annotated[
        list[Whole | None] | None,
        Field(
            description="None of a label: 1 to min_cell - 1; None: not told under a minimum cell"
        ),
    ]
    synthetic: Annotated[bool, Field(description="whether a program made its people up")] = False


class FederationPart(Part):
    """The plan and the sites whose counts the model was learnt from."""

    plan: str
    plan_sha256: Sha256
    labels: Annotated[Many[str], Field(min_length=2, description="of the plan, as text")]
    sites: Annotated[Many[SitePart], Field(min_length=1)]
    most_withheld: Annotated[
        Many[Whole], Field(description="by label, of all sites; rounded under a minimum cell")
    ]
