"""The attack on what is about to be written: what it finds, and what follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elseif import load_model, save_model
from elseif.disclosure.attack import recovered_cells
from elseif.disclosure.coarse_sample import coarse_sample
from elseif.disclosure.holding import hold
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding, check_min_cell
from elseif.errors import DisclosureError, ParamError, ParamTypeError
from elseif.report.calculator import calculator_page
from elseif.report.explorer import explorer_page
from elseif.report.summary import summarise
from tests.report.reading import fitted, patients, summary

TEN = Rounding(10, 10)


def rows(*parts: tuple[int, int]) -> np.ndarray:
    """Rows from one to before another, of 100."""
    members = np.zeros(100, dtype=bool)
    for first, last in parts:
        members[first:last] = True
    return members


def test_rounding() -> None:
    assert TEN.counts([0, 4, 5, 9, 14, 15, 4.9, 5.1]).tolist() == [0, 0, 10, 10, 10, 20, 0, 10]
    assert Rounding(10, 20).count(9) == 0
    assert Rounding(10, 20).count(10) == 20
    assert "multiples of 2,000" in Rounding(10, 2000).sentence


@pytest.mark.parametrize("bad", [0, 1, -3])
def test_min_cell_too_small(bad: int) -> None:
    with pytest.raises(ParamError, match=f"min_cell is {bad}; it must be 2 or more"):
        check_min_cell(bad)


@pytest.mark.parametrize("bad", [True, 2.5, "10"])
def test_min_cell_of_another_type(bad: Any) -> None:
    with pytest.raises(ParamTypeError, match="whole number"):
        check_min_cell(bad)


def test_rounded_numbers_alone_tell_nothing() -> None:
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    for last in (3, 7, 16, 30, 99):
        cells.by_label(rows((0, last)))
    assert recovered_cells(cells) == []


def test_a_number_that_is_not_rounded_is_told() -> None:
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    cells.publish(rows((0, 7)), np.array([7.0]))
    assert [cell.n for cell in recovered_cells(cells)] == [7]


def test_a_difference_of_two_exact_numbers_is_told() -> None:
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    cells.publish(rows((0, 57)), np.array([57.0]))
    cells.publish(rows((0, 52)), np.array([52.0]))
    assert [cell.n for cell in recovered_cells(cells)] == [5]


def test_a_difference_that_two_pairs_share_is_told() -> None:
    """Each pair leaves it open; only one number fits both."""
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    # rows 40-45 are the difference of two pairs: one says at most 5, the other at least 5
    cells.publish(rows((0, 45)), np.array([45.0]))
    cells.publish(rows((0, 40)), np.array([40.0]))
    # 40 is taken as rounded: 35 to 44, so that the difference is 1 to 10
    assert recovered_cells(cells) == []
    cells.publish(rows((40, 64)), np.array([24.0]))
    cells.publish(rows((45, 64)), np.array([19.0]))
    assert {cell.n for cell in recovered_cells(cells)} == {5}


def test_parts_at_the_edge_of_their_intervals_are_told() -> None:
    """Nine parts of at most 4, and a sum of at least 35 that is 36 at most; and one part less."""
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    parts = [rows((4 * i, 4 * i + 4)) for i in range(9)]
    for part in parts:
        cells.publish(part, np.array([0.0]))
    cells.parted(parts)
    cells.publish(np.logical_or.reduce(parts), np.array([40.0]))
    assert recovered_cells(cells) == []  # 3 or 4 each
    cells.publish(rows((0, 36)) | rows((90, 100)), np.array([46.0]))  # exact
    cells.publish(rows((90, 100)), np.array([10.0]))
    cells.publish(rows((36, 90)), np.array([54.0]))
    cells.publish(rows((0, 90)), np.array([90.0]))
    cells.publish(np.ones(100, dtype=bool), np.array([100.0]))
    cells.publish(rows((36, 100)), np.array([64.0]))
    cells.publish(rows((32, 100)), np.array([68.0]))
    assert 4 in {cell.n for cell in recovered_cells(cells)}


def test_labels_are_attacked_each() -> None:
    codes = np.repeat([0, 1], 50)
    cells = Cells(codes, 2, TEN)
    cells.publish(rows((0, 20), (50, 53)), np.array([20.0, 3.0]))
    assert [(cell.label, cell.n) for cell in recovered_cells(cells)] == [(1, 3)]


def test_the_same_people_have_one_number() -> None:
    cells = Cells(np.zeros(100, dtype=int), 1, TEN)
    cells.by_label(rows((0, 7)))
    with pytest.raises(DisclosureError, match="The same people"):
        cells.publish(rows((0, 7)), np.array([0.0]))


def test_weights_are_told_in_units() -> None:
    weights = np.full(100, 3)
    cells = Cells(np.zeros(100, dtype=int), 1, TEN, weights, 0.5)
    assert cells.by_label(rows((0, 10))).tolist() == [20]  # 15.0
    cells.publish(rows((0, 5)), np.array([7.5]))
    assert [cell.n for cell in recovered_cells(cells)] == [7.5]


def test_holding_goes_on_to_a_coarser_multiple() -> None:
    tried = []

    def attempt(rounding: Rounding) -> tuple[int, list[Cells]]:
        tried.append(rounding.step)
        cells = Cells(np.zeros(100, dtype=int), 1, rounding)
        cells.publish(rows((0, 7)), np.array([7.0 if rounding.step < 40 else 0.0]))
        return rounding.step, [cells]

    assert hold(10, attempt) == 40
    assert tried == [10, 20, 40]


def test_a_coarse_sample_is_of_multiples() -> None:
    rng = np.random.default_rng(0)
    codes, risk = rng.integers(0, 3, 500), rng.integers(0, 6, 500) / 10
    members = rng.random(500) < 0.6
    exact = coarse_sample(Cells(codes, 3), members, risk, 1)
    assert exact[0].sum() == np.sum(members & (codes == 1))
    truth, risks = coarse_sample(Cells(codes, 3, TEN), members, risk, 1)
    for each in np.unique(risks):
        assert np.sum(truth & (risks >= each)) % 10 == 0
        assert np.sum(~truth & (risks >= each)) % 10 == 0
        true_events = np.sum(members & (codes == 1) & (risk >= each))
        assert abs(np.sum(truth & (risks >= each)) - true_events) <= 5


# ---------------------------------------------------------------------------- mutants


@pytest.fixture
def unrounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that publishes numbers as they are."""
    monkeypatch.setattr(Rounding, "counts", lambda self, n: np.asarray(n, dtype=float))


