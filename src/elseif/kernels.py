"""All compiled code: arrays in, arrays out, nothing known of the rest.

Observations are sorted by label and packed 64 to a word. A *section* is a run of
words whose bits share one label and one weight, padded to whole 64-byte blocks, so
that a label count is a popcount of a slice times a weight.

A chain keeps, for every position of its list, the observations that the rule there
captures; the default rule comes last. A proposal is evaluated by counting only what it
would move from rule to rule, and nothing is written unless it is accepted.

Nothing is compiled at import: Numba compiles a function at its first call, and keeps
the result on disk where it can.
"""

import math
import sys
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, event
from numba.extending import intrinsic, lower_builtin, register_jitable, type_callable

from elseif.compile_cache import keep_on_disk

MOVE, ADD, REMOVE, REPLACE = 0, 1, 2, 3
REPLACE_BY_SIMILAR = 4  # a replacement in all but the choice of what comes
N_OPTIONS = 5

REACHED, NEEDS_ROWS, NEEDS_RECORDS, NOT_FINITE = 0, 1, 2, 3

# words of a conjunction formed at a time: 8 kB, which stay in the nearest cache
JOINED_WORDS = 1024


# Nothing here allocates, so Numba's reference counting is switched off (_nrt): it would take
# half of a step's time, and without it an allocation does not even compile.
OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def compiled(function, **options):
    """Compile at the first call, and keep the result where a cache folder can be written."""
    return keep_on_disk(njit(**OPTIONS, **options)(function))


def inlined(function):
    """Compile into whatever calls it: handing the state over would cost more than most steps.

    Called from Python, it stays the Python function that it is: a wrapper for each would
    take a sixth of the time to compile, and nobody needs it.
    """
    return register_jitable(**OPTIONS, forceinline=True, no_cpython_wrapper=True)(function)


def written_out(function):
    """Write its code into what calls it, before anything is compiled.

    For what is called in one place and takes everything there is: it compiles sooner.
    """
    return njit(inline="always", **OPTIONS)(function)


def keep_small():
    """Say, at the head of a function, that its loops are short: they go over rules or labels.

    Unrolled and turned into vectors, they would take LLVM half as long again, and be no quicker.
    """


@type_callable(keep_small)
def type_keep_small(typing_context):
    return lambda: types.void


@lower_builtin(keep_small)
def generate_keep_small(context, builder, signature, args):
    builder.function.attributes.add("optsize")
    return context.get_dummy_value()


class Announcer(event.Listener):
    """Says once, on standard error, that the first fit takes longer: it compiles."""

    def __init__(self):
        self.announced = False

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__ == __name__ and not self.announced:
            self.announced = True
            print(
                "elseif: compiling its kernels; once, and it takes up to half a minute ...",
                file=sys.stderr,
            )

    def on_end(self, event):
        """The end needs no words: the fit goes on."""


event.register("numba:compile", Announcer())


class Data(NamedTuple):
    """What the likelihood needs to know of the observations."""

    covers: np.ndarray  # uint64 (antecedents or conditions, words)
    # int64 (antecedents, most conditions): the covers that an antecedent is the conjunction of,
    # then -1; no column where every antecedent has a cover of its own
    members: np.ndarray
    everyone: np.ndarray  # uint64 (words,): a bit for every observation
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    pseudocounts: np.ndarray  # float64 (labels,)
    pseudocount_total: float
    log_rising: np.ndarray  # float64 (labels + 1, k): log Gamma(k + alpha) - log Gamma(alpha)
    # for each label's alpha, and in the last row for their sum
    count_unit: float  # what a count of 1 stands for: 1, or less with fractional weights


class Prior(NamedTuple):
    """The prior of section 2.4, as tables."""

    log_length: np.ndarray  # float64 (antecedents + 1,): log p(m)
    classes: np.ndarray  # int64 (antecedents,): which of the pool's cardinalities
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
    weights: np.ndarray
    cumulative: np.ndarray  # float64 (temperatures, antecedents + 1)
    uniform: bool
    # what may replace antecedent a for its likeness: similar[first_similar[a]:first_similar[a + 1]]
    similar: np.ndarray  # int64 (pairs,), b among those of a wherever a is among those of b
    first_similar: np.ndarray  # int64 (antecedents + 1,)
    # powers of the likelihood, by temperature: 1 for the posterior, less for what is warmer
    coldness: np.ndarray  # float64 (temperatures,)
    turns: np.ndarray  # int64 (temperatures,): steps between two attempts to exchange lists


class State(NamedTuple):
    """Lists and what they capture: the chain's, and one for each warmer companion.

    Every list is a replica r; at[0] is the one at work. rows[r, j] is the row of captured,
    label_counts and log_likelihoods that holds position j of list r.
    """

    at: np.ndarray  # int64 (1,)
    replica: np.ndarray  # int64 (temperatures,): which list has which; the first is coldest
    cursor: np.ndarray  # int64 (3,): temperature at work, steps left there, rounds done
    length: np.ndarray  # int64 (replicas,)
    log_posterior: np.ndarray  # float64 (replicas,)
    antecedent_list: np.ndarray  # int64 (replicas, capacity)
    rows: np.ndarray  # int64 (replicas, capacity + 1): the default rule's is rows[r, length]
    captured: np.ndarray  # uint64 (replicas * (capacity + 1), words)
    label_counts: np.ndarray  # int64 (replicas * (capacity + 1), labels)
    log_likelihoods: np.ndarray  # float64 (replicas * (capacity + 1),)
    in_list: np.ndarray  # bool (replicas, antecedents)
    used: np.ndarray  # int64 (replicas, cardinalities): how many of each a list holds
    new_counts: np.ndarray  # int64 (capacity + 1, labels): what a proposal would give
    arriving: np.ndarray  # int64 (1, labels): and what it would give the rule it brings
    # uint64 (JOINED_WORDS,): released by a rule, not yet captured again, a block at a time
    pending: np.ndarray
    pending_counts: np.ndarray  # int64 (labels,)
    trial: np.ndarray  # int64 (capacity + 1,): a proposed list, for its prior
    trial_used: np.ndarray  # int64 (cardinalities,)
    joined: np.ndarray  # uint64 (JOINED_WORDS,): cover of a conjunction, a block at a time


