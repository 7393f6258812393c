"""Under a minimum cell the range of a number is told only where enough people lie at its ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from elseif.export import read_model, save_model
from elseif.export.disclosed import disclosed
from elseif.report import calculator_page
from tests.report.reading import fitted


def test_ranges_under_a_minimum_cell(tmp_path: Path) -> None:
    """Kept where as many people as the rounding step lie beyond it; files and pages agree."""
    model = fitted().model_
    ranged = [c.name for c in model.fit_report.columns if c.range is not None]
    assert ranged == ["age", "creatinine", "visit"]
    people = {c.range.people for c in model.fit_report.columns if c.range is not None}
    for min_cell in (2, 5, 30):
        made = disclosed(model, min_cell)
        assert made.metadata.rounding is not None
        step = made.metadata.rounding.step
        with_range = [c for c in made.fit_report.columns if c.range is not None]
        assert [c.name for c in with_range] == (ranged if min(people) >= step else [])
        assert all(c.range.people >= step for c in with_range if c.range is not None)
        read = read_model(save_model(made, tmp_path / f"{min_cell}.json"))
        assert [c.range for c in read.fit_report.columns] == [
            c.range for c in made.fit_report.columns
        ]
        asked = {column for a in read.rule_list.antecedents for column in a.columns}
        is_told = bool(asked & {c.name for c in with_range})
        assert ("Most training data: " in calculator_page(read)) == is_told


def test_a_model_without_ranges_still_works(tmp_path: Path) -> None:
    """Files of earlier releases have none: nothing is expected of a value."""
    model = fitted().model_
    columns = tuple(replace(c, range=None) for c in model.fit_report.columns)
    old = replace(model, fit_report=replace(model.fit_report, columns=columns))
    path = save_model(old, tmp_path / "old.json")
    assert '"range"' not in path.read_text()
    assert "Most training data: " not in calculator_page(read_model(path))
