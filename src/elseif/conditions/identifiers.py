"""Columns that identify people rather than describe them: identifiers and free text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.hidden_numbers import DATES, hidden_in
from elseif.conditions.levels import level_counts
from elseif.tables.columns import Column, Kind
from elseif.tables.labels import Labels

IDENTIFIER, FREE_TEXT = "looks like an identifier", "looks like free text"
FEWEST_DISTINCT = 20  # a column of fewer different values is no identifier
COUNTS = re.compile(r" \([\d,]+ distinct values in [\d,]+ rows\)")
NEARLY_ALL = 0.9  # distinct values for each row: text that hardly ever repeats
NEARLY_ALL_NUMBERS = 0.95  # the same of whole numbers
PROSE = 0.5  # the same of sentences
WITH_EVIDENCE = 0.2  # the same where name or spelling says identifier: five visits of a patient
MOSTLY_PRESENT = 0.5  # of the rows have a number that is an identifier without being named so
MOST_LIKELY_CHANCE = 1e-3  # that numbers which are no identifier repeat as rarely as these do
FEWEST_FOR_A_SHAPE = 50  # rows that show how numbers are distributed
SHORTEST_RANDOM, SHORTEST_DOUBTFUL = 5, 6  # digits
KOLMOGOROV = 1.36  # the statistic times the square root of n, at the level of 5 %
ONCE_OVER = 1024  # rows that distinguish most measurements from identifiers
LONGEST_NAME = 80

# words in a column's name that mean one person or one row, in any combination
IDENTIFIES = {
    "id", "ids", "uid", "guid", "uuid", "pid", "mrn", "ssn", "nino", "identifier", "patientid",
    "personid", "subjectid", "participantid", "caseid", "studyid", "userid", "memberid", "recordid",
    "encounterid", "visitid", "rowid", "customerid", "name", "surname", "lastname", "firstname",
    "fullname",
}  # fmt: skip
# ... those that do so alone, or beside a word for "number": a patient's weight is none
PERSON = {
    "patient", "person", "subject", "participant", "respondent", "member", "passenger", "case",
    "record", "nhs", "passport", "insurance", "email", "phone", "accession",
}  # fmt: skip
NUMBER = {"number", "no", "nr", "num", "code", "key", "ref", ""}
# ... and those that say it is one of a group, or a measurement
OF_A_GROUP = {
    "hospital", "site", "center", "centre", "clinic", "ward", "unit", "provider", "doctor",
    "physician", "region", "country", "county", "state", "city", "zip", "postal", "area", "school",
    "store", "product", "item", "drug", "concept", "cluster", "group", "class", "category", "type",
    "status", "count", "age", "score",
}  # fmt: skip
SPELLINGS = (
    re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE),  # UUID
    re.compile(r"[0-9a-f]{16,}", re.IGNORECASE),  # a hash
    re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),  # an e-mail address
)


@dataclass(frozen=True)
class Suspicion:
    """What a column looks like, and whether that is certain enough to leave it out."""

    reason: str
    is_sure: bool = True


def suspicion(column: Column, labels: Labels) -> Suspicion | None:
    """Why a column seems to identify people, or None.

    Dates and booleans never do. Whole numbers are left out if they are unique by design; if they
    merely could be, the user is asked.
    """
    if column.kind in (Kind.CATEGORY, Kind.ORDERED):
        return _of_categories(column, labels)
    return _of_numbers(column, labels) if column.kind is Kind.NUMERIC else None


def without_counts(excluded: str) -> str:
    """Why a column is left out, without the numbers of its values and rows."""
    return COUNTS.sub("", excluded)


def is_personal(excluded: str | None) -> bool:
    """Whether a column was left out because it seems to identify people."""
    return excluded is not None and (IDENTIFIER in excluded or FREE_TEXT in excluded)


def keeping(name: str, kind: Kind) -> str:
    """The setting with which a column is used anyway."""
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
    return f"kinds={{{shown!r}: {kind.value!r}}} keeps it"


# ------------------------------------------------------------------------------ text


def _of_categories(column: Column, labels: Labels) -> Suspicion | None:
    n_known = column.n_rows - column.n_missing
    if len(column.categories) < FEWEST_DISTINCT or (
        labels.count_once and len(column.categories) < WITH_EVIDENCE * n_known
    ):
        return None  # before anything is counted
    counts = level_counts(column, labels)
    n_distinct, n = int(np.count_nonzero(counts)), float(counts.sum())
    if n_distinct < FEWEST_DISTINCT or n_distinct < WITH_EVIDENCE * n:
        return None
    values = [column.categories[i] for i in np.flatnonzero(counts)]
    if _are_measured(values):
        return None
    is_prose = _are_sentences(values)
    if n_distinct >= (PROSE if is_prose else NEARLY_ALL) * n:
        return _sure(FREE_TEXT if is_prose else IDENTIFIER, n_distinct, n)
    if speaks_of_a_person(column.name) or _are_codes(values):
        return _sure(IDENTIFIER, n_distinct, n)
    return None


def _sure(what: str, n_distinct: int, n: float) -> Suspicion:
    return Suspicion(f"{what} ({n_distinct:,} distinct values in {n:,.0f} rows)")


def _are_measured(values: Sequence[Any]) -> bool:
    """Whether texts are dates or fractions, about which there are other messages."""
    hidden = hidden_in(values)
    if hidden is None or hidden.what == DATES:
        return hidden is not None
    return any("." in value or "," in value for value in values if value not in hidden.odd)


def _are_sentences(values: Sequence[Any]) -> bool:
    """Whether most values are several words long."""
    long = [isinstance(v, str) and len(v) >= 20 and len(v.split()) >= 4 for v in values]
    return sum(long) > len(values) / 2


def _are_codes(values: Sequence[Any]) -> bool:
    """Whether all values are spelt as only identifiers are."""
    if not all(isinstance(value, str) for value in values):
        return False
    return any(all(spelt.fullmatch(v.strip()) for v in values) for spelt in SPELLINGS)


def speaks_of_a_person(name: str) -> bool:
    """Whether a column's name suggests that it identifies people or rows."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    parts = set(re.split(r"[\W_\d]+", words.lower()))
    if parts & OF_A_GROUP:
        return False
    return bool(parts & IDENTIFIES) or (bool(parts & PERSON) and parts <= PERSON | NUMBER)


