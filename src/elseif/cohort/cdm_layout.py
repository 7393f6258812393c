"""The tables of the common data model, and how a database spells them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from elseif.errors import DatabaseError

SOURCE = "cdm_source"  # the database's name; it may be absent
# tables of the common data model 5.3 and 5.4, and of each what is read
CDM: Mapping[str, Mapping[str, str]] = {
    "person": {"person_id": "int64", "gender_concept_id": "int64", "year_of_birth": "int64"},
    "observation_period": {
        "person_id": "int64",
        "observation_period_start_date": "date",
        "observation_period_end_date": "date",
    },
    "condition_occurrence": {
        "person_id": "int64",
        "condition_concept_id": "int64",
        "condition_start_date": "date",
    },
    "drug_exposure": {
        "person_id": "int64",
        "drug_concept_id": "int64",
        "drug_exposure_start_date": "date",
    },
    "device_exposure": {
        "person_id": "int64",
        "device_concept_id": "int64",
        "device_exposure_start_date": "date",
    },
    "measurement": {
        "person_id": "int64",
        "measurement_concept_id": "int64",
        "measurement_date": "date",
        "value_as_number": "float64",
        "unit_concept_id": "int64",
    },
    "observation": {
        "person_id": "int64",
        "observation_concept_id": "int64",
        "observation_date": "date",
        "value_as_number": "float64",
        "unit_concept_id": "int64",
    },
    "procedure_occurrence": {
        "person_id": "int64",
        "procedure_concept_id": "int64",
        "procedure_date": "date",
    },
    "visit_occurrence": {
        "person_id": "int64",
        "visit_concept_id": "int64",
        "visit_start_date": "date",
    },
    "cohort": {
        "subject_id": "int64",
        "cohort_definition_id": "int64",
        "cohort_start_date": "date",
    },
    "concept": {
        "concept_id": "int64",
        "concept_name": "string",
        "concept_class_id": "string",
        "standard_concept": "string",
    },
    "concept_ancestor": {
        "ancestor_concept_id": "int64",
        "descendant_concept_id": "int64",
        "min_levels_of_separation": "int64",
    },
    SOURCE: {"cdm_source_name": "string", "cdm_source_abbreviation": "string"},
}
OPTIONAL = (f"{SOURCE}.cdm_source_abbreviation",)
# columns that only some definitions need, and that are not looked for otherwise
CLASSES = ("concept.concept_class_id", "concept.standard_concept")
LEVELS = ("concept_ancestor.min_levels_of_separation",)
NUMBERS = {
    domain: (f"{domain}.value_as_number", f"{domain}.unit_concept_id")
    for domain in ("measurement", "observation")
}
ON_DEMAND = frozenset((*CLASSES, *LEVELS, *NUMBERS["measurement"], *NUMBERS["observation"]))
EVENTS = {
    "condition": "condition_occurrence",
    "device": "device_exposure",
    "drug": "drug_exposure",
    "measurement": "measurement",
    "observation": "observation",
    "procedure": "procedure_occurrence",
    "visit": "visit_occurrence",
}
VOCABULARY = ("concept", "concept_ancestor")  # may be in a separate schema
RESULTS = ("cohort",)  # may be, too: where ATLAS and WebAPI write
# how the three databases call the types that are read, and what they are called here
_TYPES = {
    "int64": "tinyint smallint integer int bigint hugeint utinyint usmallint uinteger ubigint",
    "float64": "real float double",
    "decimal(38, 0)": "decimal numeric",
    "date": "date",
    "timestamp": "timestamp timestamp_s timestamp_ms timestamp_ns timestamp_ntz",
    "string": "varchar character text string char name",
}
TYPES = {name: kind for kind, names in _TYPES.items() for name in names.split()}
FITTING = {
    "int64": ("int64", "float64", "decimal(38, 0)"),
    "date": ("date", "timestamp", "string"),
    "string": ("string",),
    "float64": ("float64", "int64", "decimal(38, 0)"),
}


@dataclass(frozen=True)
class Layout:
    """How the tables of a database are spelt, and of which types their columns are."""

    schema: str | None
    tables: Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]]
    catalogue: str | None = None  # of the schema, if the schema's name is ambiguous
    elsewhere: Mapping[str, Layout] = field(default_factory=dict)  # tables of other schemas

    def of(self, table: str) -> Layout:
        """The layout of the schema that a table is in."""
        return self.elsewhere.get(table, self)


def standard_layout(schema: str | None, more: Collection[str] = ()) -> Layout:
    """The layout of a database that is made as the common data model says."""
    return Layout(
        schema,
        {t: (t, {c: (c, CDM[t][c]) for c in wanted_columns(t, more)}) for t in CDM},
    )


def wanted_columns(table: str, more: Collection[str]) -> list[str]:
    """The columns of a table that are read: the usual ones, and those asked for."""
    on_demand = ON_DEMAND.difference(more)
    return [column for column in CDM[table] if f"{table}.{column}" not in on_demand]


def find_layout(
    available: Iterable[tuple[str, str, str]],
    schema: str | None,
    tables: Collection[str],
    label: str,
    more: Collection[str] = (),
) -> Layout:
    """Find tables and columns among all; DatabaseError that names everything missing at once."""
    types: dict[str, dict[str, str]] = {}
    for table, column, kind in available:
        types.setdefault(table, {})[column] = kind
    names = _spelt(types, tables)
    missing = [table for table in tables if table not in names]
    wrong, spelt = [], {}
    for table, name in names.items():
        wanted = wanted_columns(table, more)
        columns = _spelt(types[name], wanted)
        lacking = [f"{table}.{column}" for column in wanted if column not in columns]
        missing += [name for name in lacking if name not in OPTIONAL]
        known = {column: _known_type(types[name][actual]) for column, actual in columns.items()}
        wrong += [
            f"{table}.{column} is {types[name][columns[column]]}"
            for column, kind in known.items()
            if kind not in FITTING[CDM[table][column]]
        ]
        spelt[table] = (name, {c: (actual, known[c]) for c, actual in columns.items()})
    database = f"{label}{'' if schema is None else f', schema {schema},'}"
    if missing:
        raise DatabaseError(
            f"{database} lacks {', '.join(missing)}, or its user may not read it. The tables must "
            "be those of the OMOP common data model, 5.3 or 5.4; is the schema the right one?"
        )
    if wrong:
        raise DatabaseError(
            f"{database} has columns of types that cannot be read: {', '.join(wrong)}. Ids must be "
            "whole numbers, and dates be dates."
        )
    return Layout(schema, spelt)


def _known_type(name: str) -> str:
    """A database's type in our terms: without length, precision and time zone."""
    first = name.lower().split("(")[0].split()
    return TYPES.get(first[0], name) if first else name


def _spelt(names: Iterable[str], wanted: Collection[str]) -> dict[str, str]:
    """Wanted names as they are spelt, in small letters or not."""
    by_lower: dict[str, str] = {}
    for name in sorted(names):  # capitals sort first, so that small letters win
        by_lower[name.lower()] = name
    return {name: by_lower[name] for name in wanted if name in by_lower}
