"""Bedside scores of stroke risk in atrial fibrillation, as classifiers without parameters to fit.

Points: CHADS2 by Gage, Waterman, Shannon, Boechler, Rich and Radford, JAMA 285, 2001,
2864-2870; CHA2DS2-VASc by Lip, Nieuwlaat, Pisters, Lane and Crijns, Chest 137, 2010,
263-272. Yearly rates of stroke: CHADS2 from the same paper; CHA2DS2-VASc from Lip, Frison,
Halperin and Lane, Stroke 41, 2010, 2731-2738, which the European guidelines of 2010 print
and which are not monotone: 9.6 % at 7 points, 6.7 % at 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from elseif.errors import DataError, DataTypeError, ParamError, ParamTypeError
from elseif.tables.labels import category_order, label_array, read_labels, shown_label

AGE, SEX = "age", "sex"
FEMALE, SEXES = "female", ("female", "male", "unknown")
TOTAL = "points"


@dataclass(frozen=True)
class Component:
    """Points for one condition, or for an age from one year to below another, or for a sex."""

    name: str  # as a clinician reads it
    column: str  # in the table
    points: int
    from_age: float = 0.0
    below_age: float = np.inf


class PointScore(ClassifierMixin, BaseEstimator):
    """Points for age, sex and conditions: what CHADS2 and CHA2DS2-VASc have in common.

    The table has a number ``age``, a column ``sex`` where the score needs it ("female", "male" or
    "unknown", which gives no point), and a boolean column for each group of conditions.

    ``fit`` learns only the two labels, the second being the event. ``predict_proba`` is the
    published yearly rate of stroke, and ``decision_function`` is the points.

    Parameters
    ----------
    columns : dict, default=None
        The column to use for a component, where it has another name:
        ``columns={"stroke_or_tia": "ohdsi_s2"}``.
    threshold : int, default=2
        ``predict`` gives the event from this many points on: 2, from which guidelines recommend
        an anticoagulant, because no published rate reaches one half.

    Examples
    --------
    >>> import pandas as pd
    >>> from elseif.evaluation import CHADS2
    >>> groups = ["heart_failure", "hypertension", "diabetes", "stroke_or_tia"]
    >>> people = pd.DataFrame(False, index=[0, 1], columns=groups).assign(age=[80, 60])
    >>> people.loc[0, "stroke_or_tia"] = True
    >>> score = CHADS2().fit(people, [True, False])
    >>> score.points(people)
    array([3, 0])
    >>> score.breakdown(people)["age 75 or over"].tolist()
    [1, 0]
    >>> score.decision_function(people)
    array([3., 0.])
    >>> score.predict_proba(people)[:, 1]
    array([0.059, 0.019])
    >>> score.predict(people)
    array([ True, False])
    """

    components: ClassVar[tuple[Component, ...]] = ()
    yearly_rates: ClassVar[tuple[float, ...]] = ()  # in per cent, from 0 points on

    def __init__(self, columns: Mapping[str, str] | None = None, threshold: int = 2) -> None:
        self.columns = columns
        self.threshold = threshold

    def fit(self, X: Any, y: Any) -> PointScore:
        """Check the table, and learn the two labels.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.
        y : array
            The labels, of which the second in sorted order is the event.

        Returns
        -------
        PointScore
            The classifier itself.
        """
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, Real):
            raise ParamTypeError(f"threshold is {self.threshold!r}; it must be a number of points.")
        self.points(X)
        labels = label_array(y)
        if labels.ndim != 1:
            raise DataError(f"y has the shape {labels.shape}; give one label per person.")
        known = read_labels(labels, None, False, category_order(y))
        if len(known.codes) != len(X):
            raise DataError(f"X has {len(X)} rows and y {len(known.codes)}.")
        if len(known.classes) != 2:
            shown = ", ".join(shown_label(label) for label in known.classes[:5])
            raise DataError(
                f"{type(self).__name__} needs two labels, an event and none; y has "
                f"{len(known.classes)}: {shown}."
            )
        self.classes_: np.ndarray = known.classes
        columns = nw.from_native(X, eager_only=True).columns  # pyarrow's own are no names
        self.feature_names_in_ = np.array(columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def breakdown(self, X: Any) -> pd.DataFrame:
        """Where each person's points come from.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.

        Returns
        -------
        DataFrame
            One column for each component, and the sum.
        """
        table = _Columns(X, self._column_names())
        points = {part.name: self._component_points(table, part) for part in self.components}
        total = np.sum(list(points.values()), axis=0)
        index = X.index if isinstance(X, pd.DataFrame) else None
        return pd.DataFrame({**points, TOTAL: total}, index=index)

    def points(self, X: Any) -> np.ndarray:
        """The points of each person; this needs no fit.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.

        Returns
        -------
        array of int
            The points.
        """
        return self.breakdown(X)[TOTAL].to_numpy()

    def decision_function(self, X: Any) -> np.ndarray:
        """The points as floats, to rank people by.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.

        Returns
        -------
        array of float
            The points.
        """
        check_is_fitted(self)
        return self.points(X).astype(float)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The published probability of a stroke within a year, by points.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.

        Returns
        -------
        array of float
            Two columns: no event, event.
        """
        check_is_fitted(self)
        rate = np.array(self.yearly_rates)[self.points(X)] / 100
        return np.column_stack([1 - rate, rate])

    def predict(self, X: Any) -> np.ndarray:
        """Predict the event from ``threshold`` points on.

        Parameters
        ----------
        X : DataFrame
            Age, sex and groups of conditions.

        Returns
        -------
        array
            The predicted labels.
        """
        check_is_fitted(self)
        return self.classes_[(self.points(X) >= self.threshold).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.string = True
        return tags

    def _column_names(self) -> dict[str, str]:
        """The column for each component."""
        known = {part.column: part.column for part in self.components}
        if self.columns is not None and not isinstance(self.columns, Mapping):
            raise ParamTypeError(f"columns must be a dict by component, not {self.columns!r}.")
        for component, column in (self.columns or {}).items():
            if component not in known:
                raise ParamError(
                    f"columns: {component!r} is not a component of {type(self).__name__}; it has "
                    f"{', '.join(known)}."
                )
            known[component] = column
        return known

    def _component_points(self, table: _Columns, part: Component) -> np.ndarray:
        if part.column == AGE:
            age = table.ages()
            holds = (age >= part.from_age) & (age < part.below_age)
        elif part.column == SEX:
            holds = table.sexes() == FEMALE
        else:
            holds = table.truths(part.column)
        return part.points * holds.astype(np.int64)


class CHADS2(PointScore):
    """CHADS2, a score of 0 to 6 points.

    Heart failure, hypertension, age 75 or over and diabetes give 1 point each, stroke or TIA 2.

    Parameters
    ----------
    columns : dict, default=None
        The column to use for a component, where it has another name.
    threshold : int, default=2
        ``predict`` gives the event from this many points on.

    Examples
    --------
    >>> import pandas as pd
    >>> from elseif.evaluation import CHADS2
    >>> groups = ["heart_failure", "hypertension", "diabetes", "stroke_or_tia"]
    >>> people = pd.DataFrame(True, index=[0], columns=groups).assign(age=80)
    >>> CHADS2().points(people)
    array([6])
    """

    components: ClassVar[tuple[Component, ...]] = (
        Component("heart failure", "heart_failure", 1),
        Component("hypertension", "hypertension", 1),
        Component("age 75 or over", AGE, 1, from_age=75),
        Component("diabetes", "diabetes", 1),
        Component("stroke or TIA", "stroke_or_tia", 2),
    )
    yearly_rates: ClassVar[tuple[float, ...]] = (1.9, 2.8, 4.0, 5.9, 8.5, 12.5, 18.2)


class CHA2DS2VASc(PointScore):
    """CHA2DS2-VASc, a score of 0 to 9 points.

    As CHADS2, but with 2 points from age 75, and 1 each for age 65 to 74, vascular disease and
    female sex.

    Parameters
    ----------
    columns : dict, default=None
        The column to use for a component, where it has another name.
    threshold : int, default=2
        ``predict`` gives the event from this many points on.

    Examples
    --------
    >>> import pandas as pd
    >>> from elseif.evaluation import CHA2DS2VASc
    >>> groups = ["heart_failure", "hypertension", "diabetes", "stroke_or_tia", "vascular_disease"]
    >>> people = pd.DataFrame(False, index=[0], columns=groups).assign(age=70, sex="female")
    >>> CHA2DS2VASc().points(people)
    array([2])
    """

    components: ClassVar[tuple[Component, ...]] = (
        Component("heart failure", "heart_failure", 1),
        Component("hypertension", "hypertension", 1),
        Component("age 75 or over", AGE, 2, from_age=75),
        Component("diabetes", "diabetes", 1),
        Component("stroke or TIA", "stroke_or_tia", 2),
        Component("vascular disease", "vascular_disease", 1),
        Component("age 65 to 74", AGE, 1, from_age=65, below_age=75),
        Component("female sex", SEX, 1),
    )
    yearly_rates: ClassVar[tuple[float, ...]] = (
        *(0.0, 1.3, 2.2, 3.2, 4.0),
        *(6.7, 9.8, 9.6, 6.7, 15.2),
    )


class _Columns:
    """The columns of a score, checked as they are read."""

    def __init__(self, X: Any, names: Mapping[str, str]) -> None:
        try:
            frame = nw.from_native(X, eager_only=True, pass_through=True)
            columns = list(getattr(frame, "columns", ()))
        except nw.exceptions.DuplicateError:
            raise DataError("Column names of X must be unique, and some occur twice.") from None
        if not isinstance(frame, nw.DataFrame):
            raise DataTypeError(
                f"A score needs a data frame with the columns {', '.join(names.values())}; "
                f"X is a {type(X).__name__}."
            )
        lacking = [column for column in dict.fromkeys(names.values()) if column not in columns]
        if lacking:
            raise DataError(
                f"X lacks {', '.join(map(repr, lacking))}. Add them, or say with columns= which "
                "columns stand for them."
            )
        self._frame, self._names = frame, names

    def ages(self) -> np.ndarray:
        """Ages in years."""
        name, column = self._whole(AGE)
        if not column.dtype.is_numeric():
            raise DataError(f"Column {name!r} is {column.dtype}; ages must be numbers of years.")
        ages = column.to_numpy().astype(float)
        odd = ages[~((ages >= 0) & (ages <= 150))]
        if len(odd):
            raise DataError(
                f"Column {name!r} holds {odd[0]:g}; ages must lie between 0 and 150 years."
            )
        return ages

    def sexes(self) -> np.ndarray:
        """One of the three words for each person."""
        name, column = self._whole(SEX)
        sexes = column.to_numpy().astype(object)
        odd = sorted({repr(value) for value in set(sexes.tolist()) if value not in SEXES})
        if odd:
            raise DataError(
                f"Column {name!r} holds {', '.join(odd[:5])}; it may hold "
                f"{', '.join(map(repr, SEXES))} alone."
            )
        return sexes

    def truths(self, component: str) -> np.ndarray:
        """Whether each person has a condition."""
        name, column = self._whole(component)
        values = column.to_numpy()
        if column.dtype == nw.Boolean:
            return values.astype(bool)
        if column.dtype.is_integer() and bool(np.isin(values, (0, 1)).all()):
            return values == 1
        raise DataError(
            f"Column {name!r} is {column.dtype}; {component} must be a column of true and false "
            "(or of whole numbers 0 and 1)."
        )

    def _whole(self, component: str) -> tuple[str, nw.Series[Any]]:
        """The column of a component; a missing value is not taken as "no"."""
        name = self._names[component]
        column = self._frame[name]
        n_missing = int(column.is_null().sum())
        if not n_missing and column.dtype.is_float():
            n_missing = int(column.is_nan().sum())
        if n_missing:
            raise DataError(
                f"Column {name!r} lacks {n_missing} of {len(column)} values; a score cannot be "
                "added up without them. Fill them in, or leave these people out."
            )
        return name, column
