"""Every list of up to two rules, scored before the chains begin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from elseif.sampler import short_lists as module
from elseif.sampler.short_lists import n_affordable, score_short_lists
from tests.sampler import naive
from tests.sampler.cases import CASES, Case


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("block_bytes", [1, module.BLOCK_BYTES])
def test_scores_are_those_of_the_reference(
    case: Case, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prior and likelihood of each list, and the best second rule, whatever the blocks."""
    monkeypatch.setattr(module, "BLOCK_BYTES", block_bytes)
    scored = score_short_lists(case.compiled)
    model, pool = case.model(), range(case.pool_size)
    assert scored.all_of_two
    assert scored.n_scored == 1 + len(pool) + len(pool) * (len(pool) - 1)
    assert set(scored.lists) >= {(), *((a,) for a in pool)}
    for d, log_prior, log_likelihood in zip(
        scored.lists, scored.log_prior, scored.log_likelihood, strict=True
    ):
        assert log_prior == pytest.approx(naive.log_prior(model, d), abs=1e-9)
        assert log_likelihood == pytest.approx(naive.log_likelihood(model, d), abs=1e-9)
    best = {d[0]: d for d in scored.lists if len(d) == 2}
    assert sorted(best) == list(pool if len(pool) > 1 else ())
    for a, d in best.items():
        values = [
            naive.log_prior(model, pair) + naive.log_likelihood(model, pair)
            for pair in itertools.product([a], pool)
            if pair[0] != pair[1]
        ]
        result = naive.log_prior(model, d) + naive.log_likelihood(model, d)
        assert result == pytest.approx(max(values), abs=1e-9)


def test_the_budget_is_known_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above it, the rules that are worth most alone are combined with all others."""
    assert n_affordable(1_000, 64, 2) == 1_000
    assert n_affordable(3_000, 64, 2) == 3_000
    assert 100 < n_affordable(30_000, 64, 2) < 3_000
    assert n_affordable(10**9, 10**6, 2) == 1
    case = CASES["three-labels"]
    monkeypatch.setattr(module, "n_affordable", lambda *_: 2)
    scored = score_short_lists(case.compiled)
    assert not scored.all_of_two
    assert scored.n_scored == 1 + case.pool_size + 2 * (case.pool_size - 1)
    model = case.model()
    alone = [naive.log_likelihood(model, (a,)) for a in range(case.pool_size)]
    firsts = {d[0] for d in scored.lists if len(d) == 2}
    assert firsts == set(np.argsort(alone)[-2:].tolist())


def test_lists_are_drawn_by_prior_and_power_of_the_likelihood() -> None:
    scored = score_short_lists(CASES["three-labels"].compiled)
    logs = scored.log_prior + 0.3 * scored.log_likelihood
    expected = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    drawn = [scored.draw(0.3, u) for u in (np.arange(2_000) + 0.5) / 2_000]
    shares = np.array([drawn.count(d) for d in scored.lists]) / len(drawn)
    assert np.abs(shares - expected).max() < 2 / len(drawn) + 1e-9
    assert scored.draw(0.3, 1.0) == scored.lists[-1]
