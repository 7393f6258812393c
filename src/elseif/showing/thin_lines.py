"""A sentence on lines of a list with few or no training observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from elseif.phrases import joined
from elseif.showing.numbers import count_text

if TYPE_CHECKING:
    from elseif.posterior.rule_list import RuleList

FEW = 10  # observations, fewer than which are mentioned


def thin_lines_notes(point: RuleList, projected: RuleList | None) -> list[str]:
    """Notes for the fit report on lines with few or no observations, at most one for each list.

    A posterior over lists gives some probability to lists with a line that no observation reaches.
    Such a line has the probabilities of the prior, which look like any other's.
    """
    lists = {"the point estimate": point, "the projected list": projected}
    texts = [
        thin_lines_words([rule.n for rule in each], name)
        for name, each in lists.items()
        if each is not None
    ]
    return [text for text in texts if text]


def thin_lines_words(counts: Sequence[float], name: str) -> str | None:
    """One sentence or two on a list, from the observations on each line, the default rule last."""
    numbered = list(enumerate(counts, start=1))
    empty = [line for line, n in numbered if n == 0]
    few = [(line, n) for line, n in numbered if 0 < n < FEW]
    sentences = []
    if empty:
        theirs = "its probabilities are" if len(empty) == 1 else "their probabilities are"
        sentences.append(
            f"No training observation reaches {_lines(empty, len(counts))} of {name}: {theirs} "
            "the prior's alone."
        )
    if few:
        places = _lines([line for line, _ in few], len(counts))
        sizes = joined([count_text(n) for _, n in few])
        rests, theirs = ("rests", "its interval") if len(few) == 1 else ("rest", "their intervals")
        sentences.append(
            f"{places[0].upper()}{places[1:]} of {name} {rests} on fewer than {FEW} training "
            f"observations ({sizes}): look at {theirs}."
        )
    return " ".join(sentences) or None


def _lines(places: Sequence[int], n_lines: int) -> str:
    """Such as "line 2", "lines 2 and 3", "the last line", "lines 2 and 4 (the last)"."""
    if list(places) == [n_lines]:
        return "the last line"
    lines = f"line{'s' if len(places) > 1 else ''} {joined([str(line) for line in places])}"
    return f"{lines} (the last)" if places[-1] == n_lines else lines
