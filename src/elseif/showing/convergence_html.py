"""The convergence report as a small piece of HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from elseif.showing.convergence_text import UNSTEADY, convergence_rows, convergence_text

if TYPE_CHECKING:
    from elseif.sampler.convergence import Convergence

STYLE = "text-align:left;padding:0.15em 0.8em"


def convergence_html(convergence: Convergence) -> str:
    """The verdict in words, then its numbers, as HTML without colours, for any theme."""
    rows = [
        f'<tr><td style="{STYLE}">{escape(name)}</td><td style="{STYLE}">{escape(value)}</td></tr>'
        for name, value in ([] if convergence.independent else convergence_rows(convergence))
    ]
    verdict, run, *others = convergence_text(convergence).splitlines()
    unsteady = [line.strip() for line in others if line.strip().startswith(UNSTEADY)]
    sentences = (run.strip(), *unsteady, convergence.scored_first)
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in sentences if line)
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return f"<div><p><b>{escape(verdict)}</b></p>{paragraphs}{table}</div>"
