"""A slow reference for features, criteria and outcomes: plain Python over the rows, no SQL.

It knows a definition as plain data (``as_dict``) and the rows of `tests.cohort.rows.Tables`, and
never imports what `elseif.cohort` extracts with.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tests.cohort.rows import Tables

FAR = -(10**6)  # days: any time before
CLASS_OF = {"ingredient": "Ingredient", "atc1": "ATC 1st", "atc3": "ATC 3rd"}
# FeatureExtraction's PrespecAnalyses.csv, written out: analysis by domain and window
ANALYSES = {
    ("condition", "recorded"): {"any": 101, -365: 102, -180: 103, -30: 104},
    ("drug", "recorded"): {"any": 301, -365: 302, -180: 303, -30: 304},
    ("procedure", "recorded"): {"any": 501, -365: 502, -180: 503, -30: 504},
    ("measurement", "recorded"): {"any": 701, -365: 702, -180: 703, -30: 704},
    ("observation", "recorded"): {"any": 801, -365: 802, -180: 803, -30: 804},
    ("condition", "rolled up"): {"any": 209, -365: 210, -180: 211, -30: 212},
    ("drug", "rolled up"): {"any": 409, -365: 410, -180: 411, -30: 412},
    ("measurement", "last"): {"any": 705, -365: 706, -180: 707, -30: 708},
    ("observation", "last"): {"any": 809, -365: 810, -180: 811, -30: 812},
    ("visit", "count"): {-365: 923, -180: 924, -30: 925},
    ("visit", "total"): {-365: 920, -180: 921, -30: 922},
    ("condition", "distinct"): {-365: 905, -180: 906, -30: 907},
    ("drug", "distinct ingredients"): {-365: 908, -180: 909, -30: 910},
    ("procedure", "distinct"): {-365: 911, -180: 912, -30: 913},
    ("measurement", "distinct"): {-365: 914, -180: 915, -30: 916},
    ("observation", "distinct"): {-365: 917, -180: 918, -30: 919},
}

# a column: domain, what it is (roll-up, value, threshold), window, concept or group, unit
Key = tuple[str, str, tuple[int, int], Any, int]


@dataclass
class Record:
    """One dated row of a domain."""

    concept: int
    day: date
    value: float | None = None
    unit: int = 0


@dataclass
class Person:
    """What the extraction should say of a member."""

    index_date: date
    outcomes: dict[str, bool]
    truths: set[Key] = field(default_factory=set)
    numbers: dict[Key, float] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)


@dataclass
class Answer:
    """Members, and how many persons are left after each step."""

    members: dict[int, Person]
    attrition: list[int]


def naive_features(tables: Tables, definition: dict[str, Any]) -> Answer:
    """The cohort of a definition, one person after another."""
    world = _World(tables)
    members: dict[int, Person] = {}
    steps: list[int] = []
    for person in sorted(world.everybody()):
        passed, result = world.judge(person, definition)
        steps += [0] * (len(passed) - len(steps))
        for index in range(len(passed)):
            if all(passed[: index + 1]):
                steps[index] += 1
        if passed and all(passed) and result is not None:
            members[person] = result
    return Answer(members, steps)


class _World:
    def __init__(self, tables: Tables) -> None:
        self.people = {p: (gender, born) for p, gender, born in tables.persons}
        self.periods: dict[int, list[tuple[date, date]]] = defaultdict(list)
        for person, start, end in tables.periods:
            self.periods[person].append((start, end))
        self.records: dict[tuple[int, str], list[Record]] = defaultdict(list)
        plain = {
            "condition": tables.conditions,
            "drug": tables.drugs,
            "procedure": tables.procedures,
            "visit": tables.visits,
        }
        for domain, rows in plain.items():
            for person, concept, day in rows or ():
                self.records[person, domain].append(Record(concept, day))
        valued = {"measurement": tables.measurements, "observation": tables.observations}
        for domain, rows in valued.items():
            for person, concept, day, value, unit in rows or ():
                self.records[person, domain].append(Record(concept, day, value, unit or 0))
        self.entries: dict[tuple[int, int], list[date]] = defaultdict(list)
        for cohort, person, start, _ in tables.cohorts or ():
            self.entries[person, cohort].append(start)
        self.below: dict[int, set[int]] = defaultdict(set)
        self.above: dict[int, set[int]] = defaultdict(set)
        self.level = {row: int(row[0] != row[1]) for row in tables.ancestors}
        self.level |= dict(tables.levels or {})
        for ancestor, descendant in tables.ancestors:
            self.below[ancestor].add(descendant)
            self.above[descendant].add(ancestor)
        self.classes = dict(tables.classes or {})

    def everybody(self) -> set[int]:
        return {p for p, _ in self.records} | {p for p, _ in self.entries} | set(self.people)

    def ids(self, concepts: dict[str, Any]) -> set[int]:
        names: set[int] = set()
        for key, change in (("include", names.update), ("exclude", names.difference_update)):
            for concept in concepts.get(key, ()):
                below = self.below[concept["id"]] if concept["descendants"] else set()
                change({concept["id"], *below})
        return names - {0}

    def days(self, person: int, event: dict[str, Any]) -> list[date]:
        """Every day on which an event is recorded, once for each record."""
        if "cohort" in event:
            return self.entries[person, event["cohort"]]
        result = []
        for each in event.get("any_of", [event]):
            wanted = self.ids(each)
            for domain in each.get("domain", ["condition"]):
                rows = self.records[person, domain]
                result += [record.day for record in rows if record.concept in wanted]
        return result

    def judge(self, person: int, definition: dict[str, Any]) -> tuple[list[bool], Person | None]:
        """Which steps a person passes; none if there is no index event."""
        days = self.days(person, definition["index"])
        needed = definition.get("first_after_days")
        if needed is not None:
            days = [
                day
                for day in days
                if any(s <= day <= e and (day - s).days >= needed for s, e in self.periods[person])
            ]
        if not days:
            return [], None
        index = min(days)
        gender, born = self.people.get(person, (None, None))
        around = [p for p in self.periods[person] if p[0] <= index <= p[1]]
        before = [p for p in around if (index - p[0]).days >= definition["observation_before"]]
        passed = [
            True,
            person in self.people,
            born is not None and 0 <= index.year - born <= 120,
            bool(around),
            bool(before),
            any((end - index).days >= definition["observation_after"] for _, end in before),
        ]
        rules = definition.get("inclusion", {})
        if "age" in rules:
            passed.append(born is not None and _inside(index.year - born, rules["age"]))
        if "sex" in rules:
            sex = {8532: "female", 8507: "male"}.get(gender, "unknown")
            passed.append(sex in rules["sex"])
        if "index_year" in rules:
            passed.append(_inside(index.year, rules["index_year"]))
        first_day = min((start for start, _ in before), default=None)
        for key in ("prior", "no_prior"):
            for rule in rules.get(key, ()):
                low, high = _window(rule["window"])
                result = [
                    day
                    for day in self.days(person, rule)
                    if low <= (day - index).days <= high
                    and (not rule.get("observed") or (first_day and day >= first_day))
                ]
                has = len(result) >= rule.get("at_least", 1)
                passed.append(has if key == "prior" else not has)
        outcome_days = self.days(person, definition["outcome"])
        if definition["outcome_must_be_new"]:
            passed.append(not any(day <= index for day in outcome_days))
        if not all(passed):
            return passed, None
        low, high = definition["outcome_window"]
        events = {definition["outcome"]["name"]: definition["outcome"]}
        events |= definition.get("outcomes", {})
        outcomes = {
            name: any(
                index + timedelta(days=low) <= day <= index + timedelta(days=high)
                for day in self.days(person, event)
            )
            for name, event in events.items()
        }
        member = Person(index, outcomes)
        groups = {name: self.ids(group) for name, group in definition["groups"].items()}
        for feature in definition["features"]:
            self._add(member, self.records[person, feature["domain"]], feature, groups)
        domains = {"condition", "drug", *(f["domain"] for f in definition["features"])}
        for name, ids in groups.items():
            if any(
                record.concept in ids and record.day < index
                for domain in domains
                for record in self.records[person, domain]
            ):
                member.groups.add(name)
        return passed, member

    def _add(
        self,
        member: Person,
        records: list[Record],
        feature: dict[str, Any],
        groups: dict[str, set[int]],
    ) -> None:
        low, high = window = _window(feature["window"])
        domain, value = feature["domain"], feature.get("value", "recorded")
        rollup = feature.get("rollup")
        wanted = self.ids(feature) if "include" in feature else None
        own = [
            r
            for r in records
            if r.concept != 0
            and low <= (r.day - member.index_date).days <= high
            and (wanted is None or r.concept in wanted)
        ]
        if value == "last":
            latest: dict[tuple[int, int], tuple[date, float]] = {}
            for record in own:
                if record.value is None:
                    continue
                best = latest.get((record.concept, record.unit))
                if (
                    best is None
                    or record.day > best[0]
                    or (record.day == best[0] and record.value < best[1])
                ):
                    latest[record.concept, record.unit] = (record.day, record.value)
            for (concept, unit), (_, number) in latest.items():
                member.numbers[domain, "last", window, concept, unit] = number
            return
        counts: dict[Any, int] = defaultdict(int)
        for record in own:
            for target in self._targets(record.concept, rollup, groups):
                counts[target] += 1
        what = f"{_rollup_name(rollup)}{value}"
        if value == "distinct":
            if counts:
                member.numbers[domain, what, window, 0, 0] = len(counts)
        elif value == "total":
            if counts:
                member.numbers[domain, what, window, 0, 0] = sum(counts.values())
        elif value == "count":
            for target, n in counts.items():
                member.numbers[domain, what, window, target, 0] = n
        else:
            for least in feature.get("at_least", [1]):
                for target, n in counts.items():
                    if n >= least:
                        named = what if least == 1 else f"{what} {least}"
                        member.truths.add((domain, named, window, target, 0))

    def _targets(self, concept: int, rollup: Any, groups: dict[str, set[int]]) -> set[Any]:
        """What a recorded concept counts for."""
        if rollup is None:
            return {concept}
        if rollup == "groups":
            return {name for name, ids in groups.items() if concept in ids}
        if isinstance(rollup, dict):
            return {
                a
                for a in self.above[concept]
                if self.level.get((rollup["below"], a)) == rollup["level"]
                and a in self.below[rollup["below"]]
            }
        return {
            a
            for a in self.above[concept]
            if self.classes.get(a, ("", ""))[0] == CLASS_OF[rollup]
            and (rollup != "ingredient" or self.classes[a][1] == "S")
        }


def covariate_id(feature: dict[str, Any], concept: int, unit: int = 0, least: int = 1) -> int:
    """FeatureExtraction's id of a column, by the table above."""
    domain, value = feature["domain"], feature.get("value", "recorded")
    kind = value
    if value == "recorded" and feature.get("rollup") is not None:
        kind = "rolled up"
    if value in ("distinct", "count") and feature.get("rollup") is not None:
        kind = f"{value} {feature['rollup']}s"
    window = feature["window"]
    when = window if window == "any" else window[0] if window[1] == -1 else None
    analysis = ANALYSES.get((domain, kind), {}).get(when, 0)
    if not analysis or least > 1:
        return 0
    if value in ("distinct", "total"):
        return 1000 + analysis
    if not concept:
        return 0
    if value == "last":
        return concept * 1_000_000 + unit % 1000 * 1000 + analysis
    return concept * 1000 + analysis


def _rollup_name(rollup: Any) -> str:
    if rollup is None:
        return ""
    if isinstance(rollup, dict):
        return f"level {rollup['level']} below {rollup['below']}, "
    return f"{rollup}, "


def _window(window: Any) -> tuple[int, int]:
    if window == "any":
        return FAR, -1
    return (FAR if window[0] == "any" else window[0]), window[1]


def _inside(value: int, ends: list[int | None]) -> bool:
    least, most = ends
    return (least is None or value >= least) and (most is None or value <= most)
