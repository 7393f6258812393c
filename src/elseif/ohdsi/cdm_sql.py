"""A rule list as SQL over the common data model: from records of persons to their risks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elseif.cohort.definition_file import definition_from
from elseif.errors import ExportError
from elseif.export.dialect_names import check_dialect
from elseif.export.plain import plain_list
from elseif.export.sql import to_sql
from elseif.fitted_model import FittedModel, as_model

if TYPE_CHECKING:
    from elseif.cohort.definition import CohortDefinition

PATIENTS = "elseif_patients"  # the name of the common table expression
ENGINES = {"duckdb": "duckdb", "postgres": "postgresql", "spark": "spark"}
OF_PERSONS = ("age", "sex")
DOMAINS = ("condition", "drug")


def to_cdm_sql(
    model: Any,
    which: str | None = None,
    dialect: str = "duckdb",
    schema: str | None = None,
    index_table: str | None = None,
) -> str:
    """Write a SELECT over the tables of a common data model that computes the risk of each person.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        A model that was learnt from a cohort, whose definition and concept ids it keeps.
    which : {"point", "map", "projected"}, default=None
        The list; None for the one that predicts.
    dialect : {"duckdb", "postgres", "spark"}, default="duckdb"
        The database.
    schema : str, default=None
        Schema of the tables person, observation_period, condition_occurrence, drug_exposure and
        concept_ancestor.
    index_table : str, default=None
        A table with the columns person_id and index_date, whose persons are scored. Without it, the
        persons with the index condition of the model's definition who had been observed for long
        enough before their first record of it, regardless of what follows.

    Returns
    -------
    str
        The statement. Its result has a row for each person and index date: person_id, index_date,
        the values that the list uses, the rule that applies, and the probability of each label.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.cohort import connect, extract
    >>> from elseif.datasets import make_stroke_cdm
    >>> from elseif.ohdsi import to_cdm_sql
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     cohort = extract(database, "stroke")
    >>> clf = BayesianRuleListClassifier(kernel="exact", max_cardinality=1, min_support=0.3)
    >>> sql = to_cdm_sql(clf.fit(cohort.table(), cohort.labels()), schema="cdm")
    >>> "condition_occurrence" in sql
    True
    """
    fitted = as_model(model)
    if fitted.cohort is None:
        raise ExportError(
            "The model was not learnt from a cohort: it knows neither concept ids nor an index "
            "date. Export it as sql, over a table with its columns."
        )
    check_dialect(dialect, ENGINES)
    from elseif.cohort.cdm_layout import standard_layout
    from elseif.cohort.scoring_queries import ScoringQueries

    used = list(plain_list(fitted, which).sorts)
    concepts = _concepts(fitted, used)
    definition = definition_from(fitted.cohort["definition"], "The model")
    check_definition(definition, index_table)
    columns = {name: _column(concepts[name]) for name in used if name in concepts}
    wanted = {columns[name]: concepts[name] for name in columns}
    asked = ScoringQueries(ENGINES[dialect], standard_layout(schema)).scored_people(
        definition, wanted, index_table
    )
    listed = to_sql(fitted, which, dialect, PATIENTS, columns)
    comments = [line for line in listed.splitlines() if line.startswith("--")]
    select = "\n".join(line for line in listed.splitlines() if not line.startswith("--"))
    inner = "\n".join(f"  {line}" for line in asked.sql.splitlines())
    meanings = [f"-- {column}: {_comment(name)}" for name, column in columns.items()]
    return "\n".join([*comments, *meanings, f"WITH {PATIENTS} AS (", inner, ")", select, ""])


def _concepts(model: FittedModel, used: list[str]) -> dict[str, tuple[str, int]]:
    """Domain and id of the concept of each column that the list uses."""
    assert model.cohort is not None
    known = {c["column"]: (c["domain"], int(c["concept_id"])) for c in model.cohort["concepts"]}
    check_recorded_ever(model, used)
    unknown = [name for name in used if name not in known and name not in OF_PERSONS]
    if unknown:
        raise ExportError(
            f"The column {unknown[0]!r:.100} has no concept id: it cannot be found in a database."
        )
    return {name: known[name] for name in used if name in known}


def check_definition(definition: CohortDefinition, index_table: str | None) -> None:
    """Refuse criteria that the statement does not ask for; a table of index dates needs none."""
    has_criteria = definition.criteria.as_dict() or definition.first_after_days is not None
    if index_table is None and has_criteria:
        raise ExportError(
            "The model's cohort has inclusion criteria or first_after_days, which this export does "
            "not ask for; SQL over the common data model takes a table of persons and index dates "
            "(index_table)."
        )


def check_recorded_ever(model: FittedModel, used: list[str]) -> None:
    """Refuse columns that are more than whether a concept was ever recorded before."""
    assert model.cohort is not None
    for concept in model.cohort["concepts"]:
        is_plain = concept.get("feature", "any") == "any" and concept["domain"] in DOMAINS
        if concept["column"] in used and not is_plain:
            raise ExportError(
                f"The column {concept['column']!r:.100} is a feature of another domain, or with a "
                "window, a roll-up, a count or a value; this export knows only whether a condition "
                "or drug was ever recorded before the index date. Extract the cohort, and use "
                "elseif predict."
            )


def _column(concept: tuple[str, int]) -> str:
    domain, concept_id = concept
    return f"{domain}_{concept_id}"


def _comment(name: str) -> str:
    """A column's name in a comment: one line, of what can be printed."""
    return "".join(c if c.isprintable() else " " for c in name)
