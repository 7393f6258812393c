"""All outputs of one command, with the same number for the same people in every file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.disclosure.holding import hold
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.export.disclosed import rounded_model
from elseif.fitted_model import FittedModel
from elseif.report.counted import Counted, count_people
from elseif.report.exploration import Exploration
from elseif.report.explorer_data import explorer_data
from elseif.report.report_data import ReportData
from elseif.report.summary import Summary, summary_of
from elseif.report.training import Training


@dataclass(frozen=True, eq=False)
class Outputs:
    """A model, the numbers of a report and the data of an explorer; None if not requested."""

    model: FittedModel | None
    summary: Summary | None
    explorer: dict[str, Any] | None
    rounding: Rounding | None = None  # of every number of people in them


def outputs(
    trained: Training,
    min_cell: int | None,
    model: FittedModel | None = None,
    evidence: ReportData | None = None,
    explored: Exploration | None = None,
) -> Outputs:
    """Everything that is about to be written, with the same rounding, and attacked as a whole.

    ``model``, ``evidence`` and ``explored`` are None if no model, report or explorer is written.
    """
    apart = None if evidence is None else evidence.apart
    if min_cell is None:
        exact = count_people(trained, None, apart)
        return Outputs(
            model,
            None if evidence is None else summary_of(evidence, exact),
            None if explored is None else explorer_data(explored),
        )

    def attempt(rounding: Rounding) -> tuple[Outputs, list[Cells]]:
        counted = count_people(trained, rounding, apart)
        made = Outputs(
            None if model is None else _model(model, trained, counted, rounding),
            None if evidence is None else summary_of(evidence, counted),
            None if explored is None else explorer_data(explored, counted.weighted),
            rounding,
        )
        return made, counted.published

    return hold(min_cell, attempt)


def _model(
    model: FittedModel, trained: Training, counted: Counted, rounding: Rounding
) -> FittedModel:
    """The model with its lists as the training people are shown."""
    counted.weighted.by_label(np.ones(len(trained.rows), dtype=bool))
    lists = [counted.list_of_training(each, trained) for each in model.lists]
    return rounded_model(model, rounding, *lists)
