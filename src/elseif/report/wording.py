"""Numbers and sentences of the report, from the summary's plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from elseif.phrases import joined
from elseif.report.names import shown
from elseif.showing import numbers
from elseif.showing.optimism import optimism_words
from elseif.showing.thin_lines import thin_lines_words

Data = Mapping[str, Any]
UNKNOWN = "not available"
EXTERNAL, EXTERNAL_WORDS = "external", "external validation"


def percent(share: float | None, decimals: int = 1) -> str:
    """A share as a percentage."""
    return UNKNOWN if share is None else numbers.percent(share, decimals).replace("-", "−")


def percent_range(low: float, high: float, decimals: int = 1) -> str:
    """Both ends of an interval, in percent."""
    first, last = percent(low, decimals), percent(high, decimals)
    if last.startswith(("<", ">")):
        return f"{first} to {last}"  # a dash before such a sign is easily taken for a minus
    return f"{first.removesuffix('%')}–{last}"


def number(value: float | None, decimals: int = 3) -> str:
    """A number, with a true minus sign."""
    if value is None:
        return UNKNOWN
    shown = f"{value:,.{decimals}f}"
    if not float(shown.replace(",", "")):
        shown = shown.removeprefix("-")  # nothing is below 0 by 0.00
    return shown.replace("-", "−")


def count(n: float | None) -> str:
    """A number of people."""
    return UNKNOWN if n is None else numbers.count_text(n)


def estimate(interval: Data, decimals: int = 3) -> str:
    """A value with its interval in brackets."""
    if interval["value"] is None:
        return UNKNOWN
    value = number(interval["value"], decimals)
    if interval["low"] is None:
        return f"{value} (interval not available)"
    return f"{value} ({number(interval['low'], decimals)} to {number(interval['high'], decimals)})"


def percent_estimate(interval: Data, decimals: int = 1) -> str:
    """A share with its interval, in percent."""
    if interval["value"] is None:
        return UNKNOWN
    return (
        f"{percent(interval['value'], decimals)} "
        f"({percent_range(interval['low'], interval['high'], decimals)})"
    )


def brier_decimals(*scores: float | None) -> int:
    """Decimals of Brier scores: three digits of the smallest, which is tiny if events are rare.

    Parameters
    ----------
    *scores : float or None
        The scores shown beside each other.

    Returns
    -------
    int
        At least 3.

    Examples
    --------
    >>> from elseif.report.wording import brier_decimals
    >>> brier_decimals(0.141, 0.144), brier_decimals(0.0059, 0.006), brier_decimals(None, 0.0)
    (3, 5, 3)
    """
    known = [score for score in scores if score]
    return min(7, max(3, 2 - math.floor(math.log10(min(known))))) if known else 3


def threshold_decimals(thresholds: Sequence[float]) -> int:
    """Decimals of the percentages of a decision curve's thresholds."""
    return int(any(round(1000 * t) % 10 for t in thresholds))


def quoted(name: object) -> str:
    """A name of the user's in quotation marks, shortened."""
    return f"“{shown(name)}”"


def how_validated(validation: Data) -> str:
    """How performance was measured, in a few words shown with every number."""
    return f"out of sample, {how_evaluated(validation)}"


def how_evaluated(validation: Data) -> str:
    """By what performance was measured."""
    if validation["n_folds"]:
        return f"{validation['n_folds']}-fold cross-validation"
    return EXTERNAL_WORDS if validation["method"] == EXTERNAL else "held-out table"


def discrimination_words(summary: Data) -> list[str]:
    """Sentences on the AUC."""
    discrimination, validation = summary["validation"]["discrimination"], summary["validation"]
    auc = discrimination["auc"]["value"]
    if auc is None:
        return ["The AUC needs cases both with and without the event, and is not available."]
    sentences = [
        f"For two cases, one with and one without the event, the one with the event is given the "
        f"higher risk {100 * auc:.0f} times in 100 (ties count as half). Chance alone would give "
        "50."
    ]
    shown = estimate(discrimination["auc"])
    if summary["about"]["rounded_to"]:
        sentences.append(
            f"The AUC is {shown}, with DeLong’s 95% confidence interval, computed from rounded "
            f"counts{' of all folds together' if validation['n_folds'] else ''}."
        )
    elif validation["n_folds"]:
        sentences.append(
            f"The AUC is {shown}: the mean over {validation['n_folds']} folds, with a 95% "
            "confidence interval from DeLong’s variance in each fold. The interval does not "
            "include the variation from fitting to other training data."
        )
    else:
        sentences.append(
            f"The AUC is {shown}, with DeLong’s 95% confidence interval, on the held-out table."
        )
    if summary["cross_validated_auc"] is not None:
        cross = estimate(summary["cross_validated_auc"])
        sentences.append(f"By cross-validation on the training table it is {cross}.")
    sentences.append(
        f"In sample, on the training data themselves, it is {number(summary['apparent_auc'])}. "
        "That is too optimistic, and given only for comparison."
    )
    return sentences


