"""Prior, likelihood and consequent against SciPy and plain sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln

from elseif.model.consequent import consequent_interval, consequent_mean
from elseif.model.likelihood import log_likelihood, log_pochhammer
from elseif.model.prior import ListPrior

PRIORS = {
    "even": ([1, 1, 2], 3.0, 1.0, [1, 1, 1]),
    "an exhausted cardinality": ([1, 2, 2, 2], 2.0, 0.5, [1, 1, 1, 1]),
    "a gap": ([1, 1, 4, 4], 1.5, 3.0, [1, 1, 1, 1]),
    "weighted": ([1, 1, 2, 2], 3.0, 1.0, [1, 5, 2, 0.5]),
}


def make(name: str) -> ListPrior:
    """One of the priors above."""
    cardinalities, length, cardinality, weights = PRIORS[name]
    return ListPrior(np.array(cardinalities), length, cardinality, np.array(weights, dtype=float))


@pytest.mark.parametrize("name", PRIORS)
def test_the_prior_sums_to_one_for_every_length(name: str) -> None:
    """Over the lists of each length, the prior given the length sums to 1."""
    prior = make(name)
    for m in range(prior.pool_size + 1):
        lists = itertools.permutations(range(prior.pool_size), m)
        total = math.fsum(math.exp(prior.log_probability(d) - prior.log_length[m]) for d in lists)
        assert total == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", PRIORS)
def test_the_length_is_a_truncated_poisson(name: str) -> None:
    """p(m) is SciPy's Poisson, normalised over 0..|A|."""
    prior = make(name)
    masses = stats.poisson.pmf(np.arange(prior.pool_size + 1), prior.expected_length)
    np.testing.assert_allclose(np.exp(prior.log_length), masses / masses.sum(), rtol=1e-12)


def test_a_prior_by_hand() -> None:
    """Three antecedents of cardinalities 1, 1, 2: every factor written out."""
    prior = make("even")
    lengths = stats.poisson.pmf(np.arange(4), 3.0)
    one, two = stats.poisson.pmf([1, 2], 1.0)
    by_hand = (
        lengths[3]
        / lengths.sum()
        * (one / (one + two) / 2)  # one of two antecedents of cardinality 1
        * (two / (one + two) / 1)  # the only one of cardinality 2
        * (1 / 1)  # cardinality 1 is all that is left, and one antecedent of it
    )
    assert prior.log_probability([0, 2, 1]) == pytest.approx(math.log(by_hand), abs=1e-12)


def test_weights_by_hand() -> None:
    """An antecedent is drawn in proportion to its weight among the unused of its cardinality."""
    prior = make("weighted")
    assert prior.is_weighted
    difference = prior.log_probability([1]) - prior.log_probability([0])
    assert difference == pytest.approx(math.log(5), abs=1e-12)
    assert prior.log_probability([2, 3]) == pytest.approx(
        prior.log_probability([3, 2]) + math.log((2 / 2.5) / (0.5 / 2.5)), abs=1e-12
    )


@pytest.mark.parametrize("length", [1e-300, 1e4, 1e300])
def test_extreme_expectations(length: float) -> None:
    """The prior is computed on the log scale."""
    prior = ListPrior(np.array([1, 1, 2]), length, 1e4, np.ones(3))
    values = [prior.log_probability(d) for d in ((), (0,), (2, 1), (0, 1, 2))]
    assert np.isfinite(values).all()


def test_draws_follow_the_prior() -> None:
    """20,000 draws against the enumeration; a right function fails with probability 1e-6."""
    prior = make("weighted")
    rng = np.random.default_rng(0)
    lists = [d for m in range(5) for d in itertools.permutations(range(4), m)]
    index = {d: i for i, d in enumerate(lists)}
    drawn = [index[tuple(prior.draw(rng))] for _ in range(20_000)]
    expected = 20_000 * np.exp([prior.log_probability(d) for d in lists])
    assert expected.sum() == pytest.approx(20_000)
    assert expected.min() >= 5
    observed = np.bincount(drawn, minlength=len(lists))
    assert stats.chisquare(observed, expected).pvalue > 1e-6


@pytest.mark.parametrize("alphas", [(1.0, 1.0), (0.5, 2.0), (1.0, 1.0, 1.0), (0.3, 2.0, 5.0)])
def test_likelihood_is_scipys_dirichlet_multinomial(alphas: tuple[float, ...]) -> None:
    """Each rule's term is the Dirichlet-multinomial without the number of arrangements."""
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 30, size=(4, len(alphas)))
    expected = 0.0
    for row in counts:
        arrangements = gammaln(row.sum() + 1) - gammaln(row + 1).sum()
        expected += stats.dirichlet_multinomial.logpmf(row, alphas, row.sum()) - arrangements
    assert log_likelihood(counts, np.array(alphas)) == pytest.approx(expected, abs=1e-9)


def test_likelihood_is_an_integral() -> None:
    """For two labels, the integral over theta that it stands for."""
    value, _ = integrate.quad(
        lambda t: t**3 * (1 - t) ** 7 * stats.beta.pdf(t, 2.5, 1.5), 0, 1, epsabs=1e-14
    )
    result = log_likelihood(np.array([[3, 7]]), np.array([2.5, 1.5]))
    assert result == pytest.approx(math.log(value), rel=1e-8)


