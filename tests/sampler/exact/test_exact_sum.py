"""The sum over all lists of a small pool, and draws from it, against the plain enumeration."""

import dataclasses

import numpy as np
import pytest
from scipy.special import logsumexp

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError
from elseif.export.model_file import model_text
from elseif.progress import Progress
from elseif.sampler import chains, compiled_problem, exact_fit, exact_sum
from elseif.sampler.chains import MOST_SUMMED, Sampled, SamplerSettings, sample
from elseif.sampler.exact_fit import exact_point_estimate, largest_sum
from elseif.sampler.exact_posterior import LARGEST_SUM, bytes_to_sum
from elseif.sampler.exact_sum import ExactSum, cover_patterns
from tests.sampler import naive
from tests.sampler.cases import CASES, Case, random_case
from tests.sampler.checks import FALSE_ALARM, lists_p
from tests.sampler.variants import lists_of, log_terms, posterior

N_DRAWS = 20_000
EVERY_CASE = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@EVERY_CASE
def test_evidence_is_the_plain_sum(case: Case) -> None:
    """log p(y | x) is that of the reference, list by list."""
    result = ExactSum.of(case.problem).log_evidence
    assert result == pytest.approx(logsumexp([sum(t) for t in log_terms(case).values()]), abs=1e-9)


@pytest.mark.parametrize("expected_cardinality", [1e-200, 1e200])
def test_cardinalities_of_next_to_no_mass(expected_cardinality: float) -> None:
    """One too improbable for a float is still what is left: the prior of all lists sums to 1."""
    case = dataclasses.replace(CASES["no-observations"], expected_cardinality=expected_cardinality)
    assert ExactSum.of(case.problem).log_evidence == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_probabilities_are_at_most_one(seed: int) -> None:
    """An antecedent of nearly every list: the sum of its lists may be rounded above all."""
    rng = np.random.default_rng(seed)
    truths = rng.random((4, 400)) < 0.4
    risk = np.where(truths[0], 0.97, np.where(truths[1], 0.5, 0.04))
    clf = BayesianRuleListClassifier(kernel="exact", random_state=0)
    clf.fit(truths.T, (rng.random(400) < risk).astype(int))
    result = clf.posterior_.exact.summaries
    assert result.inclusion.max() <= 1
    assert result.length_probabilities.max() <= 1
    model_text(clf.model_)  # which refuses what is no probability


@EVERY_CASE
def test_patterns_are_those_of_the_rows(case: Case) -> None:
    """Observations by which antecedents cover them, weighted, each pattern once."""
    expected: dict[int, np.ndarray] = {}
    weights = np.ones(len(case.labels), dtype=int) if case.weights is None else case.weights
    for row, (label, weight) in enumerate(zip(case.labels, weights, strict=True)):
        pattern = sum(1 << a for a in range(case.pool_size) if case.truths[a, row])
        counts = expected.setdefault(pattern, np.zeros(case.n_labels, dtype=int))
        counts[label] += weight
    expected = {pattern: counts for pattern, counts in expected.items() if counts.any()}
    result = cover_patterns(case.problem)
    assert result.patterns.tolist() == sorted(expected)
    for pattern, counts in zip(result.patterns, result.label_counts, strict=True):
        np.testing.assert_array_equal(counts, expected[int(pattern)])


@EVERY_CASE
def test_summaries_are_those_of_the_reference(case: Case) -> None:
    """Lengths, inclusions and average cardinality, to the last digits."""
    target, result = posterior(case), ExactSum.of(case.problem).summaries()
    n = case.pool_size
    np.testing.assert_allclose(
        result.length_probabilities, naive.length_marginal(target, n), atol=1e-12
    )
    np.testing.assert_allclose(result.inclusion, naive.inclusion(target, n), atol=1e-12)
    longer = {d: p for d, p in target.items() if d}
    total = sum(p * np.mean([case.cardinalities[a] for a in d]) for d, p in longer.items())
    expected = total / sum(longer.values())
    assert result.mean_average_cardinality == pytest.approx(expected, abs=1e-12)


@EVERY_CASE
def test_predictions_of_every_pattern(case: Case) -> None:
    """The posterior predictive of any truth of the antecedents, seen in the data or not."""
    target, model = posterior(case), case.model()
    table = ExactSum.of(case.problem).predictive_table()
    for pattern in range(1 << case.pool_size):
        true = frozenset(a for a in range(case.pool_size) if pattern >> a & 1)
        expected = naive.predictive(model, target, true)
        result = table[(1 << case.pool_size) - 1 - pattern]
        np.testing.assert_allclose(result, expected, rtol=1e-11)


