"""Enumerations and cut texts."""

from __future__ import annotations

import pytest

from elseif.phrases import clipped, counted, joined


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


def test_numbers_of_things() -> None:
    assert counted(1, "rule") == "1 rule"
    assert counted(0, "rule") == "0 rules"
    assert counted(12_345_678, "row") == "12,345,678 rows"
    assert counted(2, "category", "categories") == "2 categories"