@pytest.mark.usefixtures("unrounded")
def test_the_attack_catches_a_report_that_does_not_round() -> None:
    X, y = patients()
    with pytest.raises(DisclosureError, match="nothing was written"):
        summarise(fitted(), X, y, folds=2, min_cell=10)


@pytest.mark.usefixtures("unrounded")
def test_the_attack_catches_an_explorer_that_does_not_round() -> None:
    with pytest.raises(DisclosureError, match="nothing was written"):
        explorer_page(fitted(), *patients(), min_cell=10)


@pytest.mark.usefixtures("unrounded")
def test_the_attack_catches_a_model_that_does_not_round(tmp_path: Path) -> None:
    small = [n for rule in fitted().rule_list_ for n in rule.label_counts if 0 < n < 10]
    assert small
    with pytest.raises(DisclosureError, match="nothing was written"):
        save_model(fitted(), tmp_path / "model.json", min_cell=10)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DisclosureError, match="nothing was written"):
        calculator_page(fitted(), min_cell=10)


def test_one_number_that_is_not_rounded_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that forgets a single group of people in one table."""
    X, y = patients()
    n_missing = int(X["creatinine"].isna().sum())
    by_label = Cells.by_label

    def leaky(self: Cells, members: np.ndarray) -> np.ndarray:
        if self.rounding is not None and members.sum() == n_missing:
            counts = np.bincount(self.codes[members], minlength=self.n_labels).astype(float)
            self.publish(members, counts)
            return counts
        return by_label(self, members)

    monkeypatch.setattr(Cells, "by_label", leaky)
    with pytest.raises(DisclosureError):
        summarise(fitted(), X, y, folds=2, min_cell=10)


def test_a_model_keeps_its_rounding(tmp_path: Path) -> None:
    """What is made of a disclosed model is as coarse: its report says so without being told."""
    path = save_model(fitted(), tmp_path / "model.json", min_cell=10)
    again = load_model(path)
    X, y = patients()
    assert summarise(again, X, y, folds=2).about.rounded_to == 10
    assert summary().about.rounded_to is None