def calibration_words(summary: Data) -> list[str]:
    """Sentences on slope, intercept and Brier score."""
    calibration = summary["validation"]["calibration"]
    fit = calibration["recalibration"]
    slope, large = fit["slope"], fit["in_the_large"]
    sentences = []
    if slope["value"] is None:
        sentences.append(
            "The calibration slope cannot be estimated: the risks do not vary, all have the "
            "same outcome, or the risks separate cases with and without the event completely."
        )
    else:
        pooled = summary["validation"]["n_folds"]
        sentences.append(
            f"The calibration slope is {estimate(slope, 2)}{_slope_words(slope)}. Below 1, risks "
            "are too extreme: high risks are too high and low risks too low. Above 1, they are not "
            "extreme enough."
            + (" The slope is fitted to the out-of-fold risks of all folds." if pooled else "")
        )
    sentences += _overstatement_words(calibration["overstatement"])
    sentences.append(
        f"Calibration in the large, the intercept with the slope fixed at 1, is "
        f"{estimate(large, 2)}. It is ideally 0; above 0, there were more events than predicted"
        + (
            ". In cross-validation it is close to 0 by construction, because all folds have nearly "
            "the same share of events."
            if summary["validation"]["n_folds"]
            else "."
        )
    )
    brier = calibration["brier"]
    decimals = brier_decimals(brier["score"]["value"], brier["of_prevalence"])
    sentences.append(
        f"The Brier score, the mean squared difference between risk and outcome, is "
        f"{estimate(brier['score'], decimals)}; predicting the overall share for all would score "
        f"{number(brier['of_prevalence'], decimals)}. The scaled Brier score is "
        f"{percent(brier['scaled'])} (100% is perfect, 0% is no better than the overall "
        "share)."
    )
    return sentences


def _slope_words(slope: Data) -> str:
    if slope["low"] is None:
        return ""
    if slope["low"] <= 1 <= slope["high"]:
        return ", an interval that includes the ideal value of 1"
    return f", an interval {'below' if slope['high'] < 1 else 'above'} the ideal value of 1"


def _overstatement_words(overstatement: Data) -> list[str]:
    """How much the risks of the lines are too far from the overall share."""
    if overstatement["value"] is None or overstatement["low"] is None:
        return []
    points = {key: 100 * overstatement[key] for key in ("value", "low", "high")}
    decimals = 1 if max(map(abs, points.values())) >= 1 else 2
    by = number(abs(points["value"]), decimals)
    side = "too far from" if points["value"] >= 0 else "too close to"
    distance = f"{by} percentage points {side}"
    if not float(by):
        distance = "neither too far from nor too close to"
    unsure = points["low"] <= 0 <= points["high"]
    return [
        f"Out of sample, risks were on average {distance} the overall share (95% confidence "
        f"interval of the overstatement {number(points['low'], decimals)} to "
        f"{number(points['high'], decimals)} points" + (", which includes 0)." if unsure else ").")
    ]


def decision_words(decision: Data) -> list[str]:
    """Where using the list is worth more than treating everybody or nobody."""
    sentences = [
        "Net benefit is the share of true positives minus the share of false positives, weighted "
        "by the odds of the threshold: at a threshold of 10%, one true positive is worth nine "
        "false positives. “Treating” stands for whatever a high risk would lead to."
    ]
    if not decision["better"]:
        sentences.append(
            "At no threshold does using the list have a higher net benefit than both treating "
            "all and treating none."
        )
    else:
        decimals = threshold_decimals(decision["thresholds"])
        ranges = [
            " to ".join(percent(t, decimals) for t in dict.fromkeys(ends))
            for ends in decision["better"]
        ]
        sentences.append(
            "Using the list has a higher net benefit than treating all and than treating "
            f"none at thresholds of {joined(ranges)}."
        )
    return sentences


def stability_words(stability: Data) -> list[str]:
    """How much the folds’ lists agree."""
    lengths = sorted(set(stability["lengths"]))
    difference = stability["mean_risk_difference"]
    span = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    rules = "rule" if span == "1" else "rules"
    sentences = [
        f"The list was refitted {stability['n_lists']} times, each time without one fold. The "
        f"lists have {span} {rules}. On average, two of them share "
        f"{percent(stability['rule_agreement'], 0)} of their rules, word for word, and "
        f"{percent(stability['column_agreement'], 0)} of their columns."
    ]
    if difference is not None:
        sentences.append(
            "Their risks for the same case differ by "
            f"{number(100 * difference, 1)} percentage points on average. Lists with different "
            "rules can give similar predictions: a cut point may have moved, or the same rules may "
            "be in another order."
        )
    return sentences


