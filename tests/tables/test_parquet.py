"""Tables in Parquet files, read one column at a time: the same results, and faults named."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from elseif import ParquetTable
from elseif.bits.packing import make_layout
from elseif.conditions.binarise import Binarised, Binarising, binarise
from elseif.errors import DataError, ElseifError, ParamError
from elseif.tables.columns import Kind
from elseif.tables.labels import label_array, read_labels
from elseif.tables.reading import parse_kinds, read_table
from tests.tables.fitting import assert_same, expect_refused, quick, rows_where_true

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N = 1_000
STAGES = ["I", "II", "III"]


def mixed_table(n: int = N, seed: int = 0) -> pa.Table:
    """Columns of every kind, most of them with missing values, and labels."""
    rng = np.random.default_rng(seed)

    def some_missing(values: Any, share: float = 0.1, dtype: pa.DataType | None = None) -> pa.Array:
        return pa.array(values, type=dtype, mask=rng.random(n) < share)

    smoker = rng.random(n) < 0.4
    days = np.datetime64("2015-01-01") + rng.integers(0, 3000, n).astype("timedelta64[D]")
    codes = rng.integers(0, 3, n).astype(np.int8)
    return pa.table(
        {
            "smoker": some_missing(smoker),
            "rare": rng.random(n) < 0.01,
            "flag": rng.integers(0, 2, n),  # numbers that are booleans
            "flag_missing": some_missing(rng.integers(0, 2, n)),
            "age": rng.integers(20, 90, n).astype(np.int16),
            "visits": some_missing(rng.integers(0, 40, n), 0.2),
            "glucose": some_missing(rng.normal(6, 2, n)),
            "ratio": rng.normal(0, 1, n).astype(np.float32),
            "sex": np.array(["female", "male"])[rng.integers(0, 2, n)],
            "region": some_missing(np.array(["north", "south", "west"])[codes]),
            "city": some_missing(np.array(["Oslo", "Rome"])[codes % 2]).dictionary_encode(),
            "stage": pa.DictionaryArray.from_arrays(
                some_missing(codes, 0.1, pa.int8()), pa.array(STAGES), ordered=True
            ),
            "admitted": some_missing(days, 0.1, pa.date32()),
            "seen": pa.array(days, type=pa.timestamp("ms", tz="Europe/Oslo")),
            "waited": some_missing(rng.integers(0, 10**6, n), 0.1, pa.duration("s")),
            "price": pa.array(rng.integers(1, 9, n)).cast(pa.decimal128(22, 2)),
            "nothing": pa.nulls(n),
            "stroke": (rng.random(n) < np.where(smoker, 0.5, 0.2)).astype(np.int8),
        }
    )


def in_files(table: pa.Table, folder: Path, n_files: int = 3) -> Path:
    """A table cut into files of several row groups each."""
    folder.mkdir()
    step = -(-len(table) // n_files)
    for i in range(n_files):
        pq.write_table(
            table.slice(i * step, step), folder / f"part-{i}.parquet", row_group_size=step // 3
        )
    return folder


SHAPES: dict[str, Callable[[pa.Table, Path], ParquetTable]] = {
    "one file": lambda table, to: ParquetTable(one_file(table, to / "t.parquet")),
    "a folder": lambda table, to: ParquetTable(in_files(table, to / "parts")),
    "a list": lambda table, to: ParquetTable(sorted(in_files(table, to / "parts").iterdir())),
    "text as written": lambda table, to: ParquetTable(
        one_file(table, to / "t.parquet", use_dictionary=["stage"])
    ),
}


def one_file(table: pa.Table, path: Path, row_group_size: int = 130, **how: Any) -> str:
    pq.write_table(table, path, row_group_size=row_group_size, **how)
    return str(path)


def found_in(X: Any, y: Any, **how: Any) -> tuple[Binarised, list[np.ndarray]]:
    """Conditions, reports and the rows where each condition is true."""
    table = read_table(X)
    kinds, orders = parse_kinds(how.pop("kinds", None), table)
    labels = read_labels(np.asarray(y), None, False, None)
    binarised = binarise(table, labels, Binarising(kinds=kinds, orders=orders, **how))
    return binarised, rows_where_true(binarised, y)


def assert_same_conditions(ours: Any, theirs: Any, y: Any, **how: Any) -> None:
    """Two tables give the same conditions, true of the same rows, and the same report."""
    (one, one_rows), (other, other_rows) = found_in(ours, y, **how), found_in(theirs, y, **how)
    assert one.conditions == other.conditions
    assert len(one.conditions) > 0
    for condition, a, b in zip(one.conditions, one_rows, other_rows, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=condition.name)
    assert one.columns == other.columns


# ----------------------------------------------------------------------------- the same


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
@pytest.mark.parametrize("negations", [False, True])
def test_conditions_are_those_of_a_data_frame(
    shape: str, library: str, negations: bool, tmp_path: Path
) -> None:
    """Every kind of column, with missing values, over row groups and files."""
    table = mixed_table()
    ours = SHAPES[shape](table, tmp_path).drop("stroke")
    X, y = table.drop_columns("stroke"), table["stroke"].to_numpy()
    frames = {"pyarrow": lambda: X, "pandas": X.to_pandas, "polars": lambda: pl.from_arrow(X)}
    frame: Any = frames[library]()
    kinds: dict[str, Any] = {}
    if library == "polars":  # which knows no order of categories
        kinds["stage"] = STAGES
    if library == "pandas":  # to which nothing may be text
        ours, frame = ours.drop("nothing"), frame.drop(columns="nothing")
    assert_same_conditions(ours, frame, y, negations=negations, kinds=kinds)


@pytest.mark.filterwarnings("ignore:.*is ordered as the alphabet has it")
@pytest.mark.parametrize(
    "kinds",
    [
        {"age": "category", "sex": "ordered", "stage": "category"},
        {"smoker": "category", "rare": "numeric", "flag": "numeric"},
        {"region": ["west", "north", "south"], "city": ["Rome", "Oslo"], "nothing": "boolean"},
    ],
)
def test_kinds_told_are_those_of_a_data_frame(kinds: dict[str, Any], tmp_path: Path) -> None:
    """What the user says of a column holds, wherever it comes from."""
    table = mixed_table()
    ours = SHAPES["a folder"](table, tmp_path)
    assert_same_conditions(ours.drop("stroke"), table.drop_columns("stroke"), ours["stroke"],
                           kinds=kinds, group_rare=0.3)  # fmt: skip


def test_a_fit_and_its_predictions_are_those_of_a_data_frame(tmp_path: Path) -> None:
    """Draw for draw the same posterior, and the same probabilities of other rows."""
    table, other = mixed_table(), mixed_table(400, seed=1)
    ours = SHAPES["a folder"](table, tmp_path).drop("nothing")
    X = table.drop_columns(["stroke", "nothing"]).to_pandas()
    a = quick().fit(ours.drop("stroke"), ours["stroke"])
    b = quick().fit(X, table["stroke"].to_pandas().rename("stroke"))
    assert_same(a, b)
    assert a.rule_list_.to_text() == b.rule_list_.to_text()
    assert a.fit_report_ == b.fit_report_
    other = other.drop_columns("nothing")
    file = ParquetTable(one_file(other, tmp_path / "other.parquet"))
    for predict_with in ("posterior", "point"):
        a.set_params(predict_with=predict_with)
        expected = a.predict_proba(other.drop_columns("stroke").to_pandas())
        np.testing.assert_array_equal(a.predict_proba(file.drop("stroke")), expected)
    with pytest.warns(UserWarning, match="fit did not see; ignored: 'stroke'"):
        np.testing.assert_array_equal(a.predict_proba(file), expected)
    np.testing.assert_array_equal(
        a.rule_list_.predict(file), a.rule_list_.predict(other.to_pandas())
    )


def test_categories_numbered_anew_in_every_row_group(tmp_path: Path) -> None:
    """A dictionary of its own in each row group and file, with levels that others lack."""
    words = [["b", "a", "b"], ["a", "c", "c"], ["c", None, "d"], ["a", "a", "a"]]
    paths = []
    for i, part in enumerate(words):
        path = tmp_path / f"{i}.parquet"
        pq.write_table(pa.table({"w": pa.array(part * 50).dictionary_encode()}), path)
        paths.append(path)
    X = pa.table({"w": pa.array([w for part in words for w in part * 50])})
    y = np.arange(len(X)) % 2
    assert_same_conditions(ParquetTable(paths), X, y)
    column = read_table(ParquetTable(paths)).column("w")
    assert column.categories == ("a", "b", "c", "d")


def test_integers_that_are_missing_in_a_later_row_group(tmp_path: Path) -> None:
    """Numbers read as integers become floats once one is missing, and lose nothing."""
    values: list[int | None] = [*range(40, 90), None, *range(40, 89)]
    X = pa.table({"age": values})
    file = ParquetTable(one_file(X, tmp_path / "t.parquet", row_group_size=50))
    column = read_table(file).column("age")
    expected = np.array([np.nan if v is None else v for v in values])
    np.testing.assert_array_equal(column.numbers, expected)
    assert column.n_missing == 1


def test_names_with_a_point(tmp_path: Path) -> None:
    """A column is not mistaken for a part of another one."""
    table = pa.table(
        {
            "a.b": [True, False] * 40,
            "a": pa.array([{"b": False, "c": 1}] * 80),
            "a.c": [False, True, True, True] * 20,
        }
    )
    file = ParquetTable(one_file(table, tmp_path / "t.parquet"))
    X = table.select(["a.b", "a.c"])
    assert_same_conditions(file.drop("a"), X, np.arange(80) % 3 % 2)
    expect_refused(lambda: read_table(file).column("a"), "'a'", "dict")


def test_a_dataset_with_partitions_and_a_filter(tmp_path: Path) -> None:
    """A pyarrow Dataset is read by columns too, with what it adds and leaves out."""
    table = mixed_table().select(["sex", "age", "glucose", "stroke"])
    ds.write_dataset(table, tmp_path / "d", format="parquet", partitioning=["sex"],
                     partitioning_flavor="hive", max_rows_per_group=100)  # fmt: skip
    dataset = ds.dataset(tmp_path / "d", partitioning="hive").filter(ds.field("age") > 30)
    whole = dataset.to_table()
    assert len(whole) < len(table)
    assert_same_conditions(dataset, whole, whole["stroke"].to_numpy())
    opened = read_table(dataset)
    (tmp_path / "d" / "sex=male" / "part-0.parquet").unlink()
    expect_refused(lambda: opened.column("glucose"), "'glucose'", "dataset cannot be read")
    expect_refused(lambda: read_table(dataset), "dataset cannot be read")


# ------------------------------------------------------------------------- the table


def test_what_a_table_says_of_itself(tmp_path: Path) -> None:
    """Names, length, parts of it; nothing of it is read for that."""
    table = ParquetTable(in_files(mixed_table(), tmp_path / "parts"))
    names = mixed_table().column_names
    assert table.columns == names
    assert len(table) == N
    assert "age" in table
    assert "weight" not in table
    assert repr(table) == "<ParquetTable of 3 files: 1,000 rows, 18 columns>"
    assert table.drop("age", "sex").columns == [n for n in names if n not in ("age", "sex")]
    assert table.select("sex", "age", "sex").columns == ["sex", "age"]
    assert table.columns == names  # as it was
    assert "age" not in table.drop("age")
    for use in (table.drop, table.select, table.__getitem__):
        expect_refused(lambda use=use: use("weigth"), "'weigth'", "'smoker'", kind=ParamError)
    expect_refused(lambda: table.drop("age")["age"], "'age'", kind=ParamError)


@pytest.mark.parametrize(
    ("values", "dtype", "classes"),
    [
        (pa.array([1, 0, 1, 2] * 30, type=pa.int8()), np.int8, [0, 1, 2]),
        (pa.array([True, False, False] * 40), np.bool_, [False, True]),
        (pa.array([1, None, 0] * 40), np.float64, [0, 1]),
        (pa.array([True, None, False] * 40), object, [False, True]),
        (pa.array(["yes", "no", None] * 40), object, ["no", "yes"]),
        (pa.array(["yes", "no"] * 60).dictionary_encode(), "category", ["yes", "no"]),
        (pa.array([18000, 18001] * 60, type=pa.date32()), "datetime64[us]", None),
        (pa.array([1, 2] * 60).cast(pa.decimal128(22, 1)), object, [1, 2]),
    ],
)
def test_labels_of_every_type(
    values: pa.Array, dtype: Any, classes: list[Any] | None, tmp_path: Path
) -> None:
    """A column of labels keeps its type and name, and fit takes it."""
    X = pa.array(np.random.default_rng(0).random(len(values)) < 0.5)
    table = ParquetTable(one_file(pa.table({"x": X, "outcome": values}), tmp_path / "t.parquet", 7))
    y = table["outcome"]
    assert y.dtype == dtype
    assert y.name == "outcome"
    clf = quick(missing_y="drop", expected_length=0.5).fit(table.select("x"), y)
    assert clf.fit_report_.n_rows_without_label == values.null_count
    if classes is not None:
        assert clf.classes_.tolist() == classes


def test_labels_of_numbers_are_never_objects(tmp_path: Path) -> None:
    """Neither reading nor coding makes an object or eight bytes of a small label."""
    n = 200_000
    path = one_file(pa.table({"y": np.arange(n) % 2 == 0}), tmp_path / "t.parquet", 50_000)
    table = ParquetTable(path)
    tracemalloc.start()
    try:
        labels = read_labels(label_array(table["y"]), None, False, None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert labels.codes.dtype == np.int8
    assert labels.count_once
    assert peak < 30 * n  # one chunk's search takes eight bytes a row, and all are one chunk


def test_weights_from_the_table(tmp_path: Path) -> None:
    """A column of weights is one Series as well."""
    table = mixed_table()
    file = ParquetTable(one_file(table, tmp_path / "t.parquet"))
    X, y = file.select("smoker", "sex"), file["stroke"]
    a = quick().fit(X, y, sample_weight=file["age"])
    b = quick().fit(X, y, sample_weight=table["age"].to_numpy())
    assert_same(a, b)


# ------------------------------------------------------------------------------ faults


def broken_in(column: str, group: int, folder: Path) -> ParquetTable:
    """A file of three row groups of which one is broken in one column."""
    table = mixed_table(300).select(["age", "sex", "glucose", "smoker", "stroke"])
    path = Path(one_file(table, folder / "broken.parquet", 100, compression="none"))
    content = bytearray(path.read_bytes())
    index = table.column_names.index(column)
    chunk = pq.ParquetFile(path).metadata.row_group(group).column(index)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + 16] = b"\xff" * 16
    path.write_bytes(bytes(content))
    return ParquetTable(path)


@pytest.mark.parametrize("group", [0, 1, 2])
@pytest.mark.parametrize("column", ["age", "sex", "glucose", "smoker"])
def test_row_24_a_broken_row_group_is_named(column: str, group: int, tmp_path: Path) -> None:
    """The file, the row group and the column are named; other columns can be used."""
    table = broken_in(column, group, tmp_path)
    y = table["stroke"]
    words = ("broken.parquet", f"row group {group}", repr(column))
    expect_refused(lambda: quick().fit(table.drop("stroke"), y), *words)
    expect_refused(lambda: table[column], *words)
    quick().fit(table.drop("stroke", column), y)


def test_only_columns_of_rules_are_read_to_predict(tmp_path: Path) -> None:
    """A column that no rule speaks of may be broken."""
    table = broken_in("glucose", 1, tmp_path)
    whole = mixed_table(300).to_pandas()
    clf = quick(antecedents=["smoker"], predict_with="point", expected_length=0.5)
    clf.fit(whole[["age", "sex", "glucose", "smoker"]], whole["stroke"])
    np.testing.assert_array_equal(
        clf.predict_proba(table.drop("stroke")),
        clf.predict_proba(whole[["age", "sex", "glucose", "smoker"]]),
    )


def test_row_24_types_that_change_between_files(tmp_path: Path) -> None:
    """Both files, the column and both types are named."""
    one = one_file(pa.table({"a": [1, 2], "b": [1.5, 2.5]}), tmp_path / "one.parquet")
    two = one_file(pa.table({"b": ["x", "y"], "a": [1, 2]}), tmp_path / "two.parquet")
    expect_refused(
        lambda: ParquetTable([one, two]), "one.parquet", "two.parquet", "'b'", "string", "double"
    )
    lacking = one_file(pa.table({"a": [1, 2]}), tmp_path / "lacking.parquet")
    for files in ([one, lacking], [lacking, one]):
        expect_refused(
            lambda files=files: ParquetTable(files),
            "one.parquet has a column 'b', which lacking.parquet lacks",
        )


def test_a_file_in_which_a_column_is_empty(tmp_path: Path) -> None:
    """Nothing but missing values has no type, and goes with any."""
    parts = [
        pa.table({"a": pa.nulls(40), "b": pa.array(["x", "y"] * 20)}),
        pa.table({"b": pa.array(["x", "z"] * 20, pa.large_string()), "a": list(range(40))}),
        pa.table({"a": pa.nulls(40), "b": pa.nulls(40)}),
    ]
    paths = [one_file(part, tmp_path / f"{i}.parquet") for i, part in enumerate(parts)]
    X = pd.DataFrame(
        {
            "a": [np.nan] * 40 + list(range(40)) + [np.nan] * 40,
            "b": ["x", "y"] * 20 + ["x", "z"] * 20 + [None] * 40,
        }
    )
    assert_same_conditions(ParquetTable(paths), X, np.arange(120) % 2)


def test_ordered_categories_in_two_orders(tmp_path: Path) -> None:
    """An order may grow at its end, but not change."""

    def file(name: str, levels: list[str]) -> str:
        codes = pa.array([i % len(levels) for i in range(60)], pa.int8())
        stage = pa.DictionaryArray.from_arrays(codes, pa.array(levels), ordered=True)
        return one_file(pa.table({"stage": stage}), tmp_path / name)

    first = file("one.parquet", ["low", "high"])
    grown = ParquetTable([first, file("two.parquet", ["low", "high", "highest"])])
    assert read_table(grown).column("stage").categories == ("low", "high", "highest")
    other = ParquetTable([first, file("three.parquet", ["low", "middle", "high"])])
    expect_refused(lambda: read_table(other).column("stage"), "'stage'", "'middle'", "row 60")
    levels = ("low", "middle", "high")
    order, rows = found_in(other, np.arange(120) % 2, kinds={"stage": levels})
    assert [c.name for c in order.conditions[::2]] == ["stage <= low", "stage <= middle"]
    assert [len(r) for r in rows[::2]] == [50, 70]
    assert read_table(other).column("stage", Kind.CATEGORY).kind is Kind.CATEGORY


def test_row_24_what_is_no_parquet_file(tmp_path: Path) -> None:
    """Text, a cut file, no file, a folder without files: each is said."""
    text = tmp_path / "text.parquet"
    text.write_text("age,sex\n1,f\n")
    expect_refused(lambda: ParquetTable(text), "text.parquet is not a readable Parquet file")
    whole = Path(one_file(mixed_table(50), tmp_path / "whole.parquet")).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-9])
    expect_refused(lambda: ParquetTable(tmp_path / "cut.parquet"), "cut.parquet is not a readable")
    expect_refused(lambda: ParquetTable(tmp_path / "none.parquet"), "none.parquet: there is no")
    (tmp_path / "empty").mkdir()
    expect_refused(lambda: ParquetTable(tmp_path / "empty"), "empty is a folder without")
    expect_refused(lambda: ParquetTable([tmp_path / "empty"]), "empty is a folder, not a file")
    expect_refused(lambda: ParquetTable([]), "at least one file", kind=ParamError)
    twice = tmp_path / "twice.parquet"
    pq.write_table(pa.table([pa.array([1.0]), pa.array([3.0])], ["a", "a"]), twice)
    expect_refused(lambda: ParquetTable(twice), "twice.parquet", "'a'")


def test_row_24_fuzz_flipped_bytes_of_the_footer(tmp_path: Path) -> None:
    """A file with a byte of its footer changed is a table or an error of ours."""
    table = mixed_table(60).select(["smoker", "age", "sex", "glucose", "stage"])
    path = Path(one_file(table, tmp_path / "t.parquet", 25, compression="none"))
    content = path.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    rng = np.random.default_rng(0)
    n_refused = 0
    for _ in range(150):
        mutated = bytearray(content)
        mutated[-int(rng.integers(1, footer + 1))] ^= 1 << int(rng.integers(0, 8))
        path.write_bytes(bytes(mutated))
        try:
            flipped = read_table(ParquetTable(path))
            for name in flipped.names:
                assert flipped.column(name).n_rows == flipped.n_rows
        except ElseifError:
            n_refused += 1
    assert 0 < n_refused < 150


def test_a_file_that_is_written_anew_after_it_was_opened(tmp_path: Path) -> None:
    """Rows that no longer are what was counted are an error, not a wrong table."""
    path = tmp_path / "t.parquet"
    table = ParquetTable(one_file(mixed_table(100), path))
    one_file(mixed_table(200), path)
    with pytest.raises(DataError):
        read_table(table).column("glucose")


def test_a_table_without_rows_or_columns(tmp_path: Path) -> None:
    """Both are refused as for any table."""
    table = ParquetTable(one_file(mixed_table().slice(0, 0), tmp_path / "t.parquet"))
    assert len(table) == 0
    expect_refused(lambda: quick().fit(table.drop("stroke"), table["stroke"]), "no rows")
    expect_refused(lambda: read_table(table.select()), "no columns")


# ------------------------------------------------------------------------------- memory


def test_a_large_file_is_never_in_memory(tmp_path: Path) -> None:
    """300,000 rows of 80 columns are packed in a small part of what the table takes."""
    n, n_columns = 300_000, 80
    rng = np.random.default_rng(0)
    path = tmp_path / "large.parquet"
    names = [f"f{i}" for i in range(n_columns)]
    schema = pa.schema([*((name, pa.bool_()) for name in names), ("x", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(3):
            flags = {name: rng.random(n // 3, dtype=np.float32) < 0.4 for name in names}
            writer.write_table(pa.table({**flags, "x": rng.normal(size=n // 3)}))
    labels = read_labels(np.arange(n) % 2, None, False, None)
    table = read_table(ParquetTable(path))
    tracemalloc.start()
    try:
        layout = make_layout(labels.codes, 2, labels.weights)
        binarised = binarise(table, labels, Binarising(), layout=layout)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    packed = sum(truth.nbytes for truth in binarised.truths)
    assert len(binarised.conditions) == n_columns + 6
    assert packed < n * (n_columns + 6) / 7.9
    # besides: the layout, the numbers and a sorted copy of them, some masks
    assert peak < packed + n * (4 + 2 * 8 + 4)
