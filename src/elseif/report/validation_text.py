"""An external validation as text for a terminal."""

from __future__ import annotations

import math
import textwrap

from elseif.evaluation.intervals import Estimate
from elseif.report.external_validation import ExternalValidation
from elseif.showing.numbers import count_text, interval_text, percent
from elseif.visible import show_name

WIDTH = 92
MOST_DRIFT = 10  # conditions that are shown
LONGEST = 44  # letters of a rule
NOT_AVAILABLE = "not available"


def validation_text(validation: ExternalValidation) -> str:
    """Discrimination, calibration, every line, net benefit and drift, in that order."""
    parts = [_people(validation), _measures(validation), _lines(validation), _decisions(validation)]
    if validation.drift:
        parts.append(_drift(validation))
    parts += [wrapped(note) for note in validation.notes]
    return "\n\n".join(parts)


def _people(validation: ExternalValidation) -> str:
    observed = validation.n_events / validation.n
    learnt = validation.learnt_n_events / validation.learnt_n
    return wrapped(
        f"{count_text(validation.n)} cases, {count_text(validation.n_events)} "
        f"({percent(observed, 1)}) with the event ({show_name(validation.positive)}); the list was "
        f"learnt from {count_text(validation.learnt_n)}, {percent(learnt, 1)} of them with the "
        "event."
    )


def _measures(validation: ExternalValidation) -> str:
    again, score = validation.recalibration, validation.brier
    rows = [
        ("AUC", _estimate(validation.auc, 3), "1"),
        ("calibration slope", _estimate(again.slope), "1"),
        ("calibration intercept", _estimate(again.intercept), "0"),
        ("calibration in the large", _estimate(again.in_the_large), "0"),
        ("Brier score", _estimate(score.score, 4), "0"),
        ("Brier score, scaled", _number(score.scaled, 3), "1"),
    ]
    head = f"{'':<26}{'value (95% interval)':<28}ideal"
    return "\n".join([head, *(f"{name:<26}{value:<28}{ideal}" for name, value, ideal in rows)])


def _lines(validation: ExternalValidation) -> str:
    head = f"{'line':<{LONGEST}}{'predicted':>10}  {'observed':<18}{'events':>8}{'expected':>10}"
    rows = [
        f"{show_name(line.rule, LONGEST - 2):<{LONGEST}}{percent(line.predicted, 1):>10}  "
        f"{_share(line.observed, line.n):<18}{count_text(line.n_events):>8}{line.expected:>10.1f}"
        for line in validation.lines
    ]
    return "\n".join(["Observed against expected on every line", head, *rows])


def _decisions(validation: ExternalValidation) -> str:
    curve = validation.decisions
    rows = [
        f"{percent(t):>9}{by_model:>12.4f}{treat_all:>12.4f}"
        for t, by_model, treat_all in zip(
            curve.thresholds, curve.model, curve.treat_all, strict=True
        )
    ]
    head = f"{'threshold':>9}{'model':>12}{'treat all':>12}"
    return "\n".join(["Net benefit per case (treating none has 0)", head, *rows])


def _drift(validation: ExternalValidation) -> str:
    rows = [
        f"{show_name(one.condition, LONGEST - 2):<{LONGEST}}{percent(one.learnt, 1):>10}"
        f"{percent(one.here, 1):>10}{one.standardised:>+14.2f}"
        for one in validation.drift[:MOST_DRIFT]
    ]
    head = f"{'condition':<{LONGEST}}{'learnt':>10}{'here':>10}{'standardised':>14}"
    more = len(validation.drift) - len(rows)
    title = "Conditions whose prevalence differs most"
    return "\n".join([title, head, *rows, *([f"and {more:,} more"] if more > 0 else [])])


def _estimate(value: Estimate, decimals: int = 2) -> str:
    if math.isnan(value.value):
        return NOT_AVAILABLE
    ends = f"{_number(value.low, decimals)} to {_number(value.high, decimals)}"
    return f"{_number(value.value, decimals)} ({ends})"


def _number(value: float, decimals: int) -> str:
    if math.isnan(value):
        return NOT_AVAILABLE
    text = f"{value:.{decimals}f}"
    return text if float(text) else text.removeprefix("-")  # no negative zero


def _share(observed: Estimate, n: float) -> str:
    return interval_text(observed.value, observed.low, observed.high) if n else "no case"


def wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False)
