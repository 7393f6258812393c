"""From a table that lives in an engine to a pool and its observations, as fit needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from elseif.engines.binarising import binarise_in_engine
from elseif.engines.lazy_table import lazy_table
from elseif.fitting import Observed
from elseif.parameters import settings_of, without_learn
from elseif.tables.labels import read_pseudocounts
from elseif.tables.measured_labels import warn_of_measurement
from elseif.tables.reading import parse_kinds
from elseif.tables.weights import weight_note
from elseif.training_labels import one_label_each

if TYPE_CHECKING:
    from elseif.antecedents.mining import Mined
    from elseif.conditions.binarise import Binarised


def pool_in_engine(
    classifier: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Observed, Binarised, Mined, Sequence[str | None]]:
    """The pool of a table that an engine counts.

    Parameters
    ----------
    classifier : BayesianRuleListClassifier
        Its settings; nothing of it is changed.
    X : lazy frame
        Of PySpark, DuckDB, Dask, polars or ibis.
    y : str
        Column of the labels.
    sample_weight : str or None
        Column of the weights.

    Returns
    -------
    Observed
        Patterns of conditions as observations, with their counts as weights.
    Binarised
        What was done with each column.
    Mined
        The pool with its covers.
    sequence of str or None
        Notes for the fit report.
    """
    table = lazy_table(X, y, sample_weight, classifier.antecedents)
    drop, effective = classifier.missing_y == "drop", classifier.weight_scaling == "effective"
    of_rows = table.read_labels(drop, effective, one_label_each)
    warn_of_measurement(of_rows.classes, of_rows.n_rows)
    kinds, orders = parse_kinds(classifier.kinds, table)
    binarised, patterns, layout = binarise_in_engine(
        table,
        of_rows,
        classifier._binarising(kinds, orders, table.names),
        allow_infinite=classifier.infinite == "outer",
        max_memory=classifier.max_memory,
        progress=classifier._progress(),
    )
    labels = patterns.labels
    told, _ = without_learn(settings_of(classifier))
    pseudocounts = read_pseudocounts(told["pseudocounts"], labels.classes)
    binarised, mined = classifier._mine(binarised, labels, layout, pseudocounts)
    observed = Observed(
        names=table.names,
        named=True,
        n_rows=of_rows.n_rows,
        labels=labels,
        layout=layout,
        pseudocounts=pseudocounts,
        outcome=table.label,
        fingerprint=patterns.fingerprint(),
    )
    weights = of_rows.row_weights
    notes = (
        patterns.note(of_rows.n_rows),
        None if weights is None else weight_note(weights, of_rows.unit),
        classifier._clamped(mined.pool),
    )
    return observed, binarised, mined, notes
