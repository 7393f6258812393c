"""The record of a fit: data, date and versions."""

from __future__ import annotations

import datetime
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import elseif
from elseif.posterior.rule_list import RuleList

NAMED_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba")


def training_record(rule_list: RuleList, fingerprint: str | None) -> dict[str, Any]:
    """A record of data, date and versions."""
    counts = np.sum([rule.label_counts for rule in rule_list.rules], axis=0)
    return {
        "n": float(counts.sum()),
        "label_counts": counts.tolist(),
        "fingerprint": fingerprint,
        "versions": versions(),
        "date": now().strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def versions() -> dict[str, str]:
    """Versions of elseif, Python and the packages that affect results."""
    known = {"elseif": elseif.__version__, "python": platform.python_version()}
    return known | _installed_versions()


@cache  # reading the metadata of four packages takes longer than a small fit's sampling
def _installed_versions() -> dict[str, str]:
    known = {}
    for name in NAMED_VERSIONS:
        try:
            known[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - an installation without metadata
            continue
    return known


def now() -> datetime.datetime:
    """The time in UTC; SOURCE_DATE_EPOCH sets it for reproducible output."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdecimal():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return datetime.datetime.now(datetime.UTC)
