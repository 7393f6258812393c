"""Patterns of conditions and labels, counted by the engine: all that a posterior depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from elseif.bits.mask import Mask
from elseif.bits.packed_mask import PackedMask, pack_mask
from elseif.bits.packing import BitLayout
from elseif.bits.pattern_keys import (
    CONDITIONS_IN_A_NUMBER,
    in_order,
    keys_of,
    sum_of_digests,
    truth_of,
)
from elseif.conditions.condition import Condition
from elseif.engines.lazy_table import COUNT, LABEL, WEIGHT, LazyLabels, LazyTable
from elseif.errors import ResourceError
from elseif.memory import enough, in_words
from elseif.tables.labels import Labels, shown_label

SHARE_OF_MEMORY = 0.25  # that an answer of the engine may take
COPIES = 3  # of an answer: the engine's, Arrow's and ours


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct patterns of the conditions for each label, with their weights."""

    conditions: list[Condition]
    keys: np.ndarray  # int64 (patterns, numbers): a bit for each condition
    labels: Labels  # one row for each pattern and label, with whole weights

    def masks(self, layout: BitLayout) -> list[PackedMask]:
        """The patterns in which each condition is true, packed."""
        return [
            pack_mask(Mask.of_array(truth_of(self.keys, i)), layout)
            for i in range(self.n_conditions)
        ]

    @property
    def n_conditions(self) -> int:
        """How many conditions there are."""
        return len(self.conditions)

    def note(self, n_rows: int) -> str:
        """A note on how the table was read."""
        return note_on_patterns(n_rows, len(self.keys))

    def fingerprint(self, conditions: Sequence[Condition]) -> str:
        """SHA-256 of labels and counts by some of the conditions, in no order of rows."""
        places = {condition: column for column, condition in enumerate(self.conditions)}
        truths = (truth_of(self.keys, places[condition]) for condition in conditions)
        return fingerprint_of_truths(truths, self.labels)


def fingerprint_of_truths(truths: Iterable[np.ndarray], labels: Labels) -> str:
    """SHA-256 of observations as distinguished by conditions, in any order of rows."""
    keys = keys_of(truths, len(labels.codes))
    used = labels.codes >= 0
    sums = sum_of_digests(keys[used], labels.codes[used], labels.weights[used])
    return fingerprint_of(labels.classes, labels.unit, sums)


def fingerprint_of(classes: np.ndarray, unit: float, sums: np.ndarray) -> str:
    """SHA-256 of labels, and of the sum of the digests of patterns."""
    digest = hashlib.sha256(b"elseif patterns 2")
    for text in (*map(shown_label, classes), repr(float(unit))):
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)
    digest.update(np.ascontiguousarray(sums, dtype="<u8").tobytes())
    return digest.hexdigest()


class TooManyPatternsError(ResourceError):
    """The patterns of a table take more memory than allowed."""


def note_on_patterns(n_rows: int, n_patterns: int, n_shards: int | None = None) -> str:
    """A note on how a table was read."""
    where = "" if n_shards is None else f", which workers held in {n_shards} shards"
    return (
        f"{n_rows:,} rows were counted by the engine as {n_patterns:,} patterns of conditions and "
        f"labels{where}; the posterior is the same."
    )


def count_patterns(
    table: LazyTable,
    labels: LazyLabels,
    conditions: Sequence[Condition],
    expressions: Sequence[Any],
    max_memory: float,
) -> Patterns:
    """Count the patterns of conditions by label, in one query if the answer fits into memory.

    The patterns are in ascending order, whatever the order of the engine.
    """
    rows, names = rows_of_patterns(table, labels, expressions)
    columns = table.names_of_keys(*names, LABEL)
    bytes_each = 8 * (len(columns) + 1)
    grouped = rows.group_by(*columns).agg(nw.len().alias(COUNT))
    room = max_memory * SHARE_OF_MEMORY / COPIES
    n_patterns = labels.n_rows
    if n_patterns * bytes_each > room:  # then it is worth a query to know
        n_patterns = int(grouped.select(nw.len()).collect("pyarrow")[0, 0])
    n_bytes = n_patterns * bytes_each
    if n_bytes > max_memory * SHARE_OF_MEMORY:
        raise TooManyPatternsError(
            f"{n_patterns:,} patterns of {len(conditions)} conditions take {in_words(n_bytes)}, "
            f"and a quarter of max_memory={max_memory:.3g} bytes may be used for them. Set "
            f"max_memory={enough(n_bytes / SHARE_OF_MEMORY)}, or leave out columns."
        )
    answers = (
        [grouped]
        if n_patterns * bytes_each <= room
        else [
            rows.filter(part).group_by(*columns).agg(nw.len().alias(COUNT))
            for part in _parts(rows, columns, room / bytes_each)
        ]
    )
    parts = [as_arrays(answer.collect("pyarrow"), names, labels) for answer in answers]
    return _in_order(list(conditions), labels, *map(np.concatenate, zip(*parts, strict=True)))


