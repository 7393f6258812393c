"""The disclosed model: the parts of a model that may be shared under a minimum cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import pool_of
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import BETWEEN, ONE_OF
from elseif.conditions.fit_report import FitReport, vague_reason
from elseif.disclosure.holding import hold
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding, check_min_cell
from elseif.errors import DisclosureError, ParamError
from elseif.fitted_model import FittedModel, as_model
from elseif.labelling import model_with_display
from elseif.posterior.rule_list import Rule, RuleList, with_display
from elseif.sampler.convergence import Convergence
from elseif.tables.columns import Kind
from elseif.tables.federated import rounded_federation
from elseif.tables.origin import of_columns

NAMELESS = {"inclusion": "inclusion of a rule", "share": "share of a list"}


def disclosed(model: Any, min_cell: int | None) -> FittedModel:
    """The model with every number of people rounded, and without anything that would reveal them.

    Left out are the posterior's draws, the fingerprint of the data, the supports of the pool, the
    path of projected lists, rules that are in no list, numbers of missing values, notes, categories
    that no rule names (in display labels too), and ranges of values whose ends lie among fewer
    people than the rounding step. Probabilities and intervals follow from the rounded counts.
    Counts are rounded to multiples of ``min_cell``, or of a multiple of it if that could be undone;
    None leaves the model as it is.
    """
    model, smallest = as_model(model), check_min_cell(min_cell)
    if smallest is None or is_as_coarse(model, smallest):
        return model

    def attempt(rounding: Rounding) -> tuple[FittedModel, list[Cells]]:
        lists = [rounded_list(each, rounding) for each in model.lists]
        made = rounded_model(model, rounding, *lists)
        unit = model.metadata.count_unit
        cells = cells_of_lists(lists, rounding, unit, made.training["label_counts"])
        return made, [cells]

    return hold(smallest, attempt)


def disclosed_list(rule_list: RuleList, min_cell: int | None) -> RuleList:
    """A list of its own, with every number of people rounded."""
    smallest = check_min_cell(min_cell)
    if smallest is None:
        return rule_list

    def attempt(rounding: Rounding) -> tuple[RuleList, list[Cells]]:
        made = rounded_list(rule_list, rounding)
        made = with_display(made, made.metadata.display.for_lists(made.antecedents))
        return made, [cells_of_lists([made], rounding, rule_list.metadata.count_unit)]

    return hold(smallest, attempt)


def is_as_coarse(model: FittedModel, min_cell: int) -> bool:
    """Whether a model was made with a minimum cell that satisfies this one, too."""
    known = model.metadata.rounding
    return known is not None and known.step % min_cell == 0


def rounded_model(
    model: FittedModel,
    rounding: Rounding,
    rule_list: RuleList,
    map_rule_list: RuleList,
    projected_rule_list: RuleList | None = None,
) -> FittedModel:
    """A model with rounded lists, and without anything that would reveal more."""
    check_predicts_by_a_list(model)
    label_counts = rounding.counts(model.training["label_counts"])
    if not label_counts.sum():
        raise DisclosureError(
            f"There are too few people for min_cell={rounding.min_cell}: their number rounds to 0."
        )
    lists = (rule_list, map_rule_list, projected_rule_list)
    used = list(dict.fromkeys(a for each in lists if each is not None for a in each.antecedents))
    made = replace(
        model,
        rule_list=rule_list,
        map_rule_list=map_rule_list,
        projected_rule_list=projected_rule_list,
        projection_path=None,
        posterior=None,
        convergence=None if model.convergence is None else _nameless(model.convergence),
        fit_report=_rounded_report(model, rounding, label_counts, used),
        training={
            **model.training,
            "n": float(label_counts.sum()),
            "label_counts": label_counts.tolist(),
            "fingerprint": None,
        },
        pool=pool_of(used),
        cohort=None if model.cohort is None else _rounded_cohort(model.cohort, used),
        recalibrated=None
        if model.recalibrated is None
        else {
            **model.recalibrated,
            "discount": round(model.recalibrated["discount"], 1),  # a learnt one reveals counts
            "old_label_counts": None,
            "new_label_counts": None,
        },
        federation=None
        if model.federation is None
        else rounded_federation(model.federation, rounding),
        learnt=None if model.learnt is None else {k: _coarse(v) for k, v in model.learnt.items()},
        settings=model.settings if model.federation is None else _without_plan(model, used),
    )
    return model_with_display(made, model.metadata.display.for_lists(used))


def _coarse(value: float) -> float:
    """One digit of a value that was learnt from exact counts."""
    return float(f"{value:.1g}")


def _without_plan(model: FittedModel, used: Sequence[Antecedent]) -> dict[str, Any]:
    """Settings without a plan's antecedents and levels, which are from the rows of a site."""
    columns = {column for antecedent in used for column in antecedent.columns}
    kinds = model.settings["kinds"] or {}
    return {
        **model.settings,
        "antecedents": [tuple(antecedent) for antecedent in used] or None,
        "kinds": {name: kind for name, kind in kinds.items() if name in columns} or None,
    }


