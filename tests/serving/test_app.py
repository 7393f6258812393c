"""The server's addresses, limits and errors."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from starlette.testclient import TestClient

from elseif.errors import ParamError
from elseif.serving import Limits, ServedModel, make_app
from tests.serving.models import all_kinds, json_cases, served_ward, ward_model

CASE = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(make_app([served_ward()]))


def test_predictions(client: TestClient) -> None:
    """Of one case and of many, with the name and digest of what answered."""
    one = client.post("/predict", json={"case": CASE}).json()
    assert one["model"] == {"name": "stroke", "sha256": "0" * 64, "synthetic": False}
    assert one["prediction"]["rule"] == 1
    assert one["prediction"]["predicted"] == "stroke"
    many = client.post("/predict", json={"cases": [CASE, {"age": 50}]}).json()
    assert many["predictions"][0] == one["prediction"]
    assert many["predictions"][1]["rule"] is None
    assert client.post("/predict", json={"cases": []}).json()["predictions"] == []


def test_explanations(client: TestClient) -> None:
    """With text for people."""
    answer = client.post("/explain", json={"case": CASE}).json()
    assert answer["text"].startswith("Probability of stroke")
    assert answer["explanation"]["fired"]["place"] == 0


def test_pages(client: TestClient) -> None:
    """The calculator of the only model; nothing is cached."""
    response = client.get("/")
    assert response.url.path == "/calculator/stroke"
    assert "Probability of stroke" in response.text
    assert response.headers["cache-control"] == "no-store"
    assert client.get("/calculator/other").status_code == 404


def test_health_and_metrics(client: TestClient) -> None:
    """Counts by address and status, and nothing of a case."""
    assert client.get("/healthz").json()["status"] == "ok"
    client.post("/predict", json={"case": {"age": 77.125}})
    text = client.get("/metrics").text
    assert 'elseif_requests_total{route="/predict",status="200"}' in text
    assert "elseif_request_seconds_bucket" in text
    assert "77.125" not in text


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 422, "not whole JSON"),
        (b"[]", 422, "must be a JSON object"),
        (b'{"case": 1}', 422, "must be an object"),
        (b'{"cases": {}}', 422, "must be an object"),
        (b'{"case": {}, "cases": []}', 422, "either case"),
        (b"{}", 422, "either case"),
        (b'{"case": {}, "rows": 1}', 422, "Unknown field 'rows'"),
        (b'{"case": {"age": NaN}}', 422, "NaN"),
        (b'{"case": {"age": 1, "age": 2}}', 422, "twice"),
        (b'{"case": {"age": "old"}}', 422, "age"),
        (b'{"case": {"age": [80]}}', 422, "a list"),
        (b'{"case": {}, "model": "other"}', 404, "There is no model 'other'; there are stroke"),
        (b'{"case": {}, "model": 3}', 404, "There is no model 3"),
        (b"[" * 100_000, 422, "levels deep"),
        (b'{"case": {"age": "\xff"}}', 422, "UTF-8"),
    ],
)
def test_bad_requests(client: TestClient, body: bytes, status: int, words: str) -> None:
    """Each is a sentence, never a traceback."""
    response = client.post("/predict", content=body, headers=JSON)
    assert response.status_code == status, response.text
    assert words in response.json()["error"]
    assert "model file" not in response.text


def test_limits() -> None:
    """Bodies, cases and time are bounded; what is beyond is refused before any work."""
    app = make_app([served_ward()], Limits(body=1000, cases=3, seconds=0.2))
    client = TestClient(app)
    large = client.post("/predict", content=b'{"case": "' + b"a" * 2000, headers=JSON)
    assert (large.status_code, "1,000 bytes" in large.text) == (413, True)
    many = client.post("/predict", json={"cases": [{}] * 4})
    assert (many.status_code, "4 cases" in many.text) == (413, True)


def test_an_answer_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is given up, and health is answered all the same."""
    served = served_ward()
    monkeypatch.setattr(ServedModel, "answers", lambda *_: time.sleep(2))
    client = TestClient(make_app([served], Limits(seconds=0.05)))
    late = client.post("/predict", json={"case": CASE})
    assert (late.status_code, "within 0.05 seconds" in late.text) == (503, True)
    assert client.get("/healthz").status_code == 200


