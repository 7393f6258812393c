"""Nobody who holds all that a command wrote can work out a number below the minimum cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.disclosure.attacker import (
    embedded,
    fall,
    follows_from_multiples,
    hidden_pairs,
    is_share_of_multiples,
)
from tests.disclosure.conftest import CELL, Written, written
from tests.disclosure.simulated import TABLES


def attack(files: Written) -> dict[str, list[tuple[int, float]]]:
    """What can be told of each command's files: of people, and of sums of their weights."""
    is_weighted = bool(files.weight)
    fit = files.attacker("fit.html", is_weighted)
    fit.read_model(files.path("model.json"))
    fit.read_calculator(files.path("calculator.html"), files.lines)
    fit.read_report(files.path("fit.html"), files.lines, is_weighted)
    report = files.attacker("report.html", is_weighted)
    report.read_report(files.path("report.html"), files.lines, is_weighted)
    report.read_explorer(files.path("e.html"))
    return {"fit": fit.recovered(), "report": report.recovered()}


def test_nothing_below_the_cell_is_recovered(rounded: Written) -> None:
    """Differences, sums across tables and files, log posteriors: by a linear programme."""
    assert attack(rounded) == {"fit": [], "report": []}


def test_the_same_attack_succeeds_without_a_minimum_cell(exact: Written) -> None:
    attacked = attack(exact)
    assert len(attacked["fit"]) >= 5
    assert len(attacked["report"]) >= 5


def counts_in(value: Any, key: str = "") -> list[float]:
    """Every number of people in the data of a page or model."""
    if isinstance(value, dict):
        skipped = ("posterior", "convergence", "stability", "settings", "tripod", "prior")
        return [n for k, v in value.items() if k not in skipped for n in counts_in(v, k)]
    people = ("n", "n_events", "n_without_label", "counts", "n_treated", "n_true_positive",
              "n_false_positive", "n_train", "n_test", "label_counts", "n_missing", "nCases",
              "n_rows", "n_rows_without_label")  # fmt: skip
    if isinstance(value, list):
        return [n for v in value for n in counts_in(v, key)]
    return [value] if key in people and value is not None else []


def test_every_number_of_people_is_a_multiple(rounded: Written) -> None:
    for name in ("model.json", "fit.html", "report.html", "e.html"):
        path = rounded.path(name)
        data = json.loads(path.read_text()) if name.endswith("json") else embedded(path)
        counts = np.array(counts_in(data), dtype=float)
        assert len(counts) > 5
        assert not np.any(counts % CELL), name


def test_every_probability_follows_from_rounded_counts(rounded: Written) -> None:
    """Read as fractions, probabilities, thresholds and rates are of multiples of the cell."""
    data = embedded(rounded.path("report.html"))
    n, n_labels = data["about"]["n"], len(data["about"]["labels"])
    n = max(n, sum(line["n"] for line in data["lines"])) + 100
    probabilities = [
        p for line in data["lines"] for p in (risk["probability"] for risk in line["risks"])
    ]
    probabilities += [risk for fold in data["folds"] for _, risk in fold["rules"]]
    curves = data["validation"]["discrimination"]["curves"]
    assert len(curves) == 1
    probabilities += [t for t in curves[0]["thresholds"] if t is not None]
    probabilities += [p for rule in embedded(rounded.path("calculator.html"))["models"][0]["rules"]
             for p in (label["risk"] for label in rule["labels"])]  # fmt: skip
    probabilities += rounded.probabilities()
    assert len(probabilities) > 10
    assert [p for p in probabilities if not follows_from_multiples(p, CELL, n, n_labels)] == []
    validation = data["validation"]
    totals = (validation["n_events"], validation["n"] - validation["n_events"])
    for rates, total in zip(("sensitivity", "false_positive_rate"), totals, strict=True):
        shares = [r for r in curves[0][rates] if r is not None]
        assert all(is_share_of_multiples(r, CELL, total) for r in shares)


def test_probabilities_tell_counts_without_a_minimum_cell(exact: Written) -> None:
    """The check above can fail: exact probabilities are no fractions of multiples."""
    data = embedded(exact.path("report.html"))
    probabilities = [risk["probability"] for line in data["lines"] for risk in line["risks"]]
    n = sum(line["n"] for line in data["lines"]) + 100
    labels = len(data["about"]["labels"])
    assert not all(follows_from_multiples(p, CELL, n, labels) for p in probabilities)


