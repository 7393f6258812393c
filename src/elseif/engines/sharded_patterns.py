"""Patterns of conditions that stay with the workers of a Dask cluster, in shards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from elseif.bits.pattern_keys import in_order
from elseif.engines.lazy_table import COUNT, LABEL, LazyLabels, LazyTable
from elseif.engines.patterns import as_arrays, rows_of_patterns
from elseif.errors import ParamError
from elseif.shards.dask_holder import DaskHolder
from elseif.shards.shard_rows import ShardRows
from elseif.shards.shards import Shards

SAMPLED = 100_000  # rows by which shards are made about equally large


def dask_client(X: Any) -> Any:
    """The cluster that a Dask frame is computed on, or None without one."""
    if not nw.from_native(X).implementation.is_dask():
        return None
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:  # no client has been made
        return None


def require_client(X: Any, n_shards: int) -> Any:
    """The cluster that a Dask frame is computed on; ParamError without one."""
    client = dask_client(X)
    if client is None:
        raise ParamError(
            f"n_shards={n_shards} asks for workers that hold the rows: X must be a Dask frame, and "
            "a Dask cluster must be there, as after client = distributed.Client(). X is a "
            f"{type(X).__module__.partition('.')[0]} {type(X).__name__}."
        )
    return client


def shard_patterns(
    table: LazyTable,
    labels: LazyLabels,
    expressions: Sequence[Any],
    client: Any,
    n_shards: int | None = None,
) -> Shards:
    """Have the workers of a Dask cluster count and store the patterns of conditions.

    A shard is a range of the patterns, in the order that they have on one machine. By default, each
    worker has one.
    """
    rows, names = rows_of_patterns(table, labels, expressions)
    columns = table.names_of_keys(*names, LABEL)
    if n_shards is None:
        n_shards = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    bounds = _bounds(rows, names, labels.n_rows, n_shards)
    as_rows = partial(_shard_rows, names=names, labels=labels)
    holders = []
    for number, within in enumerate(_ranges(names, bounds)):
        some = rows if within is None else rows.filter(within)
        answer = some.group_by(*columns).agg(nw.len().alias(COUNT))
        holders.append(DaskHolder(client, answer.to_native(), as_rows, number))
    return Shards(holders, len(labels.classes), labels.unit)


def _shard_rows(answer: Any, names: Sequence[str], labels: LazyLabels) -> ShardRows:
    """The rows of a shard from the engine's answer, on the worker that holds it."""
    frame = nw.from_native(answer, eager_only=True)
    arrays = as_arrays(frame, names, labels)
    return ShardRows(*in_order(*arrays), len(labels.classes))


def _bounds(
    rows: nw.LazyFrame[Any], names: Sequence[str], n_rows: int, n_shards: int
) -> list[tuple[int, ...]]:
    """Patterns at which one shard ends, the most significant number first: from a sample."""
    if n_shards == 1 or not names:
        return []
    share = min(1.0, SAMPLED / max(1, n_rows))
    native = rows.select(*names).to_native()
    some = native if share == 1.0 else native.sample(frac=share, random_state=0)
    keys = some.compute()[list(names)].to_numpy().astype(np.int64)
    keys = keys[np.lexsort(tuple(keys.T))]
    ends = [len(keys) * k // n_shards for k in range(1, n_shards)] if len(keys) else []
    return sorted({tuple(keys[end][::-1].tolist()) for end in ends})


def _ranges(names: Sequence[str], bounds: Sequence[tuple[int, ...]]) -> list[Any]:
    """A filter for each shard: patterns above one bound and not above the next."""
    if not bounds:
        return [None]
    upto = [_not_above(names[::-1], bound) for bound in bounds]
    between = [~low & high for low, high in pairwise(upto)]
    return [upto[0], *between, ~upto[-1]]


def _not_above(names: Sequence[str], bound: Sequence[int]) -> Any:
    """Whether numbers, the most significant first, come no later than others."""
    first, value = nw.col(names[0]), bound[0]
    if len(names) == 1:
        return first <= value
    return (first < value) | ((first == value) & _not_above(names[1:], bound[1:]))
