"""The synthetic patients at the size of the paper's study: the pool, and what is found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from elseif import BayesianRuleListClassifier, SparseTable
from elseif.datasets import PlantedStroke, make_stroke_cdm
from tests.datasets.helpers import cohort

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[PlantedStroke, SparseTable, np.ndarray]:
    """What was planted, and the table and labels by plain SQL."""
    path: Path = tmp_path_factory.mktemp("cdm") / "stroke.duckdb"
    planted = make_stroke_cdm(path)
    people, features = cohort(path)
    names, columns = np.unique(features["name"].to_numpy(dtype=str), return_inverse=True)
    rows = np.searchsorted(people["person_id"], features["person_id"])
    matrix = sparse.csr_array(
        (np.ones(len(rows), dtype=bool), (rows, columns)), shape=(len(people), len(names))
    )
    sex = np.where(people["female"], "female", "male")
    frame = pd.DataFrame({"age": people["age"], "sex": sex})
    return planted, SparseTable(matrix, names.tolist(), frame=frame), people["stroke"].to_numpy()


def test_the_study_of_the_paper(
    study: tuple[PlantedStroke, SparseTable, np.ndarray],
) -> None:
    """About as many patients, features, strokes and antecedents; the strong rules come back."""
    planted, table, stroke = study
    assert table.shape == (12_586, 4_146 + 2)
    assert 0.13 < stroke.mean() < 0.155
    classifier = BayesianRuleListClassifier(
        min_support=0.1, max_cardinality=2, cuts={"age": [50, 60, 70, 80]}, random_state=0
    ).fit(table, stroke)
    # 2,162 to 2,240 in the paper's folds
    assert 2_100 < len(classifier.pool_) < 2_350
    mined = {antecedent.name for antecedent in classifier.pool_.antecedents}
    assert {rule.text for rule in planted.rules[:-1]} <= mined
    result = [rule.antecedent.name for rule in classifier.rule_list_.rules]
    assert result[:3] == [rule.text for rule in planted.rules[:3]]
    assert planted.rules[3].text in result
    for line, rule in zip(classifier.rule_list_.rules[:3], planted.rules, strict=False):
        assert line.n == rule.n_captured
