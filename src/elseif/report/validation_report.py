"""An external validation as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from elseif.report import wording
from elseif.report.external_validation import ExternalValidation
from elseif.report.findings import SIGNS
from elseif.report.page import render_page
from elseif.report.page_tables import evaluation_tables
from elseif.report.plain_data import plain
from elseif.report.report import evaluation_charts
from elseif.report.validation_findings import cautions, findings
from elseif.report.validation_parts import (
    facts_of,
    line_views,
    own_tables,
    own_words,
    people_sentence,
)
from elseif.showing.probability_axis import percent_tick, probability_end
from elseif.tables.origin import says_so
from elseif.training_record import now

SECTIONS = (
    ("verdict", "Verdict"),
    ("lines", "Every line"),
    ("discrimination", "Discrimination"),
    ("calibration", "Calibration"),
    ("decision", "Decision curve"),
    ("drift", "Drift of conditions"),
    ("recalibrated", "Recalibration"),
    ("about", "About this page"),
)


def validation_page(
    validation: ExternalValidation,
    *,
    title: str = "External validation",
    facts: Mapping[str, str] | None = None,
) -> str:
    """Write an external validation as one self-contained HTML page.

    Parameters
    ----------
    validation : ExternalValidation
        What `validate_externally` found.
    title : str, default="External validation"
        Title of the page; of synthetic patients it says so.
    facts : dict, default=None
        Further facts about the model and the people, such as file names, by a short name.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.report import validate_externally, validation_page
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> page = validation_page(validate_externally(clf, X[1::2], y[1::2]), title="The others")
    >>> page.startswith("<!doctype html>")
    True
    """
    from elseif import __version__

    data = plain(asdict(validation))
    measures = data["measures"]
    ends = [line["observed"]["high"] for line in data["lines"] if line["n"]]
    scale = probability_end(max([*ends, *(line["predicted"] for line in data["lines"])]))
    context = {
        "s": data,
        "title": says_so(title, data["synthetic"]),
        "sections": SECTIONS,
        "signs": SIGNS,
        "findings": findings(data),
        "cautions": cautions(data),
        "people_sentence": people_sentence(data),
        "scale": percent_tick(scale),
        "lines": line_views(data, scale),
        "tables": {**evaluation_tables(measures), **own_tables(data)},
        "charts": evaluation_charts(measures),
        "words": own_words(data),
        "how": wording.how_validated(measures),
        "facts": facts_of(data, facts or {}),
        "created": f"{now():%Y-%m-%d}",
        "version": __version__,
        "count": wording.count,
        "number": wording.number,
    }
    return render_page("validation.html", context, data=data)
