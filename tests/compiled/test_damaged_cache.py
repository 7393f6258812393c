"""Compiled code is kept on disk: whatever happens to it there, a fit gives its result."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from elseif.compiled.cache import keep_on_disk

FIT = """
from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
{}
clf = BayesianRuleListClassifier(random_state=0, kernel="exact", n_iter=2000)
print(clf.fit(*load_titanic("paper")).rule_list_)
"""
FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
ANNOUNCED = "compiling"
QUICK_TO_COMPILE = 50_000  # bytes of a function; the larger ones take most of the time


def fit_with(cache: Path, first: str = "") -> subprocess.CompletedProcess[str]:
    """A fit in a new process that keeps its compiled code in a folder."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", FIT.format(first)],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        check=False,
    )


def cut_short(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(content: bytes) -> bytes:
    return b""


def garbage(content: bytes) -> bytes:
    return b"\x80\x05garbage" + content[::-1]


def zeros_at_its_end(content: bytes) -> bytes:
    """What a loss of power leaves of a file whose last blocks were not written."""
    return content[: len(content) // 2].ljust(len(content), b"\0")


def one_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def some_of(cache: Path) -> list[tuple[Path, Path]]:
    """Index and code of the functions of a cache that are quick to compile again."""
    indices = sorted(cache.rglob("*.nbi"))
    files = [(index, next(cache.rglob(f"{index.stem}.*.nbc"))) for index in indices]
    result = [both for both in files if both[1].stat().st_size < QUICK_TO_COMPILE]
    assert 1 < len(result) < len(files)
    return result


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder of compiled code, and what a fit with it prints."""
    cache = tmp_path_factory.mktemp("cache")
    first, second = fit_with(cache), fit_with(cache)
    assert ANNOUNCED in first.stderr
    assert (second.returncode, second.stderr) == (0, "")
    assert first.stdout == second.stdout
    return cache, first.stdout


@pytest.mark.fault(
    "",
    "damaged files in Numba's cache, or no space for them",
    "the functions are compiled again",
)
def test_damaged_files_are_compiled_again(kept: tuple[Path, str], tmp_path: Path) -> None:
    """The result is the same, and the files are whole again for the next."""
    cache = shutil.copytree(kept[0], tmp_path / "cache")
    for i, (index, code) in enumerate(some_of(cache)):
        file, damage = (index, cut_short) if i % 2 else (code, one_bit)
        file.write_bytes(damage(file.read_bytes()))
    done, again = fit_with(cache), fit_with(cache)
    assert (done.returncode, done.stdout) == (0, kept[1]), done.stderr
    assert ANNOUNCED in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert (again.returncode, again.stdout, again.stderr) == (0, kept[1], "")


def test_a_damaged_file_on_a_full_disk(kept: tuple[Path, str], tmp_path: Path) -> None:
    """Compiled code that cannot be kept is compiled all the same."""
    cache = shutil.copytree(kept[0], tmp_path / "cache")
    emptied_indices = [index for index, _ in some_of(cache)]
    for index in emptied_indices:
        index.write_bytes(b"")
    done = fit_with(cache, FULL_DISK)
    assert (done.returncode, done.stdout) == (0, kept[1]), done.stderr
    assert ANNOUNCED in done.stderr
    assert not any(index.read_bytes() for index in emptied_indices)


@pytest.mark.parametrize("damage", [cut_short, emptied, garbage, zeros_at_its_end, one_bit])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_no_damaged_file_is_read(
    suffix: str, damage: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a function that was kept: it is compiled anew, and kept again."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def add_one(number: int) -> int:
        return number + 1

    def is_found() -> bool:
        function = keep_on_disk(numba.njit(add_one))
        assert function(41) == 42
        return bool(function.stats.cache_hits)

    assert [is_found(), is_found()] == [False, True]
    (file,) = tmp_path.rglob(f"*.{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    assert [is_found(), is_found()] == [False, True]
