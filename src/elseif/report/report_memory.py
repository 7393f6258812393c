"""The memory that a report needs, estimated before its folds are run."""

from __future__ import annotations

from typing import Any

from elseif.memory import require_memory
from elseif.tables.reading import Table

COPIES_OF_TABLE = 1  # rows of a fold, which is fitted and predicted for
NUMBERS_OF_A_ROW = 20  # labels, folds, places in lists, ranks, and curves
NUMBERS_OF_A_LABEL = 2  # probabilities, and those sorted


def bytes_of_report(X: Any, table: Table, n_labels: int) -> float:
    """Bytes of memory that a report takes in addition to its table.

    ``X`` is the table as it was given, ``table`` the same as it was read.
    """
    of_row = 8 * (NUMBERS_OF_A_ROW + NUMBERS_OF_A_LABEL * n_labels)
    return COPIES_OF_TABLE * _bytes_of_table(X, table) + table.n_rows * of_row


def check_report_memory(X: Any, table: Table, n_labels: int) -> None:
    """Raise where a report would take more memory than there is, with what would do."""
    require_memory(
        f"A report with folds on {table.n_rows:,} rows",
        bytes_of_report(X, table, n_labels),
        "Report on a sample of the rows, or give a held-out table in place of folds.",
    )


def _bytes_of_table(X: Any, table: Table) -> float:
    if hasattr(X, "memory_usage"):  # pandas
        return float(X.memory_usage(index=False).sum())
    if hasattr(X, "estimated_size"):  # polars
        return float(X.estimated_size())
    if hasattr(X, "nnz"):  # SciPy: numbers and their columns
        return 12.0 * X.nnz
    if hasattr(X, "nbytes"):  # NumPy, pyarrow
        return float(X.nbytes)
    return 8.0 * table.n_rows * len(table.names)