def rows_of_patterns(
    table: LazyTable, labels: LazyLabels, expressions: Sequence[Any]
) -> tuple[nw.LazyFrame[Any], list[str]]:
    """Each row's pattern as whole numbers, with its label and weight; and the numbers' names."""
    keys = _numbers_of(expressions)
    names = [f"pattern{i}" for i in range(len(keys))]
    named = [key.alias(name) for key, name in zip(keys, names, strict=True)]
    return table.frame.select(*table.keys(*named, table.code_of_label(labels))), names


def _numbers_of(expressions: Sequence[Any]) -> list[Any]:
    """Whole numbers with a bit for each expression."""
    numbers = []
    for start in range(0, len(expressions), CONDITIONS_IN_A_NUMBER):
        number: Any = nw.lit(0, dtype=nw.Int64)
        for bit, truth in enumerate(expressions[start : start + CONDITIONS_IN_A_NUMBER]):
            value = nw.lit(1 << bit, dtype=nw.Int64)
            number = number + nw.when(truth).then(value).otherwise(nw.lit(0, dtype=nw.Int64))
        numbers.append(number)
    return numbers


def _parts(rows: Any, columns: Sequence[str], most: float) -> list[Any]:
    """Filters that divide the rows by their first number, with about ``most`` rows in each."""
    key = columns[0]
    counts = rows.group_by(key).agg(nw.len().alias(COUNT)).collect("pyarrow")
    values, sizes = counts[key].to_numpy(), counts[COUNT].to_numpy()
    order = np.argsort(values)
    parts: list[list[int]] = [[]]
    total = 0
    for value, size in zip(values[order].tolist(), sizes[order].tolist(), strict=True):
        if parts[-1] and total + size > most:
            parts.append([])
            total = 0
        parts[-1].append(value)
        total += size
    return [nw.col(key).is_in(part) for part in parts]


def as_arrays(
    answer: nw.DataFrame[Any], names: Sequence[str], labels: LazyLabels
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patterns, codes of labels and whole weights of an answer; rows that do not count left out."""
    n = answer[COUNT].to_numpy().astype(np.int64)
    return arrays_of(answer, names, labels, n)


def arrays_of(
    answer: nw.DataFrame[Any],
    names: Sequence[str],
    labels: LazyLabels,
    n: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of rows, each of which stands for itself unless their numbers are given."""
    weights = answer[WEIGHT].to_numpy() if labels.units is not None else None
    of_groups = labels.of_groups(answer[LABEL].to_numpy(), weights)
    used = of_groups.codes >= 0
    keys = [answer[name].to_numpy().astype(np.int64)[used] for name in names]
    stacked = np.stack(keys, axis=1) if keys else np.zeros((int(used.sum()), 0), dtype=np.int64)
    whole = of_groups.weights if n is None else of_groups.weights * n
    return stacked, of_groups.codes[used], whole[used]


def _in_order(
    conditions: list[Condition],
    labels: LazyLabels,
    keys: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
) -> Patterns:
    """Patterns in ascending order, those of several weights added up."""
    keys, codes, total = in_order(keys, codes, weights)
    of_patterns = Labels(labels.classes, codes, total, labels.unit, labels.n_dropped)
    return Patterns(conditions, keys, of_patterns)
