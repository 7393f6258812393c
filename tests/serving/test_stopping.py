"""``elseif serve`` is stopped while it answers: requests are answered to their end, or told so."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from elseif import export_model
from tests.cli.program import heed_interrupts
from tests.serving.models import ward_model

# the program, with answers that take as many seconds as the case says, and little patience
PROGRAM = """
import sys, time
from elseif.cli import main
from elseif.serving import ServedModel, running, slow_clients
running.SECONDS_TO_END, slow_clients.PATIENCE = 3, 0.5
answers = ServedModel.answers
def slowly(self, cases):
    time.sleep(cases[0]["age"])
    return answers(self, cases)
ServedModel.answers = slowly
main.main()
"""


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served") / "stroke.json"
    path.write_text(export_model(ward_model(), "json"))
    return path


@contextmanager
def server(model: Path, *options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A server that listens, by its port."""
    command = [sys.executable, "-c", PROGRAM, "serve", str(model), "--port", "0", *options]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        try:
            assert process.stderr is not None
            said = next(line for line in process.stderr if "Serving on" in line)
            yield int(said.split(";")[0].rpartition(":")[2]), process
        finally:
            process.kill()


def asking(port: int, body: bytes, length: int) -> socket.socket:
    """A connection on which a request was sent, or the first bytes of one."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(request_of(body, length))
    return connection


def request_of(body: bytes, length: int) -> bytes:
    """A request for a prediction."""
    head = f"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + body


def answer(connection: socket.socket) -> tuple[int, dict[str, object]]:
    """Status and body; the server closes the connection."""
    content = b""
    while more := connection.recv(65536):
        content += more
    connection.close()
    head, _, body = content.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def test_a_request_is_answered_to_its_end(model_file: Path) -> None:
    """Also one that takes longer than the second that other commands get to clean up."""
    body = json.dumps({"case": {"age": 2, "heart failure": True, "systolic": 150}}).encode()
    with server(model_file) as (port, process):
        connection = asking(port, body, len(body))
        time.sleep(0.5)  # until it is at work
        process.send_signal(signal.SIGTERM)
        status, content = answer(connection)
        assert (status, "prediction" in content) == (200, True)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_a_request_that_does_not_end(model_file: Path) -> None:
    """Is told that the server stops; nobody is shown a traceback, of any worker."""
    with server(model_file, "--workers", "2") as (port, process):
        connection = asking(port, b'{"case', 100)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        status, content = answer(connection)
        assert (status, content) == (503, {"error": "The server is being stopped."})
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "case" not in err


def test_clients_that_are_slow(model_file: Path) -> None:
    """Are not waited for: no line, half a line, bytes that drip, answers that are not read."""
    with server(model_file) as (port, _), ExitStack() as ends:

        def connection(sent: bytes) -> socket.socket:
            made = ends.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            made.sendall(sent)
            return made

        silent, half = connection(b""), connection(b"POST /predict HT")
        dripping = connection(b"GET /healthz HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            send_again_and_again(dripping, b"X-More: 1\r\n")
        assert [silent.recv(1000), half.recv(1000)] == [b"", b""]
        body = json.dumps({"case": {"age": 1, "heart failure": True, "systolic": 1}}).encode()
        busy = ends.enter_context(asking(port, body, len(body)))
        assert busy.recv(100).startswith(b"HTTP/1.1 200")  # which takes longer than that
        many = json.dumps({"cases": [{"age": 0, "heart failure": True, "systolic": 1}] * 1000})
        unread = ends.enter_context(asking(port, many.encode(), len(many)))
        with pytest.raises(ConnectionError):
            send_again_and_again(unread, request_of(many.encode(), len(many)))


def send_again_and_again(connection: socket.socket, content: bytes) -> None:
    """Until the other side ends the connection; TimeoutError where it only reads no more."""
    for _ in range(600):
        connection.sendall(content)
        time.sleep(0.1)
