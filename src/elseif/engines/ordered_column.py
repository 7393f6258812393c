"""A column with too many distinct values to fetch: the engine looks them up.

Quantiles are found by counting how many values lie at or below some others, and narrowing down.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from elseif.engines.expressions import comparable, is_missing, literal
from elseif.engines.lazy_table import COUNT, LABEL, VALUE, WEIGHT, LazyLabels, LazyTable
from elseif.tables.columns import Column, Kind

PROBES = 32  # values that are compared with in one query, for each step of narrowing down
FEW = 20_000  # rows that are fetched rather than narrowed further


class EngineOrder:
    """The finite values of a numeric or date column in ascending order, as far as they count."""

    def __init__(self, table: LazyTable, labels: LazyLabels, name: str, kind: Kind) -> None:
        cell, dtype = table.cell(name), table.dtype(name)
        keys = table.keys(
            comparable(cell, Column(name, kind, 0), dtype).alias(VALUE), table.code_of_label(labels)
        )
        rows = table.frame.filter(~is_missing(cell, dtype)).select(*keys)
        counts = nw.col(LABEL) >= 0
        if table.weight is not None:
            counts = counts & (nw.col(WEIGHT) > 0)
        if dtype.is_float():  # what is infinite has no place
            value = nw.col(VALUE)
            counts = counts & (value < float("inf")) & (value > float("-inf"))
        self._rows, self._labels, self.kind = rows.filter(counts), labels, kind
        self._names = table.names_of_keys(LABEL)
        first, last = self._ends_of(self._rows)
        self.ends: tuple[Any, Any] | None = None if first is None else (first, last)
        self._passed: dict[int, float] = {}  # by rank of a value: what is at or below it
        self.total = 0.0
        self.n_rows = 0
        if self.ends is not None:
            (self.total,) = self.up_to([self.ends[1]])
            self.n_rows = int(self._ask(self._rows.select(nw.len()))[0, 0])

    def up_to(self, values: Sequence[Any]) -> list[float]:
        """How much the values at or below each of some others count."""
        ranks = [self._rank(value) for value in values]
        unknown = sorted({rank for rank in ranks if rank not in self._passed})
        for start in range(0, len(unknown), PROBES):
            self._count(unknown[start : start + PROBES])
        return [self._passed[rank] for rank in ranks]

    def by_label(self, cuts: Sequence[Any]) -> np.ndarray:
        """Label counts of the parts between some cuts, in units (parts, labels)."""
        counts = np.zeros((len(cuts) + 1, len(self._labels.classes)))
        answer = self._sums(cuts)
        codes, weights = self._groups(answer)
        for part in range(len(cuts)):
            np.add.at(counts[part], codes, _whole(answer[f"n{part}"]) * weights)
        np.add.at(counts[-1], codes, _whole(answer[COUNT]) * weights)
        counts[1:] -= counts[:-1].copy()
        return counts

    def at_share(self, share: float) -> Any:
        """The lowest value at or below which at least this share of the values is."""
        assert self.ends is not None
        low, high = self._rank(self.ends[0]) - 1, self._rank(self.ends[1])
        while True:
            known = sorted(rank for rank in self._passed if low < rank <= high)
            shares = [self._passed[rank] / self.total for rank in known]
            index = bisect_left(shares, share)
            if index == len(known):  # as by rounding, for a share of 1
                return self.ends[1]
            high = known[index]
            low = known[index - 1] if index else low
            if high - low <= 1:
                return self._value(high)
            within = self._within(low, high)
            first, last = self._ends_of(within)
            if first == last:
                return first
            if int(self._ask(within.select(nw.len()))[0, 0]) <= FEW:
                return self._among(within, low, share)
            # nothing lies outside of what was found there
            self._passed[self._rank(last)] = self._passed[high]
            if self._rank(first) - 1 > low:
                self._passed[self._rank(first) - 1] = self._passed.get(low, 0.0)
                low = self._rank(first) - 1
            high = self._rank(last)
            step = max(1, (high - low) // PROBES)
            self._count(range(low + step, high, step))

    def before_last(self) -> Any:
        """The highest value below the highest."""
        assert self.ends is not None
        below = self._rows.filter(nw.col(VALUE) < literal(self.ends[1], self.kind))
        return self._as_value(self._ask(below.select(nw.col(VALUE).max()))[0, 0])

    def nth_from_the_ends(self, n: int) -> tuple[Any, Any]:
        """The nth lowest and the nth highest value."""
        ends = []
        for descending in (False, True):
            some = self._rows.select(VALUE).sort(VALUE, descending=descending).head(n)
            values = sorted(map(self._as_value, self._ask(some)[VALUE].to_list()))
            ends.append(values[0] if descending else values[-1])
        return ends[0], ends[1]

    # ------------------------------------------------------------------ queries

    def _ask(self, frame: Any) -> nw.DataFrame[Any]:
        answer: nw.DataFrame[Any] = frame.collect("pyarrow")
        return answer

    def _ends_of(self, rows: Any) -> tuple[Any, Any]:
        """The lowest and the highest value of some rows; None, twice, where there is none."""
        value = nw.col(VALUE)
        answer = self._ask(rows.select(value.min().alias("low"), value.max().alias("high")))
        first, last = (answer[name].to_list()[0] for name in ("low", "high"))
        if first is None or first != first:
            return None, None
        return self._as_value(first), self._as_value(last)

    def _within(self, low: int, high: int) -> Any:
        """Rows above the value of one rank, and not above that of another."""
        assert self.ends is not None
        value = nw.col(VALUE)
        upto = self._rows.filter(value <= literal(self._value(high), self.kind))
        if low < self._rank(self.ends[0]):  # which need not be a number
            return upto
        return upto.filter(value > literal(self._value(low), self.kind))

    def _sums(self, values: Sequence[Any]) -> nw.DataFrame[Any]:
        """For each label and weight, how many values are at or below some others, and of all."""
        names = [f"n{i}" for i in range(len(values))]
        is_below = [
            (nw.col(VALUE) <= literal(value, self.kind)).cast(nw.Int64).alias(name)
            for name, value in zip(names, values, strict=True)
        ]
        rows = self._rows.select(*self._names, *is_below)
        sums = [nw.col(name).sum().alias(name) for name in names]
        return self._ask(rows.group_by(*self._names).agg(*sums, nw.len().alias(COUNT)))

    def _groups(self, answer: nw.DataFrame[Any]) -> tuple[np.ndarray, np.ndarray]:
        weights = answer[WEIGHT].to_numpy() if self._labels.units is not None else None
        groups = self._labels.of_groups(answer[LABEL].to_numpy(), weights)
        return groups.codes, groups.weights

    def _count(self, ranks: Sequence[int]) -> None:
        """Ask how much is at or below the values of some ranks."""
        if not ranks:
            return
        answer = self._sums([self._value(rank) for rank in ranks])
        _, weights = self._groups(answer)
        for i, rank in enumerate(ranks):
            self._passed[rank] = float((_whole(answer[f"n{i}"]) * weights).sum())

    def _among(self, rows: Any, low: int, share: float) -> Any:
        """The value at a share, among few remaining rows."""
        names = [VALUE, *self._names]
        answer = self._ask(rows.group_by(*names).agg(nw.len().alias(COUNT)))
        _, weights = self._groups(answer)
        times = weights * _whole(answer[COUNT])
        values = list(map(self._as_value, answer[VALUE].to_list()))
        order = sorted(range(len(values)), key=values.__getitem__)
        passed = self._passed.get(low, 0.0)
        for i in order:
            passed += float(times[i])
            last = values[i]
            if passed / self.total >= share:
                break
        return last

    # ------------------------------------------------------------ values as numbers

    def _as_value(self, value: Any) -> Any:
        return float(value) if self.kind is Kind.NUMERIC else np.datetime64(value, "us")

    def _rank(self, value: Any) -> int:
        """An integer for each value, order-preserving and without gaps."""
        if self.kind is Kind.DATE:
            return int(np.datetime64(value, "us").astype(np.int64))
        (bits,) = struct.unpack("<q", struct.pack("<d", float(value) + 0.0))
        return int(bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF))

    def _value(self, rank: int) -> Any:
        if self.kind is Kind.DATE:
            return np.int64(rank).astype("datetime64[us]")
        bits = rank if rank >= 0 else -rank | (1 << 63)
        return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _whole(series: nw.Series[Any]) -> np.ndarray:
    """Counts as whole numbers: DuckDB adds them up to decimals."""
    return series.to_numpy().astype(np.int64)
