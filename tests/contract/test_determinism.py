"""The same seed gives the same posterior, however the same observations come in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from elseif import BayesianRuleListClassifier
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = ("tempered", "paper", "exact")


def assert_same(a: BayesianRuleListClassifier, b: BayesianRuleListClassifier) -> None:
    """Draw for draw the same lists with bit for bit the same log posterior."""
    assert a.pool_.names == b.pool_.names
    np.testing.assert_array_equal(a.posterior_.log_posterior, b.posterior_.log_posterior)
    pd.testing.assert_frame_equal(a.posterior_.lists(), b.posterior_.lists(), check_exact=True)
    np.testing.assert_array_equal(a.posterior_.lengths, b.posterior_.lengths)
    assert str(a.rule_list_) == str(b.rule_list_)
    assert str(a.map_rule_list_) == str(b.map_rule_list_)
    assert str(a.convergence_) == str(b.convergence_)


def fit(X: Any, y: Any, **settings: Any) -> BayesianRuleListClassifier:
    """Four chains of 2,000 iterations with a fixed seed."""
    fixed = {"n_iter": 2000, "n_chains": 4, "random_state": 7, "kernel": "tempered"}
    sample_weight = settings.pop("sample_weight", None)
    if settings.get("kernel") == "exact":  # of small pools
        settings["max_cardinality"] = 1
    return quick(**{**fixed, **settings}).fit(X, y, sample_weight=sample_weight)


def mixed_frame() -> tuple[pd.DataFrame, np.ndarray]:
    """Booleans and a column of words, three labels."""
    X, y = random_frame(300, 5, seed=2, n_labels=3)
    X["colour"] = np.array(["blue", "green", "red"])[np.random.default_rng(4).integers(0, 3, 300)]
    return X, y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_jobs", [2, -1, 3])
def test_any_number_of_workers(kernel: str, n_jobs: int) -> None:
    """Threads do not change the draws."""
    X, y = mixed_frame()
    assert_same(fit(X, y, kernel=kernel, n_jobs=1), fit(X, y, kernel=kernel, n_jobs=n_jobs))


def test_any_number_of_workers_in_an_automatic_run(titanic: Any) -> None:
    """Nor do they change when an automatic run stops."""
    one = fit(*titanic, n_iter=None, n_jobs=1)
    two = fit(*titanic, n_iter=None, n_jobs=2)
    assert one.n_iter_ == two.n_iter_
    assert_same(one, two)


@pytest.mark.parametrize("kernel", KERNELS)
def test_twice_the_same_seed_and_another(kernel: str) -> None:
    """A seed is all the randomness there is, and another gives other draws."""
    X, y = mixed_frame()
    first = fit(X, y, kernel=kernel)
    assert_same(first, fit(X, y, kernel=kernel))
    other = fit(X, y, kernel=kernel, random_state=8)
    assert not np.array_equal(first.posterior_.log_posterior, other.posterior_.log_posterior)


def test_seeds_of_every_kind() -> None:
    """A RandomState or Generator of the same state gives the same draws."""
    X, y = random_frame()
    for make in (np.random.RandomState, np.random.default_rng):
        assert_same(fit(X, y, random_state=make(3)), fit(X, y, random_state=make(3)))
    assert_same(fit(X, y, random_state=np.int64(7)), fit(X, y))


@pytest.mark.parametrize("kernel", KERNELS)
def test_shuffled_rows(kernel: str) -> None:
    """The order of the observations does not matter."""
    X, y = mixed_frame()
    order = np.random.default_rng(1).permutation(len(X))
    assert_same(fit(X, y, kernel=kernel), fit(X.iloc[order], y[order], kernel=kernel))


def test_shuffled_rows_of_a_weighted_table() -> None:
    """Nor does it when they are weighted, by whole numbers or not."""
    X, y = mixed_frame()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(X))
    for weights in (rng.integers(1, 9, len(X)), rng.random(len(X)) + 0.1):
        a = fit(X, y, sample_weight=weights)
        b = fit(X.iloc[order], y[order], sample_weight=weights[order])
        assert_same(a, b)


@pytest.mark.parametrize("kernel", KERNELS)
def test_shuffled_columns(kernel: str) -> None:
    """The order of a data frame's columns does not matter."""
    X, y = mixed_frame()
    columns = np.random.default_rng(1).permutation(X.columns)
    a, b = fit(X, y, kernel=kernel), fit(X[columns], y, kernel=kernel)
    assert_same(a, b)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_shuffled_columns_with_twins() -> None:
    """Nor does it when two columns say the same."""
    X, y = mixed_frame()
    X["a twin"], X["f0"] = X["f3"], X["f2"]
    columns = np.random.default_rng(1).permutation(X.columns)
    a, b = fit(X, y), fit(X[columns], y)
    assert a.fit_report_.aliases == b.fit_report_.aliases
    assert_same(a, b)


def test_given_antecedents_in_any_order() -> None:
    """Nor the order of an expert's antecedents and of their conditions."""
    X, y = random_frame()
    a = fit(X, y, antecedents=[("f1",), ("f2", "f3"), ("f4",), ("f1", "f4")])
    b = fit(X, y, antecedents=[("f4", "f1"), ("f4",), ("f3", "f2"), ("f1",)])
    assert_same(a, b)


