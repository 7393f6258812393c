"""A rule list as an ONNX graph of plain operators on doubles and text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

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
)
from elseif.errors import ExportError, ParamError, install
from elseif.export.plain import (
    BOOLEAN,
    DATE,
    NUMBER,
    TEXT,
    PlainList,
    Test,
    date_microseconds,
    plain_list,
)

OPSET, IR_VERSION = 19, 9  # Equal knows text from 19 on
OUTPUTS = ("probabilities", "rule", "label")
COMPARISONS = {
    ABOVE: "Greater",
    AT_LEAST: "GreaterOrEqual",
    BELOW: "Less",
    AT_MOST: "LessOrEqual",
}


def to_onnx(model: Any, which: str | None = None, missing_text: str = "") -> bytes:
    """An ONNX model with one input a column, (rows, 1).

    Numbers, truth values (1 and 0) and dates (seconds since 1970, UTC) are doubles, NaN where
    missing; categories of text are strings, and missing_text stands for a missing one.
    """
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise ParamError(f"ONNX needs onnx: {install('export')}.") from None
    plain = plain_list(model, which)
    graph = _Graph(plain, missing_text)
    graph.build()
    double, whole = TensorProto.DOUBLE, TensorProto.INT64
    types = {graph.TEXT: TensorProto.STRING, graph.WHOLE: whole, graph.DOUBLE: double}
    types[graph.TRUTH] = TensorProto.BOOL
    inputs = [
        helper.make_tensor_value_info(
            name, TensorProto.STRING if sort == TEXT else double, ["rows", 1]
        )
        for name, sort in graph.inputs.values()
    ]
    outputs = [
        helper.make_tensor_value_info("probabilities", double, ["rows", len(plain.labels)]),
        helper.make_tensor_value_info("rule", whole, ["rows"]),
        helper.make_tensor_value_info("label", types[graph.label_type()], ["rows"]),
    ]
    made = helper.make_model(
        helper.make_graph(graph.nodes, "rule list", inputs, outputs, graph.constants),
        producer_name="elseif",
        producer_version=elseif.__version__,
        doc_string="\n".join(plain.header),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(made, graph.properties())
    checker.check_model(made, full_check=True)
    return made.SerializeToString(deterministic=True)


class _Graph:
    """Nodes, constants and inputs, as they are needed."""

    TEXT, WHOLE, DOUBLE, TRUTH = "text", "whole", "double", "truth"

    def __init__(self, plain: PlainList, missing_text: str) -> None:
        self.plain, self.missing_text = plain, missing_text
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs = self._inputs()
        self._taken = {name for name, _ in self.inputs.values()} | set(OUTPUTS)
        self._made = 0
        for rule in plain.rules:
            for test in rule.tests:
                if test.sort == TEXT and missing_text in test.values:
                    raise ExportError(
                        f"Column {test.column[:100]!r} has the category {missing_text!r}, which "
                        "stands for a missing value. Give another text as missing_text."
                    )

    def _inputs(self) -> dict[str, tuple[str, str]]:
        """Input name and sort by column; a list that looks at no column takes the first."""
        sorts = self.plain.sorts or dict(list(self.plain.all_sorts.items())[:1])
        if not sorts:
            raise ExportError("The model has no column, and ONNX needs an input.")
        names = {name: name for name in sorts}
        for name in sorts:
            if not name or name in OUTPUTS:  # an empty name means none in ONNX
                names[name] = next(
                    made for k in range(10**6) if (made := f"input {k} {name}") not in sorts
                )
        return {name: (names[name], sort) for name, sort in sorts.items()}

    def properties(self) -> dict[str, str]:
        """What a user of the graph must know, as text."""
        return {
            "inputs": json.dumps({name: given for name, (given, _) in self.inputs.items()}),
            "labels": json.dumps(list(self.plain.labels)),
            "missing_text": json.dumps(self.missing_text),
            "dates": "seconds since 1970-01-01, UTC",
        }

    def build(self) -> None:
        """Truth of each rule, the first that is true, and what follows from it."""
        first, _ = next(iter(self.inputs.values()))
        ones = self.node("ConstantOfShape", [self.node("Shape", [first])], value=self.tensor([1]))
        truths = [self.cast(self.every(rule.tests)) for rule in self.plain.rules[:-1]]
        stacked = self.node("Concat", [*truths, self.cast(ones)], axis=1)
        position = self.node("ArgMax", [stacked], axis=1, keepdims=0)  # the first of equals
        shares = np.array([rule.probabilities for rule in self.plain.rules], dtype=np.float64)
        self.node("Gather", [self.constant(shares), position], output="probabilities", axis=0)
        self.node("Add", [position, self.constant(np.array(1, dtype=np.int64))], output="rule")
        self.node("Gather", [self.constant(self.labels()), position], output="label", axis=0)

    def every(self, tests: Sequence[Test]) -> str:
        parts = [self.test(test) for test in tests]
        truth = parts[0]
        for part in parts[1:]:
            truth = self.node("And", [truth, part])
        return truth

    def test(self, test: Test) -> str:
        value = self.inputs[test.column][0]
        if test.operator == MISSING:
            return self.missing(value, test.sort)
        if test.operator in (TRUE, FALSE):
            return self.node("Equal", [value, self.number(float(test.operator == TRUE))])
        if test.operator == ONE_OF:
            return self.one_of(value, test)
        if test.operator in COMPARISONS:
            number = self.number(_number(test.value, test.sort))
            return self.node(COMPARISONS[test.operator], [value, number])
        unequal = self.node("Not", [self.one_of(value, test)])
        known = self.node("Not", [self.missing(value, test.sort)])
        return self.node("And", [unequal, known])

    def one_of(self, value: str, test: Test) -> str:
        """Whether a value is among some: compared with all of them side by side."""
        if test.sort == TEXT:
            row = np.array([test.values], dtype=object).reshape(1, -1)
        else:
            row = np.array([[_number(v, test.sort) for v in test.values]], dtype=np.float64)
        if not test.values:  # no category satisfies the condition
            nothing = self.missing(value, test.sort)
            return self.node("And", [nothing, self.node("Not", [nothing])])
        equal = self.node("Equal", [value, self.constant(row)])
        if len(test.values) == 1:
            return equal
        axes = self.constant(np.array([1], dtype=np.int64))
        any_equal = self.node("ReduceMax", [self.cast(equal), axes], keepdims=1)
        return self.node("Cast", [any_equal], to=9)

    def missing(self, value: str, sort: str) -> str:
        if sort != TEXT:
            return self.node("IsNaN", [value])
        text = np.array([[self.missing_text]], dtype=object)
        return self.node("Equal", [value, self.constant(text)])

    def cast(self, truth: str) -> str:
        """Truth as whole numbers, which can be compared."""
        return self.node("Cast", [truth], to=6)

    def number(self, value: float) -> str:
        return self.constant(np.array([[value]], dtype=np.float64))

    def labels(self) -> np.ndarray:
        """The most probable label of each rule."""
        dtypes: dict[str, Any] = {
            self.TRUTH: np.bool_,
            self.WHOLE: np.int64,
            self.DOUBLE: np.float64,
        }
        kind = self.label_type()
        best = [self.plain.labels[rule.best] for rule in self.plain.rules]
        if kind == self.TEXT:
            return np.array([str(label) for label in best], dtype=object)
        return np.array(best, dtype=dtypes[kind])

    def label_type(self) -> str:
        """The type that fits every label; text if none does."""
        kinds = {type(label) for label in self.plain.labels}
        if kinds == {bool}:
            return self.TRUTH
        if kinds == {int} and all(abs(label) < 2**63 for label in self.plain.labels):
            return self.WHOLE
        return self.DOUBLE if kinds == {float} else self.TEXT

    # ------------------------------------------------------------- the parts

    def node(
        self, operator: str, inputs: Sequence[str], output: str | None = None, **settings: Any
    ) -> str:
        from onnx import helper

        output = output or self.name()
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **settings))
        return output

    def constant(self, value: np.ndarray) -> str:
        from onnx import TensorProto, helper, numpy_helper

        name = self.name()
        if value.dtype.kind == "O":
            texts = [text.encode("utf-8") for text in value.ravel()]
            made = helper.make_tensor(name, TensorProto.STRING, value.shape, texts)
        else:
            made = numpy_helper.from_array(value, name)
        self.constants.append(made)
        return name

    def tensor(self, values: Sequence[int]) -> Any:
        from onnx import numpy_helper

        return numpy_helper.from_array(np.array(values, dtype=np.int64), self.name())

    def name(self) -> str:
        """A name that no column has."""
        while True:
            self._made += 1
            name = f"v{self._made}"
            if name not in self._taken:
                return name


def _number(value: Any, sort: str) -> float:
    if sort == DATE:
        return date_microseconds(value) / 1e6
    assert sort in (NUMBER, BOOLEAN)
    return float(value)
