"""A site's file: the agreed counts as JSON, and nothing else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from elseif.disclosure.rounding import check_min_cell
from elseif.errors import FederationError, ParamError
from elseif.federation.plan import Plan, check_plan_matches
from elseif.federation.site_counts import SiteCounts
from elseif.federation.strict_file import check_fields, check_list, check_text, read_document
from elseif.files.atomic import write_atomically
from elseif.files.sealed import is_sealed, seal

FORMAT, VERSION = "elseif site counts", 1
LARGEST_FILE = 200_000_000  # bytes
MOST_PATTERNS = 2_000_000
MOST_PEOPLE = 2**40
LARGEST_CELL = 10**9


def save_site(counts: SiteCounts, path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write a site's counts as JSON.

    Parameters
    ----------
    counts : SiteCounts
        The counts.
    path : str or path
        The file.
    force : bool, default=False
        Replace a file that exists.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, make_plan, save_site
    >>> X, y = load_titanic()
    >>> counts = count_site(make_plan(X, y), X, y, site="all decks")
    >>> save_site(counts, "all-decks.json").name
    'all-decks.json'
    """
    return write_atomically(path, site_text(counts), force)


def site_text(counts: SiteCounts) -> str:
    """The text of a site's file: a pattern a line."""
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "site": counts.site,
        "plan_sha256": counts.plan_sha256,
        "min_cell": counts.min_cell,
        "withheld": list(counts.withheld),
        **({"synthetic": True} if counts.synthetic else {}),
        "patterns": [
            {"cells": cells, "counts": n}
            for cells, n in zip(counts.patterns.tolist(), counts.counts.tolist(), strict=True)
        ],
    }
    sha256 = seal(content)
    patterns: Any = content.pop("patterns")
    lines = ",\n".join("  " + json.dumps(each) for each in patterns)
    head = json.dumps({**content, "sha256": sha256}, indent=1)
    return f'{head[:-2]},\n "patterns": [\n{lines}\n ]\n}}\n'


def read_site(path: str | os.PathLike[str], plan: Plan) -> SiteCounts:
    """Read a site's counts, and check that they are possible under the plan.

    Parameters
    ----------
    path : str or path
        The file.
    plan : Plan
        The plan that the site counted under.

    Returns
    -------
    SiteCounts
        The counts.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, make_plan, read_site, save_site
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> path = save_site(count_site(plan, X, y, site="all decks"), "decks.json")
    >>> read_site(path, plan).site
    'all decks'
    """
    raw, name = read_document(path, FORMAT, VERSION, LARGEST_FILE)
    fields = ("format", "format_version", "site", "plan_sha256", "min_cell", "withheld")
    check_fields(raw, (*fields, "patterns", "sha256"), ("synthetic",), name)
    if not is_sealed(raw):
        raise FederationError(
            f"{name} was changed or damaged: its checksum differs. Ask the site for it again."
        )
    sha256 = raw["plan_sha256"]
    if not isinstance(sha256, str) or not re.fullmatch("[0-9a-f]{64}", sha256):
        raise FederationError(f"{name}: plan_sha256 is not a SHA-256 checksum.")
    check_plan_matches(plan, sha256, name)
    min_cell = _min_cell(raw["min_cell"], name)
    n_labels = len(plan.classes)
    withheld = check_list(raw["withheld"], f"{name}: withheld", n_labels, n_labels)
    for n in withheld:
        _check_count(n, min_cell, f"{name}: withheld", may_be_unknown=min_cell is not None)
    patterns, counts = _patterns(raw["patterns"], plan, min_cell, name)
    if min_cell is None and any(withheld):
        raise FederationError(f"{name} withholds people without a minimum cell.")
    if not len(patterns) and not any(n is None or n for n in withheld):
        raise FederationError(f"{name} has no counts above 0.")
    synthetic = raw.get("synthetic", False)
    if not isinstance(synthetic, bool):
        raise FederationError(f"{name}: synthetic must be true or false.")
    return SiteCounts(
        check_text(raw["site"], f"{name}: site"), sha256, min_cell, patterns, counts,
        tuple(withheld), synthetic,
    )  # fmt: skip


def _min_cell(raw: Any, name: str) -> int | None:
    try:
        min_cell = check_min_cell(raw)
    except (ParamError, TypeError) as error:
        raise FederationError(f"{name}: {error}") from error
    if min_cell is not None and min_cell > LARGEST_CELL:
        raise FederationError(
            f"{name}: min_cell is {min_cell:,}; it must be at most {LARGEST_CELL:,}."
        )
    return min_cell


def _check_count(n: Any, min_cell: int | None, where: str, may_be_unknown: bool = False) -> None:
    if n is None and may_be_unknown:
        return
    if type(n) is not int or not 0 <= n <= MOST_PEOPLE:
        raise FederationError(f"{where}: {n!r:.60} is not a possible number of people.")
    if min_cell is not None and 0 < n < min_cell:
        raise FederationError(f"{where}: {n} people are fewer than the minimum cell of {min_cell}.")


def _patterns(
    raw: Any, plan: Plan, min_cell: int | None, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Valid patterns, each once, and their counts."""
    entries = check_list(raw, f"{name}: patterns", 0, MOST_PATTERNS)
    sizes = [len(plan.cells[column.name]) for column in plan.columns]
    n_labels, total = len(plan.classes), 0
    before: list[int] = []
    for number, entry in enumerate(entries, 1):
        where = f"{name}: pattern {number:,}"
        _check_entry(entry, sizes, n_labels, where)
        cells, counts = entry["cells"], entry["counts"]
        if number > 1 and not before < cells:
            raise FederationError(f"{where} is out of order, or occurs twice.")
        for n in counts:
            _check_count(n, min_cell, where)
        if not any(counts):
            raise FederationError(f"{where} has no counts above 0.")
        total += sum(counts)
        before = cells
    if total > MOST_PEOPLE:
        raise FederationError(f"{name} has counts of more than {MOST_PEOPLE:,} people.")
    patterns = np.array([e["cells"] for e in entries], dtype=np.int64).reshape(-1, len(sizes))
    label_counts = np.array([e["counts"] for e in entries], dtype=np.int64).reshape(-1, n_labels)
    return patterns, label_counts


def _check_entry(entry: Any, sizes: list[int], n_labels: int, where: str) -> None:
    if not isinstance(entry, Mapping):
        raise FederationError(f"{where} must be an object in braces.")
    check_fields(entry, ("cells", "counts"), (), where)
    cells = check_list(entry["cells"], f"{where}: cells", len(sizes), len(sizes))
    check_list(entry["counts"], f"{where}: counts", n_labels, n_labels)
    for cell, size in zip(cells, sizes, strict=True):
        if type(cell) is not int or not 0 <= cell < size:
            raise FederationError(
                f"{where}: a cell is {cell!r:.40}; its column has cells 0 to {size - 1:,}."
            )
