"""What stands beside the counts: where a model comes from, and values learnt from exact counts."""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib

import numpy as np
import pandas as pd

from elseif import export_model
from elseif.disclosure.rounding import Rounding
from elseif.export.disclosed import coarse_diagnostics, disclosed, first_digit
from elseif.report import summarise
from elseif.report.explorer_calculator import calculator_of_conditions
from elseif.report.posterior_summary import describe_convergence
from tests.disclosure.test_disclosed_model import fit, quick
from tests.report.reading import patients
from tests.serving.models import ward_model

COHORT = {"synthetic": True, "warnings": [], "empty_groups": [], "concepts": []}


def test_a_saved_calculator_of_synthetic_patients_says_so() -> None:
    """Exact and rounded: the explorer makes it of a bare list, which does not know whose it is."""
    model = dataclasses.replace(ward_model(), cohort=COHORT)
    conditions = list(model.pool.conditions)
    for rounding in (None, Rounding(10, 10)):
        packed = calculator_of_conditions(model, conditions, rounding)
        assert packed is not None
        page = zlib.decompress(base64.b64decode(packed)).decode()
        assert "SYNTHETIC patients" in page


def test_identifiers_and_ranges_do_not_tell_numbers_of_people() -> None:
    """Of two identifiers, one of them missing for three people, the counts would tell these."""
    X, y = patients()
    n = len(X)
    X["mrn"] = [f"P{i:06d}" for i in range(n)]
    X["insurer"] = [f"Q{i:06d}" for i in range(n - 3)] + [None] * 3
    model = quick(X, y).model_
    assert f"({n - 3:,} distinct values in {n - 3:,} rows)" in str(model.column("insurer"))
    rounded = disclosed(model, 6)
    for name in ("mrn", "insurer"):
        column = rounded.column(name)
        assert column is not None
        assert (
            column.excluded == f"looks like an identifier; kinds={{'{name}': 'category'}} keeps it"
        )
        assert column.n_levels == 1
    kept = [column for column in rounded.fit_report.columns if column.range is not None]
    assert kept
    assert all(column.range.people % 6 == 0 for column in kept if column.range is not None)
    shown = summarise(model, X, y, min_cell=6)
    assert "distinct values" not in str(shown)


def test_a_fit_cannot_be_repeated_to_find_the_counts() -> None:
    """Tables of the same rounded counts have the same files, whoever knows the seed.

    All digits of R-hat or of effective draws would say which of the tables it was.
    """
    line, exact = set(), set()
    for n_ill in (2, 3, 4):
        X = pd.DataFrame({"old": np.arange(600) < 400})
        ill = np.arange(600) < n_ill
        ill[400:500] = True
        y = pd.Series(ill, name="ill")
        model = quick(X, y, n_chains=4).model_
        exact.add(export_model(model, "json"))
        document = json.loads(export_model(model, "json", min_cell=10))
        line.add(json.dumps({k: v for k, v in document.items() if k not in ("sha256", "training")}))
        shown = describe_convergence(model.convergence, model.posterior, with_traces=False)
        line.add(str(shown))
    assert len(exact) == 3
    assert len(line) == 2


def test_diagnostics_of_chains_have_few_digits() -> None:
    """And the report has the same as the model file."""
    model = fit(kernel="paper").model_
    assert model.convergence is not None
    made = coarse_diagnostics(model.convergence)
    assert made.status == model.convergence.status
    assert repr(dataclasses.asdict(coarse_diagnostics(made))) == repr(dataclasses.asdict(made))
    numbers = [made.r_hat, made.max_r_hat, made.inclusion_r_hat, *made.acceptance.values()]
    assert all(round(n, 2) == n for n in numbers if np.isfinite(n))
    assert np.isfinite(made.min_ess)
    assert first_digit(made.min_ess) == made.min_ess <= model.convergence.min_ess
    assert [first_digit(n) for n in (3682.4, 0.0, 9.0, 0.037)] == [3000, 0, 9, 0.03]


def test_what_was_learnt_from_exact_counts_is_coarse() -> None:
    """Its last digits would tell the counts that are rounded."""
    learnt = {"expected_length": 3.1415926}
    recalibrated = {
        "discount": 0.8765432,
        "old_label_counts": [[1, 2]],
        "new_label_counts": [[3, 4]],
    }
    model = dataclasses.replace(ward_model(), learnt=learnt, recalibrated=recalibrated)
    rounded = disclosed(model, 10)
    assert rounded.learnt == {"expected_length": 3.0}
    assert rounded.recalibrated is not None
    assert rounded.recalibrated["discount"] == 0.9
    assert rounded.recalibrated["new_label_counts"] is None
