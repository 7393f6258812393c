"""An explanation in sentences that can be read aloud, as text and as HTML."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from elseif.antecedents.display_labels import DisplayLabels
from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.model.consequent import TIE
from elseif.phrases import joined
from elseif.showing.numbers import count_text, percent
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.explaining.explanation import (
        ConditionCheck,
        Explanation,
        NearestChange,
        Outcome,
        RuleCheck,
    )
    from elseif.explaining.other_lists import OtherLists

LONGEST = 80  # characters of a name in a sentence
MOST_LABELS = 4  # spelt out; of more, the likeliest
PLAIN = DisplayLabels()

NUMBER_WORDS = {ABOVE: "above", AT_LEAST: "at least", BELOW: "below", AT_MOST: "at most"}
DATE_WORDS = {ABOVE: "after", AT_LEAST: "on or after", BELOW: "before", AT_MOST: "on or before"}


@dataclass(frozen=True)
class Section:
    """A heading and its sentences."""

    title: str
    lines: tuple[str, ...]


def explanation_text(explanation: Explanation, width: int = 88) -> str:
    """The explanation as plain text."""
    lines = textwrap.wrap(headline(explanation), width)
    for section in sections(explanation):
        lines += ["", *textwrap.wrap(section.title, width)]
        for line in section.lines:
            lines += textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def explanation_html(explanation: Explanation) -> str:
    """The explanation for a notebook: every name escaped, colours left to the theme."""
    parts = [f"<p><b>{escape(headline(explanation))}</b></p>"]
    for section in sections(explanation):
        items = "".join(f"<li>{escape(line)}</li>" for line in section.lines)
        parts.append(f"<p><b>{escape(section.title)}</b></p><ul>{items}</ul>")
    return f"<div>{''.join(parts)}</div>"


def headline(explanation: Explanation) -> str:
    """The probability and its interval, of the label in question or of every label."""
    level = f"{100 * explanation.level:g}% credible interval"
    if len(explanation.labels) == 2:
        risk = explanation.labels[-1]
        mean, low, high = _percents(explanation, risk.probability, risk.low, risk.high)
        of = explanation.display.outcome.name or risk.name
        return f"Probability of {_name(of)}: {mean} ({level} {low} to {high})"
    order = sorted(explanation.labels, key=lambda risk: -risk.probability)
    shown = []
    for risk in order[:MOST_LABELS]:
        mean, low, high = _percents(explanation, risk.probability, risk.low, risk.high)
        shown.append(f"{_name(risk.name)} {mean} ({low} to {high})")
    if len(order) > MOST_LABELS:
        rest = sum(risk.probability for risk in order[MOST_LABELS:])
        shown.append(
            f"{len(order) - MOST_LABELS} others together {_percents(explanation, rest)[0]}"
        )
    return f"Probability of each label, with its {level}: {', '.join(shown)}"


def sections(explanation: Explanation) -> list[Section]:
    """The sections of the explanation, in the order of likely questions."""
    parts = [Section("Why", _why(explanation))]
    if explanation.passed_over:
        title = "Rules above it, none of which applies"
        lines = tuple(_passed_over(rule, explanation.display) for rule in explanation.passed_over)
        parts.append(Section(title, lines))
    if explanation.others is not None:
        title = "What all the lists of the posterior predict for this case"
        parts.append(Section(title, _others(explanation, explanation.others)))
    parts.append(Section("The nearest change that would alter the answer", _changes(explanation)))
    if explanation.what_if:
        title = "If a value were missing from the record, or not known"
        parts.append(Section(title, _what_if(explanation)))
    return parts


# ------------------------------------------------------------------------------- why


def _why(explanation: Explanation) -> tuple[str, ...]:
    fired = explanation.fired
    if explanation.n_rules == 0:
        first = "The list has no rules: the prediction is the same for every case."
    elif fired.place == explanation.n_rules:
        first = "None of the rules above applies, so the last line, else, does."
    else:
        sentence = met_sentence(fired.conditions, explanation.display)
        first = f"Rule {fired.place + 1} applies: {sentence}"
        above = {0: "", 1: ", and rule 1 does not apply"}
        first += above.get(fired.place, ", and none of the rules above applies") + "."
    return (first, _behind(explanation))


def _behind(explanation: Explanation) -> str:
    step = explanation.rounded_to
    rounded = "" if step is None else f" (counts are rounded to multiples of {step:,})"
    if step is not None and not explanation.n:
        return (
            f"It is based on so few training cases that they round to 0{rounded}: the probability "
            "is that of the prior."
        )
    if not explanation.n:
        return "It is based on no training case: the probability is that of the prior."
    order = sorted(explanation.labels, key=lambda risk: -risk.n)
    counts = [f"{count_text(r.n)} {_name(r.name)}" for r in order[:MOST_LABELS]]
    if len(order) > MOST_LABELS:
        counts.append(f"{count_text(sum(r.n for r in order[MOST_LABELS:]))} others")
    cases = "case" if explanation.n == 1 else "cases"
    total = f"{count_text(explanation.n)} training {cases}"
    return f"It is based on {total}{rounded}: {joined(counts)}."


def met_sentence(checks: Sequence[ConditionCheck], display: DisplayLabels = PLAIN) -> str:
    """What is true of the case: "age is 72, which is above 60, and sex is female"."""
    by_column: dict[str, list[ConditionCheck]] = {}
    for check in checks:
        by_column.setdefault(check.column, []).append(check)
    parts = []
    for column, of_column in by_column.items():
        wants = [w for c in of_column if (w := _met_wants(c, display))]
        what = f"{_name(display.column(column))} is {_value(column, of_column[0].value, display)}"
        parts.append(f"{what} ({' and '.join(wants)})" if wants else what)
    return joined(parts)


def _met_wants(check: ConditionCheck, display: DisplayLabels) -> str:
    """What the condition asks for, where the value alone does not say it."""
    if check.operator in (TRUE, FALSE, EQUAL, MISSING):
        return ""
    if check.operator == UNEQUAL:
        return f"not {_value(check.column, check.wanted[0], display)}"
    return wants_text(check, display)


def wants_text(check: ConditionCheck, display: DisplayLabels = PLAIN) -> str:
    """What a condition asks for: "above 60", "one of east and west"."""
    words = DATE_WORDS if check.is_date else NUMBER_WORDS
    wanted = [_value(check.column, value, display) for value in check.wanted]
    if check.operator in words:
        return f"{words[check.operator]} {wanted[0]}"
    if check.operator == BETWEEN:
        return f"{words[ABOVE]} {wanted[0]} and {words[AT_MOST]} {wanted[1]}"
    if check.operator == ONE_OF:
        return wanted[0] if len(wanted) == 1 else f"one of {joined(wanted)}"
    if check.operator in (TRUE, FALSE):
        return _value(check.column, "true" if check.operator == TRUE else "false", display)
    if check.operator == MISSING:
        return "missing"
    return wanted[0]


def failed_sentence(check: ConditionCheck, display: DisplayLabels = PLAIN) -> str:
    """Why a condition does not hold: "age is 54, not above 60"."""
    column = _name(display.column(check.column))
    if check.is_missing:
        return f"{column} is missing, so the rule does not apply"
    value = f"{column} is {_value(check.column, check.value, display)}"
    if check.is_unseen:
        return f"{value}, which is not in the training data, so the rule does not apply"
    if check.operator == UNEQUAL:
        return f"{value}, which the rule leaves out"
    return f"{value}, not {wants_text(check, display)}"


def _passed_over(rule: RuleCheck, display: DisplayLabels) -> str:
    failed = list(dict.fromkeys(failed_sentence(check, display) for check in rule.failed))
    return f"Rule {rule.place + 1}, if {show_name(rule.text)}: {'; '.join(failed)}."


# ---------------------------------------------------------------------------- others


def _others(explanation: Explanation, others: OtherLists) -> tuple[str, ...]:
    lists = "1 list" if others.n_lists == 1 else f"{others.n_lists:,} lists"
    lines = [f"{others.n_draws:,} draws of {lists} were kept."]
    judged = others.labels
    order = sorted(range(len(judged)), key=lambda i: -judged[i].mean)[:MOST_LABELS]
    for i in [1] if len(judged) == 2 else order:
        judgement = judged[i]
        mean, median, low, high = _percents(
            explanation, judgement.mean, judgement.median, judgement.low, judgement.high
        )
        middle = f"lie between {low} and {high}, the median is {median}"
        if low == high:
            middle = f"give {median}"
        lines.append(
            f"On average they give {_name(judgement.name)} {mean}; 95% of the draws {middle}. "
            f"{_capital(_share(judgement.share_above))} of the draws give more than this list, "
            f"{_share(judgement.share_below)} give less."
        )
        lines.append(_both_doubts(explanation, i, judgement.interval))
    lines.append(
        f"{_capital(_share(others.agreement))} of the draws predict the same label as this list, "
        f"{_name(explanation.predicted)}."
    )
    return tuple(lines)


def _both_doubts(explanation: Explanation, label: int, interval: tuple[float, float]) -> str:
    """The interval over all lists beside the line's own."""
    risk = explanation.labels[label]
    own_low, own_high, low, high = _percents(explanation, risk.low, risk.high, *interval)
    is_event = len(explanation.labels) == 2 and label == 1
    of = (explanation.display.outcome.name if is_event else None) or risk.name
    return (
        f"{100 * explanation.level:g}% credible interval of the probability of {_name(of)}: "
        f"{own_low} to {own_high} if this list is taken as given, {low} to {high} over all lists, "
        "which adds the uncertainty about the list itself."
    )


