"""Folds of a cross-validation: their rows and seeds, and the warnings of their fits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from elseif.errors import public_text
from elseif.tables.parquet import ParquetTable
from elseif.tables.reading import Table
from elseif.tables.sparse_table import SparseTable

ARRAYS = ("pandas", "pyarrow")  # whose arrays have a method to take rows


def stratified_folds(
    labels: Any, folds: int, random_state: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to test on, for each fold; every fold has all labels.

    Parameters
    ----------
    labels : array
        The label of each row.
    folds : int
        How many folds.
    random_state : int
        Seed of the shuffle.

    Returns
    -------
    list of tuple
        The numbers of the rows of each part.

    Examples
    --------
    >>> from elseif.evaluation import stratified_folds
    >>> [test.tolist() for _, test in stratified_folds([0, 0, 1, 1], 2, random_state=0)]
    [[1, 2], [0, 3]]
    """
    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros(len(labels)), labels))


def fold_seeds(folds: int, random_state: int) -> list[int]:
    """A seed for the fit of each fold."""
    return np.random.SeedSequence(random_state).generate_state(folds).tolist()


@contextmanager
def caught_warnings() -> Iterator[list[str]]:
    """What fits warn of, each text once: empty until the block ends."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    kept = (w for w in caught if issubclass(w.category, (UserWarning, ConvergenceWarning)))
    texts.extend(dict.fromkeys(public_text(w.message) for w in kept))


def rows_of(data: Any, rows: np.ndarray) -> Any:
    """Some rows of a data frame, series, array, sparse matrix or list, of the same type.

    What pandas and pyarrow have besides series keeps its type: a Categorical its order.
    """
    if isinstance(data, Table):  # kinds are inferred in each fold, as from any other table
        if data.source is None:
            return data.take(rows)
        data = data.source
    if isinstance(data, ParquetTable):
        data = data.to_frame()  # folds need rows, and files are read by column
    native = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, (nw.DataFrame, nw.Series)):
        return native[rows.tolist()].to_native()
    if sparse.issparse(data):
        return data.tocsr()[rows]
    if isinstance(data, (np.ndarray, SparseTable)):
        return data[rows]
    if hasattr(data, "take") and type(data).__module__.split(".")[0] in ARRAYS:
        return data.take(rows)
    return [data[i] for i in rows]
