"""A posterior over rule lists from the counts of many sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.binarise import ColumnReport
from elseif.errors import DataError, ParamError
from elseif.estimator import BayesianRuleListClassifier
from elseif.federation.plan import CATEGORIES, Plan, check_plan_matches
from elseif.federation.pooled_counts import PooledCounts
from elseif.federation.site_counts import SiteCounts
from elseif.federation.site_lines import LeftOutSite, SiteLine, judged, site_lines
from elseif.fitted_model import FittedModel
from elseif.tables.families import family


@dataclass(frozen=True, eq=False)
class Federated:
    """The result of learning from the counts of several sites, for all sites together and for each.

    Attributes
    ----------
    plan : Plan
        What was counted.
    sites : tuple[SiteCounts, ...]
        The counts.
    classifier : BayesianRuleListClassifier
        Fitted to all counts; its ``model_`` is an ordinary model.
    lines : tuple[SiteLine, ...]
        Each line of the list at each site.
    left_out : tuple[LeftOutSite, ...]
        Each site evaluated with the list of all others; empty if not requested.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, federate, make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> sites = [count_site(plan, X[i::2], y[i::2], site=f"ship {i}") for i in (0, 1)]
    >>> found = federate(plan, sites, random_state=0)
    >>> found.model.n, len(found.lines) == 2 * len(found.model.rule_list.rules)
    (2201.0, True)
    """

    plan: Plan
    sites: tuple[SiteCounts, ...]
    classifier: BayesianRuleListClassifier
    lines: tuple[SiteLine, ...]
    left_out: tuple[LeftOutSite, ...] = ()

    @property
    def model(self) -> FittedModel:
        """The model, for pages and exports."""
        return self.classifier.model_


def federate(
    plan: Plan, sites: Sequence[SiteCounts], *, leave_one_out: bool = False, **settings: Any
) -> Federated:
    """Learn the posterior over rule lists from the counts of any number of sites.

    If no site withholds anybody, the draws are the same, bit for bit, as those of ``fit`` on the
    rows of all sites together with the plan's antecedents and the same seed.

    Parameters
    ----------
    plan : Plan
        What the sites counted.
    sites : sequence of SiteCounts
        Their counts; the order makes no difference.
    leave_one_out : bool, default=False
        Also fit without each site in turn, and evaluate the list on that site (internal-external
        validation).
    **settings
        Settings of `BayesianRuleListClassifier` for prior and sampler, such as ``expected_length``
        or ``random_state``. Settings for the pool have no effect.

    Returns
    -------
    Federated
        The fitted classifier and its model, every line at every site, and what is withheld.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, federate, make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> sites = [count_site(plan, X[i::2], y[i::2], site=f"ship {i}") for i in (0, 1)]
    >>> federate(plan, sites, random_state=0).model.predict_proba(X[:1]).round(2)
    array([[0.78, 0.22]])
    """
    sites = tuple(sites)
    _check_sites(plan, sites)
    classifier = fit_counts(plan, sites, settings)
    model = classifier.model_
    rule_list = model.chosen_list()
    apart = [PooledCounts.of(plan, [site]) for site in sites]
    event = _place_in_plan(plan, rule_list.classes[-1])
    left_out = []
    if leave_one_out:
        if len(sites) < 2:
            raise ParamError("leave_one_out needs two sites or more.")
        left_out = [
            _judge_left_out(plan, sites, i, settings, apart[i], event) for i in range(len(sites))
        ]
    lines = site_lines(rule_list, sites, apart, event)
    return Federated(plan, sites, classifier, lines, tuple(left_out))


def fit_counts(
    plan: Plan, sites: Sequence[SiteCounts], settings: dict[str, Any]
) -> BayesianRuleListClassifier:
    """A classifier fitted to the sum of some sites' counts."""
    from elseif.antecedents.mining import MiningSettings, conditions_of, pool_of_masks
    from elseif.conditions.binarise import Binarised
    from elseif.fitting import Observed, fit_pool
    from elseif.parameters import check_parameters, settings_of, without_learn
    from elseif.tables.labels import read_pseudocounts

    given = {"antecedents": [tuple(a) for a in plan.antecedents], "kinds": _kinds(plan)}
    unknown = [name for name in given if settings.get(name) is not None]
    if unknown:
        raise ParamError(f"{unknown[0]} is in the plan, and cannot be set here.")
    classifier = BayesianRuleListClassifier(**{**settings, **given})
    check_parameters(classifier)
    classifier._check_checkpoint()
    kept = settings_of(classifier)
    pooled = PooledCounts.of(plan, sites)
    labels, rows = pooled.labels()
    layout = pooled.layout(labels)
    with_defaults, _ = without_learn(kept)
    pseudocounts = read_pseudocounts(with_defaults["pseudocounts"], labels.classes)
    masks = pooled.masks(conditions_of(plan.antecedents), rows, layout)
    mining = MiningSettings(max_memory=classifier.max_memory)
    mined = pool_of_masks(plan.antecedents, masks, layout, mining)
    observed = Observed(
        names=[column.name for column in plan.columns],
        named=True,
        n_rows=pooled.n,
        labels=labels,
        layout=layout,
        pseudocounts=pseudocounts,
        outcome=plan.outcome,
        fingerprint=None,
        cohort=plan.cohort,
        federation=federation_of(plan, sites),
    )
    columns = [_column_report(plan, number) for number in range(len(plan.columns))]
    scales = {column.name: column.levels for column in plan.columns}
    binarised = Binarised([], [], columns, [], scales)
    return classifier._take(fit_pool(classifier, kept, observed, binarised, mined))


