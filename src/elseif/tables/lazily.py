"""Tables to predict for, of which only the columns that a list needs are read."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from scipy import sparse

from elseif.tables.boolean_arrays import booleans_of_array, booleans_of_sparse
from elseif.tables.columns import Column, Kind
from elseif.tables.reading import Table, read_table
from elseif.tables.values import column_from_array, unmasked


def read_lazily(X: Any, allow_infinite: bool = False) -> Table:
    """Like read_table, but without examining columns of an array that are not needed."""
    X = unmasked(X)
    plain = getattr(getattr(X, "dtype", None), "kind", "") in ("b", "i", "u", "f")
    if not plain or len(X.shape) != 2 or not X.shape[1]:
        return read_table(X, allow_infinite)
    if isinstance(X, np.ndarray):
        return _lazy_array(np.asarray(X), allow_infinite)
    if sparse.issparse(X):
        return _lazy_sparse(X, allow_infinite)
    return read_table(X, allow_infinite)


def _lazy_array(array: np.ndarray, allow_infinite: bool) -> Table:
    def from_array(position: int, name: str, kind: Kind | None) -> Column:
        values = np.ascontiguousarray(array[:, position])
        return column_from_array(values, name, kind, allow_infinite)

    return Table(
        _places(array.shape[1]),
        array.shape[0],
        from_array,
        named=False,
        find_booleans=partial(booleans_of_array, array),
    )


def _lazy_sparse(matrix: Any, allow_infinite: bool) -> Table:
    @cache
    def by_columns() -> Any:
        return matrix if matrix.format == "csc" else sparse.csc_array(matrix)

    def from_sparse(position: int, name: str, kind: Kind | None) -> Column:
        alone = by_columns()[:, [position]]
        return read_table(alone, allow_infinite).renamed([name]).column(name, kind)

    return Table(
        _places(matrix.shape[1]),
        matrix.shape[0],
        from_sparse,
        named=False,
        find_booleans=partial(booleans_of_sparse, matrix),
    )


@lru_cache(maxsize=4)
def _places(n: int) -> tuple[str, ...]:
    """Names of columns that have none, kept: thousands take longer to make than to use."""
    return tuple(f"x{i}" for i in range(n))
