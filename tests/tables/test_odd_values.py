"""Values of odd types and sizes: the right answer, or a sentence; never a raw error."""

from __future__ import annotations

import datetime
import decimal
import tempfile
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elseif import (
    BayesianRuleListClassifier,
    ParquetTable,
    export_model,
    load_model,
    save_model,
)
from elseif.errors import ExportError, ModelFileError, ParamError
from elseif.export.json_values import decode_labels
from elseif.tables.columns import Kind
from tests.tables.fitting import expect_refused, quick

N = 200
RNG = np.random.default_rng(0)
AGE = RNG.integers(0, 100, N)
BAND = AGE // 20
Y = ((AGE > 50) ^ (RNG.random(N) < 0.1)).astype(int)
DAY = pd.Timestamp("2020-01-01")
EDGES = [-1, 19, 39, 59, 79, 100]


def settled(**settings: Any) -> BayesianRuleListClassifier:
    """A classifier whose few lists are all summed over, so that nothing need converge."""
    return quick(**{"kernel": "auto", "n_iter": 2000, "expected_length": 1, **settings})


def gappy(values: Any) -> pd.Series:
    """A column with missing values."""
    column = pd.Series(values)
    column[:20] = None
    return column


PERIODS = pd.PeriodIndex([f"2020-{1 + b:02d}" for b in BAND], freq="M")
DAYS = [DAY + datetime.timedelta(days=int(b)) for b in BAND]
LASTED = pd.to_timedelta(BAND * 1.5, unit="D")
CATEGORIES = {
    "intervals": (pd.cut(AGE, EDGES), Kind.ORDERED),
    "intervals without an order": (pd.cut(AGE, EDGES).as_unordered(), Kind.CATEGORY),
    "intervals with gaps": (gappy(pd.cut(AGE, EDGES)), Kind.ORDERED),
    "intervals of times": (pd.cut(pd.Series(DAYS), 4), Kind.ORDERED),
    "intervals that are no categories": (
        pd.arrays.IntervalArray(pd.cut(AGE, EDGES)),
        Kind.ORDERED,
    ),
    "periods": (pd.Categorical(PERIODS), Kind.CATEGORY),
    "periods in order": (pd.Categorical(PERIODS, ordered=True), Kind.ORDERED),
    "periods that are no categories": (PERIODS, Kind.ORDERED),
    "periods with gaps": (gappy(pd.Series(PERIODS)), Kind.ORDERED),
    "durations as categories": (pd.Categorical(LASTED), Kind.NUMERIC),
    "durations": (LASTED, Kind.NUMERIC),
    "durations with gaps": (gappy(LASTED), Kind.NUMERIC),
    "durations of 0 and 1 days": (pd.to_timedelta((AGE > 50).astype(int), unit="D"), Kind.NUMERIC),
    "durations of Python": (
        pd.Series([datetime.timedelta(days=1.5 * b) for b in BAND], dtype=object),
        Kind.NUMERIC,
    ),
    "durations of NumPy": (
        pd.Series(np.array([np.timedelta64(36 * b, "h") for b in BAND], dtype=object)),
        Kind.NUMERIC,
    ),
    "dates as categories": (pd.Categorical(DAYS), Kind.DATE),
    "dates as categories in order": (pd.Categorical(DAYS, ordered=True), Kind.DATE),
    "dates as categories with gaps": (gappy(pd.Categorical(DAYS)), Kind.DATE),
    "days of Python as categories": (pd.Categorical([d.date() for d in DAYS]), Kind.DATE),
    "times of a zone as categories": (
        pd.Categorical([d.tz_localize("Europe/Berlin") for d in DAYS]),
        Kind.DATE,
    ),
    "decimal fractions as categories": (
        pd.Categorical([decimal.Decimal("0.1") * int(b) for b in BAND]),
        Kind.CATEGORY,
    ),
}


