"""Work for several processes or machines, on any joblib back end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import joblib
from joblib.parallel import get_active_backend

from elseif.errors import ResourceError

Result = TypeVar("Result")

MOST_RETRIES = 3  # after workers that died, before the work is given up
# what back ends raise if a worker has ended, each with its own name
LOST_WORKER = {
    "ActorDiedError", "BrokenExecutor", "BrokenProcessPool", "CancelledError", "CommClosedError",
    "FutureCancelledError", "KilledWorker", "OutOfMemoryError", "RayActorError",
    "TerminatedWorkerError", "WorkerCrashedError",
}  # fmt: skip


def works_here() -> bool:
    """Whether parallel work stays in this process, as it does unless a back end was requested."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))


def is_lost_worker(error: BaseException) -> bool:
    """Whether an error means that a worker has died, rather than that its task failed."""
    return any(kind.__name__ in LOST_WORKER for kind in type(error).__mro__)


def across_workers(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]]
) -> Iterator[Result]:
    """Call an importable function for each task, and yield the results in the order of the tasks.

    The calls are made one after another in this process, or by the workers of
    ``joblib.parallel_config``. Tasks of a worker that died are repeated.
    """
    if works_here():
        yield from (function(*task) for task in tasks)
        return
    backend, _ = get_active_backend(prefer="threads")
    how = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    n_done = n_lost = 0
    while n_done < len(tasks):
        try:
            work = joblib.Parallel(prefer="threads", return_as=how)
            for result in work(joblib.delayed(Task(function, task))() for task in tasks[n_done:]):
                n_done += 1
                yield result
        except Exception as error:
            n_lost += 1
            if not is_lost_worker(error):
                raise
            if n_lost > MOST_RETRIES:
                raise ResourceError(
                    f"Workers ended {n_lost} times, the last time with {type(error).__name__}: "
                    f"{error}. They may lack memory: use fewer of them, by n_jobs."
                ) from error


@dataclass(frozen=True, eq=False)
class Task(Generic[Result]):
    """A call that is sent to a worker as one object.

    Dask would leave large arguments with one worker for the others to fetch, and wait for ever if
    that one has died.
    """

    function: Callable[..., Result]
    arguments: tuple[Any, ...]

    def __call__(self) -> Result:
        """Make the call; parallel work in it uses threads of the worker."""
        with joblib.parallel_config(backend="threading"):
            return self.function(*self.arguments)
