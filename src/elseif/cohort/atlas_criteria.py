"""The parts of ATLAS's JSON: concept sets, criteria, windows and groups; refused by their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from elseif.cohort.concepts import AnyOf, Concept, ConceptSet
from elseif.cohort.inclusion import OLDEST, PriorRecords
from elseif.cohort.table_catalogue import plain_name
from elseif.cohort.value_checks import LONGEST_SPAN, Window
from elseif.errors import ParamError
from elseif.phrases import clipped

DOMAINS_BY_CRITERION = {
    "ConditionOccurrence": "condition",
    "DeviceExposure": "device",
    "DrugExposure": "drug",
    "Measurement": "measurement",
    "Observation": "observation",
    "ProcedureOccurrence": "procedure",
    "VisitOccurrence": "visit",
}
SEXES = {8532: "female", 8507: "male"}
LONGEST_NAME = 80
_YEAR = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
Range = tuple[int | None, int | None]


class MalformedError(ParamError):
    """The JSON has something else where a part of an expression should be."""


@dataclass(frozen=True)
class Node:
    """A mapping of the JSON, and where it is."""

    content: Mapping[str, Any]
    place: str

    def child(self, key: str) -> str:
        """Where a part is."""
        return f"{self.place}.{key}" if self.place else key

    @property
    def names(self) -> list[str]:
        """The keys that there are."""
        return list(self.content)

    def values(self) -> list[Any]:
        """The values that there are."""
        return list(self.content.values())

    def value(self, key: str) -> Any:
        """A value as it is; None where there is none."""
        return self.content.get(key)

    def mapping(self, key: str) -> Node:
        """A mapping; empty where there is none."""
        value = self.value(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise MalformedError(f"{self.child(key)} must be an object, not {value!r:.60}.")
        return Node(value, self.child(key))

    def list(self, key: str) -> list[Node]:
        """Mappings in a list; none where there is none."""
        value = self.value(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise MalformedError(f"{self.child(key)} must be a list of objects.")
        return [Node(each, f"{self.child(key)}[{i}]") for i, each in enumerate(value)]

    def whole(self, key: str) -> int:
        """A number of days or records; 0 where there is none."""
        value = self.value(key)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LONGEST_SPAN:
            raise MalformedError(f"{self.child(key)} must be a whole number, not {value!r:.60}.")
        return value


@dataclass
class Translation:
    """Criteria that can be expressed, and parts that cannot."""

    refused: list[str] = field(default_factory=list)
    ages: list[Range] = field(default_factory=list)
    years: list[Range] = field(default_factory=list)
    sexes: list[tuple[str, ...]] = field(default_factory=list)
    prior: list[PriorRecords] = field(default_factory=list)
    no_prior: list[PriorRecords] = field(default_factory=list)

    def refuse(self, part: str, why: str) -> None:
        """Note a part that cannot be expressed."""
        reason = f"{part} {why}"
        if reason not in self.refused:
            self.refused.append(reason)


@dataclass(frozen=True)
class AtlasCriterion:
    """An event of a person: its records, and further criteria on them."""

    records: ConceptSet
    is_first: bool
    sex: tuple[str, ...] | None
    age: Range | None


def concept_sets_of(expression: Node) -> dict[int, ConceptSet | str]:
    """Concept sets by their numbers; for one that cannot be expressed, why not."""
    sets: dict[int, ConceptSet | str] = {}
    for node in expression.list("ConceptSets"):
        number = node.value("id")
        if isinstance(number, bool) or not isinstance(number, int):
            raise MalformedError(f"{node.child('id')} must be a whole number.")
        name = plain_name(str(node.value("name") or "")) or f"concept set {number}"
        sets[number] = _concept_set(node.mapping("expression"), clipped(name, LONGEST_NAME))
    return sets


def _concept_set(expression: Node, name: str) -> ConceptSet | str:
    parts: dict[bool, dict[int, Concept]] = {False: {}, True: {}}
    for item in expression.list("items"):
        if item.value("includeMapped"):
            return f"{item.child('includeMapped')} (concept set {name!r}) asks for mapped concepts"
        concept = item.mapping("concept")
        number = concept.value("CONCEPT_ID")
        if isinstance(number, bool) or not isinstance(number, int):
            raise MalformedError(f"{concept.child('CONCEPT_ID')} must be a whole number.")
        if number == 0:
            return f"{concept.child('CONCEPT_ID')} (concept set {name!r}) is 0, no concept"
        known = parts[bool(item.value("isExcluded"))]
        below = bool(item.value("includeDescendants"))
        below = below or (number in known and known[number].descendants)
        label = plain_name(str(concept.value("CONCEPT_NAME") or "")) or f"concept {number}"
        known[number] = Concept(number, label, below)
    if not parts[False]:
        return f"{expression.child('items')} (concept set {name!r}) includes no concept"
    return ConceptSet(name, tuple(parts[False].values()), tuple(parts[True].values()))


def read_criterion(
    node: Node, sets: Mapping[int, ConceptSet | str], translation: Translation, is_entry: bool
) -> AtlasCriterion | None:
    """One criterion; None, with what was refused, if it cannot be expressed."""
    before = len(translation.refused)
    if len(node.names) != 1:
        raise MalformedError(f"{node.place} must be one criterion.")
    kind = node.names[0]
    inside = node.mapping(kind)
    domain = DOMAINS_BY_CRITERION.get(kind)
    if domain is None:
        translation.refuse(inside.place, f"reads {kind}, which is not supported")
        return None
    records = _set_of(inside, sets, translation)
    is_first = bool(inside.value("First"))
    age: Range | None = None
    sex: tuple[str, ...] | None = None
    for key in inside.names:
        value = inside.value(key)
        if value in (None, [], {}, False) or key == "CodesetId" or key.endswith("TypeExclude"):
            continue
        if key == "First" and is_entry:
            continue
        if key == "First":
            translation.refuse(inside.child(key), "counts the first record of several criteria")
        elif key == "Gender" and is_entry:
            sex = _sexes(inside, key, translation)
        elif key == "Age" and is_entry and is_first:
            age = _range(inside.mapping(key), translation, 0, OLDEST)
        else:
            translation.refuse(inside.child(key), "is a criterion on records that is not supported")
    if len(translation.refused) > before or records is None:
        return None
    return AtlasCriterion(
        ConceptSet(records.name, records.include, records.exclude, (domain,)), is_first, sex, age
    )


def _set_of(
    inside: Node, sets: Mapping[int, ConceptSet | str], translation: Translation
) -> ConceptSet | None:
    number = inside.value("CodesetId")
    if number is None:
        translation.refuse(inside.place, "has no concept set: any concept would do")
        return None
    records = sets.get(number) if isinstance(number, int) else None
    if records is None:
        raise MalformedError(f"{inside.child('CodesetId')}: there is no concept set {number!r:.20}")
    if isinstance(records, str):
        translation.refuse(records.partition(" ")[0], records.partition(" ")[2])
        return None
    return records


def read_group(
    name: str, group: Node, sets: Mapping[int, ConceptSet | str], translation: Translation
) -> None:
    """The criteria of a rule, all of which must hold."""
    _read_group(_Rule(name, sets, translation), group, is_negated=False)


@dataclass(frozen=True)
class _Rule:
    """The name of a rule, and where its criteria are collected."""

    name: str
    sets: Mapping[int, ConceptSet | str]
    translation: Translation

    def refuse(self, part: str, why: str) -> None:
        named = f" (rule {clipped(self.name, LONGEST_NAME)!r})" if self.name else ""
        self.translation.refuse(f"{part}{named}", why)


def _read_group(rule: _Rule, group: Node, is_negated: bool) -> None:
    criteria, people = group.list("CriteriaList"), group.list("DemographicCriteriaList")
    inner = group.list("Groups")
    n = len(criteria) + len(people) + len(inner)
    if not n:
        return
    kind = str(group.value("Type") or "ALL").upper()
    count = group.whole("Count")
    at_least = {"ANY": 1, "AT_LEAST": count}.get(kind, n)
    if kind == "AT_MOST" and count == 0 and not is_negated:
        is_negated = True
    elif kind in ("ALL", "ANY", "AT_LEAST") and at_least == n and not (is_negated and n > 1):
        pass
    elif kind in ("ANY", "AT_LEAST") and at_least == 1 and not (people or inner or is_negated):
        _read_any(rule, group, criteria)
        return
    else:
        rule.refuse(group.child("Type"), f"is {kind} of {n} criteria")
        return
    for node in criteria:
        _read_windowed(rule, node, is_negated)
    for node in people:
        _read_person(rule, node, is_negated)
    for node in inner:
        _read_group(rule, node, is_negated)


def _read_any(rule: _Rule, group: Node, criteria: list[Node]) -> None:
    """Any of several records in the same window is a record of any of their sets."""
    read = [_windowed(rule, node) for node in criteria]
    known = [each for each in read if each is not None]
    if len(known) < len(read):
        return
    same = {(each.window, each.observed, each.least, each.most) for each in known}
    if len(same) > 1 or known[0].least != 1 or known[0].most is not None:
        rule.refuse(group.child("Type"), f"is ANY of {len(read)} criteria that differ in more")
        return
    names = " or ".join(dict.fromkeys(each.records.name for each in known))
    name = clipped(names, LONGEST_NAME)
    records = AnyOf(name, tuple(each.records for each in known))
    rule.translation.prior.append(PriorRecords(records, known[0].window, 1, known[0].observed))


@dataclass(frozen=True)
class _Windowed:
    """Records in a window, and how many of them there may be."""

    records: ConceptSet
    window: Window
    observed: bool
    least: int
    most: int | None


def _windowed(rule: _Rule, node: Node) -> _Windowed | None:
    before = len(rule.translation.refused)
    read = read_criterion(node.mapping("Criteria"), rule.sets, rule.translation, is_entry=False)
    window = _window(rule, node)
    for key in ("RestrictVisit", "EndWindow"):
        if node.value(key):
            what = "asks for the same visit" if key == "RestrictVisit" else "is about ends"
            rule.refuse(node.child(key), what)
    occurrence = node.mapping("Occurrence")
    kind, count = occurrence.value("Type"), occurrence.whole("Count")
    if kind not in (0, 1, 2):
        raise MalformedError(f"{occurrence.child('Type')} must be 0, 1 or 2, not {kind!r:.20}")
    if occurrence.value("IsDistinct") and count > (1 if kind == 2 else 0):
        rule.refuse(occurrence.child("IsDistinct"), "counts different concepts or days")
    if len(rule.translation.refused) > before or read is None or window is None:
        return None
    least = 0 if kind == 1 else count
    most = None if kind == 2 else count
    observed = not node.value("IgnoreObservationPeriod")
    return _Windowed(read.records, window, observed, least, most)


def _read_windowed(rule: _Rule, node: Node, is_negated: bool) -> None:
    read = _windowed(rule, node)
    if read is None:
        return
    least, most = read.least, read.most
    if is_negated:
        if least and most is not None:
            rule.refuse(node.child("Occurrence"), "asks for any number but one")
            return
        least, most = (0 if most is None else most + 1), (least - 1 if most is None else None)
    if least:
        made = PriorRecords(read.records, read.window, least, read.observed)
        rule.translation.prior.append(made)
    if most is not None and most >= 0:
        made = PriorRecords(read.records, read.window, most + 1, read.observed)
        rule.translation.no_prior.append(made)
    elif most is not None:
        rule.refuse(node.child("Occurrence"), "can never be met")


def _window(rule: _Rule, node: Node) -> Window | None:
    """Days from the index date; those after it are no business of a cohort's entry here."""
    window = node.mapping("StartWindow")
    for key in ("UseIndexEnd", "UseEventEnd"):
        if window.value(key):
            rule.refuse(window.child(key), "counts days from an end")
            return None
    start, end = window.mapping("Start"), window.mapping("End")
    first = None if start.value("Days") is None else start.whole("Days") * _sign(start)
    last = None if end.value("Days") is None else end.whole("Days") * _sign(end)
    if first is None and _sign(start) > 0:
        rule.refuse(start.place, "begins after all days")
        return None
    if last is None or last > 0:
        rule.refuse(end.place, "lies after the index date")
        return None
    if first is not None and first > last:
        rule.refuse(window.place, "ends before it begins")
        return None
    return first, last


