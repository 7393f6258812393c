"""Checkpoints: a fit that was killed ends as if it had not been, whatever happened to its files."""

from __future__ import annotations

import os
import shutil
import stat
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import elseif
from elseif import BayesianRuleListClassifier
from elseif.errors import CheckpointError, ParamError, ResourceError
from elseif.files.array_file import DamagedFileError, read_arrays, write_arrays
from elseif.files.locks import only_run_in
from elseif.sampler import checkpoints
from tests.sampler.killing import digest, killed_after
from tests.tables.fitting import random_frame

pytestmark = pytest.mark.filterwarnings("ignore:The chains have not converged")

X, Y = random_frame(n_rows=1_500, n_columns=12, seed=3)


def fit(folder: Path | None, **settings: Any) -> BayesianRuleListClassifier:
    given = {"n_chains": 3, "random_state": 5, "min_support": 0.05, **settings}
    return BayesianRuleListClassifier(checkpoint=folder, **given).fit(X, Y)


def fit_and_more(folder: Path | None, **settings: Any) -> BayesianRuleListClassifier:
    """Longer by a number of iterations past which a window was missed."""
    return fit(folder, **settings).sample_more(n_iter=23_000)


MOST_TRIES = 12  # of killing a fit, whose time depends on what else the machine does
KINDS: dict[str, tuple[Callable[..., BayesianRuleListClassifier], dict[str, Any]]] = {
    "paper": (fit, {"kernel": "paper", "n_iter": 60_000}),
    "tempered": (fit, {"kernel": "tempered", "n_iter": 30_001, "n_jobs": 2}),
    "until it converges": (fit, {"kernel": "tempered", "max_iter": 300_000, "n_jobs": 2}),
    "learning": (fit, {"kernel": "paper", "pseudocounts": "learn", "max_iter": 8_000}),
    "more": (fit_and_more, {"kernel": "tempered", "n_iter": 20_000}),
}


def kill_and_resume(kind: str, folder: Path, n_kills: int, rng: np.random.Generator) -> int:
    """Kill one fit again and again at random times, compare what it ends with, count the kills."""
    make, settings = KINDS[kind]
    make(None, **settings)  # loads compiled code
    began = time.monotonic()
    expected = digest(make(None, **settings), X)
    seconds = time.monotonic() - began
    n_killed = 0
    for _ in range(MOST_TRIES):
        if killed_after(rng.uniform(0, seconds), lambda: make(folder, **settings)):
            n_killed += 1
        elif n_killed == 0:  # it was quicker than the first: begin anew, and be quicker too
            shutil.rmtree(folder)
            seconds /= 2
        if n_killed == n_kills:
            break
        if n_killed:
            seconds *= 0.7  # what is left takes less
    assert n_killed, "no fit was killed before its end"
    assert digest(make(folder, **settings), X) == expected
    return n_killed


@pytest.mark.fault(49, "kill -9 at random times during a fit with checkpoints",
                   "the same call resumes, with the result of an uninterrupted fit")  # fmt: skip
