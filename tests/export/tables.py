"""Tables of all kinds of columns, names that mean harm, and lists of every operator."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pandas as pd

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.conditions.fit_report import FitReport
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.tables.columns import Kind

STAGES = ("I", "II", "III", "IV")
CITIES = ("Aachen", "Zürich", 'O"Hara\\', "it's")
NAMES = ("smoker", "age", "city", "stage", "visit", "ward", "fever")
KINDS = dict(
    zip(
        NAMES,
        [
            Kind.BOOLEAN,
            Kind.NUMERIC,
            Kind.CATEGORY,
            Kind.ORDERED,
            Kind.DATE,
            Kind.CATEGORY,
            Kind.BOOLEAN,
        ],
        strict=True,
    )
)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"; DROP TABLE person; --',
    '=HYPERLINK("http://x")',
    "back`tick]s and ${dollars} %s {braces} \\end{document}",
    "line\nbreak\ttab\u2028separator */ --> ]]>",
    "right \u202e left 🫀 zero\u200bwidth",
    "x" * 10_000,
)
TWINS = (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é"))


def frame(n: int, seed: int = 0, names: tuple[str, ...] = NAMES, missing: float = 0.15) -> Any:
    """A random table of all kinds; values at the cut points and missing ones abound."""
    rng = np.random.default_rng(seed)

    def gaps(values: Any) -> Any:
        column = pd.Series(values, dtype=object)
        column[rng.random(n) < missing] = None
        return column

    age = rng.choice([17.9, 18.0, 18.1, 40.0, 59.999999999, 60.0, 60.00000001, 81.5, -3.0], n)
    days = rng.choice(["2019-12-31", "2020-01-01", "2020-01-02", "2021-06-30", "1969-07-20"], n)
    visit = days.astype("datetime64[us]") + rng.choice([0, 1, 43_200_000_000], n)
    columns = [
        gaps(rng.random(n) < 0.5).astype("boolean"),
        gaps(age).astype(float),
        pd.Categorical(gaps(rng.choice(CITIES, n)), categories=sorted(CITIES)),
        pd.Categorical(gaps(rng.choice(STAGES, n)), categories=STAGES, ordered=True),
        pd.Series(np.where(rng.random(n) < missing, np.datetime64("NaT", "us"), visit)),
        gaps(rng.integers(1, 5, n)).astype("Int64"),
        gaps(rng.random(n) < 0.2).astype("boolean"),
    ]
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def conditions(names: tuple[str, ...] = NAMES) -> list[tuple[Condition, ...]]:
    """Antecedents that hold every operator on every kind of column that knows it."""
    smoker, age, city, stage, visit, ward, fever = names
    cities, wards = tuple(sorted(CITIES)), (1, 2, 3, 4)
    new_year, midsummer = np.datetime64("2020-01-01", "us"), np.datetime64("2021-06-30", "us")
    return [
        (Condition(age, "between", (18.0, 40.0)), Condition(smoker, "is true")),
        (Condition(city, "=", cities[0]), Condition(stage, "<=", "II", STAGES)),
        (Condition(visit, "is missing"), Condition(age, ">", 60)),
        (Condition(city, "in", cities[1:3]), Condition(ward, "!=", 2, wards)),
        (Condition(stage, "between", ("I", "III"), STAGES), Condition(fever, "is false")),
        (Condition(visit, ">", new_year), Condition(visit, "<=", midsummer)),
        (Condition(age, "<", 18.0), Condition(smoker, "is missing")),
        (Condition(visit, "!=", new_year), Condition(city, "!=", cities[1], cities)),
        (Condition(age, "!=", 60.0), Condition(stage, ">", "II", STAGES)),
        (Condition(stage, "=", "I"), Condition(ward, "in", (1, 4))),
        (Condition(age, "in", (18, 60.0, 81.5)), Condition(stage, "in", ("II", "IV"))),
        (Condition(visit, "in", (new_year, midsummer)), Condition(age, ">=", 18.0)),
        (Condition(visit, "between", (np.datetime64("1969-07-19", "us"), new_year)),),
        (Condition(stage, "!=", "II", STAGES), Condition(stage, ">=", "II", STAGES)),
        (Condition(stage, "<", "II", STAGES), Condition(ward, "=", 3)),
        (Condition(age, "=", 60.0),),
        (Condition(ward, "is missing"),),
        (Condition(visit, ">=", midsummer), Condition(fever, "is missing")),
        (Condition(visit, "<", new_year), Condition(visit, "=", np.datetime64("1969-07-20"))),
        (Condition(city, "is missing"), Condition(stage, "is missing")),
        (Condition(age, "is missing"),),
    ]


def every_operator(
    names: tuple[str, ...] = NAMES, labels: Any = ("no", "yes"), start: int = 0
) -> RuleList:
    """A list with every operator, of random counts; `start` says which rule is the first."""
    rng = np.random.default_rng(start)
    classes = np.array(labels, dtype=object) if isinstance(labels, tuple) else labels
    parts = conditions(names)
    antecedents = [Antecedent(part) for part in parts[start:] + parts[:start]]
    counts = rng.integers(0, 1000, (len(antecedents) + 1, len(classes)))
    kinds = dict(zip(names, KINDS.values(), strict=True))
    metadata = ModelMetadata(classes, np.linspace(0.5, 1.7, len(classes)), kinds, outcome="outcome")
    return make_rule_list(antecedents, counts, metadata)


def model_of(rule_list: RuleList) -> FittedModel:
    """A model that is no more than a list."""
    from elseif.antecedents.pool import Pool, pool_members

    levels = {Kind.CATEGORY: tuple(sorted(CITIES)), Kind.ORDERED: STAGES}
    reports = tuple(
        ColumnReport(name, kind, levels=levels.get(kind, ()))
        for name, kind in rule_list.metadata.kinds.items()
    )
    names = list(rule_list.metadata.kinds)
    reports = tuple(
        ColumnReport(r.name, r.kind, levels=(1, 2, 3, 4)) if r.name == names[5] else r
        for r in reports
    )
    totals = np.sum([rule.label_counts for rule in rule_list.rules], axis=0)
    return FittedModel(
        rule_list=rule_list,
        map_rule_list=rule_list,
        posterior=None,
        convergence=None,
        fit_report=FitReport(reports, int(totals.sum()), 0, {}),
        settings={},
        training={
            "n": float(totals.sum()),
            "label_counts": totals.tolist(),
            "fingerprint": None,
            "versions": {},
            "date": "2026-01-01T00:00:00Z",
        },
        feature_names=names,
        n_features=len(names),
        pool=Pool.from_members((), pool_members([], ()), np.empty(0)),
    )
