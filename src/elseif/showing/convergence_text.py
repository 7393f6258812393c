"""The verdict on convergence in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

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

LEVELS = (
    ("list", "the list and its predictions"),
    ("share", "the share of each list"),
    ("inclusion", "each inclusion probability"),
)


def convergence_verdict(found: Convergence) -> str:
    """The status in words."""
    words = EXACT_IN_WORDS if found.independent and found.status in EXACT_IN_WORDS else IN_WORDS
    return words[found.status]


def convergence_sentence(found: Convergence) -> str:
    """The verdict, what it rests on, and what is not steady yet.

    Parameters
    ----------
    found : Convergence
        The report.

    Returns
    -------
    str
        One or two sentences.
    """
    if not found.n_chains:
        return "Nothing was sampled: the default rule is the only list."
    r_hat = "" if found.independent or np.isnan(found.r_hat) else f", R-hat {found.r_hat:.3f}"
    first = f"{convergence_verdict(found)}: {_run(found)}{r_hat}."
    unsteady = unsteady_words(found)
    return f"{first} {UNSTEADY}{_and(unsteady)}." if unsteady else first


def convergence_text(found: Convergence) -> str:
    """The whole report as lines of text."""
    verdict = f"{convergence_verdict(found)} ({found.status})"
    if found.independent:  # nothing that could have failed to converge
        return f"{verdict}\n  {_run(found)}, {found.n_distinct:,} distinct lists"
    lines = [verdict, f"  {_run(found)}, the first half discarded"]
    lines += [f"  {name:<44} {value}" for name, value in convergence_rows(found)]
    unsteady = unsteady_words(found)
    if unsteady:
        lines.append(f"  {UNSTEADY}{_and(unsteady)}.")
    if found.scored_first:
        lines.append(f"  {found.scored_first}")
    return "\n".join(lines)


def convergence_rows(found: Convergence) -> list[tuple[str, str]]:
    """Names and values of the report, the three levels first."""
    rows = [
        (f"{name}", text) for level, name in LEVELS if (text := _level(found.level(level), level))
    ]
    rows += [
        ("R-hat of the log posterior, as in the paper", _shown(found.r_hat)),
        ("largest rank-normalised split R-hat", _shown(found.max_r_hat)),
    ]
    if not np.isnan(found.max_replica_r_hat):
        rows.append(("largest R-hat by replica", _shown(found.max_replica_r_hat)))
    rows += [
        ("fewest effective draws", _shown(found.min_ess, 0)),
        ("largest difference of inclusion", _shown(found.inclusion_difference)),
        ("distinct lists", f"{found.n_distinct:,}"),
    ]
    share, deviation = found.restricted_deviation
    if not np.isnan(deviation):
        off = f"{deviation:.1f} standard errors off, for {100 * share:.0f} % of the draws"
        rows.append(("lengths and inclusions, by an exact sum", off))
    return rows


def unsteady_words(found: Convergence) -> list[str]:
    """What is not steady yet, one phrase for each."""
    words = []
    by_name = {q.name: q for q in found.level("list")}
    plain = {"log posterior": "the log posterior", "length": "the length of the list",
             "average cardinality": "the average cardinality"}  # fmt: skip
    words += [text for name, text in plain.items() if name in by_name and not by_name[name].steady]
    predicted = [q for q in found.level("list") if q.name not in plain]
    words += _counted(predicted, "monitored predictions")
    words += _counted(found.level("share"), "shares of lists")
    if not found.shares_agree:
        words.append("the shares of lists, which contradict their posterior probabilities")
    if not found.restricted_sum_agrees:
        words.append("lengths and inclusions, which contradict an exact sum over part of the lists")
    if found.point_is_steady is False:
        words.append(_about_the_list(found))
    return words + _counted(found.level("inclusion"), "inclusion probabilities")


def percentage_points(error: float) -> str:
    """A standard error of a probability, in percentage points."""
    return f"{100 * error:.1f}" if np.isfinite(error) else "unknown"


def _about_the_list(found: Convergence) -> str:
    if found.independent or found.point_found_by is None:
        return "which list is the point estimate"
    return (
        f"which list is the point estimate (drawn by {found.point_found_by} of "
        f"{found.n_chains} chains)"
    )


def _counted(quantities: Sequence[Quantity], many: str) -> list[str]:
    """How many of some are not steady, with the largest standard error."""
    unsteady = [q for q in quantities if not q.steady]
    if not unsteady:
        return []
    error = _largest([q.mcse for q in unsteady])
    within = f" (standard error up to {percentage_points(error)} points)" if error > 0 else ""
    return [f"{len(unsteady):,} of {len(quantities):,} {many}{within}"]


def _level(quantities: Sequence[Quantity], level: str) -> str:
    """How steady one level is, with the largest Monte Carlo standard error of a probability."""
    if not quantities:
        return "no list has 1 % of the draws" if level == "share" else ""
    n_unsteady = sum(not q.steady for q in quantities)
    text = "steady" if not n_unsteady else f"{n_unsteady:,} of {len(quantities):,} not yet steady"
    probabilities = [q.mcse for q in quantities if level != "list" or q.name[:9] == "predicted"]
    error = _largest(probabilities)
    return text if np.isnan(error) else f"{text}, ± {percentage_points(error)} percentage points"


def _run(found: Convergence) -> str:
    """How many chains ran for how long, or how many draws were made without any."""
    if found.independent:
        return f"{found.n_chains} x {found.n_kept:,} independent draws"
    chains = "1 chain" if found.n_chains == 1 else f"{found.n_chains} chains"
    cut = f", {CUT_SHORT[found.ended_by]}" if found.ended_by in CUT_SHORT else ""
    return f"{chains} of {found.n_iter:,} iterations{cut}"


def _and(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _largest(values: Sequence[float]) -> float:
    return max((v for v in values if not np.isnan(v)), default=float("nan"))


def _shown(value: float, decimals: int = 3) -> str:
    return "not available" if np.isnan(value) else f"{value:,.{decimals}f}"
