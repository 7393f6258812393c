"""Enumerations and cut texts."""

from __future__ import annotations

import pytest

from elseif.phrases import clipped, joined


@pytest.mark.parametrize(
    ("parts", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")],
)
def test_enumerations(parts: list[str], text: str) -> None:
    assert joined(parts, "or") == text


def test_only_long_texts_are_cut() -> None:
    """Without a space before the ellipsis."""
    assert clipped("atrial fibrillation", 19) == "atrial fibrillation"
    assert clipped("atrial fibrillation", 8) == "atrial…"
