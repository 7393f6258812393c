"""Which columns are taken for identifiers, and which are not."""

from __future__ import annotations

import uuid
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from elseif.conditions.identifiers import suspicion
from elseif.datasets import load_titanic
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore:The chains have not converged")

N = 400


def with_column(name: str, values: Any) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = random_frame(N)
    return X.assign(**{name: values}), y


def random_ids(low: int, high: int) -> np.ndarray:
    return np.random.default_rng(0).choice(np.arange(low, high), N, replace=False)


def once_more(values: Any) -> np.ndarray:
    """The same, with one value a second time."""
    values = np.array(values)
    values[0] = values[1]
    return values


IDENTIFIERS: dict[str, tuple[str, Any]] = {
    "random six digits": ("number", random_ids(100_000, 1_000_000)),
    "random six digits, one repeat": ("number", once_more(random_ids(100_000, 1_000_000))),
    "random nine digits": ("x", np.random.default_rng(1).integers(10**8, 10**9, N)),
    "random up to seven digits": ("x", random_ids(1, 10_000_000)),
    "a sample of a register": ("x", random_ids(1, 4000)),
    "a running number with one repeat": ("x", once_more(np.arange(N))),
    "a running number with gaps": ("x", np.delete(np.arange(500), np.arange(0, 500, 10))[:N]),
    "a running number, some missing": ("x", np.where(np.arange(N) % 9 == 0, np.nan, np.arange(N))),
    "named, a few digits": ("patient_id", random_ids(4_100_000, 4_900_000)),
    "named, four visits each": ("SubjectID", np.arange(N) // 4),
    "text with one repeat": ("x", once_more([f"pat {i}" for i in range(N)])),
    "text of digits": ("x", [f"{i:08}" for i in random_ids(1, 10**7)]),
    "text, some missing": ("x", [None if i % 7 == 0 else f"p{i}" for i in range(N)]),
    "surnames, common ones too": ("surname", [f"name {i % 150}" for i in range(N)]),
    "UUIDs, three visits each": ("x", [str(uuid.UUID(int=7**40 + i // 3)) for i in range(N)]),
    "hashes, two visits each": ("x", [f"{(i // 2 + 1) * 7**23:032x}" for i in range(N)]),
    "addresses": ("contact", [f"p{i // 2}@example.org" for i in range(N)]),
    "sentences": ("x", [f"was seen on ward number {i // 2} today" for i in range(N)]),
    "categories": ("x", pd.Categorical([f"p{i}" for i in range(N)])),
    "ordered": ("x", pd.Categorical([f"p{i:03}" for i in range(N)], ordered=True)),
}


@pytest.mark.fault(
    "20",
    "an identifier or free text",
    "left out with a warning, and none of its values is stored anywhere; for numbers "
    "that could be either, a warning asks you to check",
)
@pytest.mark.parametrize("case", list(IDENTIFIERS))
def test_identifiers_are_left_out(case: str) -> None:
    """With a warning that says why and how to keep the column, which is then used."""
    name, values = IDENTIFIERS[case]
    X, y = with_column(name, values)
    with pytest.warns(UserWarning, match=rf"'{name}' is left out.*kinds=\{{'{name}'") as caught:
        clf = quick().fit(X, y)
    assert sum("left out" in str(w.message) for w in caught) == 1
    reason = clf.fit_report_.excluded[name]
    assert reason.startswith(("looks like an identifier (", "looks like free text ("))
    assert not any(name in antecedent.columns for antecedent in clf.pool_)
    kind = clf.fit_report_.columns[-1].kind.value
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*not converged.*")
        forced = quick(kinds={name: kind}).fit(X, y)
    assert "looks like" not in forced.fit_report_.excluded.get(name, "")
    assert forced.fit_report_.columns[-1].n_conditions > 0


MEASUREMENTS: dict[str, tuple[str, Any]] = {
    "incomes": ("income", np.random.default_rng(2).lognormal(10.5, 0.6, N).astype(int)),
    "incomes of people": ("person_income", np.random.default_rng(2).lognormal(10.5, 0.6, N) // 1),
    "rounded incomes": ("income", np.random.default_rng(2).lognormal(10.5, 0.6, N) // 100 * 100),
    "platelets": ("platelets", np.random.default_rng(3).normal(250, 60, N).astype(int) * 1000),
    "birth weights": ("grams", np.random.default_rng(4).normal(3300, 500, N).astype(int)),
    "populations": ("population", np.random.default_rng(5).pareto(1, N).clip(0, 1e5) * 1e4 // 1),
    "fractions": ("x", np.random.default_rng(6).normal(70, 10, N)),
    "fractions in text": ("x", [f"{v:.3f}" for v in np.random.default_rng(6).normal(70, 10, N)]),
    "ages": ("patient_age", np.random.default_rng(7).integers(20, 90, N)),
    "hospitals": ("hospital_id", np.random.default_rng(8).integers(0, 90, N).astype(str)),
    "towns": ("town", [f"town {i}" for i in np.random.default_rng(9).integers(0, 150, N)]),
    "dates of birth": ("born", pd.date_range("1930-01-01", periods=N, freq="51D")),
    "dates of birth in text": (
        "born",
        pd.date_range("1930-01-01", periods=N, freq="51D").strftime("%Y-%m-%d"),
    ),
    "drugs": ("drug", [f"Substance{i % 40} {i % 3}0 mg oral tablet" for i in range(N)]),
    "counts": ("visits", np.random.default_rng(10).poisson(4, N)),
}


@pytest.mark.parametrize("case", list(MEASUREMENTS))
def test_measurements_are_no_identifiers(case: str) -> None:
    """What describes people is not taken for what names them, and nobody is asked about it."""
    name, values = MEASUREMENTS[case]
    X, y = with_column(name, values)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = quick().fit(X, y)
    assert not any("identifier" in str(w.message) for w in caught)
    assert "looks like" not in clf.fit_report_.excluded.get(name, "")


def test_numbers_that_could_be_either_are_asked_about() -> None:
    """Long numbers of a narrow range are used, with a warning that asks."""
    X, y = with_column("number", random_ids(4_100_000, 4_900_000))
    with pytest.warns(UserWarning, match=r"'number' may be an identifier.*kinds=\{'number'"):
        clf = quick().fit(X, y)
    assert clf.fit_report_.columns[-1].n_conditions > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*not converged.*")
        quick(kinds={"number": "numeric"}).fit(X, y)


@pytest.mark.parametrize("loader", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_no_column_of_a_known_table_is_flagged(loader: Any) -> None:
    """Real measurements, none of them an identifier."""
    frame = loader(as_frame=True).frame
    labels = read_labels(np.arange(len(frame)) % 2, None, False, None)
    table = read_table(frame)
    assert not [name for name in table.names if suspicion(table.column(name), labels)]


def test_the_titanic_has_no_identifier() -> None:
    frame, _ = load_titanic()
    labels = read_labels(np.arange(len(frame)) % 2, None, False, None)
    table = read_table(frame)
    assert not [name for name in table.names if suspicion(table.column(name), labels)]


def test_fractional_weights_do_not_hide_identifiers() -> None:
    """A row of weight 1.5 is one person; a row of weight 2 is two of the same value."""
    X, y = with_column("x", [f"p{i}" for i in range(N)])
    with pytest.warns(UserWarning, match="'x' is left out"):
        quick().fit(X, y, np.full(N, 1.5))
    assert "x" in quick().fit(X, y, np.full(N, 2)).fit_report_.excluded  # for want of support
    assert "identifier" not in quick().fit(X, y, np.full(N, 2)).fit_report_.excluded["x"]


def test_whether_an_identifier_is_missing_is_no_condition() -> None:
    """A column that is left out gives no condition at all."""
    X, y = with_column("x", [None if i % 2 else f"p{i}" for i in range(N)])
    with pytest.warns(UserWarning, match="'x' is left out"):
        clf = quick().fit(X, y)
    assert not any(c.column == "x" for c in clf.pool_.conditions)


@pytest.mark.parametrize(
    ("first", "second"),
    [("age", "\u0430ge"), ("CO2", "\u0421O2"), ("x", "\u0445"), ("TOP", "\u03a4\u039f\u03a1")],
    ids=["Cyrillic a", "Cyrillic Es", "Cyrillic ha", "Greek"],
)
def test_row_30_letters_of_another_alphabet(first: str, second: str) -> None:
    """Names that another alphabet spells the same way, and levels, are warned of."""
    X, y = random_frame()
    with pytest.warns(UserWarning, match="look alike") as caught:
        quick().fit(X.rename(columns={"f1": first, "f2": second}), y)
    said = next(str(w.message) for w in caught if "look alike" in str(w.message))
    assert ascii(first) in said
    assert ascii(second) in said
    with pytest.warns(UserWarning, match=r"'level'.*look alike") as caught:
        quick().fit(X.assign(level=np.where(np.arange(len(X)) % 3, first, second)), y)
    said = next(str(w.message) for w in caught if "look alike" in str(w.message))
    assert ascii(second) in said


def test_row_30_words_of_another_alphabet_are_no_twins() -> None:
    """Names wholly in another alphabet that look like no other are not warned of."""
    X, y = random_frame()
    X = X.rename(
        columns={"f1": "\u0432\u043e\u0437\u0440\u0430\u0441\u0442", "f2": "\u03b1", "f3": "a"}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*not converged.*")
        clf = quick().fit(X, y)
    assert set(X.columns) <= set(clf.pool_.names)
    assert not [note for note in clf.fit_report_.notes if "look alike" in note]
