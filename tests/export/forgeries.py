"""Model files with the right checksum that are made to cost more than their size explains."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from elseif.export.model_file import checksum

Document = dict[str, Any]
PRIME = 2**61 - 1  # Python's hash of a whole number is its remainder by this


def sealed(content: Document) -> bytes:
    """A document with the checksum that belongs to it, as a forger would make it."""
    content["sha256"] = checksum(content)
    return json.dumps(content, separators=(",", ":")).encode()


def column(name: str, kind: str, levels: Any = ()) -> Document:
    """A column of the training table."""
    return {
        "name": name, "kind": kind, "n_missing": 0, "n_conditions": 0, "cuts": [],
        "levels": list(levels), "grouped": [], "excluded": None,
    }  # fmt: skip


def default_rule() -> Document:
    """The last rule, which has all 20 cases."""
    return {"conditions": [], "label_counts": [10.0, 10.0], "probabilities": [0.5, 0.5]}


def above(name: str, value: Any = 0) -> Document:
    """A condition."""
    return {"column": name, "operator": ">", "value": value}


def smallest() -> Document:
    """A model of one number, of one antecedent, and of two lists drawn."""
    return {
        "format": "elseif model", "format_version": 1, "made_by": "elseif 0",
        "outcome": {
            "name": None, "label_type": "int64", "labels": [0, 1], "pseudocounts": [1.0, 1.0],
        },
        "rule_list": [default_rule()], "map_rule_list": [default_rule()],
        "orders": [],
        "table": {
            "n_features": 1, "feature_names": ["x0"], "n_rows": 20, "n_rows_without_label": 0,
            "columns": [column("x0", "numeric")], "notes": [],
        },
        "training": {
            "label_counts": [10.0, 10.0], "count_unit": 1.0, "fingerprint": None,
            "versions": {}, "date": "2026-01-01T00:00:00Z",
        },
        "settings": {}, "convergence": None,
        "pool": {
            "conditions": [above("x0")], "antecedents": [[0]], "supports": [0.5], "aliases": {},
        },
        "posterior": {
            "lists": [[], [0]],
            "label_counts": [[[10, 10]], [[0, 0], [10, 10]]],
            "log_posterior": [-1.0, -1.0],
            "chains": [{"n_draws": [1, 1], "lists": [0, 1]}],
        },
    }  # fmt: skip


def many_draws(n: int) -> Document:
    """Four thousand million draws of one list; n plays no part but in the notes."""
    made = smallest()
    made["posterior"]["chains"] = [{"n_draws": [2**32 - 1, 1], "lists": [0, 1]}] * 3
    made["table"]["notes"] = ["x" * n]
    return made


def one_long_antecedent(n: int) -> Document:
    """A table of antecedents by conditions would have n times n places."""
    made = smallest()
    made["pool"]["conditions"] = [above("x0", k) for k in range(n)]
    made["pool"]["antecedents"] = [list(range(n)), *([0] for _ in range(n))]
    made["pool"]["supports"] = [0.5] * (n + 1)
    return made


def antecedents_of_one_name(n: int) -> Document:
    """Each gets a number behind its name."""
    made = smallest()
    made["pool"]["antecedents"] = [[0]] * n
    made["pool"]["supports"] = [0.5] * n
    return made


def a_long_name_used_often(n: int) -> Document:
    """The names of all antecedents, written out, have n times n characters."""
    made = antecedents_of_one_name(n)
    name = "x" * (4 * n)
    made["table"]["feature_names"] = [name]
    made["table"]["columns"] = [column(name, "numeric")]
    made["pool"]["conditions"] = [above(name)]
    return made


def a_rule_of_many_conditions(n: int) -> Document:
    """Intervals are looked for among all of them."""
    made = smallest()
    rule = {**default_rule(), "label_counts": [0.0, 0.0]}
    rule["conditions"] = [above("x0", k) for k in range(n)]
    made["rule_list"] = [rule, default_rule()]
    return made


def one_label_of_many_is_long(n: int) -> Document:
    """Labels in an array of text take as much room each as the longest."""
    made = smallest()
    longest = min(20 * n, 999_000)
    labels = [f"{k:05}" for k in range(n)] + ["x" * longest]
    made["outcome"].update(
        labels=labels, label_type=f"U{longest}", pseudocounts=[1.0] * len(labels), name=None
    )
    counts = [10.0] * len(labels)
    rule = {"conditions": [], "label_counts": counts, "probabilities": [1 / len(labels)] * (n + 1)}
    made["rule_list"] = made["map_rule_list"] = [rule]
    made["training"]["label_counts"] = counts
    made["posterior"] = None
    return made


def one_long_list(n: int) -> Document:
    """A table of lists by rules would have n times n places, and so would its beginnings."""
    made = antecedents_of_one_name(n)
    made["posterior"] = {
        "lists": [list(range(n)), *([k] for k in range(n))],
        "label_counts": [[[0, 0]] * n + [[10, 10]], *([[0, 0], [10, 10]] for _ in range(n))],
        "log_posterior": [-1.0] * (n + 1),
        "chains": [{"n_draws": [1] * (n + 1), "lists": list(range(n + 1))}],
    }
    return made


def conditions_that_share_an_order(n: int) -> Document:
    """Categories are looked up in their order by every condition."""
    made = smallest()
    made["orders"] = [list(range(n))]
    made["table"]["columns"] = [column("x0", "ordered", range(n))]
    interval = {"tuple": [n - 2, n - 1]}
    wide = {"column": "x0", "operator": "between", "value": interval, "order": 0}
    made["pool"]["conditions"] = [wide] * n
    rule = {"conditions": [wide], "label_counts": [0.0, 0.0], "probabilities": [0.5, 0.5]}
    made["rule_list"] = [*[rule] * n, default_rule()]
    return made


def columns_that_share_orders(n: int) -> Document:
    """Every column is held against every order."""
    side = round(n ** (1 / 2))
    made = smallest()
    made["orders"] = [[*range(2 * side), 10**6 + k] for k in range(side)]
    levels = [*range(2 * side), *range(10**6, 10**6 + side)]
    names = [f"x{k}" for k in range(side)]
    made["table"].update(
        n_features=side, feature_names=names, columns=[column(c, "ordered", levels) for c in names]
    )
    made["pool"]["conditions"] = [
        {"column": c, "operator": ">", "value": 1, "order": k} for c in names for k in range(side)
    ]
    return made


def labels_that_collide(n: int) -> Document:
    """Whole numbers of one hash are all compared with one another."""
    made = smallest()
    labels = [{"integer": str(2**70 * PRIME + k * PRIME)} for k in range(n)]
    made["outcome"].update(labels=labels, label_type="object", pseudocounts=[1.0] * n)
    rule = {"conditions": [], "label_counts": [1.0] * n, "probabilities": [1 / n] * n}
    made["rule_list"] = made["map_rule_list"] = [rule]
    made["training"]["label_counts"] = [1.0] * n
    made["posterior"] = None
    return made


def settings_that_collide(n: int) -> Document:
    """The same as keys of a setting."""
    made = smallest()
    made["settings"]["kinds"] = {"dict": [[{"integer": str(k * PRIME)}, 1] for k in range(9, n)]}
    return made


def tuples_that_collide(n: int) -> Document:
    """-1 and -2 have one hash, and so have tuples that are made of them."""
    made = smallest()
    tuples = [{"tuple": [-1 - (k >> bit & 1) for bit in range(20)]} for k in range(n)]
    made["settings"]["kinds"] = {"set": tuples}
    return made


def levels_that_collide(n: int) -> Document:
    """The same as categories."""
    made = smallest()
    made["table"]["columns"] = [
        column("x0", "category", [{"integer": str(k * PRIME)} for k in range(9, n)])
    ]
    made["pool"]["conditions"] = [{"column": "x0", "operator": "is missing"}]
    return made


def wrong_values(n: int) -> Document:
    """Each is wrong in as many ways as a value has types."""
    made = smallest()
    made["table"]["columns"][0]["levels"] = [[]] * n
    return made


def wrong_values_by_name(n: int) -> Document:
    """The same under keys."""
    made = smallest()
    made["settings"] = {str(k): [] for k in range(n)}
    return made


def wrong_aliases(n: int) -> Document:
    """And of another type."""
    made = smallest()
    made["pool"]["aliases"] = {str(k): 1 for k in range(n)}
    return made


def unknown_fields(n: int) -> Document:
    """Each of them is one too many."""
    return {**smallest(), **{f"unknown {k}": 1 for k in range(n)}}


def a_value_of_unknown_fields(n: int) -> Document:
    """Each of them is one too many, for every type that a value may have."""
    made = smallest()
    made["settings"]["kinds"] = {str(k): 1 for k in range(n)}
    return made


def nested_and_wrong(n: int) -> Document:
    """A wrong value deep inside of values that are tried as one type after another."""
    made = smallest()
    value: Any = {"list": [[]] * n}
    for _ in range(20):
        value = {"tuple": [value]}
    made["settings"]["kinds"] = value
    return made


def features_without_names(n: int) -> Document:
    """A table of 2^60 columns, of which one is used."""
    made = smallest()
    made["table"].update(n_features=2**60, feature_names=None, notes=["x" * n])
    return made


# a file's kind, and how many things make it 100,000 bytes or so
FORGERIES: dict[Callable[[int], Document], int] = {
    many_draws: 100_000,
    one_long_antecedent: 1_500,
    antecedents_of_one_name: 12_000,
    a_long_name_used_often: 4_000,
    a_rule_of_many_conditions: 2_400,
    one_label_of_many_is_long: 1_500,
    one_long_list: 1_600,
    conditions_that_share_an_order: 450,
    columns_that_share_orders: 1_000,
    labels_that_collide: 1_100,
    settings_that_collide: 2_700,
    tuples_that_collide: 1_200,
    levels_that_collide: 2_700,
    wrong_values: 30_000,
    wrong_values_by_name: 9_000,
    wrong_aliases: 9_000,
    unknown_fields: 5_000,
    a_value_of_unknown_fields: 9_000,
    nested_and_wrong: 30_000,
    features_without_names: 100_000,
}
