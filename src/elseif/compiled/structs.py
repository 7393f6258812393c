"""The arrays that compiled code works on: what it is given, where it is, what it records."""

from typing import NamedTuple

import numpy as np


class Data(NamedTuple):
    """What the likelihood needs to know of the observations."""

    covers: np.ndarray  # uint64 (antecedents or conditions, words)
    # int64 (antecedents, most conditions): the covers that an antecedent is the conjunction of,
    # then -1; no column where every antecedent has a cover of its own
    condition_ids: np.ndarray
    everyone: np.ndarray  # uint64 (words,): a bit for every observation
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    pseudocounts: np.ndarray  # float64 (labels,)
    pseudocount_total: float
    # float64 (labels + 1, k): log Gamma(k + alpha) - log Gamma(alpha), for each label's alpha and
    # in the last row for their sum
    log_pochhammer: np.ndarray
    count_unit: float  # what a count of 1 stands for: 1, or less with fractional weights


class Prior(NamedTuple):
    """The prior of section 2.4, as tables."""

    log_length: np.ndarray  # float64 (antecedents + 1,): log p(m)
    cardinality_class: np.ndarray  # int64 (antecedents,): which of the pool's cardinalities
    log_mass: np.ndarray  # float64 (cardinalities,): log of eta^c / c!
    class_sizes: np.ndarray  # int64 (cardinalities,)
    weights: np.ndarray  # float64 (antecedents,)
    class_weights: np.ndarray  # float64 (cardinalities,): sum of weights
    log_counts: np.ndarray  # float64 (antecedents + 1,): log k
    log_whole: float  # log of the mass of all cardinalities
    weighted: bool


class Tuning(NamedTuple):
    """How the next step is proposed, and at which temperatures."""

    option_weights: np.ndarray  # float64 (N_OPTIONS,): 0 for an option not in use
    # float64 (temperatures, antecedents), each row summing to 1: additions in proportion
    addition_weights: np.ndarray
    cumulative: np.ndarray  # float64 (temperatures, antecedents + 1)
    uniform: bool
    # the correlation neighbours of antecedent a, neighbours[first_neighbour[a]:...[a + 1]]: b is
    # among those of a wherever a is among those of b
    neighbours: np.ndarray  # int64 (pairs,)
    first_neighbour: np.ndarray  # int64 (antecedents + 1,)
    # inverse temperatures: powers of the likelihood, 1 for the posterior, less for what is warmer
    beta: np.ndarray  # float64 (temperatures,)
    steps_per_swap: np.ndarray  # int64 (temperatures,): steps between two proposals to swap lists


class State(NamedTuple):
    """Lists and what they capture: one replica for every temperature.

    rows[r, j] is the row of captured, label_counts and log_likelihoods that holds position j of
    replica r's list.
    """

    replica: np.ndarray  # int64 (temperatures,): which replica has which; the first is coldest
    temperature: np.ndarray  # int64 (1,): the one at work; beyond the last, a swap is due
    steps_left: np.ndarray  # int64 (1,): at this temperature, before the next one's turn
    n_swap_rounds: np.ndarray  # int64 (1,)
    length: np.ndarray  # int64 (replicas,)
    log_posterior: np.ndarray  # float64 (replicas,)
    # float64 (replicas,): log of what a temperature takes a power of, likelihood and weighting
    log_tempered: np.ndarray
    antecedent_list: np.ndarray  # int64 (replicas, capacity)
    rows: np.ndarray  # int64 (replicas, capacity + 1): the default rule's is rows[r, length]
    captured: np.ndarray  # uint64 (replicas * (capacity + 1), words)
    label_counts: np.ndarray  # int64 (replicas * (capacity + 1), labels)
    log_likelihoods: np.ndarray  # float64 (replicas * (capacity + 1),)
    in_list: np.ndarray  # bool (replicas, antecedents)
    used: np.ndarray  # int64 (replicas, cardinalities): how many of each a list holds
    new_counts: np.ndarray  # int64 (capacity + 1, labels): what a proposal would give other rules
    rule_counts: np.ndarray  # int64 (1, labels): and the rule that it is about
    # uint64 (BLOCK_WORDS,): released by a rule, not yet captured again, a block at a time
    pending: np.ndarray
    pending_counts: np.ndarray  # int64 (labels,)
    trial: np.ndarray  # int64 (capacity + 1,): a proposed list, for its prior
    trial_used: np.ndarray  # int64 (cardinalities,)
    lazy_cover: np.ndarray  # uint64 (BLOCK_WORDS,): cover of a conjunction, a block at a time
    position_weights: np.ndarray  # float64 (capacity + 1,): of every position of an antecedent


