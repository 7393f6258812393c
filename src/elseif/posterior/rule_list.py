"""RuleList: a Bayesian decision list, a classifier that can be read (section 2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.display_labels import DisplayLabels
from elseif.checks import check_level
from elseif.conditions.condition import FALSE, MISSING, TRUE, Condition
from elseif.disclosure.rounding import Rounding
from elseif.errors import ParamError
from elseif.model.consequent import consequent_interval, consequent_mean
from elseif.tables.columns import Kind
from elseif.tables.labels import YES_OR_NO, label_place
from elseif.tables.lazily import read_lazily
from elseif.tables.reading import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from elseif.explaining.explanation import Explanation
    from elseif.posterior.draws import Posterior


BLOCK_ROWS = 65_536
AT_A_TIME = 32  # conditions


@dataclass(frozen=True, eq=False)
class ModelMetadata:
    """Metadata of a model: labels, pseudocounts, kinds of columns."""

    classes: np.ndarray
    pseudocounts: np.ndarray
    kinds: dict[str, Kind]
    count_unit: float = 1.0
    outcome: str | None = None  # the name of y, which reads better than "True" or "1"
    rounding: Rounding | None = None  # of all counts, under a minimum cell
    display: DisplayLabels = field(default_factory=DisplayLabels)  # words for people

    @property
    def label_names(self) -> tuple[str, ...]:
        """Readable names of the labels: for a yes-or-no outcome, its name."""
        return self.display.label_names(self.classes.tolist(), self._plain_names())

    def probability_of(self, position: int) -> str:
        """What a label's probability refers to: the outcome's name for the last of two labels."""
        is_event = len(self.classes) == 2 and position == 1
        return (self.display.outcome.name if is_event else None) or self.label_names[position]

    def _plain_names(self) -> tuple[str, ...]:
        labels = self.classes.tolist()
        yes_or_no = [str(label).lower() for label in labels] in YES_OR_NO
        if self.outcome is not None and (yes_or_no or labels == [0, 1]):
            return (f"not {self.outcome}", self.outcome)
        if all(isinstance(label, (int, float)) for label in labels):
            return tuple(f"label {label}" for label in labels)  # "1 40%" is easily misheard
        return tuple(str(label) for label in labels)


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of a list: an antecedent and the distribution over labels it leads to.

    Attributes
    ----------
    antecedent : Antecedent
        The antecedent; empty for the default rule.
    label_counts : np.ndarray
        Training observations captured, in the order of ``classes``.
    metadata : ModelMetadata
        Labels, pseudocounts, and kinds and levels of the columns.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> rule = clf.rule_list_.rules[0]
    >>> rule.n, rule.probabilities.round(2)
    (1324.0, array([0.79, 0.21]))
    >>> low, high = rule.interval("survived")
    >>> round(low, 2), round(high, 2)
    (0.19, 0.23)
    """

    antecedent: Antecedent
    label_counts: np.ndarray
    metadata: ModelMetadata

    @property
    def classes(self) -> np.ndarray:
        """The labels."""
        return self.metadata.classes

    @property
    def pseudocounts(self) -> np.ndarray:
        """The prior counts of the labels."""
        return self.metadata.pseudocounts

    @property
    def text(self) -> str:
        """The antecedent as a person reads it; empty for the default rule."""
        return self.metadata.display.text(self.antecedent)

    @property
    def n(self) -> float:
        """Number of training observations captured."""
        return float(self.label_counts.sum())

    @property
    def probabilities(self) -> np.ndarray:
        """Posterior mean probability of each label."""
        return consequent_mean(self.label_counts, self.pseudocounts)

    def interval(self, label: Any, level: float = 0.95) -> tuple[float, float]:
        """Equal-tailed credible interval of a label's probability.

        Parameters
        ----------
        label : label
            The label.
        level : float, default=0.95
            Level of the interval.

        Returns
        -------
        low, high : float
            Its ends.
        """
        check_level(level)
        position = label_place(label, self.classes)
        return consequent_interval(self.label_counts, self.pseudocounts, position, level)

    def __repr__(self) -> str:
        return f"Rule({self.antecedent.name or 'else'!r}, n={self.n:g})"


