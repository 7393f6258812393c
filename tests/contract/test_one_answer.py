"""One case, one answer: whoever is asked names the same rule and the same probabilities.

Tables of every kind, row by row: the classifier, its explanations, the program on CSV and on
Parquet, the report, the calculator, and every export that can be run.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from elseif import BayesianRuleListClassifier, RuleList, SparseTable, load_model, save_model
from elseif.cli.main import run
from elseif.cli.output import width
from elseif.errors import DataError
from elseif.explaining import Explanation
from elseif.export.model_file import read_model
from elseif.fitted_model import as_model
from elseif.report.calculator import shown_labels
from elseif.report.training import read_training
from elseif.serving import ServedModel
from elseif.tables.reading import read_table
from tests.cli.program import PROGRAM
from tests.export.runners import RUNNERS
from tests.export.running import run_calculator
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore:Column .* held 0 and 1 in fit")

N = 66  # of which two that are true are few: less than one row in 32
STAGES = ["I", "II", "III"]

# ------------------------------------------------------------------------------ tables


def _some(rng: np.random.Generator, share: float) -> np.ndarray:
    """A share of the rows, exactly."""
    mask = np.zeros(N, dtype=bool)
    mask[rng.permutation(N)[: round(share * N)]] = True
    return mask


def dense_booleans(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"smoker": _some(rng, 0.4), "asthma": _some(rng, 0.5)})


def sparse_booleans(rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"transplant": _some(rng, 2 / N), "dialysis": _some(rng, 2 / N)})


def zeros_and_ones(rng: np.random.Generator) -> pd.DataFrame:
    return dense_booleans(rng).astype(int).assign(dialysis=_some(rng, 2 / N).astype(int))


def missing_booleans(rng: np.random.Generator) -> pd.DataFrame:
    """Many values missing, and few; beside many that are true, and few."""
    X = pd.concat([dense_booleans(rng), sparse_booleans(rng)], axis=1).astype("boolean")
    X.loc[_some(rng, 0.4), ["smoker", "transplant"]] = pd.NA
    X.loc[_some(rng, 2 / N), ["asthma", "dialysis"]] = pd.NA
    return X


def missing_zeros_and_ones(rng: np.random.Generator) -> pd.DataFrame:
    return missing_booleans(rng).astype(float)


def numbers(rng: np.random.Generator) -> pd.DataFrame:
    X = pd.DataFrame({"age": rng.integers(18, 99, N).astype(float), "ldl": rng.normal(3, 1, N)})
    return X.mask(rng.random(X.shape) < 0.2)


def categories(rng: np.random.Generator) -> pd.DataFrame:
    X = pd.DataFrame({"ward": rng.choice(["east", "None", "it's"], N), "sex": rng.choice(2, N)})
    X["sex"] = np.array(["female", "male"])[X["sex"]]
    return X.astype(object).mask(rng.random(X.shape) < 0.2, None)


def ordered(rng: np.random.Generator) -> pd.DataFrame:
    stage = pd.Categorical(rng.choice(STAGES, N), STAGES, ordered=True)
    return pd.DataFrame({"stage": pd.Series(stage).mask(rng.random(N) < 0.2)})


def dates(rng: np.random.Generator) -> pd.DataFrame:
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D"))
    return pd.DataFrame({"admitted": days.mask(rng.random(N) < 0.2)})


def everything(rng: np.random.Generator) -> pd.DataFrame:
    parts = [missing_booleans, numbers, categories, ordered, dates]
    return pd.concat([part(rng) for part in parts], axis=1)


TABLES: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    part.__name__: part
    for part in (
        dense_booleans, sparse_booleans, zeros_and_ones, missing_booleans, missing_zeros_and_ones,
        numbers, categories, ordered, dates, everything,
    )
}  # fmt: skip


def other_numbers(X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The same table with numbers in it that are neither 0 nor 1."""
    return X.mask(rng.random(X.shape) < 0.3, 2).mask(rng.random(X.shape) < 0.1, -0.5)