class Record(NamedTuple):
    """Runs of equal draws: a list is written once, when the chain arrives at it."""

    n_runs: np.ndarray  # int64 (1,)
    starts: np.ndarray  # int64 (runs,): the iteration of the run's first draw
    offsets: np.ndarray  # int64 (runs + 1,), into items
    items: np.ndarray  # int32 (room,)
    label_counts: np.ndarray  # int64 (room + runs, labels): the rules', the default's last
    log_posterior: np.ndarray  # float64 (runs,)


class Tally(NamedTuple):
    """What a person wants to know of a chain, and what adaptation learns from."""

    iteration: np.ndarray  # int64 (1,)
    proposed: np.ndarray  # int64 (N_OPTIONS,)
    accepted: np.ndarray  # int64 (N_OPTIONS,)
    n_rounds: np.ndarray  # int64 (1,): turns of all temperatures that presence looks back on
    presence: np.ndarray  # int64 (temperatures, antecedents): rounds that ended with it in the list
    offered: np.ndarray  # int64 (temperatures,): exchanges with the next warmer neighbour
    exchanged: np.ndarray  # int64 (temperatures,)


# ---------------------------------------------------------------------------- bits


# Loops over words are written in LLVM's own vectors: it need not look for them, which takes long,
# and turns them into whatever the processor at hand has. A section is a whole number of vectors.
VECTOR_WORDS = 8
VECTOR = ir.VectorType(ir.IntType(64), VECTOR_WORDS)
INT64 = ir.IntType(64)
WORDS_AHEAD = 256  # how far ahead a cover is asked for that is in no near cache
GROUP = 4  # rules that are looked at together, so that what they share is read once
Words = types.CPointer(types.uint64)  # where words begin, in compiled code
Group = types.UniTuple(Words, GROUP)


def each_vector(builder, n_words):
    """A loop over the vectors of a run of words, giving the number of each one's first word."""
    return cgutils.for_range_slice(builder, INT64(0), n_words, INT64(VECTOR_WORDS), inc=True)


def read_vector(builder, words, k):
    """The vector that begins at word k."""
    place = builder.bitcast(builder.gep(words, [k]), VECTOR.as_pointer())
    return builder.load(place, align=8)


def write_vector(builder, vector, words, k):
    """Replace the vector that begins at word k."""
    place = builder.bitcast(builder.gep(words, [k]), VECTOR.as_pointer())
    builder.store(vector, place, align=8)


def fetch_line(builder, words, k):
    """Ask for the memory at word k, which may be beyond the end, before it is needed."""
    name, place = "llvm.prefetch.p0", builder.gep(words, [k])
    of_type = ir.FunctionType(ir.VoidType(), [place.type, *[ir.IntType(32)] * 3])
    fetch = cgutils.get_or_insert_function(builder.module, of_type, name)
    builder.call(fetch, [place, *map(ir.IntType(32), (0, 3, 1))])  # to read, keep, data


def new_total(builder):
    """Room for counting ones, element by element."""
    return cgutils.alloca_once_value(builder, VECTOR([0] * VECTOR_WORDS))


def add_ones(builder, vector, total):
    """Count the ones of a vector."""
    of_type = ir.FunctionType(VECTOR, [VECTOR])
    popcount = cgutils.get_or_insert_function(builder.module, of_type, "llvm.ctpop.v8i64")
    builder.store(builder.add(builder.load(total), builder.call(popcount, [vector])), total)


def sum_of(builder, total):
    """What a total has counted."""
    of_type = ir.FunctionType(INT64, [VECTOR])
    name = "llvm.vector.reduce.add.v8i64"
    add_up = cgutils.get_or_insert_function(builder.module, of_type, name)
    return builder.call(add_up, [builder.load(total)])


@intrinsic
def words_at(typing_context, bits, row, start):
    """Where a row of bits has a word; an array of one dimension is a single row."""

    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        n_words = cgutils.unpack_tuple(builder, array.shape)[-1]
        return builder.gep(array.data, [builder.add(builder.mul(args[1], n_words), args[2])])

    if isinstance(bits, types.Array) and bits.dtype == types.uint64 and bits.layout == "C":
        return Words(bits, types.int64, types.int64), generate
    return None


@intrinsic
def count_both(typing_context, a, b, n_words):
    """Number of ones that two runs of words share."""

    def generate(context, builder, signature, args):
        a, b, n_words = args
        total = new_total(builder)
        with each_vector(builder, n_words) as (k, _):
            both = builder.and_(read_vector(builder, a, k), read_vector(builder, b, k))
            add_ones(builder, both, total)
        return sum_of(builder, total)

    return types.int64(Words, Words, types.int64), generate


@intrinsic
def fetch_words(typing_context, words, n_words):
    """Ask for words that will soon be read, without waiting for them."""

    def generate(context, builder, signature, args):
        words, n_words = args
        with each_vector(builder, n_words) as (k, _):
            fetch_line(builder, words, k)
        return context.get_dummy_value()

    return types.void(Words, types.int64), generate


@intrinsic
def copy_words(typing_context, source, copy, n_words):
    """Copy a run of words."""

    def generate(context, builder, signature, args):
        source, copy, n_words = args
        with each_vector(builder, n_words) as (k, _):
            write_vector(builder, read_vector(builder, source, k), copy, k)
        return context.get_dummy_value()

    return types.void(Words, Words, types.int64), generate


@intrinsic
def clear_words(typing_context, words, n_words):
    """Make a run of words 0."""

    def generate(context, builder, signature, args):
        words, n_words = args
        with each_vector(builder, n_words) as (k, _):
            write_vector(builder, VECTOR([0] * VECTOR_WORDS), words, k)
        return context.get_dummy_value()

    return types.void(Words, types.int64), generate


@intrinsic
def keep_covered(typing_context, words, cover, n_words):
    """Clear what a cover does not have."""

    def generate(context, builder, signature, args):
        words, cover, n_words = args
        with each_vector(builder, n_words) as (k, _):
            both = builder.and_(read_vector(builder, words, k), read_vector(builder, cover, k))
            write_vector(builder, both, words, k)
        return context.get_dummy_value()

    return types.void(Words, Words, types.int64), generate


