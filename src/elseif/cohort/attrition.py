"""How a cohort comes about: who is left after each step, and what the database lacks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.cohort.definition import OLDEST, CohortDefinition

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 92  # of lines for people
# of a persons' query, in the order in which they are passed
STEPS = ("in_person", "of_age", "observed", "observed_before", "observed_after", "new")


def step_names(definition: CohortDefinition) -> list[str]:
    """What is asked of a person, one step after another; the first is to have the condition."""
    names = [
        f"have a record of {definition.index.name}, the first of which is the index date",
        "are in the table person",
        f"have a year of birth that makes them 0 to {OLDEST} years old",
        "were observed on the index date",
        f"were observed for {definition.observation_before:,} days before it",
        f"were observed for {definition.observation_after:,} days after it",
    ]
    if definition.outcome_must_be_new:
        names.append(f"had no record of {definition.outcome.name} on or before it")
    return names


def passed(rows: Mapping[str, np.ndarray], n_steps: int) -> tuple[np.ndarray, list[int]]:
    """Who passes every step, and how many are left after each."""
    left = np.ones(len(rows["person_id"]), dtype=bool)
    counts = [int(left.sum())]
    for step in STEPS[: n_steps - 1]:
        left = left & (rows[step] == 1)
        counts.append(int(left.sum()))
    return left, counts


def attrition_table(definition: CohortDefinition, counts: Sequence[int]) -> pd.DataFrame:
    """The steps as a data frame: who is left, and how many have gone."""
    import pandas as pd

    left = np.asarray(counts, dtype=np.int64)
    removed = np.concatenate([[0], left[:-1] - left[1:]]).astype(np.int64)
    return pd.DataFrame({"step": step_names(definition), "persons": left, "removed": removed})


def attrition_text(table: Any) -> str:
    """The steps as lines for people: who is left, who has gone, and what was asked."""
    width = max(len(f"{n:,}") for n in (*table["persons"], *table["removed"])) + 1
    lines = []
    for step, persons, removed in table.itertuples(index=False):
        start = f"{persons:>{width},} {f'(-{removed:,})' if removed else '':>{width + 3}}  "
        lines.append(
            textwrap.fill(
                step,
                WIDTH,
                initial_indent=start,
                subsequent_indent=" " * (len(start) + 2),
                break_long_words=False,
            )
        )
    return "\n".join(lines)


def database_holes(answers: Mapping[str, Mapping[str, int]]) -> list[tuple[str, int, int]]:
    """What is wrong with the whole database: what, records, persons."""
    wanted = [
        ("observation_period", "without_person", "observation periods of nobody in person"),
        ("observation_period", "without_date", "observation periods without a begin or an end"),
        ("observation_period", "reversed", "observation periods that end before they begin"),
        ("condition", "without_person", "conditions of nobody in person"),
        ("condition", "without_concept", "conditions without a concept (none, or 0)"),
        ("condition", "without_date", "conditions without a start date"),
        ("drug", "without_person", "drugs of nobody in person"),
        ("drug", "without_concept", "drugs without a concept (none, or 0)"),
        ("drug", "without_date", "drugs without a start date"),
        ("person", "without_birth", "persons without a year of birth"),
        ("person", "unborn", "persons born after the last year in which they were observed"),
    ]
    return [
        (text, answers[table][f"{key}_records"], answers[table][f"{key}_persons"])
        for table, key, text in wanted
        if table in answers
    ]


def holes_table(holes: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """Holes as a data frame."""
    import pandas as pd

    table = pd.DataFrame([list(hole) for hole in holes], columns=["what", "records", "persons"])
    return table.astype({"records": np.int64, "persons": np.int64})


def holes_text(table: Any) -> str:
    """The holes that there are, as lines for people."""
    lines = [
        f"  {what}: {_counted(records, 'record')} {_owners(persons)}"
        for what, records, persons in table.itertuples(index=False)
        if records
    ]
    return "\n".join(lines) or "  none"


def extraction_text(attrition: Any, holes: Any) -> str:
    """How a cohort came about, and what the database lacks: what every program prints."""
    return (
        f"Persons who\n{attrition_text(attrition)}\n\n"
        f"Noticed in the records (holes are left out):\n{holes_text(holes)}"
    )


def _owners(n_persons: int) -> str:
    """Whose records they are; where nobody is counted, none of them has an id of a person."""
    return f"of {_counted(n_persons, 'person')}" if n_persons else "without a person_id"


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
