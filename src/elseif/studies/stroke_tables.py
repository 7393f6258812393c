"""The study's tables as text, from its plain results."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from elseif.evaluation import EVERYBODY, MEN, WOMEN, Figure
from elseif.studies.stroke_paper import DATABASE, PublishedRow, published_rows
from elseif.studies.stroke_results import POINT, POST

Data = Mapping[str, Any]

WIDTH = 92
NAME = 24
LONGEST_WARNING = 160
NO_TRAINING = "no training"
CAUTION = (
    "  Folds share most of their training data, so that the s.d. is no standard error: read the "
    "folds as a check of direction, not as a test."
)
TITLES = {
    EVERYBODY: "Table 2. Everybody",
    WOMEN: "Table 3, left half. Women",
    MEN: "Table 3, right half. Men",
}
SYNTHETIC = "SYNTHETIC patients, made up by a program: of no use for any person."
LAST = POST  # in the paper the posterior's row closes the table


def heading_text(title: str, cohort: Data, is_synthetic: bool, source: str) -> str:
    """What the study is about, and on whom."""
    loud = "SYNTHETIC patients" if is_synthetic else "patients"
    return f"{title}\n" + wrapped(
        f"{cohort['n']:,} {loud}, {_events(cohort)}, {cohort['n_features']:,} drugs and "
        f"conditions; from {source}"
    )


def auc_table(
    results: Data, of: str, with_paper: bool, left_out: Mapping[str, str] | None = None
) -> str:
    """AUC and training time of every classifier, beside the paper's figures where there are.

    Where there are none, the interval of the mean AUC for the people tested takes their place.

    Below it: why some failed, and why some were left out.
    """
    published = published_rows(results["population"]) if with_paper else {}
    title = TITLES[results["population"]] if with_paper else results["population"].capitalize()
    lines = [f"{title}: {results['n']:,} patients, {_events(results)}"]
    head = f"{'mean (s.d.) of ' + str(results['n_folds']) + ' folds':<{NAME}}{of:<32}"
    units = f"{'':<{NAME}}{'AUC':<16}{'training, s':<16}"
    if published:
        head += f"| another database ({DATABASE})"
        units += f"| {'AUC':<16}{'training, min'}"
    else:
        units += "95% interval of the AUC"
    lines += [head.rstrip(), units.rstrip()]
    for name in row_order(results, published):
        lines.append(_row(name, results, published.get(name), with_interval=not published))
    lines += reason_lines(results["failures"])
    lines += reason_lines(left_out or {}, "not run, ")
    lines += warning_lines(results)
    return "\n".join(lines)


def row_order(results: Data, published: Mapping[str, PublishedRow]) -> list[str]:
    """The paper's rows in the paper's order, then today's; the posterior's last."""
    known = [*results["classifiers"], *results["failures"]]
    rows = [name for name in published if name != LAST]
    rows += [name for name in known if name not in published and name != LAST]
    return rows + ([LAST] if LAST in known or LAST in published else [])


def reason_lines(reasons: Mapping[str, str], what: str = "") -> list[str]:
    """Why classifiers have no numbers; the same reason once."""
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    return [wrapped(f"  {', '.join(who)}: {what}{why}") for why, who in names.items()]


def warning_lines(results: Data) -> list[str]:
    """What fits warned of, each text once with the number of folds."""
    heard: dict[str, dict[str, int]] = {}
    for name, one in results["classifiers"].items():
        for text in (text for said in one["warnings"] for text in dict.fromkeys(said)):
            names = heard.setdefault(text, {})
            names[name] = names.get(name, 0) + 1
    n = results["n_folds"]
    return [
        wrapped(
            f"  warning of {', '.join(f'{name} ({k} of {n} folds)' for name, k in names.items())}: "
            + _cut(text, LONGEST_WARNING)
        )
        for text, names in heard.items()
    ]


def difference_text(results: Data) -> str:
    """How the others' AUC differs from the point list's, in the same folds."""
    differences = {
        name: one["above_brl_point"]
        for name, one in results["classifiers"].items()
        if one["above_brl_point"] is not None
    }
    if not differences:
        return ""
    n = results["n_folds"]
    lines = [
        f"AUC above that of {POINT} in the same {n} folds ({results['population']}): "
        "mean (s.d.), folds above"
    ]
    for name, one in sorted(differences.items(), key=lambda item: -item[1]["mean"]):
        mean = f"{one['mean']:+.3f} {_bracketed(one['sd'], 3)}"
        lines.append(f"  {name:<{NAME}}{mean:<18}{one['n_folds_above']} of {n}")
    if results["population"] == EVERYBODY:
        lines.append(wrapped(CAUTION))
    return "\n".join(lines)


def stability_text(results: Data) -> str:
    """What the lists of the folds have in common."""
    stability, n = results["stability"], results["n_folds"]
    lengths = ", ".join(map(str, stability["lengths"]))
    pools = [one["n_antecedents"] for one in results["lists"]]
    lines = [
        wrapped(
            f"Point lists of the {n} folds ({results['population']}): {lengths} rules, from "
            f"{min(pools):,} to {max(pools):,} antecedents; two of them share "
            f"{_share(stability['rule_agreement'])} of their rules and "
            f"{_share(stability['column_agreement'])} of the columns that they ask for."
        )
    ]
    for name, count in stability["rules"]:
        lines.append(_cut(f"  in {count} of {n}: {name}", WIDTH))
        lines[-1] = "  " + lines[-1].lstrip()
    return "\n".join(lines)


def planted_text(results: Data) -> str:
    """Which of the planted rules the folds' lists found again."""
    n = results["n_folds"]
    lines = [f"Rules that the synthetic risk was made from, found again in the {n} folds' lists:"]
    for one in results["planted"]:
        more = ""
        if one["turned_round"]:
            more += f", and turned round in {len(one['turned_round'])}"
        if one["in_another_rule"]:
            more += f", and its disease in another rule in {len(one['in_another_rule'])}"
        lines.append(wrapped(f"  {one['rule']}: {len(one['folds'])} of {n}{more}"))
    return "\n".join(lines)