def _sign(node: Node) -> int:
    coeff = node.value("Coeff")
    if coeff not in (-1, 1):
        raise MalformedError(f"{node.child('Coeff')} must be -1 or 1, not {coeff!r:.20}")
    return int(coeff)


def _read_person(rule: _Rule, node: Node, is_negated: bool) -> None:
    for key in node.names:
        if node.value(key) in (None, [], {}):
            continue
        if is_negated:
            rule.refuse(node.child(key), "is a negated criterion on a person")
        elif key == "Age":
            age = _range(node.mapping(key), rule.translation, 0, OLDEST)
            if age is not None:
                rule.translation.ages.append(age)
        elif key == "Gender":
            sex = _sexes(node, key, rule.translation)
            if sex is not None:
                rule.translation.sexes.append(sex)
        elif key == "OccurrenceStartDate":
            _read_years(rule, node.mapping(key))
        else:
            rule.refuse(node.child(key), "is a criterion on a person that is not supported")


def _range(node: Node, translation: Translation, least: int, most: int) -> Range | None:
    value, extent, op = node.value("Value"), node.value("Extent"), node.value("Op")
    for number in (value, extent):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
            raise MalformedError(f"{node.place} must have whole numbers, not {number!r:.20}")
    if not isinstance(value, int):
        raise MalformedError(f"{node.child('Value')} must be a whole number")
    ranges: dict[str, Range] = {
        "gte": (value, None),
        "gt": (value + 1, None),
        "lte": (None, value),
        "lt": (None, value - 1),
        "eq": (value, value),
        "bt": (value, extent),
    }
    if op not in ranges:
        translation.refuse(node.child("Op"), f"is {op!r:.20}")
        return None
    low, high = ranges[op]
    low = None if low is None or low < least else low
    high = None if high is None or high > most else high
    if (low is not None and low > most) or (high is not None and high < least):
        translation.refuse(node.place, "can never be met")
        return None
    return low, high