def test_small_probabilities_keep_their_digits() -> None:
    """A label that is all but impossible: no digit is lost to sums and differences."""
    labels = np.repeat([0, 1], 30)
    truths = np.random.default_rng(3).random((4, 60)) < 0.5
    truths[0] = labels == 1
    case = Case("pure", truths, labels, (1, 1, 2, 2), (1e-30, 1e-30))
    table = ExactSum.of(case.problem).predictive_table()
    target = naive.posterior(case.model())
    for pattern in (0, 1, 5, 15):
        true = frozenset(a for a in range(4) if pattern >> a & 1)
        expected = naive.predictive(case.model(), target, true)
        np.testing.assert_allclose(table[15 - pattern], expected, rtol=1e-9, atol=0)


def _reading(case: Case, antecedent_list: tuple[int, ...]) -> tuple[list[float], tuple[int, ...]]:
    """What ties go by: what the rules capture, in order, then the list itself."""
    counts = naive.label_counts(case.model(), antecedent_list)[:-1]
    return [-sum(row) for row in counts], antecedent_list


def _best(case: Case, lists: list[tuple[int, ...]]) -> tuple[int, ...]:
    values = {d: sum(log_terms(case)[d]) for d in lists}
    highest = max(values.values())
    return min((d for d in lists if values[d] > highest - 1e-9), key=lambda d: _reading(case, d))


@EVERY_CASE
def test_the_most_probable_list_is_the_best_of_all(case: Case) -> None:
    """Ties, which identical covers make, go to what captures more first."""
    expected = _best(case, list(log_terms(case)))
    assert ExactSum.of(case.problem).most_probable() == expected
    # and again, when what the sum had computed of it has been given back
    summed = ExactSum.of(case.problem)
    assert summed.most_probable() == summed.most_probable() == expected


@pytest.mark.parametrize("expected_length", [0.3, 1.0, 2.5, 4.0])
@EVERY_CASE
def test_the_point_estimate_is_the_best_typical_list(case: Case, expected_length: float) -> None:
    """Of all lists, not of some drawn ones, by plain enumeration."""
    case = dataclasses.replace(case, expected_length=expected_length)
    target = naive.posterior(case.model())
    mean = sum(p * len(d) for d, p in target.items())
    averages = {d: np.mean([case.cardinalities[a] for a in d]) for d in target if d}
    share = sum(p for d, p in target.items() if d)
    average = sum(target[d] * c for d, c in averages.items()) / share
    typical = [
        d
        for d in target
        if len(d) in (np.floor(mean), np.ceil(mean))
        and (not d or np.floor(average) - 1e-9 <= averages[d] <= np.ceil(average) + 1e-9)
    ]
    result, note = _point_estimate(case)
    if typical:
        assert note is None
        assert result == _best(case, typical)
    else:
        assert note is not None
        nearest = min(abs(len(d) - mean) for d in target)
        assert result == _best(case, [d for d in target if abs(len(d) - mean) == nearest])


def _point_estimate(case: Case) -> tuple[tuple[int, ...], str | None]:
    summed = ExactSum.of(case.problem)
    return exact_point_estimate(summed, summed.summaries(), case.problem.prior.cardinalities)


def test_a_point_estimate_that_has_to_yield() -> None:
    """Lists of one or two rules have averages of 1, 7 or 4, and the mean is between 2 and 3."""
    case = random_case("gap", 3, (1, 7), (1.0, 1.0), n=0, expected_cardinality=2.5)
    result, note = _point_estimate(case)
    assert note is not None
    assert f"the most probable list of length {len(result)}" in note


@pytest.mark.parametrize("chosen", [(0, 2), (3, 1, 0), (2,), ()])
@pytest.mark.parametrize(
    "name", ["six-antecedents", "weighted-antecedents", "two-identical-covers"]
)
def test_a_sum_over_some_antecedents_has_the_prior_of_all(
    name: str, chosen: tuple[int, ...]
) -> None:
    """Lists made of some antecedents alone, under the prior of the whole pool."""
    case = CASES[name]
    among = {d: sum(t) for d, t in log_terms(case).items() if set(d) <= set(chosen)}
    summed = ExactSum.of(case.problem, chosen)
    assert summed.log_evidence == pytest.approx(logsumexp(list(among.values())), abs=1e-9)
    assert summed.most_probable() == _best(case, list(among))
    runs = summed.draw(50, np.random.default_rng(1))
    values = [among[d] for d in lists_of(runs)]
    np.testing.assert_allclose(runs.log_posterior, values, atol=1e-9)


