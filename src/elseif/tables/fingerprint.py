"""A fingerprint of the data: the same columns, labels and weights give the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from elseif.bits.mask import Mask
from elseif.tables.columns import Column, Kind
from elseif.tables.families import family
from elseif.tables.labels import Labels, shown_label

VALUES_AT_ONCE = 1 << 14  # so that a copy in one dtype stays small


def data_fingerprint(labels: Labels, columns: Iterable[bytes]) -> str:
    """SHA-256 of labels, weights and columns (by their digests), in the order of the rows.

    How a table was stored and the order of categories make no difference.
    """
    digest = hashlib.sha256(b"elseif data 1")
    _text(digest, *map(shown_label, labels.classes))
    _array(digest, labels.codes, "<i8")
    _array(digest, labels.weights, "<i8")
    _text(digest, repr(float(labels.unit)))
    for column in columns:
        digest.update(column)
    return digest.hexdigest()


def column_digest(column: Column) -> bytes:
    """SHA-256 of a column's name, kind and values as they were read."""
    digest = hashlib.sha256()
    _text(digest, column.name, column.kind.value)
    if column.kind is Kind.BOOLEAN:
        assert column.truth is not None
        assert column.missing is not None
        _mask(digest, column.truth)
        _mask(digest, column.missing)
        if column.numbers is not None:  # others than 0 and 1
            _array(digest, column.numbers, "<f8")
    elif column.codes is not None:
        _categories(digest, column)
    elif column.kind is Kind.DATE:
        assert column.numbers is not None
        _array(digest, column.numbers.astype("datetime64[us]").view(np.int64), "<i8")
    else:
        assert column.numbers is not None
        _array(digest, column.numbers, "<f8")
    return digest.digest()


def _mask(digest: Any, mask: Mask) -> None:
    """Add row numbers if they are few, else bits, however they are stored."""
    if mask.is_sparse:
        _array(digest, mask.rows(), "<i8")
    else:
        _array(digest, np.packbits(mask.as_array()), "u1")


def _categories(digest: Any, column: Column) -> None:
    """Add codes into the categories that occur, in the order of their spelling."""
    assert column.codes is not None
    texts = [_category(category) for category in column.categories]
    counts = np.bincount(column.codes + 1, minlength=len(texts) + 1)[1:]
    used = sorted(np.flatnonzero(counts).tolist(), key=texts.__getitem__)
    recode = np.full(len(texts) + 1, -1, dtype="<i4")
    recode[used] = np.arange(len(used))
    _text(digest, *(texts[i] for i in used))
    _array(digest, recode[column.codes], "<i4")


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
    for start in range(0, len(values), VALUES_AT_ONCE):
        some = np.ascontiguousarray(values[start : start + VALUES_AT_ONCE], dtype=dtype)
        if dtype == "<f8":  # one spelling of a missing number, and of zero
            some = np.where(np.isnan(some), np.nan, some + 0.0)
        digest.update(some)