def _sexes(node: Node, key: str, translation: Translation) -> tuple[str, ...] | None:
    names = []
    for each in node.list(key):
        sex = SEXES.get(each.value("CONCEPT_ID"))
        if sex is None:
            translation.refuse(each.place, "is neither female (8532) nor male (8507)")
            return None
        names.append(sex)
    return tuple(dict.fromkeys(names))


def _read_years(rule: _Rule, node: Node) -> None:
    """Whole years of the index date; of other spans the place is named."""

    def day(key: str) -> tuple[int, str] | None:
        match = _YEAR.fullmatch(str(node.value(key) or "")[:10])
        return None if match is None else (int(match[1]), f"{match[2]}-{match[3]}")

    op, value, extent = node.value("Op"), day("Value"), day("Extent")
    if value is not None:
        year, date = value
        if op == "bt" and extent is not None and date == "01-01" and extent[1] == "12-31":
            rule.translation.years.append((year, extent[0]))
            return
        if (op, date) in (("gte", "01-01"), ("gt", "12-31")):
            rule.translation.years.append((year + (op == "gt"), None))
            return
        if (op, date) in (("lte", "12-31"), ("lt", "01-01")):
            rule.translation.years.append((None, year - (op == "lt")))
            return
    rule.refuse(node.place, "is not of whole years")
