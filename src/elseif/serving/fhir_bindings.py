"""Which FHIR resource provides each column of a list, read from a YAML file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elseif.checks import nearest_name
from elseif.errors import DataError, ParamError
from elseif.files.strict_yaml import parse_yaml, yaml_text
from elseif.serving.observation_times import time_of

SOURCES = ("patient", "condition", "medication", "observation")
OF_A_PATIENT = ("age", "gender")
CODE = re.compile(r"[^\s|]+\|[^\s|&?#]+")
# searches by source: what has been recorded, or the last value
SEARCHES = {
    "condition": "Condition?patient={{{{context.patientId}}}}&code={codes}",
    "medication": "MedicationRequest?patient={{{{context.patientId}}}}&code={codes}",
    "observation": (
        "Observation?patient={{{{context.patientId}}}}&code={codes}&_sort=-date&_count=1"
    ),
}
PATIENT = "Patient/{{context.patientId}}"
REFERENCE = re.compile(r"(?:.*/)?Patient/([^/]+)(?:/_history/.*)?")
CODE_OF = {"condition": "code", "medication": "medicationCodeableConcept", "observation": "code"}
DEAD = ("entered-in-error", "refuted", "cancelled")  # records that say nothing of the patient


@dataclass(frozen=True)
class Binding:
    """Where the value of one column comes from.

    ``source`` is "patient" (``what`` is "age" or "gender"), "condition" or "medication" (true
    where one of ``codes`` is recorded), or "observation" (the last value of one of ``codes``).
    """

    source: str
    what: str = ""
    codes: tuple[str, ...] = ()
    unit: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def template(self) -> str:
        """The search that a record system answers beforehand."""
        if self.source == "patient":
            return PATIENT
        return SEARCHES[self.source].format(codes=",".join(self.codes))

    def value(self, resource: Any, today: datetime.date) -> Any:
        """The column's value; ``LookupError`` if the record does not contain it."""
        if self.source == "patient":
            value = _of_patient(resource, self.what, today)
        elif self.source == "observation":
            value = self._observed(_entries(resource, "Observation"))
        else:
            kind = "Condition" if self.source == "condition" else "MedicationRequest"
            entries = _entries(resource, kind)
            value = any(self._has_code(entry) for entry in entries)
            # which may be on a page that was not fetched, or be one that names no code
            if not value and (_has_more(resource) or not all(map(self._codings, entries))):
                raise LookupError
        if isinstance(value, str) and self.values:
            return self.values.get(value, value)
        return value

    def _has_code(self, entry: Mapping[str, Any]) -> bool:
        return any(coding in self.codes for coding in self._codings(entry))

    def _codings(self, entry: Mapping[str, Any]) -> list[str]:
        """Its codes; empty if it is described in words or refers to another resource."""
        concept = entry.get(CODE_OF[self.source])
        if self.source == "medication" and concept is None:  # as release 5 of FHIR has it
            concept = _mapping(entry.get("medication")).get("concept")
        codings = map(_mapping, _list(_mapping(concept).get("coding")))
        return [
            f"{coding.get('system')}|{coding['code']}" for coding in codings if "code" in coding
        ]

    def _observed(self, entries: Sequence[Mapping[str, Any]]) -> Any:
        matching = [entry for entry in entries if self._has_code(entry)]
        if not matching:
            raise LookupError
        last = max(matching, key=time_of)
        quantity = _mapping(last.get("valueQuantity"))
        if "comparator" in quantity:  # a bound, such as "less than 5"
            raise LookupError
        if isinstance(quantity.get("value"), (int, float)):
            unit = quantity.get("code") or quantity.get("unit")
            if self.unit is not None and unit != self.unit:
                raise DataError(
                    f"An observation of {self.codes[0]} is in {unit!r}; the list was learnt in "
                    f"{self.unit!r}."
                )
            return quantity["value"]
        for name in ("valueBoolean", "valueInteger", "valueString", "valueDateTime"):
            if isinstance(last.get(name), (bool, int, str)):
                return last[name]
        raise LookupError


Bindings = dict[str, dict[str, Binding]]


def read_bindings(path: str | Path, columns: Mapping[str, Sequence[str]]) -> Bindings:
    """Read which FHIR resource gives the value of each column of each model.

    Parameters
    ----------
    path : str or path
        A YAML file: by model, then by column, ``{patient: age}``, ``{patient: gender}``,
        ``{condition: SYSTEM|CODE}``, ``{medication: ...}`` or ``{observation: ..., unit: ...}``.
    columns : dict
        By model, the columns that its list asks for.

    Returns
    -------
    dict of dict of Binding
        By model, then by column.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.serving import read_bindings
    >>> _ = Path("fhir.yaml").write_text("titanic: {sex: {patient: gender}}")
    >>> read_bindings("fhir.yaml", {"titanic": ["sex", "age"]})["titanic"]["sex"].template()
    'Patient/{{context.patientId}}'
    """
    path = Path(path)
    content = parse_yaml(yaml_text(path, "a file of FHIR bindings"), path.name)
    bindings: Bindings = {}
    for model, of_columns in _checked_mapping(content, f"{path.name}").items():
        if model not in columns:
            raise ParamError(f"{path.name}: no model is called {model!r}{_near(model, columns)}.")
        bindings[model] = {}
        for column, binding in _checked_mapping(of_columns, f"{path.name}: {model}").items():
            if column not in columns[model]:
                raise ParamError(
                    f"{path.name}: the list of {model} does not ask for {column!r}"
                    f"{_near(column, columns[model])}."
                )
            where = f"{path.name}: {model}: {column}"
            bindings[model][column] = _binding(_checked_mapping(binding, where), where)
    return bindings


