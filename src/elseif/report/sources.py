"""What pages are made of: a fitted classifier, a model read from a file, or a bare list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.conditions.fit_report import FitReport
from elseif.errors import ParamTypeError
from elseif.posterior.rule_list import RuleList


@dataclass(frozen=True, eq=False)
class ListSource:
    """The list that predicts, and what is known of the columns it was learnt from."""

    rule_list: RuleList
    fit_report: FitReport | None = None
    stands_in: bool = False  # for an average over many lists, which predicts

    def levels(self, column: str) -> tuple[tuple[Any, ...], bool]:
        """The categories of a column that are known, and whether training saw no others."""
        columns = () if self.fit_report is None else self.fit_report.columns
        found = next((c for c in columns if c.name == column), None)
        if found is None or not found.levels:
            return (), False
        return found.levels, not found.n_other_levels

    def may_be_missing(self, column: str) -> bool:
        """Whether a column lacked values in training, or that is left out."""
        columns = () if self.fit_report is None else self.fit_report.columns
        return any(c.name == column and c.n_missing != 0 for c in columns)


def list_source(model: Any) -> ListSource:
    """The list of a fitted classifier (which predicts), of a model, or the list itself."""
    if isinstance(model, RuleList):
        return ListSource(model)
    for suffix in ("_", ""):  # a classifier has rule_list_, a model read from a file rule_list
        chosen = getattr(model, f"rule_list{suffix}", None)
        if isinstance(chosen, RuleList):
            settings = getattr(model, "settings", None) or {}
            told = getattr(model, "predict_with", settings.get("predict_with"))
            if told == "map":
                chosen = getattr(model, f"map_rule_list{suffix}")
            report = getattr(model, f"fit_report{suffix}", None)
            return ListSource(chosen, report, stands_in=told == "posterior")
    raise ParamTypeError(
        f"A page needs a fitted classifier, a model or a rule list, not {type(model).__name__}"
        f"{' that is not fitted' if hasattr(model, 'fit') else ''}."
    )
