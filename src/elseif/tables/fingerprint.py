"""A fingerprint of the data: the same table, labels and weights give the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from elseif.tables.binarise import ColumnReport
from elseif.tables.columns import Column, Kind
from elseif.tables.labels import Labels, shown_label
from elseif.tables.reading import Table
from elseif.tables.values import family


def data_fingerprint(table: Table, labels: Labels, columns: Sequence[ColumnReport]) -> str:
    """SHA-256 of columns as they were read, labels and weights, in the order of the rows.

    It covers the columns of the fit report, by name and kind; how a table was stored, its
    other columns and the order of categories make no difference.
    """
    digest = hashlib.sha256(b"elseif data 1")
    _text(digest, *map(shown_label, labels.classes))
    _array(digest, labels.codes, "<i8")
    _array(digest, labels.weights, "<i8")
    _text(digest, repr(float(labels.unit)))
    for report in columns:
        _text(digest, report.name, report.kind.value)
        _values(digest, table.column(report.name, report.kind))
    return digest.hexdigest()


def _values(digest: Any, column: Column) -> None:
    """Add a column's values; each kind has one spelling of a missing value."""
    if column.kind is Kind.BOOLEAN:
        for rows in (column.true_rows, column.missing_rows):
            _array(digest, np.empty(0) if rows is None else rows, "<i8")
        return
    if column.codes is not None:
        texts = [_category(c) for c in column.categories]
        present = np.unique(column.codes)
        used = sorted((int(i) for i in present if i >= 0), key=texts.__getitem__)
        recode = np.full(len(texts) + 1, -1, dtype=np.int64)
        recode[used] = np.arange(len(used))
        _text(digest, *(texts[i] for i in used))
        _array(digest, recode[column.codes], "<i8")
        return
    assert column.numbers is not None
    if column.kind is Kind.DATE:
        _array(digest, column.numbers.astype("datetime64[us]").view(np.int64), "<i8")
        return
    missing = np.isnan(column.numbers)
    _array(digest, np.where(missing, np.nan, column.numbers + 0.0), "<f8")  # 0 for -0


def _category(category: Any) -> str:
    """A category with its type; 1 and 1.0 are one, 1 and "1" are not."""
    kind = family(category)
    return f"{kind} {float(category)!r}" if kind == "number" else f"{kind} {category}"


def _text(digest: Any, *texts: str) -> None:
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)


def _array(digest: Any, values: np.ndarray, dtype: str) -> None:
    digest.update(len(values).to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(values, dtype=dtype))
