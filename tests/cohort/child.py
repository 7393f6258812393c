"""Extracts in a process of its own, which may be told how to fail.

python -m tests.cohort.child DATABASE FOLDER whole
python -m tests.cohort.child DATABASE FOLDER die-at-file 3     killed before the third file
python -m tests.cohort.child DATABASE FOLDER die-at-file NAME  killed before the file of a name
python -m tests.cohort.child DATABASE FOLDER full-at-bytes 900 no file may grow beyond 900 bytes
python -m tests.cohort.child DATABASE FOLDER wait-for FILE     begin when a file exists
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path

from elseif.cohort import connect, extract
from elseif.errors import ElseifError
from tests.cohort.definitions import HANDMADE

BATCH = 60
REFUSED = 6


def die_at_file(folder: str, which: str) -> None:
    """End this process without a word, as it is about to give a file in the folder its name."""
    seen = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event == "os.rename" and str(arguments[1]).startswith(folder):
            seen += 1
            if which in (str(seen), Path(str(arguments[1])).name):
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def main(path: str, folder: str, how: str, detail: str = "") -> int:
    with connect(path, "cdm") as database:
        if how == "die-at-file":
            die_at_file(folder, detail)
        elif how == "full-at-bytes":
            limit = int(detail)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        elif how == "wait-for":
            while not Path(detail).exists():
                time.sleep(0.001)
        try:
            extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)
        except ElseifError as error:
            print(error, file=sys.stderr)
            return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
