"""Cards for a record system, asked as the CDS Hooks specification shows."""

from __future__ import annotations

import copy
import dataclasses
import datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from elseif.errors import ParamError
from elseif.serving import make_app, read_bindings
from elseif.serving.cds_hooks import case_of, prefetch_templates
from elseif.serving.fhir_bindings import Bindings
from elseif.serving.observation_times import EARLIEST, time_of
from tests.serving.models import served_ward

YAML = """
stroke:
  age: {patient: age}
  sex: {patient: gender}
  heart failure:
    condition: [http://snomed.info/sct|84114007, http://hl7.org/fhir/sid/icd-10-cm|I50.9]
  systolic: {observation: http://loinc.org|8480-6, unit: "mm[Hg]"}
"""
COLUMNS = {"stroke": ["age", "sex", "heart failure", "systolic"]}

# the example of the specification (patient-view), with the prefetched resources that we ask for
REQUEST: dict[str, Any] = {
    "hookInstance": "d1577c69-dfbe-44ad-ba6d-3e05e953b2ea",
    "fhirServer": "http://hooks.smarthealthit.org:9080",
    "hook": "patient-view",
    "fhirAuthorization": {
        "access_token": "some-opaque-fhir-access-token",
        "token_type": "Bearer",
        "expires_in": 300,
        "scope": "user/Patient.read user/Observation.read",
        "subject": "cds-service4",
    },
    "context": {"userId": "Practitioner/example", "patientId": "1288992", "encounterId": "89284"},
    "prefetch": {
        "patient": {
            "resourceType": "Patient",
            "gender": "male",
            "birthDate": "1925-12-23",
            "id": "1288992",
            "active": True,
        },
        "search1": {
            "resourceType": "Bundle",
            "entry": [
                {
                    "resource": {
                        "resourceType": "Condition",
                        "code": {
                            "coding": [{"system": "http://snomed.info/sct", "code": "84114007"}]
                        },
                    }
                }
            ],
        },
        "search2": {
            "resourceType": "Bundle",
            "entry": [
                {
                    "resource": {
                        "resourceType": "Observation",
                        "status": "final",
                        "code": {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]},
                        "effectiveDateTime": "2026-03-01",
                        "valueQuantity": {"value": 151, "unit": "mmHg", "code": "mm[Hg]"},
                    }
                }
            ],
        },
    },
}


@pytest.fixture(scope="module")
def bindings(tmp_path_factory: pytest.TempPathFactory) -> Bindings:
    path = tmp_path_factory.mktemp("fhir") / "fhir.yaml"
    path.write_text(YAML)
    return read_bindings(path, COLUMNS)


@pytest.fixture(scope="module")
def client(bindings: Bindings) -> TestClient:
    return TestClient(make_app([served_ward()], bindings=bindings))


def asked(client: TestClient, request: dict[str, Any]) -> Any:
    return client.post("/cds-services/stroke", json=request)


def test_services_are_announced(client: TestClient) -> None:
    """With what a record system fetches beforehand: each search once."""
    (service,) = client.get("/cds-services").json()["services"]
    assert (service["hook"], service["id"]) == ("patient-view", "stroke")
    assert service["prefetch"] == {
        "patient": "Patient/{{context.patientId}}",
        "search1": "Condition?patient={{context.patientId}}&code=http://snomed.info/sct|84114007,"
        "http://hl7.org/fhir/sid/icd-10-cm|I50.9",
        "search2": "Observation?patient={{context.patientId}}&code=http://loinc.org|8480-6"
        "&_sort=-date&_count=1",
    }
    without = TestClient(make_app([served_ward()]))
    assert without.get("/cds-services").json() == {"services": []}
    assert without.post("/cds-services/stroke", json=REQUEST).status_code == 404