def test_no_posterior_is_told(rounded: Written) -> None:
    """Neither log posteriors nor shares, nor an order by them."""
    data = embedded(rounded.path("e.html"))
    assert {each["logPosterior"] for each in data["lists"]} == {None}
    assert {each["shareText"] for each in data["lists"]} <= {"10% or more", "1 to 10%", "below 1%"}
    assert all(round(10 * a["inclusion"], 9) % 1 == 0 for a in data["antecedents"])
    assert data["patterns"] is None
    steps = ["10% or more", "1 to 10%", "below 1%"]
    texts = [[data["antecedents"][i]["text"] for i in each["items"]] for each in data["lists"]]
    keys = [
        (steps.index(each["shareText"]), len(rules))
        for each, rules in zip(data["lists"], texts, strict=True)
    ]
    assert keys == sorted(keys)
    report = embedded(rounded.path("report.html"))
    assert report["convergence"]["traces"] == []
    assert {each["log_posterior_below_best"] for each in report["posterior"]["lists"]} == {None}
    assert {each["probability"] for each in report["posterior"]["lists"]} == {None}
    assert report["about"]["fingerprint"] is None
    model = json.loads(rounded.path("model.json").read_text())
    assert model["posterior"] is None
    assert model["training"]["fingerprint"] is None
    assert model["pool"]["supports"] is None


def test_rare_levels_have_no_name(rounded: Written) -> None:
    """A level of fewer people than the cell is in no file, save where a rule names it."""
    counts = rounded.table["region"].value_counts()
    rare = [level for level in counts.index if counts[level] < CELL]
    for name in ("model.json", "fit.html", "report.html", "calculator.html"):
        text = rounded.path(name).read_text()
        assert [level for level in rare if f'"{level}"' in text or f">{level}<" in text] == []


def test_the_same_people_have_the_same_number_in_all_files(rounded: Written) -> None:
    """Of one command: model, calculator and report; report and explorer."""
    model = json.loads(rounded.path("model.json").read_text())
    lines = [sum(rule["label_counts"]) for rule in model["rule_list"]]
    report = embedded(rounded.path("fit.html"))
    assert [line["n"] for line in report["lines"]] == lines
    by_name = [{r["name"]: r["n"] for r in line["risks"]} for line in report["lines"]]
    names = report["about"]["labels"]
    counts = [rule["label_counts"] for rule in model["rule_list"]]
    assert [[each[name] for name in names] for each in by_name] == counts
    calculator = embedded(rounded.path("calculator.html"))["models"][0]["rules"]
    assert [float(rule["count"].replace(",", "")) for rule in calculator] == lines
    risks = [line["risks"][0]["probability"] for line in report["lines"]]
    assert [rule["labels"][-1]["risk"] for rule in calculator] == risks
    page, explorer = embedded(rounded.path("report.html")), embedded(rounded.path("e.html"))
    point = explorer["lists"][explorer["point"]]["counts"]
    assert [line["n"] for line in page["lines"]] == [sum(row) for row in point]
    if not rounded.weight:
        assert [row["n"] for row in page["validation"]["calibration"]["by_line"]] == [
            line["n"] for line in page["lines"]
        ]
        assert page["about"]["n"] == explorer["nCases"] == page["validation"]["n"]


def test_explorer_lists_agree_on_what_they_share(rounded: Written) -> None:
    """Lines that catch the same people have the same number in every list."""
    data = embedded(rounded.path("e.html"))
    X = rounded.table.drop(columns=["outcome", "weight"], errors="ignore")
    rules = [json.loads(a["document"]) for a in data["antecedents"]]
    numbers: dict[bytes, Any] = {}
    for each in data["lists"]:
        lines = fall([rules[i] for i in each["items"]], X)
        for j, counts in enumerate(each["counts"]):
            known = numbers.setdefault(np.packbits(lines == j).tobytes(), counts)
            assert known == counts


def test_log_posteriors_tell_hidden_lines(tmp_path: Path) -> None:
    """The attacker finds two hidden lines of a list by its log posterior, up to their order."""
    data = embedded(written(tmp_path, TABLES[2], None).path("e.html"))
    for whole in [each for each in data["lists"] if len(each["counts"]) >= 3][:5]:
        counts = whole["counts"]
        totals = np.array(counts).sum(axis=0).tolist()
        pairs = hidden_pairs(data, whole, [None, None, *counts[2:]], totals)
        assert (counts[0], counts[1]) in pairs
        assert len(pairs) <= 4
