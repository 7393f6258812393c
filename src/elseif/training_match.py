"""Whether data are the training data of a model, by their fingerprint."""

from __future__ import annotations

import warnings
from typing import Any

from elseif.engines.patterns import fingerprint_of_truths
from elseif.errors import DataError
from elseif.tables.fingerprint import column_digest, data_fingerprint


def is_training_data(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Whether rows, read or counted by an engine, have the model's fingerprint."""
    known = model.training["fingerprint"]
    kinds = {c.name: c.kind for c in model.fit_report.columns}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # differences are the result, not warnings
            table = model.read_training(X)
            labels = model.read_labels(y, sample_weight, table)
            digests = (column_digest(table.column(name, kind)) for name, kind in kinds.items())
            if data_fingerprint(labels, digests) == known:
                return True
            conditions = model.pool.conditions
            truths = (c.holds(table.column(c.column, kinds[c.column])) for c in conditions)
            return bool(fingerprint_of_truths(truths, labels) == known)
    except DataError:  # data that could not have been fitted
        return False
