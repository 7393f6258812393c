"""Faults of tables and names, row by row of the table of faults; a test's name carries its row."""

from __future__ import annotations

import re
import time
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from elseif.errors import DataError, ElseifError, MiningError, ParamError
from elseif.posterior.rule_list import antecedent_truth
from elseif.tables.reading import read_table
from elseif.tables.text_files import read_file
from tests.tables.fitting import expect_refused, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAN, INF = float("nan"), float("inf")


def cover(clf: Any, name: str, X: Any) -> np.ndarray:
    """The rows of a table where an antecedent of the fitted pool is true."""
    antecedent = clf.pool_[clf.pool_.names.index(name)]
    table = read_table(X, allow_infinite=True)
    return antecedent_truth(antecedent, table, clf.posterior_.metadata.kinds)


# ------------------------------------------------------------- row 15: missing values


def gappy_frame() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A column of each kind with the same quarter of its values missing."""
    rng = np.random.default_rng(8)
    n = 200
    gap = np.arange(n) % 4 == 1
    y = (rng.random(n) < np.where(gap, 0.8, 0.3)).astype(int)
    X = pd.DataFrame(
        {
            "flag": pd.array(np.where(gap, None, rng.random(n) < 0.5), dtype="boolean"),
            "number": np.where(gap, NAN, rng.normal(size=n)),
            "word": pd.Series(np.where(gap, None, rng.choice(["a", "b"], n)), dtype=object),
            "grade": pd.Categorical(
                np.where(gap, None, rng.choice(["low", "mid", "top"], n)),
                ["low", "mid", "top"],
                ordered=True,
            ),
            "day": pd.Series(
                np.where(
                    gap,
                    np.datetime64("NaT", "us"),
                    np.datetime64("2020-01-01") + rng.integers(0, 900, n).astype("timedelta64[D]"),
                )
            ).astype("datetime64[ns]"),
            "noise": rng.random(n) < 0.5,
        }
    )
    return X, y, gap


@pytest.mark.fault(
    "15",
    "missing values in X",
    'only "is missing" is true; with `missing="error"`, an error',
)
@pytest.mark.parametrize("column", ["flag", "number", "word", "grade", "day"])
@pytest.mark.parametrize("settings", [{}, {"negations": True}, {"disjoint_bins": True}])
def test_row_15_a_missing_value_makes_no_ordinary_condition_true(
    column: str, settings: dict[str, Any]
) -> None:
    """Where a value is missing, only "is missing" is true: at fit and at prediction alike."""
    X, y, gap = gappy_frame()
    X = X[[column, "noise"]]
    clf = quick(min_support=0.01, max_cardinality=1, **settings).fit(X, y)
    names = [n for n, a in zip(clf.pool_.names, clf.pool_, strict=True) if a.columns == (column,)]
    assert f"{column} is missing" in names
    assert len(names) > 1
    for name in names:
        truth = cover(clf, name, X)
        assert truth.mean() == pytest.approx(clf.pool_.supports[clf.pool_.names.index(name)])
        if name == f"{column} is missing":
            np.testing.assert_array_equal(truth, gap)
        else:
            assert truth.any()
            assert not truth[gap].any()
    assert clf.fit_report_.missing == {column: 50}


def test_row_15_missing_is_never_false() -> None:
    """Turning missing values into False changes the fit: the two are not the same."""
    X, y, gap = gappy_frame()
    X = X[["flag", "noise"]]
    clf = quick(negations=True).fit(X, y)
    false = quick(negations=True).fit(X.assign(flag=X["flag"].fillna(False).astype(bool)), y)
    supports = [c.pool_.supports[c.pool_.names.index("not flag")] for c in (clf, false)]
    assert supports[1] - supports[0] == pytest.approx(gap.mean())


def test_row_15_is_missing_needs_support_like_any_condition() -> None:
    """Few missing values give no condition, but they are counted."""
    X, y = random_frame()
    X = X.astype(object)
    X.loc[:3, "f1"] = None
    clf = quick().fit(X, y)
    assert "f1 is missing" not in clf.pool_.names
    assert clf.fit_report_.missing == {"f1": 4}


def test_row_15_columns_missing_together_are_one_condition() -> None:
    """Columns that lack the same rows share a condition, and the others are its aliases."""
    X, y, _ = gappy_frame()
    clf = quick().fit(X, y)
    missing = [n for n, a in zip(clf.pool_.names, clf.pool_, strict=True) if n.endswith("missing")]
    assert [n for n in missing if " and " not in n] == ["day is missing"]
    assert set(clf.fit_report_.aliases["day is missing"]) == {
        f"{name} is missing" for name in ("flag", "number", "word", "grade")
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "array"])
def test_row_15_missing_refused_when_asked(library: str) -> None:
    """missing="error" names the columns and counts what each lacks."""
    X, y, _ = gappy_frame()
    X = X[["flag", "number", "noise"]]
    table: Any = {
        "pandas": lambda: X,
        "polars": lambda: pl.from_pandas(X),
        "pyarrow": lambda: pa.Table.from_pandas(X),
        "array": lambda: X.astype(object).to_numpy(),
    }[library]()
    names = ("'x0'", "'x1'") if library == "array" else ("'flag'", "'number'")
    message = expect_refused(
        lambda: quick(missing="error").fit(table, y), *names, "50", "own_level"
    )
    assert "noise" not in message
    assert "x2" not in message


def test_row_15_missing_values_by_any_other_name() -> None:
    """None, NaN, pandas.NA, NaT and nulls are all the same absence."""
    y = np.arange(40) // 4 % 2
    forms: list[Any] = [
        pd.DataFrame({"a": pd.Series([gap, "u", "v", "u"] * 10, dtype=object)})
        for gap in (None, NAN, pd.NA, pd.NaT)
    ]
    forms.append(pd.DataFrame({"a": pd.array([pd.NA, "u", "v", "u"] * 10, dtype="string")}))
    forms.append(pl.DataFrame({"a": [None, "u", "v", "u"] * 10}))
    forms.append(pa.table({"a": [None, "u", "v", "u"] * 10}))
    for X in forms:
        clf = quick(max_cardinality=1, expected_length=1).fit(X, y)
        assert clf.pool_.names == ("a = u", "a = v", "a is missing")
        assert clf.fit_report_.missing == {"a": 10}


def test_row_15_a_column_without_a_single_value() -> None:
    """A column that is missing throughout gives nothing, and the report says why."""
    X, y = random_frame()
    X["void"] = np.full(len(X), NAN)
    X["null"] = pd.Series([None] * len(X), dtype=object)
    clf = quick().fit(X, y)
    assert clf.fit_report_.excluded.keys() == {"void", "null"}
    for why in clf.fit_report_.excluded.values():
        assert "missing" in why
    assert clf.predict(X).shape == (200,)


# ------------------------------------------------------------ row 16: infinite values


@pytest.mark.fault(
    "16",
    "infinite numbers",
    '`DataError`; `infinite="outer"` treats them as the largest or smallest value',
)
@pytest.mark.parametrize("value", [INF, -INF])
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "array", "objects", "sparse"])
def test_row_16_infinite_values(value: float, form: str) -> None:
    """Infinity is refused with its column, its rows and their number."""
    rng = np.random.default_rng(0)
    array = rng.normal(size=(60, 2))
    array[[3, 17], 1] = value
    frame = pd.DataFrame(array, columns=["a", "b"])
    table: Any = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame),
        "array": lambda: array,
        "objects": lambda: array.astype(object),
        "sparse": lambda: sparse.csr_array(array),
    }[form]()
    name = "'b'" if form in ("pandas", "polars", "pyarrow") else "'x1'"
    message = expect_refused(
        lambda: quick().fit(table, np.arange(60) % 2), name, "infinit", "3, 17"
    )
    assert re.search(r"\b2\b", message)


def test_row_16_more_than_five_rows_are_counted() -> None:
    """Of many rows the first five and the number are given."""
    X = pd.DataFrame({"a": np.where(np.arange(60) < 12, INF, np.arange(60.0))})
    message = expect_refused(lambda: quick().fit(X, np.arange(60) % 2), "12", "0, 1, 2, 3, 4")
    assert "0, 1, 2, 3, 4, 5" not in message


def test_row_16_infinite_values_in_the_outer_bins_when_asked() -> None:
    """infinite="outer" puts them beyond the outermost cuts, which they do not move."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=200)
    y = (rng.random(200) < 0.5).astype(int)
    X = pd.DataFrame({"a": np.r_[values, INF, INF, -INF]})
    clf = quick(infinite="outer", max_cardinality=1).fit(X, np.r_[y, 1, 1, 0])
    finite = quick(max_cardinality=1).fit(pd.DataFrame({"a": values}), y)
    assert clf.fit_report_.cuts == finite.fit_report_.cuts
    assert clf.fit_report_.missing == {}
    for name in clf.pool_.names:
        assert cover(clf, name, X)[-3:].tolist() == (
            [True, True, False] if ">" in name else [False, False, True]
        )
    assert clf.predict(pd.DataFrame({"a": [INF, -INF]})).shape == (2,)
    expect_refused(
        lambda: finite.predict(pd.DataFrame({"a": [0.0, INF]})), "'a'", "infinit", "row 1"
    )


