"""What every test shares: Hypothesis without deadlines, and the Titanic fitted once."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic

# a first call may compile, and the machine may be shared: time says nothing of an example
settings.register_profile("elseif", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("elseif")


@pytest.fixture(scope="session")
def titanic() -> tuple[pd.DataFrame, pd.Series]:
    """The authors' 1,761 passengers."""
    return load_titanic("paper")


@pytest.fixture(scope="session")
def titanic_classifier(titanic: tuple[pd.DataFrame, pd.Series]) -> BayesianRuleListClassifier:
    """Default settings, fitted to the authors' split."""
    return BayesianRuleListClassifier(random_state=0).fit(*titanic)