@pytest.mark.fault(
    "",
    "values of unusual types: complex numbers, integers beyond 64-bit floats, dates and "
    "durations beyond microseconds, durations of years, categories that are tuples or "
    "bytes",
    "`DataError` with the column and the row or value",
)
@pytest.mark.parametrize("what", CATEGORIES)
@pytest.mark.parametrize("negations", [False, True], ids=["plain", "negations"])
def test_fit_predict_save_export_and_explain_agree(
    what: str, negations: bool, tmp_path: Path
) -> None:
    """Categories of any type have one form, in which every door knows them again."""
    values, kind = CATEGORIES[what]
    X = pd.DataFrame({"c": values, "noise": RNG.random(N) < 0.5})
    clf = settled(negations=negations, min_support=0.05, max_cardinality=1).fit(X, Y)
    report = clf.fit_report_.columns[0]
    assert report.kind is kind
    assert report.n_missing == int(X["c"].isna().sum())
    assert any(condition.column == "c" for condition in clf.rule_list_.antecedents[0])
    expected = clf.predict_proba(X)
    assert len(np.unique(expected[:, 1])) > 1
    save_model(clf, tmp_path / "model.json")
    np.testing.assert_array_equal(load_model(tmp_path / "model.json").predict_proba(X), expected)
    space: dict[str, Any] = {}
    exec(str(export_model(clf, "python")), space)
    rows = X.astype({"c": object}).to_dict("records")
    found = [space["predict"](row)["probabilities"] for row in rows]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    for row in (0, 25, 50):
        for told in (clf.explain(rows[row]), clf.explain(X, row)):
            shares = [risk.probability for risk in told.labels]
            np.testing.assert_allclose(shares, expected[row])


def test_intervals_are_told_by_themselves_or_by_their_text() -> None:
    """In cuts, orders and antecedents."""
    X = pd.DataFrame({"c": pd.cut(AGE, EDGES)})
    interval, text = pd.Interval(39, 59, closed="right"), "(39, 59]"
    names = []
    for value in (interval, text):
        cut = settled(cuts={"c": [value]}).fit(X, Y)
        own = settled(antecedents=[(("c", ">", value),), (("c", "=", value),)]).fit(X, Y)
        order = X["c"].cat.categories if value is interval else X["c"].cat.categories.astype(str)
        told = settled(kinds={"c": list(order)}).fit(X, Y)
        names.append([cut.pool_.names, own.pool_.names, told.pool_.names])
    assert names[0] == names[1]
    assert set(names[0][0]) == {"c <= (39, 59]", "c > (39, 59]"}


@pytest.mark.parametrize(
    ("category", "word"),
    [
        ((1, 2), "tuple"),
        (b"a", "bytes"),
        (datetime.time(3), "time"),
        (complex(1, 2), "complex"),
        (10**400, "401 digits"),
    ],
    ids=["tuple", "bytes", "time", "complex", "huge"],
)
def test_categories_that_no_file_could_hold_are_refused(category: Any, word: str) -> None:
    other = (3, 4) if isinstance(category, tuple) else type(category)()
    levels = pd.Index([category, other], dtype=object, tupleize_cols=False)
    X = pd.DataFrame({"c": pd.Categorical.from_codes((AGE > 50).astype(int), levels)})
    expect_refused(lambda: settled().fit(X, Y), "'c'", word)


def column(values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"c": pd.Series(values, dtype=object)})


def test_a_signalling_nan_is_missing() -> None:
    for nan in ("NaN", "sNaN"):
        values = [decimal.Decimal(nan) if a < 5 else decimal.Decimal(int(a)) for a in AGE]
        clf = settled().fit(column(values), Y)
        assert clf.fit_report_.columns[0].n_missing == int((AGE < 5).sum())
        assert clf.predict(column(values[:3])).shape == (3,)
        labels = np.array([decimal.Decimal(nan), *map(decimal.Decimal, Y[1:].tolist())])
        expect_refused(lambda y=labels: settled().fit(AGE[:, None], y), "1 missing (rows 0)")


@pytest.mark.parametrize("imaginary", [complex(1, 2), np.complex128(1 + 2j), np.complex64(1j)])
def test_imaginary_parts_are_never_dropped(imaginary: Any) -> None:
    mixed = [imaginary, *AGE[1:].tolist()]
    expect_refused(lambda: settled().fit(column(mixed), Y), "complex number")
    expect_refused(lambda: settled().fit(column([imaginary] * N), Y), "complex number")
    labels = np.array([imaginary, *Y[1:]], dtype=object)
    for y in (labels, labels.astype(complex)):
        message = expect_refused(lambda y=y: settled().fit(AGE[:, None], y), "complex numbers")
        assert len(message) < 100
    weights = np.array([imaginary] * N, dtype=object)
    expect_refused(lambda: settled().fit(AGE[:, None], Y, sample_weight=weights), "sample_weight")
    settings: list[dict[str, Any]] = [
        {"pseudocounts": [1, imaginary]},
        {"cuts": {"x0": [imaginary]}},
        {"antecedents": [(("x0", ">", imaginary),)]},
        {"expected_length": imaginary},
        {"antecedent_weights": {"x0": imaginary}},
    ]
    for setting in settings:
        expect_refused(lambda s=setting: settled(**s).fit(AGE[:, None], Y), kind=ParamError)


