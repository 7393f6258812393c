"""Ctrl-C while rows are in shards: what there is, as with rows on one machine."""

from __future__ import annotations

import pytest

from tests.cli.program import printed_by_python


@pytest.mark.fault(50, "Ctrl-C during a fit whose rows are in shards",
                   "as in Python with rows in memory: the longest whole run, which `sample_more` "
                   "continues with the draws of an uninterrupted one")  # fmt: skip
def test_ctrl_c_gives_what_there_is() -> None:
    """Once: the last whole run, which goes on; again: the end of all chains.

    A worker that was started in the same terminal ends by the same Ctrl-C: it is not waited for.
    """
    lines = printed_by_python("-m", "tests.shards.interrupted", timeout=300)
    assert lines == ["500 interrupted", "lost 1 interrupted", "ended", "soon"]
