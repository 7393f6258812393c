"""Progress of the work: silent by default, a bar on standard error if requested."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLLS_A_SECOND = 10

Report = Callable[[int], None]


class Progress:
    """Receives progress and shows nothing; a subclass may show it.

    Examples
    --------
    >>> from elseif.progress import Progress
    >>> progress = Progress()
    >>> with progress.stage("fitting folds", total=2) as report:
    ...     report(1)
    ...     report(2)
    >>> progress.note("one fold did not converge")
    """

    @contextmanager
    def stage(self, what: str, total: int) -> Iterator[Report]:
        """Begin a stage of the work.

        Parameters
        ----------
        what : str
            What is done.
        total : int
            Number of parts.

        Yields
        ------
        callable
            Takes the number of parts done.
        """
        yield lambda done: None

    def note(self, message: str) -> None:
        """Report something between stages.

        Parameters
        ----------
        message : str
            The message.
        """


class ProgressBar(Progress):
    """Shows a progress bar for each stage, on standard error.

    Examples
    --------
    >>> from elseif.progress import ProgressBar
    >>> bar = ProgressBar()
    >>> with bar.stage("fitting folds", total=2) as report:
    ...     report(2)
    >>> bar.note("one fold did not converge")
    """

    @contextmanager
    def stage(self, what: str, total: int) -> Iterator[Report]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress as Bars,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )

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
    """Report progress while compiled code, which cannot call back, is running."""
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
