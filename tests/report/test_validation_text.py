"""An external validation as text, where there is little to measure."""

from __future__ import annotations

import numpy as np
import pandas as pd

from elseif import BayesianRuleListClassifier
from elseif.report import validate_externally
from elseif.report.validation_text import validation_text


def test_one_outcome_alone(
    titanic: tuple[pd.DataFrame, pd.Series], titanic_classifier: BayesianRuleListClassifier
) -> None:
    """What cannot be measured is not available, and a sentence says why."""
    X, _ = titanic
    men = X[X["sex"] == "male"].head(40)
    text = validation_text(validate_externally(titanic_classifier, men, np.array(["died"] * 40)))
    assert "nan" not in text
    assert "AUC                       not available" in text
    assert text.startswith("40 cases, 0 (0.0%) with the event (survived); the list was learnt")
    assert "Everybody in this table has the same outcome" in text
