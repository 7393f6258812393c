"""Everything needed to continue a chain elsewhere: lists, counters and draws, but no observations.

What the rules of a list capture follows from the list and the data, so the only counts of
observations in a snapshot are those of the draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from elseif import compiled
from elseif.sampler.run_length_draws import RunLengthDraws

PAGE = ("starts", "offsets", "items", "label_counts", "log_posterior", "replica")
_NUMBERS = (
    "adapted_until", "capacity", "n_items", "kept_from", "page_begin", "uniform", "next_redraw",
)  # fmt: skip
_ARRAYS = ("start", "stream", "addition_weights", "beta", "lists", "replica", "turn", "block")
_RUNS = tuple(field.name for field in fields(RunLengthDraws))


@dataclass(frozen=True, eq=False)
class ChainSnapshot:
    """The state of a chain, its adaptation, and its kept draws."""

    adapted_until: int  # end of the last adaptation window
    capacity: int  # length of list that there is room for
    n_items: int  # room for list entries of the page
    kept_from: int  # the iteration after which draws are kept
    page_begin: int  # and that after which they are on the page rather than in pages
    uniform: bool  # whether additions are proposed uniformly
    next_redraw: int  # the iteration after which the list is redrawn, if there is a block
    start: np.ndarray  # int64: the list that it began with
    stream: np.ndarray  # uint64 (4,): random numbers to come
    counters: tuple[np.ndarray, ...]  # compiled.Info
    addition_weights: np.ndarray  # float64 (temperatures, antecedents)
    beta: np.ndarray  # float64 (temperatures,)
    lists: np.ndarray  # int64 (replicas, longest), then -1
    replica: np.ndarray  # int64 (temperatures,)
    turn: np.ndarray  # int64 (3,): temperature at work, steps left at it, rounds of swaps
    block: np.ndarray  # int64: antecedents that a list is redrawn from; none before redraws begin
    pages: RunLengthDraws  # that were handed over
    page: tuple[np.ndarray, ...]  # compiled.TraceBuffer, without the number of runs

    @property
    def n_done(self) -> int:
        """Iterations so far."""
        return int(self.counters[0][0])

    def without_pages(self) -> ChainSnapshot:
        """What is needed to continue, without the draws that were handed over."""
        return replace(self, pages=no_runs(self.page[3].shape[1]))

    def to_arrays(self) -> tuple[dict[str, int], dict[str, np.ndarray]]:
        """Numbers and arrays by name, as a file holds them."""
        numbers = {name: int(getattr(self, name)) for name in _NUMBERS}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        names = compiled.Info._fields
        arrays |= {f"info.{k}": v for k, v in zip(names, self.counters, strict=True)}
        arrays |= {f"pages.{name}": getattr(self.pages, name) for name in _RUNS}
        arrays |= {f"page.{k}": v for k, v in zip(PAGE, self.page, strict=True)}
        return numbers, arrays


def from_arrays(numbers: Mapping[str, int], arrays: Mapping[str, np.ndarray]) -> ChainSnapshot:
    """A snapshot from the results of ``to_arrays``, unchecked; KeyError if a part is missing."""
    values: dict[str, Any] = {name: int(numbers[name]) for name in _NUMBERS}
    values |= {name: arrays[name] for name in _ARRAYS}
    return ChainSnapshot(
        **values,
        counters=tuple(arrays[f"info.{name}"] for name in compiled.Info._fields),
        pages=RunLengthDraws(**{name: arrays[f"pages.{name}"] for name in _RUNS}),
        page=tuple(arrays[f"page.{name}"] for name in PAGE),
    )


def lists_as_array(lists: Sequence[Sequence[int]]) -> np.ndarray:
    """Lists as the rows of an array, filled up with -1."""
    rows = np.full((len(lists), max(map(len, lists))), -1, dtype=np.int64)
    for row, items in zip(rows, lists, strict=True):
        row[: len(items)] = items
    return rows


def no_runs(n_labels: int) -> RunLengthDraws:
    """No draws at all."""
    return RunLengthDraws(
        n_draws=np.zeros(0, dtype=np.int64),
        log_posterior=np.zeros(0),
        offsets=np.zeros(1, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        label_counts=np.zeros((0, n_labels), dtype=np.int64),
        replica=np.zeros(0, dtype=np.int16),
    )