class RuleList:
    """A series of if ... else if ... else statements, each with its probabilities.

    Parameters
    ----------
    rules : sequence of Rule
        The rules in order, the default rule last.
    metadata : ModelMetadata
        Labels, pseudocounts, and kinds and levels of the columns.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> rules = clf.rule_list_
    >>> print(rules)
    Probability of survived (95% credible interval)
    if      age = adult and sex = male then 21% (19%–23%)  n = 1,324
    else if class = 3rd                then 44% (38%–51%)  n =   206
    else if class = 1st                then 96% (92%–99%)  n =   120
    else                                    88% (82%–94%)  n =   111
    >>> rules.to_text(label="died").splitlines()[0]
    'Probability of died (95% credible interval)'
    >>> rules.to_frame()["n"].tolist()
    [1324, 206, 120, 111]
    >>> rules.captured_by(X[:3])
    array([0, 0, 3])
    >>> rules.predict_proba(X[:1]).round(2)
    array([[0.79, 0.21]])
    >>> rules.predict(X[:1])
    array(['died'], dtype=object)
    >>> rules.explain(X, row=0).predicted
    'died'
    >>> rules.plot().savefig("list.png")
    """

    def __init__(self, rules: Sequence[Rule], metadata: ModelMetadata) -> None:
        self.rules = tuple(rules)
        self.metadata = metadata

    @property
    def classes(self) -> np.ndarray:
        """The labels."""
        return self.metadata.classes

    @property
    def positive(self) -> Any:
        """The label whose probability is shown when there are two: the last."""
        return self.classes[-1]

    @property
    def antecedents(self) -> tuple[Antecedent, ...]:
        """The antecedents in order, without the default rule's empty one."""
        return tuple(rule.antecedent for rule in self.rules[:-1])

    @property
    def columns_used(self) -> set[str]:
        """The columns that the rules use."""
        return {name for antecedent in self.antecedents for name in antecedent.columns}

    def __len__(self) -> int:
        """Number of rules, the default rule not counted."""
        return len(self.rules) - 1

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, index: int) -> Rule:
        return self.rules[index]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from elseif.showing.list_html import rule_list_html  # loaded in notebooks only

        return rule_list_html(self)

    def to_text(
        self, label: Any = None, level: float = 0.95, decimals: int | None = None, width: int = 100
    ) -> str:
        """Write the list as text.

        Parameters
        ----------
        label : label, default=None
            The label whose probability is shown. By default the last of two labels, or all labels
            if there are more.
        level : float, default=0.95
            Level of the credible intervals.
        decimals : int, default=None
            Decimals of percentages; by default as many as are needed.
        width : int, default=100
            Longest line.

        Returns
        -------
        str
            The text.
        """
        from elseif.showing.list_text import rule_list_text

        check_level(level)
        if decimals is not None and not (isinstance(decimals, int) and decimals >= 0):
            raise ParamError(f"decimals is {decimals!r}; it must be a whole number of 0 or more.")
        return rule_list_text(self, label=label, level=level, decimals=decimals, width=width)

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """Convert to a data frame with one row for each rule.

        Parameters
        ----------
        level : float, default=0.95
            Level of the credible intervals.

        Returns
        -------
        DataFrame
            Antecedent, n, and each label's probability and interval.
        """
        import pandas as pd  # loaded when a table is requested

        check_level(level)
        rows = []
        for rule in self.rules:
            row: dict[str, Any] = {"antecedent": rule.antecedent.name, "n": rule.n}
            for position, label in enumerate(self.classes.tolist()):
                low, high = consequent_interval(
                    rule.label_counts, rule.pseudocounts, position, level
                )
                row[f"n {label}"] = float(rule.label_counts[position])
                row[f"probability {label}"] = float(rule.probabilities[position])
                row[f"low {label}"] = low
                row[f"high {label}"] = high
            rows.append(row)
        frame = pd.DataFrame(rows)
        counts = ["n", *(f"n {label}" for label in self.classes.tolist())]
        whole = all((frame[name] % 1 == 0).all() for name in counts)
        return frame.astype(dict.fromkeys(counts, "int64")) if whole else frame

    def plot(self, label: Any = None, level: float = 0.95) -> Figure:
        """Draw the rules with their probabilities and intervals.

        Parameters
        ----------
        label : label, default=None
            The label whose probability is shown, as in ``to_text``.
        level : float, default=0.95
            Level of the credible intervals.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.plots import plot_rule_list  # loads matplotlib

        return plot_rule_list(self, label, level)

    def explain(
        self, case: Any, row: int = 0, posterior: Posterior | None = None, **options: Any
    ) -> Explanation:
        """Explain what the list predicts for one case.

        Parameters
        ----------
        case : dict or table
            The values of one case by column, or a table.
        row : int, default=0
            Which row of the table.
        posterior : Posterior, default=None
            Adds what its other lists predict.
        **options
            Other options of `elseif.explain`.

        Returns
        -------
        Explanation
            It prints as text.
        """
        from elseif.explaining.explanation import explain  # which is made of rule lists

        return explain(self, case, row, posterior, **options)

    def captured_by(self, X: Any) -> np.ndarray:
        """Find the rule that applies to each observation.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array of int
            Place of the first rule that is true, from 0; the default rule comes last.
        """
        return self.captured_in(X if isinstance(X, Table) else read_lazily(X))

    def captured_in(self, table: Table) -> np.ndarray:
        """As ``captured_by``, for a table that has been read.

        Parameters
        ----------
        table : Table
            The table.

        Returns
        -------
        array of int
            Place of the first rule that is true.
        """
        return self._first_true(table).astype(np.int64)

    def _first_true(self, table: Table) -> np.ndarray:
        """captured_in as small integers, which are quicker to add up and to look up."""
        conditions = [c for antecedent in self.antecedents for c in antecedent]
        truths = truths_in_turn(conditions, table, self.metadata.kinds)
        position: np.ndarray = np.zeros(table.n_rows, dtype=np.min_scalar_type(len(self)))
        left = np.ones(table.n_rows, dtype=bool)
        for antecedent in self.antecedents:
            cover = next(truths)
            for _ in range(len(antecedent) - 1):
                cover = cover & next(truths)
            left &= ~cover  # later rules see only what earlier ones left
            np.add(position, left, out=position)  # one further for every rule that passes it on
        return position

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each label.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array of float
            One row for each observation, one column for each of ``classes``.
        """
        by_rule = np.stack([rule.probabilities for rule in self.rules])
        table = X if isinstance(X, Table) else read_lazily(X)
        return rows_of(by_rule, self._first_true(table))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable label.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        array
            One label for each observation.
        """
        return self.classes[np.argmax(self.predict_proba(X), axis=1)]


def rows_of(values: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """values[places], for many places and few values, several times faster."""
    result = np.empty((len(positions), values.shape[1]))
    for start in range(0, len(positions), BLOCK_ROWS):  # NumPy widens the places, block by block
        some = slice(start, start + BLOCK_ROWS)
        np.take(values, positions[some], axis=0, out=result[some], mode="clip")
    return result


def antecedent_truth(antecedent: Antecedent, table: Table, kinds: dict[str, Kind]) -> np.ndarray:
    """For each row, whether every condition of an antecedent is true."""
    truth = np.ones(table.n_rows, dtype=bool)
    for condition in antecedent:
        column = table.column(condition.column, kinds.get(condition.column))
        truth &= condition.holds(column)
    return truth


def condition_truths(
    conditions: Sequence[Condition], table: Table, kinds: dict[str, Kind]
) -> list[np.ndarray]:
    """Row by row, whether each condition is true: not to be written to, some are the table's."""
    simple = [
        c.operator in (TRUE, FALSE, MISSING) and kinds.get(c.column) in (None, Kind.BOOLEAN)
        for c in conditions
    ]
    names = dict.fromkeys(
        c.column for c, is_simple in zip(conditions, simple, strict=True) if is_simple
    )
    arrays = table.boolean_arrays(list(names))
    truths: dict[int, np.ndarray] = {}
    for condition, is_simple in zip(conditions, simple, strict=True):
        if id(condition) in truths:
            continue
        array = arrays.get(condition.column) if is_simple else None
        if array is None:
            column = table.column(condition.column, kinds.get(condition.column))
            truth = condition.holds(column)
        elif condition.operator == MISSING:
            truth = np.zeros(table.n_rows, dtype=bool)
        else:
            truth = array if condition.operator == TRUE else ~array
        truths[id(condition)] = truth
    return [truths[id(condition)] for condition in conditions]


def truths_in_turn(
    conditions: Sequence[Condition], table: Table, kinds: dict[str, Kind]
) -> Iterator[np.ndarray]:
    """condition_truths, a few at a time, so that few are held at once."""
    for start in range(0, len(conditions), AT_A_TIME):
        yield from condition_truths(conditions[start : start + AT_A_TIME], table, kinds)


def make_rule_list(
    antecedents: Sequence[Antecedent], label_counts: np.ndarray, metadata: ModelMetadata
) -> RuleList:
    """A list from its antecedents and N[j, l] in units, the default rule last."""
    rules = [
        Rule(antecedent, counts, metadata)
        for antecedent, counts in zip(
            [*antecedents, Antecedent()], label_counts * metadata.count_unit, strict=True
        )
    ]
    return RuleList(rules, metadata)


def with_display(rule_list: RuleList, display: DisplayLabels) -> RuleList:
    """The same list under other display labels, which are not checked."""
    metadata = replace(rule_list.metadata, display=display)
    return RuleList([replace(rule, metadata=metadata) for rule in rule_list.rules], metadata)