@intrinsic
def move_covered(typing_context, source, cover, target, n_words):
    """Move what a cover has of one run of words to another."""

    def generate(context, builder, signature, args):
        source, cover, target, n_words = args
        with each_vector(builder, n_words) as (k, _):
            there = read_vector(builder, source, k)
            moved = builder.and_(there, read_vector(builder, cover, k))
            write_vector(builder, builder.xor(there, moved), source, k)
            write_vector(builder, builder.or_(read_vector(builder, target, k), moved), target, k)
        return context.get_dummy_value()

    return types.void(Words, Words, Words, types.int64), generate


def for_group(context, builder, n_rules, counts, loop):
    """Run one of GROUP loops, by the number of rules, and add each rule's total to its count.

    counts are (array, first rule, label, unit): a one counts for a unit. The sum is returned.
    """
    array, first, label, unit = counts
    result = cgutils.alloca_once_value(builder, INT64(0))
    n_labels = cgutils.unpack_tuple(builder, array.shape)[1]
    for size in range(1, GROUP + 1):
        with builder.if_then(builder.icmp_signed("==", n_rules, INT64(size))):
            totals = [new_total(builder) for _ in range(size)]
            loop(totals)
            for i, total in enumerate(totals):
                row = builder.add(first, INT64(i))
                place = builder.gep(array.data, [builder.add(builder.mul(row, n_labels), label)])
                gain = builder.mul(sum_of(builder, total), unit)
                builder.store(builder.add(builder.load(place), gain), place)
                builder.store(builder.add(builder.load(result), gain), result)
    return builder.load(result)


@intrinsic
def count_group(typing_context, cover, group, n_rules, n_words, counts, first, label, unit):
    """Count what a cover has of each of up to GROUP runs of words.

    For each, a multiple (unit) is added to counts[first + i, label]; their sum is returned.
    """

    def generate(context, builder, signature, args):
        cover, group, n_rules, n_words, counts, *where = args
        rows = cgutils.unpack_tuple(builder, group)
        array = context.make_array(signature.args[4])(context, builder, counts)

        def loop(totals):
            with each_vector(builder, n_words) as (k, _):
                fetch_line(builder, cover, builder.add(k, INT64(WORDS_AHEAD)))
                shared = read_vector(builder, cover, k)
                for row, total in zip(rows, totals, strict=False):
                    add_ones(builder, builder.and_(shared, read_vector(builder, row, k)), total)

        return for_group(context, builder, n_rules, (array, *where), loop)

    number = types.int64
    return number(Words, Group, number, number, counts, number, number, number), generate


@intrinsic
def take_group(typing_context, source, left, group, n_rules, n_words, counts, first, label, unit):
    """Let up to GROUP covers in turn take what they have of the source, and count it.

    Counts are as in count_group; what nobody took is written to left, which may be the source.
    """

    def generate(context, builder, signature, args):
        source, left, group, n_rules, n_words, counts, *where = args
        covers = cgutils.unpack_tuple(builder, group)
        array = context.make_array(signature.args[5])(context, builder, counts)

        def loop(totals):
            with each_vector(builder, n_words) as (k, _):
                rest = read_vector(builder, source, k)
                for cover, total in zip(covers, totals, strict=False):
                    taken = builder.and_(rest, read_vector(builder, cover, k))
                    add_ones(builder, taken, total)
                    rest = builder.xor(rest, taken)
                write_vector(builder, rest, left, k)

        return for_group(context, builder, n_rules, (array, *where), loop)

    number = types.int64
    return number(Words, Words, Group, number, number, counts, number, number, number), generate


@inlined
def join_block(covers, members, a, joined, start, n_words):
    """Write some words of an antecedent's cover, from start on, to where joined begins."""
    first = members[a, 0] if members.shape[1] > 0 else a
    copy_words(words_at(covers, first, start), joined, n_words)
    for i in range(1, members.shape[1]):
        if members[a, i] >= 0:
            keep_covered(joined, words_at(covers, members[a, i], start), n_words)


@inlined
def cover_at(covers, members, a, joined, start, n_words):
    """Where words of an antecedent's cover are; formed in joined if it has no cover of its own."""
    if members.shape[1] == 0:
        return words_at(covers, a, start)
    join_block(covers, members, a, joined, start, n_words)
    return joined


# --------------------------------------------------------------------- random draws


