"""A list learnt from several sites as one self-contained page: every line at every site."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.stats import binom

from elseif.errors import ParamError
from elseif.federation.federating import Federated
from elseif.federation.federation_text import estimate_text
from elseif.federation.site_lines import LeftOutSite, SiteLine
from elseif.phrases import joined
from elseif.report.findings import CAUTION, GOOD, SIGNS, UNKNOWN, Finding, judge_chains
from elseif.report.page import render_page
from elseif.report.page_tables import Table
from elseif.report.plain_data import plain
from elseif.report.posterior_summary import describe_convergence
from elseif.report.validation_parts import observed_bar
from elseif.report.wording import count, percent, percent_range
from elseif.showing.line_heads import line_head
from elseif.showing.numbers import decimals_for
from elseif.showing.probability_axis import percent_tick, probability_end
from elseif.tables.federated import federation_sentences
from elseif.tables.origin import origin_notes, says_so
from elseif.training_record import now
from elseif.visible import show_name

OUTSIDE = 0.05  # of 95% intervals, by chance alone
ODD = 0.05  # how improbable a number of lines outside must be to be remarked on
NAMED = 4  # sites in a sentence
SECTIONS = (
    ("verdict", "Verdict"),
    ("lines", "Every line at every site"),
    ("sites", "Sites"),
    ("left-out", "Sites not yet seen"),
    ("about", "About this page"),
)


def federation_page(federated: Federated, *, title: str | None = None) -> str:
    """Write the results for all sites together and for each as one self-contained HTML page.

    Parameters
    ----------
    federated : Federated
        What `federate` found.
    title : str, default=None
        Title of the page; by default it names the outcome.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, federate, federation_page, make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y)
    >>> sites = [count_site(plan, X[i::2], y[i::2], site=f"ship {i}") for i in (0, 1)]
    >>> federation_page(federate(plan, sites, random_state=0)).startswith("<!doctype html>")
    True
    """
    from elseif import __version__

    model = federated.model
    rule_list = model.chosen_list()
    if rule_list.metadata.rounding is not None:
        raise ParamError("The page shows exact counts; the model was rounded to a minimum cell.")
    event = rule_list.metadata.probability_of(len(rule_list.classes) - 1)
    filled = [line for line in federated.lines if line.n]
    scale = probability_end(
        max([*(line.observed.high for line in filled), *map(_stated, rule_list.rules)])
    )
    outcome = model.metadata.display.outcome.name or model.metadata.outcome
    context = {
        "title": says_so(title or f"A rule list for {outcome or event}", model.is_synthetic),
        "event": event,
        "n": count(model.n),
        "n_sites": len(federated.sites),
        "sections": SECTIONS,
        "signs": SIGNS,
        "findings": [
            _agreement(federated),
            _withheld(federated),
            _elsewhere(federated),
            _sampling(federated),
        ],
        "cautions": origin_notes(model.cohort, model.recalibrated),
        "scale": percent_tick(scale),
        "lines": _line_views(federated, scale),
        "is_bounded": _is_bounded(federated),
        "tables": _tables(federated),
        "origin": federation_sentences(model.federation),
        "created": f"{now():%Y-%m-%d}",
        "version": __version__,
    }
    return render_page("federation.html", context, data=_data(federated))


def _stated(rule: Any) -> float:
    return float(rule.probabilities[-1])


def _is_bounded(federated: Federated) -> bool:
    return any(np.any(site.most_withheld) for site in federated.sites)


def _agreement(federated: Federated) -> Finding:
    """Whether what sites observed lies about the stated risks, as chance alone would have it."""
    if len(federated.sites) == 1:
        text = "The list was learnt from one site, so that there is no other to compare it with."
        return Finding("Lines at the sites", UNKNOWN, "There is one site", text, "lines")
    rules = federated.model.chosen_list().rules
    filled = [line for line in federated.lines if line.n]
    outside = [
        line
        for line in filled
        if not line.observed.low <= _stated(rules[line.line]) <= line.observed.high
    ]
    number = (
        f"{len(outside):,} have" if len(outside) > 1 else f"{['none', 'one'][len(outside)]} has"
    )
    explained = (
        f"Of {len(filled):,} pairs of a line and a site, {number} a stated risk outside the 95% "
        "interval of the share observed there; by chance alone about "
        f"{OUTSIDE * len(filled):.1f} would."
    )
    if binom.sf(len(outside) - 1, len(filled), OUTSIDE) > ODD:
        headline = "No sign that risks differ between sites"
        return Finding("Lines at the sites", GOOD, headline, explained, "lines")
    sites = list(dict.fromkeys(line.site for line in outside))
    named = joined(sites[:NAMED]) if len(sites) <= NAMED else f"{len(sites):,} sites"
    explained += " One probability for all is then an average of different risks."
    return Finding("Lines at the sites", CAUTION, f"Risks differ at {named}", explained, "lines")


def _withheld(federated: Federated) -> Finding:
    topic = "Withheld people"
    if not _is_bounded(federated):
        text = "Every person of every site is counted: the posterior is that of all rows together."
        return Finding(topic, GOOD, "Nobody is withheld", text, "sites")
    event = _event_place(federated)
    most = np.sum([site.most_withheld for site in federated.sites], axis=0)
    shared = np.sum([site.n_shared for site in federated.sites], axis=0)
    people = most.sum() / (most.sum() + shared.sum())
    events = most[event] / (most[event] + shared[event]) if most[event] else 0.0
    at_most = "at most " if any(None in site.withheld for site in federated.sites) else ""
    text = (
        f"Minimum cells withhold {at_most}{count(most.sum())} of {count((most + shared).sum())} "
        f"people and {at_most}{count(most[event])} of {count(most[event] + shared[event])} with "
        "the event. The list and its risks are based on the remaining people. “Every line at "
        "every site” shows what is possible, wherever the others belong."
    )
    shares = f"{percent(people, 0)} of the people and {percent(events, 0)} of the events"
    headline = f"{at_most.capitalize()}{shares} are missing"
    return Finding(topic, CAUTION, headline, text, "sites")


def _elsewhere(federated: Federated) -> Finding:
    topic = "Sites not yet seen"
    if len(federated.sites) == 1:
        text = "The list can be evaluated elsewhere: elseif validate."
        return Finding(topic, UNKNOWN, "Not evaluated", text, "left-out")
    if not federated.left_out:
        text = "Internal-external validation was not asked for: elseif federate --leave-one-out."
        return Finding(topic, UNKNOWN, "Not evaluated", text, "left-out")
    known = [site for site in federated.left_out if not np.isnan(site.auc.value)]
    if not known:
        text = "No site has people both with and without the event."
        return Finding(topic, UNKNOWN, "Not evaluated", text, "left-out")
    aucs = [site.auc.value for site in known]
    ratios = [site.observed_to_expected for site in known]
    text = (
        f"Each site evaluated with the list learnt from all others: AUC from {min(aucs):.2f} to "
        f"{max(aucs):.2f}, observed to expected events from {min(ratios):.2f} to "
        f"{max(ratios):.2f}."
    )
    few = [site for site in known if min(site.n_events, site.n - site.n_events) < 10]
    if few:
        text += f" Few events at {_sites(few)}: their intervals are wide."
    is_good = all(auc >= 0.7 for auc in aucs) and all(0.8 <= ratio <= 1.25 for ratio in ratios)
    headline = f"AUC {min(aucs):.2f} to {max(aucs):.2f} at sites that the list has not seen"
    return Finding(topic, GOOD if is_good else CAUTION, headline, text, "left-out")


def _sites(sites: list[LeftOutSite]) -> str:
    names = [site.site for site in sites]
    return joined(names) if len(names) <= NAMED else f"{len(names):,} sites"


def _sampling(federated: Federated) -> Finding:
    model = federated.model
    described = describe_convergence(model.convergence, model.posterior, with_traces=False)
    data = None if described is None else plain(asdict(described))
    mark, headline, text = judge_chains(data)
    return Finding("Sampling", mark, headline, text, "about")


def _line_views(federated: Federated, scale: float) -> list[dict[str, Any]]:
    rules = federated.model.chosen_list().rules
    filled = [line for line in federated.lines if line.n]
    widths = [line.observed.high - line.observed.low for line in filled]
    decimals = decimals_for(min(widths)) if widths else 1
    views = []
    for number, rule in enumerate(rules):
        of_line = [line for line in federated.lines if line.line == number]
        stated = _stated(rule)
        views.append(
            {
                "head": line_head(number, len(rules) - 1),
                "condition": rule.text or "",
                "stated": percent(stated, decimals),
                "n": count(sum(line.n for line in of_line)),
                "sites": [_site_view(line, stated, scale, decimals) for line in of_line],
            }
        )
    return views


def _site_view(line: SiteLine, stated: float, scale: float, decimals: int) -> dict[str, Any]:
    seen = line.observed
    observed = percent(seen.value, decimals) if line.n else "nobody"
    interval = percent_range(seen.low, seen.high, decimals) if line.n else ""
    is_known = line.low == line.low
    drawn = {"n": line.n, "observed": asdict(seen), "predicted": stated}
    label = (
        f"{show_name(line.site)}: observed {observed} {f'({interval})' if interval else ''}".strip()
    )
    return {
        "site": line.site,
        "n": count(line.n),
        "n_events": count(line.n_events),
        "observed": observed,
        "interval": interval,
        "bounds": percent_range(line.low, line.high, decimals) if is_known else "",
        "bar": observed_bar(drawn, scale, label),
    }


def _tables(federated: Federated) -> dict[str, Table]:
    labels = [str(label) for label in federated.plan.classes.tolist()]
    heads = ["site", "minimum cell", *(f"{label}: shared" for label in labels)]
    heads += [f"{label}: withheld" for label in labels]
    rows = [
        [
            site.site,
            "none" if site.min_cell is None else f"{site.min_cell:,}",
            *map(count, site.n_shared.tolist()),
            *(f"1 to {(site.min_cell or 2) - 1}" if n is None else count(n) for n in site.withheld),
        ]
        for site in federated.sites
    ]
    tables = {"sites": Table("What each site shares and withholds, by label", heads, rows)}
    if federated.left_out:
        tables["left_out"] = Table(
            "Each site evaluated with the list learnt from all others (95% intervals)",
            ["site", "n", "events", "rules", "AUC", "observed / expected", "calibration slope"],
            [_left_out_row(site) for site in federated.left_out],
        )
    return tables


def _left_out_row(site: LeftOutSite) -> list[str]:
    ratio = site.observed_to_expected
    return [
        site.site,
        count(site.n),
        count(site.n_events),
        count(site.n_rules),
        estimate_text(site.auc),
        "–" if np.isnan(ratio) else f"{ratio:.2f}",
        estimate_text(site.recalibration.slope),
    ]


def _event_place(federated: Federated) -> int:
    event = federated.model.chosen_list().classes[-1]
    return next(i for i, label in enumerate(federated.plan.classes) if label == event)


def _data(federated: Federated) -> dict[str, Any]:
    """Every number of the page."""
    return {
        "federation": federated.model.federation,
        "lines": [plain(asdict(line)) for line in federated.lines],
        "left_out": [plain(asdict(site)) for site in federated.left_out],
    }
