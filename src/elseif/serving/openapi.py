"""The OpenAPI document of the server, made from the models that it serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elseif import __version__
from elseif.serving.served_model import LARGEST, ServedModel
from elseif.tables.columns import Kind

NUMBER = {"type": ["number", "null"], "minimum": -LARGEST, "maximum": LARGEST}
Schema = dict[str, Any]


def openapi(models: Sequence[ServedModel], most_cases: int) -> Schema:
    """An OpenAPI 3.1 document of every address, with the columns that each model asks for."""
    one, many, explained = [], [], []
    must_name = [] if len(models) == 1 else ["model"]
    for served in models:
        name: Schema = {"const": served.name}
        case = case_schema(served)
        cases = {"type": "array", "items": case, "maxItems": most_cases}
        one.append(_object({"case": case, "model": name}, ["case", *must_name]))
        many.append(_object({"cases": cases, "model": name}, ["cases", *must_name]))
        known = {**case, "required": list(served.explained_columns)}
        explained.append(_object({"case": known, "model": name}, ["case", *must_name]))
    return {
        "openapi": "3.1.0",
        "info": {"title": "elseif", "version": __version__},
        "paths": {
            "/models": _get("Outcome and columns of each model.", "Models"),
            "/healthz": _get("Whether the server answers.", "Health"),
            "/predict": _post(
                "The line of the list that applies to one case, or to each of many.",
                {"anyOf": [*one, *many]},
                "Prediction",
            ),
            "/explain": _post(
                "Explanation of the prediction for one case.",
                {"anyOf": explained},
                "Explanation",
            ),
        },
        "components": {"schemas": _schemas()},
    }


def case_schema(served: ServedModel) -> Schema:
    """Values by column; a column that is left out is not known."""
    return {
        "type": "object",
        "title": served.name,
        "properties": {
            name: _value_schema(served, name) for name in served.rule_list.metadata.kinds
        },
        "additionalProperties": False,
        "description": "null is a missing value; a column that is left out is not known.",
    }


def _value_schema(served: ServedModel, name: str) -> Schema:
    kind = served.kind(name)
    if kind is Kind.DATE:
        return {"type": ["string", "null"], "format": "date"}
    if kind is Kind.BOOLEAN:
        return {"enum": [True, False, 0, 1, None]}
    if kind is Kind.NUMERIC:
        return NUMBER
    if served.category_type(name) == "number":
        return NUMBER
    return {"type": ["boolean" if served.category_type(name) == "boolean" else "string", "null"]}


def _object(properties: Schema, required: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _get(summary: str, schema: str) -> Schema:
    return {"get": {"summary": summary, "responses": {"200": _content(schema, summary)}}}


def _post(summary: str, body: Schema, schema: str) -> Schema:
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": {
                "200": _content(schema, summary),
                "404": _content("Error", "There is no such model."),
                "408": _content("Error", "The request did not arrive within the time limit."),
                "413": _content("Error", "The request is too large."),
                "415": _content("Error", "The request is not JSON."),
                "422": _content("Error", "The request cannot be answered; the error says why."),
                "503": _content("Error", "No answer within the time limit."),
            },
        }
    }


def _content(schema: str, description: str) -> Schema:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": description, "content": content}


def _schemas() -> Schema:
    text: Schema = {"type": "string"}
    model = _object(
        {"name": text, "sha256": text, "synthetic": {"type": "boolean"}},
        ["name", "sha256", "synthetic"],
    )
    answer: Schema = {
        "type": "object",
        "properties": {
            "rule": {"type": ["integer", "null"]},
            "condition": {"type": "string"},
            "possible_rules": {"type": "array", "items": {"type": "integer"}},
            "probabilities": {"type": "array", "items": {"type": "object"}},
            "predicted": {"type": "string"},
            "ask": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["rule", "probabilities"],
    }
    return {
        "Error": _object({"error": {"type": "string"}}, ["error"]),
        "Models": _object({"models": {"type": "array", "items": {"type": "object"}}}, ["models"]),
        "Health": _object(
            {
                "status": {"const": "ok"},
                "version": {"type": "string"},
                "models": {"type": "array", "items": {"type": "string"}},
            },
            ["status", "version", "models"],
        ),
        "Prediction": {
            "oneOf": [
                _object({"model": model, "prediction": answer}, ["model", "prediction"]),
                _object(
                    {"model": model, "predictions": {"type": "array", "items": answer}},
                    ["model", "predictions"],
                ),
            ]
        },
        "Explanation": _object(
            {"model": model, "explanation": {"type": "object"}, "text": {"type": "string"}},
            ["model", "explanation", "text"],
        ),
    }
