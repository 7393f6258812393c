"""A table in an engine: its values counted by label, with one query per column."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from elseif.checks import did_you_mean
from elseif.engines.expressions import same_value
from elseif.errors import DataError, DataTypeError, ParamError
from elseif.tables.columns import Column, Kind
from elseif.tables.labels import Labels, label_array, missing_labels, read_labels, whole_weights
from elseif.tables.values import column_from_series, refuse_infinite, without_rows
from elseif.tables.weights import scaled_to_effective_size

VALUE, LABEL, WEIGHT, COUNT = "value", "label", "weight", "n"
MOST_LABELS = 100  # each is a term of an expression that engines take apart by recursion


class LabelGroups(NamedTuple):
    """Rows by label and weight: how many there are of each."""

    codes: np.ndarray  # int64 (groups,): -1 where a label is missing
    weights: np.ndarray  # int64 (groups,): in units, 0 where a label is missing
    n: np.ndarray  # int64 (groups,)

    def n_by_label(self, n_labels: int) -> np.ndarray:
        """How many rows have each label."""
        known = self.codes >= 0
        counts = np.bincount(self.codes[known], weights=self.n[known], minlength=n_labels)
        return counts.astype(np.int64)


@dataclass(frozen=True, eq=False)
class LazyLabels:
    """Labels that a column of the engine holds, and how its rows count."""

    classes: np.ndarray
    values: list[list[Any]]  # of each class, as the engine has them
    unit: float
    units: Mapping[float, int] | None  # the whole number of units of each weight; None: all one
    n_rows: int
    n_dropped: int  # rows without a label
    groups: LabelGroups

    def of_groups(self, codes: np.ndarray, weights: np.ndarray | None) -> Labels:
        """The labels of groups of rows with the same label and weight, one row of each group."""
        codes = codes.astype(np.int64)
        whole: np.ndarray = np.broadcast_to(np.int64(1), codes.shape)
        if self.units is not None and weights is not None:
            distinct, code = np.unique(weights, return_inverse=True)
            units = [self.units[weight] for weight in distinct.tolist()]
            whole = np.array(units, dtype=np.int64)[code]
        counts = (codes >= 0) & (whole > 0)
        if not counts.all():  # as of a table in memory: what does not count has neither
            codes, whole = np.where(counts, codes, -1), whole * counts
        return Labels(self.classes, codes, whole, self.unit, self.n_dropped)


class LazyTable:
    """Columns of a frame that an engine computes on request.

    ``order`` gives the labels in their order; None sorts them, unless their type has an order.
    """

    def __init__(
        self, X: Any, label: str, weight: str | None = None, order: Sequence[Any] | None = None
    ) -> None:
        self._order = order
        columns = list(nw.from_native(X).lazy().collect_schema())
        self.frame: nw.LazyFrame[Any] = nw.from_native(_by_place(X, columns)).lazy()
        schema = self.frame.collect_schema()
        self._dtypes = dict(zip(columns, schema.values(), strict=True))
        self._own_names = dict(zip(columns, schema, strict=True))
        for name, what in ((label, "y"), (weight, "sample_weight")):
            if name is not None and name not in columns:
                raise DataError(
                    f"{what}: the table has no column {name!r}; {did_you_mean(name, columns)}"
                )
        self.label, self.weight = label, weight
        self.names = [name for name in columns if name not in (label, weight)]
        if not self.names:
            raise DataError("The table has no column besides the labels.")
        self.given_orders: dict[str, str] = {}  # of dates that are texts, which are refused

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def cell(self, name: str) -> Any:
        """The expression of a column's values."""
        return nw.col(self._own_names[name])

    def dtype(self, name: str) -> Any:
        """The engine's type of a column, as narwhals names it."""
        return self._dtypes[name]

    def keys(self, *keys: Any) -> list[Any]:
        """The grouping keys: some expressions, and the weight if there is one."""
        if self.weight is None:
            return list(keys)
        weight = self.cell(self.weight).cast(nw.Float64).alias(WEIGHT)
        return [*keys, weight]

    def counts(self, keys: Sequence[Any], names: Sequence[str]) -> nw.DataFrame[Any]:
        """How many rows there are of each combination of the keys: one query."""
        some = self.frame.select(*keys)
        return some.group_by(*names).agg(nw.len().alias(COUNT)).collect("pyarrow")

    def names_of_keys(self, *names: str) -> list[str]:
        """The names of keys, with that of the weight."""
        return [*names, *([] if self.weight is None else [WEIGHT])]

    def read_labels(
        self,
        drop_missing: bool,
        effective: bool,
        check: Callable[[Any], np.ndarray] = label_array,
    ) -> LazyLabels:
        """Classes and weights, from the counts of each label and weight.

        ``check`` makes an array of labels, or says why they are no classes.
        """
        if self.weight is not None and not self.dtype(self.weight).is_numeric():
            kind = self.dtype(self.weight)
            raise DataTypeError(f"sample_weight must hold numbers; {self.weight!r} holds {kind}.")
        counts = self.counts(
            self.keys(self.cell(self.label).alias(LABEL)), self.names_of_keys(LABEL)
        )
        n = counts[COUNT].to_numpy().astype(np.int64)
        if not n.sum():
            raise DataError("The table has no rows: Found array with 0 sample(s).")
        with warnings.catch_warnings():  # these are groups, of which each label has few
            warnings.filterwarnings("ignore", "The number of unique classes")
            y = check(_signed(counts[LABEL].to_native()).to_pandas())
        missing = missing_labels(y)
        if missing.any() and not drop_missing:
            raise DataError(
                f"Input y contains NaN or infinity: {int(n[missing].sum()):,} rows have no label "
                f"in {self.label!r}. Fill them in, or leave these rows out by missing_y='drop'."
            )
        unit, units, used = 1.0, None, ~missing
        whole = np.ones(len(n), dtype=np.int64)
        if self.weight is not None:
            weights = _numbers(counts[WEIGHT])
            unit, whole = _units(weights, n, used, effective, self.weight)
            units = dict(zip(weights.tolist(), whole.tolist(), strict=True))
            used &= whole > 0
        if not used.any():
            raise DataError("No observation is left: every label is missing or every weight is 0.")
        labels = read_labels(y[used], None, False, self.order_of_labels(), repeats=n[used])
        if len(labels.classes) > MOST_LABELS:
            raise DataError(
                f"{self.label!r} holds {len(labels.classes):,} different labels; at most "
                f"{MOST_LABELS} can be counted in an engine. Is it the right column?"
            )
        raw = np.array(counts[LABEL].to_list(), dtype=object)[used]
        values = [
            list(dict.fromkeys(raw[labels.codes == code])) for code in range(len(labels.classes))
        ]
        codes = np.full(len(n), -1, dtype=np.int64)
        codes[used] = labels.codes
        groups = LabelGroups(codes, np.where(used, whole, 0).astype(np.int64), n)
        return LazyLabels(
            labels.classes, values, unit, units, int(n.sum()), int(n[missing].sum()), groups
        )

    def order_of_labels(self) -> list[Any] | None:
        """The order of the labels, if it was given or their type has one."""
        if self._order is not None:
            return list(self._order)
        dtype = self.dtype(self.label)
        if isinstance(dtype, nw.Enum):
            return list(dtype.categories)
        if dtype == nw.Categorical and self.frame.implementation.is_dask():
            # as of a column of pandas; what Dask reads from Parquet has categories not yet known
            column = self.frame.to_native()[self._own_names[self.label]]
            return list(column.cat.categories) if column.cat.known else None
        return None

    def code_of_label(self, labels: LazyLabels) -> Any:
        """The expression of a row's code: its place in the classes, -1 without a label."""
        code: Any = nw.lit(-1)
        for label_code, values in enumerate(labels.values):
            is_label = same_value(self.cell(self.label), values, self.dtype(self.label))
            code = nw.when(is_label).then(nw.lit(label_code)).otherwise(code)
        return code.alias(LABEL)

    def n_values(self, name: str, labels: LazyLabels) -> int:
        """How many distinct values a column has by label and weight."""
        keys = self.keys(self.cell(name).alias(VALUE), self.code_of_label(labels))
        some = self.frame.select(*keys).group_by(*self.names_of_keys(VALUE, LABEL))
        counted = some.agg(nw.len().alias(COUNT)).select(nw.len())
        return int(counted.collect("pyarrow")[0, 0])

    def column(
        self, name: str, labels: LazyLabels, kind: Kind | None, allow_infinite: bool
    ) -> ColumnCounts:
        """A column's values, each once for each label, with their counts: one query."""
        value = self.cell(name).alias(VALUE)
        keys = self.keys(value, self.code_of_label(labels))
        by_value = self.counts(keys, self.names_of_keys(VALUE, LABEL))
        weights = None if self.weight is None else _numbers(by_value[WEIGHT])
        n = by_value[COUNT].to_numpy().astype(np.int64)
        of_groups = labels.of_groups(by_value[LABEL].to_numpy(), weights)
        if self.dtype(name).is_float() and not allow_infinite:
            infinite = np.isinf(_numbers(by_value[VALUE]))
            if infinite.any():
                refuse_infinite(name, int(n[infinite].sum()))
        try:
            groups = column_from_series(by_value[VALUE], name, kind, allow_infinite)
        except DataError as error:  # groups of rows have no row numbers
            raise type(error)(without_rows(str(error))) from error
        return ColumnCounts(
            groups=groups,
            values=by_value[VALUE].to_list(),
            labels=replace(of_groups, weights=of_groups.weights * n, repeats=n),
        )


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """A column by groups of rows that have the same value, label and weight."""

    groups: Column  # one row of each group
    values: list[Any]  # of the groups, as the engine has them
    labels: Labels  # of the groups, with the number of rows in each

    @property
    def n_missing(self) -> int:
        """Number of rows that have no value."""
        return self.labels.n_rows_of(self.groups.is_missing())


