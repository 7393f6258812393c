"""Checkpoints of a fit: a folder from which a fit that was killed continues.

Chains are independent, so each has its own file, and the previous version of each file is kept: a
damaged file costs only the time between the two. A file records what it is a checkpoint of (data,
settings, seed, version), and a checkpoint of another fit is refused.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from elseif.errors import CheckpointError, ResourceError
from elseif.files.array_file import ArrayFile, DamagedFileError, read_arrays, write_arrays
from elseif.files.folders import make_private_folder
from elseif.files.locks import LOCK, only_run_in
from elseif.files.temporary import is_temporary
from elseif.sampler.chain_snapshot import ChainSnapshot, from_arrays

FORMAT = 2
# seconds before the first checkpoint of a chain, and between two; more where writing takes long
SECONDS_BEFORE, SECONDS_BETWEEN = 1.0, 10.0
LARGEST_SHARE = 0.02  # of the time, that goes into writing
LONGEST_VALUE = 200  # characters of a setting that are kept for the message
_NAME = re.compile(r"(fit|more|learn-[0-9]{1,2})-chain-([0-9]{1,6})\.[ab]\.checkpoint")


@dataclass(frozen=True)
class FitIdentity:
    """What a checkpoint belongs to."""

    version: str  # of elseif
    data: str  # fingerprint of columns, labels and weights
    settings: Mapping[str, str]  # those that change a result, as text
    entropy: tuple[int, ...]  # of the seed
    any_seed: bool = False  # whether no seed was given: that of the checkpoint is taken

    def header(self) -> dict[str, Any]:
        """As a file holds it; whole numbers of a seed may be longer than JSON's."""
        return {
            "format": FORMAT,
            "elseif": self.version,
            "data": self.data,
            "settings": {name: text[:LONGEST_VALUE] for name, text in self.settings.items()},
            "entropy": [str(number) for number in self.entropy],
        }


@dataclass(frozen=True, eq=False)
class SavedChain:
    """A chain as a file has it."""

    snapshot: ChainSnapshot
    begin: int  # length of the last whole run
    target: int  # length of the run that it was on the way to
    seconds: float  # of sampling until then
    seconds_each: float  # of an iteration of all chains; NaN where not known
    cut_short: float | None  # the max_time that ended the run
    n_saved: int


class Checkpoints:
    """The locked folder of one fit; ``open_checkpoints`` makes it."""

    def __init__(self, folder: Path, identity: FitIdentity) -> None:
        self.folder, self.identity = folder, identity
        self._found: dict[tuple[str, int], list[SavedChain]] = {}
        self._has_warned = False
        damaged = []
        for path in sorted(folder.iterdir()):
            name = _NAME.fullmatch(path.name)
            if name is None:
                continue
            try:
                file = read_arrays(path)
                saved = _saved(file)
            except DamagedFileError as error:
                damaged.append(f"{path.name}: {error}")
                continue
            self._refuse_other(file.header)
            self._found.setdefault((name[1], int(name[2])), []).append(saved)
        for files in self._found.values():
            files.sort(key=lambda saved: -saved.n_saved)
        if damaged:
            self.tell_of_damage(damaged)

    @property
    def has_any(self) -> bool:
        """Whether there is a checkpoint to continue from."""
        return bool(self._found)

    @property
    def entropy(self) -> tuple[int, ...]:
        """The seed of the fit: that of its first attempt."""
        return self.identity.entropy

    def part(self, name: str, n_chains: int) -> PartOfFit:
        """The checkpoints of one call of the sampler: "fit", "more", "learn-1" and so on.

        What was found is handed out once.
        """
        saved = [self._found.pop((name, k), []) for k in range(n_chains)]
        return PartOfFit(self, name, saved)

    def tell_of_damage(self, damaged: Sequence[str]) -> None:
        """Warn that a file cannot be used; the one before it, or the start, is."""
        warnings.warn(
            f"A checkpoint in {self.folder} is damaged ({'; '.join(damaged)}); the fit "
            "continues from the one before it, or from the start, with the same result.",
            UserWarning,
            stacklevel=2,
        )

    def warn_of_failure(self, error: Exception) -> None:
        """Warn once that checkpoints cannot be written; the fit continues."""
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"A checkpoint could not be written: {error} The fit continues; if it is "
                "stopped, it resumes from the last complete checkpoint.",
                UserWarning,
                stacklevel=2,
            )

    def _refuse_other(self, header: Mapping[str, Any]) -> None:
        mine, what = self.identity.header(), None
        if header.get("format") != FORMAT or header.get("elseif") != mine["elseif"]:
            what = f"was written by elseif {_shown(header.get('elseif'))}, and this is "
            what += f"{mine['elseif']}"
        elif header.get("settings") != mine["settings"]:  # which also say what data are read
            what = _other_settings(header.get("settings"), mine["settings"])
        elif header.get("data") != mine["data"]:
            what = "is of other data: columns, labels or weights differ"
        elif header.get("entropy") != mine["entropy"]:
            if not self.identity.any_seed:
                what = "is of another seed (random_state)"
            else:
                self.identity = _with_seed(self.identity, header.get("entropy"))
        if what is not None:
            raise CheckpointError(
                f"The checkpoint in {self.folder} {what}. Repeat the call that it belongs to, give "
                "another folder, or delete this one to begin again."
            )


