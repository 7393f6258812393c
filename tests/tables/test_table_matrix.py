"""One table in every form that tables come in: the same pool and the same posterior."""

from __future__ import annotations

import datetime
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from elseif import BayesianRuleListClassifier, ParquetTable
from elseif.tables.columns import Kind
from elseif.tables.reading import read_table
from elseif.tables.text_files import read_file
from tests.tables.fitting import assert_same, quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N_ROWS = 240
STAGES = ["none", "mild", "severe"]
NAMES = ["smoker", "treated", "glucose", "region", "stage", "visit", "city"]
Values = dict[str, list[Any]]


def mixed_values() -> tuple[Values, np.ndarray]:
    """A column of every kind as plain Python values, None where missing, and labels."""
    rng = np.random.default_rng(11)
    smoker = rng.random(N_ROWS) < 0.4
    glucose = np.round(rng.normal(5.5, 1.2, N_ROWS), 1)
    stage = rng.integers(0, 3, N_ROWS)
    days = rng.integers(0, 1500, N_ROWS)
    risk = 0.1 + 0.4 * smoker + 0.3 * (stage == 2) + 0.15 * (glucose > 6)
    y = (rng.random(N_ROWS) < risk).astype(int)

    def with_gaps(values: list[Any], share: float) -> list[Any]:
        gaps = rng.random(N_ROWS) < share
        return [None if gap else v for v, gap in zip(values, gaps, strict=True)]

    first = datetime.date(2019, 1, 1)
    return {
        "smoker": with_gaps(smoker.tolist(), 0.15),
        "treated": rng.integers(0, 2, N_ROWS).tolist(),
        "glucose": with_gaps(glucose.tolist(), 0.2),
        "region": with_gaps(rng.choice(["north", "south", "west"], N_ROWS).tolist(), 0.2),
        "stage": [STAGES[s] for s in stage],
        "visit": [first + datetime.timedelta(days=int(d)) for d in days],
        "city": rng.choice(["Ghent", "Leeds", "Łódź", "Århus, port"], N_ROWS).tolist(),
    }, y


def as_pandas(values: Values) -> pd.DataFrame:
    """The table with pandas' own dtypes."""
    return pd.DataFrame(
        {
            "smoker": pd.array(values["smoker"], dtype="boolean"),
            "treated": np.array(values["treated"]),
            "glucose": np.array(values["glucose"], dtype=float),
            "region": pd.Categorical(values["region"]),
            "stage": pd.Categorical(values["stage"], STAGES, ordered=True),
            "visit": pd.to_datetime(values["visit"]),
            "city": np.array(values["city"], dtype=object),
        }
    )


def as_pandas_of_objects(values: Values) -> pd.DataFrame:
    """The table with nothing but object columns; the order of the stages has to be told."""
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in values.items()})


def as_pandas_of_arrow(values: Values) -> pd.DataFrame:
    """The table as pandas keeps it in Arrow's memory."""
    return as_arrow(values).to_pandas(types_mapper=pd.ArrowDtype)


def as_polars(values: Values) -> pl.DataFrame:
    """The table with polars' own dtypes."""
    return pl.DataFrame(
        values,
        schema_overrides={
            "treated": pl.Int8,
            "region": pl.Categorical,
            "stage": pl.Enum(STAGES),
            "visit": pl.Date,
        },
    )


def as_arrow(values: Values) -> pa.Table:
    """The table with Arrow's own types."""
    stages = pa.DictionaryArray.from_arrays(
        pa.array([STAGES.index(s) for s in values["stage"]], pa.int8()), STAGES, ordered=True
    )
    return pa.table(
        {
            "smoker": pa.array(values["smoker"], pa.bool_()),
            "treated": pa.array(values["treated"], pa.int32()),
            "glucose": pa.array(values["glucose"], pa.float64()),
            "region": pa.array(values["region"], pa.string()).dictionary_encode(),
            "stage": stages,
            "visit": pa.array(values["visit"], pa.date32()),
            "city": pa.array(values["city"], pa.string()),
        }
    )


def as_csv(values: Values, path: Path) -> pd.DataFrame:
    """The table written as text and read by read_file."""
    pd.DataFrame(values).to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t")
    return read_file(path)


def as_parquet(values: Values, path: Path) -> Any:
    """The table written as Parquet in three row groups and read by read_file."""
    pq.write_table(as_arrow(values), path, row_group_size=100)
    return read_file(path)


