"""Output that is cut short is an error, whoever writes it and however Python buffers."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM

COMMANDS = {
    "help": ["--help"],
    "help of a command": ["fit", "--help"],
    "version": ["--version"],
    "show": ["show", "titanic.json"],
    "explain": ["explain", "titanic.json", "titanic.csv", "--row", "1"],
    "predict": ["predict", "titanic.json", "titanic.csv"],
    "export": ["export", "titanic.json", "--to", "python"],
}
ROOM = 3_000  # bytes
buffering = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
every_command = pytest.mark.parametrize(
    ("name", "unbuffered"),
    [*((name, "") for name in COMMANDS), ("help", "1"), ("show", "1"), ("predict", "1")],
)


@pytest.fixture(autouse=True, scope="module")
def _compiled(folder: Path) -> None:
    """What these commands compile, which is announced when it happens first."""
    for name in ("explain", "predict"):
        subprocess.run([*PROGRAM, *COMMANDS[name]], cwd=folder, check=True, capture_output=True,
                       env={**os.environ, "PYTHONPATH": paths()})  # fmt: skip


def start(
    command: list[str], folder: Path, unbuffered: str, **more: object
) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONUNBUFFERED": unbuffered,
        "PYTHONPATH": paths(),
        "PYTHONDONTWRITEBYTECODE": "1",  # a limit on file sizes would leave cut modules behind
    }
    return subprocess.Popen([*PROGRAM, *command], cwd=folder, env=environment, **more)  # type: ignore[call-overload, no-any-return]


def paths() -> str:
    """Where modules are, for a process that begins in another folder."""
    given = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(str(Path(path).absolute()) for path in given.split(os.pathsep) if path)


@pytest.mark.fault(
    "51, 73",
    "standard output on a full disk, or closed by its reader, with any buffering",
    "exit code 4 with a message; 141 without one",
)
@every_command
def test_a_full_disk(name: str, unbuffered: str, folder: Path) -> None:
    """One sentence, and the exit code of a disk that does not suffice."""
    with open("/dev/full", "wb") as full:
        done = start(COMMANDS[name], folder, unbuffered, stdout=full, stderr=subprocess.PIPE)
    _, complaint = done.communicate()
    assert complaint.decode() == (
        "elseif: the output could not be written completely (No space left on device): it is "
        "cut short.\n"
    )
    assert done.returncode == 4


@buffering
@pytest.mark.parametrize("kind", ["limit", "disk"])
def test_a_disk_that_fills_up(kind: str, unbuffered: str, folder: Path, tmp_path: Path) -> None:
    """The system takes a part of what it is given and says so by a number alone."""
    if kind == "disk":
        mount(tmp_path, 8 * 4096)
        (tmp_path / "other").write_bytes(b"x" * 7 * 4096)

    def limit() -> None:
        if kind == "limit":
            resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))

    with (tmp_path / "out.csv").open("wb") as out:
        done = start(
            COMMANDS["predict"], folder, unbuffered,
            stdout=out, stderr=subprocess.PIPE, preexec_fn=limit,
        )  # fmt: skip
    _, complaint = done.communicate()
    try:
        assert 0 < (tmp_path / "out.csv").stat().st_size <= 4096
        assert b"could not be written completely" in complaint
        assert complaint.count(b"\n") == 1
        assert done.returncode == 4
    finally:
        if kind == "disk":
            ctypes.CDLL(None).umount2(os.fsencode(tmp_path), 2)


def mount(folder: Path, size: int) -> None:
    """A small disk of memory; where this user may not have one, the test is skipped."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", os.fsencode(folder), b"tmpfs", 0, f"size={size}".encode()):
        pytest.skip(f"no disk can be mounted here: {os.strerror(ctypes.get_errno())}")


@buffering
@pytest.mark.parametrize("name", ["help", "show"])
def test_a_reader_that_goes(name: str, unbuffered: str, folder: Path) -> None:
    """Quiet, but no success: 128 + SIGPIPE, as of any program whose reader has gone."""
    read, write = os.pipe()
    done = start(COMMANDS[name], folder, unbuffered, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    os.close(read)
    _, complaint = done.communicate()
    assert (done.returncode, complaint) == (141, b"")


@buffering
def test_a_reader_that_goes_in_the_midst(unbuffered: str, folder: Path) -> None:
    """It has read one line of many more than a pipe holds."""
    command = ["predict", "titanic.json", "many.csv"]
    header, *rows = (folder / "titanic.csv").read_text().splitlines(keepends=True)
    (folder / "many.csv").write_text(header + "".join(rows) * 4)
    done = start(command, folder, unbuffered, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.stdout is not None
    assert done.stderr is not None
    assert os.read(done.stdout.fileno(), 5) == b"rule,"
    done.stdout.close()
    assert (done.stderr.read(), done.wait()) == (b"", 141)
    done.stderr.close()


@buffering
def test_everything_arrives(unbuffered: str, folder: Path) -> None:
    """A reader that reads slowly gets all of it."""
    whole, halting = (
        start(COMMANDS["predict"], folder, unbuffered, stdout=subprocess.PIPE) for _ in range(2)
    )
    out, _ = whole.communicate()
    assert out.count(b"\n") == 1762
    assert halting.stdout is not None
    pieces = []
    while piece := os.read(halting.stdout.fileno(), 999):
        pieces.append(piece)
    assert b"".join(pieces) == out
    assert (whole.wait(), halting.wait()) == (0, 0)
    halting.stdout.close()


@buffering
def test_errors_that_nobody_can_read(unbuffered: str, folder: Path) -> None:
    """The exit code still tells."""
    with open("/dev/full", "wb") as full:
        done = start(["show", "no.json"], folder, unbuffered, stdout=full, stderr=full)
        good = start(["show", "titanic.json"], folder, unbuffered, stdout=subprocess.PIPE,
                     stderr=full)  # fmt: skip
    assert done.wait() == 5
    assert good.communicate()[0]
    assert good.returncode == 0


@buffering
def test_a_model_is_saved_though_nobody_reads_the_list(
    unbuffered: str, folder: Path, tmp_path: Path
) -> None:
    """A long fit is not lost to a terminal that has gone."""
    model = tmp_path / "m.json"
    command = ["fit", "titanic.csv", "--label", "survival", "--positive", "survived"]
    with open("/dev/full", "wb") as full:
        done = start([*command, "--model", str(model)], folder, unbuffered, stdout=full)
    assert done.wait() == 4
    assert model.exists()