def test_row_16_infinite_values_in_disjoint_bins() -> None:
    """The outer bins are open on their outer side."""
    X = pd.DataFrame({"a": np.r_[np.arange(100.0) ** 1.1, INF, -INF]})
    y = np.arange(102) % 2
    clf = quick(infinite="outer", disjoint_bins=True, max_cardinality=1).fit(X, y)
    covers = np.array([cover(clf, name, X) for name in clf.pool_.names])
    assert covers.sum(axis=0).tolist() == [1] * 102


def test_row_16_infinite_values_with_description_length() -> None:
    """Infinite values do not disturb supervised cuts."""
    values = np.r_[np.arange(100.0), INF, -INF]
    y = (values >= 50).astype(int)
    y[3] = 1
    clf = quick(infinite="outer", cutting="mdl", max_cardinality=1, expected_length=1)
    clf.fit(pd.DataFrame({"a": values}), y)
    assert all(np.isfinite(clf.fit_report_.cuts["a"]))
    assert any(49 <= cut < 50 for cut in clf.fit_report_.cuts["a"])


# --------------------------------------------------- rows 17 to 19: values that are not


@pytest.mark.fault(
    "17-19",
    '2 in a column declared boolean in `kinds`, 1 and "1" in one column, decimal commas in a file',
    "`DataError` with row or line",
)
@pytest.mark.parametrize("bad", [2, -1, 0.5, INF])
@pytest.mark.parametrize("form", ["objects", "polars", "pyarrow", "sparse", "array"])
def test_row_17_numbers_in_a_boolean_column(bad: float, form: str) -> None:
    """Told to be boolean, a column holds 0 and 1 only, in every form of a table."""
    frame, y = random_frame()
    array = frame.to_numpy().astype(float)
    array[7, 1] = bad
    table: Any = {
        "objects": lambda: array.astype(object),
        "polars": lambda: pl.DataFrame(array, schema=[f"x{i}" for i in range(4)]),
        "pyarrow": lambda: pa.table({f"x{i}": array[:, i] for i in range(4)}),
        "sparse": lambda: sparse.csc_array(array),
        "array": lambda: array,
    }[form]()
    fit = quick(kinds={"x1": "boolean"}, infinite="outer").fit
    expect_refused(
        lambda: fit(table, y), "'x1'", "boolean", str(bad).rstrip("0").rstrip("."), "row 7"
    )


def test_row_17_no_truthiness() -> None:
    """Text and numbers beyond 0 and 1 are never taken for true."""
    X, y = random_frame()
    for values in (["yes", "no"] * 100, ["x", ""] * 100, ["T", "F"] * 100):
        declared = quick(kinds={"f1": "boolean"})
        expect_refused(
            lambda t=declared, v=values: t.fit(X.assign(f1=v), y), "'f1'", "boolean", values[0]
        )
    clf = quick().fit(X.assign(f1=np.tile([0, 1, 2, 5], 50)), y)
    assert "f1" not in clf.pool_.names
    assert clf.fit_report_.columns[0].kind == "numeric"


MIXED: list[tuple[list[Any], tuple[str, ...]]] = [
    ([1, "1", None, 2], ("1", "'1'")),
    ([1.5, "a", None, 2], ("1.5", "'a'")),
    ([True, 1, False, 0], ("True", "1")),
    ([True, "True", None, False], ("True", "'True'")),
    ([pd.Timestamp("2020-01-01"), "2020-01-01", None, None], ("'2020-01-01'",)),
]


