"""The verdict at the top of a report: plain data in, sentences out.

A finding is graded by the ends of its 95 % interval, as they are shown, and not by the estimate
alone: it is called "good" only if the whole interval supports that.

=====================  ==========================================================================
AUC                    very good from .9, good from .8, fair from .7, limited from .6, else poor;
                       "fair to good" where the interval's ends differ; no better than chance where
                       the interval reaches .5
calibration slope      about right where the interval holds 1 and lies within .8 to 1.25; too
                       extreme where it lies below 1, not extreme enough where it lies above 1
lists of the folds     agree where two of them share 80 % of their rules on average, agree in part
                       from 50 % of the rules; same columns, rules differ where they share less
                       of these but 80 % of the columns; else they differ
few people             fewer than 100 with, or without, the event (Vergouwe et al. 2005, Collins et
                       al. 2016, for studies that validate a model)
rare event             less than 5 % of those evaluated
missing values         5 % or more of a column that the list uses
=====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elseif.antecedents.rare_outcomes import RARE
from elseif.report.cautions import cautions
from elseif.report.wording import estimate, how_evaluated, number, percent, quoted

Data = Mapping[str, Any]

GOOD, CAUTION, POOR, UNKNOWN = "good", "caution", "poor", "unknown"
SIGNS = {GOOD: "✓", CAUTION: "!", POOR: "✕", UNKNOWN: "?"}
_WORST_FIRST = (POOR, CAUTION, UNKNOWN, GOOD)

AUC_GRADES = ((0.9, "very good"), (0.8, "good"), (0.7, "fair"), (0.6, "limited"), (0.0, "poor"))
FAIR_AUC, CHANCE = 0.7, 0.5
SLOPES_ABOUT_RIGHT = (0.8, 1.25)
RULES_AGREE, RULES_AGREE_IN_PART, COLUMNS_AGREE = 0.8, 0.5, 0.8
MOST_LABELS_NAMED = 6


@dataclass(frozen=True)
class Finding:
    """One finding: a mark, a few words, and the sentences behind them.

    Attributes
    ----------
    topic : str
        "Discrimination", "Calibration", "Lists of the folds" or "Sampling".
    mark : str
        "good", "caution", "poor" or "unknown".
    headline : str
        The finding in a few words.
    text : str
        The numbers behind it, and what they mean.
    anchor : str
        The section of the report that says more.

    Examples
    --------
    >>> from elseif.report import Finding
    >>> Finding("Sampling", "good", "Exact", "Summed over all lists.", "convergence").headline
    'Exact'
    """

    topic: str
    mark: str
    headline: str
    text: str
    anchor: str


@dataclass(frozen=True)
class Verdict:
    """The findings and cautions of a report.

    Attributes
    ----------
    findings : tuple[Finding, ...]
        Discrimination, calibration, agreement between folds, and sampling.
    cautions : tuple[str, ...]
        What to be careful about.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import summarise, verdict
    >>> found = verdict(summarise(clf, X, y, folds=2))
    >>> [finding.topic for finding in found.findings]
    ['Discrimination', 'Calibration', 'Lists of the folds', 'Sampling']
    >>> found.findings[3].headline
    'Exact'
    """

    findings: tuple[Finding, ...]
    cautions: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{SIGNS[f.mark]} {f.topic}: {f.headline}. {f.text}" for f in self.findings]
        return "\n".join([*lines, *(f"! {text}" for text in self.cautions)])


def verdict(summary: Any) -> Verdict:
    """Summarise in plain words how good a list is, and what to be careful about.

    Parameters
    ----------
    summary : Summary or dict
        A summary, or what its ``to_dict`` gave.

    Returns
    -------
    Verdict
        Findings with marks, and cautions; ``print`` shows them as text.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import summarise, verdict
    >>> verdict(summarise(clf, X, y, folds=2)).findings[0].mark
    'good'
    """
    document: Data = summary if isinstance(summary, Mapping) else summary.to_dict()
    return Verdict(
        (
            _of_labels("Discrimination", document, discrimination),
            _of_labels("Calibration", document, calibration),
            _stability(document),
            _sampling(document),
        ),
        tuple(cautions(document, RARE)),
    )


# -------------------------------------------------------------------- out-of-sample performance


@dataclass(frozen=True)
class Judgement:
    """A mark with its words, and the numbers behind it."""

    mark: str
    headline: str
    numbers: str
    meaning: str
    distance: float = 0.0  # from the ideal: among labels with the same mark, the worst is largest


def discrimination(validation: Data) -> Judgement:
    """How well risks separate people with the event from those without."""
    auc = validation["discrimination"]["auc"]
    if auc["value"] is None:
        return Judgement(
            UNKNOWN, "Cannot be judged", "AUC not available",
            "There must be cases both with and without the event in every fold or held-out table.",
        )  # fmt: skip
    value = round(auc["value"], 2)
    meaning = (
        "Of two cases, one with the event and one without, the one with the event has the higher "
        f"risk {100 * auc['value']:.0f} times in 100 (ties count as half)."
    )
    if auc["low"] is None:
        numbers = f"AUC {number(value, 2)}, interval not available"
        headline = "No better than chance" if value <= CHANCE else "Uncertain"
        return Judgement(POOR if value <= CHANCE else UNKNOWN, headline, numbers, meaning)
    low, high = round(auc["low"], 2), round(auc["high"], 2)
    numbers = f"AUC {with_interval(auc)}"
    if high < CHANCE:
        return Judgement(POOR, "Worse than chance", numbers, meaning)
    if low <= CHANCE:
        return Judgement(POOR, "Perhaps no better than chance", numbers, meaning)
    worst, best = _grade(low), _grade(high)
    words = worst if worst == best else f"{worst} to {best}"
    mark = GOOD if low >= FAIR_AUC else CAUTION
    return Judgement(mark, words.capitalize(), numbers, meaning, distance=1 - auc["low"])


def _grade(auc: float) -> str:
    return next(word for least, word in AUC_GRADES if auc >= least)


def calibration(validation: Data) -> Judgement:
    """Whether risks are too extreme or not extreme enough, and right on average."""
    spread = _spread(validation["calibration"]["recalibration"]["slope"])
    level = _level(validation)
    if level is None:
        return spread
    mark = _worst([spread.mark, level.mark])
    headline = spread.headline
    if level.headline:
        headline = f"{headline}; {level.headline}" if spread.mark != GOOD else level.headline
    headline = headline[:1].upper() + headline[1:]
    meaning = f"{spread.meaning} {level.meaning}"
    return Judgement(mark, headline, spread.numbers, meaning, spread.distance)


def _spread(slope: Data) -> Judgement:
    """What the calibration slope says, with its uncertainty."""
    if slope["value"] is None or slope["low"] is None:
        return Judgement(
            UNKNOWN, "Cannot be judged", "Calibration slope not available",
            "The risks do not vary, all have the same outcome, or the risks separate cases "
            "with and without the event completely.",
        )  # fmt: skip
    least, most = SLOPES_ABOUT_RIGHT
    numbers = f"Calibration slope {with_interval(slope, ideal='1')}"
    value, low, high = (round(slope[key], 2) for key in ("value", "low", "high"))
    distance = abs(slope["value"] - 1)
    if low <= 1 <= high:
        if low >= least and high <= most:
            meaning = "Risks are neither clearly too extreme nor too cautious."
            return Judgement(GOOD, "About right", numbers, meaning, distance)
        doubts = [
            *(["too extreme"] if low < least else []),
            *(["not extreme enough"] if high > most else []),
        ]
        meaning = f"The data do not rule out that risks are clearly {' or '.join(doubts)}."
        return Judgement(CAUTION, "No clear error, but uncertain", numbers, meaning, distance)
    if high < 1:
        meaning = "High risks are too high, and low risks too low."
        if low <= 0:
            meaning += " The data do not rule out that the risks say nothing about the outcome."
        slightly = low >= least
        words, mark = "too extreme", CAUTION if value >= least else POOR
    else:
        meaning = "High risks are too low, and low risks too high."
        slightly = high <= most
        words, mark = "not extreme enough", CAUTION if value <= most else POOR
    headline = f"{'slightly ' if slightly else ''}{words}".capitalize()
    return Judgement(mark, headline, numbers, meaning, distance)


def _level(validation: Data) -> Judgement | None:
    """Calibration in the large: under cross-validation only where something is wrong."""
    large = validation["calibration"]["recalibration"]["in_the_large"]
    shares = _observed_and_predicted(validation)
    if large["value"] is None or large["low"] is None or shares is None:
        return None
    observed, predicted = (percent(share) for share in shares)
    compared = f"{observed} had the event, {predicted} were predicted to."
    if large["low"] > 0:
        return Judgement(
            CAUTION, "too low on average", "", f"On average, risks are too low: {compared}"
        )
    if large["high"] < 0:
        return Judgement(
            CAUTION, "too high on average", "", f"On average, risks are too high: {compared}"
        )
    if validation["n_folds"]:
        return None  # near 0 by construction: folds have the same share of events
    meaning = f"On average, risks are not clearly too high or too low: {compared}"
    return Judgement(GOOD, "", "", meaning)


def _observed_and_predicted(validation: Data) -> tuple[float, float] | None:
    groups = [g for g in validation["calibration"]["by_quantile"] if g["n"]]
    n = sum(g["n"] for g in groups)
    if not n:
        return None
    return (
        sum(g["n_events"] for g in groups) / n,
        sum(g["n"] * g["predicted"] for g in groups) / n,
    )


def _of_labels(topic: str, summary: Data, judge: Any) -> Finding:
    """One finding for the event; or for all labels, each against the others, by the worst."""
    about, anchor = summary["about"], topic.lower()
    how = how_evaluated(summary["validation"])
    judged = [(name, judge(validation)) for name, validation in evaluations(summary)]
    if len(judged) == 1:
        one = judged[0][1]
        mark, headline = one.mark, one.headline
        text = f"{one.numbers}, {how}. {one.meaning}"
    else:
        ordered = sorted(
            judged, key=lambda each: (_WORST_FIRST.index(each[1].mark), -each[1].distance)
        )
        name, worst = ordered[0]
        mark, headline = worst.mark, worst.headline
        alike = {each.headline for _, each in judged} == {headline}
        if not alike:
            headline = f"Worst for {quoted(name)}: {uncapitalised(headline)}"
        named = [
            f"{quoted(name)}: {uncapitalised(each.numbers)}"
            for name, each in ordered[:MOST_LABELS_NAMED]
        ]
        more = len(ordered) - len(named)
        rest = f"; {more} more labels in the report" if more else ""
        text = f"Each label against the others, {how}. {'; '.join(named)}{rest}."
    if about["resubstituted"]:
        mark = UNKNOWN
        headline = f"In sample: {uncapitalised(headline)}"
        text += " The held-out table looks like the training table, so this is too optimistic."
    elif about["edited"] and summary["validation"]["n_folds"]:
        mark = _worst([mark, CAUTION])
        text += " These lists were learnt without the changes that were made by hand."
    return Finding(topic, mark, headline, text, anchor)


def evaluations(summary: Data) -> list[tuple[str, Data]]:
    """The labels that are evaluated, in their order, each with its measures."""
    about = summary["about"]
    measures = {about["positive"]: summary["validation"]}
    measures |= {each["label"]: each["validation"] for each in summary["other_labels"]}
    return [(name, measures[name]) for name in about["labels"] if name in measures]


def with_interval(interval: Data, decimals: int = 2, ideal: str = "") -> str:
    """A value with its interval, and what it should be."""
    shown = estimate(interval, decimals).replace("(", "(95% interval ", 1)
    return shown.replace(")", f"; ideal {ideal})") if ideal else shown


def uncapitalised(words: str) -> str:
    """A text as it reads within a sentence; abbreviations keep their capitals."""
    return words if words[1:2].isupper() else f"{words[:1].lower()}{words[1:]}"


def _worst(marks: Sequence[str]) -> str:
    return min(marks, key=_WORST_FIRST.index)


# ------------------------------------------------------------------------- lists of the folds


def _stability(summary: Data) -> Finding:
    topic, anchor = "Lists of the folds", "stability"
    stability = summary["stability"]
    if stability is None or stability["rule_agreement"] is None:
        text = (
            "No cross-validation was run, so it is not known whether other data give other lists."
        )
        return Finding(topic, UNKNOWN, "Not examined", text, anchor)
    own = [line["condition"] for line in summary["lines"][:-1]]
    folds = [[rule for rule, _ in fold["rules"][:-1]] for fold in summary["folds"]]
    if not own and not any(folds):
        text = "Neither this list nor a list of a fold has a rule: all get the same risk."
        return Finding(topic, GOOD, "No rules in any fold", text, anchor)
    rules, columns = (round(stability[f"{what}_agreement"], 2) for what in ("rule", "column"))
    if rules >= RULES_AGREE:
        mark, headline = GOOD, "Agree"
    elif rules >= RULES_AGREE_IN_PART:
        mark, headline = CAUTION, "Agree in part"
    elif columns >= COLUMNS_AGREE:
        mark, headline = CAUTION, "Same columns, rules differ"
    else:
        mark, headline = POOR, "Differ"
    sentences = [
        f"Two folds’ lists share {percent(rules, 0)} of their rules and {percent(columns, 0)} of "
        "their columns on average."
    ]
    if own and not summary["about"]["edited"]:
        sentences.insert(0, _kept(own, folds))
    difference = stability["mean_risk_difference"]
    if difference is not None:
        sentences.append(
            f"Their risks for the same case differ by {number(100 * difference, 1)} percentage "
            "points on average."
        )
    return Finding(topic, mark, headline, " ".join(sentences), anchor)


def _kept(own: Sequence[str], folds: Sequence[Sequence[str]]) -> str:
    """How many of the list's rules the lists of all folds have."""
    n_kept = sum(all(rule in rules for rules in folds) for rule in own)
    if len(own) == 1:
        n_folds = sum(own[0] in rules for rules in folds)
        return f"The rule of this list is in {n_folds} of the {len(folds)} folds’ lists."
    which = {0: "None", len(own): "All"}.get(n_kept, str(n_kept))
    verb = "is" if n_kept == 1 else "are"
    return f"{which} of the {len(own)} rules of this list {verb} in every fold’s list."


