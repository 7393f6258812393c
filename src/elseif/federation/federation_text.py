"""Counts of sites, and what they show together, as text for a terminal."""

from __future__ import annotations

import numpy as np

from elseif.evaluation.intervals import Estimate
from elseif.federation.federating import Federated, site_record
from elseif.federation.plan import Plan
from elseif.federation.site_counts import SiteCounts
from elseif.report.validation_text import WIDTH, wrapped
from elseif.showing.numbers import interval_text, percent
from elseif.tables.federated import federation_sentences, withheld_sentence
from elseif.tables.origin import origin_in_short
from elseif.visible import show_name

LONGEST = 24  # letters of a site's name


def site_report(plan: Plan, counts: SiteCounts) -> list[str]:
    """What a site is about to share, and what it withholds."""
    n = int(counts.n_shared.sum())
    sentences = [
        f"{n:,} people in {len(counts.patterns):,} of at most {plan.n_patterns:,} patterns; plan "
        f"{show_name(plan.name)}, SHA-256 {plan.sha256[:12]}."
    ]
    if counts.min_cell is None:
        small = int(np.count_nonzero((counts.counts > 0) & (counts.counts < 5)))
        sentences.append(
            f"The counts are exact: {small:,} of them are of 1 to 4 people. --min-cell withholds "
            "small ones."
        )
    elif any(counts.most_withheld):
        labels = [str(label) for label in plan.classes.tolist()]
        sentences.append(withheld_sentence(labels, site_record(counts)) + ".")
    else:
        sentences.append(f"The minimum cell of {counts.min_cell} withholds nobody.")
    return sentences


def federation_text(federated: Federated) -> str:
    """The list, every line at every site, what is withheld, and sites judged by the others."""
    parts = [federated.model.chosen_list().to_text(width=WIDTH)]
    model = federated.model
    notes = [*model.fit_report.notes, *federation_sentences(model.federation)]
    parts += [wrapped(note) for note in [*notes, *origin_in_short(model.cohort)]]
    parts.append(_lines(federated))
    if federated.left_out:
        parts.append(_left_out(federated))
    return "\n\n".join(parts)


def _lines(federated: Federated) -> str:
    rule_list = federated.model.chosen_list()
    is_bounded = any(np.any(site.most_withheld) for site in federated.sites)
    event = show_name(rule_list.metadata.label_names[-1], 30)
    rows = [f"Observed share of {event} on every line, by site"]
    bound = f"{'if withheld':>18}" if is_bounded else ""
    head = f"  {'site':<{LONGEST}}{'people':>10}{'events':>9}  {'observed':<18}{bound}"
    rows.append(head.rstrip())
    for number, rule in enumerate(rule_list.rules):
        stated = percent(float(rule.probabilities[-1]), 1)
        rows.append(f"{number + 1}. {show_name(rule.text or 'else', 70)}: {stated}")
        for line in (each for each in federated.lines if each.line == number):
            observed = _share(line.observed) if line.n else "nobody"
            if is_bounded:
                low, high = percent(line.low), percent(line.high)
                bound = f"{f'{low} to {high}':>18}" if line.low == line.low else f"{'':>18}"
            name = show_name(line.site, LONGEST - 2)
            text = f"  {name:<{LONGEST}}{line.n:>10,}{line.n_events:>9,}  {observed:<18}{bound}"
            rows.append(text.rstrip())
    if is_bounded:
        rows.append(
            wrapped(
                '"if withheld": the lowest and highest share possible, depending on where the '
                "withheld people belong."
            )
        )
    return "\n".join(rows)


def _left_out(federated: Federated) -> str:
    head = f"{'site':<{LONGEST}}{'people':>10}{'events':>9}{'rules':>7}  {'AUC':<20}{'O/E':>6}"
    rows = ["Each site evaluated with the list learnt from all others", f"{head}  slope"]
    for site in federated.left_out:
        name = show_name(site.site, LONGEST - 2)
        expected = site.observed_to_expected
        ratio = "" if np.isnan(expected) else f"{expected:.2f}"
        rows.append(
            f"{name:<{LONGEST}}{site.n:>10,}{site.n_events:>9,}{site.n_rules:>7}  "
            f"{estimate_text(site.auc):<20}{ratio:>6}  "
            f"{estimate_text(site.recalibration.slope)}".rstrip()
        )
    return "\n".join(rows)


def estimate_text(value: Estimate) -> str:
    """A value with its interval, if known."""
    if np.isnan(value.value):
        return "unknown"
    if np.isnan(value.low):
        return f"{value.value:.2f}"
    return f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def _share(observed: Estimate) -> str:
    return interval_text(observed.value, observed.low, observed.high)
