"""The sum over all lists of a small pool, and draws from it, against the plain enumeration."""

import dataclasses

import numpy as np
import pytest
from scipy.special import logsumexp

from elseif.errors import ParamError
from elseif.progress import Progress
from elseif.sampler import chains, enumeration
from elseif.sampler.chains import LARGEST_SUM, MOST_SUMMED, Sampled, SamplerSettings, sample
from elseif.sampler.enumeration import Enumeration
from tests.sampler import naive
from tests.sampler.cases import CASES, Case, random_case
from tests.sampler.checks import FALSE_ALARM, lists_p
from tests.sampler.variants import lists_of, log_terms

N_DRAWS = 20_000


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_evidence_is_the_plain_sum(case: Case) -> None:
    """log p(y | x) is that of the reference, list by list."""
    found = Enumeration(case.problem).log_evidence
    assert found == pytest.approx(logsumexp([sum(t) for t in log_terms(case).values()]), abs=1e-9)


@pytest.mark.parametrize("expected_cardinality", [1e-200, 1e200])
def test_cardinalities_of_next_to_no_mass(expected_cardinality: float) -> None:
    """One too improbable for a float is still what is left: the prior of all lists sums to 1."""
    case = dataclasses.replace(CASES["no-observations"], expected_cardinality=expected_cardinality)
    assert Enumeration(case.problem).log_evidence == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_draws_follow_the_posterior(case: Case) -> None:
    """Independent draws, chi-square over lists, false-alarm rate 1e-6 each."""
    runs = Enumeration(case.problem).draw(N_DRAWS, np.random.default_rng(5))
    drawn = [d for d, n in zip(lists_of(runs), runs.n_draws, strict=True) for _ in range(n)]
    assert len(drawn) == N_DRAWS
    assert lists_p(case, drawn) > FALSE_ALARM


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_draws_carry_their_log_posterior_and_counts(case: Case) -> None:
    """Each run has its list's prior times likelihood, and the label counts of its rules."""
    model, terms = case.model(), log_terms(case)
    runs = Enumeration(case.problem).draw(300, np.random.default_rng(6))
    lists = lists_of(runs)
    np.testing.assert_allclose(runs.log_posterior, [sum(terms[d]) for d in lists], atol=1e-9)
    expected = [np.array(naive.label_counts(model, d)) for d in lists]
    np.testing.assert_allclose(runs.label_counts * case.unit, np.concatenate(expected))


@pytest.mark.parametrize("name", ["three-labels", "six-antecedents", "many-observations"])
def test_parts_make_no_difference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few words, subsets or table entries are looked at together."""
    problem = CASES[name].problem
    whole = Enumeration(problem)
    monkeypatch.setattr(enumeration, "WORDS_AT_ONCE", 3)
    monkeypatch.setattr(enumeration, "SUBSETS_AT_ONCE", 2)
    monkeypatch.setattr(enumeration, "LONGEST_TABLE", 4)
    parts = Enumeration(problem)
    assert parts.log_evidence == pytest.approx(whole.log_evidence, abs=1e-10)
    one, other = (e.draw(500, np.random.default_rng(7)) for e in (whole, parts))
    assert lists_of(one) == lists_of(other)


def test_many_draws_are_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws made in parts are as many as were asked for, and follow the posterior as well."""
    monkeypatch.setattr(enumeration, "DRAWS_AT_ONCE", 999)
    case = CASES["three-labels"]
    runs = Enumeration(case.problem).draw(N_DRAWS, np.random.default_rng(8))
    drawn = [d for d, n in zip(lists_of(runs), runs.n_draws, strict=True) for _ in range(n)]
    assert len(drawn) == N_DRAWS
    assert lists_p(case, drawn) > FALSE_ALARM


def _sampled(case: Case, kernel: str = "auto", **settings: int) -> Sampled:
    chosen = SamplerSettings(kernel, **settings)  # type: ignore[arg-type]
    return sample(case.problem, chosen, np.random.SeedSequence(9), Progress())


def _pool_of(size: int) -> Case:
    return random_case(f"pool of {size}", 20, (1,) * size, (1.0, 1.0))


def test_small_pools_are_summed_over_by_default() -> None:
    """Up to MOST_SUMMED antecedents; the next larger pool has chains."""
    summed = _sampled(CASES["six-antecedents"])
    assert summed.convergence.independent
    assert summed.convergence.status == "converged"
    assert "independent draws of the exact posterior" in str(summed.convergence)
    assert "independent draws of the exact posterior" in summed.convergence.sentence()
    assert _sampled(_pool_of(MOST_SUMMED), n_iter=20).convergence.independent
    assert not _sampled(_pool_of(MOST_SUMMED + 1), n_iter=20).convergence.independent


@pytest.mark.parametrize(
    ("n_iter", "n_chains", "status"),
    [(800, 1, "converged"), (798, 1, "warn"), (200, 1, "warn"), (98, 2, "not converged")],
)
def test_exact_draws_are_judged_by_their_number(n_iter: int, n_chains: int, status: str) -> None:
    """No R-hat between chains is needed, and no chance of a short run makes them disagree."""
    case = CASES["six-antecedents"]
    found = _sampled(case, n_iter=n_iter, n_chains=n_chains).convergence
    assert found.status == status
    assert found.sentence().startswith("All lists were weighed")
    assert "chains" not in found.sentence()


def test_a_posterior_of_one_list_is_known() -> None:
    """Where every draw is the same list there is no R-hat, and nothing to doubt."""
    labels = np.repeat([0, 1], 2000)
    case = Case("plain", (labels == 1)[None], labels, (1,), (1.0, 1.0))
    sampled = _sampled(case)
    assert {d for chain in sampled.chains for d in lists_of(chain)} == {(0,)}
    assert np.isnan(sampled.convergence.r_hat)
    assert sampled.convergence.status == "converged"


def test_what_is_too_large_to_sum_is_said() -> None:
    """kernel='exact' has a largest pool, and names it."""
    assert _sampled(_pool_of(MOST_SUMMED + 1), "exact", n_iter=20).convergence.independent
    with pytest.raises(ParamError, match=rf"at most {LARGEST_SUM} antecedents.*has {30}"):
        _sampled(_pool_of(30), "exact")


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