# --------------------------------------------------------------------------- changes


def _changes(explanation: Explanation) -> tuple[str, ...]:
    if explanation.n_rules == 0:
        return ("No change can alter it: the list has one line.",)
    lines = [f"Another prediction: {_if(c, explanation)}" for c in explanation.other_label]
    if not lines:
        lines = [f"No change leads to another prediction than {_name(explanation.predicted)}."]
    said = set(explanation.other_label)
    lines += [
        f"Another line of the list: {_if(change, explanation)}"
        for change in explanation.other_rule
        if change not in said
    ]
    return tuple(lines)


def _if(change: NearestChange, explanation: Explanation) -> str:
    display = explanation.display
    parts = [
        f"{_name(display.column(c.column))} {show_name(c.to)} "
        f"(now {_value(c.column, c.now, display)})"
        for c in change.columns
    ]
    return f"with {joined(parts)}, {_line(change.outcome, explanation)}."


def _what_if(explanation: Explanation) -> tuple[str, ...]:
    lines = []
    for what_if in explanation.what_if:
        unknown = (
            _line(what_if.unknown[0], explanation)
            if len(what_if.unknown) == 1
            else _range(what_if.unknown, explanation)
        )
        parts = [f"if not known, {unknown}"]
        if what_if.missing is not None and not what_if.is_missing:
            missing = _line(what_if.missing, explanation)
            if missing == unknown:
                parts = [f"if missing or not known, {unknown}"]
            else:
                parts.insert(0, f"if missing, {missing}")
        value = _value(what_if.column, what_if.now, explanation.display)
        now = "is missing" if what_if.is_missing else f"now {value}"
        column = _name(explanation.display.column(what_if.column))
        lines.append(f"{column} ({now}): {'; '.join(parts)}.")
    return tuple(lines)