@pytest.mark.parametrize("huge", [10**400, -(10**400)], ids=["plus", "minus"])
def test_numbers_beyond_floats_are_named(huge: int) -> None:
    expect_refused(lambda: settled().fit(column([huge, *AGE[1:].tolist()]), Y), "'c'", "401 digits")
    expect_refused(
        lambda: settled().fit(AGE[:, None], Y, sample_weight=[huge] * N),
        "sample_weight",
        "too large",
    )
    fitted = settled().fit(pd.DataFrame({"c": AGE}), Y)
    expect_refused(lambda: fitted.predict(column([huge])), "401 digits")
    settings: list[dict[str, Any]] = [
        {"pseudocounts": huge},
        {"pseudocounts": [1, huge]},
        {"cuts": {"x0": [huge]}},
        {"antecedents": [(("x0", ">", huge),)]},
        {"expected_length": huge},
        {"expected_cardinality": huge},
        {"max_memory": huge},
        {"min_support": float("1e300")},
        {"antecedent_weights": {"x0": huge}},
        {"n_quantiles": abs(huge)},
        {"n_iter": abs(huge)},
    ]
    for setting in settings:
        message = expect_refused(
            lambda s=setting: settled(**s).fit(AGE[:, None], Y), kind=ParamError
        )
        assert len(message) < 1000


def test_durations_are_no_settings() -> None:
    """To NumPy they are integers."""
    day = np.timedelta64(1, "D")
    names = ("expected_length", "min_support", "n_iter", "n_chains", "random_state", "n_jobs")
    for name in (*names, "group_rare", "max_memory", "pseudocounts"):
        expect_refused(
            lambda n=name: settled(**{n: day}).fit(AGE[:, None], Y), name, kind=ParamError
        )
    weights = np.array([day] * N, dtype=object)
    expect_refused(lambda: settled().fit(AGE[:, None], Y, sample_weight=weights), "sample_weight")


@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ms"])
def test_years_beyond_microseconds_do_not_wrap(unit: str) -> None:
    """What the widest dates hold is right; what is beyond them is refused with its row."""
    near = np.array(AGE + 250_000 - 1970, dtype="datetime64[Y]").astype(f"datetime64[{unit}]")
    clf = settled().fit(near[:, None], Y)
    years = [str(cut)[:6] for cut in clf.fit_report_.columns[0].cuts]
    assert len(years) == 3
    assert all("250000" <= year <= "250100" for year in years)
    far = near.copy()
    far[7] = np.datetime64(300_000 - 1970, "Y").astype(far.dtype)
    for values in (far[:, None], np.fromiter(far, dtype=object, count=N)[:, None]):
        expect_refused(lambda v=values: settled().fit(v, Y), "'x0'", "292,000 years")
    expect_refused(lambda: clf.predict(far[:, None]), "row 7")
    expect_refused(
        lambda: settled(cuts={"x0": [far[7]]}).fit(near[:, None], Y), "cuts", kind=ParamError
    )


@pytest.mark.parametrize("unit", ["Y", "M", "generic"])
def test_durations_of_no_fixed_length_are_refused(unit: str) -> None:
    dtype = "timedelta64" if unit == "generic" else f"timedelta64[{unit}]"
    durations = AGE.astype(np.int64).view(dtype)  # NumPy 2.5 warns where it converts to no unit
    expect_refused(lambda: settled().fit(durations[:, None], Y), "not a fixed number of days")


ARROW_TIMES = {
    "seconds": pa.timestamp("s"),
    "milliseconds": pa.timestamp("ms"),
    "a time zone": pa.timestamp("s", tz="Europe/Berlin"),
    "days": pa.date32(),
    "days of 64 bits": pa.date64(),
    "durations": pa.duration("s"),
}


