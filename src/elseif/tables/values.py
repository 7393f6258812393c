"""Values of one column, from a data frame's series or an array, with their kind."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NoReturn

import narwhals as nw
import numpy as np

from elseif.bits.packing import ROWS_AT_ONCE
from elseif.errors import DataError
from elseif.tables.columns import Column, Kind, boolean_column
from elseif.tables.families import (
    CATEGORY_FAMILIES,
    WRITTEN,
    as_float,
    category_form,
    family,
    is_missing,
)
from elseif.tables.parsed_text import dates_of_texts, parse_texts
from elseif.tables.times import as_date, dates_to_microseconds, durations_to_days

PLAIN_DATES = (datetime.date, datetime.datetime)  # of Python, which microseconds always hold


def unmasked(values: Any) -> Any:
    """Masked values as missing ones: NaN among numbers, None otherwise; the rest is unchanged."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    is_number = values.dtype.kind in "iuf"
    filled = np.array(values.data, dtype=np.float64 if is_number else object)
    filled[np.ma.getmaskarray(values)] = np.nan if is_number else None
    return filled


def column_from_series(
    series: nw.Series[Any], name: str, kind: Kind | None, allow_infinite: bool = False
) -> Column:
    """A column from a data frame's series."""
    if series.implementation.is_pyarrow() and is_of_pandas(series.to_native().type):
        series = nw.from_native(series.to_native().to_pandas(), series_only=True)
    dtype = series.dtype
    if dtype == nw.Boolean:
        if not series.null_count():
            values = series.to_numpy().astype(bool, copy=False)
            return of_kind(boolean_column(name, values), kind)
        missing = series.is_null().to_numpy()
        values = series.fill_null(False).to_numpy().astype(bool, copy=False)
        return of_kind(boolean_column(name, values, missing), kind)
    if dtype.is_numeric() and not dtype.is_decimal():
        return column_from_array(_numbers(series), name, kind, allow_infinite)
    if dtype in (nw.Categorical, nw.Enum, nw.String):
        return _from_categories(series, name, kind)
    if dtype in (nw.Date, nw.Datetime, nw.Duration) or _is_arrow_time(series):
        if getattr(dtype, "time_zone", None):
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return column_from_array(_times(series), name, kind)
    return column_from_array(_objects(series.to_list()), name, kind, allow_infinite)


def _is_arrow_time(series: nw.Series[Any]) -> bool:
    """Whether pyarrow has dates of a type that narwhals does not know."""
    return series.implementation.is_pyarrow() and is_time(series.to_native().type)


def _times(series: nw.Series[Any]) -> np.ndarray:
    """Dates or durations in the unit that they have, NaT where missing."""
    values = series.to_numpy()
    if values.dtype.kind in "mM":
        return values
    return _objects(series.to_list())  # as some releases of pandas hand over those of pyarrow


def _objects(values: Iterable[Any]) -> np.ndarray:
    """Any values as a one-dimensional array, even if each is itself a sequence."""
    values = list(values)
    return np.fromiter(values, dtype=object, count=len(values))


def column_from_array(
    array: np.ndarray, name: str, kind: Kind | None, allow_infinite: bool = False
) -> Column:
    """A column from a one-dimensional array of any dtype."""
    if array.dtype.kind == "b":
        return of_kind(boolean_column(name, array), kind)
    if array.dtype.kind in "iuf":
        return _from_numbers(array, name, kind, allow_infinite)
    if array.dtype.kind == "M":
        dates = dates_to_microseconds(array, name)
        return of_kind(Column(name, Kind.DATE, len(dates), numbers=dates), kind)
    if array.dtype.kind == "m":
        return _from_days(durations_to_days(array, name), name, kind)
    if array.dtype.kind in "US":
        array = array.astype(object)
    if array.dtype.kind != "O":
        raise DataError(f"Column {name!r}: values of dtype {array.dtype} cannot be read.")
    return _from_objects(array, name, kind, allow_infinite)