# what a table holds that the rows of fit did not
ASKED: dict[str, Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]] = {
    "zeros_and_ones, then others": other_numbers,
    "missing_zeros_and_ones, then others": other_numbers,
}


def _signal(column: pd.Series, negated: bool) -> np.ndarray:
    """Which rows are of the greater half of a column's values; none that is missing.

    Where negated, of a boolean column those that are false: only a negation asks for them alone.
    """
    codes = column.astype("category").cat.codes.to_numpy()
    if negated and column.dtype == "boolean":
        return codes == 0
    return codes * 2 >= max(1, codes.max())


def rows_to_ask(X: pd.DataFrame) -> list[int]:
    """One row of each content, and those about the end of the first word of 64 rows."""
    return sorted({*np.flatnonzero(~X.duplicated()).tolist(), 0, 63, 64, N - 1})


@dataclass(frozen=True)
class Asked:
    """A fitted classifier, the rows that it is asked about, and both in files."""

    classifier: BayesianRuleListClassifier
    X: pd.DataFrame
    is_training: bool
    y: pd.Series
    model: Path
    csv: Path
    parquet: Path

    @cached_property
    def loaded(self) -> BayesianRuleListClassifier:
        """The classifier as its file has it."""
        return load_model(self.model)

    @cached_property
    def explained(self) -> list[Explanation]:
        """What it says of rows of every content."""
        return [self.loaded.explain(self.X, row) for row in rows_to_ask(self.X)]