def make(form: str, values: Values, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The table in one form, and the kinds that this form cannot carry."""
    kinds: dict[str, Any] = {"stage": STAGES}
    forms: dict[str, Any] = {
        "pandas": lambda: (as_pandas(values), {}),
        "pandas of objects": lambda: (as_pandas_of_objects(values), kinds),
        "pandas of arrow": lambda: (as_pandas_of_arrow(values), {}),
        "polars": lambda: (as_polars(values), {}),
        "pyarrow": lambda: (as_arrow(values), {}),
        "csv": lambda: (as_csv(values, folder / "table.csv"), kinds),
        "tsv": lambda: (as_csv(values, folder / "table.tsv"), kinds),
        "parquet": lambda: (as_parquet(values, folder / "table.parquet"), {}),
        "parquet of pandas": lambda: (_pandas_parquet(values, folder / "pandas.parquet"), {}),
    }
    return forms[form]()


def _pandas_parquet(values: Values, path: Path) -> Any:
    as_pandas(values).to_parquet(path)
    return read_file(path)


FORMS = [
    "pandas of objects",
    "pandas of arrow",
    "polars",
    "pyarrow",
    "csv",
    "tsv",
    "parquet",
    "parquet of pandas",
]


@pytest.fixture(scope="module")
def reference() -> BayesianRuleListClassifier:
    """The fit of the pandas table."""
    values, y = mixed_values()
    return quick(n_iter=2000).fit(as_pandas(values), y)


def test_the_reference_has_conditions_of_every_kind(reference: BayesianRuleListClassifier) -> None:
    """The pool that the forms are compared on holds every kind of condition."""
    names = set(reference.pool_.names)
    for name in (
        "smoker",
        "smoker is missing",
        "treated",
        "glucose is missing",
        "region = north",
        "region is missing",
        "stage <= none",
        "stage > mild",
        "city = Łódź",
        "city = Århus, port",
    ):
        assert name in names
    assert {"visit", "glucose"} <= set(reference.fit_report_.cuts)
    assert len(reference.fit_report_.cuts["visit"]) == 3


@pytest.mark.parametrize("form", FORMS)
def test_the_same_table_in_every_form(
    form: str, reference: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """Every form gives the pool and the posterior of the pandas table."""
    values, y = mixed_values()
    X, kinds = make(form, values, tmp_path)
    clf = quick(n_iter=2000, kinds=kinds).fit(X, y)
    assert_same(reference, clf)
    assert clf.fit_report_.missing == reference.fit_report_.missing
    assert clf.fit_report_.cuts == reference.fit_report_.cuts
    assert clf.fit_report_.excluded == reference.fit_report_.excluded == {}
    assert [c.kind for c in clf.fit_report_.columns] == [
        c.kind for c in reference.fit_report_.columns
    ]


@pytest.mark.parametrize("way", ["point", "posterior"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_predicted_as_pandas_is(
    form: str, way: str, reference: BayesianRuleListClassifier, tmp_path: Path
) -> None:
    """What was fitted to pandas predicts the same for the table in any form."""
    values, _ = mixed_values()
    X, _ = make(form, values, tmp_path)
    reference.set_params(predict_with=way)
    expected = reference.predict_proba(as_pandas(values))
    np.testing.assert_array_equal(reference.predict_proba(X), expected)


def _storage(table: pa.Table) -> pa.Table:
    """What pyarrow reads before pandas has told it of its types: the storage, and their names."""
    fields, columns = [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        of_pandas = field.type
        metadata = {
            "ARROW:extension:name": of_pandas.extension_name,
            "ARROW:extension:metadata": of_pandas.__arrow_ext_serialize__(),
        }
        fields.append(pa.field(field.name, of_pandas.storage_type, metadata=metadata))
        columns.append(pa.chunked_array([each.storage for each in column.chunks]))
    return pa.table(columns, schema=pa.schema(fields))


@pytest.mark.parametrize("form", ["parquet", "read whole", "dataset", "pyarrow", "storage"])
def test_periods_and_intervals_of_pandas(form: str, tmp_path: Path) -> None:
    """Outside pandas too they are ordered, and not the numbers by which they are stored."""
    cuts = [0.0, 30.0, 50.0, 70.0, 100.0]
    X = pd.DataFrame(
        {
            "month": pd.period_range("2020-01", periods=40, freq="M").take(np.arange(80) % 40),
            "age": pd.arrays.IntervalArray.from_breaks(cuts).take(np.arange(80) % 4),
        }
    )
    X.loc[5, "month"] = pd.NaT
    path = tmp_path / "table.parquet"
    X.to_parquet(path)
    table = {
        "parquet": lambda: ParquetTable(path),
        "read whole": lambda: read_file(path),
        "dataset": lambda: ds.dataset(path),
        "pyarrow": lambda: pa.Table.from_pandas(X),
        "storage": lambda: _storage(pa.Table.from_pandas(X)),
    }[form]()
    result, expected = read_table(table), read_table(X)
    for name in X:
        assert result.column(name).kind is Kind.ORDERED
        assert result.column(name).categories == expected.column(name).categories
        np.testing.assert_array_equal(result.column(name).codes, expected.column(name).codes)


def test_an_array_of_objects(reference: BayesianRuleListClassifier) -> None:
    """A NumPy array of objects, its order told, is the table under the names x0, x1, ..."""
    values, y = mixed_values()
    array = np.empty((N_ROWS, len(NAMES)), dtype=object)
    for index, name in enumerate(NAMES):
        array[:, index] = values[name]
    clf = quick(n_iter=2000, kinds={"x4": STAGES}).fit(array, y)
    renamed = as_pandas(values).set_axis([f"x{i}" for i in range(len(NAMES))], axis=1)
    expected = quick(n_iter=2000).fit(renamed, y)
    assert_same(expected, clf)
    np.testing.assert_array_equal(clf.predict_proba(array), expected.predict_proba(renamed))
    assert len(clf.pool_) == len(reference.pool_)
    np.testing.assert_array_equal(np.sort(clf.pool_.supports), np.sort(reference.pool_.supports))


def test_an_array_of_dates() -> None:
    """An array of NumPy dates is dates."""
    values, y = mixed_values()
    dates = np.array(values["visit"], dtype="datetime64[D]")[:, None]
    clf = quick().fit(dates, y)
    expected = quick().fit(pd.DataFrame({"x0": pd.to_datetime(values["visit"])}), y)
    assert_same(expected, clf)


def test_dates_with_a_time_zone_are_the_moments_they_name() -> None:
    """Dates in a zone and the same moments in UTC give the same fit."""
    values, y = mixed_values()
    visit = pd.to_datetime(values["visit"]).tz_localize("UTC")
    moved = pd.DataFrame({"visit": visit.tz_convert("Asia/Tokyo")})
    plain = pd.DataFrame({"visit": visit.tz_localize(None)})
    assert_same(quick().fit(plain, y), quick().fit(moved, y))


def test_chunked_arrow_tables() -> None:
    """Arrow tables in several chunks, each with a dictionary of its own, are one table."""
    values, y = mixed_values()
    whole = as_arrow(values)
    pieces = [
        as_arrow({name: v[start:stop] for name, v in values.items()})
        for start, stop in ((0, 7), (7, 100), (100, N_ROWS))
    ]
    assert_same(quick().fit(whole, y), quick().fit(pa.concat_tables(pieces), y))


# ------------------------------------------------------------------------- sparse


def counts_matrix() -> tuple[np.ndarray, np.ndarray]:
    """Small counts, mostly 0: columns of booleans beside columns of numbers."""
    rng = np.random.default_rng(5)
    dense = rng.poisson(0.7, (300, 8)).astype(float)
    dense[:, :4] = dense[:, :4] > 0
    dense[:, 7] *= -1.5
    y = (rng.random(300) < 0.2 + 0.5 * (dense[:, 0] > 0)).astype(int)
    return dense, y


def with_explicit_zeros(dense: np.ndarray) -> sparse.csr_array:
    """A CSR matrix that stores every entry, zeros too."""
    n_rows, n_columns = dense.shape
    indices = np.tile(np.arange(n_columns), n_rows)
    indptr = np.arange(0, dense.size + 1, n_columns)
    return sparse.csr_array((dense.ravel().copy(), indices, indptr), shape=dense.shape)


def unsorted(dense: np.ndarray) -> sparse.csr_array:
    """A CSR matrix whose columns come in falling order, with 64-bit indices."""
    matrix = sparse.csr_array(dense.shape)
    rows = [np.flatnonzero(row)[::-1] for row in dense]
    matrix.indices = np.concatenate(rows).astype(np.int64)
    matrix.data = np.concatenate([row[index] for row, index in zip(dense, rows, strict=True)])
    matrix.indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    return matrix


def duplicated(dense: np.ndarray) -> sparse.coo_array:
    """A COO matrix with every entry in three parts that add up to it."""
    rows, columns = np.nonzero(dense)
    values = dense[rows, columns]
    return sparse.coo_array(
        (np.r_[values + 2, -values, values - 2], (np.tile(rows, 3), np.tile(columns, 3))),
        shape=dense.shape,
    )


SPARSE_FORMS = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "explicit zeros": with_explicit_zeros,
    "unsorted with int64": unsorted,
    "duplicated coo": duplicated,
    "duplicated csr": lambda dense: duplicated(dense).tocsr(),
    "unsorted csc": lambda dense: unsorted(np.ascontiguousarray(dense.T)).T,
}


@pytest.mark.fault(
    "22",
    "sparse matrices in any format",
    "the same posterior as for the dense table",
)
@pytest.mark.parametrize("form", SPARSE_FORMS)
def test_row_22_sparse_numbers_as_dense(form: str) -> None:
    """A sparse matrix of any form, canonical or not, gives what the dense array gives."""
    dense, y = counts_matrix()
    matrix = SPARSE_FORMS[form](dense)
    before = matrix.toarray()
    expected, clf = quick(n_iter=2000).fit(dense, y), quick(n_iter=2000).fit(matrix, y)
    assert_same(expected, clf)
    assert clf.fit_report_.cuts == expected.fit_report_.cuts
    np.testing.assert_array_equal(clf.predict_proba(matrix), expected.predict_proba(dense))
    np.testing.assert_array_equal(matrix.toarray(), before)


@pytest.mark.parametrize("form", SPARSE_FORMS)
def test_row_22_sparse_booleans_as_dense(form: str) -> None:
    """The same for a matrix of nothing but ones, which takes a way of its own."""
    dense, y = counts_matrix()
    dense = (dense != 0).astype(float)
    matrix = SPARSE_FORMS[form](dense)
    clf = quick(n_iter=2000).fit(matrix, y)
    assert_same(quick(n_iter=2000).fit(dense, y), clf)
    assert_same(quick(n_iter=2000).fit(dense.astype(bool), y), clf)


@pytest.mark.parametrize("settings", [{"negations": True}, {"kinds": {"x0": "category"}}])
def test_row_22_sparse_booleans_with_settings(settings: dict[str, Any]) -> None:
    """Settings that ask more of a column than where it is true see the same columns."""
    dense, y = counts_matrix()
    dense = dense != 0
    assert_same(quick(**settings).fit(dense, y), quick(**settings).fit(sparse.csr_array(dense), y))


def test_a_large_sparse_matrix_is_never_made_dense() -> None:
    """100,000 x 20,000 at 0.5 % density is mined in a small part of the dense table's memory."""
    n_rows, n_columns, n_each = 100_000, 20_000, 500
    rng = np.random.default_rng(0)
    # distinct rows in rising order: sorted draws, each moved up by its place
    rows = np.sort(rng.integers(0, n_rows - n_each, (n_columns, n_each), dtype=np.int32), axis=1)
    rows += np.arange(n_each, dtype=np.int32)
    y = np.zeros(n_rows, dtype=int)
    y[rng.choice(n_rows, 2000, replace=False)] = 1
    sick = np.flatnonzero(y)
    for column in range(0, n_columns, 1000):  # twenty columns that go with the rare label
        rows[column, :300] = rng.choice(sick, 300, replace=False)
        while len(np.unique(rows[column])) < n_each:
            rows[column] = np.unique(np.r_[rows[column], rng.integers(0, n_rows, n_each)])[:n_each]
        rows[column].sort()
    X = sparse.csc_array(
        (np.ones(rows.size, dtype=np.int8), rows.ravel(), np.arange(0, rows.size + 1, n_each)),
        shape=(n_rows, n_columns),
    )
    assert X.nnz == n_rows * n_columns * 0.005
    tracemalloc.start()
    try:
        clf = quick(support_in="any_class", min_support=0.02, n_iter=200).fit(X, y)
        probabilities = clf.predict_proba(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_rows * n_columns / 5  # a byte an entry would be 2 GB
    single = [a.name for a in clf.pool_ if a.cardinality == 1]
    assert {f"x{column}" for column in range(0, n_columns, 1000)} <= set(single)
    assert len(single) < 100
    assert (clf.pool_.cardinalities == 2).any()
    assert len(clf.fit_report_.columns) == n_columns
    assert probabilities.shape == (n_rows, 2)
