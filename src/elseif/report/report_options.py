"""Options of a report, read from keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from elseif.errors import ParamError, ParamTypeError
from elseif.evaluation.cross_validation import Validation

# of a rare event, whose risks are low
LOW_THRESHOLDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03)
ENOUGH_THRESHOLDS = 4
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report, as keyword arguments of `summarise`.

    Parameters
    ----------
    folds : int | None
        Number of folds of cross-validation; None for none, if there is a held-out table.
    subgroups : Sequence[str] | Mapping[str, Any] | None
        Columns by which to report performance, or values by name for groups that are not a column.
    min_cell : int | None
        Round every number of people to multiples of this; everything else is computed from the
        rounded numbers.
    positive : Any
        The label whose risk is evaluated, against all others. By default the last of two labels; if
        there are more, each in turn.
    thresholds : Sequence[float] | None
        Risk thresholds; by default some up to the highest predicted risk.
    random_state : int
        Seed of the folds.
    title : str | None
        Title of the report.
    command : str | None
        The command that reproduces this report, for its last page.
    labels : str, path or dict
        A labels file, or its contents: names, units and words to show.
    note : str | None
        A note for readers at the top, such as that the data are synthetic.

    Examples
    --------
    >>> from elseif.report import ReportOptions
    >>> ReportOptions(folds=10).random_state
    0
    """

    folds: int | None = 5
    subgroups: Sequence[str] | Mapping[str, Any] | None = None
    min_cell: int | None = None
    positive: Any = None
    thresholds: Sequence[float] | None = None
    random_state: int = 0
    title: str | None = None
    command: str | None = None
    labels: Any = None
    note: str | None = None


def read_options(options: Mapping[str, Any]) -> ReportOptions:
    """Check keyword arguments, and take them as options."""
    known = [field.name for field in fields(ReportOptions)]
    for name in options:
        if name not in known:
            raise ParamTypeError(
                f"A report has no option {name!r}; its options are {', '.join(known)}."
            )
    read = ReportOptions(**options)
    if isinstance(read.subgroups, str):
        raise ParamTypeError(
            f"subgroups is {read.subgroups!r}; it must be a list of columns, "
            f"such as [{read.subgroups!r}]."
        )
    bad = [t for t in read.thresholds or () if not (isinstance(t, Real) and 0 < float(t) < 1)]
    if bad:
        raise ParamError(f"thresholds: {bad[0]!r} is not a risk; each must lie between 0 and 1.")
    return read


def risk_thresholds(options: ReportOptions, validation: Validation, position: int) -> list[float]:
    """The given thresholds, or usual ones up to the highest predicted risk."""
    if options.thresholds is not None:
        return [float(t) for t in options.thresholds]
    risks = validation.probabilities[:, position]
    lowest, highest = float(risks.min()), float(risks.max())
    usual = [t for t in THRESHOLDS if t <= highest]
    if len(usual) >= ENOUGH_THRESHOLDS:
        return usual
    return [t for t in LOW_THRESHOLDS if lowest < t <= highest] + usual
