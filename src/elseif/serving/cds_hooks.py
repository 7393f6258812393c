"""CDS Hooks: a record system asks when a patient is opened, and shows the card that comes back.

The specification is that of HL7, release 2.0. Rows are never stored or logged.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from typing import Any

from elseif.errors import DataError
from elseif.phrases import clipped
from elseif.serving.fhir_bindings import PATIENT, Binding, patients_of
from elseif.serving.requests import shown
from elseif.serving.served_model import Answer, ServedModel
from elseif.showing.list_text import shown_labels
from elseif.showing.numbers import interval_text, percent
from elseif.tables.federated import federation_in_short
from elseif.tables.origin import SYNTHETIC, recalibration_sentence, says_so
from elseif.visible import show_name, visible

HOOK = "patient-view"
LONGEST_SUMMARY = 140  # characters, by the specification
LONGEST_NAME = 60  # of a label, so that its number is in the summary too


def service(served: ServedModel, bindings: Mapping[str, Binding]) -> dict[str, Any]:
    """A model's entry in ``/cds-services``, with the searches to be answered beforehand."""
    outcome = _outcome(served)
    return {
        "hook": HOOK,
        "id": served.name,
        "title": says_so(f"Probability of {outcome}", served.model.is_synthetic),
        "description": f"The line of a rule list for {outcome} that applies to the patient.",
        "prefetch": prefetch_templates(bindings),
    }


def prefetch_templates(bindings: Mapping[str, Binding]) -> dict[str, str]:
    """Searches by key, each once; the key of a column is its number in the file."""
    keys = _keys(bindings)
    return {keys[binding.template()]: binding.template() for binding in bindings.values()}


def _keys(bindings: Mapping[str, Binding]) -> dict[str, str]:
    templates = dict.fromkeys(binding.template() for binding in bindings.values())
    names = ("patient" if text == PATIENT else f"search{i}" for i, text in enumerate(templates))
    return dict(zip(templates, names, strict=True))


def read_request(request: Any, service_id: str) -> Mapping[str, Any]:
    """The prefetched resources of a request, checked as far as the card depends on them."""
    if not isinstance(request, dict):
        raise DataError("A CDS Hooks request is a JSON object.")
    if request.get("hook") != HOOK:
        raise DataError(
            f"The hook is {shown(request.get('hook'))}; the service {service_id} answers {HOOK!r}."
        )
    try:
        uuid.UUID(str(request.get("hookInstance")))
    except ValueError:
        raise DataError("hookInstance must be a UUID.") from None
    context = request.get("context")
    if not isinstance(context, dict):
        raise DataError("The request has no context.")
    patient = context.get("patientId")
    if not isinstance(patient, str):
        raise DataError("context.patientId must be the patient's id, as text.")
    prefetch = request.get("prefetch") or {}
    if not isinstance(prefetch, dict):
        raise DataError("prefetch must be an object.")
    for key, resource in prefetch.items():
        if patients_of(resource) - {patient}:
            raise DataError(
                f"The prefetch {shown(key)} has a record of another patient than that of "
                "context.patientId."
            )
    return prefetch


def case_of(
    prefetch: Mapping[str, Any], bindings: Mapping[str, Binding], today: datetime.date
) -> dict[str, Any]:
    """Values by column; what the record does not contain is left out, and so unknown."""
    keys, case = _keys(bindings), {}
    for column, binding in bindings.items():
        try:
            case[column] = binding.value(prefetch.get(keys[binding.template()]), today)
        except LookupError:
            continue
    return case


def card(served: ServedModel, answer: Answer) -> dict[str, Any]:
    """A card with the answer for a patient.

    Its indicator is "info": a rule list informs, and does not say what to do.
    """
    is_open = answer["rule"] is None
    shown = [answer["probabilities"][i] for i in shown_labels(served.rule_list)]
    texts = [_probability(each, is_open) for each in shown]
    summary = says_so("; ".join(texts), served.model.is_synthetic)
    return {
        "uuid": str(uuid.uuid4()),
        "summary": clipped(summary, LONGEST_SUMMARY),
        "indicator": "info",
        "detail": _detail(served, answer, texts),
        "source": {"label": f"{served.name} (elseif rule list, {served.sha256[:12] or 'unsaved'})"},
    }


def _probability(each: Mapping[str, Any], is_open: bool) -> str:
    if is_open:
        low, high = percent(each["lowest"]), percent(each["highest"])
        return f"Probability of {_name(each['label'])}: between {low} and {high}"
    text = interval_text(each["probability"], *each["interval"])
    return f"Probability of {_name(each['label'])}: {text}"


def _name(text: str) -> str:
    """A label in one short line that shows all its characters."""
    return show_name(" ".join(text.split()), LONGEST_NAME)


def _detail(served: ServedModel, answer: Answer, texts: list[str]) -> str:
    """Markdown without anything of the patient but the line that applies."""
    if answer["rule"] is None:
        why = f"Not known, and worth recording: {', '.join(map(_escaped, answer['ask']))}."
    else:
        why = f"Line {answer['rule']} applies: {_escaped(answer['condition'])}."
    lines = [*map(_escaped, texts), why]
    if served.model.is_synthetic:
        lines.insert(0, SYNTHETIC)
    if served.model.edited:
        lines.append("The list was edited by hand.")
    if served.model.recalibrated is not None:
        lines.append(recalibration_sentence(served.model.recalibrated))
    if served.model.federation is not None:
        lines.append(federation_in_short(served.model.federation))
    is_open = answer["rule"] is None
    lines.append(
        "The range is over the lines that could apply."
        if is_open
        else "The interval is a 95% credible interval."
    )
    return "\n\n".join(lines)


def _escaped(text: str) -> str:
    """Literal text in Markdown."""
    special = "\\`*_[]<>#|~&"
    one_line = visible(" ".join(text.split()))
    escaped = "".join(f"\\{c}" if c in special else c for c in one_line)
    return escaped.replace("://", ":\u200b//").replace("www.", "www\u200b.")  # no links


def _outcome(served: ServedModel) -> str:
    names = served.rule_list.metadata.label_names
    return " or ".join(_name(names[i]) for i in shown_labels(served.rule_list))