def _line(outcome: Outcome, explanation: Explanation) -> str:
    if outcome.place == explanation.fired.place:
        return "nothing changes"
    return f"{_place(outcome.place, explanation)} applies: {_risk(outcome, explanation)}"


def _range(outcomes: Sequence[Outcome], explanation: Explanation) -> str:
    which = joined([_place(o.place, explanation) for o in outcomes], "or")
    if len(explanation.labels) == 2:
        risks = [outcome.probabilities[-1] for outcome in outcomes]
        label = _name(explanation.labels[-1].name)
        low, high = _percents(explanation, min(risks), max(risks))
        span = f"{label} between {low} and {high}"
    else:
        names = list(dict.fromkeys(_name(outcome.predicted) for outcome in outcomes))
        span = f"most probably {joined(names, 'or')}"
    return f"{which} could apply: {span}"


def _risk(outcome: Outcome, explanation: Explanation) -> str:
    if len(explanation.labels) == 2:
        risk = _percents(explanation, outcome.probabilities[-1])[0]
        return f"{_name(explanation.labels[-1].name)} {risk}"
    highest = max(outcome.probabilities)
    tied = [
        _name(risk.name)
        for risk, probability in zip(explanation.labels, outcome.probabilities, strict=True)
        if probability > highest - TIE
    ]
    share = _percents(explanation, highest)[0]
    return f"{joined(tied, 'or')} {share}{' each' if len(tied) > 1 else ''}"


def _place(index: int, explanation: Explanation) -> str:
    return "the last line, else," if index == explanation.n_rules else f"rule {index + 1}"


# ----------------------------------------------------------------------------- words


def _name(name: str) -> str:
    return show_name(name, LONGEST)


def _value(column: str, value: str, display: DisplayLabels) -> str:
    """A value of a column by its name, with its unit."""
    unit = display.unit(column)
    after = f" {_name(unit)}" if unit and value != "missing" else ""
    return f"{_name(display.level(column, value))}{after}"


def _percents(explanation: Explanation, *shares: float) -> list[str]:
    """Probabilities as percentages, all of one explanation with the same number of decimals."""
    return [percent(share, explanation.decimals) for share in shares]


def _share(share: float) -> str:
    if share == 0:
        return "none"
    if share > 1 - 1e-9:
        return "all"
    return percent(share)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