@pytest.mark.parametrize(
    ("values", "shown", "form"),
    [
        (values, shown, form)
        for values, shown in MIXED
        for form in ("pandas", "array", "categories")
        # pandas takes True for the same category as 1, and a missing value for none
        if form != "categories" or len(set(values)) == len(values)
    ],
)
def test_row_18_mixed_types_in_a_column(
    values: list[Any], shown: tuple[str, ...], form: str
) -> None:
    """A column that mixes types is refused with one of each, categories included."""
    column = pd.Series(values * 10, dtype=object)
    X: Any = pd.DataFrame({"odd": column})
    name = "'odd'"
    if form == "array":
        X, name = column.to_numpy()[:, None], "'x0'"
    if form == "categories":
        X = pd.DataFrame({"odd": column.astype("category")})
    expect_refused(lambda: quick().fit(X, np.arange(40) % 2), name, *shown)


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, object(), b"bytes", 1j])
def test_row_18_values_of_no_known_type(value: Any) -> None:
    """What is neither number, word, date nor truth is refused, and its column named."""
    column = np.empty(40, dtype=object)
    for i in range(40):
        column[i] = value
    X = pd.DataFrame({"odd": pd.Series(column, dtype=object)})
    expect_refused(lambda: quick().fit(X, np.arange(40) % 2), "'odd'")


@pytest.mark.parametrize("fault", ['"1,5"', " 1 ", "1 ", "many"])
def test_row_19_faulty_numbers_in_a_file(fault: str, tmp_path: Path) -> None:
    """A number that is not written as one is refused with its line and its column."""
    path = tmp_path / "t.csv"
    lines = ["age,sex", *(f"{i}.5,{'fm'[i % 2]}" for i in range(30))]
    lines[17] = f"{fault},f"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expect_refused(lambda: read_file(path), "t.csv", "line 18", "'age'", fault.strip('"'))


@pytest.mark.parametrize(("written", "number"), [("1 000", 1000.0), ('"1,000.5"', 1000.5)])
def test_row_19_thousands_that_can_be_nothing_else(
    written: str, number: float, tmp_path: Path
) -> None:
    """Thousands that are set apart are read where no other reading is possible."""
    path = tmp_path / "t.csv"
    lines = ["age,sex", *(f"{i}.5,{'fm'[i % 2]}" for i in range(30))]
    lines[17] = f"{written},f"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_file(path)["age"].tolist()[15:18] == [15.5, number, 17.5]


def test_row_19_decimal_commas_throughout(tmp_path: Path) -> None:
    """A column of commas is refused, not taken for categories, where they may be thousands."""
    path = tmp_path / "t.csv"
    rows = [f"{i + 1},{i + 100};{'fm'[i % 2]}" for i in range(30)]
    path.write_text("\n".join(["age;sex", *rows]) + "\n", encoding="utf-8")
    expect_refused(lambda: read_file(path), "line 2", "'age'", "'1,100'", "decimal=','")


def test_row_19_the_line_is_the_files_line(tmp_path: Path) -> None:
    """Empty lines and fields of several lines are counted as an editor counts them."""
    path = tmp_path / "t.csv"
    rows = [f"{i},w{i % 3}" for i in range(30)]
    rows[3] = '4,"two\nlines"'
    rows[5] = "\n6,w0"
    rows[20] = '"1,5",w0'
    text = "\n".join(["age,word", *rows]) + "\n"
    path.write_text(text, encoding="utf-8")
    line = next(i for i, line in enumerate(text.split("\n"), 1) if "1,5" in line)
    expect_refused(lambda: read_file(path), f"line {line}:", "'age'", "'1,5'")


def test_row_19_numbers_as_categories_when_told(tmp_path: Path) -> None:
    """A column that is told to be a category is taken as it is written."""
    path = tmp_path / "t.csv"
    path.write_text("code\n" + "\n".join(["01", "1", "1,5"] * 3).replace("1,5", '"1,5"') + "\n")
    frame = read_file(path, kinds={"code": "category"})
    assert frame["code"].tolist() == ["01", "1", "1,5"] * 3


# ------------------------------------------------------- rows 20 and 21: suspicious columns


@pytest.mark.parametrize(
    "values",
    [[f"patient {i}" for i in range(200)], list(range(1000, 1200)), list(range(200, 0, -1))],
    ids=["text", "running number", "falling number"],
)
def test_row_20_identifiers(values: list[Any]) -> None:
    """A column in which no value repeats is left out with a warning, unless forced."""
    X, y = random_frame()
    X["id"] = values
    with pytest.warns(UserWarning, match=r"'id'.*identifier.*kinds"):
        clf = quick().fit(X, y)
    assert "identifier" in clf.fit_report_.excluded["id"]
    assert not any("id" in a.columns for a in clf.pool_)
    kind = "category" if isinstance(values[0], str) else "numeric"
    forced = quick(kinds={"id": kind}).fit(X, y)
    # what is forced may still be too rare, but is no identifier any more
    assert "identifier" not in forced.fit_report_.excluded.get("id", "")
    assert forced.fit_report_.columns[-1].n_conditions > 0


def test_row_20_measurements_are_no_identifiers() -> None:
    """Numbers that never repeat are used when they are not a running number."""
    X, y = random_frame()
    X["weight"] = np.random.default_rng(0).normal(70, 10, 200)
    assert "weight" not in quick().fit(X, y).fit_report_.excluded


@pytest.mark.fault("21", "a column equal to y", "a warning")
@pytest.mark.parametrize(
    ("leak", "name"),
    [
        (lambda y: y == "yes", "leak"),
        (lambda y: (y == "yes").astype(int), "leak"),
        (lambda y: y, "leak = yes"),
        (lambda y: np.where(y == "yes", 9.5, 1.0), "leak > "),
        (lambda y: y == "no", "leak"),
    ],
    ids=["boolean", "0 and 1", "text", "number", "turned round"],
)
def test_row_21_a_column_that_is_the_label(leak: Any, name: str) -> None:
    """A column that says the same as y is warned of, by name."""
    X, y = random_frame()
    label = np.where(y == 1, "yes", "no")
    with pytest.warns(UserWarning, match=r"leak\?|leak the label") as caught:
        quick().fit(X.assign(leak=leak(label)), label)
    said = [str(w.message) for w in caught if "leak the label" in str(w.message)]
    assert any(name in message for message in said)


