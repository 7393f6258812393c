"""Dates that do not show the order of day and month: a model knows what fit saw."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from tests.cli.conftest import QUICK, Run
from tests.tables.test_date_texts import LATE, csv_of, few, written

CUT = {"seen": ["2016-01-01", "2017-08-01"]}


@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%m/%d/%Y"])
def test_a_model_remembers_the_order(pattern: str, tmp_path: Path, elseif: Run) -> None:
    """Of 03/04/2017 alone nobody can tell; the table of fit could. Python and program alike."""
    texts = pd.DataFrame({"seen": written(pattern)})
    clf = BayesianRuleListClassifier(random_state=0, n_iter=2000, kinds={"seen": "date"}, cuts=CUT)
    clf.fit(texts, LATE)
    save_model(clf, tmp_path / "python.json")
    order = {"%d/%m/%Y": "dmy", "%m/%d/%Y": "mdy"}[pattern]
    model = tmp_path / "program.json"
    more = ["--label", "late", "--model", model, "--cuts", "seen=2016-01-01,2017-08-01", *QUICK]
    ended = elseif("fit", csv_of(written(pattern), tmp_path), *more)
    assert ended.code == 0, ended.err
    one = few("01/12/2017")  # in December late, in January not
    is_late = order == "dmy"
    (tmp_path / "one.csv").write_text("seen\n01/12/2017\n")
    for read in (clf, load_model(tmp_path / "python.json"), load_model(model)):
        assert (read.predict_proba(one)[0, 1] > 0.5) == is_late
    for file in ("python.json", "program.json"):
        ended = elseif("predict", tmp_path / file, tmp_path / "one.csv")
        assert (float(ended.out.splitlines()[1].split(",")[2]) > 0.5) == is_late, ended
        shown = {"dmy": "2017-12-01", "mdy": "2017-01-12"}[order]
        assert shown in elseif("explain", tmp_path / file, tmp_path / "one.csv", "--row", "1").out
    # another file shows, or is told, another order
    other = elseif(
        "predict", model, tmp_path / "one.csv", "--date-format", "mdy" if is_late else "dmy"
    )
    assert (float(other.out.splitlines()[1].split(",")[2]) > 0.5) != is_late