def best_lists_words(summary: Data) -> list[str]:
    """In which order the lists of the posterior are, and why the report has not the first."""
    about, lists = summary["about"], summary["posterior"]["lists"]
    if about["min_cell"]:
        return [
            "The most probable lists, ordered by rounded share of the draws and then by length; "
            "log posteriors are left out because counts could be derived from them."
        ]
    sentences = [
        f"Numbered by posterior probability among the {count(summary['posterior']['n_distinct'])} "
        "lists that were kept.",
        "A list that is 3 below the best in log posterior is about 20 times less probable.",
    ]
    ranks = [good["rank"] for good in lists if good["is_shown"]]
    if about["predicts"] == "point" and not about["edited"] and ranks and ranks[0] > 1:
        sentences.append(
            "The list of this report is the point estimate of the paper: the most probable list "
            "whose number of rules, and of conditions in a rule, is about the posterior mean. "
            "Lists of other lengths may be more probable."
        )
    return sentences


def reading_words(summary: Data) -> list[str]:
    """How to use the list, and what its numbers are."""
    about = summary["about"]
    level = f"{100 * about['level']:g}%"
    of = "each label" if summary["other_labels"] else quoted(about["event"])
    sentences = [
        "Start at the top and stop at the first line whose conditions are all met: it gives the "
        "risk of the case. The last line is for all others. Each risk therefore applies to cases "
        "that no earlier line describes.",
        f"A line gives the probability of {of} with its {level} credible interval: given the list, "
        "the data and the prior, the probability lies in this interval with a probability of "
        f"{level}.",
        *_two_uncertainties(summary),
        *_thin_lines(summary),
        "A condition on a missing value is not met, unless the condition is “is missing”. Cases "
        "with missing values may therefore end at a lower line.",
        "The list describes associations. It does not say that changing a condition would change "
        "the outcome.",
    ]
    if about["rounded_to"]:
        sentences.append(
            f"Numbers of people are rounded to multiples of {about['rounded_to']:,}, and risks and "
            "intervals are computed from the rounded numbers. They differ from those of the model, "
            "most where a line has few cases."
        )
    if about["predicts"] == "posterior":
        sentences.append(
            "The risks evaluated in this report are averages over all lists of the posterior "
            "(predict_with='posterior'), not the risks of the list shown."
        )
    if about["weighted"]:
        sentences.append(
            "Observations were weighted in fitting, so n in the list is a sum of weights. In "
            "evaluation, every case counts once."
        )
    return sentences


def _thin_lines(summary: Data) -> list[str]:
    """Lines with few people in training; rounded numbers would not show them."""
    if summary["about"]["rounded_to"]:
        return []
    words = thin_lines_words([line["n"] for line in summary["lines"]], "the list")
    return [] if words is None else [words]


def _two_uncertainties(summary: Data) -> list[str]:
    """What a line's own interval leaves out, and how well risks hold on new people."""
    level = f"{100 * summary['about']['level']:g}%"
    first = (
        "Two things are uncertain: the probability of the outcome among the cases on a line, and "
        "whether this is the right list. The interval beside a risk includes only the first. "
    )
    if any(risk.get("low_over_lists") is not None for risk in _first_risks(summary)):
        first += (
            "The interval “over all lists” includes both: for a random case on the line and a "
            "random list of the posterior, the risk that this list gives to this case is in the "
            f"interval with a probability of {level}. It is wide where other probable lists "
            "distinguish between these cases, or disagree about them."
        )
    else:
        first += "The sections on the posterior and on stability are about the second."
    hold = "The section on calibration says how well the risks of this list hold out of sample."
    return [first, f"{optimism_words()} {hold}"]


def _first_risks(summary: Data) -> list[Data]:
    return [line["risks"][0] for line in summary["lines"]]


def people_words(summary: Data) -> list[str]:
    """Size, events and labels."""
    about, people = summary["about"], summary["people"]
    labels = ", ".join(
        f"{count(n)} {quoted(name)}"
        for name, n in zip(about["labels"], people["n"][1:], strict=True)
    )
    sentences = [f"{count(about['n'])} cases: {labels}."]
    if about["n_without_label"]:
        sentences.append(f"{count(about['n_without_label'])} rows without a label were left out.")
    return sentences
