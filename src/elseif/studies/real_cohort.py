"""A study of a public table of real people: an outcome within a time, and who predicts it best."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from elseif import BayesianRuleListClassifier, __version__, save_model
from elseif.errors import DataError
from elseif.evaluation import (
    EVERYBODY,
    Compared,
    Contender,
    Indicators,
    Population,
    compare,
    comparison_classifiers,
)
from elseif.files import only_run_in, write_atomically
from elseif.progress import Progress, ProgressBar
from elseif.report import plain, report_page, summarise
from elseif.studies import stroke_figures as figures, stroke_tables as tables
from elseif.studies.follow_up import EVENT, follow_up, follow_up_text
from elseif.studies.kept_results import FileKeeper
from elseif.studies.running import ComparisonSettings, save_figure
from elseif.studies.stroke import check_others
from elseif.studies.stroke_contenders import check_names, point_scores, posterior_scores, select
from elseif.studies.stroke_results import BRL, POINT, POST, comparison_results, describe_fit
from elseif.studies.time_at_risk import span_text
from elseif.studies.value_contenders import NAMES, value_contenders

KEPT, MODEL, REPORT = "kept", "model.json", "report.html"
RESULTS, TABLES, LISTS = "results.json", "tables.txt", "lists.txt"
VALUES_NOTE = (
    'Classifiers "on values" see the numbers themselves; all others, the list among them, see '
    "conditions that are cut within the training folds. CART, l1 logistic regression and SVM are "
    "tuned by accuracy, as in the paper, which favours predicting nobody where an outcome is rare."
)


@dataclass(frozen=True)
class RealCohort:
    """What a study predicts from a table, and who is in it."""

    name: str
    outcome: str
    days: int  # in which the outcome counts
    title: str  # with {span} for the time in words
    introduction: str
    event: str  # as a verb: who died, relapsed


@dataclass(frozen=True, eq=False)
class FollowedPeople:
    """People, how long they were followed, and how their time ended."""

    table: pd.DataFrame
    time: np.ndarray
    ends_in: np.ndarray

    def known(self, days: int, outcome: str) -> tuple[pd.DataFrame, pd.Series]:
        """People whose outcome is known, and whether they had it in time."""
        has_event = self.ends_in == EVENT
        rows = np.flatnonzero(has_event | (self.time >= days))
        y = pd.Series((has_event & (self.time <= days))[rows], name=outcome)
        return self.table.iloc[rows].reset_index(drop=True), y


def run_real_cohort(
    cohort: RealCohort, read: Callable[[], FollowedPeople], settings: ComparisonSettings
) -> None:
    """Read the table, compare classifiers on it, and write the list with its report."""
    check_names(settings, NAMES)
    check_others(settings.out)
    with only_run_in(settings.out, "study"):
        _Study(cohort, settings).run(read())


class _Study:
    def __init__(self, cohort: RealCohort, settings: ComparisonSettings) -> None:
        self.cohort, self.settings = cohort, settings
        self.days = settings.time_at_risk or cohort.days
        self.title = cohort.title.format(span=span_text(self.days))
        self.progress = ProgressBar() if settings.watched else Progress()
        self.keeper = FileKeeper(settings.out / KEPT)
        self.printed: list[str] = []

    def run(self, people: FollowedPeople) -> None:
        """Like a table of contents."""
        if self.settings.fresh:
            self.keeper.forget()
        X, y = people.known(self.days, self.cohort.outcome)
        self._introduce(people, X, y)
        compared, absent = self._compare(X, y)
        results = self._say_comparison(compared, absent)
        fitted = self._fit_all(X, y)
        self._write_pages(fitted, X, y)
        self._figures(results)
        self._finish(people, results, fitted)

    def _introduce(self, people: FollowedPeople, X: pd.DataFrame, y: pd.Series) -> None:
        n, n_events = len(y), int(y.sum())
        if not 0 < n_events < n:
            raise DataError(
                f"{n_events:,} of {n:,} people {self.cohort.event} in {self.days:,} days: a list "
                "is learnt from people with the outcome and people without it. Give another "
                "--time-at-risk."
            )
        self.say(tables.wrapped(self.cohort.introduction))
        followed = follow_up(people.time, people.ends_in, self.days)
        self.say(
            f"{self.title}\n"
            + tables.wrapped(follow_up_text(followed, "people", "the outcome"))
            + "\n"
            + tables.wrapped(
                "The study learns from the latter: its risks are too high by the difference. "
                f"{X.shape[1]} columns: {', '.join(X.columns)}."
            )
        )

    def _contenders(self, X: pd.DataFrame, y: pd.Series) -> tuple[list[Contender], dict[str, str]]:
        seed, n_jobs = self.settings.seed, self.settings.n_jobs
        outputs = {POINT: point_scores, POST: posterior_scores}
        rule_list = Contender(BRL, self._classifier(), X, outputs, describe=describe_fit)
        n_train = len(X) * (self.settings.folds - 1) // self.settings.folds
        n_conditions = len(Indicators().fit(X, y).conditions_)
        others, absent = [], {}
        for name, entry in comparison_classifiers(seed, n_jobs, (n_train, n_conditions)).items():
            if entry.unavailable is None:
                others.append(Contender(name, make_pipeline(Indicators(), entry.make()), X))
            else:
                absent[name] = f"{entry.unavailable.rstrip('.')}."
        return select([rule_list, *value_contenders(X, seed), *others], absent, self.settings)

    def _compare(self, X: pd.DataFrame, y: pd.Series) -> tuple[Compared, dict[str, str]]:
        contenders, absent = self._contenders(X, y)
        digest = hashlib.sha256(X.assign(label=y).to_csv(index=False).encode("utf-8")).hexdigest()
        population = Population(EVERYBODY, np.arange(len(y)), y, f"elseif {__version__}, {digest}")
        compared = compare(
            contenders,
            population,
            folds=self.settings.folds,
            random_state=self.settings.seed,
            keeper=self.keeper,
            progress=self.progress,
            on_failure=lambda name, why: print(f"note: {name} failed: {why}", flush=True),
        )
        return compared, absent

    def _say_comparison(self, compared: Compared, absent: dict[str, str]) -> dict[str, Any]:
        results = comparison_results(compared)
        self.say(tables.auc_table(results, "these people", False, absent))
        self.say(tables.wrapped(VALUES_NOTE))
        if difference := tables.difference_text(results):
            self.say(difference)
        if results["lists"]:
            self.say(tables.stability_text(results))
        return {**results, "left_out": absent}

    def _classifier(self) -> BayesianRuleListClassifier:
        return BayesianRuleListClassifier(
            random_state=self.settings.seed, n_jobs=self.settings.n_jobs
        )

    def _fit_all(self, X: pd.DataFrame, y: pd.Series) -> BayesianRuleListClassifier:
        with self.progress.stage("The list of all people", 1):
            fitted = self._classifier().fit(X, y)
        self.say(
            f"The list of all {len(X):,} people\n\n{fitted.rule_list_}\n\n{fitted.convergence_}"
        )
        return fitted

    def _write_pages(
        self, fitted: BayesianRuleListClassifier, X: pd.DataFrame, y: pd.Series
    ) -> None:
        out = self.settings.out
        save_model(fitted, out / MODEL, force=True)
        summary = summarise(
            fitted, X, y, folds=self.settings.folds, random_state=self.settings.seed,
            title=self.title, command=self.command(), progress=self.progress,
        )  # fmt: skip
        write_atomically(out / REPORT, report_page(summary), force=True)
        print(f"\nModel: {out / MODEL}\nReport: {out / REPORT}")

    def _figures(self, results: dict[str, Any]) -> None:
        save = partial(save_figure, folder=self.settings.out)
        if results["classifiers"]:
            save(figures.auc_figure([results], self.title, False), name="auc")
        if any(one["calibration"] for one in results["classifiers"].values()):
            save(figures.calibration_figure(results, self.title), name="calibration")

    def _finish(
        self, people: FollowedPeople, results: dict[str, Any], fitted: BayesianRuleListClassifier
    ) -> None:
        out = self.settings.out
        followed = asdict(follow_up(people.time, people.ends_in, self.days))
        whole = {
            "elseif": __version__,
            "title": self.title,
            "synthetic": False,
            "command": self.command(),
            "follow_up": followed,
            **results,
            "list": describe_fit(fitted),
        }
        text = "\n\n".join([f"$ {self.command()}", *self.printed])
        files = {
            RESULTS: json.dumps(plain(whole), indent=1, allow_nan=False) + "\n",
            LISTS: tables.lists_text([results], False),
            TABLES: f"{text}\n",
        }
        for name, content in files.items():
            write_atomically(Path(out) / name, content, force=True)
        print(f"Tables: {out / TABLES}\nNumbers: {out / RESULTS}")

    def command(self) -> str:
        """The command that makes this study again."""
        settings = self.settings
        words = ["elseif", "study", self.cohort.name, "--out", str(settings.out)]
        for name, default in (("folds", 5), ("seed", 0), ("time_at_risk", None)):
            if (value := getattr(settings, name)) != default:
                words += [f"--{name.replace('_', '-')}", str(value)]
        for name in ("only", "skip"):
            if getattr(settings, name):
                words += [f"--{name}", ",".join(getattr(settings, name))]
        return shlex.join(words)

    def say(self, text: str) -> None:
        """Print a paragraph, and keep it for the file of tables."""
        print(("\n" if self.printed else "") + text, flush=True)
        self.printed.append(text)
