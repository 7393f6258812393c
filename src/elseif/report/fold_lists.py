"""The lists of the folds: each as plain data, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.discrimination import fold_aucs
from elseif.evaluation.stability import Stability, stability
from elseif.posterior.rule_list import RuleList
from elseif.report.counted import Counted
from elseif.report.grouping import plain_count
from elseif.tables.reading import Table


@dataclass(frozen=True)
class FoldSummary:
    """One fold's list."""

    rules: list[tuple[str, float]]  # conditions, and probability of the judged label
    auc: float | None  # None under a minimum cell
    n_train: float
    n_test: float
    status: str
    r_hat: float
    seconds: float
    warnings: list[str]


def fold_stability(
    lists: Sequence[RuleList], table: Table, position: int, is_exact: bool
) -> Stability:
    """How far the lists agree."""
    agreement = stability(lists, table, position)
    # a mean over people would reveal how many fall into which lines of two lists
    return agreement if is_exact else replace(agreement, mean_risk_difference=float("nan"))


def fold_summaries(
    crossed: Validation, lists: Sequence[RuleList], position: int, counted: Counted
) -> list[FoldSummary]:
    """The list of each fold."""
    is_exact = counted.rounding is None
    aucs: Sequence[float | None] = [None] * len(lists)
    if is_exact:
        aucs = fold_aucs(*crossed.against_the_rest(position), crossed.fold)
    summaries = []
    for f, (fold, rule_list, auc) in enumerate(zip(crossed.folds, lists, aucs, strict=True)):
        in_fold = crossed.fold == f
        rules = [(rule.text, float(rule.probabilities[position])) for rule in rule_list]
        summaries.append(
            FoldSummary(
                rules,
                auc,
                plain_count(counted.people.by_label(~in_fold).sum()),
                plain_count(counted.people.by_label(in_fold).sum()),
                fold.convergence.status,
                fold.convergence.r_hat if is_exact else round(fold.convergence.r_hat, 2),
                round(fold.seconds, 2),
                list(fold.warnings) if is_exact else [],  # warnings may count a few people
            )
        )
    return summaries
