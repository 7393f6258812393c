"""Performance within groups of people."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from elseif.conditions.condition import value_text
from elseif.conditions.cut_points import quantile_cuts
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.evaluation.calibration import Brier, brier
from elseif.evaluation.discrimination import auc_with_interval
from elseif.evaluation.intervals import LEVEL, UNKNOWN, Estimate, wilson
from elseif.tables.columns import Column, Kind

MOST_GROUPS = 12  # of a column; further categories are taken together
FEWEST = 10  # events and others that a group needs for its AUC to mean something


@dataclass(frozen=True, eq=False)
class Grouping:
    """Observations parted by one column."""

    column: str
    names: tuple[str, ...]
    codes: np.ndarray  # int (rows,): into names


@dataclass(frozen=True)
class Subgroup:
    """Performance within one group; ``small`` if it is too small for an AUC."""

    column: str
    name: str
    n: int
    n_events: int
    observed: Estimate
    predicted: float
    auc: Estimate
    brier: Brier
    small: bool

    @property
    def observed_to_expected(self) -> float:
        """Events that came for each that was predicted; 1 is ideal."""
        expected = self.predicted * self.n
        return self.n_events / expected if expected > 0 else float("nan")


def group_by(column: Column) -> Grouping:
    """Groups of a column: categories, true and false, or quarters; missing values their own."""
    if column.kind is Kind.BOOLEAN:
        codes = np.where(column.is_neither(), 2, column.is_true())
        names = ["no", "yes", "neither"]
    elif column.codes is not None:
        codes, names = _by_category(column)
    else:
        codes, names = _by_quarter(column)
    missing = column.is_missing()
    codes = np.where(missing, len(names), codes)
    names = [*names, "missing"]
    used, packed = np.unique(codes, return_inverse=True)
    return Grouping(column.name, tuple(names[i] for i in used), packed)


def subgroup_performance(
    grouping: Grouping,
    truth: np.ndarray,
    risk: np.ndarray,
    level: float = LEVEL,
    fewest: int = FEWEST,
) -> list[Subgroup]:
    """Each group's size, observed and predicted share, AUC and Brier score.

    Within a group the out-of-fold risks of all folds are taken together, for a fold of a
    group may be too small for an AUC of its own.
    """
    subgroups = []
    for g, name in enumerate(grouping.names):
        inside = grouping.codes == g
        y, p = truth[inside], risk[inside]
        n, n_events = len(y), int(np.count_nonzero(y))
        small = min(n_events, n - n_events) < fewest
        subgroups.append(
            Subgroup(
                grouping.column,
                name,
                n,
                n_events,
                wilson(n_events, n, level),
                float(p.mean()) if n else float("nan"),
                UNKNOWN if small else auc_with_interval(y, p, level=level),
                brier(y, p, level),
                small,
            )
        )
    return subgroups


def _by_category(column: Column) -> tuple[np.ndarray, list[str]]:
    """The most frequent categories, and together the others, which may be of few people."""
    assert column.codes is not None
    names = [value_text(category) for category in column.categories]
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(names))
    most = len(names) if len(names) <= MOST_GROUPS else MOST_GROUPS - 1
    frequent = np.argsort(-counts, kind="stable")[:most]
    kept = np.sort(frequent[counts[frequent] >= FEWEST_OF_A_LEVEL])
    n_others = int(np.count_nonzero(counts)) - len(kept)
    position = np.full(len(names), len(kept))
    position[kept] = np.arange(len(kept))
    others = "1 other category" if n_others == 1 else f"{n_others} other categories"
    return position[column.codes], [*(names[i] for i in kept), others]


def _by_quarter(column: Column) -> tuple[np.ndarray, list[str]]:
    """Numbers and dates, cut near their quartiles at readable values."""
    assert column.numbers is not None
    present = ~column.is_missing()
    cuts = quantile_cuts(column.numbers, present.astype(np.int64))
    if not cuts:
        return np.zeros(column.n_rows, dtype=np.int64), ["all values"]
    texts = [value_text(cut) for cut in cuts]
    inner = [f"above {low} to {high}" for low, high in pairwise(texts)]
    names = [f"up to {texts[0]}", *inner, f"above {texts[-1]}"]
    bounds = np.array(cuts, dtype=column.numbers.dtype)
    codes = np.searchsorted(bounds, np.where(present, column.numbers, bounds[0]), side="left")
    return codes, names