# --------------------------------------------------------------------------- numbers


def _of_numbers(column: Column, labels: Labels) -> Suspicion | None:
    assert column.numbers is not None
    if not may_be_numbered(column.numbers[:ONCE_OVER]):
        return None
    used = ~np.isnan(column.numbers) & (labels.codes >= 0)
    numbers = column.numbers[used]
    is_named = speaks_of_a_person(column.name)
    distinct, repeats = _distinct(numbers, labels, used)
    n_known = labels.n_rows_of(used)
    n = float(n_known) if labels.count_once else _observations(labels, used)
    n_distinct = len(distinct)
    least = WITH_EVIDENCE if is_named else NEARLY_ALL_NUMBERS
    if n_distinct < FEWEST_DISTINCT or n_distinct < least * n or not _are_whole(distinct):
        return None
    if is_named:
        return _sure(IDENTIFIER, n_distinct, n)
    if n_known < MOSTLY_PRESENT * labels.n_rows_of(np.ones(column.n_rows, dtype=bool)):
        return None  # a number that differs in every row is present in every row
    if _are_unique_by_design(distinct, repeats) or _are_random(distinct):
        return _sure(IDENTIFIER, n_distinct, n)
    if _are_doubtful(distinct):
        return Suspicion(
            f"may be an identifier ({n_distinct:,} distinct whole numbers of the same length in "
            f"{n:,.0f} rows)",
            is_sure=False,
        )
    return None


def _distinct(
    numbers: np.ndarray, labels: Labels, used: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers, ascending, and how many rows have each."""
    if labels.repeats is None:
        return np.unique(numbers, return_counts=True)
    distinct, code = np.unique(numbers, return_inverse=True)
    repeats = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(repeats, code, labels.repeats[used])
    return distinct, repeats


def may_be_numbered(first: np.ndarray) -> bool:
    """A look at some rows, for those columns that need no second one."""
    known = first[~np.isnan(first)]
    if not _are_whole(known):
        return False
    return len(np.unique(known)) >= WITH_EVIDENCE * len(known)


def _are_whole(numbers: np.ndarray) -> bool:
    return bool(np.all(np.isfinite(numbers)) and not np.any(numbers % 1))


def _observations(labels: Labels, used: np.ndarray) -> float:
    """The number of observations in some rows; an integer weight repeats a row."""
    if not float(labels.unit).is_integer():
        return float(labels.n_rows_of(used))
    return float(labels.weights[used].sum()) * labels.unit


def _are_unique_by_design(distinct: np.ndarray, repeats: np.ndarray) -> bool:
    """Whether values repeat more rarely than chance would have it.

    Independent values of a range repeat least often where all are equally likely; the number
    of pairs that are alike is then nearly Poisson. A measurement repeats more often.
    """
    n = float(repeats.sum())
    expected = n * (n - 1) / 2 / (float(distinct[-1]) - float(distinct[0]) + 1)
    pairs = int((repeats * (repeats - 1) // 2).sum())
    if pairs >= expected:
        return False
    log_terms = [k * math.log(expected) - expected - math.lgamma(k + 1) for k in range(pairs + 1)]
    largest = max(log_terms)
    log_chance = largest + math.log(sum(math.exp(term - largest) for term in log_terms))
    return log_chance < math.log(MOST_LIKELY_CHANCE)


def _are_random(distinct: np.ndarray) -> bool:
    """Whether values fill a whole number of digits evenly, as drawn numbers do."""
    n, digits = len(distinct), len(str(int(distinct[-1])))
    if n < FEWEST_FOR_A_SHAPE or distinct[0] < 0 or digits < SHORTEST_RANDOM:
        return False
    if not _end_evenly(distinct):
        return False
    high = 10.0**digits
    return any(
        _is_uniform((distinct - low) / (high - low))
        for low in (high / 10, 0.0)
        if distinct[0] >= low
    )


def _is_uniform(shares: np.ndarray) -> bool:
    """Kolmogorov's test of sorted shares of a range."""
    steps = np.arange(len(shares) + 1) / len(shares)
    distance = max(np.max(steps[1:] - shares), np.max(shares - steps[:-1]))
    return bool(distance * math.sqrt(len(shares)) < KOLMOGOROV)


def _end_evenly(distinct: np.ndarray) -> bool:
    """Whether no last digit is preferred, unlike in rounded values."""
    counts = np.bincount((distinct % 10).astype(np.int64), minlength=10)
    expected = len(distinct) / 10
    return bool(((counts - expected) ** 2 / expected).sum() < 27.9)  # chi-square of 9, 0.1 %


def _are_doubtful(distinct: np.ndarray) -> bool:
    """Whether values are long, all of the same length, and not rounded."""
    low, high = len(str(int(distinct[0]))), len(str(int(distinct[-1])))
    return distinct[0] > 0 and SHORTEST_DOUBTFUL <= low == high and _end_evenly(distinct)
