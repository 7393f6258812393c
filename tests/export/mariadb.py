"""A MariaDB server of its own, in a temporary folder, asked through its own program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests.cohort.engines import NotHere

PROGRAMS = ("mariadbd", "mariadb", "mariadb-install-db")
PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/local/bin")


class MariaDB:
    """Reached by a socket in its folder, by nobody else."""

    def __init__(self) -> None:
        path = os.pathsep.join([os.environ.get("PATH", ""), *PLACES])
        result = {name: shutil.which(name, path=path) for name in PROGRAMS}
        absent = [name for name, program in result.items() if program is None]
        if absent:
            raise NotHere(
                f"MariaDB's {absent[0]} is not installed; scripts/install_for_tests.sh installs it."
            )
        self._programs = {name: str(program) for name, program in result.items()}
        self._folder = Path(tempfile.mkdtemp(prefix="elseif-mariadb-"))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data, user = self._folder / "data", ["--user=root"] if os.geteuid() == 0 else []
        options = ["--no-defaults", f"--datadir={data}", *user]
        made = subprocess.run(
            [
                self._programs["mariadb-install-db"],
                *options,
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise NotHere(f"MariaDB could not make a database: {made.stdout[-500:]}")
        options += [f"--socket={self._socket}", "--skip-networking", "--innodb-fast-shutdown=2"]
        with open(self._folder / "log", "wb") as log:
            command = [self._programs["mariadbd"], *options]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(300):
            if self._process.poll() is not None:
                break
            if self._asked("SELECT 1").returncode == 0:
                return
            time.sleep(0.1)
        log_text = (self._folder / "log").read_text("utf-8", errors="replace")
        raise NotHere(f"MariaDB did not start: {log_text[-500:]}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)

    def ask(self, statements: str) -> list[list[str]]:
        """The rows of the last SELECT, as text, its titles first."""
        done = self._asked(statements)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    @property
    def _socket(self) -> Path:
        return self._folder / "socket"

    def _asked(self, statements: str) -> subprocess.CompletedProcess[str]:
        options = ["--no-defaults", "--batch", "--user=root", f"--socket={self._socket}"]
        return subprocess.run(
            [self._programs["mariadb"], *options, "--default-character-set=utf8mb4"],
            input=statements,
            capture_output=True,
            text=True,
            check=False,
        )