def test_row_21_nearly_the_label_is_no_leak() -> None:
    """A column that differs from y in one row is a good predictor, not a leak."""
    X, y = random_frame()
    near = y == 1
    near[0] = ~near[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*not converged.*")
        quick().fit(X.assign(near=near), y)


# --------------------------------------------------------------- rows 23 and 24: files


GOOD = "age,sex,word\n" + "".join(f"{i},{'fm'[i % 2]},w{i % 3}\n" for i in range(12))


def write(tmp_path: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_row_23_a_byte_order_mark_at_the_start_is_accepted(tmp_path: Path) -> None:
    """UTF-8 with a mark reads as without it; the mark is no part of the first name."""
    plain = read_file(write(tmp_path, GOOD))
    marked = read_file(write(tmp_path, b"\xef\xbb\xbf" + GOOD.encode(), "m.csv"))
    assert marked.columns.tolist() == ["age", "sex", "word"]
    pd.testing.assert_frame_equal(plain, marked)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_row_23_line_endings_of_other_systems(ending: str, tmp_path: Path) -> None:
    """Windows' and old Macintosh's ends of lines read as Unix's."""
    other = read_file(write(tmp_path, GOOD.replace("\n", ending), "o.csv"))
    pd.testing.assert_frame_equal(read_file(write(tmp_path, GOOD)), other)


def test_row_23_no_end_of_line_at_the_end(tmp_path: Path) -> None:
    """The last line may lack its end."""
    short = read_file(write(tmp_path, GOOD.rstrip("\n"), "o.csv"))
    pd.testing.assert_frame_equal(read_file(write(tmp_path, GOOD)), short)


FAULTY_BYTES = {
    "latin-1 value": "a,b\n1,x\n2,y\n3,é\n".encode("latin-1"),
    "latin-1 header": "a,ü\n1,x\n".encode("latin-1"),
    "lone continuation": b"a,b\n1,x\n2,\x80\n",
    "cut in a character": "a,b\n1,x\n2,é".encode()[:-1],
    "overlong": b"a,b\n1,\xc0\xaf\n",
    "surrogate": b"a,b\n1,\xed\xa0\x80\n",
    "nul in a value": b"a,b\n1,x\n2,y\0z\n",
    "nul in the header": b"a,b\0\n1,x\n",
    "nul after accents": "a,b\n1,ééé\n2,ü\0\n".encode(),
    "nul after a mark": b"\xef\xbb\xbfa,b\n1,x\n2,y\0\n",
    "nul after windows lines": b"a,b\r\n1,x\r\n2,\0\r\n",
    "latin-1 after a mark": b"\xef\xbb\xbfa,b\n1,x\n2,\xe9\n",
    "latin-1 after macintosh lines": b"a,b\r1,x\r2,\xe9\r",
}


def first_fault(content: bytes) -> tuple[int, int]:
    """Line and byte offset of the first NUL or byte that is not UTF-8, found naively."""
    for stop in range(1, len(content) + 1):
        piece = content[:stop]
        try:
            piece.decode("utf-8")
        except UnicodeDecodeError as error:
            if "unexpected end" in error.reason and stop < len(content):
                continue
            index = error.start
        else:
            if b"\0" not in piece:
                continue
            index = piece.index(b"\0")
        before = content[:index].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return before.count(b"\n") + 1, index
    raise AssertionError("there is no fault")


@pytest.mark.fault(
    "23-24",
    "a damaged text or Parquet file; Parquet files of different types",
    "`DataError` with line and byte, or file, row group and column",
)
@pytest.mark.parametrize("fault", FAULTY_BYTES)
def test_row_23_bytes_that_are_no_text(fault: str, tmp_path: Path) -> None:
    """Bytes that are not UTF-8, and NUL, are refused with their line and byte."""
    content = FAULTY_BYTES[fault]
    line, byte = first_fault(content)
    expect_refused(
        lambda: read_file(write(tmp_path, content)), "t.csv", f"line {line}", f"byte {byte}"
    )


RAGGED = {
    "short row": ("a,b\n1,2\n3\n5,6\n", 3),
    "long row": ("a,b\n1,2\n3,4\n5,6,7\n", 4),
    "long row after empty lines": ("a,b\n\n1,2\n\n3,4,5\n", 5),
    "long row after a field of two lines": ('a,b\n1,"x\ny"\n3,4,5\n', 4),
    "blank row": ("a,b\n1,2\n   \n", 3),
    "open quote": ('a,b\n1,2\n3,"x\n5,6\n', 3),
    "open quote in the last line": ('a,b\n1,2\n3,"x', 3),
    "text after a quote": ('a,b\n1,2\n3,"x"y\n', 3),
    "open quote in the header": ('a,"b\n1,2\n', 1),
}


@pytest.mark.parametrize("fault", RAGGED)
def test_row_23_rows_of_a_wrong_shape_are_refused_with_their_line(
    fault: str, tmp_path: Path
) -> None:
    """Ragged rows and open quotes are refused with the line they begin on."""
    text, line = RAGGED[fault]
    expect_refused(lambda: read_file(write(tmp_path, text)), "t.csv", f"line {line}")


@pytest.mark.parametrize("fault", RAGGED)
def test_row_23_rows_of_a_wrong_shape_are_refused_with_their_byte(
    fault: str, tmp_path: Path
) -> None:
    """The byte offset at which the line begins is in the message too."""
    text, line = RAGGED[fault]
    byte = len("".join(text.splitlines(keepends=True)[: line - 1]).encode())
    expect_refused(lambda: read_file(write(tmp_path, text)), f"byte {byte}")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ("empty",)),
        (b"\xef\xbb\xbf", ("empty",)),
        (b"\n", ("empty",)),
        (b"   \n1,2\n", ()),
        (b"a,b,a\n1,2,3\n", ("line 1", "'a'")),
        (b"a,,c\n1,2,3\n", ("line 1", "2")),
        (b"a,b,\n1,2,3\n", ("line 2", "column 3", "no name", "in the first line")),
        (b'a,"  ",c\n1,2,3\n', ("line 1", "2")),
    ],
    ids=["empty", "mark only", "empty line", "blanks", "doubled", "nameless", "last", "blank name"],
)
def test_row_23_headers_that_cannot_be(
    content: bytes, words: tuple[str, ...], tmp_path: Path
) -> None:
    """A file needs a first line of distinct names."""
    expect_refused(lambda: read_file(write(tmp_path, content)), "t.csv", *words)


