"""Explanation: why a list predicts what it does for one case, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.display_labels import DisplayLabels
from elseif.checks import check_level
from elseif.conditions.condition import (
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    Condition,
    quantity_text,
    value_text,
)
from elseif.explaining.case import needed_column, read_case, readable_value, truths_of, value_of
from elseif.explaining.cells import Cell, cells_text
from elseif.explaining.nearest_changes import CaseChange, nearest_changes
from elseif.explaining.other_lists import OtherLists, judge
from elseif.explaining.unknown_values import (
    ListLogic,
    Truth,
    first_true,
    list_logic,
    reachable,
)
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList
from elseif.showing.list_text import shown_labels
from elseif.showing.numbers import decimals_between
from elseif.tables.columns import Column, Kind
from elseif.tables.families import meant_level

FOR_PEOPLE = ("text", "decimals", "display")  # how a text words an explanation
MOST_CHANGES = 6  # of the same number of columns that are kept


@dataclass(frozen=True)
class ConditionCheck:
    """A condition and whether the case’s value meets it."""

    column: str
    operator: str
    wanted: tuple[str, ...]  # the condition's values
    value: str  # the case's
    holds: bool
    is_missing: bool = False
    is_unseen: bool = False  # a category that training did not see, or 2 among zeros and ones
    is_date: bool = False


@dataclass(frozen=True)
class RuleCheck:
    """A rule and which of its conditions the case meets."""

    place: int  # counted from 0
    antecedent: str
    text: str  # the antecedent as people read it
    conditions: tuple[ConditionCheck, ...]

    @property
    def failed(self) -> tuple[ConditionCheck, ...]:
        """The conditions that kept the rule from applying."""
        return tuple(check for check in self.conditions if not check.holds)


@dataclass(frozen=True)
class LabelRisk:
    """A label's probability under a rule, its credible interval, and its training cases."""

    label: Any
    name: str
    probability: float
    low: float
    high: float
    n: float


@dataclass(frozen=True)
class Outcome:
    """The outcome of a line of the list: the probability of each label."""

    place: int
    predicted: str
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class ColumnChange:
    """Another value for a column."""

    column: str
    now: str
    to: str  # such as "above 60"


@dataclass(frozen=True)
class NearestChange:
    """A smallest set of changes that makes another rule apply."""

    columns: tuple[ColumnChange, ...]
    outcome: Outcome


@dataclass(frozen=True)
class WhatIf:
    """What the list would predict if a column's value were missing, or unknown."""

    column: str
    now: str
    is_missing: bool  # whether it is so already
    missing: Outcome | None  # None where the model refuses missing values
    unknown: tuple[Outcome, ...]  # every line that could fire


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a list makes its prediction for one case. Positions of rules are numbered from 0.

    Attributes
    ----------
    fired : RuleCheck
        The rule that applies, condition by condition.
    labels : tuple[LabelRisk, ...]
        Probability and credible interval of each label.
    n : float
        Training cases that the rule captured.
    predicted : str
        The predicted label.
    level : float
        Level of the credible intervals.
    n_rules : int
        Number of rules, the default rule not counted.
    passed_over : tuple[RuleCheck, ...]
        Earlier rules, none of which applies.
    others : OtherLists | None
        What the posterior's other lists predict, if a posterior was given.
    other_label : tuple[NearestChange, ...]
        The smallest changes that alter the predicted label.
    other_rule : tuple[NearestChange, ...]
        The smallest changes that make another rule apply.
    what_if : tuple[WhatIf, ...]
        What happens if a value were missing or unknown.
    rounded_to : int | None
        What counts are multiples of, with a minimum cell.
    display : DisplayLabels
        Words for columns and values in texts; ``to_dict`` has the names of the columns.
    decimals : int
        Decimals of percentages in texts, the same for every line of the list.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> found = clf.explain({"class": "1st", "sex": "male", "age": "adult"})
    >>> found.predicted
    'died'
    >>> print(found.to_text().splitlines()[0])
    Probability of survived: 21% (95% credible interval 19% to 23%)
    >>> found.to_dict()["n_rules"]
    3
    """

    fired: RuleCheck
    labels: tuple[LabelRisk, ...]
    n: float
    predicted: str
    level: float
    n_rules: int
    passed_over: tuple[RuleCheck, ...]
    others: OtherLists | None
    other_label: tuple[NearestChange, ...]
    other_rule: tuple[NearestChange, ...]
    what_if: tuple[WhatIf, ...]
    rounded_to: int | None = None
    display: DisplayLabels = field(default_factory=DisplayLabels)
    decimals: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data that JSON can hold.

        Returns
        -------
        dict
            All attributes.
        """
        attributes: dict[str, Any] = _plain(asdict(self))
        return attributes

    def to_text(self, width: int = 88) -> str:
        """Write the explanation in sentences.

        Parameters
        ----------
        width : int, default=88
            Longest line.

        Returns
        -------
        str
            The text.
        """
        from elseif.showing.explanation_text import explanation_text

        return explanation_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from elseif.showing.explanation_text import explanation_html

        return explanation_html(self)


