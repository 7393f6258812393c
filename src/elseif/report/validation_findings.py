"""The verdict of an external validation: four findings, and cautions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elseif.phrases import joined
from elseif.report.findings import (
    CAUTION,
    GOOD,
    UNKNOWN,
    Finding,
    calibration,
    discrimination,
)
from elseif.report.wording import count, percent
from elseif.tables.origin import SYNTHETIC

Data = Mapping[str, Any]
MUCH_DRIFT = 0.1  # a standardised difference from which groups are called different (Austin 2009)
NAMED = 3  # conditions in a sentence


def findings(validation: Data) -> list[Finding]:
    """Discrimination, calibration, every line, and drift."""
    return [
        _judged("Discrimination", discrimination(validation["measures"]), "discrimination"),
        _judged("Calibration", calibration(validation["measures"]), "calibration"),
        _lines(validation),
        _drift(validation),
    ]


def cautions(validation: Data) -> list[str]:
    """What a reader must know before believing any number."""
    synthetic = [SYNTHETIC] if validation["synthetic"] else []
    return [*synthetic, *validation["notes"]]


def lines_apart(validation: Data) -> list[int]:
    """Lines, from 1, whose stated risk lies outside the interval of what was observed."""
    return [
        number
        for number, line in enumerate(validation["lines"], 1)
        if line["n"]
        and not line["observed"]["low"] <= line["predicted"] <= line["observed"]["high"]
    ]


def one_side(drift: Sequence[Data]) -> list[Data]:
    """Conditions without the opposite of an earlier one, such as the other side of a cut."""
    kept: list[Data] = []
    for one in drift:
        if not any(_is_opposite(one, other) for other in kept):
            kept.append(one)
    return kept


def _is_opposite(one: Data, other: Data) -> bool:
    return all(abs(one[key] + other[key] - 1) < 1e-9 for key in ("learnt", "here"))


def has_drifted(one: Data) -> bool:
    """Whether the prevalence of a condition differs clearly."""
    return bool(abs(one["standardised"]) >= MUCH_DRIFT)


def _judged(topic: str, judged: Any, anchor: str) -> Finding:
    return Finding(
        topic, judged.mark, judged.headline, f"{judged.numbers}. {judged.meaning}", anchor
    )


def _lines(validation: Data) -> Finding:
    apart, filled = lines_apart(validation), [line for line in validation["lines"] if line["n"]]
    expected = sum(line["expected"] for line in validation["lines"])
    text = f"{count(validation['n_events'])} events; {expected:,.1f} were expected by the list."
    empty = len(validation["lines"]) - len(filled)
    if empty:
        text += f" Nobody is on {empty:,} of the lines."
    if not apart:
        headline = "Stated risks agree with what was observed"
        text += " Every stated risk lies within the 95% interval of the observed share."
        return Finding("Lines of the list", GOOD, headline, text, "lines")
    one = len(apart) == 1
    headline = f"{len(apart):,} of {len(filled):,} lines {'is' if one else 'are'} off"
    numbers = joined([str(number) for number in apart])
    text += (
        f" The stated risk of line{'' if one else 's'} {numbers} lies outside the 95% interval of "
        "the observed share."
    )
    if validation["min_cell"]:
        text += " Counts are rounded, which alone can cause this."
    return Finding("Lines of the list", CAUTION, headline, text, "lines")


def _drift(validation: Data) -> Finding:
    topic = "Drift"
    if not validation["drift"]:
        why = (
            "It is left out under a minimum cell."
            if validation["min_cell"]
            else "The model file does not contain the prevalence of its conditions."
        )
        return Finding(topic, UNKNOWN, "Not compared", why, "drift")
    drift = one_side(validation["drift"])
    much, n = [one for one in drift if has_drifted(one)], len(drift)
    if not much:
        text = f"None of {n:,} conditions differs by a tenth of a standard deviation."
        return Finding(
            topic, GOOD, "These cases are like those of the training data", text, "drift"
        )
    named = joined(
        [
            f"{one['condition']} ({percent(one['learnt'], 0)} there, "
            f"{percent(one['here'], 0)} here)"
            for one in much[:NAMED]
        ]
    )
    headline = f"{len(much):,} of {n:,} conditions differ in prevalence"
    return Finding(topic, CAUTION, headline, f"Most of all: {named}.", "drift")