def _units(
    weights: np.ndarray, n: np.ndarray, used: np.ndarray, effective: bool, name: str
) -> tuple[float, np.ndarray]:
    """The unit of weights, and the whole number of units of each group's."""
    if np.isnan(weights).any():
        lacking = int(n[np.isnan(weights)].sum())
        raise DataError(f"sample_weight: {lacking:,} rows have no weight in {name!r}.")
    whole, unit = whole_weights(weights, len(n), n)
    if effective:
        scaled = scaled_to_effective_size(whole * unit, used, n)
        whole, unit = whole_weights(scaled, len(n), n)
    return unit, whole.astype(np.int64)


def _numbers(series: nw.Series[Any]) -> np.ndarray:
    numbers: np.ndarray = series.cast(nw.Float64).to_numpy().astype(np.float64)
    return numbers


def _by_place(X: Any, columns: Sequence[str]) -> Any:
    """The same frame with columns named by their place, where narwhals takes no odd names.

    DuckDB and Spark read a dot or a quotation mark in a name as more than a letter, and polars
    takes "*" and "^a.*$" for several columns.
    """
    implementation = nw.from_native(X).implementation
    names = [f"c{i}" for i in range(len(columns))]
    if implementation.is_duckdb():
        quoted = (name.replace('"', '""') for name in columns)
        return X.project(", ".join(f'"{q}" AS {n}' for q, n in zip(quoted, names, strict=True)))
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        return X.toDF(*names)
    if implementation.is_polars():
        return X.rename(dict(zip(columns, names, strict=True)))
    if implementation.is_dask():  # which cannot group by numbers of half precision
        halves = [name for name, dtype in X.dtypes.items() if dtype == np.float16]
        return X.astype(dict.fromkeys(halves, np.float32)) if halves else X
    return X


