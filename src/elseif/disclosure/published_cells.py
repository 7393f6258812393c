"""Cells: counts of people as they are shown, and a record of all of them for the attack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif.disclosure.rounding import Rounding
from elseif.errors import DisclosureError


class Cells:
    """Counts by label of sets of rows: exact, or rounded and recorded.

    A set of people has one number for each label; a total is the sum of these numbers and is never
    rounded on its own. Sets are identified by sums of random numbers of their rows: the sum of a
    difference is the difference of the sums. Without a ``rounding``, counts are exact and nothing
    is recorded; without ``weights``, each row is one person.
    """

    def __init__(
        self,
        codes: np.ndarray,
        n_labels: int,
        rounding: Rounding | None = None,
        weights: np.ndarray | None = None,
        unit: float = 1.0,
    ) -> None:
        self.codes = np.asarray(codes)
        self.n_labels = n_labels
        self.rounding = rounding
        self.unit = unit
        self._weights = weights
        rng = np.random.default_rng(0)  # not a secret: it only distinguishes sets
        self._row_keys = rng.integers(1, 2**63, len(self.codes), dtype=np.uint64)
        self._set_keys = rng
        self._by_key: dict[int, int] = {}
        self.signatures = np.zeros(
            len(self.codes), dtype=np.uint64
        )  # equal in rows that no set parts
        self.keys: list[np.ndarray] = []  # of each set: by label
        self.members: list[np.ndarray] = []  # packed bits of each set
        self.published: dict[int, np.ndarray] = {}  # numbers by label, of the sets that have any
        self.sums: list[tuple[int, tuple[int, ...]]] = []  # a set, and parts that make it up

    def by_label(self, members: np.ndarray) -> np.ndarray:
        """Number of people of each label in a set of rows (or the sum of weights), as shown."""
        weights = None if self._weights is None else self._weights[members]
        counts = np.bincount(self.codes[members], weights, self.n_labels) * self.unit
        if self.rounding is None:
            return counts
        shown = self.rounding.counts(counts)
        self.publish(members, shown)
        return shown

    def publish(self, members: np.ndarray, numbers: np.ndarray) -> None:
        """Record the numbers that are shown for a set of rows."""
        position = self._place(members)
        known = self.published.setdefault(position, np.array(numbers, dtype=float))
        if not np.array_equal(known, numbers):
            raise DisclosureError(
                f"The same people would be shown as {known.tolist()} and as "
                f"{np.asarray(numbers).tolist()}; this is an internal error, and nothing was "
                "written."
            )

    @property
    def unrounded(self) -> list[float]:
        """Recorded numbers that are not multiples of the step."""
        if self.rounding is None or not self.published:
            return []
        numbers = np.concatenate(list(self.published.values()))
        not_multiples: list[float] = numbers[numbers % self.rounding.step != 0].tolist()
        return not_multiples

    def parted(self, parts: Sequence[np.ndarray]) -> None:
        """Record that disjoint sets of rows together form another set.

        The parts may be read one after another, as lines of a list are: what is left after
        each of them is a set that other lists may share.
        """
        if self.rounding is None or len(parts) < 2:
            return
        left = self._place(np.logical_or.reduce(parts))
        for j, part in enumerate(parts[:-1]):
            rest = self._place(np.logical_or.reduce(parts[j + 1 :]))
            self.sums.append((left, (self._place(part), rest)))
            left = rest

    def _place(self, members: np.ndarray) -> int:
        """The index of a set among those recorded."""
        key = int(self._row_keys[members].sum(dtype=np.uint64))
        if key not in self._by_key:
            self._by_key[key] = len(self.keys)
            by_label = np.zeros(self.n_labels, dtype=np.uint64)
            np.add.at(by_label, self.codes[members], self._row_keys[members])
            self.keys.append(by_label)
            self.members.append(np.packbits(members))
            self.signatures[members] += self._set_keys.integers(1, 2**63, dtype=np.uint64)
        return self._by_key[key]
