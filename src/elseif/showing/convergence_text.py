"""The verdict on convergence in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from elseif.phrases import joined

if TYPE_CHECKING:
    from elseif.sampler.convergence import Convergence
    from elseif.sampler.quantity import Quantity

IN_WORDS = {
    "converged": "Converged",
    "warn": "Converged by the paper's criterion",
    "not converged": "Not converged",
    "undetermined": "Convergence cannot be judged",
}

# of the sum over all lists, which no chain can have failed to make; earlier versions took
# everything from the draws, and saved models say so
EXACT_IN_WORDS = {
    "converged": "The posterior is exact, summed over all lists",
    "warn": "Drawn from the exact posterior; for steadier details draw more lists",
    "not converged": "Drawn from the exact posterior, but too few lists",
}

CUT_SHORT = {
    "max_iter": "stopped at max_iter",
    "max_time": "stopped by max_time",
    "interrupted": "interrupted",
}

UNSTEADY = "Not yet steady: "
# of a run that has converged: predictions and shares of lists are steady, these are details
LESS_CERTAIN = "Less precise: "
ANOTHER_LIST = "Another run may choose another point estimate"

LEVELS = (
    ("list", "the list and its predictions"),
    ("share", "the share of each list"),
    ("inclusion", "each inclusion probability"),
)


def convergence_verdict(convergence: Convergence) -> str:
    """The status in words."""
    words = (
        EXACT_IN_WORDS
        if convergence.independent and convergence.status in EXACT_IN_WORDS
        else IN_WORDS
    )
    return words[convergence.status]


def convergence_sentence(convergence: Convergence) -> str:
    """The verdict, what it is based on, and what is not yet steady."""
    if not convergence.n_chains:
        return "Nothing was sampled: the default rule is the only list."
    r_hat = (
        ""
        if convergence.independent or np.isnan(convergence.r_hat)
        else f", R-hat {convergence.r_hat:.3f}"
    )
    first = f"{convergence_verdict(convergence)}: {_run(convergence)}{r_hat}."
    return " ".join([first, *unsteady_sentences(convergence)])


def convergence_text(convergence: Convergence) -> str:
    """The whole report as lines of text."""
    verdict = convergence_verdict(convergence)
    if verdict.lower() != convergence.status:
        verdict += f" ({convergence.status})"
    if convergence.independent:  # nothing that could have failed to converge
        return f"{verdict}\n  {_run(convergence)}, {convergence.n_distinct:,} distinct lists"
    lines = [verdict, f"  {_run(convergence)}, the first half discarded"]
    lines += [f"  {name:<44} {value}" for name, value in convergence_rows(convergence)]
    lines += [f"  {sentence}" for sentence in unsteady_sentences(convergence)]
    if convergence.scored_first:
        lines.append(f"  {convergence.scored_first}")
    return "\n".join(lines)


def convergence_rows(convergence: Convergence) -> list[tuple[str, str]]:
    """Names and values of the report, the three levels first."""
    rows = [
        (f"{name}", text)
        for level, name in LEVELS
        if (text := _level(convergence.level(level), level))
    ]
    rows += [
        ("R-hat of the log posterior, as in the paper", _shown(convergence.r_hat)),
        ("largest rank-normalised split R-hat", _of_inclusions(convergence, "max_r_hat", 3)),
    ]
    if not np.isnan(convergence.max_replica_r_hat):
        rows.append(("largest R-hat by replica", _shown(convergence.max_replica_r_hat)))
    rows += [
        ("fewest effective draws", _of_inclusions(convergence, "min_ess", 0)),
        ("largest difference of inclusion, two chains", _shown(convergence.inclusion_difference)),
        ("distinct lists", f"{convergence.n_distinct:,}"),
    ]
    share, deviation = convergence.restricted_deviation
    if not np.isnan(deviation):
        off = f"{deviation:.1f} standard errors off, over {100 * share:.0f}% of the draws"
        rows.append(("lengths and inclusions, against an exact sum", off))
    return rows


def _of_inclusions(convergence: Convergence, name: str, decimals: int) -> str:
    """A worst value; that of an unsteady inclusion is said to be one, beside that of the rest."""
    worst = getattr(convergence, name)
    rest = tuple(q for q in convergence.quantities if q.level != "inclusion")
    without = replace(convergence, quantities=rest, inclusion_r_hat=float("nan"))
    other = getattr(without, name)
    if not convergence.unsteady_inclusions or np.isnan(other) or other == worst:
        return _shown(worst, decimals)
    return f"{_shown(worst, decimals)}, of an inclusion; {_shown(other, decimals)} of all else"


def unsteady_sentences(convergence: Convergence) -> list[str]:
    """What is not yet steady; for a converged run, what is less certain than the rest."""
    if convergence.status not in ("converged", "warn"):
        unsteady = unsteady_words(convergence)
        return [f"{UNSTEADY}{joined(unsteady)}."] if unsteady else []
    sentences = []
    if convergence.point_is_steady is False:
        by = convergence.point_found_by
        few = by is not None and by < convergence.n_chains
        drawn_by = f": {by} of {convergence.n_chains} chains drew this one" if few else ""
        sentences.append(f"{ANOTHER_LIST}{drawn_by}.")
    less_certain = unsteady_words(replace(convergence, point_is_steady=None))
    if less_certain:
        sentences.append(f"{LESS_CERTAIN}{joined(less_certain)}.")
    return sentences


def unsteady_words(convergence: Convergence) -> list[str]:
    """What is not steady yet, one phrase for each."""
    words = []
    by_name = {q.name: q for q in convergence.level("list")}
    plain = {"log posterior": "the log posterior", "length": "the length of the list",
             "average cardinality": "the average cardinality"}  # fmt: skip
    words += [text for name, text in plain.items() if name in by_name and not by_name[name].steady]
    predicted = [q for q in convergence.level("list") if q.name not in plain]
    words += _counted(predicted, "monitored predictions")
    words += _counted(convergence.level("share"), "shares of lists")
    if not convergence.shares_agree:
        words.append("the shares of lists, which contradict their posterior probabilities")
    if not convergence.restricted_sum_agrees:
        words.append("lengths and inclusions, which contradict an exact sum over part of the lists")
    if convergence.point_is_steady is False:
        words.append(_about_the_list(convergence))
    return words + _counted(convergence.level("inclusion"), "inclusion probabilities")


def percentage_points(error: float) -> str:
    """A standard error of a probability, in percentage points."""
    if not np.isfinite(error):
        return "unknown"
    shown = f"{100 * error:.1f}"
    return "<0.1" if shown == "0.0" and error > 0 else shown


def _about_the_list(convergence: Convergence) -> str:
    by = convergence.point_found_by
    if convergence.independent or by is None or by == convergence.n_chains:
        return "which list is the point estimate"
    return f"which list is the point estimate (drawn by {by} of {convergence.n_chains} chains)"


def _counted(quantities: Sequence[Quantity], many: str) -> list[str]:
    """How many of some are not steady, with the largest standard error."""
    unsteady = [q for q in quantities if not q.steady]
    if not unsteady:
        return []
    error = float(np.fmax.reduce([q.mcse for q in unsteady]))
    within = f" (standard error up to {percentage_points(error)} points)" if error > 0 else ""
    return [f"{len(unsteady):,} of {len(quantities):,} {many}{within}"]


def _level(quantities: Sequence[Quantity], level: str) -> str:
    """How steady one level is, with the largest Monte Carlo standard error of a probability."""
    if not quantities:
        return "no list has 1 % of the draws" if level == "share" else ""
    n_unsteady = sum(not q.steady for q in quantities)
    text = "steady" if not n_unsteady else f"{n_unsteady:,} of {len(quantities):,} not yet steady"
    probabilities = [q.mcse for q in quantities if level != "list" or q.name[:9] == "predicted"]
    error = float(np.fmax.reduce(probabilities, initial=np.nan))
    return text if np.isnan(error) else f"{text}, ± {percentage_points(error)} percentage points"


def _run(convergence: Convergence) -> str:
    """How many chains ran for how long, or how many draws were made without any."""
    if convergence.independent:
        return f"{convergence.n_chains} x {convergence.n_kept:,} independent draws"
    chains = "1 chain" if convergence.n_chains == 1 else f"{convergence.n_chains} chains"
    cut = f", {CUT_SHORT[convergence.ended_by]}" if convergence.ended_by in CUT_SHORT else ""
    return f"{chains} of {convergence.n_iter:,} iterations{cut}"


def _shown(value: float, decimals: int = 3) -> str:
    return "not available" if np.isnan(value) else f"{value:,.{decimals}f}"
