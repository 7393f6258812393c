"""From a table in an engine to a pool and its observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elseif.bits.packing import BitLayout
from elseif.engines.binarising import EngineConditions, binarise_in_engine, conditions_in_engine
from elseif.engines.lazy_table import LazyLabels, LazyTable, lazy_table
from elseif.engines.patterns import TooManyPatternsError, fingerprint_of, note_on_patterns
from elseif.engines.sharded_patterns import dask_client, require_client, shard_patterns
from elseif.engines.streaming import may_stream, stream_covers
from elseif.fitting import Observed
from elseif.parameters import settings_of, without_learn
from elseif.tables.labels import Labels, event_note, read_pseudocounts
from elseif.tables.measured_labels import warn_of_measurement
from elseif.tables.misspelt_labels import misspelt_label_note
from elseif.tables.reading import parse_kinds
from elseif.tables.weights import weight_note
from elseif.training_labels import one_label_each

if TYPE_CHECKING:
    from elseif.antecedents.mining import Mined
    from elseif.conditions.binarise import Binarised


def pool_in_engine(
    classifier: Any, X: Any, y: Any, sample_weight: Any, order: Sequence[Any] | None = None
) -> tuple[Observed, Binarised, Mined, Sequence[str | None]]:
    """The pool of a table in an engine, with the observations, the columns and notes.

    The observations are patterns of conditions, with their counts as weights. ``order`` gives the
    labels in their order; None sorts them. The classifier is not changed.
    """
    client = None
    if classifier.n_shards is not None:  # before the engine is asked anything
        client = require_client(X, classifier.n_shards)
    table = lazy_table(X, y, sample_weight, classifier.antecedents, order)
    drop, effective = classifier.missing_y == "drop", classifier.weight_scaling == "effective"
    of_rows = table.read_labels(drop, effective, one_label_each)
    warn_of_measurement(of_rows.classes, of_rows.n_rows)
    kinds, orders = parse_kinds(classifier.kinds, table)
    made = conditions_in_engine(
        table,
        of_rows,
        classifier._binarising(kinds, orders, table.names),
        allow_infinite=classifier.infinite == "outer",
        max_memory=classifier.max_memory,
        progress=classifier._progress(),
    )
    with_defaults, _ = without_learn(settings_of(classifier))
    pseudocounts = read_pseudocounts(with_defaults["pseudocounts"], of_rows.classes)
    if client is not None:
        counted = _counted_on_shards(classifier, client, table, of_rows, made, pseudocounts)
    else:
        counted = _counted(classifier, X, table, of_rows, made, pseudocounts)
    observed = Observed(
        names=table.names,
        named=True,
        n_rows=of_rows.n_rows,
        labels=counted.labels,
        layout=counted.layout,
        pseudocounts=pseudocounts,
        outcome=table.label,
        fingerprint=counted.fingerprint,
    )
    groups = of_rows.groups
    is_weighted = of_rows.units is not None
    notes = (
        event_note(of_rows.classes, table.order_of_labels(), in_engine=True),
        misspelt_label_note(of_rows.classes, groups.n_by_label(len(of_rows.classes))),
        counted.note,
        weight_note(groups.weights, of_rows.unit, groups.n) if is_weighted else None,
        classifier._clamped(counted.mined.pool),
    )
    return observed, counted.binarised, counted.mined, notes


class CountedPool(NamedTuple):
    """A pool, and the patterns it was mined from."""

    binarised: Binarised
    mined: Mined
    labels: Labels
    layout: BitLayout
    fingerprint: str
    note: str


def _counted(
    classifier: Any,
    X: Any,
    table: LazyTable,
    of_rows: LazyLabels,
    made: EngineConditions,
    pseudocounts: np.ndarray,
) -> CountedPool:
    """The pool, mined here from counted patterns.

    If there are too many, from bits packed as rows arrive, or by workers.
    """
    try:
        binarised, patterns, layout = binarise_in_engine(
            table, of_rows, made, classifier.max_memory
        )
    except TooManyPatternsError:
        client = dask_client(X)
        if client is None or _needs_rows(classifier):
            if not may_stream(table):
                raise
            return _counted_in_stream(classifier, table, of_rows, made, pseudocounts)
        return _counted_on_shards(classifier, client, table, of_rows, made, pseudocounts)
    binarised, mined = classifier._mine(binarised, patterns.labels, layout, pseudocounts)
    note = patterns.note(of_rows.n_rows)
    fingerprint = patterns.fingerprint(mined.pool.conditions)
    return CountedPool(binarised, mined, patterns.labels, layout, fingerprint, note)


def _counted_in_stream(
    classifier: Any,
    table: LazyTable,
    of_rows: LazyLabels,
    made: EngineConditions,
    pseudocounts: np.ndarray,
) -> CountedPool:
    """The pool of rows that the engine returns in batches."""
    covers, layout = stream_covers(
        table, of_rows, made.expressions, classifier.max_memory, classifier._progress()
    )
    labels = _labels_without_rows(of_rows)
    binarised, mined = classifier._mine(
        made.binarised(covers.masks()), labels, layout, pseudocounts
    )
    places = {condition: column for column, condition in enumerate(made.conditions)}
    digest = covers.digest([places[condition] for condition in mined.pool.conditions])
    fingerprint = fingerprint_of(of_rows.classes, of_rows.unit, digest)
    note = (
        f"{of_rows.n_rows:,} rows were streamed from the engine and kept as packed bits, one for "
        "each condition, because their patterns are many; the posterior is the same."
    )
    return CountedPool(binarised, mined, labels, layout, fingerprint, note)


def _labels_without_rows(of_rows: LazyLabels) -> Labels:
    no_rows = np.zeros(0, dtype=np.int64)
    return Labels(of_rows.classes, no_rows, no_rows, of_rows.unit, of_rows.n_dropped)


def _counted_on_shards(
    classifier: Any,
    client: Any,
    table: LazyTable,
    of_rows: LazyLabels,
    made: EngineConditions,
    pseudocounts: np.ndarray,
) -> CountedPool:
    """The pool of patterns that workers of a Dask cluster hold."""
    shards = shard_patterns(table, of_rows, made.expressions, client, classifier.n_shards)
    binarised, mined = classifier._mine_on_shards(
        made.binarised([]), of_rows.classes, shards, pseudocounts
    )
    labels = _labels_without_rows(of_rows)
    fingerprint = fingerprint_of(of_rows.classes, of_rows.unit, shards.fingerprint())
    note = note_on_patterns(of_rows.n_rows, shards.layout.n_rows, len(shards))
    return CountedPool(binarised, mined, labels, shards.layout, fingerprint, note)


def _needs_rows(classifier: Any) -> bool:
    """Whether settings need all rows in one place."""
    return classifier.predict_with == "projected" or classifier.max_correlation is not None
