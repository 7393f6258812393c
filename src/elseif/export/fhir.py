"""A rule list as FHIR R4: a Library with its CQL and a PlanDefinition, in one Bundle.

The Bundle is a transaction that puts both resources on a server; to do so twice changes nothing.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from typing import Any

from elseif.errors import ParamError
from elseif.export.cql import TYPES, cql_text, label_type, library_name, rule_name
from elseif.export.plain import PlainList, plain_list
from elseif.export.results import LABEL, RULE, Result, results
from elseif.showing.numbers import percent
from elseif.visible import show_name

TERMINOLOGY = "http://terminology.hl7.org/CodeSystem"
# what FHIR calls the types of CQL
FHIR_TYPES = {
    "Boolean": "boolean",
    "Integer": "integer",
    "Decimal": "decimal",
    "String": "string",
    "DateTime": "dateTime",
}
CODE = re.compile(r"[^\s]+( [^\s]+)*")  # what FHIR allows as the name of a parameter


def to_fhir(
    model: Any,
    which: str | None = None,
    level: float = 0.95,
    name: str | None = None,
    version: str = "1.0.0",
    url: str | None = None,
) -> str:
    """A Bundle of a Library and a PlanDefinition; `url` is the base of their canonical URLs."""
    if url is not None and not re.fullmatch(r"[a-z][a-z0-9+.-]*:[!-~]+", url):
        raise ParamError(f"url is {url[:100]!r}; it must be like 'https://example.org/fhir'.")
    plain = plain_list(model, which)
    answers = results(plain, level)
    called = library_name(model, name)
    source = cql_text(plain, answers, called, version)
    shared = {"version": version, "name": called, "status": "draft"}
    shared |= {"description": " ".join(plain.header)}
    library = _library(plain, answers, source, shared, _canonical(url, "Library", called, source))
    address = _canonical(url, "PlanDefinition", called, source)
    plan = _plan(plain, answers, f"{library['url']}|{version}", shared, address)
    bundle = {
        "resourceType": "Bundle",
        "type": "transaction",
        "entry": [_entry(library, source), _entry(plan, source)],
    }
    return json.dumps(bundle, indent=2, ensure_ascii=False) + "\n"


def _uuid(kind: str, source: str) -> str:
    """The same for the same list."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, f'{kind} {source}')}"


def _canonical(url: str | None, kind: str, name: str, source: str) -> str:
    return _uuid(kind, source) if url is None else f"{url.rstrip('/')}/{kind}/{name}"


def _id(name: str) -> str:
    return name.replace("_", "-")[:64]


def _entry(resource: dict[str, Any], source: str) -> dict[str, Any]:
    kind = resource["resourceType"]
    return {
        "fullUrl": _uuid(f"entry {kind}", source),
        "resource": resource,
        "request": {"method": "PUT", "url": f"{kind}/{resource['id']}"},
    }


def _coded(system: str, code: str) -> dict[str, Any]:
    return {"coding": [{"system": f"{TERMINOLOGY}/{system}", "code": code}]}


def _library(
    plain: PlainList, answers: list[Result], source: str, shared: dict[str, str], url: str
) -> dict[str, Any]:
    inputs = [
        _parameter(column, "in", TYPES[sort], f"column {show_name(column)}")
        for column, sort in plain.sorts.items()
    ]
    types = {RULE: "Integer", LABEL: label_type(plain.labels)}
    outputs = [
        _parameter(answer.name, "out", types.get(answer.name, "Decimal"), answer.meaning)
        for answer in answers
    ]
    data = base64.b64encode(source.encode("utf-8")).decode("ascii")
    return {
        "resourceType": "Library",
        "id": _id(shared["name"]),
        "url": url,
        **shared,
        "title": "Bayesian rule list",
        "type": _coded("library-type", "logic-library"),
        "parameter": [*inputs, *outputs],
        "content": [{"contentType": "text/cql", "data": data}],
    }


def _parameter(name: str, use: str, cql_type: str, documentation: str) -> dict[str, Any]:
    """A parameter; one whose name is no code of FHIR's is named in its documentation alone."""
    named = {"name": name} if CODE.fullmatch(name) and show_name(name) == name else {}
    return {
        **named,
        "use": use,
        "min": 0,
        "max": "1",
        "documentation": documentation,
        "type": FHIR_TYPES[cql_type],
    }


def _plan(
    plain: PlainList, answers: list[Result], library: str, shared: dict[str, str], url: str
) -> dict[str, Any]:
    return {
        "resourceType": "PlanDefinition",
        "id": _id(shared["name"]),
        "url": url,
        **shared,
        "title": "Bayesian rule list",
        "type": _coded("plan-definition-type", "eca-rule"),
        "library": [library],
        "action": [
            {
                "title": "The first rule whose conditions are all true",
                "groupingBehavior": "logical-group",
                "selectionBehavior": "exactly-one",
                "action": [
                    _action(plain, answers, position) for position in range(len(plain.rules))
                ],
            }
        ],
    }


def _action(plain: PlainList, answers: list[Result], position: int) -> dict[str, Any]:
    """One rule: its conditions as its title, and what follows as its description."""
    value = {answer.name: answer.values[position] for answer in answers}
    risks = [
        f"{show_name(str(label))} {percent(value[f'elseif_probability_{k}'], 1)} "
        f"({percent(value[f'elseif_low_{k}'], 1)} to {percent(value[f'elseif_high_{k}'], 1)})"
        for k, label in enumerate(plain.labels, 1)
    ]
    return {
        "prefix": str(position + 1),
        "title": plain.rules[position].words,
        "description": f"Probability of {', '.join(risks)}.",
        "condition": [
            {
                "kind": "applicability",
                "expression": {
                    "language": "text/cql-identifier",
                    "expression": rule_name(position + 1),
                },
            }
        ],
    }
