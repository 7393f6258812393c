"""The evidence for a single rule, which screening uses."""

from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.marginal_likelihood import log_marginal_likelihood


@inlined
def one_rule_gain(evidence, counts, row):
    """Log Bayes factor of the list of one rule, whose label counts are given, against none."""
    keep_small()
    for label in range(len(evidence.pseudocounts)):
        evidence.rest[0, label] = evidence.totals[0, label] - counts[row, label]
    return (
        log_marginal_likelihood(evidence, counts, row)
        + log_marginal_likelihood(evidence, evidence.rest, 0)
        - log_marginal_likelihood(evidence, evidence.totals, 0)
    )


@compiled
def one_rule_gains(evidence, counts, gains):
    """The gain of each row of label counts."""
    for a in range(len(counts)):
        gains[a] = one_rule_gain(evidence, counts, a)