@pytest.mark.parametrize("content", [b"a,b\n", b"a,b", b"a,b\n\n\n"])
def test_row_09_and_23_a_header_without_rows(content: bytes, tmp_path: Path) -> None:
    """A header alone is a table without rows, which is refused when it is read or fitted."""
    expect_refused(lambda: quick().fit(read_file(write(tmp_path, content)), []), "no rows")


@pytest.mark.parametrize(
    "dates",
    [
        ["2020-01-01", "2020-13-01"],
        ["2020-01-01", "2021-02-29"],
        ["2020-01-01", "0000-00-00"],
        ["2020-01-01", "2020-01-01 25:00"],
        ["٢٠٢٠-٠١-٠١", "2020-01-02"],
    ],
    ids=["month", "leap day", "zero", "hour", "arabic digits"],
)
def test_row_23_dates_that_cannot_be(dates: list[str], tmp_path: Path) -> None:
    """A date that no calendar has is refused with its line, or kept as a word; nothing else."""
    path = write(tmp_path, "day\n" + "\n".join(dates * 5) + "\n")
    try:
        frame = read_file(path)
    except DataError as error:
        assert "'day'" in str(error)  # noqa: PT017
        assert "line" in str(error)  # noqa: PT017
    else:
        assert not pd.api.types.is_datetime64_any_dtype(frame["day"])


def test_row_23_dates_of_long_ago(tmp_path: Path) -> None:
    """Dates that a clock of nanoseconds cannot hold are dates all the same."""
    days = ["1492-10-12", "1969-07-20", "2020-02-29", "2999-12-31"] * 6
    frame = read_file(write(tmp_path, "day\n" + "\n".join(days) + "\n"))
    clf = quick(max_cardinality=1, expected_length=1).fit(frame, np.arange(24) % 3 % 2)
    assert clf.fit_report_.columns[0].kind == "date"


@pytest.mark.parametrize("word", ["ınf", "İnf", "inſ", "infınity", "１２", "²", "1_000", "0x10"])
def test_row_23_words_that_look_like_numbers(word: str, tmp_path: Path) -> None:
    """Letters and digits of other scripts never end in another error than DataError."""
    path = write(tmp_path, "a\n" + "\n".join([word, "u", "v"] * 5) + "\n")
    assert word in read_file(path)["a"].tolist()
    path = write(tmp_path, "a\n" + "\n".join([word] * 5) + "\n")
    try:
        frame = read_file(path)
    except DataError as error:
        assert "'a'" in str(error)  # noqa: PT017
    else:
        assert len(frame) == 5


def test_row_23_many_columns_are_read_quickly(tmp_path: Path) -> None:
    """A header of 20,000 names is checked in one pass."""
    names = ",".join(f"column {i}" for i in range(20_000))
    row = ",".join(["1"] * 20_000)
    path = write(tmp_path, f"{names}\n{row}\n{row}\n")
    start = time.process_time()
    assert read_file(path).shape == (2, 20_000)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("name", ["t.sas7bdat", "t", "t.json.gz"])
def test_row_23_files_of_unknown_kind(name: str, tmp_path: Path) -> None:
    """An ending that is not known is refused with those that are."""
    expect_refused(
        lambda: read_file(write(tmp_path, GOOD, name)), ".csv", ".parquet", kind=ParamError
    )


def test_row_23_files_that_are_not_there(tmp_path: Path) -> None:
    """A path without a file, or to a folder, is refused by name."""
    (tmp_path / "folder.csv").mkdir()
    expect_refused(lambda: read_file(tmp_path / "lost.csv"), "lost.csv")
    expect_refused(lambda: read_file(tmp_path / "folder.csv"), "folder.csv", "folder")


def read_or_refuse(path: Path) -> None:
    """A table, or an error of ours: nothing else may come of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            table = read_file(path)
        except ElseifError as error:
            assert path.name in str(error)  # noqa: PT017
        else:
            assert isinstance(table, (pd.DataFrame, pa.Table))


@given(content=st.binary(max_size=120))
@settings(max_examples=200)
def test_row_23_fuzz_random_bytes(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Random bytes are a table or an error of ours."""
    read_or_refuse(write(tmp_path_factory.getbasetemp(), content, "fuzz.csv"))


ODD_FIELDS = [
    "", "NA", "1", "-1.5", "1e5", "1e999", "inf", "-Infinity", "nan", "true", "FALSE", "1,5", " 1 ",
    "2020-01-01", "2020-02-30", "1000-01-01", "2020-01-01T10:00:00.123", "ınf", '"', '"a', 'a"',
    '"a""b"', "a;b", "\ufeff", "\0", "\r", "\n", "\x85", "\u2028", "٣",
]  # fmt: skip
FIELDS = st.one_of(st.text(max_size=6), st.sampled_from(ODD_FIELDS))


@given(
    rows=st.lists(st.lists(FIELDS, min_size=1, max_size=4), min_size=1, max_size=8),
    separator=st.sampled_from(",;\t"),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    quoted=st.booleans(),
    same_width=st.booleans(),
    ext=st.sampled_from([".csv", ".tsv"]),
)
@settings(max_examples=400)
def test_row_23_fuzz_mutated_tables(
    rows: list[list[str]],
    separator: str,
    ending: str,
    quoted: bool,
    same_width: bool,
    ext: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Rows of odd fields, quoted or not, of equal width or not, are a table or an error of ours."""
    if same_width:
        rows = [(row * 4)[: len(rows[0])] for row in rows]
        rows[0] = [f"c{i}" for i in range(len(rows[0]))]
    if quoted:
        rows = [['"' + field.replace('"', '""') + '"' for field in row] for row in rows]
    text = ending.join(separator.join(row) for row in rows)
    path = tmp_path_factory.getbasetemp() / f"mutated{ext}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    read_or_refuse(path)


@given(data=st.data())
@settings(max_examples=150)
def test_row_23_fuzz_flipped_bytes(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A good table with some bytes changed, removed or doubled is a table or an error of ours."""
    content = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        index = data.draw(st.integers(0, len(content) - 1))
        way = data.draw(st.sampled_from(["set", "delete", "insert"]))
        byte = data.draw(st.integers(0, 255))
        if way == "set":
            content[index] = byte
        elif way == "delete":
            del content[index]
        else:
            content.insert(index, byte)
    read_or_refuse(write(tmp_path_factory.getbasetemp(), bytes(content), "flipped.csv"))


def parquet_bytes(tmp_path: Path) -> bytes:
    """A good Parquet file of three row groups, without compression."""
    path = tmp_path / "good.parquet"
    table = pa.table(
        {
            "age": np.arange(300.0),
            "word": [f"w{i % 7}" for i in range(300)],
            "flag": [i % 3 == 0 for i in range(300)],
        }
    )
    pq.write_table(table, path, row_group_size=100, compression="none", use_dictionary=False)
    return path.read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999])
