"""A rule list as PMML 4.4: a flat TreeModel, its children in order, the last always true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import elseif
from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.errors import ExportError
from elseif.export.plain import (
    BOOLEAN,
    DATE,
    NUMBER,
    PlainList,
    PlainRule,
    Test,
    date_microseconds,
    plain_list,
)
from elseif.export.xml_text import xml_text

NAMESPACE = "http://www.dmg.org/PMML-4_4"
OPERATORS = {
    ABOVE: "greaterThan",
    AT_LEAST: "greaterOrEqual",
    BELOW: "lessThan",
    AT_MOST: "lessOrEqual",
    UNEQUAL: "notEqual",
}
TRUTH_WORDS = {True: ("true", "1", "1.0"), False: ("false", "0", "0.0")}
TARGET, PREDICTED, RULE = "elseif_label", "elseif_predicted", "elseif_rule"


def to_pmml(model: Any, which: str | None = None) -> str:
    """A PMML document; dates are numbers: seconds since 1970, UTC."""
    plain = plain_list(model, which)
    root = ET.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    heading = ET.SubElement(root, "Header", {"description": " ".join(plain.header)})
    ET.SubElement(heading, "Application", {"name": "elseif", "version": elseif.__version__})
    _dictionary(root, plain)
    tree = ET.SubElement(
        root,
        "TreeModel",
        {
            "modelName": "rule list",
            "functionName": "classification",
            # a comparison with a missing value is false; only "is missing" is true of it
            "missingValueStrategy": "none",
            "noTrueChildStrategy": "returnLastPrediction",
            "splitCharacteristic": "multiSplit",
        },
    )
    _schema(tree, plain)
    _output(tree, plain)
    last = plain.rules[-1]
    top = ET.SubElement(tree, "Node", _node("0", plain, last))
    ET.SubElement(top, "True")
    _scores(top, plain, last)
    for number, rule in enumerate(plain.rules, 1):
        node = ET.SubElement(top, "Node", _node(str(number), plain, rule))
        _predicate(node, [_test_element(test) for test in rule.tests])
        _scores(node, plain, rule)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def label_text(label: Any) -> str:
    """A label as PMML writes it."""
    if isinstance(label, bool):
        return "true" if label else "false"
    return xml_text(repr(label) if isinstance(label, (int, float)) else label)


def _dictionary(root: ET.Element, plain: PlainList) -> None:
    names = [f"elseif_probability_{k}" for k in range(1, len(plain.labels) + 1)]
    taken = {TARGET, PREDICTED, RULE, *names}
    fields = ET.SubElement(root, "DataDictionary", {"numberOfFields": str(len(plain.sorts) + 1)})
    for name, sort in plain.sorts.items():
        if name in taken:
            raise ExportError(
                f"A column is called {name!r}, which PMML uses for a result. Rename it."
            )
        # truth values are text: of type "boolean" an engine would take a 2 for true
        types = {NUMBER: "double", DATE: "double"}
        optype = "continuous" if sort in (NUMBER, DATE) else "categorical"
        shown = {"displayName": "seconds since 1970-01-01, UTC"} if sort == DATE else {}
        ET.SubElement(
            fields,
            "DataField",
            {
                "name": xml_text(name),
                "optype": optype,
                "dataType": types.get(sort, "string"),
                **shown,
            },
        )
    target = ET.SubElement(
        fields,
        "DataField",
        {"name": TARGET, "optype": "categorical", "dataType": _label_type(plain)},
    )
    for label in plain.labels:
        ET.SubElement(target, "Value", {"value": label_text(label)})


def _label_type(plain: PlainList) -> str:
    """The type of the labels; text where they are of several or too large."""
    kinds = {type(label) for label in plain.labels}
    if kinds == {int} and all(abs(label) < 2**31 for label in plain.labels):
        return "integer"
    names = {bool: "boolean", float: "double"}
    return names.get(kinds.pop(), "string") if len(kinds) == 1 else "string"


def _schema(tree: ET.Element, plain: PlainList) -> None:
    schema = ET.SubElement(tree, "MiningSchema")
    for name in plain.sorts:
        # a category that fit did not see is a value like any other: no condition is true of it
        ET.SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
    ET.SubElement(schema, "MiningField", {"name": TARGET, "usageType": "target"})


def _output(tree: ET.Element, plain: PlainList) -> None:
    output = ET.SubElement(tree, "Output")
    for number, label in enumerate(plain.labels, 1):
        ET.SubElement(
            output,
            "OutputField",
            {
                "name": f"elseif_probability_{number}",
                "optype": "continuous",
                "dataType": "double",
                "feature": "probability",
                "value": label_text(label),
            },
        )
    for name, feature, data_type in (
        (PREDICTED, "predictedValue", _label_type(plain)),
        (RULE, "entityId", "string"),
    ):
        field = {"name": name, "optype": "categorical", "dataType": data_type, "feature": feature}
        ET.SubElement(output, "OutputField", field)


def _node(number: str, plain: PlainList, rule: PlainRule) -> dict[str, str]:
    return {
        "id": number,
        "score": label_text(plain.labels[rule.best]),
        "recordCount": repr(rule.n),
    }


def _scores(node: ET.Element, plain: PlainList, rule: PlainRule) -> None:
    for label, count, share in zip(
        plain.labels, rule.label_counts, rule.probabilities, strict=True
    ):
        ET.SubElement(
            node,
            "ScoreDistribution",
            {
                "value": label_text(label),
                "recordCount": repr(count),
                "probability": repr(share),
                "confidence": repr(share),
            },
        )


def _predicate(node: ET.Element, tests: list[ET.Element], join: str = "and") -> None:
    """Tests under a node: none is always true, one is itself, more are joined."""
    if not tests:
        ET.SubElement(node, "True")
    elif len(tests) == 1:
        node.append(tests[0])
    else:
        compound = ET.SubElement(node, "CompoundPredicate", {"booleanOperator": join})
        compound.extend(tests)


def _test_element(test: Test) -> ET.Element:
    if test.operator == MISSING:
        return _simple(test, "isMissing")
    if test.operator in (TRUE, FALSE):
        return _truth(test, [test.operator == TRUE])
    if test.sort == BOOLEAN and test.values:  # categories that are truth values
        return _truth(test, [not test.value] if test.operator == UNEQUAL else test.values)
    if test.operator != ONE_OF:
        return _simple(test, OPERATORS[test.operator], test.value)
    # a set of values as text would need quoting; one test per value does not
    if not test.values:
        return ET.Element("False")
    if len(test.values) == 1:
        return _simple(test, "equal", test.value)
    either = ET.Element("CompoundPredicate", {"booleanOperator": "or"})
    either.extend([_simple(test, "equal", value) for value in test.values])
    return either


def _truth(test: Test, values: Sequence[Any]) -> ET.Element:
    """A truth value, whether a row has it as such, as a whole number or as another number."""
    element = ET.Element(
        "SimpleSetPredicate", {"field": xml_text(test.column), "booleanOperator": "isIn"}
    )
    words = [word for value in values for word in TRUTH_WORDS[bool(value)]]
    ET.SubElement(element, "Array", {"n": str(len(words)), "type": "string"}).text = " ".join(words)
    return element


def _simple(test: Test, operator: str, value: Any = None) -> ET.Element:
    attributes = {"field": xml_text(test.column), "operator": operator}
    if value is not None:
        attributes["value"] = _value(test.sort, value)
    return ET.Element("SimplePredicate", attributes)


def _value(sort: str, value: Any) -> str:
    if sort == DATE:
        return repr(date_microseconds(value) / 1e6)
    return repr(float(value)) if sort == NUMBER else xml_text(value)