@dataclass(eq=False)
class PartOfFit:
    """The checkpoints of one call of the sampler: what was found, and where to write."""

    checkpoints: Checkpoints
    name: str
    found: list[list[SavedChain]]  # of each chain, the newest first
    seconds_before: float = 0.0  # of sampling, in attempts that were stopped
    _began: float = field(default_factory=time.monotonic)
    _n_saved: dict[int, int] = field(default_factory=dict)
    _next: dict[int, float] = field(default_factory=dict)
    failure: ResourceError | None = None

    @property
    def seconds(self) -> float:
        """Seconds of sampling so far, in all attempts."""
        return self.seconds_before + time.monotonic() - self._began

    def take(self, chain: int, saved: SavedChain) -> None:
        """Continue from a chain's checkpoint: its file is not the next to be replaced."""
        self._n_saved[chain] = saved.n_saved
        self.seconds_before = max(self.seconds_before, saved.seconds)

    def is_due(self, chain: int) -> bool:
        """Whether it is time for the next checkpoint of a chain."""
        now = time.monotonic()
        first = min(SECONDS_BEFORE, SECONDS_BETWEEN)
        return now >= self._next.setdefault(chain, now + first)

    def save(
        self,
        chain: int,
        snapshot: ChainSnapshot,
        phase: tuple[int, int],
        seconds_each: float,
        cut_short: float | None = None,
    ) -> None:
        """Save a chain; if that fails, the previous one stays, and ``failure`` says why.

        ``phase`` has the lengths of the last complete run and of the one in progress,
        ``seconds_each`` the seconds of an iteration of all chains, and ``cut_short`` the max_time
        that ended the run.
        """
        began = time.monotonic()
        n_saved = self._n_saved.get(chain, 0) + 1
        numbers, arrays = snapshot.to_arrays()
        header = {
            **self.checkpoints.identity.header(),
            "begin": phase[0],
            "target": phase[1],
            "seconds": self.seconds,
            "seconds_each": None if np.isnan(seconds_each) else seconds_each,
            "cut_short": cut_short,
            "n_saved": n_saved,
            "snapshot": numbers,
        }
        letter = "ab"[n_saved % 2]
        path = self.checkpoints.folder / f"{self.name}-chain-{chain}.{letter}.checkpoint"
        try:
            write_arrays(path, header, arrays)
            self._n_saved[chain] = n_saved
        except ResourceError as error:
            self.failure = error
        now = time.monotonic()
        self._next[chain] = now + max(SECONDS_BETWEEN, (now - began) / LARGEST_SHARE)


@contextmanager
def open_checkpoints(folder: Path, identity: FitIdentity) -> Iterator[Checkpoints]:
    """The checkpoints in a folder, which is made if necessary and locked for one fit at a time.

    A CheckpointError says if it holds the checkpoints of another fit.
    """
    check_folder(folder)
    with only_run_in(folder, "fit", "checkpoint"):
        yield Checkpoints(folder, identity)


def check_folder(folder: Path) -> None:
    """Make the folder for its owner's eyes alone; refuse one in which something else is."""
    if folder.is_dir():
        for name in os.listdir(folder):
            if not (_NAME.fullmatch(name) or name == LOCK or is_temporary(name)):
                raise CheckpointError(
                    f"The folder {folder} contains files other than checkpoints, such as "
                    f"{name!r}. Give a new folder, which is closed to other users."
                )
    make_private_folder(folder)


def has_checkpoints(folder: Path) -> bool:
    """Whether a folder has a checkpoint that is not damaged."""
    if not folder.is_dir():
        return False
    for path in folder.iterdir():
        if _NAME.fullmatch(path.name):
            with suppress(DamagedFileError):
                read_arrays(path)
                return True
    return False


def remove_checkpoints(folder: Path) -> bool:
    """Remove the checkpoints of a fit whose result is kept elsewhere, and their folder.

    Returns whether none is left: the fit is complete, and does not fail for what stays.
    """
    if not folder.is_dir():
        return True
    with suppress(OSError, ResourceError), only_run_in(folder, "fit", "checkpoint"):
        for path in list(folder.iterdir()):
            with suppress(OSError):
                if _NAME.fullmatch(path.name):
                    path.unlink()
    if any(_NAME.fullmatch(path.name) for path in folder.iterdir()):
        return False
    with suppress(OSError):  # a link, a mount point, or not empty
        folder.rmdir()
    return True


def _saved(file: ArrayFile) -> SavedChain:
    header = file.header
    try:
        each, cut = header["seconds_each"], header["cut_short"]
        saved = SavedChain(
            from_arrays(header["snapshot"], file.arrays),
            begin=int(header["begin"]),
            target=int(header["target"]),
            seconds=float(header["seconds"]),
            seconds_each=float("nan") if each is None else float(each),
            cut_short=None if cut is None else float(cut),
            n_saved=int(header["n_saved"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        raise DamagedFileError("a part is missing") from error
    if not 0 <= saved.begin <= saved.target <= 2**53 or not 0 <= saved.n_saved < 2**53:
        raise DamagedFileError("its lengths are out of order")
    if not 0 <= saved.seconds < 1e12 or saved.seconds_each <= 0:
        raise DamagedFileError("its times are invalid")
    return saved


def _other_settings(theirs: Any, mine: Mapping[str, str]) -> str:
    theirs = theirs if isinstance(theirs, dict) else {}
    names = [name for name in mine if theirs.get(name) != mine[name]]
    differences = [
        f"{name} was {_shown(theirs.get(name))} and is {_shown(mine[name])}" for name in names
    ]
    return f"is of other settings: {', '.join(differences[:3])}{' ...' if differences[3:] else ''}"


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _with_seed(identity: FitIdentity, texts: Any) -> FitIdentity:
    try:
        numbers = tuple(int(text) for text in texts)
        if not numbers or len(numbers) > 64 or not all(0 <= n < 2**128 for n in numbers):
            raise ValueError
    except (TypeError, ValueError) as error:
        raise CheckpointError("The checkpoint has no seed that could be used.") from error
    return replace(identity, entropy=numbers, any_seed=False)