@pytest.mark.parametrize("kind", ["paper", "tempered", "more"])
def test_a_killed_fit_ends_as_if_it_had_not_been(kind: str, tmp_path: Path) -> None:
    kill_and_resume(kind, tmp_path / "fit", 2, np.random.default_rng(len(kind)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fifty_kills(kind: str, tmp_path: Path) -> None:
    """Ten of each of five kinds, however many fits that takes: a resumed one may end too soon."""
    n_killed = 0
    for seed in range(20):
        most = min(2, 10 - n_killed)
        n_killed += kill_and_resume(kind, tmp_path / str(seed), most, np.random.default_rng(seed))
        if n_killed == 10:
            return
    raise AssertionError(f"only {n_killed} fits were killed before their end")


@pytest.fixture(scope="module")
def expected() -> str:
    return digest(fit(None, kernel="tempered", n_iter=8_000), X)


@pytest.fixture
def halfway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a fit that has been stopped on its way, with two generations of files."""
    folder = tmp_path / "fit"
    n_saved = []
    save = checkpoints.PartOfFit.save

    def then_stop(self: Any, *args: Any, **named: Any) -> None:
        save(self, *args, **named)
        n_saved.append(1)
        if len(n_saved) == 9:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
        patched.setattr(checkpoints, "LARGEST_SHARE", 1e9)
        patched.setattr(checkpoints.PartOfFit, "save", then_stop)
        with pytest.raises(KeyboardInterrupt):
            fit(folder, kernel="tempered", n_iter=8_000)
    assert len(files_in(folder)) >= 2
    return folder


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.checkpoint"), key=lambda path: path.stat().st_mtime_ns)


def resumed(folder: Path) -> str:
    return digest(fit(folder, kernel="tempered", n_iter=8_000), X)


def test_files_are_for_their_owner_alone(halfway: Path) -> None:
    assert stat.S_IMODE(halfway.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in files_in(halfway)} == {0o600}


def test_a_finished_fit_is_there_at_once(halfway: Path, expected: str) -> None:
    """It stays in the folder; the same call finds it, and draws nothing."""
    assert resumed(halfway) == expected
    before = {path: path.stat().st_mtime_ns for path in files_in(halfway)}
    assert resumed(halfway) == expected
    assert before == {path: path.stat().st_mtime_ns for path in files_in(halfway)}


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    index = len(content) * 2 // 3
    return content[:index] + bytes([content[index] ^ 4]) + content[index + 1 :]


@pytest.mark.fault(52, "a checkpoint that is cut short, empty or has a bit flipped",
                   "the previous one is used, or the fit starts again; a warning")  # fmt: skip
@pytest.mark.parametrize("damage", [cut, flip, lambda content: b""], ids=["cut", "bit", "empty"])
@pytest.mark.parametrize("which", ["the last", "all"])
def test_a_damaged_checkpoint_falls_back(
    damage: Callable[[bytes], bytes], which: str, halfway: Path, expected: str
) -> None:
    files = files_in(halfway)
    for path in files[-1:] if which == "the last" else files:
        path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="is damaged .*continues from the one before it"):
        assert resumed(halfway) == expected


def test_every_byte_of_a_checkpoint_counts(tmp_path: Path) -> None:
    """Whichever is flipped, and wherever the file ends, it is not taken for what was written."""
    path, damaged = tmp_path / "whole", tmp_path / "damaged"
    write_arrays(path, {"n_done": 7}, {"draws": np.arange(40), "steady": np.array([True, False])})
    content = path.read_bytes()
    read_arrays(path)
    for index in range(len(content)):
        for other in (content[:index], flipped(content, index)):
            damaged.write_bytes(other)
            with pytest.raises(DamagedFileError):
                read_arrays(damaged)


def test_a_file_that_memory_has_no_room_for(tmp_path: Path) -> None:
    """Is not read: a file of a terabyte may take no room on the disk."""
    path = tmp_path / "huge"
    write_arrays(path, {}, {"draws": np.arange(40)})
    os.truncate(path, 1 << 40)  # which no machine has
    with pytest.raises(DamagedFileError, match="larger than the memory"):
        read_arrays(path)


def flipped(content: bytes, index: int) -> bytes:
    return content[:index] + bytes([content[index] ^ 1 << index % 8]) + content[index + 1 :]


@pytest.mark.fault(53, "a checkpoint of other data, settings, seed or version",
                   "`CheckpointError` that says which")  # fmt: skip
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"n_iter": 9_000}, "n_iter was 8000 and is 9000"),
        ({"kernel": "paper"}, "kernel was 'tempered' and is 'paper'"),
        ({"antecedents": [["f1"], ["f2"], ["f3"]]}, "antecedents was None and is"),
        ({"random_state": 6}, "another seed"),
    ],
)
def test_other_settings_are_refused(changed: dict[str, Any], words: str, halfway: Path) -> None:
    with pytest.raises(CheckpointError, match=words):
        fit(halfway, **{"kernel": "tempered", "n_iter": 8_000, **changed})


def test_other_data_are_refused(halfway: Path) -> None:
    settings = {"n_chains": 3, "random_state": 5, "min_support": 0.05, "kernel": "tempered"}
    other = BayesianRuleListClassifier(checkpoint=halfway, n_iter=8_000, **settings)
    with pytest.raises(CheckpointError, match="is of other data"):
        other.fit(X.iloc[::-1], Y)


def test_another_version_is_refused(halfway: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elseif, "__version__", "9.9")
    with pytest.raises(CheckpointError, match=r"written by elseif .*, and this is 9\.9"):
        resumed(halfway)


def test_what_changes_no_draw_may_change(halfway: Path, expected: str) -> None:
    result = fit(halfway, kernel="tempered", n_iter=8_000, n_jobs=2, max_memory=5e9)
    assert digest(result, X) == expected


def test_a_fit_without_a_seed_goes_on_with_its_first(tmp_path: Path) -> None:
    folder = tmp_path / "no seed"
    one = fit(folder, kernel="tempered", n_iter=4_000, random_state=None)
    assert digest(fit(folder, kernel="tempered", n_iter=4_000, random_state=None), X) == digest(
        one, X
    )


@pytest.mark.fault(56, "two fits at once with one folder of checkpoints",
                   "`ResourceError` for the second")  # fmt: skip
def test_two_fits_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "fit"
    folder.mkdir(mode=0o700)
    with (
        only_run_in(folder, "fit"),
        pytest.raises(ResourceError, match=r"Another fit is using .*--checkpoint"),
    ):
        fit(folder, kernel="tempered", n_iter=1_000)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    """Its files would be closed to others, and nobody asked for that."""
    (tmp_path / "rows.csv").write_text("a")
    os.chmod(tmp_path / "rows.csv", 0o644)
    with pytest.raises(CheckpointError, match="contains files other than checkpoints"):
        fit(tmp_path, kernel="tempered", n_iter=1_000)
    assert stat.S_IMODE((tmp_path / "rows.csv").stat().st_mode) == 0o644


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    for wrong, kind in [(3, ParamError), ("", ParamError), (tmp_path / "file", ResourceError)]:
        with pytest.raises(kind):
            fit(wrong, n_iter=1_000)  # type: ignore[arg-type]


@pytest.mark.fault(51, "no space for a checkpoint",
                   "one warning; the fit continues, and the last complete one is kept")  # fmt: skip
def test_a_full_disk(halfway: Path, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.read_bytes() for path in files_in(halfway)}

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        monkeypatch.setattr("elseif.files.atomic.os.write", full)
        assert resumed(halfway) == expected
    messages = [str(w.message) for w in caught if "could not be written" in str(w.message)]
    assert len(messages) == 1
    assert "No space left on device" in messages[0]
    monkeypatch.undo()
    assert before == {path: path.read_bytes() for path in files_in(halfway)}
    assert resumed(halfway) == expected


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, np.ndarray]], None]) -> None:
    """A crafted file: other content, with a checksum that is right."""
    file = read_arrays(path)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    change(file.header, arrays)
    write_arrays(path, file.header, arrays)


CRAFTED: dict[str, Callable[[dict[str, Any], dict[str, np.ndarray]], None]] = {
    "an antecedent beyond the pool": lambda h, a: a["lists"].__setitem__((0, 0), 10**6),
    "an antecedent twice": lambda h, a: a.update(lists=np.zeros((len(a["lists"]), 2), np.int64)),
    "a capacity beyond the pool": lambda h, a: h["snapshot"].update(capacity=10**9),
    "a huge page": lambda h, a: h["snapshot"].update(n_items=10**15),
    "no random numbers": lambda h, a: a.update(stream=np.zeros(4, np.uint64)),
    "replicas mixed up": lambda h, a: a["replica"].fill(0),
    "a negative counter": lambda h, a: a["info.presence"].fill(-1),
    "no ladder": lambda h, a: a["beta"].fill(np.nan),
    "proposals of NaN": lambda h, a: a["addition_weights"].fill(np.nan),
    "a turn of no temperature": lambda h, a: a["turn"].fill(99),
    "draws of nothing": lambda h, a: a["page.items"].fill(-5),
    "counts that do not add up": lambda h, a: a["page.label_counts"].fill(1),
    "a log posterior of NaN": lambda h, a: a["page.log_posterior"].fill(np.nan),
    "starts out of order": lambda h, a: a["page.starts"].fill(-7),
    "offsets out of order": lambda h, a: a["page.offsets"].fill(7),
    "iterations without end": lambda h, a: a["info.iteration"].fill(2**62),
    "a block beyond the pool": lambda h, a: a.update(block=np.array([10**6])),
    "a block that no sum has room for": lambda h, a: a.update(block=np.arange(60)),
    "a block of an antecedent twice": lambda h, a: a.update(block=np.array([1, 1])),
    "a redraw out of reach": lambda h, a: (
        a.update(block=np.array([1])),
        h["snapshot"].update(next_redraw=10**9),
    )[0],
    "a missing array": lambda h, a: a.pop("stream"),  # type: ignore[dict-item, return-value]
    "floats for whole numbers": lambda h, a: a.update(lists=a["lists"].astype(float)),
    "a text for a number": lambda h, a: h.update(begin="soon"),
}


@pytest.mark.parametrize("craft", CRAFTED)
def test_a_crafted_checkpoint_is_not_believed(craft: str, halfway: Path, expected: str) -> None:
    """No index out of bounds reaches compiled code, no size the allocator."""
    for path in files_in(halfway):
        rewritten(path, CRAFTED[craft])
    with pytest.warns(UserWarning, match="is damaged"):
        assert resumed(halfway) == expected


def test_time_that_was_used_counts(tmp_path: Path) -> None:
    """A fit that time has ended is not made longer by the same call, but by more time."""
    folder, how = tmp_path / "fit", {"kernel": "tempered", "max_iter": 10**12}
    # long lists of many rows, so that the first run, after which one chain ends, takes longer
    n = 20_000
    frame = pd.DataFrame(np.random.default_rng(0).random((n, 16)) < 0.5).rename(columns=str)
    labels = (frame.sum(axis=1) + np.random.default_rng(1).random(n) > 8.5).astype(int)

    def timed(max_time: float) -> BayesianRuleListClassifier:
        clf = BayesianRuleListClassifier(
            checkpoint=folder, max_time=max_time, random_state=0, n_chains=1, **how
        )
        return clf.fit(frame, labels)

    first = timed(0.2)
    assert first.convergence_.ended_by == "max_time"
    again = timed(0.2)
    assert again.n_iter_ == first.n_iter_
    assert digest(again, frame) == digest(first, frame)
    assert timed(0.8).n_iter_ > first.n_iter_


def test_models_do_not_tell_of_checkpoints(tmp_path: Path) -> None:
    with_it = fit(tmp_path / "secret", kernel="paper", n_iter=2_000)
    without = fit(None, kernel="paper", n_iter=2_000)
    assert with_it.fingerprint_ == without.fingerprint_
    assert with_it.model_.settings == without.model_.settings
    assert digest(with_it, X) == digest(without, X)
