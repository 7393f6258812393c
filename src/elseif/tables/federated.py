"""The sites that a model was learnt from: as kept in its file, and in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elseif.disclosure.rounding import Rounding
from elseif.phrases import joined
from elseif.visible import show_name

LONGEST = 60  # letters of the name of a site or label
NAMED = 20  # sites in a sentence
LEFT = "The list and its probabilities are based on the remaining people."
LEFT_EARLIER = "The earlier cases are the remaining people."


def rounded_federation(federation: Mapping[str, Any], rounding: Rounding) -> dict[str, Any]:
    """The same under a minimum cell: which sites withheld people, and about how many in all.

    What each site has is left out: with the rounded totals it could reveal small numbers. The
    people withheld are in no other count of the model, so that their rounded number tells no more
    than any rounded number.
    """
    sites = [{**site, "shared": None, "withheld": None} for site in federation["sites"]]
    most = [rounding.count(n) for n in federation["most_withheld"]]
    return {**federation, "sites": sites, "most_withheld": most}


def federation_sentences(
    federation: Mapping[str, Any] | None, is_recalibrated: bool = False
) -> list[str]:
    """Where a model was learnt, and who is missing; nothing for one learnt from rows."""
    if federation is None:
        return []
    left = LEFT_EARLIER if is_recalibrated else LEFT
    return [_learnt(federation), *_synthetic(federation), *_withheld(federation, left)]


def federation_in_short(federation: Mapping[str, Any]) -> str:
    """The same in one sentence without numbers of people, for exports and small pages."""
    n = len(federation["sites"])
    sites = "1 site" if n == 1 else f"{n:,} sites"
    learnt = f"Learnt from counts that {sites} shared"
    if any(federation["most_withheld"]):
        return f"{learnt}; people in small patterns were withheld."
    if any(_is_rounded(site) and site["min_cell"] is not None for site in federation["sites"]):
        return f"{learnt}; a few people in small patterns may have been withheld."
    return f"{learnt}."


def has_synthetic_site(federation: Mapping[str, Any] | None) -> bool:
    """Whether some site counted synthetic patients."""
    return federation is not None and any(site["synthetic"] for site in federation["sites"])


def _is_rounded(site: Mapping[str, Any]) -> bool:
    return site["withheld"] is None


def _synthetic(federation: Mapping[str, Any]) -> list[str]:
    names = [_name(site["site"]) for site in federation["sites"] if site["synthetic"]]
    if not names:
        return []
    return [f"SYNTHETIC patients, made up by a program, were counted at {_few(names, ', ')}."]


def _learnt(federation: Mapping[str, Any]) -> str:
    sites = federation["sites"]
    shared = [None if site["shared"] is None else sum(site["shared"]) for site in sites]
    of = "" if None in shared else f" of {sum(n for n in shared if n is not None):,} people"
    named = [
        _name(site["site"]) + ("" if n is None else f" ({n:,})")
        for site, n in zip(sites, shared, strict=True)
    ]
    n_sites = "1 site" if len(sites) == 1 else f"{len(sites):,} sites"
    return (
        f"Learnt from counts{of} that {n_sites} shared in place of rows: {_few(named, ', ')}. "
        f"Plan “{_name(federation['plan'])}”, SHA-256 {federation['plan_sha256'][:12]}."
    )


def _withheld(federation: Mapping[str, Any], left: str) -> list[str]:
    losses = [
        withheld_sentence(federation["labels"], site)
        for site in federation["sites"]
        if site["withheld"] is not None and any(n is None or n for n in site["withheld"])
    ]
    if losses:
        return [
            "Some people are not in these counts, since a minimum cell withheld their patterns: "
            f"{_few(losses, '; ')}. {left}",
            *_lost_labels(federation),
        ]
    names = [
        _name(site["site"])
        for site in federation["sites"]
        if _is_rounded(site) and site["min_cell"] is not None
    ]
    if names:
        about = [
            f"{n:,} labelled {_name(label)}"
            for label, n in zip(federation["labels"], federation["most_withheld"], strict=True)
        ]
        who = f"Sites with a minimum cell of their own ({_few(names, ', ')})"
        if not any(federation["most_withheld"]):
            return [f"{who} may have withheld a few people, who are not in these counts."]
        return [
            f"{who} withheld about {joined(about)} (rounded), who are not in these counts. {left}"
        ]
    return []


def _lost_labels(federation: Mapping[str, Any]) -> list[str]:
    """Labels all of whose people are withheld."""
    shared = [sum(n) for n in zip(*(site["shared"] for site in federation["sites"]), strict=True)]
    lost = [
        _name(label)
        for label, n, more in zip(
            federation["labels"], shared, federation["most_withheld"], strict=True
        )
        if more and not n
    ]
    return [f"Nobody labelled {name} is left: the list does not know this label." for name in lost]


def withheld_sentence(labels: Sequence[str], site: Mapping[str, Any]) -> str:
    """How many people of each label a site withholds, of how many."""
    parts = []
    for label, n, shared in zip(labels, site["withheld"], site["shared"], strict=True):
        count = f"1 to {site['min_cell'] - 1}" if n is None else f"{n:,}"
        if n is None or n:
            total = "" if n is None else f" of {shared + n:,}"
            parts.append(f"{count}{total} labelled {_name(label)}")
    return f"{_name(site['site'])} withholds {joined(parts)} (minimum cell {site['min_cell']})"


def _few(texts: Sequence[str], between: str) -> str:
    if len(texts) <= NAMED:
        return between.join(texts)
    return f"{between.join(texts[:NAMED])}{between}and {len(texts) - NAMED:,} more"


def _name(text: str) -> str:
    return show_name(text, LONGEST)
