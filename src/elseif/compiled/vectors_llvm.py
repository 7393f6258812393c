"""Loops over packed words, as LLVM's own vectors: what the processor runs.

LLVM need not look for the vectors, which takes long, and turns them into whatever the processor at
hand has. A section is a whole number of vectors. ``vectors_numpy`` has the same functions for plain
Python.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from elseif.compiled.sizes import GROUP, VECTOR_WORDS, WORDS_AHEAD

VECTOR = ir.VectorType(ir.IntType(64), VECTOR_WORDS)
INT64 = ir.IntType(64)
Words = types.CPointer(types.uint64)  # where words begin, in compiled code
Group = types.UniTuple(Words, GROUP)


def each_vector(builder, n_words):
    """A loop over the vectors of a run of words, giving the number of each one's first word."""
    return cgutils.for_range_slice(builder, INT64(0), n_words, INT64(VECTOR_WORDS), inc=True)


def read_vector(builder, words, k):
    """The vector that begins at word k."""
    address = builder.bitcast(builder.gep(words, [k]), VECTOR.as_pointer())
    return builder.load(address, align=8)


def write_vector(builder, vector, words, k):
    """Replace the vector that begins at word k."""
    address = builder.bitcast(builder.gep(words, [k]), VECTOR.as_pointer())
    builder.store(vector, address, align=8)


def fetch_line(builder, words, k):
    """Ask for the memory at word k, which may be beyond the end, before it is needed."""
    name, address = "llvm.prefetch.p0", builder.gep(words, [k])
    of_type = ir.FunctionType(ir.VoidType(), [address.type, *[ir.IntType(32)] * 3])
    fetch = cgutils.get_or_insert_function(builder.module, of_type, name)
    builder.call(fetch, [address, *map(ir.IntType(32), (0, 3, 1))])  # to read, keep, data


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
                address = builder.gep(array.data, [builder.add(builder.mul(row, n_labels), label)])
                gain = builder.mul(sum_of(builder, total), unit)
                builder.store(builder.add(builder.load(address), gain), address)
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


@intrinsic
def wrapping_add(typing_context, a, b):
    """The sum of two words modulo 2^64."""

    def generate(context, builder, signature, args):
        return builder.add(*args)

    return types.uint64(types.uint64, types.uint64), generate