# ---------------------------------------------------------------------------------- sampling


def _sampling(summary: Data) -> Finding:
    mark, headline, text = judge_chains(summary["convergence"])
    statuses = [fold["status"] for fold in summary["folds"]]
    n_failed = statuses.count("not converged")
    if n_failed:
        mark = _worst([mark, CAUTION])
        text += (
            f" In {n_failed} of {len(statuses)} folds the chains did not converge: measures of "
            "performance may change with another seed."
        )
    return Finding("Sampling", mark, headline, text, "convergence")


def judge_chains(convergence: Data | None) -> tuple[str, str, str]:
    """Mark, headline and text of how the posterior was sampled."""
    if convergence is None:
        return UNKNOWN, "Not recorded", "The model file has no record of convergence."
    if not convergence["n_chains"]:
        return GOOD, "Nothing to sample", "There is only one possible list."
    status = convergence["status"]
    if convergence["independent"]:
        return _independent(convergence, status)
    n = convergence["n_chains"]
    chains = f"{'1 chain' if n == 1 else f'{n} chains'} of {convergence['n_iter']:,} iterations"
    if convergence["r_hat"] is not None:
        chains += f", R-hat {number(convergence['r_hat'])}"
    if status == "not converged":
        text = f"{chains}: another run may give another list and other risks. Run longer first."
        return POOR, "Not converged", text
    if status == "undetermined":
        text = f"{chains}: at least two chains that move are needed to judge convergence."
        return UNKNOWN, "Cannot be judged", text
    if status == "warn":
        text = f"{chains}. The model file is of an older version, which checked this alone."
        return CAUTION, "Converged by the paper’s criterion", text
    if convergence["point_is_steady"] is False:
        text = (
            f"{chains}: predictions and shares of lists are steady, but another run may choose "
            "another list as the point estimate."
        )
        return CAUTION, "Converged, but not on one list", text
    return GOOD, "Converged", f"{chains}: predictions and shares of lists are steady."


def _independent(convergence: Data, status: str) -> tuple[str, str, str]:
    """Of draws from the enumerated posterior: there is no chain that could fail to converge."""
    if convergence["summed"]:
        text = (
            "The posterior was summed over all lists of the pool, so it does not depend on a seed."
        )
        return GOOD, "Exact", text
    text = "Lists were drawn independently from the exact posterior"
    if status == "not converged":
        return POOR, "Too few draws", f"{text}, but too few of them. Draw more first."
    if status == "warn":
        return CAUTION, "Few draws", f"{text}; more draws would give more precise details."
    return GOOD, "Drawn from the exact posterior", f"{text}, so convergence is not an issue."
