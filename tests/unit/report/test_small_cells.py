"""Small cells are withheld, and so is what they could be told from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elseif.errors import ParamError, ParamTypeError
from elseif.report.small_cells import WITHHELD, SmallCells

tables = st.lists(st.lists(st.integers(0, 30), min_size=2, max_size=2), min_size=1, max_size=8).map(
    np.array
)


@given(tables, st.integers(2, 12))
def test_no_small_cell_is_shown_or_told_from_the_totals(cells: np.ndarray, k: int) -> None:
    hidden = SmallCells(k).hidden(cells)
    shown = cells[~hidden]
    assert not ((shown > 0) & (shown < k)).any()
    rest = cells[hidden].sum(axis=0)
    if not hidden[cells.sum(axis=1) > 0].all():
        assert not ((rest > 0) & (rest < k)).any()


@given(tables, st.integers(2, 12))
def test_points_of_a_curve_differ_by_nobody_or_by_enough(steps: np.ndarray, k: int) -> None:
    counts = np.vstack([[0, 0], np.cumsum(steps, axis=0)])
    shown = SmallCells(k).told_apart(counts[:, 0], counts[:, 1])
    assert shown[-1]
    differences = np.diff(counts[shown], axis=0)
    if shown.sum() > 2:
        assert not ((differences > 0) & (differences < k)).any()


def test_everything_is_shown_by_default() -> None:
    cells = SmallCells(None)
    assert not cells.on
    assert cells.count(1) == 1
    assert not cells.hidden(np.array([[1, 2], [0, 3]])).any()
    assert cells.told_apart(np.array([0, 1, 2]), np.array([0, 0, 5])).all()


def test_a_lone_count() -> None:
    cells = SmallCells(5)
    assert [cells.count(n) for n in (0, 1, 4, 5)] == [0, WITHHELD, WITHHELD, 5]


def test_one_small_row_takes_another_along() -> None:
    hidden = SmallCells(5).hidden(np.array([[20, 20], [3, 9], [8, 30], [6, 7]]))
    assert hidden.tolist() == [False, True, False, True]


@pytest.mark.parametrize("smallest", [1, 0, -5])
def test_too_small_a_limit(smallest: int) -> None:
    with pytest.raises(ParamError, match="2 or more"):
        SmallCells(smallest)


def test_a_limit_is_a_whole_number() -> None:
    with pytest.raises(ParamTypeError, match="whole number"):
        SmallCells(2.5)  # type: ignore[arg-type]
