"""Attrition: who is left after each step, and data-quality issues of the database."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.cohort.concepts import EVENT_DOMAINS, ExistingCohort
from elseif.cohort.definition import OLDEST, CohortDefinition

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 92  # of lines for people
# of a persons' query, in the order in which they are passed
STEPS = ("in_person", "of_age", "observed", "observed_before", "observed_after")
NEW = "new"
LEAVING = STEPS.index("observed_after") + 1  # the step that those who leave early do not pass


def step_names(definition: CohortDefinition) -> list[str]:
    """The criteria for a person, step by step; the first is to have the condition."""
    names = [
        _first_step(definition),
        "are in the table person",
        f"have a year of birth that makes them 0 to {OLDEST} years old",
        "were observed on the index date",
        f"were observed for {definition.observation_before:,} days before it",
        f"were observed for {definition.observation_after:,} days after it",
    ]
    if definition.include_all_outcomes:
        names[LEAVING] += f", or had {definition.outcome.name} while they were observed"
    names += definition.criteria.steps.values()
    if definition.outcome_must_be_new:
        names.append(f"had no record of {definition.outcome.name} on or before it")
    return names


def _first_step(definition: CohortDefinition) -> str:
    """What the index date is."""
    is_cohort = isinstance(definition.index, ExistingCohort)
    what = f"are in the cohort {definition.index.name}" if is_cohort else ""
    what = what or f"have a record of {definition.index.name}"
    days = definition.first_after_days
    if days is not None:
        after = f"{_counted(days, 'day')} or more after" if days else "after"
        return f"{what} {after} the start of an observation, the first of which is the index date"
    entry = "first entry" if is_cohort else "first"
    return f"{what}, the {entry} of which is the index date"


def steps_of(definition: CohortDefinition) -> tuple[str, ...]:
    """The steps after the first, as a persons' query calls them."""
    new = (NEW,) if definition.outcome_must_be_new else ()
    return (*STEPS, *definition.criteria.steps, *new)


def passed(rows: Mapping[str, np.ndarray], steps: Sequence[str]) -> tuple[np.ndarray, list[int]]:
    """Who passes every step, and how many are left after each."""
    left = np.ones(len(rows["person_id"]), dtype=bool)
    counts = [int(left.sum())]
    for step in steps:
        left = left & (rows[step] == 1)
        counts.append(int(left.sum()))
    return left, counts


def lost_outcomes(rows: Mapping[str, np.ndarray], steps: Sequence[str]) -> int:
    """How many would be members with the outcome, had they not left after it."""
    others = [rows[step] == 1 for step in steps if step != STEPS[LEAVING - 1]]
    left_early = (rows[STEPS[LEAVING - 1]] == 0) & (rows["outcome_before_leaving"] == 1)
    return int(np.logical_and.reduce([left_early, *others]).sum())


def attrition_table(
    definition: CohortDefinition, counts: Sequence[int], n_lost_outcomes: int
) -> pd.DataFrame:
    """The steps as a data frame: who is left, how many have gone, and with the outcome."""
    import pandas as pd

    left = np.asarray(counts, dtype=np.int64)
    removed = np.concatenate([[0], left[:-1] - left[1:]]).astype(np.int64)
    lost = np.zeros(len(left), dtype=np.int64)
    lost[LEAVING] = n_lost_outcomes
    return pd.DataFrame(
        {
            "step": step_names(definition),
            "persons": left,
            "removed": removed,
            "lost_outcomes": lost,
        }
    )


def attrition_text(table: Any) -> str:
    """The steps as readable lines: how many are left, how many were removed, and the criterion."""
    width = max(len(f"{n:,}") for n in (*table["persons"], *table["removed"])) + 1
    lines = []
    for step, persons, removed, lost in table.itertuples(index=False):
        start = f"{persons:>{width},} {f'(-{removed:,})' if removed else '':>{width + 3}}  "
        more = f"; {lost:,} of those removed had the outcome before they left" if lost else ""
        lines.append(
            textwrap.fill(
                f"{step}{more}",
                WIDTH,
                initial_indent=start,
                subsequent_indent=" " * (len(start) + 2),
                break_long_words=False,
            )
        )
    return "\n".join(lines)


def database_issues(answers: Mapping[str, Mapping[str, int]]) -> list[tuple[str, int, int]]:
    """What is wrong with the whole database: what, records, persons."""
    wanted = [
        ("observation_period", "without_person", "observation periods of nobody in person"),
        ("observation_period", "without_date", "observation periods without a begin or an end"),
        ("observation_period", "reversed", "observation periods that end before they begin"),
    ]
    for domain in EVENT_DOMAINS:
        wanted += [
            (domain, "without_person", f"{domain}s of nobody in person"),
            (domain, "without_concept", f"{domain}s without a concept (none, or 0)"),
            (domain, "without_date", f"{domain}s without a start date"),
        ]
    wanted += [
        ("person", "without_birth", "persons without a year of birth"),
        ("person", "unborn", "persons born after the last year in which they were observed"),
    ]
    return [
        (text, answers[table][f"{key}_records"], answers[table][f"{key}_persons"])
        for table, key, text in wanted
        if table in answers
    ]


def quality_table(issues: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Data-quality issues as a data frame."""
    import pandas as pd

    table = pd.DataFrame([list(issue) for issue in issues], columns=["what", "records", "persons"])
    return table.astype({"records": np.int64, "persons": np.int64})


def quality_text(table: Any) -> str:
    """Data-quality issues with at least one record, one per line."""
    lines = [
        f"  {what}: {_counted(records, 'record')} {_owners(persons)}"
        for what, records, persons in table.itertuples(index=False)
        if records
    ]
    return "\n".join(lines) or "  none"


def warnings_text(warnings: Sequence[str]) -> str:
    """What a reader must know before relying on any number of a cohort, as lines."""
    return "\n".join(
        textwrap.fill(
            text,
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for text in warnings
    )


def extraction_text(attrition: Any, issues: Any, warnings: Sequence[str] = ()) -> str:
    """Write how a cohort was selected, and which data-quality issues were found.

    Parameters
    ----------
    attrition : DataFrame
        ``Cohort.attrition``.
    issues : DataFrame
        ``Cohort.quality_issues``.
    warnings : sequence of str, default=()
        ``Cohort.warnings``.

    Returns
    -------
    str
        The text that ``elseif extract`` prints.

    Examples
    --------
    >>> from elseif.cohort import connect, extract, extraction_text
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     cohort = extract(database, "stroke")
    >>> print(extraction_text(cohort.attrition, cohort.quality_issues).splitlines()[0])
    Persons who
    """
    warned = f"\n\nWarnings:\n{warnings_text(warnings)}" if warnings else ""
    return (
        f"Persons who\n{attrition_text(attrition)}\n\n"
        f"Data-quality issues (such records are left out):\n{quality_text(issues)}{warned}"
    )


def _owners(n_persons: int) -> str:
    """Whose records they are; if no person is counted, no record has a person's id."""
    return f"of {_counted(n_persons, 'person')}" if n_persons else "without a person_id"


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