class Change(NamedTuple):
    """What a proposal makes of a list, in terms that every move has in common.

    One rule is added, removed, moved or replaced. It may take observations from other rules, by
    its antecedent's cover, and it may release its own, which fall on the rules after it.
    """

    arriving: int  # antecedent that the list does not hold yet, or -1
    leaving: int  # antecedent that the list will not hold any more, or -1
    row: int  # row of bits of the rule
    exists: bool  # whether the rule has captured observations so far
    stays: bool  # whether it captures some afterwards
    first: int  # the first of the other rules that change, as a position in the present list
    last: int  # the last of them
    taker: int  # antecedent that takes from them, or -1
    last_taken: int  # the last of them that it takes from
    releases: bool  # whether the rule's own observations fall on them
    first_released: int  # the first of them that they fall on
    last_covered: int  # the last of them that has an antecedent: the default rule takes the rest
    rest: int  # row of bits where observations end that no cover took
    # the list is rotated between two positions, from where the rule is or an arriving antecedent
    # is put to where it shall be; and so are the rows, which have one more, the default rule's
    item_from: int
    item_to: int
    row_from: int
    row_to: int


class TraceBuffer(NamedTuple):
    """Draws as run lengths: a list is written once, when the chain arrives at it."""

    n_runs: np.ndarray  # int64 (1,)
    starts: np.ndarray  # int64 (runs,): the iteration of the run's first draw
    offsets: np.ndarray  # int64 (runs + 1,), into items
    items: np.ndarray  # int32 (room,)
    label_counts: np.ndarray  # int64 (room + runs, labels): the rules', the default's last
    log_posterior: np.ndarray  # float64 (runs,)
    replica: np.ndarray  # int16 (runs,): which replica held the list


class Info(NamedTuple):
    """How a chain gets on, for the report and for adaptation."""

    iteration: np.ndarray  # int64 (1,)
    proposed: np.ndarray  # int64 (N_OPTIONS,)
    accepted: np.ndarray  # int64 (N_OPTIONS,)
    n_rounds: np.ndarray  # int64 (1,): rounds of all temperatures that presence looks back on
    presence: np.ndarray  # int64 (temperatures, antecedents): rounds that ended with it in the list
    swaps_proposed: np.ndarray  # int64 (temperatures,): with the next warmer temperature
    swaps_accepted: np.ndarray  # int64 (temperatures,)


class Miner(NamedTuple):
    """Frequent conditions, and room for walking through their conjunctions."""

    covers: np.ndarray  # uint64 (conditions, words)
    can_join: np.ndarray  # bool (conditions, conditions)
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    least: np.ndarray  # int64 (labels + 1,): enough of one label, or (last) of all together
    prefix: np.ndarray  # uint64 (depth, words): cover of the conjunction so far
    candidates: np.ndarray  # int64 (depth, conditions + 1): what may extend it; last, which one is
    n_candidates: np.ndarray  # int64 (depth,)
    counts: np.ndarray  # int64 (labels,)


class Evidence(NamedTuple):
    """What the marginal likelihood of a rule depends on, with the label counts of everyone."""

    log_pochhammer: np.ndarray  # float64 (labels + 1, entries), as the chains' data have it
    pseudocounts: np.ndarray  # float64 (labels,)
    pseudocount_total: float
    count_unit: float
    totals: np.ndarray  # int64 (1, labels)
    rest: np.ndarray  # int64 (1, labels): room


class CoverComparison(NamedTuple):
    """Room for comparing covers with those of leaders, which are linked by how many they cover."""

    words: np.ndarray  # uint64 (2, WORDS_COMPARED)
    both: np.ndarray  # int64 (1, labels): counts of what two covers share
    beyond: np.ndarray  # int64 (1, labels): of what one has beyond that
    heads: np.ndarray  # int64 (buckets,): the last leader in each, or -1
    following: np.ndarray  # int64 (antecedents,): the leader before it in its bucket, or -1
