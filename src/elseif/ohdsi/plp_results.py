"""An external validation in the columns of PatientLevelPrediction's result tables."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from elseif.files.atomic import write_atomically
from elseif.files.folders import make_folder
from elseif.report.external_validation import ExternalValidation

STATISTICS = ("performance_id", "evaluation", "metric", "value")
CALIBRATION = (
    "performance_id", "evaluation", "prediction_threshold", "person_count_at_risk",
    "person_count_with_outcome", "average_predicted_probability", "st_dev_predicted_probability",
    "min_predicted_probability", "p_25_predicted_probability", "median_predicted_probability",
    "p_75_predicted_probability", "max_predicted_probability", "observed_incidence",
)  # fmt: skip


def save_plp_results(
    validation: ExternalValidation,
    folder: str | os.PathLike[str],
    *,
    performance_id: int = 1,
    evaluation: str = "Validation",
    force: bool = False,
) -> Path:
    """Write evaluation_statistics.csv and calibration_summary.csv.

    A row of calibration_summary is a line of the list: all people on it have the same risk, so all
    quantiles are equal.

    Parameters
    ----------
    validation : ExternalValidation
        The result of `elseif.report.validate_externally`.
    folder : str or path
        The folder; it is made if it is absent.
    performance_id : int, default=1
        The key by which the result tables are joined.
    evaluation : str, default="Validation"
        The type of evaluation.
    force : bool, default=False
        Replace files that exist.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.ohdsi import save_plp_results
    >>> from elseif.report import validate_externally
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> folder = save_plp_results(validate_externally(clf, X[1::2], y[1::2]), "results")
    >>> (folder / "evaluation_statistics.csv").read_text().splitlines()[1]
    '1,Validation,populationSize,1100'
    """
    folder = Path(folder)
    make_folder(folder)
    key = (performance_id, evaluation)
    texts = {
        "evaluation_statistics.csv": _text(
            STATISTICS, ((*key, metric, value) for metric, value in _statistics(validation))
        ),
        "calibration_summary.csv": _text(
            CALIBRATION, ((*key, *row) for row in _calibration(validation))
        ),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text, force)
    return folder


def _statistics(validation: ExternalValidation) -> list[tuple[str, float]]:
    """The metrics by the names that PatientLevelPrediction gives them."""
    again = validation.recalibration
    expected = sum(line.expected for line in validation.lines)
    return [
        ("populationSize", validation.n),
        ("outcomeCount", validation.n_events),
        ("AUROC", validation.auc.value),
        ("95% lower AUROC", validation.auc.low),
        ("95% upper AUROC", validation.auc.high),
        ("brier score", validation.brier.score.value),
        ("brier score scaled", validation.brier.scaled),
        ("calibrationInLarge mean prediction", expected / validation.n),
        ("calibrationInLarge observed risk", validation.n_events / validation.n),
        ("calibrationInLarge intercept", again.in_the_large.value),
        ("weak calibration intercept", again.intercept.value),
        ("weak calibration gradient", again.slope.value),
    ]


def _calibration(validation: ExternalValidation) -> Iterable[Sequence[Any]]:
    for line in validation.lines:
        risk = line.predicted
        yield (risk, line.n, line.n_events, risk, 0, *[risk] * 5, line.observed.value)


def _text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_plain(value) for value in row])
    return out.getvalue()


def _plain(value: Any) -> Any:
    """Whole numbers without a point, and NA for what is unknown, as R writes it."""
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return "NA"
    return int(value) if value.is_integer() else repr(float(value))
