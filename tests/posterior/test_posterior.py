"""The posterior's summaries, its point estimate and its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from elseif.antecedents.pool import Pool, canonical_order
from elseif.conditions.condition import Condition
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.point_estimate import maximum_a_posteriori, point_estimate
from elseif.posterior.predictive import predictive_probabilities
from elseif.posterior.rule_list import ModelMetadata
from elseif.tables.columns import Kind
from elseif.tables.reading import read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# antecedents 0..3 of one condition, 4..6 of two
MEMBERS = np.array([[0, -1], [1, -1], [2, -1], [3, -1], [0, 1], [1, 2], [2, 3]], dtype=np.int32)


def make_posterior(
    lists: Sequence[tuple[tuple[int, ...], int, float]],
    captured: dict[int, list[int]] | None = None,
) -> Posterior:
    """A posterior of one chain from (list, number of draws, log posterior).

    captured[i] says how many observations each rule of the i-th list captures.
    """
    conditions = tuple(Condition(name, "is true") for name in "abcd")
    pool = Pool.from_members(conditions, MEMBERS, np.full(len(MEMBERS), 0.5))
    metadata = ModelMetadata(
        np.array(["no", "yes"]), np.ones(2), dict.fromkeys("abcd", Kind.BOOLEAN)
    )
    counts = []
    for i, (d, _, _) in enumerate(lists):
        sizes = (captured or {}).get(i, [1] * (len(d) + 1))
        counts += [[size, 0] for size in sizes]
    distinct = Lists(
        offsets=np.concatenate([[0], np.cumsum([len(d) for d, _, _ in lists])]).astype(np.int64),
        items=np.array([a for d, _, _ in lists for a in d], dtype=np.int32),
        label_counts=np.array(counts, dtype=np.int64),
        log_posterior=np.array([log for _, _, log in lists]),
    )
    n_draws = np.array([n for _, n, _ in lists], dtype=np.int64)
    return Posterior(pool, metadata, [ChainDraws(n_draws, np.arange(len(lists)))], distinct)


def chosen(posterior: Posterior) -> tuple[tuple[int, ...], str | None]:
    """The point estimate as a list, and its note."""
    index, note = point_estimate(posterior)
    return posterior.distinct.antecedent_list(index), note


def test_the_pool_used_here_is_in_canonical_order() -> None:
    """The example's antecedents stand as mining would leave them."""
    assert canonical_order(MEMBERS).tolist() == list(range(len(MEMBERS)))


def test_point_estimate_has_the_mean_length() -> None:
    """The most probable list of the right length wins over a more probable one of another."""
    posterior = make_posterior([((0,), 6, -1.0), ((0, 1, 2), 5, -3.0), ((1, 0, 2, 3), 5, -2.5)])
    # mean length (6 * 1 + 5 * 3 + 5 * 4) / 16 = 2.56: lengths 2 and 3
    assert chosen(posterior) == ((0, 1, 2), None)
    assert posterior.distinct.antecedent_list(maximum_a_posteriori(posterior)) == (0,)


def test_point_estimate_has_the_mean_cardinality() -> None:
    """The average cardinality must be the mean's floor, ceiling or between."""
    posterior = make_posterior([((0, 1), 9, -5.0), ((4, 5), 1, -1.0), ((0, 4), 9, -7.0)])
    # average cardinalities 1, 2, 1.5; their mean is (9 + 2 + 13.5) / 19 = 1.29: all in [1, 2]
    assert chosen(posterior) == ((4, 5), None)
    posterior = make_posterior([((0, 1), 9, -5.0), ((1, 0), 9, -6.0)])
    assert chosen(posterior) == ((0, 1), None)


def test_a_mean_of_exactly_one_allows_one_only() -> None:
    """Where the floor is the ceiling, only that length qualifies."""
    posterior = make_posterior([((), 5, -9.0), ((0,), 5, -8.0), ((0, 1), 5, -1.0)])
    assert chosen(posterior) == ((0,), None)


def test_a_posterior_of_two_modes_says_so() -> None:
    """When no drawn list has the mean length, the nearest stands in and a note says so."""
    posterior = make_posterior([((0,), 5, -1.0), ((1,), 5, -2.0), ((0, 1, 2, 3, 4, 5), 9, -4.0)])
    best, note = chosen(posterior)
    mean = (10 * 1 + 9 * 6) / 19
    assert best == (0,)  # 1 is nearer to 3.37 than 6 is
    assert note is not None
    assert f"{mean:.2f}" in note


def test_the_note_reaches_the_fit_report() -> None:
    """The estimator passes the note on."""
    X, y = random_frame()
    assert quick(n_iter=4000).fit(X, y).fit_report_.notes == ()


def test_nearest_lengths_take_the_better_list() -> None:
    """Two lengths that are equally near compete by posterior probability."""
    posterior = make_posterior([((0,), 5, -3.0), ((0, 1, 2, 3, 4), 5, -1.0)])
    best, note = chosen(posterior)
    assert best == (0, 1, 2, 3, 4)
    assert "3.00" in str(note)


def test_empty_lists_are_left_out_of_the_mean_cardinality() -> None:
    """An empty list has no average cardinality."""
    posterior = make_posterior([((), 100, -5.0), ((4,), 1, -5.0), ((0,), 1, -9.0)])
    assert posterior.mean_average_cardinality == pytest.approx(1.5)
    assert np.isnan(posterior.average_cardinalities[0])


