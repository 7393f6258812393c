"""Numeric columns: counts, and last values in one unit for each concept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.errors import ParamError

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 200  # of numbers; they are kept whole, and a million members take 1.6 GB


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Numbers of members, as cells; where a member has none, a count is 0 and a value missing."""

    catalogue: pd.DataFrame  # of every column, those of units that are left out too
    n_rows: int
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Numbers of the columns in the table: of several units, the most used."""
        n_members = np.bincount(self.columns, minlength=len(self.catalogue))
        best: dict[tuple[Any, ...], int] = {}
        keys = self.catalogue[["concept_id", "domain", "feature"]].itertuples(index=False)
        for number, key in enumerate(map(tuple, keys)):
            if key not in best or n_members[number] > n_members[best[key]]:
                best[key] = number  # units are in the order of their ids: the least of equals
        return np.array(sorted(best.values()), dtype=np.int64)

    def check_size(self) -> None:
        """Refuse more columns than memory should hold."""
        kept = self.catalogue.iloc[self.kept]
        if len(kept) <= MOST_COLUMNS:
            return
        sizes = Counter(zip(kept["domain"], kept["feature"], strict=True))
        ((domain, feature), n) = sizes.most_common(1)[0]
        raise ParamError(
            f"features: numbers make {len(kept):,} columns, {n:,} of them of {domain} ({feature}); "
            f"at most {MOST_COLUMNS} are allowed. Name the concepts that are wanted with include, "
            "or ask for value: recorded."
        )

    def left_out(self) -> tuple[list[str], int, int]:
        """Units that are left out, in sentences; how many values, and of how many members."""
        kept = set(self.kept.tolist())
        names = self.catalogue["name"].tolist()
        keys = [
            tuple(key)
            for key in self.catalogue[["concept_id", "domain", "feature"]].itertuples(index=False)
        ]
        others: dict[tuple[Any, ...], list[str]] = {}
        for i, key in enumerate(keys):
            if i not in kept:
                others.setdefault(key, []).append(names[i])
        said = [
            f"{names[i]}: values in other units are left out: {'; '.join(others[keys[i]])}."
            for i in sorted(kept)
            if keys[i] in others
        ]
        out = ~np.isin(self.columns, list(kept))
        return said, int(out.sum()), len(np.unique(self.rows[out]))

    def frame(self, places: Sequence[int], names: Sequence[str]) -> pd.DataFrame:
        """Some complete columns, under the given names."""
        import pandas as pd

        features = self.catalogue["feature"].tolist()
        frame = {}
        for number, name in zip(places, names, strict=True):
            cells = self.columns == number
            if is_value(features[number]):
                column = np.full(self.n_rows, np.nan)
                column[self.rows[cells]] = self.values[cells]
            else:
                column = np.zeros(self.n_rows, dtype=np.int64)
                column[self.rows[cells]] = self.values[cells].astype(np.int64)
            frame[name] = column
        return pd.DataFrame(frame, index=pd.RangeIndex(self.n_rows))

    def places(self) -> Mapping[tuple[int, str, str, int], int]:
        """Where the column of a concept, domain, feature and unit is."""
        keys = self.catalogue[["concept_id", "domain", "feature", "unit_concept_id"]]
        return {
            (int(c), str(d), str(f), int(u)): number
            for number, (c, d, f, u) in enumerate(keys.itertuples(index=False))
        }


def is_value(feature: str) -> bool:
    """Whether a column is of measured values, which may be missing, and not of counts."""
    return "last" in feature.split(", ")


def is_number(feature: str) -> bool:
    """Whether a column is of numbers, and not of truths."""
    return not {"count", "distinct", "total", "last"}.isdisjoint(feature.split(", "))
