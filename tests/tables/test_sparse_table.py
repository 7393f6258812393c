"""A sparse matrix with names beside a data frame is read like the data frame of both."""

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score

from elseif import BayesianRuleListClassifier, SparseTable
from elseif.errors import DataError, DataTypeError, ParamError
from elseif.evaluation.cross_validation import cross_validate

N = 400


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    matrix = sparse.csr_array(rng.random((N, 30)) < np.linspace(0.05, 0.5, 30))
    frame = pd.DataFrame({"age": rng.integers(30, 90, N), "sex": rng.choice(["female", "male"], N)})
    names = [f"drug {i}" for i in range(30)]
    y = rng.random(N) < np.where(matrix[:, [29]].toarray()[:, 0], 0.8, 0.2)
    return SparseTable(matrix, names, frame), y


def fitted(X, y):
    return BayesianRuleListClassifier(
        random_state=1, n_iter=4_000, n_chains=2, cuts={"age": [50, 60, 70]}
    ).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_and_predicts_as_the_data_frame_of_both(people):
    table, y = people
    frame = table.to_frame()
    by_table, by_frame = fitted(table, y), fitted(frame, y)
    assert str(by_table.rule_list_) == str(by_frame.rule_list_)
    assert by_table.feature_names_in_.tolist() == table.columns
    assert by_table.fingerprint_ == by_frame.fingerprint_
    assert joblib.hash(by_table.posterior_.lists()) == joblib.hash(by_frame.posterior_.lists())
    for mode in ("point", "posterior"):
        by_table.set_params(predict_with=mode)
        assert np.array_equal(by_table.predict_proba(table), by_table.predict_proba(frame))
    assert str(by_table.explain(table, row=3)) == str(by_table.explain(frame, row=3))


def test_rows_are_taken_of_both_parts(people):
    table, _ = people
    whole = table.to_frame()
    rows = np.array([7, 3, 3, 399])
    mask = np.zeros(N, dtype=bool)
    mask[rows] = True
    pd.testing.assert_frame_equal(
        table.take(rows).to_frame(), whole.iloc[rows].reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(table[mask].to_frame(), whole[mask].reset_index(drop=True))
    pd.testing.assert_frame_equal(table[2:5].to_frame(), whole[2:5].reset_index(drop=True))
    assert table[rows.tolist()].shape == (4, 32)
    assert repr(table) == "<SparseTable: 400 rows, 32 columns>"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_is_cut_into_folds(people):
    table, y = people
    classifier = BayesianRuleListClassifier(n_iter=2_000, n_chains=2, random_state=0)
    ours = cross_validate(classifier, table, y, folds=3)
    again = cross_validate(classifier, table.to_frame(), y, folds=3)
    assert np.array_equal(ours.probabilities, again.probabilities)
    assert np.all(cross_val_score(classifier, table, y, cv=3, error_score="raise") > 0.5)


def test_a_matrix_of_ones_in_any_form_is_the_same():
    dense = np.array([[1, 0, 1], [0, 0, 1]])
    twice = sparse.coo_array(([1, 0, 1, 1], ([0, 0, 0, 1], [0, 1, 2, 2])), shape=(2, 3))
    for matrix in (sparse.csc_matrix(dense), sparse.csr_array(dense.astype(bool)), twice):
        table = SparseTable(matrix, ["a", "b", "c"])
        assert np.array_equal(table.to_frame().to_numpy(), dense.astype(bool))
        assert table.frame.shape == (2, 0)


def test_says_what_is_wrong():
    matrix = sparse.csr_array(np.eye(3))
    with pytest.raises(ParamError, match="names has 2 entries for 3 columns"):
        SparseTable(matrix, ["a", "b"])
    with pytest.raises(DataError, match=r"holds 2\.0; it may hold only 0 and 1"):
        SparseTable(2 * matrix, ["a", "b", "c"])
    with pytest.raises(DataTypeError, match="must be a two-dimensional SciPy sparse matrix"):
        SparseTable(np.eye(3), ["a", "b", "c"])
    with pytest.raises(DataError, match="3 rows and the frame 2"):
        SparseTable(matrix, ["a", "b", "c"], pd.DataFrame({"age": [1, 2]}))
    table = SparseTable(matrix, ["a", "b", "c"], pd.DataFrame({"a": [1, 2, 3]}))
    with pytest.raises(DataError, match="Column names must be unique; found 'a' at"):
        BayesianRuleListClassifier().fit(table, [0, 1, 0])
    with pytest.raises(ParamError, match="no column 'd'"):
        table.to_frame(["d"])
    with pytest.raises(DataTypeError, match="to_frame gives columns"):
        table[:, 1]
    with pytest.raises(DataTypeError, match="to_frame gives columns"):
        table["a"]
    with pytest.raises(DataTypeError, match="frame is a list"):
        SparseTable(matrix, ["a", "b", "c"], [1, 2, 3])


def test_take_is_no_place_for_a_mask():
    """As numbers, a mask would give the rows 0 and 1 again and again."""
    table = SparseTable(sparse.csr_array(np.eye(3, dtype=bool)), ["a", "b", "c"])
    mask = np.array([True, False, True])
    for odd in (mask, [0.7], ["1"]):
        with pytest.raises(DataTypeError, match="numbers of rows"):
            table.take(odd)
    assert len(table[mask]) == 2
    assert len(table.take([])) == 0


def test_doubled_names_of_the_frame():
    """They are refused in the words of any other table."""
    frame = pd.DataFrame(np.eye(3)[:, :2], columns=["age", "age"])
    table = SparseTable(sparse.csr_array(np.eye(3, dtype=bool)), ["a", "b", "c"], frame)
    with pytest.raises(DataError, match="must be unique; found 'age' at"):
        BayesianRuleListClassifier().fit(table, [0, 1, 0])