def test_row_24_truncated_parquet(share: float, tmp_path: Path) -> None:
    """A Parquet file cut off anywhere is refused by name."""
    content = parquet_bytes(tmp_path)
    path = write(tmp_path, content[: int(len(content) * share)], "cut.parquet")
    expect_refused(lambda: read_file(path), "cut.parquet")


def test_row_24_parquet_that_lacks_its_last_bytes(tmp_path: Path) -> None:
    """The footer's end is needed to the last byte."""
    content = parquet_bytes(tmp_path)
    for n in (1, 2, 4, 7, 8, 9):
        expect_refused(
            lambda k=n: read_file(write(tmp_path, content[:-k], "cut.parquet")), "cut.parquet"
        )


def test_row_24_text_that_is_called_parquet(tmp_path: Path) -> None:
    """Text under a wrong name is refused."""
    expect_refused(lambda: read_file(write(tmp_path, GOOD, "t.parquet")), "t.parquet")


@pytest.mark.parametrize("group", [0, 1, 2])
def test_row_24_a_broken_row_group_is_named(group: int, tmp_path: Path) -> None:
    """Where one row group is broken, the message says which."""
    content = bytearray(parquet_bytes(tmp_path))
    chunk = pq.ParquetFile(tmp_path / "good.parquet").metadata.row_group(group).column(1)
    start = chunk.data_page_offset
    content[start : start + 16] = b"\xff" * 16
    path = write(tmp_path, bytes(content), "broken.parquet")
    expect_refused(lambda: read_file(path), "broken.parquet", f"group {group}")


def test_row_24_doubled_names_in_parquet(tmp_path: Path) -> None:
    """A Parquet file with a name twice is refused when it is read or fitted."""
    path = tmp_path / "twice.parquet"
    pq.write_table(pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], ["a", "a"]), path)
    expect_refused(lambda: quick().fit(read_file(path), [0, 1]), "'a'")


def test_row_24_fuzz_flipped_bytes_of_the_footer(tmp_path: Path) -> None:
    """A Parquet file with a byte of its footer changed is a table or an error of ours."""
    content = parquet_bytes(tmp_path)
    footer = int.from_bytes(content[-8:-4], "little") + 8
    rng = np.random.default_rng(0)
    for _ in range(150):
        mutated = bytearray(content)
        mutated[-int(rng.integers(1, footer + 1))] ^= 1 << int(rng.integers(0, 8))
        read_or_refuse(write(tmp_path, bytes(mutated), "flipped.parquet"))


# ----------------------------------------------------------------- rows 25 to 32: names


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([1, 2, 3, 4], "1"),
        (["a", NAN, "b", "c"], "nan"),
        (["a", None, "b", "c"], "None"),
        (["a", "b", "c", 4.5], "4.5"),
        ([("a", 1), "b", "c", "d"], "('a', 1)"),
        ([b"a", "b", "c", "d"], "b'a'"),
    ],
)
def test_row_25_names_that_are_no_strings(names: list[Any], shown: str) -> None:
    """Names of another type are refused and shown."""
    X, y = random_frame()
    X.columns = pd.Index(names, dtype=object)
    expect_refused(lambda: quick().fit(X, y), "string", shown)


def test_row_25_several_levels_of_names() -> None:
    """A MultiIndex is refused."""
    X, y = random_frame()
    X.columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")])
    expect_refused(lambda: quick().fit(X, y), "string", "('a', 'x')")


def test_row_25_numbered_columns_have_no_names() -> None:
    """pandas' own numbering of columns is the absence of names."""
    X, y = random_frame()
    clf = quick().fit(pd.DataFrame(X.to_numpy()), y)
    assert {c.column for c in clf.pool_.conditions} == {"x0", "x1", "x2", "x3"}


ODD_NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '"; DROP TABLE patients; --',
    "back`tick]",
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\tTab",
    "\rReturn",
    "&amp; &lt;",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "\x07bell",
    "\x1b[31mred",
    "e\u0301t\u00e9",
    "\u202eright to left",
    "zero\u200bwidth",
    "🫀 heart",
    "salt and pepper",
    "a & b : c",
    "two\nlines",
    "not smoker",
    "age > 60",
    "x is missing",
    " blanks ",
    "'quotes'\"",
    "n" * 10_000,
    "{brace} {0} %s %d \\n",
    "line\u2028separator",
]


