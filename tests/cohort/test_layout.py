"""Tables and columns as a database spells them, and names of columns that are made of concepts."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.cohort.cdm_layout import CDM, find_layout, standard_layout
from elseif.cohort.feature import Feature
from elseif.cohort.table_catalogue import (
    CatalogueColumn,
    different_names,
    make_catalogue,
    plain_name,
)
from elseif.errors import DatabaseError

COMPLETE = [
    (
        table,
        column,
        {"int64": "integer", "date": "date", "string": "varchar", "float64": "double"}[kind],
    )
    for table, columns in CDM.items()
    for column, kind in columns.items()
]


def test_the_standard() -> None:
    """A database that is made as the model says, with columns that are not asked for."""
    layout = find_layout([*COMPLETE, ("person", "race_concept_id", "uuid")], "cdm", list(CDM), "It")
    assert layout == standard_layout("cdm")


def test_capitals() -> None:
    """Names in capitals are found; where both are there, small letters win."""
    capitals = [(table.upper(), column.upper(), kind) for table, column, kind in COMPLETE]
    layout = find_layout(capitals, None, list(CDM), "It")
    assert layout.tables["person"][0] == "PERSON"
    assert layout.tables["person"][1]["person_id"] == ("PERSON_ID", "int64")
    both = find_layout([*capitals, *COMPLETE], None, list(CDM), "It")
    assert both == standard_layout(None)


def test_all_that_is_missing_is_named() -> None:
    """Tables and columns, in one sentence."""
    some = [row for row in COMPLETE if row[0] != "concept_ancestor" and row[1] != "drug_concept_id"]
    with pytest.raises(DatabaseError) as caught:
        find_layout(some, "cdm", list(CDM), "The database")
    assert str(caught.value).startswith(
        "The database, schema cdm, lacks concept_ancestor, drug_exposure.drug_concept_id, "
    )


@pytest.mark.parametrize(
    ("table", "column", "kind", "fits"),
    [
        ("person", "person_id", "numeric", True),
        ("person", "person_id", "bigint", True),
        ("person", "person_id", "decimal(38,0)", True),
        ("person", "person_id", "DOUBLE", True),
        ("person", "person_id", "character varying", False),
        ("person", "person_id", "boolean", False),
        ("drug_exposure", "drug_exposure_start_date", "timestamp without time zone", True),
        ("drug_exposure", "drug_exposure_start_date", "TIMESTAMP WITH TIME ZONE", True),
        ("drug_exposure", "drug_exposure_start_date", "text", True),
        ("drug_exposure", "drug_exposure_start_date", "integer", False),
        ("concept", "concept_name", "character varying", True),
        ("concept", "concept_name", "integer", False),
    ],
)
def test_types(table: str, column: str, kind: str, fits: bool) -> None:
    """Ids are numbers, dates are dates, times or texts; anything else is named."""
    changed = [(t, c, kind if (t, c) == (table, column) else k) for t, c, k in COMPLETE]
    if fits:
        find_layout(changed, None, list(CDM), "It")
    else:
        with pytest.raises(DatabaseError, match=rf"{table}\.{column} is {kind}"):
            find_layout(changed, None, list(CDM), "It")


def test_names_that_are_the_same() -> None:
    """The id is added where two names are one, the domain where even that does not help."""
    known = {1: "Cold", 2: "Cold", 4: "age", 5: "Once", 6: "Twice"}
    columns = [CatalogueColumn(Feature("condition"), i) for i in range(1, 7)]
    names = different_names([*columns, CatalogueColumn(Feature("drug"), 6)], known)
    assert names == [
        "Cold (concept 1)",
        "Cold (concept 2)",
        "concept 3",
        "age (concept 4)",
        "Once",
        "Twice (concept 6, condition)",
        "Twice (concept 6, drug)",
    ]


def test_names_that_steer_a_terminal() -> None:
    """What cannot be printed is left out of a name, and a name has an end."""
    assert plain_name("\x1b[31mred\x07 \u202eline\nbreak\u2028\x9bend") == "[31mred line break end"
    assert plain_name("β-blocker, 5 % <b>") == "β-blocker, 5 % <b>"
    assert plain_name("\x1b\u200b") == plain_name(None) == ""
    assert plain_name("x" * 255) == "x" * 255
    assert plain_name("x" * 256) == "x" * 254 + "…"


def test_covariate_ids() -> None:
    """Concept x 1000 + the analysis of OHDSI's FeatureExtraction: 101 and 301."""
    columns = [CatalogueColumn(Feature("condition"), i) for i in (316139, 40479192)]
    columns.append(CatalogueColumn(Feature("drug"), 1112807))
    catalogue = make_catalogue(columns, {1112807: "Aspirin", 316139: "Heart failure"})
    assert catalogue["covariate_id"].tolist() == [316139101, 40479192101, 1112807301]
    assert catalogue["name"].tolist() == ["Heart failure", "concept 40479192", "Aspirin"]
    assert catalogue["domain"].tolist() == ["condition", "condition", "drug"]
    assert catalogue["covariate_id"].dtype == np.int64