def non_canonical(dense: np.ndarray) -> sparse.csr_array:
    """A sparse matrix with unsorted, duplicate and explicitly zero entries, and int64 indices."""
    n_rows, n_columns = dense.shape
    indices: list[int] = []
    data: list[float] = []
    indptr = [0]
    for row in dense:
        for column in range(n_columns)[::-1]:
            if row[column]:
                indices += [column, column]
                data += [3.0, -2.0]  # two entries that add up to 1
            elif column % 2:
                indices.append(column)
                data.append(0.0)
        indptr.append(len(indices))
    matrix = sparse.csr_array((n_rows, n_columns))
    matrix.data = np.array(data)
    matrix.indices = np.array(indices, dtype=np.int64)
    matrix.indptr = np.array(indptr, dtype=np.int64)
    return matrix


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.lil_array,
        lambda dense: sparse.csr_array(dense.astype(np.int8)),
        lambda dense: sparse.csr_array(dense.astype(float)),
        non_canonical,
        lambda dense: sparse.csc_array(non_canonical(dense)),
    ],
    ids=["csr", "csc", "coo", "csr matrix", "csc matrix", "lil", "int8", "float", "odd", "odd csc"],
)
def test_row_22_sparse_as_dense(convert: Any) -> None:
    """A sparse matrix of any form gives what the dense array gives, and is left as it was."""
    frame, y = random_frame(250, 6)
    dense = frame.to_numpy()
    matrix = convert(dense)
    before = matrix.copy()
    a, b = fit(dense, y), fit(matrix, y)
    assert_same(a, b)
    np.testing.assert_array_equal(a.predict_proba(dense), b.predict_proba(matrix))
    for part in ("data", "indices", "indptr"):
        if hasattr(matrix, part) and matrix.format in ("csr", "csc"):
            np.testing.assert_array_equal(getattr(matrix, part), getattr(before, part))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64, object])
def test_booleans_as_numbers(dtype: type) -> None:
    """True and False, 1 and 0, 1.0 and 0.0 are the same conditions."""
    X, y = random_frame()
    assert_same(fit(X, y), fit(X.astype(dtype), y))
    assert_same(fit(X.to_numpy(), y), fit(X.to_numpy().astype(dtype), y))


def test_nested_lists() -> None:
    """Lists of lists are an array."""
    X, y = random_frame()
    assert_same(fit(X.to_numpy(), y), fit(X.to_numpy().tolist(), y.tolist()))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_data_frame_libraries(library: str) -> None:
    """A polars or pyarrow table gives what pandas gives."""
    module = pytest.importorskip(library)
    X, y = mixed_frame()
    columns = {name: X[name].tolist() for name in X.columns}
    frame = module.DataFrame(columns) if library == "polars" else module.table(columns)
    a, b = fit(X, y), fit(frame, y)
    assert_same(a, b)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(frame))


def test_text_and_categories() -> None:
    """A column of text and the same as categories, used or not, are the same conditions."""
    X, y = mixed_frame()
    levels = ["white", "red", "green", "blue"]
    assert_same(fit(X, y), fit(X.assign(colour=pd.Categorical(X["colour"], levels)), y))


@pytest.mark.parametrize("kernel", KERNELS)
def test_whole_weights_and_repeated_rows(kernel: str) -> None:
    """Weight 2 is the row twice; a weight of 0 its absence."""
    X, y = mixed_frame()
    weights = np.random.default_rng(5).integers(0, 5, len(y))
    a = fit(X, y, sample_weight=weights, kernel=kernel)
    b = fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights), kernel=kernel)
    assert_same(a, b)
    assert_same(a, fit(X, y, sample_weight=weights.astype(float), kernel=kernel))


def test_weights_of_one() -> None:
    """Weights that are all 1 are no weights."""
    X, y = mixed_frame()
    assert_same(fit(X, y), fit(X, y, sample_weight=np.ones(len(y))))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_chain_does_not_depend_on_the_others(kernel: str) -> None:
    """Chain k is the same among two chains and among five."""
    X, y = mixed_frame()
    few, many = (fit(X, y, kernel=kernel, n_chains=n).posterior_.log_posterior for n in (2, 5))
    np.testing.assert_array_equal(few, many[:2])


def test_an_automatic_run_can_be_repeated(titanic: Any) -> None:
    """n_iter=n_iter_ gives what the automatic run gave."""
    automatic = fit(*titanic, n_iter=None)
    assert_same(automatic, fit(*titanic, n_iter=automatic.n_iter_))


def test_verbose_changes_nothing_but_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Progress goes to standard error, and the draws stay."""
    X, y = random_frame()
    quiet = fit(X, y)
    assert capsys.readouterr() == ("", "")
    loud = fit(X, y, verbose=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "2,000 iterations" in err
    assert_same(quiet, loud)


def test_no_global_random_state() -> None:
    """NumPy's global state is neither read nor written."""
    X, y = random_frame()
    np.random.seed(1)  # noqa: NPY002  # the global state is what is tested
    before = np.random.get_state()  # noqa: NPY002
    a = fit(X, y)
    unseeded = fit(X, y, random_state=None)
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]
    np.random.seed(2)  # noqa: NPY002
    assert_same(a, fit(X, y))
    np.random.seed(1)  # noqa: NPY002
    again = fit(X, y, random_state=None)
    assert not np.array_equal(unseeded.posterior_.log_posterior, again.posterior_.log_posterior)


def test_arguments_are_left_as_they_were() -> None:
    """Neither the table nor the labels nor the weights are written to."""
    X, y = mixed_frame()
    weights = np.linspace(0.5, 2, len(y))
    before = X.copy(), y.copy(), weights.copy()
    fit(X, y, sample_weight=weights).predict(X)
    pd.testing.assert_frame_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    np.testing.assert_array_equal(weights, before[2])
