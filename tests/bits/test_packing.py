"""Packed bits hold what the rows held, and a trace depends on nothing else."""

import dataclasses

import numpy as np
from hypothesis import given, settings, strategies as st

from elseif.bits.counting import cover_label_counts
from elseif.bits.packing import BLOCK_WORDS, WORD_BITS, make_layout
from tests.sampler import naive
from tests.sampler.cases import Case
from tests.sampler.variants import VARIANTS, make_chain

# compiling at the first example is not slowness
quiet = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def labelled_rows(draw: st.DrawFn, largest_weight: int = 9) -> tuple[np.ndarray, np.ndarray, int]:
    """Labels and whole weights of some rows, and how many labels there are."""
    n_labels = draw(st.integers(1, 4))
    n = draw(st.one_of(st.integers(0, 40), st.integers(500, 1_100)))
    rng = np.random.default_rng(draw(seeds))
    return rng.integers(0, n_labels, n), rng.integers(1, largest_weight + 1, n), n_labels


@given(rows=labelled_rows(), weighted=st.booleans(), seed=seeds)
@quiet
def test_unpacking_gives_back_what_was_packed(rows, weighted, seed) -> None:
    """Truth of every row survives packing, with weights and without."""
    labels, weights, n_labels = rows
    layout = make_layout(labels, n_labels, weights if weighted else None)
    truth = np.random.default_rng(seed).random(len(labels)) < 0.5
    words = layout.pack(truth)
    assert words.dtype == np.uint64
    assert words.shape == (layout.n_words,)
    assert (layout.unpack(words) == truth).all()
    assert (layout.unpack(layout.everyone())).all()


@given(rows=labelled_rows(), weighted=st.booleans())
@quiet
def test_sections_are_whole_blocks_of_one_label(rows, weighted) -> None:
    """A section is some whole blocks, of rows of one label, and padding holds no bit."""
    labels, weights, n_labels = rows
    layout = make_layout(labels, n_labels, weights if weighted else None)
    assert (layout.section_starts % BLOCK_WORDS == 0).all()
    everyone = np.unpackbits(layout.everyone().view(np.uint8), bitorder="little").astype(bool)
    assert ((layout.row_of_bit < len(labels)) == everyone).all()
    bounds = zip(layout.section_starts[:-1], layout.section_starts[1:], strict=True)
    for s, (start, stop) in enumerate(bounds):
        rows_here = layout.row_of_bit[start * WORD_BITS : stop * WORD_BITS]
        rows_here = rows_here[rows_here < len(labels)]
        assert len(rows_here) > 0
        assert (labels[rows_here] == layout.section_labels[s]).all()


@given(rows=labelled_rows(), weighted=st.booleans(), seed=seeds)
@quiet
def test_popcounts_are_weighted_counts(rows, weighted, seed) -> None:
    """Label counts of packed bits are the sums of weights, row by row."""
    labels, weights, n_labels = rows
    weights = weights if weighted else np.ones_like(labels)
    truth = np.random.default_rng(seed).random(len(labels)) < 0.5
    covers = truth[None, :]
    cardinalities, pseudocounts = (1,), (1.0,) * n_labels
    case = Case("rows", covers, labels, cardinalities, pseudocounts, weights=weights)
    bits = case.problem.covers
    counts = cover_label_counts(bits, case.problem.layout)
    expected = np.bincount(labels[truth], weights=weights[truth], minlength=n_labels)
    assert (counts[0] == expected).all()
    totals = np.bincount(labels, weights=weights, minlength=n_labels)
    assert (case.problem.layout.label_totals == totals).all()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small problems of every kind: labels, weights, pseudocounts, cardinalities."""
    labels, weights, n_labels = draw(labelled_rows(largest_weight=4))
    pool_size = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(seeds))
    return Case(
        "drawn",
        rng.random((pool_size, len(labels))) < 0.4,
        labels,
        tuple(rng.integers(1, 4, pool_size).tolist()),
        tuple(
            draw(st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=n_labels, max_size=n_labels))
        ),
        weights=weights,
    )


def _trace(case: Case, variant_name: str, n_iter: int = 300) -> tuple[bytes, ...]:
    """All that a chain draws, bit for bit."""
    runs = make_chain(case, VARIANTS[variant_name], [9]).run_to(n_iter)
    return tuple(getattr(runs, f.name).tobytes() for f in dataclasses.fields(runs))


@given(case=cases(), variant=st.sampled_from(sorted(VARIANTS)), seed=seeds)
@quiet
def test_row_order_leaves_the_trace_as_it_is(case, variant, seed) -> None:
    """Observations in another order give the same draws, bit for bit."""
    order = np.random.default_rng(seed).permutation(len(case.labels))
    other = dataclasses.replace(
        case,
        truths=case.truths[:, order],
        labels=case.labels[order],
        weights=case.weights[order],
    )
    assert _trace(other, variant) == _trace(case, variant)


@given(case=cases(), variant=st.sampled_from(sorted(VARIANTS)))
@quiet
def test_integer_weight_equals_repetition(case, variant) -> None:
    """An observation of weight k gives the draws of k observations, bit for bit."""
    rows = np.repeat(np.arange(len(case.labels)), case.weights)
    repeated = dataclasses.replace(
        case, truths=case.truths[:, rows], labels=case.labels[rows], weights=None
    )
    assert _trace(repeated, variant) == _trace(case, variant)


@given(case=cases())
@quiet
def test_captured_observations_are_the_reference_s(case) -> None:
    """What each rule of a list captures, unpacked, are the rows that the reference names."""
    chain = make_chain(case, next(iter(VARIANTS.values())), [9])
    chain.run_to(50)
    state, d = chain.state, chain.antecedent_list
    expected = naive.captured(case.model(), d)
    for j in range(len(d) + 1):
        row = state.rows[state.replica[0], j]
        rows = case.problem.layout.unpack(state.captured[row])
        assert set(np.flatnonzero(rows).tolist()) == expected[j]