def test_the_specifications_example_is_answered(client: TestClient) -> None:
    """By a card with the line that applies and its interval, and nothing of the patient."""
    (card,) = asked(client, REQUEST).json()["cards"]
    answer = served_ward().answers(
        [{"age": 100, "sex": "male", "heart failure": True, "systolic": 151}]
    )[0]
    assert answer["rule"] == 1
    assert card["indicator"] == "info"
    assert card["summary"].startswith("Probability of stroke: ")
    assert f"{100 * answer['probabilities'][1]['probability']:.0f}%" in card["summary"]
    assert len(card["summary"]) <= 140
    assert "Line 1 applies: age \\> 70 and heart failure" in card["detail"]
    assert card["source"]["label"].startswith("stroke")
    assert "1288992" not in str(card)


def test_what_is_not_recorded_is_not_known(client: TestClient) -> None:
    """An observation that is absent leaves a range; a condition that was looked for is absent."""
    request = copy.deepcopy(REQUEST)
    request["prefetch"]["search1"] = {"resourceType": "Bundle", "total": 0}
    request["prefetch"]["search2"] = {"resourceType": "Bundle"}
    (card,) = asked(client, request).json()["cards"]
    assert "between" in card["summary"]
    assert "Not known, and worth recording: systolic" in card["detail"]
    assert "The range is over the lines that could apply." in card["detail"]
    del request["prefetch"]["search1"]  # nobody looked for it
    (card,) = asked(client, request).json()["cards"]
    assert "heart failure" in card["detail"]
    del request["prefetch"]
    assert "between" in asked(client, request).json()["cards"][0]["summary"]


def test_records_that_say_nothing(bindings: Bindings) -> None:
    """Refuted conditions, observations entered in error, and birth dates of a year alone."""
    today = datetime.date(2026, 12, 22)
    prefetch = copy.deepcopy(REQUEST["prefetch"])
    assert case_of(prefetch, bindings["stroke"], today)["age"] == 100
    tomorrow = today + datetime.timedelta(days=1)
    assert case_of(prefetch, bindings["stroke"], tomorrow)["age"] == 101
    condition = prefetch["search1"]["entry"][0]["resource"]
    condition["verificationStatus"] = {"coding": [{"code": "refuted"}]}
    prefetch["search2"]["entry"][0]["resource"]["status"] = "entered-in-error"
    prefetch["patient"]["birthDate"] = "1925"
    prefetch["patient"]["gender"] = "unknown"
    assert case_of(prefetch, bindings["stroke"], today) == {"heart failure": False}


def resource_of(prefetch: dict[str, Any], search: str) -> dict[str, Any]:
    resource: dict[str, Any] = prefetch[search]["entry"][0]["resource"]
    return resource


def test_a_record_by_itself_may_say_nothing_too(bindings: Bindings) -> None:
    """A refuted condition is none, whether it comes in a bundle or alone."""
    prefetch = copy.deepcopy(REQUEST["prefetch"])
    prefetch["search1"] = resource_of(prefetch, "search1")
    today = datetime.date(2026, 12, 22)
    assert case_of(prefetch, bindings["stroke"], today)["heart failure"] is True
    prefetch["search1"]["verificationStatus"] = {"coding": [{"code": "refuted"}]}
    assert case_of(prefetch, bindings["stroke"], today)["heart failure"] is False


def test_an_answer_of_several_pages(bindings: Bindings) -> None:
    """What is not on the first page may be on another, so it is not known."""
    prefetch, today = copy.deepcopy(REQUEST["prefetch"]), datetime.date(2026, 12, 22)
    pages = [{"relation": "next", "url": "https://ehr.example/page/2"}]
    prefetch["search1"]["link"] = prefetch["search2"]["link"] = pages
    assert case_of(prefetch, bindings["stroke"], today)["heart failure"] is True
    resource_of(prefetch, "search1")["verificationStatus"] = {"coding": [{"code": "refuted"}]}
    assert "heart failure" not in case_of(prefetch, bindings["stroke"], today)
    prefetch["search1"]["link"][0]["relation"] = "self"
    assert case_of(prefetch, bindings["stroke"], today)["heart failure"] is False


def test_more_found_than_sent(bindings: Bindings) -> None:
    """A search of which only the number of answers came has found something."""
    binding, today = bindings["stroke"]["heart failure"], datetime.date(2026, 12, 22)
    with pytest.raises(LookupError):
        binding.value({"resourceType": "Bundle", "total": 1}, today)
    assert binding.value({"resourceType": "Bundle", "total": 0, "entry": []}, today) is False


