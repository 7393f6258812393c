"""Requests that mean harm, or are none: each is refused in a sentence, at once."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from elseif.serving import Limits, ServedModel, make_app
from tests.serving.models import all_kinds, served_ward

CASE = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}
BODY = json.dumps({"case": CASE}).encode()


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(make_app([served_ward()]))


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a",
             "application/xml", "text/json-like", "", None],
)  # fmt: skip
def test_only_json_is_read(client: TestClient, kind: str | None) -> None:
    """A page of another origin may send the others, or nothing, without asking first."""
    headers = {} if kind is None else {"Content-Type": kind}
    for path in ("/predict", "/explain"):
        refused = client.post(path, content=BODY, headers=headers)
        assert refused.status_code == 415
        assert "Content-Type: application/json" in refused.json()["error"]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/FHIR+JSON"])
def test_json_by_its_other_names(client: TestClient, kind: str) -> None:
    assert client.post("/predict", content=BODY, headers={"Content-Type": kind}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/nowhere", 404, "There is nothing at /nowhere"),
        ("GET", "/predict", 405, "/predict answers POST, not GET"),
        ("DELETE", "/healthz", 405, "/healthz answers GET"),
        ("OPTIONS", "/explain", 405, "/explain answers POST, not OPTIONS"),
        ("GET", "/calculator/..%2f..%2fetc%2fpasswd", 404, "There is nothing at"),
        ("POST", "/predict/", 404, "There is nothing at /predict/"),
        ("GET", "/" + "a" * 5000, 404, "There is nothing at /aaa"),
        ("GET", "/calculator/%00%ff", 404, "There is no model"),
    ],
)
def test_addresses_that_are_none(
    client: TestClient, method: str, path: str, status: int, words: str
) -> None:
    """Answered like all others: in JSON, not cached, and counted."""
    response = client.request(method, path)
    assert response.status_code == status
    assert words in response.json()["error"]
    assert len(response.text) < 500
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    if status == 405:
        assert response.headers["allow"]
    assert f'status="{status}"' in client.get("/metrics").text


def test_head_has_no_body(client: TestClient) -> None:
    """For those who look whether the server is up."""
    for path, status in (("/healthz", 200), ("/predict", 405), ("/nowhere", 404)):
        response = client.head(path)
        assert (response.status_code, response.content) == (status, b"")


@pytest.mark.parametrize(
    "body",
    [
        {"case": {}, "model": "x" * 100_000},
        {"case": {}, "model": [["x" * 100] * 1_000]},
        {"x" * 100_000: 1},
        {"case": {"x" * 900_000: 1}},
        {"case": {"systolic" * 100_000: 1}},
        {"case": {"age": "x" * 900_000}},
        {"case": {"age": [1] * 100_000}},
        {"cases": [{"sex": "x" * 1_000}] * 51},
    ],
    ids=["name", "names", "key", "column", "near a column", "text", "list", "open"],
)
def test_long_requests_get_short_answers(client: TestClient, body: dict[str, Any]) -> None:
    """Nothing is sent back at length."""
    response = client.post("/predict", json=body)
    assert response.status_code in (404, 422)
    assert len(response.text) < 500


def test_a_model_has_to_be_named() -> None:
    """Where there are several, and the sentence says how."""
    clf, _ = all_kinds()
    two = TestClient(make_app([served_ward(), ServedModel("all", clf.model_)]))
    refused = two.post("/predict", json={"case": CASE})
    assert refused.status_code == 404
    assert refused.json()["error"] == 'Choose a model: stroke or all, as {"model": ...}.'


def asked_by_hand(app: Any, messages: list[dict[str, Any]], wait: float = 0.0) -> list[Any]:
    """What an application sends for the messages of a client that is then silent."""
    sent: list[Any] = []
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        if waiting:
            await asyncio.sleep(wait)
            return waiting.pop(0)
        await asyncio.sleep(60)
        raise AssertionError("the application waits for ever")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/predict", "raw_path": b"/predict",
        "query_string": b"", "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    # in a thread of its own: a browser of another test may have left an event loop in this one
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    return sent


def test_a_body_that_does_not_arrive() -> None:
    """Is waited for no longer than an answer may take, however its bytes drip."""
    app = make_app([served_ward()], Limits(seconds=0.2))
    drops = [{"type": "http.request", "body": b" ", "more_body": True}] * 100
    for messages in (drops[:1], drops):
        sent = asked_by_hand(app, messages, wait=0.05)
        assert sent[0]["status"] == 408
        assert b"within 0.2 seconds" in sent[1]["body"]


def test_a_client_that_goes_away() -> None:
    """Is no failure of the server."""
    app = make_app([served_ward()])
    gone = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert asked_by_hand(app, gone)[0]["status"] == 400
    assert 'status="500"' not in TestClient(app).get("/metrics").text
