"""Numbers and sentences of the report, from the summary's plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elseif.report.names import shown

Data = Mapping[str, Any]
UNKNOWN = "not available"


def percent(share: float | None, decimals: int = 1) -> str:
    """A share as a percentage."""
    return UNKNOWN if share is None else f"{100 * share:.{decimals}f}%".replace("-", "−")


def number(value: float | None, decimals: int = 3) -> str:
    """A number, with a true minus sign."""
    return UNKNOWN if value is None else f"{value:,.{decimals}f}".replace("-", "−")


def count(n: float | None) -> str:
    """A number of people."""
    if n is None:
        return UNKNOWN
    return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.2f}"


def estimate(found: Data, decimals: int = 3) -> str:
    """A value with its interval in brackets."""
    if found["value"] is None:
        return UNKNOWN
    value = number(found["value"], decimals)
    if found["low"] is None:
        return f"{value} (interval not available)"
    return f"{value} ({number(found['low'], decimals)} to {number(found['high'], decimals)})"


def percent_estimate(found: Data, decimals: int = 1) -> str:
    """A share with its interval, in percent."""
    if found["value"] is None:
        return UNKNOWN
    low, high = percent(found["low"], decimals), percent(found["high"], decimals)
    return f"{percent(found['value'], decimals)} ({low.removesuffix('%')}–{high})"


def how_validated(validation: Data) -> str:
    """How observations were kept apart, in a few words that stand beside every number."""
    if validation["n_folds"]:
        return f"out of sample, {validation['n_folds']}-fold cross-validation"
    return "out of sample, held-out table"


def discrimination_words(summary: Data) -> list[str]:
    """What the AUC says."""
    found, validation = summary["validation"]["discrimination"], summary["validation"]
    auc = found["auc"]["value"]
    if auc is None:
        return ["There are not people both with and without the outcome, so that nothing is said."]
    told = [
        f"Of two people, one with and one without the outcome, the list gives the higher risk to "
        f"the one with it {100 * auc:.0f} times out of 100 (ties count half). A coin would do so "
        "50 times."
    ]
    if summary["about"]["rounded_to"]:
        told.append(
            f"The AUC is {estimate(found['auc'])}, with DeLong’s 95% confidence interval, of the "
            f"rounded counts{' of all folds together' if validation['n_folds'] else ''}."
        )
    elif validation["n_folds"]:
        told.append(
            f"The AUC is {estimate(found['auc'])}: the mean over {validation['n_folds']} folds, "
            "with a 95% confidence interval from DeLong’s variance in each fold. The interval "
            "takes the folds’ lists as they are; it does not say how much other training data "
            "would change them."
        )
    else:
        told.append(
            f"The AUC is {estimate(found['auc'])}, with DeLong’s 95% confidence interval, on the "
            "held-out table."
        )
    cross = summary["cross_validated_auc"]
    if cross is not None:
        told.append(f"Cross-validated on the training table it is {estimate(cross)}.")
    told.append(
        f"In sample, on the very people that the list was learnt from, it is "
        f"{number(summary['apparent_auc'])}; that number is too good, and stands here only to "
        "show by how much."
    )
    return told


def calibration_words(summary: Data) -> list[str]:
    """What slope, intercept and Brier score say."""
    found = summary["validation"]["calibration"]
    fit = found["recalibration"]
    slope, large = fit["slope"], fit["in_the_large"]
    told = []
    if slope["value"] is None:
        told.append(
            "The calibration slope cannot be told: risks do not vary, or they part people with "
            "the outcome from the others completely."
        )
    else:
        told.append(
            f"The calibration slope is {estimate(slope, 2)}: {_slope_words(slope)} Below 1, risks "
            "are too extreme: high ones come true less often than predicted, low ones more often. "
            f"Above 1 they are too timid.{_pooled(summary)}"
        )
    told.append(
        f"The intercept with the slope fixed at 1 is {estimate(large, 2)} (0 is ideal, above 0 "
        "means more events than predicted)"
        + (
            "; under cross-validation it is near 0 by construction, for the folds share one "
            "prevalence."
            if summary["validation"]["n_folds"]
            else "."
        )
    )
    brier = found["brier"]
    told.append(
        f"The Brier score, the mean squared difference between risk and outcome, is "
        f"{estimate(brier['score'])}; giving everybody the overall share would score "
        f"{number(brier['of_prevalence'])}. Scaled between the two it is "
        f"{percent(brier['scaled'])} (100% is perfect, 0% no better than the overall share)."
    )
    return told


def _pooled(summary: Data) -> str:
    if not summary["validation"]["n_folds"]:
        return ""
    return " It is fitted to the out-of-fold risks of all folds together."


def _slope_words(slope: Data) -> str:
    if slope["low"] <= 1 <= slope["high"]:
        return "the ideal, 1, lies within its interval."
    return f"the ideal, 1, lies {'above' if slope['high'] < 1 else 'below'} its interval."


def decision_words(decision: Data) -> list[str]:
    """Where acting by the list is worth more than acting on all or on nobody."""
    told = [
        "Net benefit counts people rightly acted on, less those wrongly acted on at the odds that "
        "the threshold implies: who would act at a risk of 10% holds one missed event to be as bad "
        "as 9 needless actions."
    ]
    if not decision["better"]:
        told.append(
            "At no threshold is acting by the list worth more than both acting on everybody and "
            "acting on nobody."
        )
    else:
        ranges = [
            percent(low, 0) if low == high else f"{percent(low, 0)} to {percent(high, 0)}"
            for low, high in decision["better"]
        ]
        told.append(
            "Acting by the list is worth more than either simple way at thresholds of "
            f"{_joined(ranges)}. Whether one’s own threshold lies there is for the reader to judge."
        )
    return told


def stability_words(stability: Data) -> list[str]:
    """How far the folds’ lists agree."""
    lengths = sorted(set(stability["lengths"]))
    difference = stability["mean_risk_difference"]
    shown = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    told = [
        f"The list was learnt again {stability['n_lists']} times, each time without a part of the "
        f"people. These lists have {shown} rules. Two of them share on average "
        f"{percent(stability['rule_agreement'], 0)} of their rules to the letter and "
        f"{percent(stability['column_agreement'], 0)} of their columns."
    ]
    if difference is not None:
        told.append(
            "The risks that two of them give to the same person differ on average by "
            f"{number(100 * difference, 1)} percentage points. Lists that read differently may "
            "predict alike: a threshold moved a little, or rules in another order."
        )
    return told


def reading_words(summary: Data) -> list[str]:
    """How to use the list, and what its numbers are."""
    about = summary["about"]
    told = [
        "Read from the top. The first line whose conditions are all true of a person decides, and "
        "the lines below it do not matter for that person. The last line is for everybody whom no "
        "line above describes. Each risk therefore holds for those whom the lines above it left.",
        f"Each line gives the probability of “{shown(about['positive'])}” among people like these, "
        f"with a {100 * about['level']:g}% credible interval: given the list, the data and the "
        "prior, the probability lies within it with that certainty. It does not include doubt "
        "about the list itself; the sections on the posterior and on stability speak of that.",
        "A missing value makes no condition true but “is missing”, so that a person may fall "
        "through to a lower line for want of a measurement.",
        "The list describes associations. It does not say that changing a condition would change "
        "the outcome.",
    ]
    if about["rounded_to"]:
        told.append(
            f"Numbers of people are rounded to multiples of {about['rounded_to']:,}, and risks and "
            "intervals follow from the rounded numbers: they differ from those that the list "
            "learnt, the more so the fewer people a line has."
        )
    if about["predicts"] == "posterior":
        told.append(
            "The risks that are judged in this report are averages over all lists of the "
            "posterior (predict_with='posterior'), not the risks printed in this one list."
        )
    if about["weighted"]:
        told.append(
            "People were weighted in fitting, so that n in the list is a sum of weights. In "
            "validation every person counts once."
        )
    return told


def people_words(summary: Data) -> list[str]:
    """Size, events and labels."""
    about, people = summary["about"], summary["people"]
    labels = ", ".join(
        f"{count(n)} “{shown(name)}”"
        for name, n in zip(about["labels"], people["n"][1:], strict=True)
    )
    told = [f"{count(about['n'])} people, of whom {labels}."]
    if about["n_without_label"]:
        told.append(f"{count(about['n_without_label'])} rows without a label were left out.")
    return told


def _joined(parts: Sequence[str]) -> str:
    """Texts one after another: a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
