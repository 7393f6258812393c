"""Section 4: from a database of patients to tables 2 and 3, figures 4 and 5, and a calculator."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elseif import BayesianRuleListClassifier, __version__
from elseif.cohort import Cohort, extraction_text
from elseif.datasets import facts_path, load_nafld
from elseif.errors import DataError, FileExistsAlreadyError
from elseif.evaluation import EVERYBODY, MEN, WOMEN, Compared, Contender, Population, compare
from elseif.files import only_run_in, write_atomically
from elseif.progress import Progress, ProgressBar
from elseif.report import plain
from elseif.studies import stroke_figures as figures, stroke_tables as tables
from elseif.studies.kept_results import FileKeeper
from elseif.studies.nafld import (
    DATABASE as NAFLD_FILE,
    INTRODUCTION,
    NOT_RECORDED,
    nafld_follow_up,
    nafld_paragraphs,
)
from elseif.studies.running import save_figure
from elseif.studies.stroke_cohort import (
    DATABASE as DATABASE_FILE,
    Patients,
    check_outcome,
    cohort_summary,
    find_patients,
    forget_database,
)
from elseif.studies.stroke_contenders import (
    check_names,
    comparison_contenders,
    empty_score_parts,
    rule_list_classifier,
    rule_list_contender,
    score_contenders,
    select,
)
from elseif.studies.stroke_pages import CALCULATOR, MODEL, REPORT, page_title, write_pages
from elseif.studies.stroke_paper import DATABASE, published_rows
from elseif.studies.stroke_results import (
    POINT,
    comparison_results,
    describe_fit,
    recovery,
)
from elseif.studies.stroke_settings import DEFINITION, StrokeSettings

KEPT, RESULTS, LISTS, TABLES = "kept", "results.json", "lists.txt", "tables.txt"
FORMAT = 1
PICTURES = ("figure-4-list", "figure-5-roc", "auc", "calibration")
WRITTEN = (  # what a run replaces
    DATABASE_FILE, NAFLD_FILE, RESULTS, LISTS, TABLES, MODEL, REPORT, CALCULATOR,
    *(f"{picture}.{ending}" for picture in PICTURES for ending in ("png", "svg")),
)  # fmt: skip
# what shows that a study was run in a folder, from its first minute on
MARKS = (KEPT, "cohort-*", facts_path(DATABASE_FILE).name)


def run(settings: StrokeSettings) -> None:
    """Find patients, compare classifiers on them, and write all that the paper shows."""
    settings.check()
    check_names(settings)
    check_others(settings.out)
    with only_run_in(settings.out, "study"):
        _Study(settings).run()


def check_others(folder: Path) -> None:
    """Refuse to replace files in a folder in which no study was run before."""
    if any(path.exists() for mark in MARKS for path in folder.glob(mark)):
        return
    strange = [name for name in WRITTEN if (folder / name).exists()]
    if strange:
        raise FileExistsAlreadyError(
            f"{folder} holds {strange[0]}, which a study would replace, and no study was run "
            "there before. Give another folder: --out."
        )


@dataclass(eq=False)
class _Study:
    """One run: its settings, how long its parts took, and what it has printed."""

    settings: StrokeSettings
    started: float = field(default_factory=time.perf_counter)
    parts: dict[str, float] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.progress = ProgressBar() if self.settings.watched else Progress()
        self.keeper = FileKeeper(self.settings.out / KEPT, note=self.note)

    def run(self) -> None:
        """The study; one that fails before anything is kept leaves no folder for it."""
        self.keeper.make_folder()
        try:
            self._run()
        finally:
            with contextlib.suppress(OSError):  # it holds something
                self.keeper.folder.rmdir()

    def _run(self) -> None:
        """Like a table of contents."""
        if self.settings.fresh:
            self.keeper.forget()
            forget_database(self.settings.out)
        with self.timed("patients"):
            patients = find_patients(self.settings, self.progress)
        summary = cohort_summary(patients.cohort)
        title, synthetic = patients.definition.title, patients.is_synthetic
        if self.settings.is_nafld:
            self.say(tables.wrapped(INTRODUCTION))
        self.say(tables.heading_text(title, summary, synthetic, patients.source))
        self.say(_extraction(patients.cohort))
        summary |= self._follow_up(patients)
        check_outcome(patients.cohort)
        contenders, absent = self._contenders(patients)
        with self.timed("starting up"):
            _warm_up(patients, self.settings)
        with self.timed("comparing classifiers"):
            of_populations = list(self._compare(patients, contenders, absent))
        with self.timed("the list and its pages"):
            fitted = self._fit_all(patients)
            pages = [
                ("Cohort", patients.folder),
                *write_pages(fitted, patients, self.settings, self.progress),
            ]
        results = self._results(patients, summary, of_populations, fitted, absent)
        with self.timed("figures"):
            self._figures(results, fitted)
        self._finish(results, of_populations, pages)

    # -------------------------------------------------------------------- parts

    def _follow_up(self, patients: Patients) -> dict[str, Any]:
        """Of R's nafld data, how long people were followed and what the scores lack."""
        if not self.settings.is_stroke_of_nafld:
            return {}
        follow_ups = nafld_follow_up(load_nafld(), patients.definition.outcome_window[1])
        for paragraph in (*nafld_paragraphs(follow_ups), NOT_RECORDED):
            self.say(tables.wrapped(paragraph))
        return {"follow_up": {name: asdict(one) for name, one in follow_ups.items()}}

    def _contenders(self, patients: Patients) -> tuple[list[Contender], dict[str, str]]:
        cohort = patients.cohort
        scores, absent = score_contenders(cohort)
        others, lacking = comparison_contenders(cohort, self.settings)
        everyone = [rule_list_contender(cohort, self.settings), *scores, *others]
        return select(everyone, absent | lacking, self.settings)

    def _compare(
        self, patients: Patients, contenders: Sequence[Contender], left_out: dict[str, str]
    ) -> Iterator[dict[str, Any]]:
        """Everybody, women and men, each printed when it is done."""
        for population in populations(patients):
            try:
                compared = compare(
                    contenders,
                    population,
                    folds=self.settings.folds,
                    random_state=self.settings.seed,
                    keeper=self.keeper,
                    progress=self.progress,
                    on_failure=lambda name, why: self.note(f"{name} failed: {why}"),
                )
            except DataError as error:
                if population.name == EVERYBODY:
                    raise
                self.say(f"{population.name.capitalize()}: not done. {error}")
                continue
            yield self._compared(compared, patients, left_out)
            left_out = {}  # said once

    def _compared(
        self, compared: Compared, patients: Patients, left_out: dict[str, str]
    ) -> dict[str, Any]:
        results = comparison_results(compared, patients.planted)
        of = "these patients (SYNTHETIC)" if patients.is_synthetic else "these patients"
        self.say(tables.auc_table(results, of, with_paper(patients), left_out))
        if empty := empty_score_parts(patients.cohort, results["classifiers"]):
            self.say("\n".join(tables.reason_lines(empty)))
        if difference := tables.difference_text(results):
            self.say(difference)
        if results["lists"]:
            self.say(tables.stability_text(results))
            if results["planted"]:
                self.say(tables.planted_text(results))
        return results

    def _fit_all(self, patients: Patients) -> BayesianRuleListClassifier:
        """The list of all patients, by the paper's settings."""
        with self.progress.stage("The list of all patients", 1):
            fitted = rule_list_classifier(patients.cohort, self.settings)
            fitted.fit(patients.cohort.table(), patients.cohort.labels())
        which = "Figure 4. The list" if with_paper(patients) else "The list"
        note = " (SYNTHETIC)" if patients.is_synthetic else ""
        self.say(f"{which} of all {len(patients.cohort.person_ids):,} patients{note}\n\n"
                 f"{fitted.rule_list_}\n\n{fitted.convergence_}")  # fmt: skip
        return fitted

    def _results(
        self,
        patients: Patients,
        summary: dict[str, Any],
        of_populations: Sequence[dict[str, Any]],
        fitted: BayesianRuleListClassifier,
        absent: dict[str, str],
    ) -> dict[str, Any]:
        """Everything that was found, as plain data; times alone differ from run to run."""
        whole = describe_fit(fitted)
        return plain(
            {
                "format": FORMAT,
                "elseif": __version__,
                "title": page_title(patients),
                "synthetic": patients.is_synthetic,
                "source": patients.source,
                "definition": patients.definition.as_dict(),
                "data_sha256": patients.fingerprint,
                "command": self.settings.command(),
                "folds": self.settings.folds,
                "seed": self.settings.seed,
                "cohort": summary,
                "populations": list(of_populations),
                "left_out": absent,
                "list": {**whole, "planted": recovery([whole], patients.planted)},
                "paper": _paper() if with_paper(patients) else None,
            }
        )

    def _figures(self, results: dict[str, Any], fitted: BayesianRuleListClassifier) -> None:
        out, title = self.settings.out, results["title"]
        with_published = results["paper"] is not None
        everybody = results["populations"][0]
        save_figure(figures.list_figure(fitted.rule_list_, title), out, "figure-4-list")
        if POINT in everybody["classifiers"]:
            save_figure(figures.roc_figure(everybody, title), out, "figure-5-roc")
        if any(population["classifiers"] for population in results["populations"]):
            picture = figures.auc_figure(results["populations"], title, with_published)
            save_figure(picture, out, "auc")
        if any(one["calibration"] for one in everybody["classifiers"].values()):
            save_figure(figures.calibration_figure(everybody, title), out, "calibration")

    def _finish(
        self,
        results: dict[str, Any],
        of_populations: Sequence[dict[str, Any]],
        pages: Sequence[Any],
    ) -> None:
        out = self.settings.out
        times = self._times(of_populations)
        files = {
            LISTS: tables.lists_text(of_populations, results["synthetic"]),
            RESULTS: json.dumps({**results, "times": times}, indent=1, allow_nan=False) + "\n",
        }
        for name, content in files.items():
            write_atomically(out / name, content, force=True)
        print()
        for what, path in [
            *pages,
            ("Lists of every fold", out / LISTS),
            ("Numbers", out / RESULTS),
        ]:
            print(f"{what}: {path}")
        self.say(tables.times_text(times))
        text = "\n\n".join([f"$ {self.settings.command()}", *self.printed])
        write_atomically(out / TABLES, f"{text}\n", force=True)

    def _times(self, of_populations: Sequence[dict[str, Any]]) -> dict[str, Any]:
        brl = [one["classifiers"][POINT] for one in of_populations if POINT in one["classifiers"]]
        by = {
            kind: [float(np.sum(one[kind]["folds"])) for one in brl]
            for kind in ("seconds", "cpu_seconds")
        }
        return {
            "seconds": time.perf_counter() - self.started,
            "parts": self.parts,
            "cores": len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count(),
            "machine": platform.machine(),
            "brl_everybody_seconds": by["seconds"][0] if brl else None,
            "brl_everybody_cpu_seconds": by["cpu_seconds"][0] if brl else None,
            "brl_seconds": sum(by["seconds"]),
            "brl_cpu_seconds": sum(by["cpu_seconds"]),
            "n_kept": self.keeper.n_read,
            "n_fits": self.keeper.n_read + self.keeper.n_written,
        }

    # ------------------------------------------------------------------ talking

    def say(self, text: str) -> None:
        """Print a paragraph, and keep it for the file of tables."""
        print(("\n" if self.printed else "") + text, flush=True)
        self.printed.append(text)

    def note(self, text: str) -> None:
        """A line that is not part of the result."""
        print(f"note: {text}", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Measure a part of the study."""
        start = time.perf_counter()
        yield
        self.parts[what] = self.parts.get(what, 0.0) + time.perf_counter() - start


def populations(patients: Patients) -> list[Population]:
    """Everybody, women and men; a sex without patients is left out."""
    sex = np.asarray(patients.cohort.sex).astype(str)
    members = {
        EVERYBODY: np.arange(len(sex)),
        WOMEN: np.flatnonzero(sex == "female"),
        MEN: np.flatnonzero(sex == "male"),
    }
    y = patients.cohort.labels()
    return [
        Population(name, rows, y, f"elseif {__version__}, {patients.fingerprint}")
        for name, rows in members.items()
        if len(rows)
    ]


def with_paper(patients: Patients) -> bool:
    """Whether the paper's figures are about the same question, not one of the same name."""
    from elseif.cohort import load_definition

    return patients.definition == load_definition(DEFINITION)


def _extraction(cohort: Cohort) -> str:
    return extraction_text(cohort.attrition, cohort.quality_issues, cohort.warnings)


def _warm_up(patients: Patients, settings: StrokeSettings) -> None:
    """A short fit first: compiled code is loaded, or made, before anything is timed."""
    cohort = patients.cohort
    few = np.concatenate(
        [np.flatnonzero(cohort.outcome)[:50], np.flatnonzero(~np.asarray(cohort.outcome))[:200]]
    )
    # by name, for of a small pool "auto" would draw without any compiled code
    few_steps = {"kernel": "tempered", "n_iter": 200, "empty_pool": "default_rule"}
    warm = rule_list_classifier(cohort, settings).set_params(**few_steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm.fit(cohort.table().take(few), cohort.labels().iloc[few]).predict_proba(
            cohort.table().take(few)
        )


def _paper() -> dict[str, Any]:
    """The published figures, for those who read results.json."""
    return {
        "database": DATABASE,
        "populations": {
            population: {name: asdict(row) for name, row in published_rows(population).items()}
            for population in (EVERYBODY, WOMEN, MEN)
        },
    }