def _from_days(days: np.ndarray, name: str, kind: Kind | None) -> Column:
    """Durations are numbers of days: numbers even where all are 0 or 1."""
    return _from_numbers(days, name, kind or Kind.NUMERIC, allow_infinite=False)


def _numbers(series: nw.Series[Any]) -> np.ndarray:
    wide = series.dtype in (nw.Int128, nw.UInt128)  # which NumPy does not have
    if series.dtype.is_integer() and series.null_count() == 0 and not wide:
        return series.to_numpy()
    numbers = series.cast(nw.Float64).to_numpy()
    missing = series.is_null().to_numpy()
    if np.isnan(numbers[missing]).all():  # as most libraries hand over what is missing
        return numbers
    return np.where(missing, np.nan, numbers)


def _from_numbers(array: np.ndarray, name: str, kind: Kind | None, allow_infinite: bool) -> Column:
    is_float = array.dtype.kind == "f"
    if is_float and not allow_infinite and (infinite := np.isinf(array)).any():
        refuse_infinite(name, int(infinite.sum()), f" ({_rows(infinite)})")
    missing = np.isnan(array) if is_float else np.zeros(len(array), dtype=bool)
    if kind in (Kind.CATEGORY, Kind.ORDERED):
        return _factorised(array.astype(object), missing, name, kind)
    if kind is not Kind.NUMERIC and _may_be_boolean(array, missing, kind):
        return boolean_column(name, array == 1, missing if is_float else None)
    if kind is Kind.BOOLEAN:  # 2 is neither true nor false, nor is it missing
        column = boolean_column(name, array == 1, missing if is_float else None)
        return replace(column, numbers=array.astype(np.float64))
    if kind is Kind.DATE and bool(np.all(missing)):
        none = np.full(len(array), np.datetime64("NaT", "us"), dtype="datetime64[us]")
        return Column(name, Kind.DATE, len(array), numbers=none)
    if kind is Kind.DATE:
        raise DataError(f"Column {name!r} should be dates, but holds numbers.")
    return Column(name, Kind.NUMERIC, len(array), numbers=array.astype(np.float64, copy=False))


def _may_be_boolean(array: np.ndarray, missing: np.ndarray, kind: Kind | None) -> bool:
    """Whether numbers are 0, 1 or missing."""
    bad = (array != 0) & (array != 1)
    bad &= ~missing
    # a column of missing values alone is boolean only if so specified
    return not bad.any() and (kind is Kind.BOOLEAN or not bool(np.all(missing)))


def refuse_infinite(name: str, n: int, rows: str = "") -> NoReturn:
    """Raise for a column with infinite values, in rows that are named if they have numbers."""
    raise DataError(
        f"Input X contains infinity: column {name!r} has {n:,} infinite "
        f"value{'' if n == 1 else 's'}{rows}. Replace them, or fit with infinite='outer', which "
        "takes them for the largest and smallest values."
    )


def refuse_other_numbers(column: Column, repeats: np.ndarray | None = None) -> None:
    """Raise if a column declared boolean holds numbers other than 0 and 1.

    Its values may be those of groups of ``repeats`` rows, which have no numbers.
    """
    if column.kind is Kind.BOOLEAN and column.numbers is not None:
        bad = column.is_neither()
        more = int(bad.sum() if repeats is None else repeats[bad].sum()) - 1
        others = f" and {more:,} more values that are" if more else ", which is"
        rows = f" ({_rows(bad)})" if repeats is None else ""
        raise DataError(
            f"Column {column.name!r} is boolean by kinds, but holds {column.numbers[bad][0]:g}"
            f"{others} neither 0 nor 1{rows}."
        )


