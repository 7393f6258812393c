"""Parts of a cohort, one for each range of persons, kept in memory during extraction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.cohort.definition import CohortDefinition

Cells = dict[str, np.ndarray]  # columns of a stream of features
# what a feature gives for each member: concepts; how often; last values by unit
STREAM_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "pairs": ("person_id", "concept_id"),
    "counts": ("person_id", "concept_id", "value"),
    "values": ("person_id", "concept_id", "unit", "value"),
}
_OUTCOME = re.compile(r"outcome_[0-9]+")
SEXES = {8532: "female", 8507: "male"}
OTHER_SEX = "unknown"


def stream_names(definition: CohortDefinition) -> tuple[str, ...]:
    """What is read for each range of persons, besides the persons; the name gives the columns."""
    names = [feature_stream(definition, i) for i in range(len(definition.columns))]
    if definition.features and definition.groups:
        names += [group_stream(domain) for domain in definition.group_domains]
    return tuple(names)


def feature_stream(definition: CohortDefinition, number: int) -> str:
    """The stream of a feature; a plain one is called after its domain."""
    feature = definition.columns[number]
    if feature.is_plain:
        return feature.domain
    kind = "values" if feature.value == "last" else "pairs"
    kind = "counts" if feature.counts or feature.is_of_domain else kind
    return f"{kind}-{number:02}"


def group_stream(domain: str) -> str:
    """The stream of records of groups in a domain."""
    return f"groups-{domain}"


def kind_of(stream: str) -> str:
    """Which columns a stream has."""
    kind = stream.partition("-")[0]
    return kind if kind in STREAM_COLUMNS else "pairs"


@dataclass(frozen=True)
class ExtractedPart:
    """The members of one range of persons, and how they came to be."""

    person_ids: np.ndarray  # int64, sorted
    index_dates: np.ndarray  # datetime64[D]
    age: np.ndarray  # int64
    sex: np.ndarray  # texts
    outcome: np.ndarray  # bool
    counts: tuple[int, ...]  # persons left after each step
    on_index_date: int  # members whose outcome was recorded on the index date
    lost_outcomes: int  # persons who had the outcome, and left too early to be members
    more_outcomes: tuple[np.ndarray, ...] = ()  # bool: the further ones of the definition

    COLUMNS = ("person_id", "index_date", "age", "sex", "outcome")

    def as_table(self) -> Any:
        """The members as an Arrow table."""
        import pyarrow as pa

        more = self.more_outcomes
        values = (self.person_ids, self.index_dates, self.age, self.sex, self.outcome, *more)
        types = [pa.int64(), pa.date32(), pa.int64(), pa.string(), *[pa.bool_()] * (1 + len(more))]
        arrays = [pa.array(v, t) for v, t in zip(values, types, strict=True)]
        names = [f"outcome_{number}" for number in range(1, len(more) + 1)]
        return pa.Table.from_arrays(arrays, names=[*self.COLUMNS, *names])


def part_from_rows(rows: Mapping[str, np.ndarray], steps: Sequence[str]) -> ExtractedPart:
    """The members among those whom the database has judged."""
    from elseif.cohort.attrition import lost_outcomes, passed

    left, counts = passed(rows, steps)
    dates = rows["index_date"][left].astype("datetime64[D]")
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    genders = rows["gender"][left]
    return ExtractedPart(
        person_ids=rows["person_id"][left],
        index_dates=dates,
        age=years - rows["year_of_birth"][left],
        sex=np.array([SEXES.get(int(g), OTHER_SEX) for g in genders], dtype=object),
        outcome=rows["outcome"][left] == 1,
        counts=tuple(counts),
        on_index_date=int((rows["on_index_date"][left] == 1).sum()),
        lost_outcomes=lost_outcomes(rows, steps),
        more_outcomes=tuple(rows[name][left] == 1 for name in rows if _OUTCOME.fullmatch(name)),
    )


def part_from_table(table: Any, receipt: Mapping[str, Any]) -> ExtractedPart:
    """The members as they were stored, and their receipt."""
    dates = table["index_date"].to_numpy().astype("datetime64[D]")
    return ExtractedPart(
        person_ids=table["person_id"].to_numpy(),
        index_dates=dates,
        age=table["age"].to_numpy(),
        sex=np.array(table["sex"].to_pylist(), dtype=object),
        outcome=table["outcome"].to_numpy().astype(bool),
        counts=tuple(receipt["counts"]),
        on_index_date=receipt["on_index_date"],
        lost_outcomes=receipt["lost_outcomes"],
        more_outcomes=tuple(
            table[name].to_numpy().astype(bool)
            for name in table.column_names
            if _OUTCOME.fullmatch(name)
        ),
    )


class PartsInMemory:
    """Parts that are kept in memory."""

    def __init__(self) -> None:
        self._parts: list[ExtractedPart] = []
        self._cells: list[dict[str, Cells]] = []

    def is_done(self, number: int) -> bool:
        """Whether a range has been extracted before."""
        return number < len(self._parts)

    def add(self, number: int, part: ExtractedPart, streams: Mapping[str, Iterable[Any]]) -> None:
        """Take in a range: its members, and of each stream who has what, as Arrow tables."""
        cells = {
            name: _cells(list(tables), STREAM_COLUMNS[kind_of(name)])
            for name, tables in streams.items()
        }
        self._parts.append(part)
        self._cells.append(cells)

    def parts(self) -> list[ExtractedPart]:
        """Every part, in order."""
        return self._parts

    def cells(self, stream: str) -> Iterator[Cells]:
        """For each range, who (person ids) has what (concept ids, units, values) of a stream."""
        return (cells[stream] for cells in self._cells)


def _cells(tables: list[Any], columns: Sequence[str]) -> Cells:
    return {
        name: np.concatenate([_empty(name), *(table[name].to_numpy() for table in tables)])
        for name in columns
    }


def _empty(column: str) -> np.ndarray:
    return np.empty(0, dtype=np.float64 if column == "value" else np.int64)
