"""Amounts with their thousands set apart, wherever people read them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from elseif.antecedents import Antecedent
from elseif.antecedents.display_labels import DisplayLabels
from elseif.conditions import Condition
from tests.browser.models import model_of


def test_levels_and_years_are_no_amounts() -> None:
    """Only what is compared by size has thousands; programs read all numbers plain."""
    display = DisplayLabels()
    conditions = {
        Condition("income", ">", 60_000.0): "income > 60,000",
        Condition("income", "between", (9_000.0, 1_250_000.5)): "9,000 < income ≤ 1,250,000.5",
        Condition("seen", "<=", np.datetime64("2021-07-01")): "seen ≤ 2021-07-01",
        Condition("postcode", "=", 10_115): "postcode = 10115",
        Condition("year", "<=", 2019.0): "year ≤ 2019",
    }
    for condition, text in conditions.items():
        assert display.text(Antecedent([condition])) == text
    assert Condition("income", ">", 60_000.0).name == "income > 60000"


def test_an_explanation_writes_amounts_as_the_list_does() -> None:
    X = pd.DataFrame({"income": np.arange(40_000.0, 60_000.0, 100.0)})
    model = model_of([[Condition("income", ">", 50_000.0)]], X, X["income"] > 48_000)
    text = str(model.rule_list.explain(pd.DataFrame({"income": [45_000.0]})))
    assert "income is 45,000, not above 50,000" in " ".join(text.split())
    assert "with income above 50,000 (now 45,000)" in " ".join(text.split())
