"""The pages of the study: the list of all patients, its model file, report and calculator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif import BayesianRuleListClassifier, save_model
from elseif.files import write_atomically
from elseif.progress import Progress
from elseif.report import calculator_page, report_page, summarise
from elseif.studies.nafld import NOT_FOR_PATIENTS, REAL_PEOPLE
from elseif.studies.stroke_cohort import Patients
from elseif.studies.stroke_settings import StrokeSettings
from elseif.studies.time_at_risk import DAYS_A_YEAR, span_text

if TYPE_CHECKING:
    from elseif.cohort import Cohort

MODEL, REPORT, CALCULATOR = "model.json", "report.html", "calculator.html"
AGES = (18.0, 105.0)


def page_title(patients: Patients) -> str:
    """The definition's title; of synthetic patients it says so."""
    title = patients.definition.title
    return f"SYNTHETIC patients: {title[:1].lower()}{title[1:]}" if patients.is_synthetic else title


def calculator_title(patients: Patients) -> str:
    """A short title, for a page that is used on small screens; the page adds whose it is."""
    definition = patients.definition
    days = definition.outcome_window[1]
    when = "after" if days == DAYS_A_YEAR else f"within {span_text(days)} of"
    title = f"risk of {definition.outcome.name} {when} {definition.index.name}".replace("_", " ")
    whose = f" ({REAL_PEOPLE})" if REAL_PEOPLE in definition.title else ""
    return f"{title.capitalize()}{whose}"


def write_pages(
    fitted: BayesianRuleListClassifier,
    patients: Patients,
    settings: StrokeSettings,
    progress: Progress,
) -> list[tuple[str, Path]]:
    """Model file, calculator and report of the list of all patients."""
    out = settings.out
    save_model(fitted, out / MODEL, force=True)
    write_atomically(out / CALCULATOR, _calculator(fitted, patients), force=True)
    cohort = patients.cohort
    # the folds and seeds of the report are those of the tables, and so are its numbers
    summary = summarise(
        fitted,
        cohort.table(),
        cohort.labels(),
        folds=settings.folds,
        random_state=settings.seed,
        subgroups=subgroups(cohort),
        title=page_title(patients),
        command=settings.command(),
        progress=progress,
    )
    write_atomically(
        out / REPORT, report_page(summary, links={"calculator": CALCULATOR}), force=True
    )
    return [("Model", out / MODEL), ("Calculator", out / CALCULATOR), ("Report", out / REPORT)]


def subgroups(cohort: Cohort) -> list[str]:
    """Columns of the subgroups that are reported."""
    return [name for name in ("sex", "age") if name in cohort.table().frame.columns]


def _calculator(fitted: BayesianRuleListClassifier, patients: Patients) -> str:
    asked = {column for a in fitted.rule_list_.antecedents for column in a.columns}
    details: dict[str, dict[str, Any]] = {
        "units": {"age": "years"},
        "questions": {"age": "Age on the day of the diagnosis", "sex": "Sex"},
        "ranges": {"age": AGES},
    }
    wording: dict[str, Any] = {
        kind: {name: value for name, value in by_column.items() if name in asked}
        for kind, by_column in details.items()
    }
    of_real_people = REAL_PEOPLE in patients.definition.title
    return calculator_page(
        fitted,
        title=calculator_title(patients),
        X=patients.cohort.table(),
        about={"When to use": NOT_FOR_PATIENTS} if of_real_people else None,
        **wording,
    )