@EVERY_CASE
def test_draws_follow_the_posterior(case: Case) -> None:
    """Independent draws, chi-square over lists, false-alarm rate 1e-6 each."""
    runs = ExactSum.of(case.problem).draw(N_DRAWS, np.random.default_rng(5))
    drawn = [d for d, n in zip(lists_of(runs), runs.n_draws, strict=True) for _ in range(n)]
    assert len(drawn) == N_DRAWS
    assert lists_p(case, drawn) > FALSE_ALARM


@EVERY_CASE
def test_draws_carry_their_log_posterior_and_counts(case: Case) -> None:
    """Each run has its list's prior times likelihood, and the label counts of its rules."""
    model, terms = case.model(), log_terms(case)
    runs = ExactSum.of(case.problem).draw(300, np.random.default_rng(6))
    lists = lists_of(runs)
    np.testing.assert_allclose(runs.log_posterior, [sum(terms[d]) for d in lists], atol=1e-9)
    expected = [np.array(naive.label_counts(model, d)) for d in lists]
    np.testing.assert_allclose(runs.label_counts * case.unit, np.concatenate(expected))


@pytest.mark.parametrize("name", ["three-labels", "six-antecedents", "many-observations"])
def test_parts_make_no_difference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few words, subsets or table entries are looked at together."""
    problem = CASES[name].problem
    whole = ExactSum.of(problem)
    monkeypatch.setattr(exact_sum, "AT_ONCE", 3)
    monkeypatch.setattr(compiled_problem, "LONGEST_TABLE", 4)
    parts = ExactSum.of(problem)
    assert parts.log_evidence == pytest.approx(whole.log_evidence, abs=1e-10)
    np.testing.assert_allclose(parts.summaries().inclusion, whole.summaries().inclusion, rtol=1e-10)
    np.testing.assert_allclose(parts.predictive_table(), whole.predictive_table(), rtol=1e-10)
    one, other = (e.draw(500, np.random.default_rng(7)) for e in (whole, parts))
    assert lists_of(one) == lists_of(other)


def test_counts_beyond_32_bits() -> None:
    """Weights of a thousand million people: counts take twice the room, and are right."""
    light = random_case("light", 5, (1, 2, 2), (1.0, 1.0))
    heavy = dataclasses.replace(light, weights=np.full(24, 1 << 30), unit=2.0**-30)
    one, other = ExactSum.of(heavy.problem), ExactSum.of(light.problem)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-9)
    assert bytes_to_sum(3, 2, 24 << 30) - bytes_to_sum(3, 2, 24) == 8 * 2 * 4


def test_many_draws_are_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws made in parts are as many as were asked for, and follow the posterior as well."""
    monkeypatch.setattr(exact_sum, "AT_ONCE", 999)
    case = CASES["three-labels"]
    runs = ExactSum.of(case.problem).draw(N_DRAWS, np.random.default_rng(8))
    drawn = [d for d, n in zip(lists_of(runs), runs.n_draws, strict=True) for _ in range(n)]
    assert len(drawn) == N_DRAWS
    assert lists_p(case, drawn) > FALSE_ALARM


def test_a_list_that_no_antecedent_tells_apart() -> None:
    """Everything ties where there are no observations: the first of the pool, and quickly."""
    case = random_case("nobody", 1, (1,) * 12, (1.0, 1.0), n=0, expected_length=4.0)
    result = ExactSum.of(case.problem).most_probable_among(
        np.array([bin(s).count("1") == 6 for s in range(1 << 12)])
    )
    assert result == tuple(range(6))


def _sampled(case: Case, kernel: str = "auto", **settings: float) -> Sampled:
    chosen = SamplerSettings(kernel, **settings)  # type: ignore[arg-type]
    return sample(case.problem, chosen, np.random.SeedSequence(9), Progress())


def _pool_of(size: int) -> Case:
    return random_case(f"pool of {size}", 20, (1,) * size, (1.0, 1.0))


def test_small_pools_are_summed_over_by_default() -> None:
    """Up to MOST_SUMMED antecedents; the next larger pool has chains."""
    summed = _sampled(CASES["six-antecedents"])
    assert summed.convergence.independent
    assert summed.convergence.status == "converged"
    assert summed.exact is not None
    assert "exact, summed over all lists" in str(summed.convergence)
    assert "R-hat" not in summed.convergence.sentence()
    assert _sampled(_pool_of(MOST_SUMMED), n_iter=20).convergence.independent
    assert not _sampled(_pool_of(MOST_SUMMED + 1), n_iter=20).convergence.independent


