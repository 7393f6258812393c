"""An attacker who holds the files that were written, and knows whom each number is about.

Nothing here comes from the package: what a number tells is an interval of counts, and what
all numbers tell together is a linear programme over the groups that they part people into.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.special import gammaln

MOST_TARGETS = 25  # of each label
SLACK = 1e-6


@dataclass
class Attacker:
    """What is known of the people of one table: intervals of sums of a measure, by set."""

    X: pd.DataFrame
    codes: np.ndarray  # the label of each row
    names: Sequence[str]  # of the labels, as files say them
    cell: int
    measure: np.ndarray  # what is counted: 1 for each row, or its weight
    step: int | None = None  # that published numbers are multiples of; None: they are exact
    unit: float = 1.0
    facts: dict[int, dict[bytes, tuple[float, float]]] = field(default_factory=dict)

    def learn(self, members: np.ndarray, label: int, number: Any) -> None:
        """A published number of one label in a set of rows."""
        if not isinstance(number, (int, float)):
            return  # a word stands for it
        low, high = float(number), float(number)
        if self.step is not None and number % self.step == 0:
            low, high = number - self.step / 2, number + self.step / 2 - self.unit
        self.learn_interval(members, label, max(low, 0.0), high)

    def learn_interval(self, members: np.ndarray, label: int, low: float, high: float) -> None:
        """A sum that is known to lie in an interval."""
        key = np.packbits(members & (self.codes == label)).tobytes()
        known = self.facts.setdefault(label, {}).get(key, (0.0, np.inf))
        self.facts[label][key] = max(low, known[0]), min(high, known[1])

    def learn_lines(self, lines: np.ndarray, counts: Sequence[Sequence[Any] | None]) -> None:
        """The counts by label of a list whose lines the rows fall into."""
        for j, by_label in enumerate(counts):
            for label, n in enumerate(by_label or ()):
                self.learn(lines == j, label, n)

    # -------------------------------------------------------------------------- solving

    def recovered(self) -> list[tuple[int, float]]:
        """Labels and true sizes of sets of fewer people than the cell that can be told."""
        result = []
        for label, facts in self.facts.items():
            result += [(label, n) for n in self._solve(label, facts)]
        return result

    def _solve(self, label: int, facts: dict[bytes, tuple[float, float]]) -> list[float]:
        rows = np.flatnonzero(self.codes == label)
        sets = np.array(
            [np.unpackbits(np.frombuffer(key, np.uint8), count=len(self.codes)) for key in facts]
        )[:, rows].astype(bool)
        groups, of_row = np.unique(sets.T, axis=0, return_inverse=True)
        sizes = np.bincount(of_row.ravel(), self.measure[rows], len(groups))
        inside = groups.T  # (sets, groups)
        bounds = np.array(list(facts.values()))
        targets = self._targets(inside, sizes)
        constraints = csr_array(np.vstack([inside, -inside.astype(int)]).astype(float))
        limits = np.concatenate([bounds[:, 1], -bounds[:, 0]])
        kept = np.isfinite(limits)
        result = []
        for target in targets:
            ends = []
            for sign in (1.0, -1.0):
                answer = linprog(
                    sign * target.astype(float), A_ub=constraints[kept], b_ub=limits[kept]
                )
                assert answer.status in (0, 3), answer.message  # solved, or unbounded
                ends.append(sign * answer.fun if answer.status == 0 else np.inf)
            truth = float(sizes[target].sum())
            low, high = ends
            if high - low < self.unit - SLACK and low - SLACK <= truth <= high + SLACK:
                result.append(truth)
        return result

    def _targets(self, inside: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
        """Sets, differences of one set and another within it, and groups: those that are small."""
        candidates = [*inside, *np.eye(inside.shape[1], dtype=bool)]
        for outer in inside:
            within = inside[~np.any(inside & ~outer, axis=1)]
            candidates += [outer & ~inner for inner in within]
        small = {c.tobytes(): c for c in candidates if 0 < sizes[c].sum() < self.cell - SLACK}
        chosen = list(small.values())
        order = np.random.default_rng(0).permutation(len(chosen))[:MOST_TARGETS]
        return [chosen[i] for i in order]

    # --------------------------------------------------------------------- reading files

    def read_model(self, path: Path) -> None:
        """A model file: both lists, the lists of the posterior, and the labels in all."""
        model = json.loads(path.read_text())
        for name in ("rule_list", "map_rule_list"):
            lines = fall([rule["conditions"] for rule in model[name][:-1]], self.X)
            self.learn_lines(lines, [rule["label_counts"] for rule in model[name]])
        self.learn_lines(np.zeros(len(self.X)), [model["training"]["label_counts"]])
        if model["posterior"] is not None:
            pool, unit = model["pool"], model["training"]["count_unit"]
            rules = [[pool["conditions"][c] for c in a] for a in pool["antecedents"]]
            lists = zip(
                model["posterior"]["lists"], model["posterior"]["label_counts"], strict=True
            )
            for items, counts in list(lists)[:30]:
                lines = fall([rules[i] for i in items], self.X)
                self.learn_lines(lines, [[unit * n for n in by_label] for by_label in counts])

    def read_calculator(self, path: Path, lines: np.ndarray) -> None:
        """A calculator: the number of cases, and the probability that tells of which label."""
        rules = embedded(path)["models"][0]["rules"]
        for j, rule in enumerate(rules):
            n = float(rule["count"].replace(",", ""))
            labels = range(len(self.names)) if len(rule["labels"]) > 1 else [1]
            for label, shown in zip(labels, rule["labels"], strict=True):
                counted = shown["risk"] * (n + len(self.names)) - 1
                self.learn(lines == j, label, round(counted, 6))

    def read_explorer(self, path: Path) -> None:
        """An explorer: the counts of its lists, and what log posteriors tell of hidden ones."""
        data = embedded(path)
        rules = [json.loads(a["document"]) for a in data["antecedents"]]
        everybody = np.zeros(len(self.X), dtype=int)
        for each in data["lists"]:
            lines = fall([rules[i] for i in each["items"]], self.X)
            counts = [
                None if row is None else [n * data["unit"] for n in row] for row in each["counts"]
            ]
            self.learn_lines(lines, solved(data, each, counts, self._totals(everybody)))
        if data["patterns"] is not None:
            patterns = data["patterns"]
            conditions = {
                number: condition
                for a, rule in zip(data["antecedents"], rules, strict=True)
                for number, condition in zip(a["conditions"], rule, strict=True)
            }
            packed = [np.frombuffer(base64.b64decode(row), np.uint8) for row in patterns["bits"]]
            n = len(patterns["counts"])
            bits = [np.unpackbits(row, count=n, bitorder="little") for row in packed]
            true = np.array([holds_all([conditions[c]], self.X) for c in range(len(bits))])
            for p, by_label in enumerate(patterns["counts"]):
                members = np.all(true == np.array([row[p] for row in bits])[:, None], axis=0)
                for label, count in enumerate(by_label):
                    self.learn(members, label, count * data["unit"])

    def _totals(self, everybody: np.ndarray) -> list[float | None]:
        """The number of people of each label, where it is known exactly."""
        known = []
        for label in range(len(self.names)):
            key = np.packbits((everybody == 0) & (self.codes == label)).tobytes()
            known.append(self.facts.get(label, {}).get(key, (0, 1)))
        return [low if low == high else None for low, high in known]

    def read_report(self, path: Path, lines: np.ndarray, weighted: bool = False) -> None:
        """A report: the list, the people by column, lines and subgroups out of sample."""
        data = embedded(path)
        names = data["about"]["labels"]
        for j, line in enumerate(data["lines"]):
            for risk in line["risks"]:
                self.learn(lines == j, names.index(risk["name"]), risk["n"])
        if weighted:
            return
        everybody = np.ones(len(self.X), dtype=bool)
        for label, n in enumerate(data["people"]["n"][1:]):
            self.learn(everybody, label, n)
        for column in data["people"]["columns"]:
            named = []
            for level in column["levels"]:
                members = self._level(column["name"], level["name"], named)
                named.append(members)
                for label, n in enumerate(level["counts"][1:]):
                    self.learn(members, label, n)
        positive = names.index(data["about"]["positive"])
        rows = [
            (lines == j, row) for j, row in enumerate(data["validation"]["calibration"]["by_line"])
        ]
        named = []
        for row in data["validation"]["subgroups"]:
            named.append(self._level(row["column"], row["name"], named))
            rows.append((named[-1], row))
        for members, row in rows:
            self.learn(members, positive, row["n_events"])
            if len(names) == 2 and isinstance(row["n"], (int, float)):
                self.learn(members, 1 - positive, row["n"] - row["n_events"])

    def _level(self, column: str, name: str, before: Sequence[np.ndarray]) -> np.ndarray:
        values = self.X[column]
        if name == "missing":
            return values.isna().to_numpy()
        if name in ("yes", "no"):
            return (values == (name == "yes")).to_numpy()
        if name == "other" or name.endswith((" other category", " other categories")):
            return ~np.logical_or.reduce([np.zeros(len(values), bool), *before])
        return (values == name).to_numpy()


def embedded(path: Path) -> Any:
    """The data in a page."""
    match = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', path.read_text(), re.DOTALL)
    assert match is not None
    return json.loads(html.unescape(match[1]))


def holds(condition: dict[str, Any], X: pd.DataFrame) -> np.ndarray:
    """Whether a condition of a file is true of each row."""
    values, operator, value = X[condition["column"]], condition["operator"], condition["value"]
    if isinstance(value, dict) and "tuple" in value:
        value = value["tuple"]
    tests = {
        "is true": lambda: values == True,  # noqa: E712
        "is false": lambda: values == False,  # noqa: E712
        "is missing": lambda: values.isna(),
        "=": lambda: values == value,
        "in": lambda: values.isin(value),
        "<=": lambda: values <= value,
        "<": lambda: values < value,
        ">": lambda: values > value,
        ">=": lambda: values >= value,
        "between": lambda: (values > value[0]) & (values <= value[1]),
    }
    return np.asarray(tests[operator](), dtype=bool)


def holds_all(rule: Sequence[dict[str, Any]], X: pd.DataFrame) -> np.ndarray:
    """Whether all conditions of a rule are true of each row."""
    return np.logical_and.reduce([holds(condition, X) for condition in rule])


def fall(rules: Sequence[Sequence[dict[str, Any]]], X: pd.DataFrame) -> np.ndarray:
    """The line of a list that each row falls into."""
    lines = np.full(len(X), len(rules))
    for j in range(len(rules) - 1, -1, -1):
        lines[holds_all(rules[j], X)] = j
    return lines


def solved(data: Any, each: Any, counts: list[Any], totals: Sequence[float | None]) -> list[Any]:
    """The counts of a list, those of two hidden lines found by its log posterior."""
    hidden = [j for j, row in enumerate(counts) if row is None]
    if each["logPosterior"] is None or len(hidden) != 2 or None in totals or len(totals) != 2:
        return counts
    pairs = hidden_pairs(data, each, counts, totals)
    if len(pairs) == 1:
        counts = list(counts)
        counts[hidden[0]], counts[hidden[1]] = pairs[0]
    return counts


def hidden_pairs(
    data: Any, each: Any, counts: list[Any], totals: Sequence[Any]
) -> list[tuple[list[float], list[float]]]:
    """What two hidden lines of a list can hold, by its log posterior."""
    shown = np.array([row for row in counts if row is not None]).reshape(-1, 2)
    left = np.array(totals) - shown.sum(axis=0)
    wanted = each["logPosterior"] - log_prior(data, each["items"]) - log_likelihood(shown)
    a, b = np.meshgrid(np.arange(left[0] + 1), np.arange(left[1] + 1), indexing="ij")
    first = np.stack([a, b], axis=-1)
    value = line_likelihood(first) + line_likelihood(left - first)
    match = np.argwhere(np.abs(value - wanted) < 1e-7)
    return [(each.tolist(), (left - each).tolist()) for each in match]


def line_likelihood(counts: np.ndarray) -> np.ndarray:
    """Log marginal likelihood of lines of two labels, pseudocounts of 1."""
    result: np.ndarray = gammaln(counts + 1).sum(axis=-1) - gammaln(counts.sum(axis=-1) + 2)
    return result


def log_likelihood(counts: np.ndarray) -> float:
    """Of all lines together."""
    return float(line_likelihood(counts).sum()) if len(counts) else 0.0


def log_prior(data: Any, items: Sequence[int]) -> float:
    """The log prior of a list, from what the page says of the prior."""
    prior = data["prior"]
    total = len(items) * prior["logExpectedLength"] - gammaln(len(items) + 1)
    total -= prior["logNormaliser"]
    left = [dict(group) for group in prior["cardinalities"]]
    for item in items:
        a = data["antecedents"][item]
        masses = [g["logMass"] for g in left if g["n"] > 0]
        group = next(g for g in left if g["cardinality"] == a["cardinality"])
        total += group["logMass"] - np.logaddexp.reduce(masses)
        total += np.log(a["weight"] / group["weight"])
        group["n"] -= 1
        group["weight"] -= a["weight"]
    return float(total)


def follows_from_multiples(share: float, step: int, n: float, n_labels: int) -> bool:
    """Whether a probability is one of rounded counts: (c + 1) / (m + labels)."""
    for m in np.arange(0, n + step, step):
        c = share * (m + n_labels) - 1
        if c > -SLACK and abs(c / step - round(c / step)) * step < SLACK:
            return True
    return False


def is_share_of_multiples(share: float, step: int, total: float) -> bool:
    """Whether a rate is a multiple of a step over a total that is one."""
    return abs(share * total / step - round(share * total / step)) < SLACK