def _from_objects(array: np.ndarray, name: str, kind: Kind | None, allow_infinite: bool) -> Column:
    missing = np.fromiter(map(is_missing, array), dtype=bool, count=len(array))
    types = refuse_mixture(array[~missing], name)
    value_type = types.pop() if types else "number"
    if value_type == "boolean":
        values = np.where(missing, False, array).astype(bool)
        return of_kind(boolean_column(name, values, missing), kind)
    if value_type == "number":
        numbers = np.full(len(array), np.nan)
        numbers[~missing] = [as_float(v, name) for v in array[~missing]]
        return _from_numbers(numbers, name, kind, allow_infinite)
    if value_type == "date":
        dates = np.full(len(array), np.datetime64("NaT", "us"), dtype="datetime64[us]")
        dates[~missing] = _dates(array[~missing], name)
        return of_kind(Column(name, Kind.DATE, len(dates), numbers=dates), kind)
    if value_type == "duration":
        days = np.full(len(array), np.nan)
        days[~missing] = [_days(v, name) for v in array[~missing]]
        return _from_days(days, name, kind)
    if value_type not in ("text", *WRITTEN):
        raise DataError(
            f"Column {name!r} holds {value_type} values; argument must be a string or a number."
        )
    if kind in (Kind.BOOLEAN, Kind.NUMERIC, Kind.DATE):
        if value_type == "text" and kind is Kind.DATE:
            return dates_of_texts(_factorised(array, missing, name, Kind.CATEGORY))
        if value_type == "text":  # such as a file's "12" and "true"
            parsed = parse_texts(array, missing, name, kind)
            return column_from_array(parsed, name, kind, allow_infinite)
        raise DataError(
            f"Column {name!r} should be {kind}, but holds {value_type} such as "
            f"{str(array[~missing][0])!r} ({_rows(~missing)})."
        )
    if value_type in WRITTEN:
        return _from_written(array, missing, name, kind)
    return _factorised(array, missing, name, kind or Kind.CATEGORY)


def _dates(values: np.ndarray, name: str) -> list[np.datetime64]:
    """Dates of Python, pandas and NumPy, one by one, in UTC."""
    try:
        return [
            np.datetime64(v, "us") if type(v) in PLAIN_DATES and _is_naive(v) else as_date(v)
            for v in values
        ]
    except ValueError as error:
        raise DataError(f"Column {name!r}: {error}.") from error