def explain(
    rule_list: RuleList,
    case: Any,
    row: int = 0,
    posterior: Posterior | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    level: float = 0.95,
    allow_missing: bool = True,
) -> Explanation:
    """Explain what a list predicts for one case.

    Parameters
    ----------
    rule_list : RuleList
        The list.
    case : dict or table
        The values of one case by column, or a table.
    row : int, default=0
        Which row of the table.
    posterior : Posterior, default=None
        Adds what its other lists predict.
    levels : dict, default=None
        All categories of a column, where they are known.
    level : float, default=0.95
        Level of the credible intervals.
    allow_missing : bool, default=True
        False if the model refuses missing values.

    Returns
    -------
    Explanation
        It prints as text.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> found = elseif.explain(clf.rule_list_, {"class": "3rd", "sex": "female", "age": "adult"})
    >>> found.predicted, found.fired.place
    ('died', 1)
    """
    check_level(level)
    table = read_case(case, row)
    kinds, display = rule_list.metadata.kinds, rule_list.metadata.display
    logic = list_logic(rule_list, levels)
    columns = {c: needed_column(table, c, kinds.get(c)) for c in logic.columns}
    truths = {c: truths_of(logic.conditions[c], column) for c, column in columns.items()}
    applied = first_true(logic, truths)
    texts = {c: readable_value(logic.conditions[c], column) for c, column in columns.items()}
    checks = [
        _check_rule(j, rule_list[j].antecedent, columns, texts, levels or {}, display)
        for j in range(applied + 1)
    ]
    rule = rule_list[applied]
    names, rounding = rule_list.metadata.label_names, rule_list.metadata.rounding
    views = _Views(rule_list, logic, columns, truths, texts, allow_missing, level)
    return Explanation(
        fired=checks[-1],
        labels=tuple(
            LabelRisk(
                label=label,
                name=name,
                probability=float(rule.probabilities[i]),
                low=rule.interval(rule_list.classes[i], level)[0],
                high=rule.interval(rule_list.classes[i], level)[1],
                n=float(rule.label_counts[i]),
            )
            for i, (label, name) in enumerate(zip(rule_list.classes.tolist(), names, strict=True))
        ),
        n=rule.n,
        predicted=views.outcome(applied).predicted,
        level=float(level),
        n_rules=len(rule_list),
        passed_over=tuple(checks[:-1]),
        others=None if posterior is None else judge(posterior, table, rule.probabilities, level),
        other_label=views.changes(applied, same_label=False),
        other_rule=views.changes(applied, same_label=True),
        what_if=tuple(views.what_if(c) for c in logic.columns),
        rounded_to=None if rounding is None else rounding.step,
        display=display,
        decimals=_decimals(rule_list, level),
    )