def _rounded_cohort(cohort: dict[str, Any], used: Sequence[Antecedent]) -> dict[str, Any]:
    """A cohort without empty groups, which would reveal a number, and without other concepts."""
    columns = {column for antecedent in used for column in antecedent.columns}
    return {**of_columns(cohort, columns), "empty_groups": []}


def check_predicts_by_a_list(model: FittedModel) -> None:
    """Refuse averages over the posterior, whose draws reveal all counts."""
    if model.predict_with == "posterior":
        raise ParamError(
            "predict_with is 'posterior', which needs the posterior's draws, and these reveal all "
            "counts: with min_cell use predict_with='point', 'map' or 'projected'."
        )


def rounded_list(
    rule_list: RuleList, rounding: Rounding, counts: Sequence[np.ndarray] | None = None
) -> RuleList:
    """A list of rounded counts; ``counts`` are the rounded ones where they are known."""
    metadata = replace(rule_list.metadata, rounding=rounding, count_unit=1.0)
    if counts is None:
        counts = [rounding.counts(rule.label_counts) for rule in rule_list]
    rules = [
        Rule(rule.antecedent, of_rule, metadata)
        for rule, of_rule in zip(rule_list, counts, strict=True)
    ]
    return RuleList(rules, metadata)


def cells_of_lists(
    lists: Sequence[RuleList],
    rounding: Rounding,
    unit: float,
    label_counts: Sequence[float] | None = None,
) -> Cells:
    """What lists with rounded counts reveal about the same people, whose rows are unavailable.

    Rows are the ways in which a person can fall into a line of each list: a rule cannot be
    true by one list and false by another. ``label_counts`` are those of all people together.
    """
    falls = _ways_to_fall(lists)
    n_labels = len(lists[0].classes)
    codes = np.repeat(np.arange(n_labels), len(falls))
    cells = Cells(codes, n_labels, rounding, unit=unit)
    if label_counts is not None:
        cells.publish(np.ones(len(codes), dtype=bool), np.asarray(label_counts))
    for column, rule_list in enumerate(lists):
        lines = np.tile(falls[:, column], n_labels)
        parts = [lines == j for j in range(len(rule_list) + 1)]
        for part, rule in zip(parts, rule_list, strict=True):
            cells.publish(part, rule.label_counts)
        cells.parted(parts)
    return cells


def _ways_to_fall(lists: Sequence[RuleList]) -> np.ndarray:
    """A line of each list, for all that can go together: int (ways, lists)."""
    ways: list[tuple[tuple[int, ...], frozenset[Antecedent], frozenset[Antecedent]]] = [
        ((), frozenset(), frozenset())
    ]
    for rule_list in lists:
        longer = []
        for lines, true, false in ways:
            for j, rule in enumerate(rule_list):
                now_true = true | ({rule.antecedent} if rule.antecedent else set())
                now_false = false | set(rule_list.antecedents[:j])
                if not now_true & now_false:
                    longer.append(((*lines, j), now_true, now_false))
        ways = longer
    return np.array([lines for lines, _, _ in ways], dtype=np.int64).reshape(-1, len(lists))


