"""Wide boolean columns as a sparse matrix with names, beside a few columns of other kinds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from elseif.bits.mask import Mask
from elseif.errors import DataError, DataTypeError, ParamError

if TYPE_CHECKING:
    import pandas as pd


class SparseTable:
    """A table with many columns that are rarely true, such as patients' drugs and conditions.

    The columns of a small data frame (age, sex) come first, those of the sparse matrix after them.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array
        0 and 1: one row for each observation.
    names : sequence of str
        The names of its columns.
    frame : DataFrame, default=None
        Further columns of any kind.
    origin : mapping, default=None
        Where the table comes from, which a model learnt from it keeps: the cohort's definition,
        concepts, and whether its patients are synthetic. Made by ``Cohort.table``.

    Examples
    --------
    >>> import pandas as pd
    >>> from scipy import sparse
    >>> from elseif import SparseTable
    >>> matrix = sparse.csr_array([[0, 1], [1, 0], [0, 0]])
    >>> people = pd.DataFrame({"age": [71, 40, 65]})
    >>> table = SparseTable(matrix, ["aspirin", "asthma"], frame=people)
    >>> table.shape
    (3, 3)
    >>> table.take([0, 2]).to_frame()
       age  aspirin  asthma
    0   71    False    True
    1   65    False   False
    """

    def __init__(
        self,
        matrix: Any,
        names: Sequence[str],
        frame: pd.DataFrame | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        self.origin = origin
        self.matrix = _truths(matrix)
        self.sparse_names = list(names)
        n_rows, n_columns = self.matrix.shape
        if len(self.sparse_names) != n_columns:
            raise ParamError(
                f"names has {len(self.sparse_names)} entries for {n_columns} columns of the "
                "matrix; give one per column."
            )
        if frame is not None and not hasattr(frame, "reset_index"):
            raise DataTypeError(
                f"frame is a {type(frame).__name__}; it must be a data frame of pandas."
            )
        self.frame = _empty_frame(n_rows) if frame is None else frame.reset_index(drop=True)
        if len(self.frame) != n_rows:
            raise DataError(
                f"The matrix has {n_rows} rows and the frame {len(self.frame)}; they must be "
                "the same observations."
            )

    @property
    def columns(self) -> list[str]:
        """All names: those of the frame, then those of the matrix."""
        return [*self.frame.columns, *self.sparse_names]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), self.frame.shape[1] + len(self.sparse_names)

    @cached_property
    def by_columns(self) -> Any:
        """The matrix by column, made at first use."""
        return self.matrix.tocsc()

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __repr__(self) -> str:
        return f"<SparseTable: {self.shape[0]:,} rows, {self.shape[1]:,} columns>"

    def __getitem__(self, rows: Any) -> SparseTable:
        """Some rows: a slice, a mask or row numbers."""
        if isinstance(rows, tuple):  # scikit-learn asks for X[rows, ...]
            rows, *rest = rows
            if rest not in ([Ellipsis], [slice(None)]):
                raise DataTypeError("A SparseTable is indexed by rows; to_frame gives columns.")
        if isinstance(rows, str):
            raise DataTypeError("A SparseTable is indexed by rows; to_frame gives columns.")
        positions = np.arange(len(self))[rows]
        if positions.ndim != 1:
            raise DataTypeError(
                f"Rows of a SparseTable are a slice, a mask or a list of numbers, not {rows!r}."
            )
        return self.take(positions)

    def take(self, rows: Any) -> SparseTable:
        """Take some rows.

        Parameters
        ----------
        rows : array of int
            Row numbers, in the order wanted.

        Returns
        -------
        SparseTable
            The table with these rows.
        """
        numbers = np.asarray(rows)
        if numbers.size and numbers.dtype.kind not in "iu":  # a mask would give rows 0 and 1
            raise DataTypeError(
                f"take() takes numbers of rows, not {numbers.dtype}; for a mask, write table[mask]."
            )
        positions = numbers.astype(np.intp)
        rows = self.frame.iloc[positions]
        return SparseTable(self.matrix[positions], self.sparse_names, rows, self.origin)

    def select(self, names: Collection[str]) -> SparseTable:
        """Take some columns.

        Parameters
        ----------
        names : collection of str
            Their names; they stay in the order of the table.

        Returns
        -------
        SparseTable
            The table with these columns.

        Examples
        --------
        >>> from scipy import sparse
        >>> from elseif import SparseTable
        >>> table = SparseTable(sparse.csr_array([[0, 1], [1, 0]]), ["aspirin", "asthma"])
        >>> table.select(["asthma"]).columns
        ['asthma']
        """
        wanted = set(names)
        unknown = wanted.difference(self.columns)
        if unknown:
            raise ParamError(f"The table has no column {min(unknown)!r}.")
        frame = self.frame[[name for name in self.frame.columns if name in wanted]]
        positions = [i for i, name in enumerate(self.sparse_names) if name in wanted]
        kept = [self.sparse_names[i] for i in positions]
        matrix = (
            self.matrix if len(kept) == len(self.sparse_names) else self.by_columns[:, positions]
        )
        return SparseTable(sparse.csr_array(matrix), kept, frame, self.origin)

    def to_frame(self, names: Sequence[str] | None = None) -> pd.DataFrame:
        """Convert to a dense data frame.

        Parameters
        ----------
        names : sequence of str, default=None
            The columns; by default all.

        Returns
        -------
        DataFrame
            The columns.
        """
        import pandas as pd

        positions = {name: i for i, name in enumerate(self.sparse_names)}
        columns = {}
        for name in self.columns if names is None else names:
            if name in self.frame.columns:
                columns[name] = self.frame[name]
            elif name in positions:
                columns[name] = pd.Series(self.mask(positions[name]).as_array())
            else:
                raise ParamError(f"The table has no column {name!r}.")
        return pd.DataFrame(columns)

    def mask(self, position: int) -> Mask:
        """The rows where a column of the matrix is true.

        Parameters
        ----------
        position : int
            The column's place in the matrix.

        Returns
        -------
        Mask
            The rows.
        """
        by_columns = self.by_columns
        rows = by_columns.indices[by_columns.indptr[position] : by_columns.indptr[position + 1]]
        return Mask.of_rows(rows, len(self))


def _truths(matrix: Any) -> Any:
    """A matrix of nothing but ones in canonical form, from one of 0 and 1 or of booleans."""
    is_sparse: bool = sparse.issparse(matrix)
    if not is_sparse or len(matrix.shape) != 2:
        raise DataTypeError(
            f"matrix is a {type(matrix).__name__}; it must be a two-dimensional SciPy sparse "
            "matrix."
        )
    if matrix.format == "csr" and matrix.dtype == bool and matrix.has_canonical_format:
        known: Any = sparse.csr_array(matrix)
        if bool(np.all(known.data)):
            return known
    rows: Any = sparse.csr_array(matrix, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if rows.dtype != bool and not np.all(rows.data == 1):
        odd = rows.data[rows.data != 1][0]
        raise DataError(
            f"The matrix of a SparseTable holds {odd!s}; it may hold only 0 and 1. Put columns "
            "of other kinds into the frame."
        )
    return rows.astype(bool)


def _empty_frame(n_rows: int) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(index=pd.RangeIndex(n_rows))