def _is_naive(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is None


def _days(value: Any, name: str) -> float:
    """A duration of Python, pandas or NumPy as a number of days."""
    if hasattr(value, "to_timedelta64"):  # pandas
        value = value.to_timedelta64()
    if not isinstance(value, np.timedelta64):
        whole = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        fits = abs(whole) < 2**63
        value = np.timedelta64(whole, "us") if fits else np.timedelta64(value.days, "D")
    return float(durations_to_days(np.array([value]), name)[0])


def _from_written(array: np.ndarray, missing: np.ndarray, name: str, kind: Kind | None) -> Column:
    """Intervals or periods as text, in their own order where they have one."""
    known = set(array[~missing])
    try:
        order = tuple(sorted(known))
    except (TypeError, ValueError):  # of different sorts
        return _factorised(array, missing, name, kind or Kind.CATEGORY)
    kind = kind or Kind.ORDERED
    return _factorised(array, missing, name, kind, order if kind is Kind.ORDERED else None)


def refuse_mixture(values: Iterable[Any], name: str) -> set[str]:
    """The family of a column's values, which must be unique; empty if there is no value."""
    examples: dict[str, Any] = {}
    for value in values:
        examples.setdefault(family(value), value)
    if len(examples) > 1:
        raise DataError(
            f"Column {name!r} mixes {', '.join(sorted(examples))}: "
            f"{', '.join(map(repr, examples.values()))}. Make it one type: each value must "
            "mean the same however it is written."
        )
    return set(examples)


def _from_categories(series: nw.Series[Any], name: str, kind: Kind | None) -> Column:
    native = series.to_native()
    value_type = getattr(getattr(native, "type", None), "value_type", None)
    if value_type is not None and is_time(value_type):  # a dictionary of pyarrow
        decoded = nw.from_native(native.cast(value_type), series_only=True)
        return column_from_series(decoded, name, kind)
    if kind in (Kind.BOOLEAN, Kind.NUMERIC, Kind.DATE):
        return column_from_array(_objects(series.to_list()), name, kind)
    codes, levels = _native_codes(series)
    if refuse_mixture(levels, name) & {"date", "duration"}:
        # the categories are there to save room: they are cut as dates and numbers are
        return column_from_array(_objects([*levels, None])[codes], name, kind)
    order = _declared_order(series)
    ordered = order is not None if kind is None else kind is Kind.ORDERED
    return recoded(
        codes, levels, name, Kind.ORDERED if ordered else Kind.CATEGORY, order if ordered else None
    )


def is_of_pandas(arrow_type: Any) -> bool:
    """Whether pyarrow has periods or intervals of pandas, which it stores as other values."""
    return str(getattr(arrow_type, "extension_name", "")).startswith("pandas.")


def is_time(arrow_type: Any) -> bool:
    """Whether a type of pyarrow's is a date, a time of a day that is known, or a duration."""
    import pyarrow.types as types

    return bool(
        types.is_date(arrow_type) or types.is_timestamp(arrow_type) or types.is_duration(arrow_type)
    )


def _native_codes(series: nw.Series[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes into distinct values, -1 where missing, as the data frame's library does best."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        encoded = native if hasattr(native.type, "ordered") else native.dictionary_encode()
        whole = encoded.unify_dictionaries().combine_chunks()
        if hasattr(whole, "num_chunks"):  # some releases give a chunked array of one chunk
            whole = whole.chunk(0)
        codes = whole.indices.cast("int64").fill_null(-1).to_numpy()
        return _occurring(codes, whole.dictionary.to_pylist())
    if series.implementation.is_polars():
        levels = native.drop_nulls().unique(maintain_order=True).cast(str).to_list()
        code_of = {level: i for i, level in enumerate(levels)}
        codes = np.empty(len(native), dtype=np.int32)
        at_once = max(ROWS_AT_ONCE, len(levels))  # polars copies all levels each time
        for start in range(0, len(native), at_once):
            some = native.slice(start, at_once).cast(str)
            codes[start : start + at_once] = some.replace_strict(
                code_of, default=-1, return_dtype=int
            ).to_numpy()
        return codes, levels
    import pandas as pd  # the fastest factoriser there is; loaded when a column needs it

    is_arrow = hasattr(native.dtype, "pyarrow_dtype")
    is_arrow |= getattr(native.dtype, "storage", None) == "pyarrow"
    if is_arrow or isinstance(native.dtype, pd.CategoricalDtype):
        codes, uniques = pd.factorize(native, use_na_sentinel=True)
        return codes, list(uniques)
    return factorised(native.to_numpy(dtype=object))


def factorised(values: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Codes into the distinct values of an array of objects, -1 where missing.

    pandas compares texts as those of C, which end at a NUL, unless something else is among them.
    """
    import pandas as pd

    among = np.empty(len(values) + 1, dtype=object)
    among[:-1], among[-1] = values, None
    codes, uniques = pd.factorize(among, use_na_sentinel=True)
    return codes[:-1], list(uniques)


def _occurring(codes: np.ndarray, values: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Codes into the values that occur, of some that may not; a value may be missing."""
    occurs = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    kept = [i for i, value in enumerate(values) if occurs[i] and value is not None]
    if len(kept) == len(values):
        return codes, values
    recode = np.full(len(values) + 1, -1, dtype=np.int64)
    recode[kept] = np.arange(len(kept))
    return recode[codes], [values[i] for i in kept]


def _declared_order(series: nw.Series[Any]) -> tuple[Any, ...] | None:
    """The order of the categories, where the data frame has one."""
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    native = series.to_native()
    arrow_type = getattr(getattr(native, "dtype", None), "pyarrow_dtype", None)
    if arrow_type is not None:  # pandas, with its values in pyarrow
        native = native.array.__arrow_array__()
    if getattr(arrow_type or getattr(native, "type", None), "ordered", False):  # pyarrow
        if hasattr(native, "unify_dictionaries"):
            chunks = native.unify_dictionaries().chunks
            return tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
        return tuple(native.dictionary.to_pylist())
    return None


def _factorised(
    array: np.ndarray,
    missing: np.ndarray,
    name: str,
    kind: Kind,
    order: tuple[Any, ...] | None = None,
) -> Column:
    """A column of categories from an array of them."""
    known = array.copy()
    known[missing] = None
    codes, uniques = factorised(known)
    return recoded(codes, uniques, name, kind, order)


def recoded(
    codes: np.ndarray, values: list[Any], name: str, kind: Kind, order: tuple[Any, ...] | None
) -> Column:
    """Codes into sorted categories, or into the order that they came with.

    Categories are kept in one form, which is theirs in files and exports too.
    """
    if any(type(v) is not str for v in values):  # else there is nothing to look at, of very many
        values = [_category(v, name) for v in values]
        order = None if order is None else tuple(_category(v, name) for v in order)
    by_alphabet = kind is Kind.ORDERED and order is None
    if order is None:
        order = tuple(sorted(values, key=_category_key))
    code_of = {category: i for i, category in enumerate(order)}
    if len(code_of) < len(order):
        twice = next(c for i, c in enumerate(order) if c in order[:i])
        raise DataError(f"Column {name!r} has two categories that are both written {twice!r}.")
    recode = np.array([code_of[c] for c in values] + [-1], dtype=np.int32)
    return Column(
        name, kind, len(codes), codes=recode[codes], categories=order, by_alphabet=by_alphabet
    )


def _category(value: Any, name: str) -> Any:
    """A category in the form in which it is kept; what has none is refused."""
    form = category_form(value)
    if family(form) not in CATEGORY_FAMILIES:
        raise DataError(
            f"Column {name!r} has categories of type {family(form)}, such as {form!r}; a category "
            "must be text, a number or a truth value."
        )
    if family(form) == "number":
        as_float(form, name)
    return form


def of_kind(column: Column, kind: Kind | None) -> Column:
    """A column whose dtype leaves no choice, as the kind that the user asked for, if any."""
    if kind is None or kind is column.kind:
        return column
    if column.kind is Kind.BOOLEAN and kind in (Kind.CATEGORY, Kind.NUMERIC, Kind.ORDERED):
        values = np.where(column.is_missing(), np.nan, column.is_true().astype(float))
        if kind is Kind.NUMERIC:
            return Column(column.name, Kind.NUMERIC, column.n_rows, numbers=values)
        return _factorised(column.is_true().astype(object), column.is_missing(), column.name, kind)
    if column.n_missing == column.n_rows:  # of no value nothing can be wrong
        return _from_numbers(np.full(column.n_rows, np.nan), column.name, kind, False)
    raise DataError(f"Column {column.name!r} should be {kind}, but holds {column.kind} values.")


def _category_key(category: Any) -> tuple[int, Any]:
    """Numbers by size, then the rest by spelling."""
    if isinstance(category, (int, float, np.number)) and not isinstance(category, bool):
        return (0, category)
    return (1, str(category))


def _rows(mask: np.ndarray, most: int = 5) -> str:
    rows = np.flatnonzero(mask)
    shown = ", ".join(map(str, rows[:most]))
    more = f" and {len(rows) - most} more" if len(rows) > most else ""
    return f"row {shown}" if len(rows) == 1 else f"rows {shown}{more}"


def without_rows(message: str) -> str:
    """A message about some values without the rows that they are in."""
    return re.sub(r" \(rows? \d[^()]*\)", "", message)
