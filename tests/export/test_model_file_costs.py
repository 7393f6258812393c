"""Loading and using a model file takes memory and time in proportion to the file's size."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import pytest

import elseif
from elseif.errors import ExportError
from elseif.export.formats import FORMATS, export_model
from elseif.export.model_file import model_from_bytes
from tests.export.forgeries import FORGERIES, Document, a_rule_of_many_conditions, sealed

ROOT = Path(__file__).parents[2]
ROOM, FOR_EACH_BYTE = 20_000_000, 100  # bytes of memory for any file, and for each of its bytes

PROCESS = 500_000_000  # with its libraries, and with what the forgery was made of

every_kind = pytest.mark.parametrize("kind", FORGERIES, ids=lambda kind: kind.__name__)


Taken = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def taken() -> Iterator[Taken]:
    """What files of a kind took in a process with limits of memory and of processor time."""
    source = Path(elseif.__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.export.loading"],
        cwd=ROOT,
        env={"PYTHONPATH": f"{source}:{ROOT}", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        asked, answers = process.stdin, process.stdout
        assert asked is not None
        assert answers is not None

        def take(way: str, kind: Callable[[int], Document], *sizes: int) -> list[dict[str, Any]]:
            print(way, kind.__name__, *sizes, file=asked, flush=True)
            *result, ended_by = (json.loads(line) for line in _until_the_end(answers))
            assert ended_by == 0
            return result

        yield take
        asked.close()


def _until_the_end(lines: IO[str]) -> Iterator[str]:
    """Lines up to the one that says how the process ended, which is a number."""
    for line in lines:
        yield line
        if not line.startswith("{"):
            return


@pytest.mark.fault(
    "65-70",
    "a model file designed to exhaust time or memory",
    "loading, reading and predicting take time and memory proportional to its size, or "
    "it is refused; more than 10^8 draws are not expanded (`ResourceError`); a list with "
    "more than 1,000 comparisons is not exported as code (`ExportError`)",
)
@every_kind
def test_memory_is_in_proportion(taken: Taken, kind: Callable[[int], Document]) -> None:
    """Files of 0.1, 0.2 and 0.4 MB take no more than twice as much each time."""
    result = taken("traced", kind, 1, 2, 4)
    assert len(result) == 3
    for each in result:
        assert each["peak"] <= ROOM + FOR_EACH_BYTE * each["size"], each
    for one, twice in pairwise(result):
        assert twice["peak"] <= 2.5 * max(one["peak"], ROOM / 4), result


@pytest.mark.slow
@every_kind
def test_a_large_file_ends_in_time(taken: Taken, kind: Callable[[int], Document]) -> None:
    """One of 7 MB, within the processor time and the memory that the process is given."""
    (result,) = taken("limited", kind, 70)
    assert result["size"] > 5_000_000
    assert result["peak"] <= PROCESS + FOR_EACH_BYTE * result["size"]


@pytest.mark.parametrize("to", [name for name, f in FORMATS.items() if f.predicts])
def test_a_list_that_no_program_could_hold(to: str) -> None:
    """SQL of as many comparisons took minutes to write, and no database reads it."""
    export_model(model_from_bytes(sealed(a_rule_of_many_conditions(100))), to)
    with pytest.raises(ExportError, match="more than 1,000 comparisons"):
        export_model(model_from_bytes(sealed(a_rule_of_many_conditions(1001))), to)
