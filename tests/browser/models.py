"""Tables, lists and models that the tests of pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import Binarising, binarise
from elseif.conditions.condition import Condition
from elseif.conditions.fit_report import FitReport
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table

UNITS = {"age": "years", "ldl": "mmol/L", "systolic_bp": "mmHg"}
QUESTIONS = {
    "prior stroke": "Has the patient had a stroke before?",
    "nyha": "NYHA class",
    "ldl": "LDL cholesterol",
    "admitted": "Day of admission",
}
RANGES = {"age": (18, 99), "ldl": (0.5, 8)}


def clinical(n: int = 800, seed: int = 1) -> tuple[pd.DataFrame, pd.Series]:
    """Patients with numbers, categories, dates and missing values, none of them real."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(68, 12, n).round(), 18, 99)
    ldl = rng.normal(3.2, 1, n).round(1)
    ldl[rng.random(n) < 0.25] = np.nan
    nyha = pd.Categorical(
        rng.choice(["I", "II", "III", "IV"], n, p=[0.4, 0.3, 0.2, 0.1]),
        ["I", "II", "III", "IV"],
        ordered=True,
    )
    days = pd.to_timedelta(rng.integers(0, 1500, n), unit="D")
    stroke = pd.array(rng.random(n) < 0.15, dtype="boolean")
    stroke[rng.random(n) < 0.05] = pd.NA
    wards = ["cardiology", "stroke unit", "general", "surgery", "neurology", "geriatrics"]
    table = pd.DataFrame(
        {
            "age": age,
            "systolic_bp": rng.normal(140, 20, n).round(),
            "ldl": ldl,
            "smoking": rng.choice(["never", "former", "current"], n),
            "nyha": nyha,
            "prior stroke": stroke,
            "diabetes": rng.random(n) < 0.3,
            "admitted": pd.Timestamp("2019-01-01") + days,
            "ward": rng.choice(wards, n),
        }
    )
    known_stroke = stroke.fillna(False).astype(bool)
    log_odds = -2.5 + 2 * known_stroke + 0.05 * (age - 68) + np.isnan(ldl) + (nyha.codes >= 2)
    happened = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    return table, pd.Series(happened, name="stroke within a year")


def model_of(
    lists: Sequence[Sequence[Condition]], X: pd.DataFrame, y: Any, how: Binarising | None = None
) -> FittedModel:
    """A model of given antecedents, with the counts that a table gives them."""
    table = read_table(X)
    labels = read_labels(np.asarray(y), None, False, None)
    columns = binarise(table, labels, how or Binarising()).columns
    kinds = {column.name: column.kind for column in columns}
    outcome = getattr(y, "name", None)
    classes = labels.classes
    metadata = ModelMetadata(classes, np.ones(len(classes)), kinds, 1.0, outcome)
    antecedents = [Antecedent(conditions) for conditions in lists]
    empty = make_rule_list(antecedents, np.zeros((len(lists) + 1, len(classes))), metadata)
    counts = np.zeros((len(lists) + 1, len(classes)))
    np.add.at(counts, (empty.captured_in(table), labels.codes), 1)
    report = FitReport(tuple(columns), len(X), 0, {})
    model = FittedModel.of_list(make_rule_list(antecedents, counts, metadata))
    return replace(model, fit_report=report)


def table_conditions(X: pd.DataFrame, y: Any) -> list[Condition]:
    """Conditions of every kind and operator that columns give."""
    table = read_table(X)
    labels = read_labels(np.asarray(y), None, False, None)
    how = Binarising(negations=True, group_rare=0.2, n_quantiles=5)
    conditions = binarise(table, labels, how).conditions
    day = np.datetime64("2020-06-15")
    extra = [
        *(Condition("age", operator, 70.0) for operator in (">=", "<", "=", "!=")),
        Condition("age", "in", (60.0, 70.0, 80.0)),
        Condition("ldl", "between", (2.5, 3.1)),
        Condition("ldl", ">", 1e-320),
        Condition("systolic_bp", ">", -0.1),
        *(Condition("admitted", operator, day) for operator in (">=", "<", "=", "!=")),
        Condition("nyha", "between", ("I", "III"), ("I", "II", "III", "IV")),
        Condition("prior stroke", "is missing"),
    ]
    return [*conditions, *extra]


def random_model(seed: int, X: pd.DataFrame, y: Any, n_rules: int = 6) -> FittedModel:
    """A list of conditions drawn at random."""
    rng = np.random.default_rng(seed)
    conditions = table_conditions(X, y)
    lists = []
    for _ in range(n_rules):
        drawn = rng.choice(len(conditions), size=int(rng.integers(1, 4)), replace=False)
        lists.append([conditions[i] for i in drawn])
    return model_of(lists, X, y)


def candidates(model: FittedModel, name: str) -> list[Any]:
    """Values on, beside and between the thresholds of a column: an enumeration of our own."""
    kind = model.rule_list.metadata.kinds[name]
    asked = [c for a in model.rule_list.antecedents for c in a if c.column == name]
    if kind is Kind.BOOLEAN:
        values: list[Any] = [True, False]
    elif kind in (Kind.CATEGORY, Kind.ORDERED):
        values = list(next(c.levels for c in model.fit_report.columns if c.name == name))
    else:
        values = _around([v for c in asked for v in _told(c)], kind)
    return values + [None] * any(c.operator == "is missing" for c in asked)


def _told(condition: Condition) -> tuple[Any, ...]:
    value = condition.value
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _around(bounds: list[Any], kind: Kind) -> list[Any]:
    if kind is Kind.DATE:
        days = sorted(pd.Timestamp(bound) for bound in bounds)
        return [day + pd.to_timedelta(h, "h") for day in days for h in (-1, 0, 1)] or [
            pd.Timestamp("2020-01-01")
        ]
    numbers = sorted(map(float, bounds))
    between = [(a + b) / 2 for a, b in pairwise(numbers)]
    edges = [numbers[0] - 1, numbers[-1] + 1] if numbers else [0.0]
    return [*numbers, *between, *edges]


def answer(model: FittedModel, name: str, value: Any) -> dict[str, Any]:
    """An answer as the page's script takes it."""
    kind = model.rule_list.metadata.kinds[name]
    if value is None or pd.isna(value):
        return {"state": "missing"}
    if kind is Kind.BOOLEAN:
        return {"state": "value", "value": float(value)}
    if kind is Kind.DATE:
        return {"state": "value", "value": str(np.datetime64(value, "us"))}
    if kind is Kind.NUMERIC:
        return {"state": "value", "value": float(value)}
    levels = list(next(c.levels for c in model.fit_report.columns if c.name == name))
    index = levels.index(value) if value in levels else len(levels)
    return {"state": "value", "value": index}


def as_table(rows: Sequence[Mapping[str, Any]], X: pd.DataFrame) -> pd.DataFrame:
    """Rows of some columns as a table of the same dtypes as X; the rest is missing."""
    return pd.DataFrame(
        {
            name: pd.Series([row.get(name) for row in rows], dtype=_nullable(X[name].dtype))
            for name in X.columns
        }
    )


def _nullable(dtype: Any) -> Any:
    return "boolean" if dtype.kind == "b" else dtype
