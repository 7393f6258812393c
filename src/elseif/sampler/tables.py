"""A problem as the compiled code reads it: every logarithm looked up, not computed."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from elseif import kernels
from elseif.model.likelihood import log_rising
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem

# beyond this count, log Gamma is computed rather than looked up: 8 MB a table
LONGEST_TABLE = 1 << 20


def prior_tables(prior: ListPrior) -> kernels.Prior:
    """The prior of section 2.4 as tables."""
    classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
    n_classes = len(prior.distinct_cardinalities)
    counts = np.arange(prior.pool_size + 1, dtype=float)
    return kernels.Prior(
        log_length=prior.log_length,
        classes=classes.astype(np.int64),
        log_mass=prior.log_mass,
        class_sizes=np.bincount(classes, minlength=n_classes).astype(np.int64),
        weights=prior.weights,
        class_weights=np.bincount(classes, weights=prior.weights, minlength=n_classes),
        log_counts=np.log(np.maximum(counts, 1.0)),
        log_whole=float(logsumexp(prior.log_mass)),
        weighted=prior.is_weighted,
    )


def data_tables(problem: Problem) -> kernels.Data:
    """The likelihood of section 2.5 as packed covers and tables."""
    layout = problem.layout
    n_entries = min(int(layout.label_totals.sum()) + 1, LONGEST_TABLE)
    total = float(problem.pseudocounts.sum())
    own = np.empty((problem.pool_size, 0))  # every antecedent has a cover of its own
    members = own if problem.members is None else problem.members
    return kernels.Data(
        covers=problem.covers,
        members=members.astype(np.int64),
        everyone=layout.everyone(),
        section_starts=layout.section_starts,
        section_labels=layout.section_labels,
        section_weights=layout.section_weights,
        pseudocounts=problem.pseudocounts,
        pseudocount_total=total,
        log_rising=np.stack(
            [log_rising(a, n_entries, layout.unit) for a in (*problem.pseudocounts, total)]
        ),
        count_unit=layout.unit,
    )