CASES = [*((t, 2) for t in TABLES), ("everything", 3), *((t, 2) for t in ASKED)]
CASES.append(("missing_zeros_and_ones, then others", 3))
CASES += [("numbers, projected", 2), ("everything, projected", 2)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A list that asks for columns of every kind that the table has."""
    name, n_labels = request.param
    folder = tmp_path_factory.mktemp("asked")
    rng = np.random.default_rng(len(name.split(",")[0]))
    X = TABLES[name.split(",")[0]](rng)
    labels = np.full(N, "well", dtype=object)
    for index, column in enumerate(X.columns[::-1]):
        labels[_signal(X[column], n_labels == 3)] = ["ill", "dead"][index % (n_labels - 1)]
    labels[_some(rng, 0.1)] = "well"
    y = pd.Series(labels, name="outcome")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = quick(
            kinds={"stage": STAGES} if "stage" in X else None,
            min_support=0.01,
            max_cardinality=1 if name.startswith("everything") else 2,
            predict_with="projected" if name.endswith("projected") else "point",
            max_length=6 if name == "everything, projected" else None,  # the search takes its time
            expected_length=2.0 * X.shape[1],
            negations=n_labels == 3,
            n_iter=2000,
        ).fit(X, y)
    assert len(classifier.classes_) == n_labels
    kinds = {column.name: column.kind for column in classifier.fit_report_.columns}
    used = {condition.column for rule in classifier.rule_list_.antecedents for condition in rule}
    assert {kinds[column] for column in used} == set(kinds.values())
    assert used == set(X.columns) or name.startswith("everything") or n_labels == 3
    asks_for_no = any(
        c.operator == "is false" for r in classifier.rule_list_.antecedents for c in r
    )
    assert asks_for_no == (n_labels == 3)
    save_model(classifier, folder / "model.json", posterior=None)  # read anew for every row
    if name in ASKED:
        X = ASKED[name](X, rng)
        assert X.isin([2]).any().all()
    X.to_csv(folder / "rows.csv", index=False)
    X.to_parquet(folder / "rows.parquet")
    files = [folder / file for file in ("model.json", "rows.csv", "rows.parquet")]
    return Asked(classifier, X, name not in ASKED, y, *files)


def predicting(classifier: BayesianRuleListClassifier) -> RuleList:
    """The list that predicts."""
    return as_model(classifier).chosen_list()


def assert_explained(classifier: BayesianRuleListClassifier, rows: Any, X: pd.DataFrame) -> None:
    """Each row is explained by the rule and the probabilities that are predicted for it."""
    assert_same_answers(classifier, X, (classifier.explain(rows, row) for row in rows_to_ask(X)))


def assert_same_answers(
    classifier: BayesianRuleListClassifier, X: pd.DataFrame, explained: Iterable[Explanation]
) -> None:
    """Explanations of rows name the rules and the probabilities that are predicted for them."""
    places, shares = predicting(classifier).captured_by(X), classifier.predict_proba(X)
    for row, result in zip(rows_to_ask(X), explained, strict=True):
        assert result.fired.place == places[row], row
        assert [risk.probability for risk in result.labels] == shares[row].tolist(), row


# ----------------------------------------------------------------------------- answers


def test_explanations(asked: Asked) -> None:
    """Of a row of a data frame, of a table that has been read, and of a dict of its values."""
    assert_explained(asked.classifier, asked.X, asked.X)
    assert_explained(asked.classifier, read_table(asked.X), asked.X)
    places = predicting(asked.classifier).captured_by(asked.X)
    cases = asked.X.to_dict("records")
    for row in rows_to_ask(asked.X):
        assert asked.classifier.explain(cases[row]).fired.place == places[row]


@pytest.mark.parametrize("file", ["csv", "parquet"])
def test_the_program(asked: Asked, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``predict``, and ``explain --row`` of rows of every content, say what Python says."""
    table: Path = getattr(asked, file)
    places = predicting(asked.classifier).captured_by(asked.X)
    shares = asked.classifier.predict_proba(asked.X)
    assert_same_answers(asked.loaded, asked.X, asked.explained)
    capsys.readouterr()
    assert run(["predict", str(asked.model), str(table)]) == 0
    predicted = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_array_equal(predicted["rule"], places + 1)
    names = [f"probability {label}" for label in asked.classifier.classes_]
    np.testing.assert_allclose(predicted[names], shares, rtol=0, atol=1e-12)
    for row, explained in zip(rows_to_ask(asked.X), asked.explained, strict=True):
        assert run(["explain", str(asked.model), str(table), "--row", str(row + 1)]) == 0
        expected = explained.to_text(width=width())
        assert capsys.readouterr().out == expected + "\n", f"--row {row + 1}"


def test_the_report(asked: Asked) -> None:
    """Every person is counted in the line that applies to them."""
    training = read_training(as_model(asked.classifier), asked.X, asked.y, None)
    places = predicting(asked.classifier).captured_by(asked.X)
    np.testing.assert_array_equal(training.line, places[training.rows])
    assert training.fits_the_list == asked.is_training
    assert len(training.rows) == len(asked.X)


def test_the_calculator(asked: Asked, tmp_path: Path) -> None:
    """The script of the calculator's page names the same line, and its probabilities."""
    lines, shares = run_calculator(read_model(asked.model), asked.X, tmp_path)
    assert lines == [[index] for index in predicting(asked.classifier).captured_by(asked.X)]
    expected = asked.classifier.predict_proba(asked.X)
    np.testing.assert_array_equal(shares, expected[:, shown_labels(predicting(asked.classifier))])


def test_the_exports(asked: Asked, tmp_path: Path) -> None:
    """Every format that predicts, run by an engine of its own."""
    model = read_model(asked.model)
    for runner in RUNNERS.values():
        runner.assert_agrees(model, asked.X, tmp_path)


def test_the_server(asked: Asked) -> None:
    """Cases of JSON: the line that applies and its probabilities; a 2 is no truth value."""
    served = ServedModel("asked", read_model(asked.model))
    cases = json.loads(asked.X.to_json(orient="records", date_format="iso"))
    is_other = np.zeros(N, dtype=bool) if asked.is_training else asked.X.isin([2, -0.5]).any(axis=1)
    answered = np.flatnonzero(~is_other)
    assert len(answered) > N / 10
    answers = served.answers([cases[row] for row in answered])
    places = predicting(asked.classifier).captured_by(asked.X)[answered]
    assert [answer["rule"] for answer in answers] == (places + 1).tolist()
    shares = [[each["probability"] for each in answer["probabilities"]] for answer in answers]
    np.testing.assert_array_equal(shares, asked.classifier.predict_proba(asked.X)[answered])
    for row in np.flatnonzero(is_other)[:3]:
        with pytest.raises(DataError, match="it must be true or false"):
            served.answers([cases[row]])


def test_a_model_in_other_words_and_one_of_rounded_counts(asked: Asked, tmp_path: Path) -> None:
    """Display labels change no answer; a minimum cell changes no line, and every door alike."""
    model = read_model(asked.model)
    names = {name: {"name": f"{name} of the patient"} for name in asked.X.columns}
    file = tmp_path / "rounded.json"
    save_model(asked.classifier, file, posterior=None, min_cell=5)
    for other in (model.with_labels({"columns": names}), read_model(file)):
        for name in ("python", "sqlite"):
            RUNNERS[name].assert_agrees(other, asked.X, tmp_path)
        places = predicting(asked.classifier).captured_by(asked.X)
        np.testing.assert_array_equal(other.chosen_list().captured_by(asked.X), places)
        shares = other.predict_proba(asked.X)
        for row in range(0, N, 16):
            explanation = other.explain(asked.X, row)
            assert explanation.fired.place == places[row]
            assert [risk.probability for risk in explanation.labels] == shares[row].tolist()
        if other.metadata.rounding is None:
            np.testing.assert_array_equal(shares, asked.classifier.predict_proba(asked.X))


# -------------------------------------------------------------------------- containers


@pytest.mark.parametrize("name", ["dense_booleans", "sparse_booleans", "zeros_and_ones"])
@pytest.mark.parametrize("container", [
    pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy,
    lambda X: sparse.csr_array(X.to_numpy()), lambda X: sparse.csc_array(X.to_numpy()),
    lambda X: SparseTable(sparse.csr_array(X.to_numpy()), list(X.columns)),
], ids=["pandas", "polars", "pyarrow", "array", "csr", "csc", "SparseTable"])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_booleans_in_every_container(name: str, container: Callable[[Any], Any]) -> None:
    """Whatever holds a table, a row of it is that row: before and after it has been read."""
    X = TABLES[name](np.random.default_rng(1))
    y = _signal(X[X.columns[0]], False) ^ _some(np.random.default_rng(2), 0.1)
    table = container(X)
    classifier = quick(min_support=0.01, expected_length=6).fit(table, y)
    assert len(classifier.rule_list_)
    places = classifier.rule_list_.captured_by(table)
    for rows_of_table in (table, read_table(table)):
        for row in rows_to_ask(X):
            assert classifier.explain(rows_of_table, row).fired.place == places[row]


@pytest.mark.filterwarnings("ignore")
def test_columns_without_names_stay_in_their_places() -> None:
    """The names of fit, even such as others give to places, are those of the same columns."""
    X = dense_booleans(np.random.default_rng(1)).set_axis(["x1", "x0"], axis=1)
    classifier = quick(expected_length=2).fit(X, X["x1"] ^ _some(np.random.default_rng(2), 0.1))
    places = classifier.rule_list_.captured_by(X)
    assert len(set(places)) > 1
    for unnamed in (X.to_numpy(), read_table(X.to_numpy())):
        for row in rows_to_ask(X):
            assert classifier.explain(unnamed, row).fired.place == places[row]


def program_predicts(
    classifier: BayesianRuleListClassifier, X: pd.DataFrame, folder: Path
) -> tuple[np.ndarray, str]:
    """The probability of the last label that ``predict`` finds in a CSV file, and its notes."""
    save_model(classifier, folder / "model.json")
    X.to_csv(folder / "rows.csv", index=False)
    files = [str(folder / name) for name in ("model.json", "rows.csv", "predicted.csv")]
    with contextlib.redirect_stderr(io.StringIO()) as notes:
        assert run(["predict", *files[:2], "--out", files[2]]) == 0
    shares = pd.read_csv(files[2])[f"probability {classifier.classes_[-1]}"].to_numpy()
    return shares, notes.getvalue()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", [["x1", "x0"], ["grade", "ward"]], ids=", ".join)
def test_a_file_with_names_for_columns_that_had_none_in_fit(
    names: list[str], tmp_path: Path
) -> None:
    """Columns go by their place: a code of two digits stays text, and a number a number."""
    rng = np.random.default_rng(0)
    X = np.array([rng.choice([1.0, 2.0, 3.0], N), rng.choice(["01", "02"], N)], dtype=object).T
    y = ((X[:, 0] == 2) & (X[:, 1] == "01")) | _some(rng, 0.1)
    classifier = quick(kinds={"x0": "category"}, min_support=0.02, expected_length=4).fit(X, y)
    columns = {c.column for rule in classifier.rule_list_.antecedents for c in rule}
    assert columns == {"x0", "x1"}
    table = pd.DataFrame(X, columns=names)
    expected = classifier.predict_proba(X)[:, 1]
    result, notes = program_predicts(classifier, table, tmp_path)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)
    assert "did not see" not in notes
    fired = classifier.rule_list_.captured_by(X)
    for row in range(6):
        files = [str(tmp_path / "model.json"), str(tmp_path / "rows.csv")]
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())) as out:
            assert run(["explain", *files, "--row", str(row + 1)]) == 0
            out.seek(0)
            assert classifier.explain(X, row).to_text(width=width()) in out.read()
        assert classifier.explain(X, row).fired.place == fired[row]