@pytest.mark.parametrize(
    ("kind", "described"),
    [
        ("condition", {"code": {"text": "heart failure"}}),
        ("condition", {}),
        ("medication", {"medicationReference": {"reference": "Medication/1"}}),
        ("medication", {"medication": {"reference": {"reference": "Medication/1"}}}),
    ],
)
def test_a_record_without_a_code_is_not_known(
    kind: str, described: dict[str, Any], tmp_path: Path
) -> None:
    """Rather than taken for "no": a record described in words, or by a reference."""
    path, today = tmp_path / "fhir.yaml", datetime.date(2026, 12, 22)
    path.write_text(f"stroke: {{heart failure: {{{kind}: http://rx|1}}}}")
    binding = read_bindings(path, COLUMNS)["stroke"]["heart failure"]
    other = {"coding": [{"system": "http://rx", "code": "2"}]}
    record = {"resourceType": "Condition" if kind == "condition" else "MedicationRequest"}
    coded = {**record, "code": other, "medicationCodeableConcept": other}
    assert binding.value({"resourceType": "Bundle", "entry": [{"resource": coded}]}, today) is False
    entries = [{"resource": coded}, {"resource": {**record, **described}}]
    with pytest.raises(LookupError):
        binding.value({"resourceType": "Bundle", "entry": entries}, today)


def test_other_releases_of_fhir(bindings: Bindings, tmp_path: Path) -> None:
    """A plain code for what was refuted (releases 2 and 3), and a medication's concept (5)."""
    path, today = tmp_path / "fhir.yaml", datetime.date(2026, 12, 22)
    refuted = copy.deepcopy(resource_of(REQUEST["prefetch"], "search1"))
    assert bindings["stroke"]["heart failure"].value(refuted, today) is True
    refuted["verificationStatus"] = "refuted"
    assert bindings["stroke"]["heart failure"].value(refuted, today) is False
    path.write_text("stroke: {heart failure: {medication: http://rx|1}}")
    coding = [{"system": "http://rx", "code": "1"}]
    request = {"resourceType": "MedicationRequest", "medication": {"concept": {"coding": coding}}}
    binding = read_bindings(path, COLUMNS)["stroke"]["heart failure"]
    assert binding.value(request, today) is True


@pytest.mark.parametrize("reference", [
    "Patient/2", "https://ehr.example/fhir/Patient/2", "Patient/2/_history/1",
])  # fmt: skip
def test_records_of_another_patient_are_refused(client: TestClient, reference: str) -> None:
    """A probability from two people's records is nobody's."""
    request = copy.deepcopy(REQUEST)
    record = resource_of(request["prefetch"], "search1")
    for own in ("Patient/1288992", "urn:uuid:8f1b", "Group/2"):
        record["subject"] = {"reference": own}
        assert asked(client, request).status_code == 200
    record["subject"] = {"reference": reference}
    response = asked(client, request)
    assert response.status_code == 422
    assert response.json()["error"] == (
        "The prefetch 'search1' has a record of another patient than that of context.patientId."
    )
    request = copy.deepcopy(REQUEST)
    request["prefetch"]["patient"]["id"] = "2"
    assert "'patient' has a record of another" in asked(client, request).json()["error"]


def test_a_code_that_looks_like_the_patients_address(tmp_path: Path) -> None:
    """Each search has a key of its own."""
    path = tmp_path / "fhir.yaml"
    path.write_text(
        "stroke: {age: {patient: age}, heart failure: {condition: http://ehr/Patient/codes|1}}"
    )
    bindings = read_bindings(path, COLUMNS)["stroke"]
    assert len(prefetch_templates(bindings)) == 2


@pytest.mark.parametrize("comparator", ["<", "<=", ">=", ">", "ad"])
def test_a_bound_is_no_value(bindings: Bindings, comparator: str) -> None:
    """A measurement beyond what the instrument can tell is not known."""
    prefetch, today = copy.deepcopy(REQUEST["prefetch"]), datetime.date(2026, 12, 22)
    resource_of(prefetch, "search2")["valueQuantity"]["comparator"] = comparator
    assert "systolic" not in case_of(prefetch, bindings["stroke"], today)


