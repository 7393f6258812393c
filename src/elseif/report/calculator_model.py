"""One model on a calculator page: the lines of its list, and facts for its users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elseif.fitted_model import FittedModel
from elseif.model.consequent import consequent_interval
from elseif.posterior.line_intervals import line_intervals
from elseif.posterior.rule_list import Rule, RuleList
from elseif.report.calculator_questions import AskedColumn, Question, asked_columns
from elseif.report.names import shown, spelt_out
from elseif.report.patterns import area_under_curve
from elseif.showing.line_heads import line_head
from elseif.showing.list_text import enough_decimals, shown_labels
from elseif.showing.numbers import count_text, percent
from elseif.showing.probability_axis import percent_tick, probability_end
from elseif.tables.federated import federation_in_short

LEVEL = 0.95
SHORT_HASH = 12  # hexadecimal digits that a person compares


@dataclass(frozen=True, eq=False)
class ShownModel:
    """A model as a calculator shows it."""

    name: str
    model: FittedModel
    has_file: bool  # whether it is a model, of which a file can be made, or a list alone
    over_lists: np.ndarray | None
    rule_list: RuleList = field(init=False)
    columns: list[AskedColumn] = field(init=False)

    def __post_init__(self) -> None:
        rule_list = self.model.chosen_list()
        object.__setattr__(self, "rule_list", rule_list)
        object.__setattr__(self, "columns", asked_columns(self.model, rule_list))

    @property
    def places(self) -> list[int]:
        """Indices of the labels that are shown."""
        return shown_labels(self.rule_list)

    @property
    def labels(self) -> list[str]:
        """What the shown probabilities refer to."""
        return [self.rule_list.metadata.probability_of(position) for position in self.places]

    @property
    def outcome(self) -> str | None:
        """The name of the outcome whose values the labels are, if it has one."""
        metadata = self.rule_list.metadata
        return metadata.display.outcome.name or metadata.outcome

    def data(self, questions: Sequence[Question]) -> dict[str, Any]:
        """What template and script need."""
        positions = {column: i for i, q in enumerate(questions) for column in q.columns}
        asked = [
            column.data(positions[column], questions[positions[column]].levels)
            for column in self.columns
        ]
        rules = self._rules([questions[positions[column]] for column in self.columns])
        end = probability_end(max(label["high"] for rule in rules for label in rule["labels"]))
        return {
            "name": shown(self.name),
            "labels": [{"shown": shown(name), "full": spelt_out(name)} for name in self.labels],
            "columns": asked,
            "rules": rules,
            "end": end,
            "ticks": [percent_tick(share) for share in (0, end / 2, end)],
            "hash": self.hash,
        }

    @property
    def hash(self) -> str:
        """The beginning of the model file's checksum; empty for a list that has no file."""
        from elseif.export.model_file import model_hash  # which checks documents

        return ((model_hash(self.model) if self.has_file else None) or "")[:SHORT_HASH]

    def facts(self) -> dict[str, str]:
        """What the model was fitted to, and its discrimination if known."""
        model, names = self.model, self.rule_list.metadata.label_names
        counts, n = model.training["label_counts"], model.n
        by_heading = {"Population": f"{count_text(n)} past cases"}
        if self.has_file:
            by_heading["Population"] += f", fitted on {model.training['date'][:10]}"
        shares = [f"{shown(names[p])} in {_share_text(counts[p], n)}" for p in self.places]
        what = f"{shown(self.outcome)}: " if self.outcome and len(shares) > 1 else ""
        by_heading["Outcome"] = what + ", ".join(shares)
        auc = self._auc_text()
        if auc:
            by_heading["AUC"] = auc
        if model.edited is not None and self.rule_list is model.rule_list:
            by_heading["Edited by hand"] = shown(model.edited)
        if model.recalibrated is not None:
            by_heading["Recalibrated"] = (
                "to other people than those that the rules were learnt from"
            )
        if model.federation is not None:
            by_heading["Sites"] = federation_in_short(model.federation)
        if self.rule_list is model.projected_rule_list:
            by_heading["Kind of list"] = (
                "projected list: the list closest to the average of many lists"
            )
        return by_heading

    def _auc_text(self) -> str | None:
        """The AUC: out of sample where that was measured, else apparent and said to be so."""
        rule_list, model = self.rule_list, self.model
        scores = None if model.projection_path is None else model.projection_path.scores
        auc: float | None = None
        if scores is not None and rule_list is model.projected_rule_list:
            auc = float(scores.auc[len(rule_list)])
        elif scores is not None and rule_list is model.rule_list and model.edited is None:
            auc = float(scores.point_auc)
        how = "" if scores is None else f"in {scores.folds}-fold cross-validation"
        if auc is None or np.isnan(auc):
            counts = np.array([rule.label_counts for rule in rule_list])
            auc = area_under_curve(counts, rule_list.metadata.pseudocounts)
            how = "on the training data (too optimistic)"
        if auc is None:
            return None
        digits = f"{auc:.2f}" if auc == 1 or auc < 0.995 else f"{min(auc, 0.999):.3f}"
        return f"{digits} {how}{', mean over labels' if len(rule_list.classes) > 2 else ''}"

    def _rules(self, questions: Sequence[Question]) -> list[dict[str, Any]]:
        """The lines of the list: their conditions by column, and what they lead to."""
        decimals = enough_decimals(self.rule_list, self.places, LEVEL)
        own = self.model.metadata.display
        asked = {column.name: i for i, column in enumerate(self.columns)}
        lines = []
        for j, rule in enumerate(self.rule_list):
            conditions = []
            for condition in rule.antecedent:
                position = asked[condition.column]
                display = own.with_unit(condition.column, questions[position].unit)
                conditions.append(
                    {
                        "column": position,
                        "index": self.columns[position].conditions.index(condition),
                        "text": display.condition(condition, shown, in_form=True),
                        "full": display.condition(condition, spelt_out, in_form=True),
                    }
                )
            lines.append(
                {
                    "head": line_head(j, len(self.rule_list)),
                    "conditions": conditions,
                    "count": count_text(rule.n),
                    "labels": [
                        _consequent(rule, p, decimals, self._over_lists(j, p)) for p in self.places
                    ],
                }
            )
        return lines

    def _over_lists(self, line: int, position: int) -> np.ndarray | None:
        return None if self.over_lists is None else self.over_lists[line, position]


def over_lists(model: FittedModel, X: Any) -> np.ndarray | None:
    """Intervals over all lists for the people on each line, if both are available.

    A page has no posterior, and the person before it is known by the list's own conditions alone:
    so each line stands for the training rows that it captures.
    """
    if X is None or model.posterior is None:
        return None
    people = model.read_training(X)
    return line_intervals(model.posterior, model.chosen_list(), people, LEVEL)


def _share_text(count: float, n: float) -> str:
    share = count / n if n else 0.0
    return f"{count_text(count)} ({percent(share, 1)})"


def _consequent(
    rule: Rule, position: int, decimals: int, over_lists: np.ndarray | None
) -> dict[str, Any]:
    low, high = consequent_interval(rule.label_counts, rule.pseudocounts, position, LEVEL)
    mean = float(rule.probabilities[position])
    texts = [percent(value, decimals) for value in (mean, low, high)]
    consequent = {"risk": mean, "low": low, "high": high, "texts": texts, "over": None}
    if over_lists is not None and not np.isnan(over_lists).any():
        consequent["over"] = [percent(float(end), decimals) for end in over_lists]
    return consequent
