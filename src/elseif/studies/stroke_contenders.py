"""The classifiers compared: the rule list, scores if their conditions are known, and others."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError
from elseif.evaluation import (
    CHADS2,
    CHA2DS2VASc,
    Contender,
    Indicators,
    Scores,
    comparison_classifiers,
)
from elseif.studies.running import ComparisonSettings
from elseif.studies.stroke_results import BRL, POINT, POST, describe_fit
from elseif.studies.stroke_settings import StrokeSettings

if TYPE_CHECKING:
    from elseif.cohort import Cohort

SCORES = {  # the groups of the definition that each counts
    "CHADS2": {"heart_failure", "hypertension", "diabetes", "stroke_or_tia"},
    "CHA2DS2-VASc": {
        "heart_failure", "hypertension", "diabetes", "stroke_or_tia", "vascular_disease"
    },
}  # fmt: skip


WHOLE_POOL = 100_000  # the paper screens nothing


def rule_list_classifier(cohort: Cohort, settings: StrokeSettings) -> BayesianRuleListClassifier:
    """The paper's settings of section 4."""
    return BayesianRuleListClassifier(
        min_support=0.1,
        max_cardinality=2,
        expected_length=3,
        expected_cardinality=1,
        cuts=cohort.cuts,
        max_antecedents=WHOLE_POOL,
        random_state=settings.seed,
        n_jobs=settings.n_jobs,
    )


def point_scores(fitted: BayesianRuleListClassifier, X: Any) -> Scores:
    """Predictions of the point estimate."""
    return _probabilities(fitted, X, "point")


def posterior_scores(fitted: BayesianRuleListClassifier, X: Any) -> Scores:
    """Predictions of the whole posterior, from the same fit."""
    return _probabilities(fitted, X, "posterior")


def _probabilities(fitted: BayesianRuleListClassifier, X: Any, how: str) -> Scores:
    before = fitted.predict_with
    try:
        risk = fitted.set_params(predict_with=how).predict_proba(X)[:, -1]
    finally:
        fitted.set_params(predict_with=before)
    return Scores(risk, risk)


def rule_list_contender(cohort: Cohort, settings: StrokeSettings) -> Contender:
    """One fit per fold, for both the point estimate and the posterior."""
    return Contender(
        BRL,
        rule_list_classifier(cohort, settings),
        cohort.table(),
        {POINT: point_scores, POST: posterior_scores},
        describe=describe_fit,
    )


def score_contenders(cohort: Cohort) -> tuple[list[Contender], dict[str, str]]:
    """The scores whose diseases the definition names, and why others are not there."""
    contenders, absent = [], {}
    table, known = cohort.score_table(), set(cohort.groups.columns)
    for name, score in (("CHADS2", CHADS2()), ("CHA2DS2-VASc", CHA2DS2VASc())):
        lacking = sorted(SCORES[name] - known)
        if lacking:
            absent[name] = f"the definition has no groups {', '.join(lacking)}."
        else:
            contenders.append(Contender(name, score, table, learns=False))
    return contenders, absent


def empty_score_parts(cohort: Cohort, names: Collection[str]) -> dict[str, str]:
    """Scores with a component that nobody has a record of, so that they are incomplete."""
    reasons = {}
    for name in names:
        empty = sorted(SCORES.get(name, set()) & set(cohort.empty_groups))
        if empty:
            reasons[name] = (
                f"WARNING: nobody has a record of {', '.join(empty)}, which counts as 0 points for "
                f"everybody: this is not the whole {name}."
            )
    return reasons


def comparison_contenders(
    cohort: Cohort, settings: StrokeSettings
) -> tuple[list[Contender], dict[str, str]]:
    """The paper's other classifiers and today's, and why some are not there.

    They learn from the conditions that rules are made of, each a column of 0 and 1: every drug
    and condition, sex, and both sides of the definition's cuts of age, which no label decides.
    """
    table, y = cohort.table(), cohort.labels()
    X = Indicators(cuts=cohort.cuts).fit(table, y).transform(table)
    n_train = X.shape[0] * (settings.folds - 1) // settings.folds
    known = comparison_classifiers(settings.seed, settings.n_jobs, (n_train, X.shape[1]))
    contenders, absent = [], {}
    for name, entry in known.items():
        if entry.unavailable is None:
            contenders.append(Contender(name, entry.make(), X))
        else:
            absent[name] = f"{entry.unavailable.rstrip('.')}."
    return contenders, absent


def check_names(settings: ComparisonSettings, others: Collection[str] = tuple(SCORES)) -> None:
    """Refuse unknown names of classifiers before any work is done."""
    known = {name.lower(): name for name in (BRL, *others, *comparison_classifiers())}
    for name in (*settings.only, *settings.skip):
        if name.lower() not in known:
            near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
            hint = f" Did you mean {known[near[0]]!r}?" if near else ""
            raise ParamError(
                f"There is no classifier {name!r}; there are {', '.join(known.values())}.{hint}"
            )


def select(
    contenders: Sequence[Contender], absent: Mapping[str, str], settings: ComparisonSettings
) -> tuple[list[Contender], dict[str, str]]:
    """The requested ones among both, ignoring case."""
    only, skip = ({name.lower() for name in given} for given in (settings.only, settings.skip))

    def is_wanted(name: str) -> bool:
        return (not only or name.lower() in only) and name.lower() not in skip

    chosen = [contender for contender in contenders if is_wanted(contender.name)]
    return chosen, {name: why for name, why in absent.items() if is_wanted(name)}
