"""Files from elsewhere are checked before they are used, and hold nothing but agreed counts."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elseif.datasets import load_titanic
from elseif.errors import ElseifError, FederationError
from elseif.federation import Plan, count_site, make_plan, read_plan, read_site, save_plan
from elseif.federation.site_file import save_site
from elseif.federation.strict_file import check_text
from elseif.files.sealed import seal


@pytest.fixture(scope="module")
def plan() -> Plan:
    X, y = load_titanic()
    return make_plan(X, y, name="Titanic")


@pytest.fixture(scope="module")
def written(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    X, y = load_titanic()
    path = tmp_path_factory.mktemp("site") / "site.json"
    return json.loads(save_site(count_site(plan, X, y, site="ship"), path).read_text())


def test_a_file_holds_nothing_but_agreed_counts(plan: Plan, written: dict[str, Any]) -> None:
    assert set(written) == {
        "format", "format_version", "site", "plan_sha256", "min_cell", "withheld", "patterns",
        "sha256",
    }  # fmt: skip
    assert written["plan_sha256"] == plan.sha256
    for entry in written["patterns"]:
        assert set(entry) == {"cells", "counts"}
        assert all(type(n) is int for n in (*entry["cells"], *entry["counts"]))


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    *places, last = path.split(".")

    def apply(document: dict[str, Any]) -> None:
        part: Any = document
        for index in places:
            part = part[int(index) if isinstance(part, list) else index]
        part[int(last) if isinstance(part, list) else last] = value

    return apply


CRAFTED = {
    "a negative count": (change("patterns.0.counts.0", -1), "not a possible number of people"),
    "a fraction": (change("patterns.0.counts.0", 1.5), "not a possible number of people"),
    "a truth value": (change("patterns.0.counts.0", True), "not a possible number of people"),
    "a huge count": (change("patterns.0.counts.0", 10**18), "not a possible number of people"),
    "nobody": (change("patterns.0.counts", [0, 0]), "has no counts above 0"),
    "a cell that is not there": (change("patterns.0.cells.0", 99), "a cell is 99"),
    "too few cells": (change("patterns.0.cells", [0]), "must be a list of 3 to 3"),
    "a label more": (change("patterns.0.counts", [1, 1, 1]), "must be a list of 2 to 2"),
    "a row": (change("patterns.0.name", "Jack Dawson"), "has the unknown field"),
    "a field more": (change("rows", []), "has the unknown field"),
    "twice the same": (lambda d: d["patterns"].insert(0, d["patterns"][0]), "or occurs twice"),
    "no patterns": (change("patterns", {}), "must be a list"),
    "nobody at all": (change("patterns", []), "has no counts above 0"),
    "another plan": (change("plan_sha256", "0" * 64), "another plan"),
    "no hash": (change("plan_sha256", "x"), "not a SHA-256"),
    "below its own cell": (change("min_cell", 1000), "fewer than the minimum cell"),
    "an odd cell": (change("min_cell", 1), "min_cell"),
    "a cell of nothing": (change("min_cell", "ten"), "min_cell"),
    "an endless cell": (change("min_cell", 10**12), "it must be at most"),
    "withheld without a cell": (change("withheld", [7, 7]), "without a minimum cell"),
    "unknown without a cell": (change("withheld", [None, 0]), "not a possible number of people"),
    "a long name": (change("site", "x" * 5000), "1 to 1,000 characters"),
    "another version": (change("format_version", 2), "version"),
    "another format": (change("format", "elseif plan"), "is not a file of the format"),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_counts_are_refused(
    name: str, plan: Plan, written: dict[str, Any], tmp_path: Path
) -> None:
    apply, words = CRAFTED[name]
    document = copy.deepcopy(written)
    apply(document)
    document["sha256"] = seal(document)
    path = tmp_path / "site.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ElseifError, match=words) as error:
        read_site(path, plan)
    assert len(str(error.value)) < 400


def test_damaged_counts_are_refused(plan: Plan, written: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    with pytest.raises(FederationError, match="no such file"):
        read_site(path, plan)
    with pytest.raises(FederationError, match="is a folder"):
        read_site(tmp_path, plan)
    document = copy.deepcopy(written)
    document["patterns"][0]["counts"][0] += 1
    path.write_text(json.dumps(document))
    with pytest.raises(FederationError, match="checksum differs"):
        read_site(path, plan)
    path.write_text(json.dumps(written)[:-10])
    with pytest.raises(FederationError, match="not whole JSON"):
        read_site(path, plan)
    path.write_text("[" * 100_000)
    with pytest.raises(FederationError, match="levels deep"):
        read_site(path, plan)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FederationError):
        read_site(path, plan)
    path.write_text('{"format": "elseif site counts", "format": 1}')
    with pytest.raises(FederationError, match="twice"):
        read_site(path, plan)
    with pytest.raises(FederationError, match="text of 1 to"):
        check_text("", "a name")


BAD_PLANS = {
    "an unknown kind": (change("columns.0.kind", "colour"), "it must be one of"),
    "a level twice": (change("columns.0.levels", ["adult", "adult"]), "each once"),
    "levels of a number": (change("columns.0.kind", "numeric"), "has no levels"),
    "a column twice": (lambda d: d["columns"].append(d["columns"][0]), "twice"),
    "a column of no use": (
        lambda d: d["columns"].append({"name": "surname", "kind": "boolean"}),
        "no antecedent uses",
    ),
    "an unknown column": (change("antecedents.0", [["deck", "=", "A"]]), "no column 'deck'"),
    "an unknown level": (change("antecedents.0", [["sex", "=", "other"]]), "has no 'other'"),
    "an unknown operator": (change("antecedents.0", [["sex", "like", "x"]]), "operator"),
    "an antecedent twice": (lambda d: d["antecedents"].append(d["antecedents"][0]), "more than"),
    "nothing": (change("antecedents", []), "must be a list"),
    "one label": (change("outcome.labels", ["died"]), "must be a list"),
    "a label twice": (change("outcome.labels", ["died", "died"]), "a label twice"),
    "labels of all sorts": (
        lambda d: d.update(outcome={"name": "y", "labels": ["a", 1]}),
        "must be all text",
    ),
    "an odd type": (change("outcome.label_type", "complex"), "label_type"),
    "a field more": (change("rows", []), "has the unknown field"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
def test_bad_plans_are_refused(name: str, plan: Plan, tmp_path: Path) -> None:
    apply, words = BAD_PLANS[name]
    document = json.loads(save_plan(plan, tmp_path / "plan.json").read_text())
    del document["sha256"]
    apply(document)
    (tmp_path / "changed.json").write_text(json.dumps(document))
    with pytest.raises(FederationError, match=words):
        read_plan(tmp_path / "changed.json")


def test_a_changed_plan_says_so(plan: Plan, tmp_path: Path) -> None:
    document = json.loads(save_plan(plan, tmp_path / "plan.json").read_text())
    document["antecedents"].pop()
    (tmp_path / "changed.json").write_text(json.dumps(document))
    with pytest.raises(FederationError, match="was changed"):
        read_plan(tmp_path / "changed.json")
    del document["sha256"]
    (tmp_path / "changed.json").write_text(json.dumps(document))
    assert read_plan(tmp_path / "changed.json").sha256 != plan.sha256


def test_a_plan_by_hand(tmp_path: Path) -> None:
    X, y = load_titanic()
    path = tmp_path / "plan.json"
    path.write_text(
        json.dumps(
            {
                "format": "elseif plan",
                "format_version": 1,
                "name": "by hand",
                "outcome": {"name": "survived", "labels": ["died", "survived"]},
                "columns": [{"name": "sex", "kind": "category", "levels": ["female"]}],
                "antecedents": [[["sex", "=", "female"]]],
            }
        )
    )
    plan = read_plan(path)
    counts = count_site(plan, X, y, site="ship")
    female = (X["sex"] == "female").to_numpy()
    died = (y == "died").to_numpy()
    expected = [[(female & died).sum(), (female & ~died).sum()]]
    expected += [[(~female & died).sum(), (~female & ~died).sum()]]
    np.testing.assert_array_equal(counts.counts, expected)