@pytest.mark.filterwarnings("ignore")
def test_a_column_that_only_lists_that_were_not_drawn_ask_for(tmp_path: Path) -> None:
    """The sum over all lists looks at it too, of whatever kind it is in the model."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"ward": rng.integers(0, 3, N), "smoker": _some(rng, 0.5)})
    y = X["smoker"] ^ _some(rng, 0.1)
    settings = {"kernel": "exact", "n_iter": 4, "n_chains": 1, "expected_length": 0.3}
    for predict_with in ("posterior", "point"):
        classifier = quick(kinds={"ward": "category"}, predict_with=predict_with, **settings)
        classifier.fit(X, y)
        assert classifier.model_.columns_used() == {"smoker"}
        assert {c.column for c in classifier.pool_.conditions} == {"smoker", "ward"}
        folder = tmp_path / predict_with
        folder.mkdir()
        result, notes = program_predicts(classifier, X, folder)
        expected = classifier.predict_proba(X)[:, 1]
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)
        assert "did not see" not in notes
        assert len(set(expected)) == (6 if predict_with == "posterior" else 2)


def test_the_program_in_its_own_process(tmp_path: Path) -> None:
    """Two people, one of whom smokes: the second is not told of the first one's risk."""
    smoker = np.arange(200) % 2 == 0
    ill = np.random.default_rng(0).random(200) < np.where(smoker, 0.8, 0.1)
    table = pd.DataFrame({"smoker": smoker.astype(int), "ill": ill.astype(int)})
    table.to_csv(tmp_path / "people.csv", index=False)
    model, people = str(tmp_path / "model.json"), str(tmp_path / "people.csv")
    assert run(["fit", people, "--label", "ill", "--model", model, "--quiet"]) == 0
    classifier = load_model(model)
    assert_explained(classifier, table[["smoker"]], table[["smoker"]])
    for row, said in enumerate(("smoker is true", "smoker is false"), start=1):
        command = [*PROGRAM, "explain", model, people, "--row", str(row)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert said in done.stdout
        assert done.stdout == classifier.explain(table[["smoker"]], row - 1).to_text(80) + "\n"
