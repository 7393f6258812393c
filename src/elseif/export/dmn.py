"""A rule list as DMN 1.3: one decision table of hit policy FIRST, which is a rule list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import elseif
from elseif.export.feel import feel_names, feel_value, unary_test
from elseif.export.plain import BOOLEAN, DATE, NUMBER, TEXT, PlainList, PlainRule, plain_list
from elseif.export.results import LABEL, Result, results
from elseif.export.xml_text import xml_text

NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
DIAGRAM = "https://www.omg.org/spec/DMN/20191111/DMNDI/"
BOUNDS, POINTS = (
    "http://www.omg.org/spec/DMN/20180521/DC/",
    "http://www.omg.org/spec/DMN/20180521/DI/",
)
TYPES = {BOOLEAN: "boolean", NUMBER: "number", TEXT: "string", DATE: "date and time"}
NAME = "Rule list"  # of the decision
LARGEST_WHOLE = 2**53 - 1
WIDTH, HEIGHT, GAP = 180, 80, 40  # of a box in the diagram, and between two


def to_dmn(model: Any, which: str | None = None, level: float = 0.95) -> str:
    """A DMN document with one decision: columns in, the rule and its probabilities out."""
    plain = plain_list(model, which)
    answers = _writable(results(plain, level), plain.labels)
    names = feel_names(plain.sorts, [answer.name for answer in answers])
    root = ET.Element(
        "definitions",
        {
            "xmlns": NAMESPACE,
            "id": "elseif",
            "name": "Bayesian rule list",
            "namespace": "urn:elseif:rule-list",
            "exporter": "elseif",
            "exporterVersion": elseif.__version__,
        },
    )
    _text(root, "description", " ".join(plain.header))
    for number, (column, sort) in enumerate(plain.sorts.items(), 1):
        _input_data(root, number, names[column], column, sort)
    decision = ET.SubElement(root, "decision", {"id": "decision", "name": NAME})
    ET.SubElement(decision, "variable", {"id": "answer", "name": NAME})
    for number in range(1, len(plain.sorts) + 1):
        needed = ET.SubElement(decision, "informationRequirement", {"id": f"requirement_{number}"})
        ET.SubElement(needed, "requiredInput", {"href": f"#column_{number}"})
    _table(decision, plain, answers, names)
    _diagram(root, len(plain.sorts))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _writable(answers: list[Result], labels: Sequence[Any]) -> list[Result]:
    """Labels of one type; text where they are of several, or too large for a program's numbers."""
    too_large = any(isinstance(label, int) and abs(label) > LARGEST_WHOLE for label in labels)
    if len({type(label) for label in labels}) == 1 and not too_large:
        return answers
    return [
        replace(answer, values=tuple(map(str, answer.values))) if answer.name == LABEL else answer
        for answer in answers
    ]


def _text(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = xml_text(text)


def _input_data(root: ET.Element, number: int, name: str, column: str, sort: str) -> None:
    data = ET.SubElement(root, "inputData", {"id": f"column_{number}", "name": name})
    if name != column:
        _text(data, "description", f"Column {column}")
    variable = {"id": f"variable_{number}", "name": name, "typeRef": TYPES[sort]}
    ET.SubElement(data, "variable", variable)


def _table(
    decision: ET.Element, plain: PlainList, answers: list[Result], names: dict[str, str]
) -> None:
    table = ET.SubElement(decision, "decisionTable", {"id": "table", "hitPolicy": "FIRST"})
    for number, (column, sort) in enumerate(plain.sorts.items(), 1):
        # a label is shown in place of the name: the column's own, where FEEL has another for it
        label = {} if names[column] == column else {"label": xml_text(column)}
        clause = ET.SubElement(table, "input", {"id": f"input_{number}", **label})
        expression = {"id": f"expression_{number}", "typeRef": TYPES[sort]}
        asked = ET.SubElement(clause, "inputExpression", expression)
        _text(asked, "text", names[column])
    for answer in answers:
        clause = ET.SubElement(
            table, "output", {"id": answer.name, "name": answer.name, "typeRef": _type(answer)}
        )
        _text(clause, "description", answer.meaning)
    for position, rule in enumerate(plain.rules):
        _rule(table, plain, answers, rule, position)


def _type(answer: Result) -> str:
    types = {bool: "boolean", int: "number", float: "number"}
    return types.get(type(answer.values[0]), "string")


def _rule(
    table: ET.Element, plain: PlainList, answers: list[Result], rule: PlainRule, position: int
) -> None:
    """One row; none for a rule that no case can fulfil, such as one above the highest level."""
    cells = [unary_test([t for t in rule.tests if t.column == column]) for column in plain.sorts]
    if None in cells:
        return
    row = ET.SubElement(table, "rule", {"id": f"rule_{position + 1}"})
    _text(row, "description", rule.words)
    for number, cell in enumerate(cells, 1):
        entry = ET.SubElement(row, "inputEntry", {"id": f"rule_{position + 1}_input_{number}"})
        _text(entry, "text", str(cell))
    for answer in answers:
        entry = ET.SubElement(row, "outputEntry", {"id": f"rule_{position + 1}_{answer.name}"})
        _text(entry, "text", feel_value(answer.values[position]))


def _diagram(root: ET.Element, n_inputs: int) -> None:
    """Where a viewer draws the boxes: the decision above, what it needs below."""
    root.set("xmlns:dmndi", DIAGRAM)
    root.set("xmlns:dc", BOUNDS)
    root.set("xmlns:di", POINTS)
    whole = ET.SubElement(root, "dmndi:DMNDI")
    diagram = ET.SubElement(whole, "dmndi:DMNDiagram", {"id": "diagram"})
    middle = (max(n_inputs, 1) * (WIDTH + GAP) - GAP) // 2
    _box(diagram, "decision", middle - WIDTH // 2, 0)
    below = 3 * HEIGHT
    for number in range(1, n_inputs + 1):
        left = (number - 1) * (WIDTH + GAP)
        _box(diagram, f"column_{number}", left, below)
        edge = {"id": f"edge_{number}", "dmnElementRef": f"requirement_{number}"}
        line = ET.SubElement(diagram, "dmndi:DMNEdge", edge)
        for x, y in ((left + WIDTH // 2, below), (middle, HEIGHT)):
            ET.SubElement(line, "di:waypoint", {"x": str(x), "y": str(y)})


def _box(diagram: ET.Element, of: str, x: int, y: int) -> None:
    shape = ET.SubElement(diagram, "dmndi:DMNShape", {"id": f"shape_{of}", "dmnElementRef": of})
    position = {"x": str(x), "y": str(y), "width": str(WIDTH), "height": str(HEIGHT)}
    ET.SubElement(shape, "dc:Bounds", position)
