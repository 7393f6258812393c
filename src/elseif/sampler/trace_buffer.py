"""Where compiled code writes the draws of a chain down, a page at a time."""

from __future__ import annotations

import numpy as np

from elseif import compiled
from elseif.sampler.run_length_draws import RunLengthDraws


def new_buffer(n_runs: int, n_items: int, n_labels: int) -> compiled.TraceBuffer:
    """Room for a number of runs of equal draws, and of antecedents in all their lists."""
    return compiled.TraceBuffer(
        n_runs=np.zeros(1, dtype=np.int64),
        starts=np.zeros(n_runs, dtype=np.int64),
        offsets=np.zeros(n_runs + 1, dtype=np.int64),
        items=np.zeros(n_items, dtype=np.int32),
        label_counts=np.zeros((n_items + n_runs, n_labels), np.int64),
        log_posterior=np.zeros(n_runs),
        replica=np.zeros(n_runs, dtype=np.int16),
    )


def filled_buffer(
    buffer: compiled.TraceBuffer, page: tuple[np.ndarray, ...]
) -> compiled.TraceBuffer:
    """The buffer with what another one held, from its starts on."""
    buffer.n_runs[0] = len(page[0])
    for into, part in zip(buffer[1:], page, strict=True):
        into[: len(part)] = part
    return buffer


def has_room(buffer: compiled.TraceBuffer, longest: int) -> bool:
    """Whether one more run, of a list up to a given length, can be recorded."""
    run = int(buffer.n_runs[0])
    return run + 1 < len(buffer.starts) and int(buffer.offsets[run]) + longest < len(buffer.items)


def draws_between(buffer: compiled.TraceBuffer, begin: int, end: int) -> RunLengthDraws:
    """The recorded draws of the iterations after begin, up to end."""
    n = int(buffer.n_runs[0])
    ends = np.append(buffer.starts[1:n], end + 1)
    starts = np.maximum(buffer.starts[:n], begin + 1)
    return RunLengthDraws(
        n_draws=np.maximum(ends, begin + 1) - starts,
        log_posterior=buffer.log_posterior[:n].copy(),
        offsets=buffer.offsets[: n + 1].copy(),
        items=buffer.items[: buffer.offsets[n]].copy(),
        label_counts=buffer.label_counts[: buffer.offsets[n] + n].copy(),
        replica=buffer.replica[:n].copy(),
    )
