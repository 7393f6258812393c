"""Files are written whole or not at all, and never over another unless asked."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from elseif.errors import ElseifError, FileExistsAlreadyError, ResourceError
from elseif.files.atomic import check_writable, write_atomically
from elseif.files.names import file_name

OLD = b"what was there before"
CONTENT = b"new content " * 1000


def test_bytes_and_text(tmp_path: Path) -> None:
    """Text is UTF-8, line ends as they are; permissions are those of any new file."""
    path = tmp_path / "naïve 名.txt"
    assert write_atomically(path, "a\r\né\n") == path
    assert path.read_bytes() == "a\r\né\n".encode()
    (tmp_path / "plain").write_text("")
    mode = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    write_atomically(str(path), b"", force=True)
    assert path.read_bytes() == b""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["naïve 名.txt", "plain"]


def test_nothing_is_overwritten_unless_asked(tmp_path: Path) -> None:
    """A file, a link and a link to nowhere keep their names."""
    path, link, dangling = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    path.write_bytes(OLD)
    link.symlink_to(path)
    dangling.symlink_to(tmp_path / "nowhere")
    for taken in (path, link, dangling):
        with pytest.raises(FileExistsAlreadyError, match="--force"):
            write_atomically(taken, CONTENT)
    assert path.read_bytes() == OLD
    assert not (tmp_path / "nowhere").exists()
    assert issubclass(FileExistsAlreadyError, ElseifError)
    assert issubclass(FileExistsAlreadyError, FileExistsError)
    write_atomically(path, CONTENT, force=True)
    assert path.read_bytes() == CONTENT


def test_a_forced_link_stays_a_link(tmp_path: Path) -> None:
    """The file that it points to is replaced, in its own folder."""
    (tmp_path / "deep").mkdir()
    goal, link = tmp_path / "deep" / "goal", tmp_path / "link"
    goal.write_bytes(OLD)
    link.symlink_to(goal)
    write_atomically(link, CONTENT, force=True)
    assert link.is_symlink()
    assert goal.read_bytes() == CONTENT
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["goal"]


def test_a_device_or_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    """A rename over /dev/null would take it from the whole system, even where it is forced."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        for force in (False, True):
            with pytest.raises(ResourceError, match="a device or a pipe"):
                write_atomically(path, CONTENT, force)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_name_taken_in_the_meantime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes second is refused, even where the file came after the check."""
    path = tmp_path / "a"
    real = os.fsync

    def somebody_else(handle: int) -> None:
        real(handle)
        if not path.exists():
            path.write_bytes(OLD)

    monkeypatch.setattr(os, "fsync", somebody_else)
    with pytest.raises(FileExistsAlreadyError):
        write_atomically(path, CONTENT)
    assert path.read_bytes() == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is claimed in another way."""

    def no_links(*args: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_atomically(tmp_path / "a", CONTENT)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace", "link"])
@pytest.mark.parametrize("force", [True, False])
def test_a_full_disk_at_every_step(
    call: str, force: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails, and at whichever turn: the earlier file is whole, no trace is left."""
    path = tmp_path / "a"
    real = getattr(os, call)
    failures = 0
    for turn in range(20):
        if force:
            path.write_bytes(OLD)
        else:
            path.unlink(missing_ok=True)
        calls = 0

        def failing(*args: Any, _turn: int = turn, **kwargs: Any) -> Any:
            nonlocal calls, failures
            calls += 1
            if calls == _turn + 1:
                failures += 1
                raise OSError(28, "No space left on device")
            if call == "write":  # a write may take less than it is given
                return real(args[0], args[1][:700])
            return real(*args, **kwargs)

        monkeypatch.setattr(os, call, failing)
        before = failures
        try:
            write_atomically(path, CONTENT, force=force)
        except ResourceError as error:
            said = str(error)
            for part in (str(path), f"{len(CONTENT):,} bytes", "No space left"):
                if part not in said:
                    pytest.fail(f"{part!r} is not in {said!r}")
            assert path.exists() == force
            assert not force or path.read_bytes() == OLD
        else:  # nothing failed, or only what is a courtesy
            assert path.read_bytes() == CONTENT
            if call == "write":
                assert failures == before
        monkeypatch.setattr(os, call, real)
        assert [p.name for p in tmp_path.iterdir()] in ([], ["a"])
    if call == "write":
        assert failures == -(-len(CONTENT) // 700)
    elif force != (call == "link"):
        assert failures


def test_an_interrupted_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the midst of it as well."""

    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a", CONTENT)
    assert list(tmp_path.iterdir()) == []


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder, a folder that is not there, no name at all."""
    for path, word in (
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "a", "there is no folder"),
        (tmp_path / "a\0b", "not a valid file name"),
        (Path(), "not a valid file name"),
    ):
        with pytest.raises(ResourceError, match=word):
            check_writable(path)
        with pytest.raises(ResourceError, match=word):
            write_atomically(path, CONTENT, force=True)
    write_atomically(tmp_path / ("名" * 80), CONTENT)
    long = tmp_path / ("n" * 250)
    write_atomically(long, CONTENT)
    assert long.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("stroke", "stroke.json"),
        ("../../etc/passwd", "etc-passwd.json"),
        ("/absolute/path", "absolute-path.json"),
        ("..", "model.json"),
        ("", "model.json"),
        (".hidden", "hidden.json"),
        ("a\0b\nc", "a-b-c.json"),
        ("CON", "model-CON.json"),
        ("nul.txt", "model-nul.txt.json"),
        ("é" * 300, "model.json"),
        ("x" * 300, "x" * 80 + ".json"),
        ("<img src=x>", "img-src-x.json"),
        ("C:\\\\evil", "C-evil.json"),
    ],
)
def test_names_for_files_made_of_any_text(text: str, name: str, tmp_path: Path) -> None:
    """They stay in their folder."""
    assert file_name(text, ".json") == name
    path = tmp_path / file_name(text, ".json")
    assert path.resolve().parent == tmp_path.resolve()
    write_atomically(path, CONTENT)