def _nameless(convergence: Convergence) -> Convergence:
    """Diagnostics without exact shares and without positions in a pool that is left out."""
    coarse = coarse_diagnostics(convergence)
    named = [replace(q, name=NAMELESS.get(q.level, q.name), index=-1) for q in coarse.quantities]
    return replace(coarse, quantities=tuple(named))


def coarse_diagnostics(convergence: Convergence) -> Convergence:
    """Diagnostics with few digits, and without means.

    The draws follow from the data and the seed. Whoever knows the seed can repeat the fit with any
    counts that round to the shown ones, and all digits would reveal which ones are right.

    Parameters
    ----------
    convergence : Convergence
        Diagnostics of the draws.

    Returns
    -------
    Convergence
        R-hat to hundredths, rates to tenths, numbers of draws and lists to their first digit.
    """
    nan = float("nan")
    # of independent draws these say nothing but how often each list was drawn
    is_chain = nan if convergence.independent else 1.0
    quantities = [
        replace(
            q,
            r_hat=round(q.r_hat * is_chain, 2),
            r_hat_replica=round(q.r_hat_replica * is_chain, 2),
            ess_bulk=first_digit(q.ess_bulk * is_chain),
            ess_tail=first_digit(q.ess_tail * is_chain),
            ess_replica=first_digit(q.ess_replica * is_chain),
            mean=nan,
            mcse=nan,
        )
        for q in convergence.quantities
    ]
    return replace(
        convergence,
        quantities=tuple(quantities),
        r_hat=round(convergence.r_hat * is_chain, 2),
        inclusion_r_hat=round(convergence.inclusion_r_hat, 2),
        inclusion_difference=round(convergence.inclusion_difference, 1),
        n_distinct=int(first_digit(convergence.n_distinct)),
        acceptance={move: round(rate, 1) for move, rate in convergence.acceptance.items()},
        swap_rates=tuple(round(rate, 1) for rate in convergence.swap_rates),
        share_deviation=(nan, nan),
        restricted_deviation=(nan, nan),
    )


def first_digit(value: float) -> float:
    """A number rounded down to its first digit.

    Parameters
    ----------
    value : float
        A number.

    Returns
    -------
    float
        Such as 3000 for 3682; what is not positive, or not a number, as it is.
    """
    if not np.isfinite(value) or value <= 0:
        return value
    step = 10.0 ** np.floor(np.log10(value))
    return float(np.floor(value / step) * step)


def _rounded_report(
    model: FittedModel, rounding: Rounding, label_counts: np.ndarray, used: Sequence[Antecedent]
) -> FitReport:
    report = model.fit_report
    n_without = rounding.count(report.n_rows_without_label)
    is_weighted = not np.isclose(model.training["n"], report.n_rows - report.n_rows_without_label)
    n_with = rounding.count(report.n_rows) if is_weighted else int(label_counts.sum())
    return FitReport(
        columns=tuple(_rounded_column(column, used, rounding) for column in report.columns),
        n_rows=max(1, n_with + (0 if is_weighted else n_without)),
        n_rows_without_label=n_without,
        aliases={},
    )


def _rounded_column(
    column: ColumnReport, used: Sequence[Antecedent], rounding: Rounding
) -> ColumnReport:
    """What may be disclosed about a column: ends of its range only if enough people lie beyond."""
    conditions = [c for antecedent in used for c in antecedent if c.column == column.name]
    order = next((c.order for c in conditions if c.order is not None), None)
    levels: dict[Any, None] = dict.fromkeys(order or ())
    if column.kind in (Kind.CATEGORY, Kind.ORDERED):
        for c in conditions:
            named = c.value if c.operator in (ONE_OF, BETWEEN) else (c.value,)
            levels |= dict.fromkeys(v for v in named if v is not None)
    shown = None
    if column.range is not None and column.range.people >= rounding.step:
        people = column.range.people // rounding.step * rounding.step
        shown = replace(column.range, people=people)
    return replace(
        column,
        n_missing=None,
        levels=tuple(levels),
        grouped=(),
        excluded=vague_reason(column.excluded),
        range=shown,
        n_levels=min(column.n_levels, len(levels) + 1),  # whether there are others
    )