def _check_rule(
    index: int,
    antecedent: Antecedent,
    columns: Mapping[str, Column],
    texts: Mapping[str, str],
    levels: Mapping[str, Sequence[Any]],
    display: DisplayLabels,
) -> RuleCheck:
    checks = []
    for condition in antecedent:
        column = columns[condition.column]
        value = value_of(column)
        known = condition.order or levels.get(condition.column)
        checks.append(
            ConditionCheck(
                column=condition.column,
                operator=condition.operator,
                wanted=_wanted(condition),
                value=texts[condition.column],
                holds=bool(condition.holds(column)[0]),
                is_missing=value is None,
                is_unseen=_is_unseen(column, value, known),
                is_date=column.kind is Kind.DATE,
            )
        )
    return RuleCheck(index, antecedent.name, display.text(antecedent), tuple(checks))


def _is_unseen(column: Column, value: Any, known: Sequence[Any] | None) -> bool:
    """Whether training saw no such value: another category, or a 2 among zeros and ones."""
    if column.kind is Kind.BOOLEAN:
        return bool(column.is_neither()[0])
    if column.codes is None or not known:
        return False
    return meant_level(value, known) not in known


def _wanted(condition: Condition) -> tuple[str, ...]:
    if condition.operator == MISSING or condition.value is None:
        return ()
    several = condition.operator == ONE_OF or isinstance(condition.value, tuple)
    values = condition.value if several else (condition.value,)
    if condition.operator in NUMERIC_OPERATORS:
        return tuple(quantity_text(value, *values) for value in values)
    return tuple(map(value_text, values))


def _decimals(rule_list: RuleList, level: float) -> int:
    """Enough decimals of percentages to distinguish the ends of every line's interval."""
    labels = [rule_list.classes[label] for label in shown_labels(rule_list)]
    return max(decimals_between(*rule.interval(k, level)) for rule in rule_list for k in labels)


@dataclass(frozen=True, eq=False)
class _Views:
    """A case seen through a list: what other values would lead to."""

    rule_list: RuleList
    logic: ListLogic
    columns: Mapping[str, Column]
    truths: Mapping[str, Truth]
    texts: Mapping[str, str]  # the case's values in words
    allow_missing: bool
    level: float

    def outcome(self, index: int) -> Outcome:
        probabilities = self.rule_list[index].probabilities
        name = self.rule_list.metadata.label_names[int(np.argmax(probabilities))]
        return Outcome(index, name, tuple(probabilities.tolist()))

    def changes(self, index: int, same_label: bool) -> tuple[NearestChange, ...]:
        """The nearest changes to another rule: of any label, or of another label only."""
        predicted = self.outcome(index).predicted
        targets = [
            j
            for j in range(len(self.rule_list.rules))
            if j != index and (same_label or self.outcome(j).predicted != predicted)
        ]
        cell_of = {
            c: _cell_number(self.logic.cells[c], value_of(v)) for c, v in self.columns.items()
        }
        nearest = nearest_changes(self.logic, self.truths, cell_of, targets)
        return tuple(self._change(change) for change in nearest[:MOST_CHANGES])

    def _change(self, change: CaseChange) -> NearestChange:
        columns, display = [], self.rule_list.metadata.display
        for part in change.columns:
            now = self.texts[part.column]
            columns.append(ColumnChange(part.column, now, cells_text(part.cells, display)))
        return NearestChange(tuple(columns), self.outcome(change.place))

    def what_if(self, column: str) -> WhatIf:
        missing = {**self.truths, column: self.logic.missing_truth(column)}
        options: dict[str, Sequence[Truth]] = {c: (truth,) for c, truth in self.truths.items()}
        options[column] = self.logic.open_truths(column)
        return WhatIf(
            column=column,
            now=self.texts[column],
            is_missing=value_of(self.columns[column]) is None,
            missing=self.outcome(first_true(self.logic, missing)) if self.allow_missing else None,
            unknown=tuple(self.outcome(j) for j in reachable(self.logic, options)),
        )


def _cell_number(cells: Sequence[Cell], value: Any) -> int | None:
    if value is None:
        return None
    return next((i for i, cell in enumerate(cells) if cell.contains(value)), None)


def _plain(value: Any) -> Any:
    """Convert to dicts, lists, text, numbers, booleans and None."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if key not in FOR_PEOPLE}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
