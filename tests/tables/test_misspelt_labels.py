"""Labels that may be misspellings are named in the fit report, wherever the table is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from elseif import BayesianRuleListClassifier
from elseif.tables.misspelt_labels import misspelt_label_note


def table_of(*misspelt: str) -> pd.DataFrame:
    """600 rows, most of them good or bad."""
    rng = np.random.default_rng(0)
    x = rng.random(600) < 0.5
    labels = np.where(rng.random(600) < 0.2 + 0.6 * x, "good", "bad").astype(object)
    labels[: len(misspelt)] = misspelt
    return pd.DataFrame({"x": x, "label": labels})


@pytest.mark.parametrize(("misspelt", "note"), [
    (["gud"], "Only 1 of the 600 observations has the label 'gud'. If this is a misspelling"),
    (["gud", "gud", "badd"], "Only 3 of the 600 observations have the labels 'badd', 'gud'."),
    (["Good"] * 40, "The labels 'Good', 'good' differ only in capitals or spaces."),
    (["good "], "The labels 'good', 'good ' differ only in capitals or spaces."),
])  # fmt: skip
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_the_fit_report_names_them(misspelt: list[str], note: str, lazy: bool) -> None:
    table = table_of(*misspelt)
    classifier = BayesianRuleListClassifier(n_iter=200, n_chains=1, random_state=0)
    if lazy:
        classifier.fit(pl.from_pandas(table).lazy(), "label")
    else:
        classifier.fit(table[["x"]], table["label"])
    assert [each for each in classifier.fit_report_.notes if each.startswith(note)]


@pytest.mark.parametrize("labels", [
    ["bad", "good"], [0, 1, 2], ["died", "alive", "unknown"],
])  # fmt: skip
def test_other_labels_have_no_note(labels: list[object]) -> None:
    assert misspelt_label_note(np.array(labels), np.full(len(labels), 100)) is None
