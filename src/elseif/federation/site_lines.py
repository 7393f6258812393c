"""Each line of a list at each site, and the performance at sites left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.evaluation.calibration import Brier, Recalibration, brier, recalibration
from elseif.evaluation.discrimination import auc_with_interval
from elseif.evaluation.intervals import LEVEL, Estimate, wilson
from elseif.federation.pooled_counts import PooledCounts
from elseif.federation.site_counts import SiteCounts
from elseif.posterior.rule_list import RuleList


@dataclass(frozen=True)
class SiteLine:
    """One line of a list at one site.

    Attributes
    ----------
    site : str
        The site.
    line : int
        Line of the list, from 0 on.
    n : int
        People on the line, of those that the site shared.
    n_events : int
        Those with the last label.
    observed : Estimate
        Share of events, with Wilson's interval.
    low, high : float
        Lowest and highest share that is possible, depending on which withheld people are on this
        line.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, federate, make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> sites = [count_site(plan, X[i::2], y[i::2], site=f"ship {i}") for i in (0, 1)]
    >>> line = federate(plan, sites, random_state=0).lines[0]
    >>> line.site, line.line, line.low == line.high == line.observed.value
    ('ship 0', 0, True)
    """

    site: str
    line: int
    n: int
    n_events: int
    observed: Estimate
    low: float
    high: float


@dataclass(frozen=True)
class LeftOutSite:
    """Evaluation of the list learnt from all other sites on one site.

    Attributes
    ----------
    site : str
        The site.
    n : int
        People that it shared.
    n_events : int
        Those with the last label.
    n_rules : int
        Rules of the list learnt from the others.
    auc : Estimate
        Area under the ROC curve.
    recalibration : Recalibration
        Calibration slope and intercepts.
    brier : Brier
        Brier score.
    observed_to_expected : float
        Ratio of observed to expected events.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, federate, make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> sites = [count_site(plan, X[i::3], y[i::3], site=f"ship {i}") for i in range(3)]
    >>> found = federate(plan, sites, leave_one_out=True, random_state=0)
    >>> [each.site for each in found.left_out]
    ['ship 0', 'ship 1', 'ship 2']
    """

    site: str
    n: int
    n_events: int
    n_rules: int
    auc: Estimate
    recalibration: Recalibration
    brier: Brier
    observed_to_expected: float


def site_lines(
    rule_list: RuleList, sites: Sequence[SiteCounts], pooled: Sequence[PooledCounts], event: int
) -> tuple[SiteLine, ...]:
    """Every line of a list at every site; ``event`` is the index of the event in the plan."""
    lines = []
    for site, counts in zip(sites, pooled, strict=True):
        most = site.most_withheld
        events_more = int(most[event])
        others_more = int(most.sum()) - events_more
        for line, row in enumerate(counts.line_counts(rule_list)):
            n, n_events = int(row.sum()), int(row[event])
            low, high = _bounds(n, n_events, others_more, events_more)
            observed = wilson(n_events, n, LEVEL)
            lines.append(SiteLine(site.site, line, n, n_events, observed, low, high))
    return tuple(lines)


def judged(
    rule_list: RuleList, site: SiteCounts, counts: PooledCounts, event: int, label: int
) -> LeftOutSite:
    """A list evaluated on one site's counts.

    ``event`` is the index of the event in the plan, and ``label`` that in the list.
    """
    rows = counts.line_counts(rule_list)
    risks = np.array([rule.probabilities[label] for rule in rule_list.rules])
    events = rows[:, event]
    others = rows.sum(axis=1) - events
    truth = np.repeat([True, False], [events.sum(), others.sum()])
    risk = np.concatenate([np.repeat(risks, events), np.repeat(risks, others)])
    expected = float(risk.sum())
    return LeftOutSite(
        site=site.site,
        n=len(truth),
        n_events=int(events.sum()),
        n_rules=len(rule_list),
        auc=auc_with_interval(truth, risk),
        recalibration=recalibration(truth, risk),
        brier=brier(truth, risk),
        observed_to_expected=float(events.sum()) / expected if expected else float("nan"),
    )


def _bounds(n: int, n_events: int, others_more: int, events_more: int) -> tuple[float, float]:
    """The least and largest share of events, if some of the withheld people were here, too."""
    if not n + others_more + events_more:
        return float("nan"), float("nan")
    low = n_events / (n + others_more) if n + others_more else 1.0
    high = (n_events + events_more) / (n + events_more) if n + events_more else 0.0
    return low, high