class Elements(HTMLParser):
    """Start tags and text of a piece of HTML, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def elements(html: str) -> Elements:
    """What a browser makes of a piece of HTML."""
    parser = Elements()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.fault(
    "25-32",
    "names that are not strings, look alike (also in Cyrillic or Greek letters), or "
    "contain control characters, HTML or 10,000 characters",
    "an error, a warning, or displayed escaped and shortened but stored unchanged",
)
@pytest.mark.parametrize("name", ODD_NAMES)
def test_rows_26_to_32_any_name_is_kept_and_shown_safely(name: str) -> None:
    """Names are kept byte-exact, never parsed, and shown as text and nothing else."""
    X, y = random_frame()
    plain = quick(antecedents=[("f1",), ("f1", "f2")], n_iter=2000, expected_length=2).fit(X, y)
    odd = X.rename(columns={"f1": name})
    clf = quick(antecedents=[(name,), (name, "f2")], n_iter=2000, expected_length=2).fit(odd, y)
    assert name in clf.feature_names_in_.tolist()
    assert name in clf.pool_.names
    np.testing.assert_array_equal(
        np.sort(clf.posterior_.distinct.log_posterior),
        np.sort(plain.posterior_.distinct.log_posterior),
    )
    mined = quick().fit(odd, y)
    assert name in mined.pool_.names
    np.testing.assert_array_equal(
        np.sort(mined.pool_.supports), np.sort(quick().fit(X, y).pool_.supports)
    )
    for fitted in (clf, mined):
        np.testing.assert_array_equal(
            fitted.predict(odd), fitted.rule_list_.predict(odd[odd.columns[::-1]])
        )
    shown = next(
        clf.posterior_.rule_list(i)
        for i in range(len(clf.posterior_.distinct))
        if len(clf.posterior_.rule_list(i)) == 2
    )
    assert name in shown.to_frame()["antecedent"].tolist()
    text, html = shown.to_text(), shown._repr_html_()
    reference = next(
        plain.posterior_.rule_list(i)
        for i in range(len(plain.posterior_.distinct))
        if len(plain.posterior_.rule_list(i)) == 2
    )
    parsed = elements(html)
    assert parsed.tags == elements(reference._repr_html_()).tags
    for seen in (text.replace("\n", ""), parsed.text):
        # nothing that moves the cursor, turns the text round or cannot be seen
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", seen)
    if name.isprintable() and len(name) < 20 and name == name.strip():
        assert name in text
        assert name in parsed.text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u202eright to left", "\\u202eright to left"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines", "two\\nlines"),
        ("\u2066isolate", "\\u2066isolate"),
    ],
)
def test_row_30_what_cannot_be_seen_is_spelt_out(name: str, shown: str) -> None:
    """Bidi, zero-width and control characters are shown escaped in text and HTML."""
    X, y = random_frame()
    clf = quick(antecedents=[(name,)], expected_length=1).fit(X.rename(columns={"f1": name}), y)
    rule_list = next(r for i in range(2) if len(r := clf.posterior_.rule_list(i)))
    assert shown in rule_list.to_text()
    assert shown in elements(rule_list._repr_html_()).text


def test_row_26_categories_and_labels_are_escaped_too() -> None:
    """Values and labels are shown as safely as names."""
    X, y = random_frame()
    evil = "<b onclick=x>\u202e"
    X = pd.DataFrame({"word": np.where(X["f1"], evil, "plain")})
    labels = np.where(y == 1, "<script>", "\x1b[2J")
    clf = quick(expected_length=1).fit(X, labels)
    for i in range(len(clf.posterior_.distinct)):
        rule_list = clf.posterior_.rule_list(i)
        html = rule_list._repr_html_()
        assert set(elements(html).tags) <= {"table", "thead", "tbody", "tr", "th", "td", "b"}
        assert elements(html).tags.count("tr") == len(rule_list) + 2  # the head, and the last line
        for seen in (rule_list.to_text(), rule_list.to_text(label="\x1b[2J"), html):
            assert "\x1b" not in seen
            assert "\u202e" not in seen
    assert set(clf.predict(X)) <= {"<script>", "\x1b[2J"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("age", "ag\u200be"),
        ("age", "age\u200d"),
        ("age", "\u202eage"),
        ("age", "\ufeffage"),
        ("file", "\ufb01le"),
        ("age\u00a0at", "age at"),
    ],
    ids=["NFC and NFD", "zero width", "joiner", "bidi", "mark", "ligature", "hard blank"],
)
def test_row_30_names_that_look_alike_are_warned_of(first: str, second: str) -> None:
    """Two names that print the same are kept apart and warned of, shown so that they differ."""
    X, y = random_frame()
    X = X.rename(columns={"f1": first, "f2": second})
    with pytest.warns(UserWarning, match="look alike") as caught:
        clf = quick().fit(X, y)
    said = next(str(w.message) for w in caught if "look alike" in str(w.message))
    assert ascii(first) in said
    assert ascii(second) in said
    assert {first, second} <= set(clf.pool_.names)


def test_row_30_twins_are_warned_of_beside_a_capital() -> None:
    """A third name that differs in capitals does not hide the twins."""
    X, y = random_frame()
    X = X.rename(columns={"f1": "\u00e9t\u00e9", "f2": "e\u0301te\u0301", "f3": "\u00c9t\u00e9"})
    with pytest.warns(UserWarning, match="look alike"):
        quick().fit(X, y)


def test_row_30_names_that_differ_in_capitals_are_no_twins() -> None:
    """Age and age are different names and look different."""
    X, y = random_frame()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*not converged.*")
        quick().fit(X.rename(columns={"f1": "age", "f2": "Age"}), y)


def test_row_31_a_column_named_like_a_conjunction() -> None:
    """ "a and b" the column and a and b the conjunction are told apart everywhere."""
    X, y = random_frame()
    X.columns = ["a", "b", "a and b", "a and b (2)"]
    clf = quick(n_iter=2000).fit(X, y)
    names = clf.pool_.names
    assert len(set(names)) == len(names) == len(clf.pool_)
    inclusion = clf.posterior_.inclusion()
    assert len(inclusion) == len(clf.pool_)
    np.testing.assert_allclose(
        sorted(inclusion.values()), np.sort(clf.posterior_.inclusion_probabilities)
    )
    column = next(i for i, a in enumerate(clf.pool_) if a.columns == ("a and b",))
    both = next(i for i, a in enumerate(clf.pool_) if a.columns == ("a", "b"))
    assert clf.pool_.supports[column] == pytest.approx(X["a and b"].mean())
    assert clf.pool_.supports[both] == pytest.approx((X["a"] & X["b"]).mean())


def test_row_31_a_column_named_like_a_threshold() -> None:
    """A boolean column "age > 60" beside a numeric column age keeps its own truth."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"age": rng.integers(40, 80, 200), "age > 60": rng.random(200) < 0.5})
    clf = quick(cuts={"age": [60]}, max_cardinality=1).fit(X, rng.integers(0, 2, 200))
    by_column = {
        (a[0].column, a[0].operator): s for a, s in zip(clf.pool_, clf.pool_.supports, strict=True)
    }
    assert by_column["age > 60", "is true"] == pytest.approx(X["age > 60"].mean())
    assert by_column["age", ">"] == pytest.approx((X["age"] > 60).mean())
    assert len(set(clf.pool_.names)) == 3


def test_row_32_a_very_long_name_is_shortened_on_display_only() -> None:
    """Ten thousand characters are kept in the pool and shortened in text and HTML."""
    X, y = random_frame()
    name = "n" * 10_000
    X = X.rename(columns={"f1": name})
    clf = quick(antecedents=[(name,)], expected_length=1).fit(X, y)
    rule_list = next(r for i in range(2) if len(r := clf.posterior_.rule_list(i)))
    assert rule_list.antecedents[0].columns == (name,)
    assert len(rule_list.to_text()) < 1500
    assert all(len(line) <= 120 for line in rule_list.to_text().splitlines())
    assert len(rule_list._repr_html_()) < 3000
    assert "n" * 50 in rule_list.to_text()
    assert "…" in rule_list.to_text()