def _check_sites(plan: Plan, sites: Sequence[SiteCounts]) -> None:
    if not sites:
        raise ParamError("federate needs the counts of at least one site.")
    for site in sites:
        check_plan_matches(plan, site.plan_sha256, f"The file of {site.site!r}")
    names = [site.site for site in sites]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(
            f"Two of the sites are named {twice[0]!r:.100}: the same people would count "
            "twice. Give each site once, and each its own name."
        )
    for i, site in enumerate(sites):
        for other in sites[:i]:
            same = np.array_equal(site.patterns, other.patterns)
            if same and len(site.patterns) and np.array_equal(site.counts, other.counts):
                raise DataError(
                    f"{other.site!r:.100} and {site.site!r:.100} have exactly the same counts: "
                    "is it one site under two names?"
                )


def _kinds(plan: Plan) -> dict[str, Any]:
    """Kinds as the classifier takes them; levels in order for ordered columns."""
    from elseif.tables.columns import Kind

    return {
        c.name: list(c.levels) if c.kind is Kind.ORDERED else c.kind.value for c in plan.columns
    }


def _column_report(plan: Plan, number: int) -> ColumnReport:
    column = plan.columns[number]
    if column.kind not in CATEGORIES:
        return ColumnReport(column.name, column.kind, None)
    return ColumnReport(
        column.name,
        column.kind,
        None,
        levels=column.levels,
        n_levels=len(column.levels) + int(column.other_levels),
        holds=family(column.levels[0]) if column.levels else None,
    )


def _place_in_plan(plan: Plan, label: Any) -> int:
    return next(i for i, known in enumerate(plan.classes) if known == label)


def _judge_left_out(
    plan: Plan,
    sites: Sequence[SiteCounts],
    i: int,
    settings: dict[str, Any],
    counts: PooledCounts,
    event: int,
) -> LeftOutSite:
    others = [site for j, site in enumerate(sites) if j != i]
    try:
        # a folder of checkpoints belongs to one fit, which is that of all sites
        rule_list = fit_counts(plan, others, {**settings, "checkpoint": None}).model_.chosen_list()
    except DataError as error:
        raise DataError(f"Without {sites[i].site!r:.100}: {error}") from error
    known = [k for k, label in enumerate(rule_list.classes) if label == plan.classes[event]]
    if not known:
        raise DataError(
            f"Without {sites[i].site!r:.100} no row has the label {plan.classes[event]!r}."
        )
    return judged(rule_list, sites[i], counts, event, known[0])


def federation_of(plan: Plan, sites: Sequence[SiteCounts]) -> dict[str, Any]:
    """What a model keeps of the plan and the sites that it was learnt from."""
    most = np.sum([site.most_withheld for site in sites], axis=0)
    return {
        "plan": plan.name,
        "plan_sha256": plan.sha256,
        "labels": [str(label) for label in plan.classes.tolist()],
        "sites": [site_record(site) for site in sites],
        "most_withheld": [int(n) for n in most],
    }


def site_record(site: SiteCounts) -> dict[str, Any]:
    """How many people of each label a site shares and withholds."""
    return {
        "site": site.site,
        "min_cell": site.min_cell,
        "shared": [int(n) for n in site.n_shared],
        "withheld": list(site.withheld),
        "synthetic": site.synthetic,
    }