def is_lazy(X: Any) -> bool:
    """Whether X is a lazy frame, not yet computed by its engine."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:  # of names, which the reader of tables has a sentence for
        return False
    return isinstance(frame, nw.LazyFrame)


def lazy_table(
    X: Any, y: Any, sample_weight: Any, antecedents: Any, order: Sequence[Any] | None = None
) -> LazyTable:
    """The table of a lazy frame, whose labels and weights are columns of it."""
    for value, what in ((y, "y"), (sample_weight, "sample_weight")):
        if not isinstance(value, str) and not (value is None and what == "sample_weight"):
            raise DataTypeError(
                f"X is a {type(X).__name__}, which has yet to be computed and whose rows have no "
                f"order until then: {what} must be the name of one of its columns, as in "
                "fit(X, 'label'). To learn from rows in memory, compute X first, for example by "
                "X.df() of DuckDB or X.collect() of polars."
            )
    if antecedents is not None:
        raise ParamError(
            "Antecedents of your own need a table in memory: compute the columns that they name "
            "first."
        )
    return LazyTable(X, y, sample_weight, order)


def _signed(labels: Any) -> Any:
    """Arrow's labels, with codes of categories that every release of PyArrow turns into pandas."""
    import pyarrow as pa

    kind = labels.type
    if pa.types.is_dictionary(kind) and pa.types.is_unsigned_integer(kind.index_type):
        return labels.cast(pa.dictionary(pa.int64(), kind.value_type, kind.ordered))
    return labels
