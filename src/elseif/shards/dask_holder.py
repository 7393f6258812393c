"""Shards as actors of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from elseif.parallel import is_lost_worker
from elseif.shards.shard_rows import ShardRows
from elseif.shards.shards import ShardLostError

WAITING = 30.0  # seconds to wait for a replacement of a worker that died


class DaskHolder:
    """A shard that a worker of a Dask cluster holds.

    ``frame`` is the lazy answer from which ``as_rows`` makes ShardRows on the worker. Shards with
    neighbouring positions go to different workers.
    """

    def __init__(
        self, client: Any, frame: Any, as_rows: Callable[[Any], ShardRows], number: int
    ) -> None:
        self._client, self._frame, self._as_rows, self._place = client, frame, as_rows, number
        self._future: Any = None
        self._actor: Any = None

    def start(self) -> None:
        """Have a worker read the rows and make the shard."""
        from elseif.shards.shard import Shard  # loads compiled code

        self._actor = self._future = None
        with suppress(TimeoutError):  # then the work itself says what is wrong
            self._client.wait_for_workers(1, timeout=WAITING)
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise ShardLostError(f"the cluster has had no worker for {WAITING:g} seconds")
        where = {"workers": [workers[self._place % len(workers)]], "allow_other_workers": True}
        with losing():
            answer = self._client.compute(self._frame, **where)
            rows = self._client.submit(self._as_rows, answer, pure=False, **where)
            self._future = self._client.submit(Shard, rows, actor=True, pure=False, **where)

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Begin to call a method of the shard."""
        if self._future is None:
            raise ShardLostError("it could not be made again")
        with losing():
            if self._actor is None:
                self._actor = self._future.result()
            return getattr(self._actor, name)(*arguments)

    def answer(self, asked: Any) -> Any:
        """Wait for the method's result."""
        with losing():
            return asked.result()


@contextmanager
def losing() -> Iterator[None]:
    """Raise ShardLostError for what Dask raises where the worker of an actor has ended."""
    try:
        yield
    except Exception as error:
        # some of these errors have no class of their own
        says_lost = isinstance(error, OSError) or (
            type(error) is RuntimeError and "Actor" in str(error) and "lost" in str(error)
        )
        if says_lost or is_lost_worker(error):
            raise ShardLostError(f"{type(error).__name__}: {error}") from error
        raise
