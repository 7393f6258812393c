"""How fast ``elseif serve`` answers, and whether its memory stays flat under load.

    python benchmarks/run.py serving
    python benchmarks/serving.py --seconds 600 --clients 8

A server of its own on loopback is asked by some clients that keep their connections, each for one
case at a time and then for many. Requests are bounded by the time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from elseif import BayesianRuleListClassifier, save_model
from elseif.datasets import load_titanic


def main(seconds: float = 20.0, clients: int = 4, workers: int = 1) -> None:
    """Print requests a second, latencies and memory."""
    X, y = load_titanic("paper")
    fitted = BayesianRuleListClassifier(random_state=0).fit(X, y)
    rows = X.sample(1000, random_state=0).to_dict("records")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "titanic.json"
        save_model(fitted, path, posterior=None)
        port = _free_port()
        command = [sys.executable, "-m", "elseif", "serve", str(path), "--port", str(port)]
        with subprocess.Popen([*command, "--workers", str(workers)]) as server:
            try:
                _wait(port)
                print(f"{clients} clients, {workers} worker(s), {seconds:g} s each\n")
                print("cases a request  requests/s  cases/s  median ms  p99 ms  memory MB")
                for n_cases in (1, 100):
                    body = json.dumps({"cases": rows[:n_cases]}).encode()
                    before = _memory(server.pid)
                    times = _load(port, body, seconds, clients)
                    after = _memory(server.pid)
                    rate = len(times) / seconds
                    print(
                        f"{n_cases:15d}  {rate:10,.0f}  {rate * n_cases:7,.0f}  "
                        f"{1000 * np.median(times):9.1f}  {1000 * np.quantile(times, 0.99):6.1f}  "
                        f"{before:.0f} -> {after:.0f}"
                    )
            finally:
                server.terminate()


def _load(port: int, body: bytes, seconds: float, clients: int) -> np.ndarray:
    """Seconds of every request."""
    until = time.perf_counter() + seconds
    times: list[list[float]] = [[] for _ in range(clients)]

    def ask(mine: list[float]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.perf_counter() < until:
            began = time.perf_counter()
            connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise RuntimeError(f"status {response.status}")
            mine.append(time.perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=ask, args=(mine,)) for mine in times]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return np.concatenate(times)


def _memory(pid: int) -> float:
    """Resident megabytes of the process and its children."""
    listed = subprocess.run(
        ["ps", "-o", "rss=", "--pid", str(pid), "--ppid", str(pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    return sum(map(int, listed.stdout.split())) / 1024


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the server does not answer")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    main(**vars(parser.parse_args()))