@pytest.mark.parametrize(("n_iter", "n_chains"), [(800, 1), (98, 2), (1, 1)])
def test_exact_fits_need_no_draws(n_iter: int, n_chains: int) -> None:
    """However few are drawn, what is said comes from the sum: the same for any of them."""
    case = CASES["six-antecedents"]
    sampled = _sampled(case, n_iter=n_iter, n_chains=n_chains)
    assert sampled.convergence.status == "converged"
    assert sampled.convergence.sentence().startswith("The posterior is exact")
    assert "chains" not in sampled.convergence.sentence()
    assert sampled.exact is not None
    whole = ExactSum.of(case.problem)
    assert sampled.exact.summaries.log_evidence == whole.log_evidence
    assert lists_of(sampled.exact.best)[0] == whole.most_probable()


def test_a_posterior_of_one_list_is_known() -> None:
    """Where every draw is the same list there is no R-hat, and nothing to doubt."""
    labels = np.repeat([0, 1], 2000)
    case = Case("plain", (labels == 1)[None], labels, (1,), (1.0, 1.0))
    sampled = _sampled(case)
    assert {d for chain in sampled.chains for d in lists_of(chain)} == {(0,)}
    assert np.isnan(sampled.convergence.r_hat)
    assert sampled.convergence.status == "converged"


def test_what_is_too_large_to_sum_is_said() -> None:
    """kernel='exact' has a largest pool, named with what would make the pool small enough."""
    assert _sampled(_pool_of(MOST_SUMMED + 1), "exact", n_iter=20).convergence.independent
    case = _pool_of(30)
    message = rf"at most {LARGEST_SUM} antecedents.*has 30.*min_support of 0\.\d+.* leaves \d+"
    with pytest.raises(ParamError, match=message) as raised:
        _sampled(case, "exact")
    support, n_left = raised.value.args[0].rpartition("min_support of ")[2].split(" among")
    share = case.truths.mean(axis=1)
    assert int(n_left.split()[-1][:-1]) == int(np.sum(share >= float(support))) <= LARGEST_SUM


def test_memory_is_known_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little for the sum: chains by default, and for 'exact' an error that says how much."""
    case = CASES["six-antecedents"]
    needed = bytes_to_sum(6, case.n_labels, len(case.labels))
    assert _sampled(case, "exact", max_memory=needed, n_iter=20).convergence.independent
    monkeypatch.setattr(exact_fit, "ExactSum", None)  # nothing may have been summed by then
    with pytest.raises(ParamError, match=r"max_memory=.*5 antecedents would do"):
        _sampled(case, "exact", max_memory=needed - 1)
    assert not _sampled(case, max_memory=needed - 1, n_iter=20).convergence.independent
    assert largest_sum(case.problem, needed) == 6
    assert largest_sum(case.problem, 1) == 0


def test_more_draws_than_can_be_kept_are_a_chain_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each exact draw takes its own room: very many are left to chains, or refused."""
    monkeypatch.setattr(chains, "MOST_EXACT_DRAWS", 1_000)
    case = CASES["six-antecedents"]
    assert _sampled(case, n_iter=1_000, n_chains=2).convergence.independent
    assert not _sampled(case, n_iter=1_002, n_chains=2).convergence.independent
    with pytest.raises(ParamError, match=r"at most 1,000 .* n_iter=1002 asks for 1,002"):
        _sampled(case, "exact", n_iter=1_002, n_chains=2)


@pytest.mark.parametrize(("n_iter", "n_kept"), [(1, 1), (2, 1), (7, 4), (1000, 500)])
def test_as_many_are_kept_as_of_a_chain(n_iter: int, n_kept: int) -> None:
    """n_iter means for draws what it means for chains: the second half is there."""
    sampled = _sampled(CASES["three-labels"], n_iter=n_iter, n_chains=3)
    assert [int(chain.n_draws.sum()) for chain in sampled.chains] == [n_kept] * 3
    assert sampled.convergence.n_iter == n_iter


def test_draws_depend_on_the_seed_and_the_chain_alone() -> None:
    """Chain k is the same among two as among five, and unlike its neighbour."""
    few, many = (_sampled(CASES["six-antecedents"], n_chains=n, n_jobs=n) for n in (2, 5))
    for one, other in zip(few.chains, many.chains, strict=False):
        for field in dataclasses.fields(one):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))
    assert lists_of(many.chains[0]) != lists_of(many.chains[1])