def times_text(times: Data) -> str:
    """How long everything took."""
    lines = []
    if times["brl_everybody_seconds"] is not None:
        lines.append(
            wrapped(
                "All of BRL's mining and sampling took "
                f"{times['brl_everybody_seconds']:.1f} s by the clock for the folds of everybody "
                f"({times['brl_everybody_cpu_seconds']:.1f} s of CPU), and "
                f"{times['brl_seconds']:.1f} s ({times['brl_cpu_seconds']:.1f} s) with those of "
                "the other populations."
            )
        )
    parts = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in times["parts"].items())
    lines.append(
        wrapped(f"This run: {times['seconds']:.0f} s on {times['cores']} cores ({parts}).")
    )
    if times["n_kept"]:
        lines.append(
            wrapped(
                f"{times['n_kept']:,} of {times['n_fits']:,} fits had been kept from an earlier "
                "run; their training times are those of that run."
            )
        )
    return "\n".join(lines)


def lists_text(populations: Sequence[Data], is_synthetic: bool) -> str:
    """The point list of every fold of every population."""
    parts = [f"{SYNTHETIC}\n"] if is_synthetic else []
    for results in populations:
        for k, one in enumerate(results["lists"], 1):
            parts.append(
                f"{results['population']}, fold {k} of {results['n_folds']} "
                f"({one['n_antecedents']:,} antecedents, {one['n_iter']:,} iterations, "
                f"{one['status']})\n{one['text']}\n"
            )
    return "\n".join(parts)


def _row(name: str, results: Data, published: PublishedRow | None, with_interval: bool) -> str:
    if name in results["classifiers"]:
        classifier = results["classifiers"][name]
        auc = _spread(classifier["auc"], 3)
        seconds = (
            NO_TRAINING if classifier["seconds"] is None else _spread(classifier["seconds"], 2)
        )
    else:
        auc, seconds = ("failed" if name in results["failures"] else "not run"), ""
    row = f"{name:<{NAME}}{auc:<16}{seconds:<16}"
    if with_interval and name in results["classifiers"]:
        row += _interval(results["classifiers"][name]["auc"])
    if published is not None:
        minutes = NO_TRAINING if published.minutes is None else _figure(published.minutes, 2)
        row += f"| {_figure(published.auc, 3):<16}{minutes}"
    return row.rstrip()


def _figure(figure: Figure, decimals: int) -> str:
    return f"{figure.mean:.{decimals}f} ({figure.deviation:.{decimals}f})"


def _events(population: Data) -> str:
    n_events = population["n_events"]
    return f"{n_events:,} ({n_events / population['n']:.1%}) with the outcome"


def _spread(values: Data, decimals: int) -> str:
    return f"{values['mean']:.{decimals}f} {_bracketed(values['sd'], decimals)}"


def _interval(estimate: Data) -> str:
    low, high = estimate["low"], estimate["high"]
    return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _bracketed(value: float | None, decimals: int) -> str:
    return "(–)" if value is None else f"({value:.{decimals}f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def wrapped(text: str) -> str:
    """A paragraph in lines; those after the first are indented."""
    lead = " " * (len(text) - len(text.lstrip()))
    return textwrap.fill(
        text.strip(), WIDTH, initial_indent=lead, subsequent_indent=lead + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _cut(text: str, most: int) -> str:
    """A text clipped to a maximum length; one long word is cut, not left out."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
