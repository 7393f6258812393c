"""What editing needs: the data of fit, its prior and posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.named_levels import without_order
from elseif.antecedents.own_antecedents import read_antecedents
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import ABOVE, AT_MOST, BETWEEN, Condition
from elseif.errors import DataError, ParamError
from elseif.posterior.rule_list import ModelMetadata, antecedent_truth
from elseif.tables.columns import Kind
from elseif.tables.reading import Table, parse_kinds
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel
    from elseif.tables.labels import Labels


@dataclass(frozen=True, eq=False)
class EditContext:
    """What lists are evaluated with: the training data, the prior and the posterior."""

    model: FittedModel
    table: Table
    labels: Labels
    kinds: Mapping[str, Kind]  # of columns, as given to fit
    orders: Mapping[str, tuple[Any, ...]]
    classifier: Any = None  # what as_classifier copies

    @property
    def metadata(self) -> ModelMetadata:
        return self.model.metadata

    @property
    def pool(self) -> Pool:
        return self.model.pool

    @cached_property
    def open_columns(self) -> set[str]:
        """Columns of which the model does not name all levels."""
        return {c.name for c in self.model.fit_report.columns if c.n_other_levels}

    @cached_property
    def positions(self) -> dict[Antecedent, int]:
        """The position of each antecedent in the pool."""
        return {antecedent: a for a, antecedent in enumerate(self.pool.antecedents)}

    def label_counts(self, antecedents: Sequence[Antecedent]) -> np.ndarray:
        """N[j, l] in units, the default rule last."""
        n_labels = len(self.metadata.classes)
        position = np.full(self.table.n_rows, len(antecedents), dtype=np.int64)
        codes = self.labels.codes
        left = codes >= 0
        used = left.copy()
        for j, antecedent in enumerate(antecedents):
            captured = left & antecedent_truth(antecedent, self.table, self.known_kinds(antecedent))
            position[captured] = j
            left &= ~captured  # later rules see only what earlier ones left
        counts = np.zeros((len(antecedents) + 1, n_labels), dtype=np.int64)
        np.add.at(counts, (position[used], codes[used]), self.labels.weights[used])
        return counts

    def known_kinds(self, antecedent: Antecedent) -> dict[str, Kind]:
        """Kinds of an antecedent's columns: as in fit, or as the table has them."""
        known = {**self.kinds, **self.metadata.kinds}
        return {c: known[c] for c in antecedent.columns if c in known} | {
            c: self.table.column(c).kind for c in antecedent.columns if c not in known
        }

    def read(self, given: Any) -> Antecedent:
        """An antecedent from itself, the name of one in the pool, or conditions."""
        if isinstance(given, Antecedent) and given in self.positions:
            return given
        if isinstance(given, str) and given not in self.table:
            if given in self.pool.names:
                return self.pool[self.pool.names.index(given)]
            raise ParamError(
                f"{show_name(given)!r} is neither a column nor an antecedent of the pool; write it "
                "as conditions, such as ('age', '>', 60)."
            )
        kinds = {**self.kinds, **self.metadata.kinds}
        read = read_antecedents([given], self.table, kinds, self.orders)[0]
        antecedent = Antecedent(without_order(c, self.open_columns) for c in read)
        apart = Antecedent(part for condition in antecedent for part in _apart(condition))
        return apart if apart in self.positions else antecedent


def _apart(condition: Condition) -> tuple[Condition, ...]:
    """An interval as its two thresholds, which is how mining writes one."""
    if condition.operator != BETWEEN:
        return (condition,)
    low, high = condition.value
    return (
        Condition(condition.column, ABOVE, low, condition.order),
        Condition(condition.column, AT_MOST, high, condition.order),
    )


def edit_context(
    model: FittedModel, X: Any, y: Any, sample_weight: Any = None, classifier: Any = None
) -> EditContext:
    """The context of a model and the data that it was fitted to; others are refused."""
    if model.metadata.rounding is not None:
        raise DataError(
            "This model was saved with min_cell: its counts are rounded, and only the rules of "
            "its lists are in it. Edit the model that was saved without min_cell."
        )
    table = model.read(X)
    drop_missing = model.setting("missing_y") == "drop"
    labels = model.read_labels(y, sample_weight, table, drop_missing)
    if not np.array_equal(labels.classes, model.metadata.classes):
        raise DataError(
            "These are not the data that the list was fitted to: the labels of y are "
            f"{labels.classes.tolist()}, and were {model.metadata.classes.tolist()} in fit."
        )
    if labels.unit != model.metadata.count_unit:
        raise DataError(
            "These are not the data that the list was fitted to: the weights differ. "
            "Pass the sample_weight of fit, or none if it had none."
        )
    kinds, orders = parse_kinds(model.setting("kinds"), table)
    return EditContext(model, table, labels, kinds, orders, classifier)