def _checked_mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ParamError(f"{where} must map names to settings, not {type(value).__name__}.")
    return value


def _binding(given: Mapping[str, Any], where: str) -> Binding:
    unknown = [key for key in given if key not in (*SOURCES, "unit", "values")]
    if unknown:
        near = _near(unknown[0], (*SOURCES, "unit", "values"))
        raise ParamError(f"{where}: {unknown[0]!r:.100} is not a setting{near}.")
    sources = [key for key in SOURCES if key in given]
    if len(sources) != 1:
        raise ParamError(f"{where} must have one of {', '.join(SOURCES)}.")
    source, value = sources[0], given[sources[0]]
    values = _checked_mapping(given.get("values", {}), f"{where}: values")
    if source == "patient":
        if value not in OF_A_PATIENT:
            raise ParamError(f"{where}: patient must be {' or '.join(OF_A_PATIENT)}.")
        return Binding(source, value, values=values)
    codes = value if isinstance(value, list) else [value]
    for code in codes:
        if not isinstance(code, str) or not CODE.fullmatch(code):
            raise ParamError(
                f"{where}: {code!r:.100} is not a code; write SYSTEM|CODE, such as http://loinc.org|8480-6."
            )
    unit = given.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise ParamError(f"{where}: unit must be text.")
    return Binding(source, codes=tuple(codes), unit=unit, values=values)


def _near(name: str, known: Mapping[str, Any] | Sequence[str]) -> str:
    near = nearest_name(name, known)
    return f"; did you mean {near!r}?" if near else f"; known: {', '.join(list(known)[:10])}"


def _of_patient(resource: Any, what: str, today: datetime.date) -> Any:
    patient = _mapping(resource)
    if what == "gender":
        if patient.get("gender") in ("male", "female", "other"):
            return patient["gender"]
        raise LookupError
    born = patient.get("birthDate")
    whole = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", born) if isinstance(born, str) else None
    if whole is None:
        raise LookupError  # a year alone does not give the age
    try:
        birthday = datetime.date.fromisoformat(whole.group())
    except ValueError:
        raise LookupError from None
    before = (today.month, today.day) < (birthday.month, birthday.day)
    if birthday > today:
        raise LookupError
    return today.year - birthday.year - before


def _entries(bundle: Any, kind: str) -> list[Mapping[str, Any]]:
    """Resources of a search's answer; ``LookupError`` where there was none."""
    bundle = _mapping(bundle)
    if bundle.get("resourceType") == kind:
        resources = [bundle]
    elif bundle.get("resourceType") == "Bundle":
        entries = bundle.get("entry", [])
        resources = [_mapping(_mapping(entry).get("resource")) for entry in _list(entries)]
    else:
        raise LookupError
    return [r for r in resources if r.get("resourceType") == kind and not _is_dead(r)]


def patients_of(content: Any) -> set[str]:
    """The ids of all patients to whom a resource, or those of a bundle, belong.

    Examples
    --------
    >>> from elseif.serving.fhir_bindings import patients_of
    >>> patients_of({"resourceType": "Condition", "subject": {"reference": "Patient/12"}})
    {'12'}
    """
    content = _mapping(content)
    if content.get("resourceType") == "Bundle":
        entries = (
            _mapping(_mapping(entry).get("resource")) for entry in _list(content.get("entry"))
        )
        return set().union(*map(patients_of, entries))
    if content.get("resourceType") == "Patient":
        return {content["id"]} if isinstance(content.get("id"), str) else set()
    subject = content.get("subject", content.get("patient"))  # the latter before release 3
    reference = _mapping(subject).get("reference")
    match = REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    return {match[1]} if match else set()


def _has_more(bundle: Any) -> bool:
    """Whether a search has more answers than are in the bundle."""
    bundle = _mapping(bundle)
    links, total = _list(bundle.get("link")), bundle.get("total")
    has_next = any(_mapping(link).get("relation") == "next" for link in links)
    return has_next or (isinstance(total, int) and total > len(_list(bundle.get("entry"))))


def _is_dead(resource: Mapping[str, Any]) -> bool:
    if resource.get("doNotPerform") is True:
        return True
    verified = resource.get("verificationStatus")  # a plain code before release 4 of FHIR
    codings = _list(_mapping(verified).get("coding"))
    codes = [
        resource.get("status"),
        verified,
        *(_mapping(coding).get("code") for coding in codings),
    ]
    return any(code in DEAD for code in codes if isinstance(code, str))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
