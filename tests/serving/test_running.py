"""``elseif serve`` as a process: it answers, says nothing of cases, and ends when told."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from elseif import export_model
from elseif.cli.main import run
from elseif.serving.running import ServerOptions
from elseif.serving.served_model import ServedModel
from tests.cli.program import PROGRAM, heed_interrupts
from tests.serving.models import ward_model

ROOT = Path(__file__).parents[2]
CASE = {"age": 80, "heart failure": True, "sex": "male", "systolic": 150}


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served") / "stroke.json"
    path.write_text(export_model(ward_model(), "json"))
    return path


def without_compiling(err: str) -> str:
    """What is said, but for the note on code that no cache had."""
    return "".join(line for line in err.splitlines(True) if "compiling what" not in line)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def server(model: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server that answers, by its address."""
    port = free_port()
    command = [*PROGRAM, "serve", str(model), "--port", str(port), *options]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    ) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{address}/healthz", process)
            yield address, process
        finally:
            process.kill()


def wait_for(address: str, process: subprocess.Popen[str]) -> None:
    for _ in range(1200):
        assert process.poll() is None, process.communicate()
        try:
            urllib.request.urlopen(address, timeout=5).read()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server does not answer")


def post(address: str, body: object) -> Any:
    request = urllib.request.Request(
        f"{address}/predict", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    return json.load(urllib.request.urlopen(request, timeout=60))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_and_ends(model_file: Path, number: signal.Signals) -> None:
    """A server that is stopped has done what it was asked; nothing of a case was printed."""
    with server(model_file) as (address, process):
        assert post(address, {"case": CASE})["prediction"]["rule"] == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""
    assert without_compiling(err).startswith("elseif: Serving on http://127.0.0.1:")
    assert "150" not in err
    assert "Traceback" not in err


def test_code_is_compiled_before_anything_listens(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first request would else exceed its time, again in every new container."""
    explained = []
    monkeypatch.setattr(ServedModel, "explain", lambda _, case: explained.append(case))
    ServerOptions(models=(str(model_file),)).app()
    assert explained == [dict.fromkeys(["age", "sex", "heart failure", "systolic"])]


def test_workers_share_their_metrics(model_file: Path) -> None:
    """Whichever answers, all cases are counted."""
    with server(model_file, "--workers", "2") as (address, process):
        for _ in range(20):
            post(address, {"case": CASE})
        text = urllib.request.urlopen(f"{address}/metrics", timeout=60).read().decode()
        assert 'elseif_cases_total{model="stroke"} 20.0' in text
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_a_port_that_is_taken(model_file: Path) -> None:
    """Is an error with the address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        # as a process: an event loop may be running in this one, left by another test's browser
        command = [*PROGRAM, "serve", str(model_file), "--port", str(port)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 4
    assert ended.stderr.startswith(f"elseif: The server could not listen on 127.0.0.1:{port}")
    assert "--port" in ended.stderr
    assert "Serving on" not in ended.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_once_it_says_so_it_listens(model_file: Path, workers: str) -> None:
    """A client that connects as soon as the sentence is there is answered."""
    command = [*PROGRAM, "serve", str(model_file), "--port", "0", "--workers", workers]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "Serving on" in line)
        address = said.split()[3].rstrip(";")
        with urllib.request.urlopen(f"{address}/healthz", timeout=60) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    assert process.returncode == 0


def test_a_minimum_cell(model_file: Path) -> None:
    """Is held by everything that is served."""
    with server(model_file, "--min-cell", "10") as (address, _):
        models = json.load(urllib.request.urlopen(f"{address}/models", timeout=60))
        assert models["models"][0]["n"] % 10 == 0
        assert "multiples of 10" in models["models"][0]["rule_list"].replace("\n", " ")


def test_faults_are_told_before_anything_listens(
    model_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no model, two of one name, bindings of another model."""
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    assert run(["serve", str(broken)]) == 5
    bindings = tmp_path / "fhir.yaml"
    bindings.write_text("other: {age: {patient: age}}")
    assert run(["serve", str(model_file), "--fhir", str(bindings)]) == 2
    assert "no model is called 'other'" in capsys.readouterr().err
    assert run(["serve", str(model_file), str(model_file)]) == 2
    assert "Two models are called 'stroke'" in capsys.readouterr().err


def test_the_image_holds_the_source_alone() -> None:
    """A clone may hold tables and models, which a layer of the image would keep; and no root."""
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY")]
    assert copied == [["pyproject.toml", "README.md", "LICENSE"], ["src"]]
    assert lines.index("USER elseif") < lines.index("EXPOSE 8000")
