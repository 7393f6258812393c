"""Cautions in a report: plain data in, sentences out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from elseif.report.wording import count, percent, quoted

Data = Mapping[str, Any]

FEW = 100  # people with, or without, the event
MUCH_MISSING = 0.05  # of a column that the list uses
MOST_COLUMNS_NAMED = 4


def cautions(summary: Data, rare: float) -> Iterator[str]:
    """What a reader should know before relying on a number, the gravest first."""
    about = summary["about"]
    if about["note"]:
        yield about["note"]
    yield from about["notes"]
    yield from _edited(summary)
    yield from _few_people(summary)
    yield from _rare_event(summary, rare)
    yield from _missing_values(summary)
    if about["n_without_label"]:
        n = about["n_without_label"]
        rows = "1 row without a label was" if n == 1 else f"{count(n)} rows without a label were"
        yield f"{rows} left out."
    if about["weighted"]:
        yield (
            "Weights were used in fitting, but not in evaluation: performance in the weighted "
            "population may differ."
        )
    if about["predicts"] == "posterior":
        yield (
            "Predictions are averages over all lists of the posterior. Performance is of these "
            "averages, not of the list that is printed."
        )
    if summary["posterior"] is not None and summary["posterior"]["unsteady_inclusions"]:
        yield (
            "Some inclusion probabilities are less precise than the rest: another run may give "
            "different ones. They are marked ~ in the section on the posterior."
        )
    if summary["validation"]["n_folds"]:
        yield (
            "Performance was measured by cross-validation within the training data. It may differ "
            "in other places and at other times."
        )


def _edited(summary: Data) -> Iterator[str]:
    about = summary["about"]
    if not about["edited"]:
        return
    if summary["validation"]["n_folds"]:
        yield (
            "The list was changed by hand after fitting. Cross-validation fits lists without these "
            "changes, so the performance shown is not that of this list: evaluate it on a held-out "
            "table."
        )
    else:
        yield "The list was changed by hand after fitting."


def _few_people(summary: Data) -> Iterator[str]:
    validation, positive = summary["validation"], summary["about"]["positive"]
    groups = {f"with the event ({quoted(positive)})": validation["n_events"],
              "without the event": validation["n"] - validation["n_events"]}  # fmt: skip
    if summary["other_labels"]:
        groups = {
            f"with the label {quoted(row['name'])}": row["n"] for row in validation["by_label"]
        }
    few = [f"{count(n)} {who}" for who, n in groups.items() if n < FEW]
    if few:
        yield (
            f"Few cases to evaluate on: {', '.join(few)}. At least {FEW} with and {FEW} without "
            "the event are recommended."
        )


def _rare_event(summary: Data, rare: float) -> Iterator[str]:
    validation = summary["validation"]
    shares = {summary["about"]["positive"]: validation["discrimination"]["prevalence"]}
    if summary["other_labels"] and validation["n"]:
        shares = {row["name"]: row["n"] / validation["n"] for row in validation["by_label"]}
    rares = [f"{quoted(name)} ({percent(p)})" for name, p in shares.items() if 0 < p < rare]
    if rares:
        yield (
            f"Rare outcome: {', '.join(rares)}. A high AUC can go with few true positives among "
            "those at high risk: see precision and positive predictive values."
        )


def _missing_values(summary: Data) -> Iterator[str]:
    """Columns of the list of which many values are missing."""
    shares = {
        column["name"]: level["shares"][0]
        for column in summary["people"]["columns"]
        if column["in_list"]
        for level in column["levels"]
        if level["is_missing"] and level["shares"][0] is not None
    }
    much = sorted(
        (name for name in shares if shares[name] >= MUCH_MISSING), key=lambda n: -shares[n]
    )
    if not much:
        return
    named = [f"{quoted(name)} {percent(shares[name])}" for name in much[:MOST_COLUMNS_NAMED]]
    more = f" and {len(much) - len(named)} more columns" if len(much) > len(named) else ""
    yield (
        f"Missing values in columns of the list: {', '.join(named)}{more}. A missing value meets "
        "no condition except “is missing”, so a case may fall to a lower line. If a line says "
        "“is missing”, check that it is known in advance whether the value will be recorded."
    )