def test_work_that_is_given_up_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that were answered by "no answer in time" leave threads, which are bounded."""
    monkeypatch.setattr(ServedModel, "answers", lambda *_: time.sleep(1.5))
    client = TestClient(make_app([served_ward()], Limits(seconds=0.05, at_once=2)))
    texts = [client.post("/predict", json={"case": CASE}).text for _ in range(4)]
    assert ["within 0.05 seconds" in text for text in texts] == [True, True, False, False]
    assert "2 requests are being answered" in texts[-1]
    time.sleep(1.6)
    assert "within 0.05 seconds" in client.post("/predict", json={"case": CASE}).text


def test_a_failure_says_nothing_of_the_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of our own is one sentence, and is counted."""
    monkeypatch.setattr(ServedModel, "answers", lambda *_: 1 / 0)
    client = TestClient(make_app([served_ward()]))
    response = client.post("/predict", json={"case": CASE})
    assert response.status_code == 500
    assert response.json() == {"error": "The server failed on this request."}
    assert 'status="500"' in client.get("/metrics").text


def test_many_cases_with_unknown_values(client: TestClient) -> None:
    """Each is a search, so there is a limit; cases with all values have the larger one."""
    refused = client.post("/predict", json={"cases": [{}] * 51})
    assert (refused.status_code, "51 cases lack columns" in refused.text) == (422, True)
    assert client.post("/predict", json={"cases": [CASE] * 200}).status_code == 200
    half = client.post("/predict", content=b'{"case": {"sex": "\\ud800"}}', headers=JSON)
    assert (half.status_code, "an unpaired surrogate" in half.text) == (422, True)


def test_several_models() -> None:
    """A request says which; the front page links to all; names must differ."""
    clf, X = all_kinds()
    hostile = ServedModel('<b>"x', clf.model_)
    client = TestClient(make_app([served_ward(), hostile]))
    page = client.get("/").text
    assert "<b>" not in page
    assert 'href="calculator/stroke"' in page
    assert client.get("/calculator/%3Cb%3E%22x").status_code == 200
    assert client.post("/predict", json={"case": CASE}).status_code == 404
    asked = client.post("/predict", json={"cases": json_cases(X), "model": '<b>"x'})
    assert asked.status_code == 200
    assert {m["name"] for m in client.get("/models").json()["models"]} == {"stroke", '<b>"x'}
    with pytest.raises(ParamError, match="Two models are called 'stroke'"):
        make_app([served_ward(), served_ward()])
    with pytest.raises(ParamError, match="needs a model"):
        make_app([])


def test_origins() -> None:
    """No other origin may ask, unless it is named."""
    asked = {"Origin": "https://ehr.example"}
    closed = TestClient(make_app([served_ward()])).get("/healthz", headers=asked)
    assert "access-control-allow-origin" not in closed.headers
    app = make_app([served_ward()], allow_origins=["https://ehr.example"])
    named = TestClient(app).get("/healthz", headers=asked)
    assert named.headers["access-control-allow-origin"] == "https://ehr.example"


@pytest.fixture(scope="module")
def openapi_schema() -> Any:
    clf, _ = all_kinds()
    app = make_app([ServedModel("all", clf.model_), ServedModel("stroke", ward_model())])
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def test_openapi_is_true(openapi_schema: Any) -> None:
    """Requests made from the document, right and wrong ones, are answered as it says."""
    n_operations = 0
    for operation in openapi_schema.get_all_operations():
        n_operations += 1
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            check_operation(operation.ok().as_strategy(generation_mode=mode))
    assert n_operations == 4


def check_operation(requests: Any) -> None:
    """Call one address with requests drawn from a strategy."""

    @settings(
        max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    @given(case=requests)
    def call(case: Any) -> None:
        case.call_and_validate()

    with contextlib.suppress(Unsatisfiable):  # an address without a body has no wrong request
        call()


def test_the_document_is_json(client: TestClient) -> None:
    """And names every column that the list asks for."""
    document = json.loads(client.get("/openapi.json").text)
    case = document["paths"]["/explain"]["post"]["requestBody"]["content"]["application/json"]
    assert set(case["schema"]["anyOf"][0]["properties"]["case"]["properties"]) == {
        "age",
        "sex",
        "heart failure",
        "systolic",
    }
