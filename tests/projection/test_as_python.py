"""The search runs as plain Python with NUMBA_DISABLE_JIT=1, and finds the same."""

from __future__ import annotations

from tests.compiled.test_as_python import run


def test_searches_find_the_same_compiled_or_not() -> None:
    compiled, python = (run("tests.projection.searches", as_python=flag) for flag in (False, True))
    assert compiled.returncode == python.returncode == 0, compiled.stderr + python.stderr
    lines = python.stdout.splitlines()
    assert lines == compiled.stdout.splitlines()
    by_way = [[x.split(maxsplit=2)[2] for x in lines if f" {way} " in x] for way in (True, False)]
    assert len(by_way[0]) == 6 * 4
    assert by_way[0] == by_way[1]  # looking at all lists, and local search
