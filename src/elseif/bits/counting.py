"""Weighted label counts of packed covers and of their conjunctions, by compiled code."""

from __future__ import annotations

import numpy as np

from elseif import compiled
from elseif.bits.packing import BitLayout, zero_words


def conjunction_counts(
    covers: np.ndarray, condition_ids: np.ndarray, layout: BitLayout
) -> np.ndarray:
    """Weighted number of observations of each label in each conjunction, in units."""
    counts = np.zeros((len(condition_ids), len(layout.label_totals)), dtype=np.int64)
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    room = zero_words(compiled.BLOCK_WORDS)
    compiled.count_conjunctions(covers, condition_ids, sections, room, counts)
    return counts


def cover_label_counts(covers: np.ndarray, layout: BitLayout) -> np.ndarray:
    """Weighted number of observations of each label in each packed cover, in units."""
    return conjunction_counts(covers, np.arange(len(covers), dtype=np.int32)[:, None], layout)
