"""A verdict knows the short lists that were scored before sampling, drawn or not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from elseif.progress import Progress
from elseif.sampler import exact_sum
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.convergence import is_good_enough
from elseif.sampler.list_shares import LARGEST_DEVIATION, check_scored
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.run_of_chains import RunOfChains
from elseif.sampler.short_lists import score_short_lists
from elseif.sampler.traces import Traces
from elseif.sampler.warm_starts import WarmStart, WarmStarts
from tests.sampler.scaled_modes import mode_share, scaled_two_modes

ONE_TEMPERATURE = dataclasses.replace(KERNELS["tempered"], betas=(1.0,), rungs=None)
NOTHING = np.zeros(0)


def test_deviations_of_scored_lists() -> None:
    """What was drawn says which log posterior a share stands for, and so what is missing."""
    drawn = np.array([0.3, 0.1, 0.01]), np.log([0.3, 0.1, 0.01]) - 987.0
    as_drawn = check_scored(drawn, (drawn[0][:1], drawn[1][:1]))
    assert as_drawn == pytest.approx(0, abs=1e-9)
    missed = check_scored(drawn, (np.zeros(1), drawn[1][:1]))
    assert missed > LARGEST_DEVIATION
    assert check_scored(drawn, (np.zeros(1), drawn[1][2:])) < 1
    # far better than anything that was drawn
    assert check_scored(drawn, (np.zeros(1), np.array([-900.0]))) > 10 * LARGEST_DEVIATION
    assert np.isnan(check_scored(drawn, (NOTHING, NOTHING)))


def test_shares_of_short_lists() -> None:
    """Those of all draws, and 0 for a list that nobody drew."""
    case = scaled_two_modes(1)
    settings = SamplerSettings("tempered", n_iter=2_000, n_jobs=1)
    runs = sample(case.problem, settings, np.random.SeedSequence(3), Progress()).chains
    counts: dict[tuple[int, ...], int] = {}
    for run in runs:
        for start, stop, n in zip(run.offsets[:-1], run.offsets[1:], run.n_draws, strict=True):
            antecedent_list = tuple(run.items[start:stop].tolist())
            counts[antecedent_list] = counts.get(antecedent_list, 0) + int(n)
    short = [d for d in counts if len(d) <= 2]
    assert len(short) > 2
    undrawn = next((a, b) for a in range(18) for b in range(18) if (a, b) not in counts)
    shares = Traces(runs).shares_of([*short, undrawn])
    np.testing.assert_allclose(shares[:-1], [counts[d] / 4_000 for d in short])
    assert shares[-1] == 0


def test_chains_that_all_miss_a_mode_are_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four chains of one temperature, all in the mode where they began, agree with each other.

    The other mode has more than half of the posterior. Without the scored lists and without an
    exact sum the run is accepted, whatever is looked at of its draws; either of them sees it.
    """
    case = scaled_two_modes(30)
    best = score_short_lists(case.compiled).best(100)
    starts = WarmStarts((WarmStart((0, 1), ()),) * 4, best=best)
    verdicts = []
    for known in (starts, dataclasses.replace(starts, best=None)):
        seeds = np.random.SeedSequence(8).spawn(4)
        run = RunOfChains(case.problem, ONE_TEMPERATURE, seeds, known, 1)
        run.advance(128_000, None, Progress())
        assert mode_share(run.draws) == 0
        if known.best is None:
            assert not run.assess().restricted_sum_agrees
            assert not is_good_enough(run.assess())
        with monkeypatch.context() as without_sum:
            without_sum.setattr(exact_sum, "FEW_BYTES", 0)
            verdicts.append(run.assess())
    assert [is_good_enough(result) for result in verdicts] == [False, True]
    assert not verdicts[0].shares_agree
    assert "contradict their posterior probabilities" in verdicts[0].sentence()


def test_what_was_scored_is_told() -> None:
    """In the report of convergence, as text and as HTML."""
    case = scaled_two_modes(1)
    settings = SamplerSettings("tempered", n_iter=2_000, n_jobs=1)
    result = sample(case.problem, settings, np.random.SeedSequence(3), Progress()).convergence
    expected = "Before sampling, 325 lists were scored: all of up to two rules."
    assert result.scored_first == expected
    assert expected in str(result)
    assert expected in result._repr_html_()
