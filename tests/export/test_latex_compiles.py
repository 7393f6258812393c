"""Tables in LaTeX, set by LaTeX: no error, and no line that is too long for the page."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from elseif import export_model
from elseif.export.latex import PACKAGES
from elseif.posterior.rule_list import RuleList
from tests.export.tables import HOSTILE, every_operator, model_of

# names that pdfLaTeX has letters for: the others need XeLaTeX and a font
LATIN = tuple(name for name in HOSTILE if name.isprintable() and name.isascii())
LONG = ("Chronic obstructive pulmonary disease", "N-terminal_pro-B-type_natriuretic_peptide")


def tables() -> list[str]:
    """Lists of one label and of many, with names that are long, and names that mean harm."""
    names = (*LATIN, *LONG, "fever", "≤ 3 mmol/l, ≥ 2, ≠ 1 …", "Größe", "a--b,,c")[:7]
    labels = (LONG[0], HOSTILE[1], "no", "x" * 150)
    whole = every_operator()
    models = [
        model_of(every_operator(names)),
        model_of(every_operator(names, labels=labels)),
        model_of(RuleList(whole.rules[-1:], whole.metadata)),
        model_of(every_operator(labels=np.array([10**9, 2 * 10**9]))),
    ]
    return [str(export_model(model, "latex")) for model in models]


def set_by_latex(text: str, folder: Path) -> str:
    """The log of pdfLaTeX, which leaves out the pages themselves."""
    if shutil.which("pdflatex") is None:
        reason = "LaTeX is not installed: run scripts/install_for_tests.sh."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    (folder / "list.tex").write_text(text, "utf-8")
    command = ["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "list.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "list.log").read_text("utf-8", errors="replace")


@pytest.mark.parametrize("options", ["", "12pt", "11pt,a4paper"])
def test_no_line_is_too_long(options: str, tmp_path: Path) -> None:
    """At every size of letters that article has."""
    pages = "\n\n\\clearpage\n".join(tables())
    start = rf"\documentclass[{options}]{{article}}" + f"\n{PACKAGES}\n" + r"\begin{document}"
    log = set_by_latex(f"{start}\n{pages}\n\\end{{document}}\n", tmp_path)
    assert "Overfull" not in log, log[log.index("Overfull") :][:500]


def test_a_whole_document(tmp_path: Path) -> None:
    """It needs nothing to be added."""
    text = str(export_model(model_of(every_operator()), "latex", document=True))
    assert "Overfull" not in set_by_latex(text, tmp_path)
