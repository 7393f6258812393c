"""How far the work has got: silent by default, a bar on standard error when asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLLS_A_SECOND = 10

Report = Callable[[int], None]


class Progress:
    """Progress that nobody watches."""

    @contextmanager
    def stage(self, what: str, total: int) -> Iterator[Report]:
        """A stretch of work; what is yielded takes the number of parts done."""
        yield lambda done: None

    def note(self, message: str) -> None:
        """Something worth saying between stages."""


class ProgressBar(Progress):
    """A bar for each stage, on standard error."""

    @contextmanager
    def stage(self, what: str, total: int) -> Iterator[Report]:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        with bars:
            task = bars.add_task(what, total=total)
            yield lambda done: bars.update(task, completed=done)
            bars.update(task, completed=total)

    def note(self, message: str) -> None:
        from rich.console import Console

        Console(stderr=True).print(message, markup=False, highlight=False)


@contextmanager
def polled(report: Report, done: Callable[[], int]) -> Iterator[None]:
    """Report while compiled code, which cannot call back, is at work."""
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(1 / POLLS_A_SECOND):
            report(done())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()
