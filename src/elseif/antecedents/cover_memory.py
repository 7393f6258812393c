"""The memory that packed covers take, reported before it is allocated."""

from __future__ import annotations

import warnings

from elseif.bits.packing import BitLayout
from elseif.errors import LargeDataWarning

LARGE_BYTES, LARGE_ROWS = 1e9, 10_000_000


def bytes_of_covers(n_covers: int, layout: BitLayout) -> int:
    """Memory that this many packed covers take, in bytes."""
    return n_covers * layout.n_words * 8


def warn_of_large_covers(n_covers: int, what: str, layout: BitLayout) -> None:
    """Warn of the memory about to be used, if it is much or the rows are many."""
    size = bytes_of_covers(n_covers, layout)
    if size >= LARGE_BYTES or layout.n_rows >= LARGE_ROWS:
        warnings.warn(
            f"The packed covers of {n_covers:,} {what} over {layout.n_rows:,} observations take "
            f"{f'{size / 1e9:.1f} GB' if size >= 1e9 else f'{size / 1e6:.1f} MB'} of memory.",
            LargeDataWarning,
            stacklevel=2,
        )
