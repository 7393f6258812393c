"""Whether a database declares its patients to be synthetic."""

from __future__ import annotations

import re
from collections.abc import Iterable

# how such databases call themselves: "Synthea synthetic health database", "CMS DE-SynPUF",
# "simulated claims"; words, so that the Synthes registry of implants is not one of them
_MADE_UP = re.compile(
    r"\bsynthea|synthetic|synpuf|simulat(?:ed|ion)|\beunomia|\bgibleed|fictitious|fictional|"
    r"\b(?:artificial|dummy|fake|mock|test)[ _-]?(?:data|patients?|persons?|records?|claims)\b",
    re.IGNORECASE,
)


def says_synthetic(names: Iterable[str]) -> bool:
    """Whether any name of a database says that its patients are synthetic, ignoring case."""
    return any(_MADE_UP.search(name.replace("_", " ")) is not None for name in names)
