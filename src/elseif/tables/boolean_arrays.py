"""Boolean columns as arrays, without copying where possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

BLOCK_ROWS = 8192

# for places of columns: an array each, or None for a column that needs a closer look
FindBooleans = Callable[[Sequence[int]], "list[np.ndarray | None]"]


def booleans_of_array(array: np.ndarray, positions: Sequence[int]) -> list[np.ndarray | None]:
    """Booleans of columns of a two-dimensional array of booleans or numbers."""
    if not array.flags.c_contiguous or array.flags.f_contiguous:
        return _booleans_of_columns([array[:, position] for position in positions])
    arrays = np.empty((len(positions), len(array)), dtype=bool)
    is_boolean = np.ones(len(positions), dtype=bool)
    wanted = np.asarray(positions, dtype=np.intp)
    # all columns at once, some rows at a time: columns of a row share its cache lines
    for start in range(0, len(array), BLOCK_ROWS):
        values = np.take(array[start : start + BLOCK_ROWS], wanted, axis=1)
        if array.dtype.kind != "b":
            ones = values == 1
            known = ones | (values == 0)
            if not known.all():
                is_boolean &= known.all(axis=0)
            values = ones
        arrays[:, start : start + BLOCK_ROWS] = values.T
    return [column if good else None for column, good in zip(arrays, is_boolean, strict=True)]


def booleans_of_sparse(matrix: Any, positions: Sequence[int]) -> list[np.ndarray | None]:
    """Booleans of columns of a sparse matrix, whatever form it has."""
    if matrix.format == "csr":
        by_bits = _by_bits(matrix, positions)
        if by_bits is not None:
            return by_bits
    if matrix.format != "csc":
        matrix = matrix.tocsr()[:, positions].tocsc()
        positions = range(len(positions))
    return [_sparse_column(matrix, position) for position in positions]


def booleans_of_frame(
    frame: nw.DataFrame[Any], positions: Sequence[int]
) -> list[np.ndarray | None]:
    """Booleans of columns of a data frame."""
    native: Any = frame.to_native()
    if frame.implementation.is_pandas():
        return _in_pandas(native, positions)
    if frame.implementation.is_polars():
        return [_in_polars(native.to_series(position)) for position in positions]
    return [None for _ in positions]


def _booleans_of_values(values: np.ndarray) -> np.ndarray | None:
    """Where booleans are true or numbers are 1; None where they are not 0 and 1 alone."""
    kind = values.dtype.kind
    if kind == "b":
        return values
    if kind not in "iuf":
        return None
    if values.dtype == np.uint8:
        return values.view(bool) if values.max(initial=0) <= 1 else None
    ones = values == 1
    return ones if bool(np.all(ones | (values == 0))) else None


def _by_bits(matrix: Any, positions: Sequence[int]) -> list[np.ndarray | None] | None:
    """All columns of a row-major matrix of ones in one product: each is a bit of the sums."""
    data = matrix.data if matrix.data.dtype.kind == "b" else matrix.data == 1
    if not (matrix.has_canonical_format and bool(np.all(data))):
        return None
    arrays: list[np.ndarray | None] = []
    for start in range(0, len(positions), 64):
        some = positions[start : start + 64]
        dtype = np.min_scalar_type(2 ** len(some) - 1)  # the narrowest is the quickest
        bits = np.zeros(matrix.shape[1], dtype=dtype)
        bits[some] = [1 << k for k in range(len(some))]
        ones = np.ones(len(matrix.indices), dtype=dtype)
        sums = sparse.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape) @ bits
        arrays += [(sums & bits[position]) != 0 for position in some]
    return arrays


def _sparse_column(matrix: Any, position: int) -> np.ndarray | None:
    start, stop = matrix.indptr[position], matrix.indptr[position + 1]
    if not bool(np.all(matrix.data[start:stop] == 1)):
        return None
    array = np.zeros(matrix.shape[0], dtype=bool)
    array[matrix.indices[start:stop]] = True
    # entries that are there twice count twice
    return array if np.count_nonzero(array) == stop - start else None


def _booleans_of_columns(columns: Sequence[np.ndarray]) -> list[np.ndarray | None]:
    """Booleans of arrays; of those that are strided, for they may lie side by side, in turns."""
    if all(column.flags.c_contiguous for column in columns):
        return [_booleans_of_values(column) for column in columns]
    arrays = np.empty((len(columns), len(columns[0])), dtype=bool)
    is_boolean = np.ones(len(columns), dtype=bool)
    for start in range(0, arrays.shape[1], BLOCK_ROWS):
        some = slice(start, start + BLOCK_ROWS)
        for i in np.flatnonzero(is_boolean).tolist():
            array = _booleans_of_values(np.ascontiguousarray(columns[i][some]))
            if array is None:
                is_boolean[i] = False
            else:
                arrays[i, some] = array
    return [values if good else None for values, good in zip(arrays, is_boolean, strict=True)]


def _in_pandas(frame: Any, positions: Sequence[int]) -> list[np.ndarray | None]:
    names = frame.columns
    series = [frame[names[position]] for position in positions]
    # what pandas keeps in its own dtypes has its own ways to be missing
    plain = [i for i, one in enumerate(series) if isinstance(one.dtype, np.dtype)]
    arrays: list[np.ndarray | None] = [None] * len(series)
    for i, array in zip(
        plain, _booleans_of_columns([series[i].to_numpy() for i in plain]), strict=True
    ):
        arrays[i] = array
    return arrays


def _in_polars(series: Any) -> np.ndarray | None:
    plain = series.dtype.is_numeric() or str(series.dtype) == "Boolean"
    plain = plain and not str(series.dtype).endswith("128")  # which NumPy does not have
    return _booleans_of_values(series.to_numpy()) if plain and not series.null_count() else None
