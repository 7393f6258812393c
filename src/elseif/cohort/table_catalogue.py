"""The columns of a cohort: what each is called, and its number in the world of OHDSI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

# numbers of analyses in OHDSI's FeatureExtraction: ConditionOccurrenceAnyTimePrior and
# DrugExposureAnyTimePrior; a covariate's id is that of the concept x 1000 + the analysis
ANALYSES = {"condition": 101, "drug": 301}
RESERVED = ("age", "sex")
LONGEST_NAME = 255  # concept_name is varchar(255)


def make_catalogue(concepts: Mapping[str, np.ndarray], names: Mapping[int, str]) -> pd.DataFrame:
    """One row for each column of the features, by domain and then by concept id."""
    import pandas as pd

    domains = [domain for domain in sorted(concepts) for _ in concepts[domain]]
    ids = np.concatenate([concepts[domain] for domain in sorted(concepts)]).astype(np.int64)
    analyses = np.array([ANALYSES[domain] for domain in domains], dtype=np.int64)
    return pd.DataFrame(
        {
            "name": different_names([names.get(i, "") for i in ids.tolist()], ids, domains),
            "concept_id": ids,
            "domain": domains,
            "covariate_id": ids * 1000 + analyses,
        }
    )


def plain_name(name: str | None) -> str:
    """A name in one line of what can be printed, no longer than the common data model allows.

    Names end up on terminals, in pages and in pictures; signs that steer a terminal or turn the
    direction of writing are no part of them.
    """
    shown = "".join(c if c.isprintable() else " " for c in name or "")
    line = " ".join(shown.split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"


def different_names(names: Sequence[str], ids: np.ndarray, domains: Sequence[str]) -> list[str]:
    """Names of which no two are the same: where two would be, the concept's id is added."""
    distinct = [name or f"concept {i}" for name, i in zip(names, ids, strict=True)]
    for add in ("{name} (concept {i})", "{name} (concept {i}, {domain})"):
        counts = Counter([*distinct, *RESERVED])
        distinct = [
            add.format(name=names[k] or "unnamed", i=ids[k], domain=domains[k])
            if counts[name] > 1
            else name
            for k, name in enumerate(distinct)
        ]
    return distinct