def test_the_empty_list_can_be_the_point_estimate() -> None:
    """A posterior of nothing but the default rule."""
    posterior = make_posterior([((), 10, -5.0)])
    assert chosen(posterior) == ((), None)
    assert np.isnan(posterior.mean_average_cardinality)
    assert len(posterior.rule_list(0)) == 0


def test_the_empty_list_among_others() -> None:
    """With mean length below 1 the empty list competes."""
    posterior = make_posterior([((), 9, -1.0), ((0,), 1, -3.0)])
    assert chosen(posterior) == ((), None)


def test_ties_go_to_what_captures_more_first() -> None:
    """Of equally probable lists, the one whose first rules capture more; then the pool's order."""
    captured = {0: [5, 9, 3], 1: [9, 5, 3], 2: [9, 5, 3]}
    lists = [((0, 1), 5, -1.0), ((2, 0), 5, -1.0 - 1e-12), ((1, 0), 5, -1.0 + 1e-12)]
    posterior = make_posterior(lists, captured)
    assert chosen(posterior)[0] == (1, 0)
    assert posterior.lists()["antecedents"].tolist() == [("b", "a"), ("c", "a"), ("a", "b")]
    # in whatever order they were met
    shuffled = make_posterior(lists[::-1], {0: [9, 5, 3], 1: [9, 5, 3], 2: [5, 9, 3]})
    assert chosen(shuffled)[0] == (1, 0)


def test_summaries_of_a_posterior() -> None:
    """Lengths, lists, inclusion and the log posterior, draw by draw."""
    posterior = make_posterior([((0, 4), 3, -2.0), ((), 1, -4.0), ((4,), 4, -1.0)])
    assert posterior.lengths.tolist() == [2, 2, 2, 0, 1, 1, 1, 1]
    assert posterior.log_posterior.tolist() == [[-2.0] * 3 + [-4.0] + [-1.0] * 4]
    assert posterior.n_draws == 8
    assert posterior.mean_length == pytest.approx(10 / 8)
    frame = posterior.lists()
    assert list(frame.columns) == ["antecedents", "probability", "log_posterior"]
    assert frame["antecedents"].tolist() == [("a and b",), ("a", "a and b"), ()]
    assert frame["probability"].tolist() == [0.5, 0.375, 0.125]
    inclusion = posterior.inclusion()
    assert list(inclusion)[:2] == ["a and b", "a"]
    assert inclusion["a and b"] == pytest.approx(7 / 8)
    assert inclusion["c"] == 0
    assert "1 chains of 8 draws, 3 distinct lists" in repr(posterior)


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_predictive_is_the_average_over_draws(n_labels: int, weighted: bool) -> None:
    """The walk over the tree of lists equals the plain average, list by list."""
    X, y = random_frame(150, 5, seed=4, n_labels=n_labels)
    weights = np.random.default_rng(0).random(150) + 0.5 if weighted else None
    alphas = [0.5, 1.0, 2.0][:n_labels]
    clf = quick(predict_with="posterior", pseudocounts=alphas, n_iter=1000, max_cardinality=3)
    posterior = clf.fit(X, y, sample_weight=weights).posterior_
    plain = np.zeros((150, n_labels))
    for i, share in enumerate(posterior.probabilities):
        plain += share * posterior.rule_list(i).predict_proba(X)
    np.testing.assert_allclose(clf.predict_proba(X), plain, atol=1e-12)
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1, atol=1e-12)
    assert posterior.probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_counts_of_every_drawn_list_are_the_datas() -> None:
    """Label counts of drawn lists are recounted from the table, rule by rule."""
    X, y = random_frame(150, 5, seed=4, n_labels=3)
    posterior = quick(n_iter=600, max_cardinality=3).fit(X, y).posterior_
    table = read_table(X)
    for i in range(len(posterior.distinct)):
        rule_list = posterior.rule_list(i)
        first = rule_list.captured_in(table)
        counts = np.zeros((len(rule_list) + 1, 3))
        np.add.at(counts, (first, y), 1)
        np.testing.assert_array_equal([rule.label_counts for rule in rule_list], counts)


@pytest.mark.parametrize("way", ["point", "map"])
def test_prediction_is_the_lists(way: str) -> None:
    """predict_with="point" and "map" are the two lists' predictions."""
    X, y = random_frame(150, 5, n_labels=3)
    clf = quick(predict_with=way, n_iter=2000).fit(X, y)
    rule_list: Any = clf.rule_list_ if way == "point" else clf.map_rule_list_
    np.testing.assert_array_equal(clf.predict_proba(X), rule_list.predict_proba(X))
    np.testing.assert_array_equal(clf.predict(X), rule_list.predict(X))
    np.testing.assert_array_equal(
        clf.predict(X), clf.classes_[np.argmax(clf.predict_proba(X), axis=1)]
    )


def test_predictive_of_no_rows() -> None:
    """No rows, no predictions."""
    X, y = random_frame()
    posterior = quick().fit(X, y).posterior_
    assert predictive_probabilities(posterior, read_table(X[:0])).shape == (0, 2)