# ----------------------------------------------------------- rows 33 to 37 and 44: mining


def test_row_33_nothing_frequent_in_any_class() -> None:
    """The largest support found is that among one label's observations when so asked."""
    X = pd.DataFrame({"rare": np.arange(100) < 3, "rarer": np.arange(100) >= 99})
    y = np.r_[np.ones(20), np.zeros(80)].astype(int)
    fit = quick(support_in="any_class", min_support=0.2).fit
    expect_refused(lambda: fit(X, y), "'rare'", "0.15", "Lower", kind=MiningError)


def test_row_33_a_weighted_support_is_named_in_weights() -> None:
    """Supports in messages count weights."""
    X = pd.DataFrame({"rare": np.arange(100) < 3})
    weights = np.where(np.arange(100) < 3, 2.0, 1.0)
    y = np.arange(100) % 2
    expect_refused(
        lambda: quick(min_support=7).fit(X, y, weights), "'rare'", "has 6", kind=MiningError
    )


def test_row_33_no_conditions_at_all() -> None:
    """A table of nothing but constants has no pool, and the message says so."""
    X = pd.DataFrame({"a": [1.0] * 40, "b": ["x"] * 40})
    expect_refused(lambda: quick().fit(X, np.arange(40) % 2), "constant", kind=MiningError)


@pytest.mark.parametrize("support", [np.int64(20), np.int32(20), np.float64(0.1)])
def test_row_35_supports_of_numpy_types(support: Any) -> None:
    """NumPy's numbers count as Python's."""
    X, y = random_frame()
    assert quick(min_support=support).fit(X, y).pool_.names == quick().fit(X, y).pool_.names


def test_row_37_nothing_depends_on_the_order_of_columns_or_rows() -> None:
    """A mixed table in another order of rows, columns and categories gives the same trace."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "age": rng.integers(30, 90, 300),
            "dose": np.where(rng.random(300) < 0.2, NAN, rng.normal(size=300)),
            "word": pd.Categorical(rng.choice(["u", "v", "w"], 300)),
            "flag": rng.random(300) < 0.4,
        }
    )
    y = rng.integers(0, 3, 300)
    order = rng.permutation(300)
    shuffled = X.iloc[order][["flag", "word", "dose", "age"]]
    shuffled["word"] = shuffled["word"].cat.reorder_categories(["w", "u", "v"])
    a, b = quick(n_iter=2000).fit(X, y), quick(n_iter=2000).fit(shuffled, y[order])
    assert a.pool_.names == b.pool_.names
    np.testing.assert_array_equal(a.posterior_.log_posterior, b.posterior_.log_posterior)
    assert str(a.rule_list_) == str(b.rule_list_)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.r_[-1.0, np.ones(199)], ("rows 0", "-1")),
        (pd.Series(np.r_[np.ones(199), NAN]), ("199", "nan")),
        ([1.0] * 199, ("199", "200")),
        (np.zeros(200, dtype=int), ("zero",)),
        (["heavy"] * 200, ("heavy",)),
        (np.full(200, 1e18), ("2^62",)),
    ],
    ids=["negative", "series", "list", "zero", "text", "large"],
)
def test_row_44_weights_that_cannot_be(weights: Any, words: tuple[str, ...]) -> None:
    """Weights of any container are checked, and what is wrong is said."""
    X, y = random_frame()
    expect_refused(lambda: quick().fit(X, y, sample_weight=weights), "sample_weight", *words)


def test_row_44_more_than_five_weights_are_counted() -> None:
    """Of many faulty weights the first five rows and the number are given."""
    X, y = random_frame()
    weights = np.where(np.arange(200) < 12, -1.0, 1.0)
    message = expect_refused(lambda: quick().fit(X, y, weights), "12", "0, 1, 2, 3, 4")
    assert "4, 5" not in message


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_row_23_a_line_break_in_a_name(delimiter: str, tmp_path: Path) -> None:
    """A name in quotes may hold a line break, as spreadsheets write it."""
    path = tmp_path / "table.csv"
    path.write_text(f'age{delimiter}"blood\npressure"{delimiter}y\n50{delimiter}120{delimiter}1\n')
    result = read_file(path)
    assert list(result.columns) == ["age", "blood\npressure", "y"]
    assert result.to_numpy().tolist() == [[50.0, 120.0, 1.0]]
    path.write_text(f'age{delimiter}"blood\npressure{delimiter}y\n50{delimiter}120{delimiter}1\n')
    with pytest.raises(DataError, match=r"line 1.*a quote is opened and not closed"):
        read_file(path)


# ------------------------------------------------------------- row 15: masks of NumPy


@pytest.mark.parametrize("kind", [float, int, object, bool])
def test_15_what_numpy_masks_is_missing(kind: type) -> None:
    """In fit and in prediction: the value beneath a mask is nobody's."""
    rng = np.random.default_rng(8)
    values, mask = rng.integers(0, 2, (80, 2)).astype(kind), rng.random((80, 2)) < 0.2
    y = np.where(mask[:, 0], rng.integers(0, 2, 80), values[:, 0].astype(int))
    masked = np.ma.masked_array(values, mask=mask)
    holes = pd.DataFrame(
        {f"x{i}": np.where(mask[:, i], None, values[:, i].astype(object)) for i in range(2)}
    )
    result, expected = quick().fit(masked, y), quick().fit(holes, y)
    missing = mask.sum(axis=0).tolist()
    assert [column.n_missing for column in result.fit_report_.columns] == missing
    assert str(result.rule_list_) == str(expected.rule_list_)
    np.testing.assert_array_equal(result.predict_proba(masked), expected.predict_proba(holes))
    whole = np.ma.masked_array(values, mask=False)
    np.testing.assert_array_equal(result.predict_proba(whole), result.predict_proba(values))


def test_1_labels_and_weights_beneath_a_mask() -> None:
    """A masked label is missing, a masked weight no number."""
    X, y = random_frame(40)
    mask = np.arange(40) < 3
    with pytest.raises(DataError, match="3 missing"):
        quick().fit(X, np.ma.masked_array(y, mask=mask))
    dropped = quick(missing_y="drop").fit(X, np.ma.masked_array(y, mask=mask))
    assert dropped.fit_report_.n_rows_without_label == 3
    assert dropped.classes_.tolist() == [0, 1]
    with pytest.raises(DataError, match="3 are not"):
        quick().fit(X, y, sample_weight=np.ma.masked_array(np.ones(40), mask=mask))