def test_medication_that_is_not_to_be_taken(tmp_path: Path) -> None:
    """A request that says so is none for the medication."""
    path = tmp_path / "fhir.yaml"
    path.write_text("stroke: {heart failure: {medication: http://rx|1}}")
    bindings = read_bindings(path, COLUMNS)["stroke"]
    coding = [{"system": "http://rx", "code": "1"}]
    request: dict[str, Any] = {
        "resourceType": "MedicationRequest",
        "status": "active",
        "medicationCodeableConcept": {"coding": coding},
    }
    bundle = {"resourceType": "Bundle", "entry": [{"resource": request}]}
    today = datetime.date(2026, 12, 22)
    assert case_of({"search0": bundle}, bindings, today) == {"heart failure": True}
    request["doNotPerform"] = True
    assert case_of({"search0": bundle}, bindings, today) == {"heart failure": False}


@pytest.mark.parametrize(
    "odd",
    [None, 3, "text", [], {"resourceType": "Bundle", "entry": 3},
     {"resourceType": "Bundle", "entry": [3, {"resource": 3}, {"resource": {"code": []}}]},
     {"resourceType": "Condition", "status": []},
     {"resourceType": "Bundle",
      "entry": [{"resource": {"resourceType": "Condition", "status": {}}}]},
     {"resourceType": "OperationOutcome"}],
)  # fmt: skip
def test_odd_resources(client: TestClient, odd: object) -> None:
    """Whatever stands in the prefetch, there is a card."""
    request = copy.deepcopy(REQUEST)
    request["prefetch"] = dict.fromkeys(("patient", "search1", "search2"), odd)
    assert asked(client, request).status_code == 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hook": ["x" * 9_000]}, "The hook is a list; the service"),
        ({"hook": "order-sign"}, "'order-sign'; the service stroke answers 'patient-view'"),
        ({"hookInstance": "1"}, "hookInstance must be a UUID"),
        ({"context": None}, "no context"),
        ({"context": {"userId": "Practitioner/example"}}, "context.patientId must be"),
        ({"prefetch": [1]}, "prefetch must be an object"),
    ],
)
def test_requests_that_are_none(client: TestClient, change: dict[str, Any], words: str) -> None:
    """Each is a sentence."""
    response = asked(client, {**REQUEST, **change})
    assert response.status_code == 422
    assert words in response.json()["error"]


def test_another_unit_is_refused(client: TestClient) -> None:
    """Rather than compared with a threshold of the unit that the list was learnt in."""
    request = copy.deepcopy(REQUEST)
    request["prefetch"]["search2"]["entry"][0]["resource"]["valueQuantity"]["code"] = "kPa"
    response = asked(client, request)
    assert response.status_code == 422
    assert "'kPa'; the list was learnt in 'mm[Hg]'" in response.json()["error"]


def test_synthetic_patients_are_never_passed_off_as_people(bindings: Bindings) -> None:
    """A card says so where it is read first, and so does every answer."""
    served = served_ward()
    cohort = {"synthetic": True, "warnings": [], "empty_groups": [], "concepts": []}
    made_up = dataclasses.replace(served, model=dataclasses.replace(served.model, cohort=cohort))
    client = TestClient(make_app([made_up], bindings=bindings))
    (card,) = asked(client, REQUEST).json()["cards"]
    assert card["summary"].startswith("SYNTHETIC patients: probability of stroke")
    assert card["detail"].startswith("SYNTHETIC patients")
    assert len(card["summary"]) <= 140
    case = {"case": {"age": 80}}
    assert client.post("/predict", json=case).json()["model"]["synthetic"] is True
    assert "SYNTHETIC" in client.get("/").text


