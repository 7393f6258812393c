"""How an extraction is told: who is left after each step, and what the records lack."""

from __future__ import annotations

import pandas as pd

from elseif.cohort.attrition import extraction_text, quality_table

STEPS = pd.DataFrame(
    {
        "step": [
            "have a record of atrial fibrillation or of another arrhythmia with a long name, the "
            "first of which is the index date",
            "were observed for 365 days after it",
        ],
        "persons": [16_586, 400],
        "removed": [0, 16_186],
        "lost_outcomes": [0, 1_027],
    }
)
ISSUES = [
    ("conditions without a start date", 1, 1),
    ("drugs of nobody in person", 2, 0),
    ("drugs without a concept (none, or 0)", 6_596, 5_366),
    ("persons without a year of birth", 0, 0),
]
TEXT = """\
Persons who
 16,586             have a record of atrial fibrillation or of another arrhythmia with a
                      long name, the first of which is the index date
    400  (-16,186)  were observed for 365 days after it; 1,027 of those removed had the
                      outcome before they left

Data-quality issues (such records are left out):
  conditions without a start date: 1 record of 1 person
  drugs of nobody in person: 2 records without a person_id
  drugs without a concept (none, or 0): 6,596 records of 5,366 persons"""


def test_the_text() -> None:
    """Long steps go on in the next line; what is not lacking is not told."""
    assert extraction_text(STEPS, quality_table(ISSUES)) == TEXT


def test_nothing_is_lacking() -> None:
    assert extraction_text(STEPS, quality_table(ISSUES[-1:])).endswith("left out):\n  none")


def test_warnings_come_last() -> None:
    text = extraction_text(STEPS, quality_table(ISSUES[-1:]), ["diabetes: recorded of nobody."])
    assert text.endswith("none\n\nWarnings:\n  diabetes: recorded of nobody.")