@pytest.mark.parametrize("alphas", [(1.0, 1.0, 1.0), (0.3, 2.0, 5.0)])
def test_likelihoods_of_all_labels_sum_to_one(alphas: tuple[float, ...]) -> None:
    """Over every way to label five observations, two rules and the default (test T0b)."""
    rule_of_row = [0, 0, 1, 2, 2]
    total = []
    for labels in itertools.product(range(3), repeat=5):
        counts = np.zeros((3, 3), dtype=int)
        for rule, label in zip(rule_of_row, labels, strict=True):
            counts[rule, label] += 1
        total.append(math.exp(log_likelihood(counts, np.array(alphas))))
    assert math.fsum(total) == pytest.approx(1, abs=1e-12)


def test_a_rule_that_captures_nobody_costs_nothing() -> None:
    """Its likelihood is 1, whatever the pseudocounts."""
    assert log_likelihood(np.zeros((3, 4)), np.array([0.2, 1, 3, 8])) == pytest.approx(0, abs=1e-12)


def test_tables_of_log_gamma() -> None:
    """log Gamma(k u + alpha) - log Gamma(alpha), entry by entry."""
    expected = [math.lgamma(k * 0.25 + 0.7) - math.lgamma(0.7) for k in range(50)]
    np.testing.assert_allclose(log_pochhammer(0.7, 50, 0.25), expected, atol=1e-12)


def test_consequent_is_scipys_dirichlet() -> None:
    """Mean and interval of the Dirichlet posterior, for three labels."""
    counts, alphas = np.array([3, 0, 12]), np.array([1.0, 0.5, 2.0])
    np.testing.assert_allclose(
        consequent_mean(counts, alphas), stats.dirichlet.mean(counts + alphas), rtol=1e-12
    )
    for level in (0.5, 0.95, 0.999):
        for label in range(3):
            a = counts[label] + alphas[label]
            b = (counts + alphas).sum() - a
            expected = stats.beta.interval(level, a, b)
            result = consequent_interval(counts, alphas, label, level)
            np.testing.assert_allclose(result, expected, rtol=1e-9)


def test_intervals_of_huge_and_empty_rules() -> None:
    """A rule of 1e10 observations has a narrow interval, one of none the prior's."""
    low, high = consequent_interval(np.array([5_000_000_000, 5_000_000_000]), np.ones(2), 0)
    assert 0.4999 < low < 0.5 < high < 0.5001
    low, high = consequent_interval(np.zeros(2), np.ones(2), 1)
    assert (low, high) == pytest.approx((0.025, 0.975))


@pytest.mark.parametrize("pseudocount", [0.05, 0.01, 1e-4])
def test_no_interval_reaches_certainty(pseudocount: float) -> None:
    """Small pseudocounts, as may be learnt: the ends are nearer to 0 and 1 than numbers go."""
    counts, pseudocounts = np.array([57, 0, 0]), np.full(3, pseudocount)
    assert 0 < consequent_interval(counts, pseudocounts, 0)[1] < 1
    assert 0 < consequent_interval(counts, pseudocounts, 1)[0] < 1
    assert 0 < consequent_interval(1e9 * counts, pseudocounts, 0)[1] < 1
    assert 0 < consequent_interval(1e9 * counts, pseudocounts, 1)[0] < 1


@pytest.mark.parametrize("n", [1e15, 3e16, 1e17, 2e18])
def test_intervals_of_weights_beyond_all_reason(n: float) -> None:
    """Where SciPy gives up, the Beta distribution is a normal one."""
    for share in (0.1, 0.25, 0.5, 0.9):
        counts = np.array([share * n, (1 - share) * n])
        low, high = consequent_interval(counts, np.ones(2), 0)
        width = 2 * stats.norm.ppf(0.975) * math.sqrt(share * (1 - share) / n)
        assert (low + high) / 2 == pytest.approx(share, rel=1e-9)
        assert high - low == pytest.approx(width, rel=1e-3, abs=1e-15)


@pytest.mark.parametrize("n", [1e7, 1e8, 1e9, 1e12, 1e18])
@pytest.mark.parametrize("events", [0, 1, 30, 999, 1000, 50_000])
def test_intervals_of_a_few_among_very_many(events: int, n: float) -> None:
    """Which SciPy has wrong by a factor of ten at a thousand; a Gamma distribution in the limit."""
    counts = np.array([events, n])
    low, high = consequent_interval(counts, np.ones(2), 0)
    expected = stats.gamma.interval(0.95, events + 1, scale=1 / (n + events / 2))
    assert (low, high) == pytest.approx(expected, rel=1e-2)
    # what is above and below comes from the same distribution, seen from the other side
    turned = consequent_interval(counts, np.ones(2), 1)
    assert (1 - turned[1], 1 - turned[0]) == pytest.approx((low, high), rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("alpha", [1e-5, 1e-20, 1e-300])
def test_intervals_of_next_to_no_pseudocount(alpha: float) -> None:
    """Beside many observations of one label a small pseudocount of the other is not lost."""
    counts, alphas = np.array([0, 16]), np.full(2, alpha)
    assert consequent_interval(counts, alphas, 1) == pytest.approx((1.0, 1.0))
    assert consequent_interval(counts, alphas, 0) == pytest.approx((0.0, 0.0))
    large = np.array([0, 1e15]), np.full(2, 0.3)
    expected = stats.beta.interval(0.95, 0.3, 1e15 + 0.3)
    assert 1 - np.array(consequent_interval(*large, 1)) == pytest.approx(expected[::-1], abs=1e-15)
    assert consequent_interval(*large, 0) == pytest.approx(expected, rel=1e-9)
