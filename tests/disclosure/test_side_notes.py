"""What stands beside the counts: where a model comes from, and values learnt from exact counts."""

from __future__ import annotations

import base64
import dataclasses
import zlib

from elseif.disclosure.rounding import Rounding
from elseif.export.disclosed import disclosed
from elseif.report import summarise
from elseif.report.explorer_calculator import calculator_of_conditions
from tests.disclosure.test_disclosed_model import quick
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
