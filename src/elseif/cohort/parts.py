"""Parts of a cohort, one for each range of persons, while it is extracted: kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

SEXES = {8532: "female", 8507: "male"}
OTHER_SEX = "unknown"


@dataclass(frozen=True)
class Part:
    """The members of one range of persons, and how they came to be."""

    person_ids: np.ndarray  # int64, sorted
    index_dates: np.ndarray  # datetime64[D]
    age: np.ndarray  # int64
    sex: np.ndarray  # texts
    outcome: np.ndarray  # bool
    counts: tuple[int, ...]  # persons left after each step
    on_index_date: int  # members whose outcome was recorded on the index date
    lost_outcomes: int  # persons who had the outcome, and left too early to be members

    COLUMNS = ("person_id", "index_date", "age", "sex", "outcome")

    def as_table(self) -> Any:
        """The members as an Arrow table."""
        import pyarrow as pa

        values = (self.person_ids, self.index_dates, self.age, self.sex, self.outcome)
        types = (pa.int64(), pa.date32(), pa.int64(), pa.string(), pa.bool_())
        arrays = [pa.array(v, t) for v, t in zip(values, types, strict=True)]
        return pa.Table.from_arrays(arrays, names=list(self.COLUMNS))


def part_from_rows(rows: Mapping[str, np.ndarray], n_steps: int) -> Part:
    """The members among those whom the database has judged."""
    from elseif.cohort.attrition import lost_outcomes, passed

    left, counts = passed(rows, n_steps)
    dates = rows["index_date"][left].astype("datetime64[D]")
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    genders = rows["gender"][left]
    return Part(
        person_ids=rows["person_id"][left],
        index_dates=dates,
        age=years - rows["year_of_birth"][left],
        sex=np.array([SEXES.get(int(g), OTHER_SEX) for g in genders], dtype=object),
        outcome=rows["outcome"][left] == 1,
        counts=tuple(counts),
        on_index_date=int((rows["on_index_date"][left] == 1).sum()),
        lost_outcomes=lost_outcomes(rows),
    )


def part_from_table(table: Any, receipt: Mapping[str, Any]) -> Part:
    """The members as they were stored, and what was written down of them."""
    dates = table["index_date"].to_numpy().astype("datetime64[D]")
    return Part(
        person_ids=table["person_id"].to_numpy(),
        index_dates=dates,
        age=table["age"].to_numpy(),
        sex=np.array(table["sex"].to_pylist(), dtype=object),
        outcome=table["outcome"].to_numpy().astype(bool),
        counts=tuple(receipt["counts"]),
        on_index_date=receipt["on_index_date"],
        lost_outcomes=receipt["lost_outcomes"],
    )


class PartsInMemory:
    """Parts that are kept in memory."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._pairs: list[dict[str, tuple[np.ndarray, np.ndarray]]] = []

    def is_done(self, number: int) -> bool:
        """Whether a range has been extracted before."""
        return number < len(self._parts)

    def add(self, number: int, part: Part, features: Mapping[str, Iterable[Any]]) -> None:
        """Take in a range: its members, and of each domain who has what, as Arrow tables."""
        pairs = {domain: _pairs(list(tables)) for domain, tables in features.items()}
        self._parts.append(part)
        self._pairs.append(pairs)

    def parts(self) -> list[Part]:
        """Every part, in order."""
        return self._parts

    def pairs(self, domain: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each range, who (person ids) has what (concept ids) of a domain."""
        return (pairs[domain] for pairs in self._pairs)


def _pairs(tables: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    empty = np.empty(0, dtype=np.int64)
    pairs = tuple(
        np.concatenate([empty, *(table[name].to_numpy() for table in tables)])
        for name in ("person_id", "concept_id")
    )
    return pairs[0], pairs[1]