@pytest.mark.parametrize("what", ARROW_TIMES)
@pytest.mark.parametrize("dictionary", [False, True], ids=["plain", "dictionary"])
def test_far_times_of_arrow(what: str, dictionary: bool, tmp_path: Path) -> None:
    """Times that microseconds cannot count are refused, in memory and from a file."""
    held = ARROW_TIMES[what]
    if held == pa.date32():
        far = pa.array((2**31 - 1 - AGE).astype(np.int32)).cast(held)
    else:
        far = pa.array((2**61 - AGE) // 86_400_000 * 86_400_000).cast(held)
    table = pa.table({"c": far.dictionary_encode() if dictionary else far})
    expect_refused(lambda: settled().fit(table, Y), "'c'", "292,000 years")
    if dictionary or held not in (pa.timestamp("ms"), pa.date32()):
        return  # which Parquet does not have, or not of such times
    pq.write_table(table, tmp_path / "far.parquet")
    expect_refused(
        lambda: settled().fit(ParquetTable(tmp_path / "far.parquet"), Y), "292,000 years"
    )


def test_nanoseconds_of_arrow_are_cut_off() -> None:
    """As those of pandas are."""
    whole = (DAY.value + AGE * 86_400_000_000_000 + 7).astype("datetime64[ns]")
    ours = settled().fit(pa.table({"c": pa.array(whole)}), Y)
    theirs = settled().fit(pd.DataFrame({"c": whole}), Y)
    assert ours.fingerprint_ == theirs.fingerprint_


def test_a_dictionary_of_dates_is_dates() -> None:
    times = pa.array([d.to_pydatetime() for d in DAYS])
    plain = settled().fit(pa.table({"c": times}), Y)
    encoded = settled().fit(pa.table({"c": times.dictionary_encode()}), Y)
    assert plain.fingerprint_ == encoded.fingerprint_


def test_whole_numbers_of_128_bits() -> None:
    """Of polars; NumPy does not have them."""
    for values in (AGE.tolist(), (AGE > 50).astype(int).tolist(), [None, *AGE[1:].tolist()]):
        wide = pl.DataFrame({"c": pl.Series(values, dtype=pl.Int128)})
        narrow = pl.DataFrame({"c": pl.Series(values, dtype=pl.Int64)})
        a, b = settled().fit(wide, Y), settled().fit(narrow, Y)
        assert a.fingerprint_ == b.fingerprint_
        np.testing.assert_array_equal(a.predict_proba(wide), b.predict_proba(narrow))


def test_a_batch_of_arrow_keeps_its_names() -> None:
    table = pa.table({"age": AGE, "noise": RNG.random(N) < 0.5})
    (batch,) = table.to_batches()
    clf = settled().fit(batch, Y)
    assert list(clf.feature_names_in_) == ["age", "noise"]
    assert clf.fingerprint_ == settled().fit(table, Y).fingerprint_
    np.testing.assert_array_equal(clf.predict_proba(batch), clf.predict_proba(table))
    assert str(clf.explain(batch, 3)) == str(clf.explain(table, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that names are missing would be a warning
        clf.predict(batch.select(["noise", "age"]))


@pytest.mark.fault(
    "",
    "labels in memory for a lazy table, or predictions for one; a pipe or device instead of a file",
    "`DataError` with what to do",
)
def test_what_is_not_computed_yet_is_refused_with_what_to_do() -> None:
    """A DuckDB relation and a lazy frame have no rows in an order that labels could follow."""
    X = pd.DataFrame({"age": AGE})
    clf = settled().fit(X, Y)
    for lazy, advice in ((duckdb.from_df(X), "X.df()"), (pl.LazyFrame(X), "X.collect()")):
        expect_refused(lambda x=lazy: settled().fit(x, Y), type(lazy).__name__, advice)
        expect_refused(lambda x=lazy: clf.predict(x), advice)
        expect_refused(lambda x=lazy: clf.explain(x), advice)


def test_quantiles_are_bounded() -> None:
    """A million of them would be a million conditions of each column."""
    message = expect_refused(
        lambda: settled(n_quantiles=10**6).fit(AGE[:, None], Y), "n_quantiles", kind=ParamError
    )
    assert "1,000 or less" in message


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        ("people.csv", "Read a file by elseif.tables.read_file(X)."),
        (Path("people.csv"), "Read a file by elseif.tables.read_file(X)."),
        ({"age": [60, 70]}, "Make it one: pandas.DataFrame(X)."),
        ({"age": 60, "ward": "east"}, "Make it one: pandas.DataFrame([X])."),
        ([{"age": 60}, {"age": 70}], "X is a list of dicts. Make it a data frame: pandas.DataFr"),
    ],
    ids=str,
)
def test_what_is_no_table_is_refused_with_what_makes_one(table: Any, advice: str) -> None:
    clf = settled().fit(pd.DataFrame({"age": AGE}), Y)
    for call in (lambda: settled().fit(table, Y), lambda: clf.predict(table)):
        expect_refused(call, advice)


@pytest.mark.parametrize("word", ["now", "today", "NaT", "03.01.2020", ""])
def test_a_label_that_is_no_date_is_refused(word: str) -> None:
    """A forged model cannot have a label that is another day each day."""
    with pytest.raises(ModelFileError, match="not a date"):
        decode_labels("datetime64[D]", [{"date": "2020-01-01"}, {"date": word}])
    with pytest.raises(ParamError):
        settled(cuts={"c": [word]}).fit(pd.DataFrame({"c": DAYS}), Y)


@pytest.mark.parametrize("kind", ["datetime64[D]", "datetime64[us]", "datetime64[ns]", object])
def test_labels_that_are_dates_come_back(kind: Any) -> None:
    """And are shown as dates."""
    y = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")[Y].astype(kind)
    clf = settled().fit(AGE[:, None], y)
    assert "Probability of 2020-01-02" in str(clf.rule_list_)
    with tempfile.TemporaryDirectory() as folder:
        save_model(clf, Path(folder) / "model.json")
        loaded = load_model(Path(folder) / "model.json")
    np.testing.assert_array_equal(loaded.classes_, clf.classes_)
    assert loaded.classes_.dtype == clf.classes_.dtype
    assert list(map(type, loaded.classes_)) == list(map(type, clf.classes_))
    assert (clf.predict(AGE[:, None]) == y).mean() > 0.6


def test_durations_as_labels_are_shown_as_such() -> None:
    y = np.array([1, 2], dtype="timedelta64[D]").astype("timedelta64[ns]")[Y]
    clf = settled().fit(AGE[:, None], y)
    assert "Probability of 2 days" in str(clf.rule_list_)


def test_whole_numbers_that_are_no_floats_are_not_exported() -> None:
    """Two ids that are one float would be one category elsewhere."""
    X = pd.DataFrame({"c": pd.Categorical(2 * (AGE > 50) + 2**53 + 1)})
    clf = settled().fit(X, Y)
    with pytest.raises(ExportError, match="not a 64-bit float"):
        export_model(clf, "python")


def test_two_categories_that_are_written_alike_are_refused() -> None:
    same = pd.Index([pd.Period("2020-01-01", "D"), pd.Period("2020-01-01", "2D")], dtype=object)
    X = pd.DataFrame({"c": pd.Categorical.from_codes(Y, same)})
    expect_refused(lambda: settled().fit(X, Y), "two categories that are both written '2020-01-01'")


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_texts_that_differ_beyond_a_nul(dtype: str) -> None:
    """pandas takes them for one value where all values are text."""
    texts = pd.Series(np.where(AGE > 50, "a\0old", "a\0young"), dtype=object)
    X = pd.DataFrame(
        {
            "text": texts.astype(dtype)
            if dtype != "category"
            else pd.Series(
                pd.Categorical.from_codes(np.where(AGE > 50, 0, 1), ["a\0old", "a\0young"])
            )
        }
    )
    clf = settled().fit(X, Y)
    assert clf.fit_report_.columns[0].levels == ("a\0old", "a\0young")
    assert len(np.unique(clf.predict_proba(X)[:, 1])) == 2


@pytest.mark.parametrize("values", [["a", "b", None], ["a", "b", "not used"]])
def test_dictionaries_of_pyarrow(values: list[str | None]) -> None:
    """A null may be one of the values, and some may occur in no row."""
    codes = pa.array(np.where(AGE > 50, 0, np.where(AGE < 10, 2 if None in values else 1, 1)))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(values))
    plain = pd.DataFrame({"text": column.to_pylist()})
    clf, own = settled().fit(pa.table({"text": column}), Y), settled().fit(plain, Y)
    assert repr(clf.fit_report_.columns) == repr(own.fit_report_.columns)
    np.testing.assert_array_equal(clf.predict_proba(plain), own.predict_proba(plain))
