"""Storage for the fits of a comparison, so that it can be resumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elseif.evaluation.contenders import FoldResult


@dataclass(frozen=True)
class FitKey:
    """Identifies one fit of a comparison.

    Attributes
    ----------
    population : str
        Name of the population.
    contender : str
        Name of the contender.
    fold : int
        The fold, from 0.
    fingerprint : str
        Hash of data, settings and versions.

    Examples
    --------
    >>> from elseif.evaluation import FitKey
    >>> FitKey("everybody", "rule list", 0, "1f0a").fold
    0
    """

    population: str
    contender: str
    fold: int
    fingerprint: str


class Keeper(Protocol):
    """Stores the results of fits, so that a comparison can be resumed.

    Examples
    --------
    >>> class InMemory:
    ...     def __init__(self):
    ...         self.results = {}
    ...     def read(self, key):
    ...         return self.results.get(key)
    ...     def write(self, key, result):
    ...         self.results[key] = result
    >>> keeper = InMemory()
    >>> keeper.write("a key", "a result")
    >>> keeper.read("a key")
    'a result'
    """

    def read(self, key: FitKey) -> FoldResult | None:
        """The stored result of a fit.

        Parameters
        ----------
        key : FitKey
            Which fit.

        Returns
        -------
        FoldResult or None
            The result; None if there is none, or if it is damaged.
        """

    def write(self, key: FitKey, result: FoldResult) -> None:
        """Store the result of a fit.

        Parameters
        ----------
        key : FitKey
            Which fit.
        result : FoldResult
            Its result.
        """


class NoKeeper:
    """Keeps nothing."""

    def read(self, key: FitKey) -> FoldResult | None:
        """Nothing was kept."""
        return None

    def write(self, key: FitKey, result: FoldResult) -> None:
        """Forget it."""