def test_labels_that_mean_harm(bindings: Bindings) -> None:
    """Neither turn a card's text round, nor make links, nor push the number out of it."""
    served = served_ward()
    words = "ok\u202e\nCALL http://evil.example www.evil.example " + "x" * 140
    worded = served.model.with_labels({"outcome": {"event": words}})
    client = TestClient(make_app([dataclasses.replace(served, model=worded)], bindings=bindings))
    (card,) = asked(client, REQUEST).json()["cards"]
    (service,) = client.get("/cds-services").json()["services"]
    for text in (card["summary"], card["detail"], service["title"]):
        assert "\u202e" not in text
        assert "\n" not in text.replace("\n\n", "")
    assert "http://" not in card["detail"]
    assert "%" in card["summary"]


def test_feedback_is_taken(client: TestClient) -> None:
    """And not kept."""
    feedback = {"feedback": [{"card": "4e0a3a1e-3283-4575-ab82-028d55fe2719"}]}
    assert client.post("/cds-services/stroke/feedback", json=feedback).status_code == 200


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("strokes: {age: {patient: age}}", "no model is called 'strokes'; did you mean 'stroke'?"),
        ("stroke: {aged: {patient: age}}", "'aged'; did you mean 'age'?"),
        ("stroke: {age: {patient: weight}}", "patient must be age or gender"),
        ("stroke: {age: {pateint: age}}", "'pateint' is not a setting; did you mean 'patient'?"),
        ("stroke: {age: {patient: age, condition: a|b}}", "must have one of"),
        ("stroke: {age: {observation: 8480-6}}", "'8480-6' is not a code; write SYSTEM|CODE"),
        ("stroke: {age: {observation: 'a|b&c=d'}}", "is not a code"),
        ("stroke: {age: {observation: a|b, unit: 3}}", "unit must be text"),
        ("stroke: [age]", "must map names to settings, not list"),
        ("stroke: {age: [", "is not readable as YAML"),
        ("!!python/object/apply:os.system [ls]", "is not readable as YAML"),
        ("stroke: {age: {patient: age}, age: {patient: gender}}", "'age' occurs twice"),
        ("a: &x [1]\nstroke: *x", "references (& and *) are not allowed"),
    ],
)
def test_bindings_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    """An error names the file, the model and the column."""
    path = tmp_path / "fhir.yaml"
    path.write_text(text)
    with pytest.raises(ParamError) as caught:
        read_bindings(path, COLUMNS)
    assert words in str(caught.value)
    assert "fhir.yaml" in str(caught.value)


@pytest.mark.parametrize(("earlier", "later"), [
    (
        {"effectiveDateTime": "2026-01-02T00:30:00+02:00"},
        {"effectiveDateTime": "2026-01-01T23:00:00Z"},
    ),
    ({"effectiveDateTime": "2025"}, {"effectiveDateTime": "2025-06"}),
    ({"effectiveDateTime": "2026-03-01"}, {"effectiveInstant": "2026-03-01T08:00:00.125Z"}),
    (
        {"effectiveInstant": "2026-03-01T08:00:00Z"},
        {"effectivePeriod": {"start": "2026-03-01", "end": "2026-03-02"}},
    ),
    ({}, {"effectivePeriod": {"start": "1999"}}),
    ({"effectiveDateTime": "soon"}, {"effectiveDateTime": "1900-01-01"}),
    ({"effectiveDateTime": ["2026"]}, {"effectiveDateTime": "1900-01-01"}),
])  # fmt: skip
def test_the_latest_observation_counts(
    earlier: dict[str, Any], later: dict[str, Any], bindings: Bindings
) -> None:
    """By its time, in whatever form and zone, and in whatever order."""
    assert EARLIEST <= time_of(earlier) < time_of(later)
    binding = bindings["stroke"]["systolic"]
    made = REQUEST["prefetch"]["search2"]["entry"][0]["resource"]
    timeless = {name: value for name, value in made.items() if name != "effectiveDateTime"}
    entries = [
        {"resource": {**timeless, **when, "valueQuantity": {"value": value, "code": "mm[Hg]"}}}
        for when, value in ((earlier, 100), (later, 180))
    ]
    for order in (entries, entries[::-1]):
        bundle = {"resourceType": "Bundle", "entry": order}
        assert binding.value(bundle, datetime.date(2026, 4, 1)) == 180