@inlined
def next_uniform(seed):
    """xoshiro256++ (Blackman and Vigna): a uniform of [0, 1) from a state of 4 words."""
    a, b, c, d = seed[0], seed[1], seed[2], seed[3]
    total = a + d
    out = ((total << np.uint64(23)) | (total >> np.uint64(41))) + a
    t = b << np.uint64(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << np.uint64(45)) | (d >> np.uint64(19))
    seed[0], seed[1], seed[2], seed[3] = a, b, c, d
    return np.float64(out >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# --------------------------------------------------------------- section 2.4: prior


@inlined
def log_normaliser(prior, used):
    """Log of the mass of the cardinalities that still have an unused antecedent."""
    keep_small()
    largest = -np.inf
    whole = True
    for k in range(len(used)):
        if used[k] < prior.class_sizes[k]:
            largest = max(largest, prior.log_mass[k])
        else:
            whole = False
    if whole:
        return prior.log_whole
    total = 0.0
    for k in range(len(used)):
        if used[k] < prior.class_sizes[k]:
            total += math.exp(prior.log_mass[k] - largest)
    return largest + math.log(total)


@inlined
def unused_weight(prior, antecedent_list, position, k):
    """Sum of the weights of cardinality class k that the list leaves before position."""
    keep_small()
    left = prior.class_weights[k]
    for i in range(position):
        if prior.classes[antecedent_list[i]] == k:
            left -= prior.weights[antecedent_list[i]]
    if left > 1e-3 * prior.class_weights[k]:
        return left
    left = 0.0  # the difference has lost its digits: add up what is left instead
    for a in range(len(prior.classes)):
        if prior.classes[a] == k:
            unused = True
            for i in range(position):
                if antecedent_list[i] == a:
                    unused = False
            if unused:
                left += prior.weights[a]
    return left


@inlined
def log_prior(prior, antecedent_list, length, used):
    """Log prior of an antecedent list (section 2.4); used is room for counting."""
    keep_small()
    for k in range(len(used)):
        used[k] = 0
    total = prior.log_length[length]
    for j in range(length):
        a = antecedent_list[j]
        k = prior.classes[a]
        total += prior.log_mass[k] - log_normaliser(prior, used)
        if prior.weighted:
            total += math.log(prior.weights[a] / unused_weight(prior, antecedent_list, j, k))
        else:
            total -= prior.log_counts[prior.class_sizes[k] - used[k]]
        used[k] += 1
    return total


# ---------------------------------------------------------- section 2.5: likelihood


@inlined
def log_rising(data, label, alpha, count):
    """log Gamma(count + alpha) - log Gamma(alpha), from the table where it reaches."""
    if count < data.log_rising.shape[1]:
        return data.log_rising[label, count]
    return math.lgamma(count * data.count_unit + alpha) - math.lgamma(alpha)


@inlined
def rule_log_likelihood(data, counts, row):
    """The Dirichlet-multinomial term of one rule, all its constants kept (section 2.5)."""
    keep_small()
    n_labels = len(data.pseudocounts)
    total = np.int64(0)
    value = 0.0
    for label in range(n_labels):
        total += counts[row, label]
        value += log_rising(data, label, data.pseudocounts[label], counts[row, label])
    return value - log_rising(data, n_labels, data.pseudocount_total, total)


@inlined
def refresh_log_posterior(prior, state):
    """Add the terms up anew, so that a list's value never depends on the way to it."""
    keep_small()
    r = state.at[0]
    length = state.length[r]
    total = log_prior(prior, state.antecedent_list[r], length, state.trial_used)
    for j in range(length + 1):
        total += state.log_likelihoods[state.rows[r, j]]
    state.log_posterior[r] = total


# ----------------------------------------------------------- section 2.6: proposals


@inlined
def is_possible(option, length, pool_size):
    """Whether an option exists for a list of this length."""
    if option == MOVE:
        return length > 1
    if option == ADD:
        return length < pool_size
    if option == REMOVE:
        return length > 0
    return 0 < length < pool_size


@inlined
def possible_weight(tuning, length):
    """Total weight of the options that exist for a list of this length."""
    total = 0.0
    for option in range(N_OPTIONS):
        if is_possible(option, length, tuning.weights.shape[1]):
            total += tuning.option_weights[option]
    return total


@inlined
def option_probability(tuning, option, length):
    """Probability of choosing an option: in proportion to its weight among the possible.

    The one source for both directions of a step, hence for the Hastings ratio.
    """
    if not is_possible(option, length, tuning.weights.shape[1]):
        return 0.0
    return tuning.option_weights[option] / possible_weight(tuning, length)


@inlined
def choose_option(tuning, length, u):
    """The option at quantile u of option_probability."""
    target = u * possible_weight(tuning, length)
    chosen = np.int64(-1)
    for option in range(N_OPTIONS):
        weight = tuning.option_weights[option]
        if weight > 0.0 and is_possible(option, length, tuning.weights.shape[1]):
            chosen = np.int64(option)
            if target < weight:
                break
            target -= weight
    return chosen


@inlined
def weight_outside(tuning, state):
    """Total proposal weight of the antecedents that are not in the list."""
    keep_small()
    r = state.at[0]
    length = state.length[r]
    if tuning.uniform:
        return float(tuning.weights.shape[1] - length)
    t = state.cursor[0]
    inside = 0.0
    for j in range(length):
        inside += tuning.weights[t, state.antecedent_list[r, j]]
    if inside < 0.999:
        return 1.0 - inside
    outside = 0.0  # the difference has lost its digits: add up what is left instead
    for a in range(tuning.weights.shape[1]):
        if not state.in_list[r, a]:
            outside += tuning.weights[t, a]
    return outside


@inlined
def addition_weight(uniform, weights, t, antecedent):
    """Proposal weight of an antecedent at temperature t, in the unit of weight_outside."""
    return 1.0 if uniform else weights[t, antecedent]


@inlined
def last_not_above(cumulative, t, value):
    """The last antecedent whose cumulative weight does not exceed a value, else the first."""
    low, high = 0, cumulative.shape[1] - 1  # it is from low on, and before high
    while high - low > 1:
        middle = (low + high) // 2
        if cumulative[t, middle] <= value:
            low = middle
        else:
            high = middle
    return low


@inlined
def choose_addition(tuning, state, u):
    """The antecedent outside the list at quantile u of the proposal weights there."""
    keep_small()
    r = state.at[0]
    pool_size = tuning.weights.shape[1]
    length = state.length[r]
    uniform, weights, t = tuning.uniform, tuning.weights, state.cursor[0]
    wanted = u * weight_outside(tuning, state)
    passed = 0.0  # weight of the list's own antecedents up to a: to be jumped over
    while True:
        if uniform:
            a = min(np.int64(wanted + passed), pool_size - 1)
        else:
            a = last_not_above(tuning.cumulative, t, wanted + passed)
        inside = 0.0
        for j in range(length):
            if state.antecedent_list[r, j] <= a:
                inside += addition_weight(uniform, weights, t, state.antecedent_list[r, j])
        if inside <= passed:
            break
        passed = inside
    while state.in_list[r, a]:  # only by rounding at the seam between two antecedents
        a = (a + 1) % pool_size
    return a


@inlined
def n_similar(first_similar, antecedent):
    """How many antecedents may replace one for their likeness."""
    return first_similar[antecedent + 1] - first_similar[antecedent]


@inlined
def choose_similar(similar, first_similar, antecedent, u):
    """The antecedent at quantile u of those that are like one; itself where none is."""
    n = n_similar(first_similar, antecedent)
    if n == 0:
        return antecedent
    return similar[first_similar[antecedent] + min(np.int64(u * n), n - 1)]


@inlined
def propose(tuning, state, u_option, u_position, u_target):
    """A proposal as (option, position, target): target is a position or an antecedent."""
    r = state.at[0]
    length = state.length[r]
    option = choose_option(tuning, length, u_option)
    slots = length + 1 if option == ADD else length
    position = min(np.int64(u_position * slots), slots - 1)
    target = np.int64(0)
    if option == MOVE:
        target = min(np.int64(u_target * (length - 1)), length - 2)
        if target >= position:
            target += 1
    elif option == ADD or option == REPLACE:
        target = choose_addition(tuning, state, u_target)
    elif option == REPLACE_BY_SIMILAR:
        leaving = state.antecedent_list[r, position]
        target = choose_similar(tuning.similar, tuning.first_similar, leaving, u_target)
    return option, position, target


@inlined
def log_proposal_ratio(tuning, state, option, position, target):
    """log Q(d | d*) - log Q(d* | d), the Hastings term of a proposal."""
    r = state.at[0]
    length = state.length[r]
    if option == MOVE:
        return 0.0
    if option == REPLACE_BY_SIMILAR:
        leaving = state.antecedent_list[r, position]
        n_forward = n_similar(tuning.first_similar, leaving)
        return math.log(n_forward / n_similar(tuning.first_similar, target))
    outside = weight_outside(tuning, state)
    uniform, weights, t = tuning.uniform, tuning.weights, state.cursor[0]
    if option == ADD:
        forward = option_probability(tuning, ADD, length)
        forward *= addition_weight(uniform, weights, t, target) / outside / (length + 1)
        backward = option_probability(tuning, REMOVE, length + 1) / (length + 1)
        return math.log(backward / forward)
    leaving = addition_weight(uniform, weights, t, state.antecedent_list[r, position])
    if option == REMOVE:
        forward = option_probability(tuning, REMOVE, length) / length
        backward = option_probability(tuning, ADD, length - 1)
        backward *= leaving / (outside + leaving) / length
        return math.log(backward / forward)
    arriving = addition_weight(uniform, weights, t, target)
    return math.log(leaving / (outside + leaving - arriving) * outside / arriving)


@inlined
def log_prior_ratio(prior, state, option, position, target):
    """log p(d*) - log p(d)."""
    keep_small()
    r = state.at[0]
    length = state.length[r]
    order_counts = prior.weighted
    for k in range(state.used.shape[1]):
        # a cardinality may run out, and then the place where it does matters
        if state.used[r, k] + 1 >= prior.class_sizes[k]:
            order_counts = True
    if order_counts:
        old = state.antecedent_list[r]
        new_length = proposed_list(old, length, option, position, target, state.trial)
        before = log_prior(prior, old, length, state.trial_used)
        return log_prior(prior, state.trial, new_length, state.trial_used) - before
    if option == MOVE:
        return 0.0
    change = 0.0
    if option == ADD or option >= REPLACE:
        k = prior.classes[target]
        unused = prior.class_sizes[k] - state.used[r, k]
        change += prior.log_mass[k] - prior.log_whole - prior.log_counts[unused]
    if option == REMOVE or option >= REPLACE:
        k = prior.classes[state.antecedent_list[r, position]]
        unused = prior.class_sizes[k] - state.used[r, k] + 1
        if option >= REPLACE and prior.classes[target] == k:
            unused -= 1  # one of the same cardinality comes for the one that goes
        change -= prior.log_mass[k] - prior.log_whole - prior.log_counts[unused]
    if option == ADD:
        change += prior.log_length[length + 1] - prior.log_length[length]
    elif option == REMOVE:
        change += prior.log_length[length - 1] - prior.log_length[length]
    return change


@inlined
def proposed_list(old, length, option, position, target, new):
    """Write the list that a proposal makes of the old one into new; its length is returned."""
    keep_small()
    if option == ADD:
        for j in range(length, position, -1):
            new[j] = old[j - 1]
        for j in range(position):
            new[j] = old[j]
        new[position] = target
        return length + 1
    for j in range(length):
        new[j] = old[j]
    if option >= REPLACE:
        new[position] = target
        return length
    last = target if option == MOVE else length - 1
    step = 1 if last > position else -1
    for j in range(position, last, step):
        new[j] = old[j + step]
    if option == REMOVE:
        return length - 1
    new[target] = old[position]
    return length


# -------------------------------------- evaluation: count what a proposal would move


@inlined
def changed_rules(length, option, position, target):
    """First and last position, in the present list, of the other rules that change."""
    if option == MOVE and target > position:
        return position + 1, target
    if option == MOVE:
        return target, position - 1
    if option == ADD:
        return position, length
    return position + 1, length


@inlined
def takes(option, position, target):
    """Whether a proposal puts an antecedent before rules that it takes observations from."""
    return option == ADD or option >= REPLACE or (option == MOVE and target < position)


@inlined
def lets_fall(option, position, target):
    """Whether a proposal releases observations that fall on later rules."""
    return option == REMOVE or option >= REPLACE or (option == MOVE and target > position)


@inlined
def log_likelihood_ratio(data, state, option, position, target):
    """log p(y | d*) - log p(y | d); leaves the new counts in the state."""
    keep_small()
    r = state.at[0]
    length = state.length[r]
    labels = len(state.pending_counts)
    first, last = changed_rules(length, option, position, target)
    for j in range(first, last + 1):
        for label in range(labels):
            state.new_counts[j, label] = state.label_counts[state.rows[r, j], label]
    change = 0.0
    old = state.rows[r, position]  # of the rule that moves or goes
    for label in range(labels):
        state.arriving[0, label] = 0
        state.pending_counts[label] = 0 if option == ADD else state.label_counts[old, label]
    if option != ADD:
        change -= state.log_likelihoods[old]
    count_changes(data, state, option, position, target, first, last)
    for label in range(labels):
        if option == MOVE:
            state.arriving[0, label] += state.pending_counts[label]
        elif option != ADD:
            state.new_counts[length, label] += state.pending_counts[label]
    for j in range(first, last + 1):
        row = state.rows[r, j]
        for label in range(labels):
            if state.new_counts[j, label] != state.label_counts[row, label]:
                change += rule_log_likelihood(data, state.new_counts, j)
                change -= state.log_likelihoods[row]
                break
    if option != REMOVE:
        change += rule_log_likelihood(data, state.arriving, 0)
    return change


@inlined
def group_of(bits, numbers, first, last, start):
    """Where the rows of bits begin that some rules, from the first on, have the numbers of."""
    second, third, fourth = min(first + 1, last), min(first + 2, last), min(first + 3, last)
    return (
        words_at(bits, numbers[first], start),
        words_at(bits, numbers[second], start),
        words_at(bits, numbers[third], start),
        words_at(bits, numbers[fourth], start),
    )


@inlined
def count_changes(data, state, option, position, target, first, last):
    """Count what a proposal moves from rule to rule, a block of observations at a time.

    What is read for some rules, the block of a cover or of the pending observations, is then
    still in the nearest cache for the next. The default rule takes what is left pending.
    """
    r = state.at[0]
    rows, antecedents, counts = state.rows[r], state.antecedent_list[r], state.new_counts
    comes = antecedents[position] if option == MOVE else target
    is_taken, falls = takes(option, position, target), lets_fall(option, position, target)
    last_covered = last if option == MOVE else last - 1
    is_formed = data.members.shape[1] > 0
    covers, members, captured = data.covers, data.members, state.captured
    pending, joined = words_at(state.pending, 0, 0), words_at(state.joined, 0, 0)
    for s in range(len(data.section_labels)):
        label, weight = data.section_labels[s], data.section_weights[s]
        for start in range(data.section_starts[s], data.section_starts[s + 1], JOINED_WORDS):
            n_words = min(JOINED_WORDS, data.section_starts[s + 1] - start)
            source = words_at(captured, rows[position], start)
            if is_taken:
                cover = cover_at(covers, members, comes, joined, start, n_words)
                if falls:  # a replacement keeps what both cover
                    group = (cover, cover, cover, cover)
                    n = take_group(
                        source, pending, group, 1, n_words, state.arriving, 0, label, weight
                    )
                    state.pending_counts[label] -= n
                    source = pending
                for j in range(first, last + 1, GROUP):
                    group = group_of(captured, rows, j, last, start)
                    n_rules = min(GROUP, last + 1 - j)
                    state.arriving[0, label] -= count_group(
                        cover, group, n_rules, n_words, counts, j, label, -weight
                    )
            if falls:
                step = 1 if is_formed else GROUP
                for j in range(first, last_covered + 1, step):
                    if is_formed:
                        a = antecedents[j]
                        cover = cover_at(covers, members, a, joined, start, n_words)
                        group = (cover, cover, cover, cover)
                    else:
                        group = group_of(covers, antecedents, j, last_covered, start)
                    n_rules = min(step, last_covered + 1 - j)
                    state.pending_counts[label] -= take_group(
                        source, pending, group, n_rules, n_words, counts, j, label, weight
                    )
                    source = pending


# ------------------------------------------------- acceptance: write what has changed


@inlined
def write_changes(data, state, option, position, target, first, last):
    """Move the bits that count_changes counted, a block at a time."""
    r = state.at[0]
    length = state.length[r]
    row = state.rows[r, length + 1] if option == ADD else state.rows[r, position]
    comes = state.antecedent_list[r, position] if option == MOVE else target
    is_taken, falls = takes(option, position, target), lets_fall(option, position, target)
    last_covered = last if option == MOVE else last - 1
    rest = row if option == MOVE else state.rows[r, length]  # where pending bits end
    covers, members = data.covers, data.members
    pending, joined = words_at(state.pending, 0, 0), words_at(state.joined, 0, 0)
    for start in range(0, len(data.everyone), JOINED_WORDS):
        n_words = min(JOINED_WORDS, len(data.everyone) - start)
        captured = words_at(state.captured, row, start)
        if falls:
            copy_words(captured, pending, n_words)
        if falls or option == ADD:
            clear_words(captured, n_words)
        if is_taken:
            cover = cover_at(covers, members, comes, joined, start, n_words)
            if falls:
                move_covered(pending, cover, captured, n_words)
            for j in range(first, last + 1):
                other = words_at(state.captured, state.rows[r, j], start)
                move_covered(other, cover, captured, n_words)
        if falls:
            for j in range(first, last_covered + 1):
                a = state.antecedent_list[r, j]
                cover = cover_at(covers, members, a, joined, start, n_words)
                other = words_at(state.captured, state.rows[r, j], start)
                move_covered(pending, cover, other, n_words)
            move_covered(pending, pending, words_at(state.captured, rest, start), n_words)


@written_out
def accept(data, prior, state, option, position, target):
    """Make the evaluated proposal the state."""
    r = state.at[0]
    length = state.length[r]
    first, last = changed_rules(length, option, position, target)
    for j in range(first, last + 1):
        row = state.rows[r, j]
        for label in range(len(state.pending_counts)):
            state.label_counts[row, label] = state.new_counts[j, label]
        state.log_likelihoods[row] = rule_log_likelihood(data, state.label_counts, row)
    row = state.rows[r, length + 1] if option == ADD else state.rows[r, position]
    leaving = np.int64(-1) if option == ADD else state.antecedent_list[r, position]
    if option != REMOVE:
        for label in range(len(state.pending_counts)):
            state.label_counts[row, label] = state.arriving[0, label]
        state.log_likelihoods[row] = rule_log_likelihood(data, state.label_counts, row)
    write_changes(data, state, option, position, target, first, last)
    reorder(state.rows[r], length, option, position, target)
    old = state.antecedent_list[r]
    state.length[r] = proposed_list(old, length, option, position, target, state.trial)
    for j in range(state.length[r]):
        old[j] = state.trial[j]
    if option == ADD or option >= REPLACE:
        state.in_list[r, target] = True
        state.used[r, prior.classes[target]] += 1
    if option == REMOVE or option >= REPLACE:
        state.in_list[r, leaving] = False
        state.used[r, prior.classes[leaving]] -= 1
    refresh_log_posterior(prior, state)


@inlined
def reorder(rows, length, option, position, target):
    """Bring the rows of a list into the order that an accepted proposal gives."""
    keep_small()
    if option == ADD:
        first, last = length + 1, position
    elif option == REMOVE:
        first, last = position, length
    elif option == MOVE:
        first, last = position, target
    else:
        return
    row = rows[first]
    step = 1 if last > first else -1
    for j in range(first, last, step):
        rows[j] = rows[j + step]
    rows[last] = row


# ------------------------------------------------------------------------ the chain


@inlined
def fetch_cover(covers, members, antecedent):
    """Ask for the beginning of a cover while there is something else to do."""
    if members.shape[1] == 0:
        fetch_words(words_at(covers, antecedent, 0), min(WORDS_AHEAD, covers.shape[1]))


@written_out
def log_acceptance(data, prior, tuning, state, option, position, target):
    """Log of the Metropolis-Hastings ratio of a proposal, at the temperature at work."""
    if option == REPLACE_BY_SIMILAR and state.in_list[state.at[0], target]:
        return -np.inf
    if option == ADD or option >= REPLACE:
        fetch_cover(data.covers, data.members, target)
    coldness = tuning.coldness[state.cursor[0]]
    return (
        log_prior_ratio(prior, state, option, position, target)
        + log_proposal_ratio(tuning, state, option, position, target)
        + coldness * log_likelihood_ratio(data, state, option, position, target)
    )


@compiled
def write_run(state, record, start):
    """Begin a run of equal draws with the list at work, from an iteration on."""
    keep_small()
    r = state.at[0]
    run = record.n_runs[0]
    first = record.offsets[run]
    length = state.length[r]
    for j in range(length):
        record.items[first + j] = state.antecedent_list[r, j]
    for j in range(length + 1):
        for label in range(len(state.pending_counts)):
            count = state.label_counts[state.rows[r, j], label]
            record.label_counts[first + run + j, label] = count
    record.offsets[run + 1] = first + length
    record.starts[run] = start
    record.log_posterior[run] = state.log_posterior[r]
    record.n_runs[0] = run + 1


@inlined
def has_rows(state):
    """Whether the list at work can grow by one rule."""
    capacity, pool_size = state.rows.shape[1] - 1, state.in_list.shape[1]
    return state.length[state.at[0]] < capacity or capacity == pool_size


@inlined
def has_records(state, record):
    """Whether one more run can be recorded, of the longest list that there is room for."""
    run = record.n_runs[0]
    longest = state.rows.shape[1]
    return run + 1 < len(record.starts) and record.offsets[run] + longest <= len(record.items)


@written_out
def step(data, prior, tuning, state, tally, record, seed):
    """One iteration at the temperature at work; False where the ratio is not a number."""
    is_chain = state.cursor[0] == 0
    # always four, used or not, so that a chain's stream never shifts
    u_option = next_uniform(seed)
    u_position = next_uniform(seed)
    u_target = next_uniform(seed)
    u_accept = next_uniform(seed)
    option, position, target = propose(tuning, state, u_option, u_position, u_target)
    ratio = log_acceptance(data, prior, tuning, state, option, position, target)
    if math.isnan(ratio):
        return False
    if is_chain:
        tally.iteration[0] += 1
        tally.proposed[option] += 1
    if ratio >= 0.0 or u_accept < math.exp(ratio):
        if is_chain:
            tally.accepted[option] += 1
        accept(data, prior, state, option, position, target)
        if is_chain:
            write_run(state, record, tally.iteration[0])
    return True


@inlined
def list_log_likelihood(state, r):
    """log p(y | d) of a replica's list."""
    keep_small()
    total = 0.0
    for j in range(state.length[r] + 1):
        total += state.log_likelihoods[state.rows[r, j]]
    return total


@inlined
def exchange_lists(tuning, state, tally, record, seed):
    """Offer an exchange of lists to every other pair of neighbours in temperature, by turns.

    It is accepted with the probability that leaves each temperature's target unchanged.
    """
    keep_small()
    first = state.cursor[2] % 2
    state.cursor[2] += 1
    for t in range(first, len(state.replica) - 1, 2):
        u = next_uniform(seed)
        tally.offered[t] += 1
        colder, warmer = state.replica[t], state.replica[t + 1]
        gain = list_log_likelihood(state, warmer) - list_log_likelihood(state, colder)
        ratio = (tuning.coldness[t] - tuning.coldness[t + 1]) * gain
        if ratio >= 0.0 or u < math.exp(ratio):
            state.replica[t], state.replica[t + 1] = warmer, colder
            tally.exchanged[t] += 1
            if t == 0:
                state.at[0] = warmer
                write_run(state, record, tally.iteration[0] + 1)


@inlined
def count_presence(state, tally):
    """Note what each temperature's list holds at the end of a round."""
    keep_small()
    tally.n_rounds[0] += 1
    for t in range(len(state.replica)):
        r = state.replica[t]
        for j in range(state.length[r]):
            tally.presence[t, state.antecedent_list[r, j]] += 1


@compiled
def advance(data, prior, tuning, state, tally, record, seed, until):
    """Iterate until the given iteration, or until more room is needed (section 2.6).

    In turn, every temperature's list takes as many steps; then neighbours may exchange
    theirs. The coldest list is the chain: its iterations count and its draws are recorded.
    """
    keep_small()
    n_temperatures = len(state.replica)
    while True:
        t = state.cursor[0]
        if t == n_temperatures:
            state.at[0] = state.replica[0]
            if n_temperatures > 1:
                if not has_records(state, record):
                    return NEEDS_RECORDS
                exchange_lists(tuning, state, tally, record, seed)
            count_presence(state, tally)
            t = 0
            state.cursor[0], state.cursor[1] = 0, tuning.turns[0]
            state.at[0] = state.replica[0]
        while state.cursor[1] > 0:
            if t == 0 and tally.iteration[0] >= until:
                return REACHED
            if not has_rows(state):
                return NEEDS_ROWS
            if t == 0 and not has_records(state, record):
                return NEEDS_RECORDS
            if not step(data, prior, tuning, state, tally, record, seed):
                return NOT_FINITE
            state.cursor[1] -= 1
        state.cursor[0] = t + 1
        if t + 1 < n_temperatures:
            state.at[0], state.cursor[1] = state.replica[t + 1], tuning.turns[t + 1]


# ------------------------------------------------------- likeness between antecedents


@inlined
def insert_like(nearest, likeness, row, antecedent, value):
    """Keep an antecedent among a row's most alike, if it is; the one kept longer wins a tie."""
    j = nearest.shape[1]
    while j > 0 and value > likeness[row, j - 1]:
        j -= 1
        if j + 1 < nearest.shape[1]:
            nearest[row, j + 1], likeness[row, j + 1] = nearest[row, j], likeness[row, j]
    if j < nearest.shape[1]:
        nearest[row, j], likeness[row, j] = antecedent, value


@compiled
def find_nearest(covers, sections, sizes, n, nearest, likeness):
    """The covers that correlate most with each, directly or inversely.

    sizes are the covers' weighted observations, n those of everybody. Rows of nearest hold
    places of covers, and -1 where likeness (squared correlation) stays 0.
    """
    keep_small()
    starts, labels, weights = sections
    for i in range(len(covers)):
        for j in range(i):
            both = np.int64(0)
            for s in range(len(labels)):
                a, b = words_at(covers, i, starts[s]), words_at(covers, j, starts[s])
                both += count_both(a, b, starts[s + 1] - starts[s]) * weights[s]
            covariance = n * both - sizes[i] * sizes[j]
            spread = sizes[i] * (n - sizes[i]) * sizes[j] * (n - sizes[j])
            if spread > 0.0:
                value = covariance * covariance / spread
                insert_like(nearest, likeness, i, j, value)
                insert_like(nearest, likeness, j, i, value)


# ------------------------------------------------------------- section 2.2: mining


class Miner(NamedTuple):
    """Frequent conditions, and room for walking through their conjunctions."""

    covers: np.ndarray  # uint64 (conditions, words)
    can_join: np.ndarray  # bool (conditions, conditions)
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    least: np.ndarray  # int64 (labels + 1,): enough of one label, or (last) of all together
    prefix: np.ndarray  # uint64 (depth, words): cover of the conjunction so far
    candidates: np.ndarray  # int64 (depth, conditions): what may extend it
    n_candidates: np.ndarray  # int64 (depth,)
    counts: np.ndarray  # int64 (labels,)


@inlined
def is_frequent(miner, bits, row, condition):
    """Whether a row and a condition together reach the support asked for."""
    keep_small()
    for label in range(len(miner.counts)):
        miner.counts[label] = 0
    total = np.int64(0)
    for s in range(len(miner.section_labels)):
        start, stop = miner.section_starts[s], miner.section_starts[s + 1]
        cover = words_at(miner.covers, condition, start)
        n = count_both(words_at(bits, row, start), cover, stop - start) * miner.section_weights[s]
        miner.counts[miner.section_labels[s]] += n
        total += n
    if total >= miner.least[len(miner.counts)]:
        return True
    for label in range(len(miner.counts)):
        if miner.counts[label] >= miner.least[label]:
            return True
    return False


@compiled
def mine_from(miner, first, max_cardinality, members, n_found):
    """Frequent conjunctions whose first condition is the given one.

    They are written into members from row n_found on; returned is the number of rows
    then filled, or -1 when there was no room for all.
    """
    keep_small()
    if n_found >= len(members):
        return -1
    n_words = miner.covers.shape[1]
    members[n_found, 0] = first
    for i in range(1, max_cardinality):
        members[n_found, i] = -1
    n_found += 1
    if max_cardinality == 1:
        return n_found
    depth = 0
    copy_words(words_at(miner.covers, first, 0), words_at(miner.prefix, 0, 0), n_words)
    n = 0
    for c in range(first + 1, miner.covers.shape[0]):
        if miner.can_join[first, c] and is_frequent(miner, miner.prefix, 0, c):
            miner.candidates[0, n] = c
            n += 1
    miner.n_candidates[0] = n
    # place[d]: which candidate of depth d is being extended, kept in the last column
    miner.candidates[0, miner.covers.shape[0]] = -1
    while depth >= 0:
        place = miner.candidates[depth, miner.covers.shape[0]] + 1
        if place >= miner.n_candidates[depth]:
            depth -= 1
            continue
        miner.candidates[depth, miner.covers.shape[0]] = place
        condition = miner.candidates[depth, place]
        if n_found >= len(members):
            return -1
        members[n_found, 0] = first
        for d in range(depth + 1):
            members[n_found, d + 1] = miner.candidates[
                d, miner.candidates[d, miner.covers.shape[0]]
            ]
        for i in range(depth + 2, max_cardinality):
            members[n_found, i] = -1
        n_found += 1
        if depth + 2 >= max_cardinality:
            continue
        longer = words_at(miner.prefix, depth + 1, 0)
        copy_words(words_at(miner.prefix, depth, 0), longer, n_words)
        keep_covered(longer, words_at(miner.covers, condition, 0), n_words)
        n = 0
        # what is infrequent with a shorter prefix cannot be frequent with this one
        for i in range(place + 1, miner.n_candidates[depth]):
            c = miner.candidates[depth, i]
            if miner.can_join[condition, c] and is_frequent(miner, miner.prefix, depth + 1, c):
                miner.candidates[depth + 1, n] = c
                n += 1
        depth += 1
        miner.n_candidates[depth] = n
        miner.candidates[depth, miner.covers.shape[0]] = -1
    return n_found


@compiled
def join_covers(covers, members, joined):
    """Covers of conjunctions, given as rows of condition numbers (-1 for none)."""
    for a in range(len(members)):
        join_block(covers, members, a, words_at(joined, a, 0), 0, covers.shape[1])


@compiled
def count_conjunctions(covers, members, sections, joined, counts):
    """Label counts of conjunctions that are formed a block at a time and not kept."""
    starts, labels, weights = sections
    for a in range(len(members)):
        for s in range(len(labels)):
            for start in range(starts[s], starts[s + 1], JOINED_WORDS):
                n_words = min(JOINED_WORDS, starts[s + 1] - start)
                words = words_at(joined, 0, 0)
                join_block(covers, members, a, words, start, n_words)
                counts[a, labels[s]] += count_both(words, words, n_words) * weights[s]
