"""Sample sizes against the published programs.

The golden values are those of the Python programs pmsampsize 0.1.0 and pmvalsampsize 0.2.1 by
Ensor, Martin and Riley (PyPI), run with seed 123456. Of the first, 662 people with 116 events is
also the example of its documentation. pmvalsampsize simulates a million people, and finds standard
errors in steps of 0.0001, hence the tolerances.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from elseif import BayesianRuleListClassifier
from elseif.cli.main import run
from elseif.datasets import load_titanic
from elseif.errors import ParamError
from elseif.evaluation import (
    cox_snell_r2,
    development_sample_size,
    sample_size,
    sample_size_to_validate,
    validation_sample_size,
)
from elseif.evaluation.sample_size import normal_risks
from elseif.evaluation.sample_size_validation import c_statistic_of
from elseif.export import save_model

DEVELOPMENT = [  # prevalence, parameters, Cox-Snell R2, criteria 1 to 3
    (0.174, 24, 0.288, [623, 662, 221]),
    (0.05, 30, 0.05, [5249, 1770, 73]),
    (0.5, 10, 0.2, [398, 234, 385]),
    (0.01, 15, 0.02, [6675, 2796, 16]),
    (0.3, 40, 0.1, [3397, 1056, 323]),
    (0.023, 35, 0.051, [6000, 3450, 35]),
]
R2 = [(0.81, 0.77, 0.21116), (0.7, 0.1, 0.04680), (0.85, 0.02, 0.03980), (0.6, 0.4, 0.02972)]
VALIDATION = [  # prevalence, C statistic, options, criteria 1 to 3 (and 4)
    (0.018, 0.8, {"lp_normal": (-5, 2.5)}, [20975, 4544, 4252]),
    (0.018, 0.8, {"lp_beta": (0.5, 0.5)}, [20975, 1644, 4252]),
    (0.018, 0.8, {}, [20975, 17080, 4252]),
    (
        0.3, 0.7,
        {"lp_normal": (-1, 1), "oe_width": 0.4, "slope_width": 0.3, "c_width": 0.05},
        [227, 1339, 1976],
    ),
    (0.1, 0.75, {"lp_normal": (-2.5, 1.2), "oe": 1.2}, [4983, 4154, 1008]),
    (0.1, 0.75, {"lp_normal": (-2.5, 1.2), "threshold": 0.1}, [3461, 4154, 1008, 1305]),
]  # fmt: skip


@pytest.mark.parametrize(("prevalence", "parameters", "r2", "expected"), DEVELOPMENT)
def test_development(prevalence: float, parameters: int, r2: float, expected: list[int]) -> None:
    size = development_sample_size(prevalence, parameters, r2=r2)
    assert [criterion.n for criterion in size.criteria] == expected
    assert size.n == max(expected)


def test_the_published_example() -> None:
    size = development_sample_size(0.174, 24, r2=0.288)
    assert (size.n, size.n_events) == (662, 116)


@pytest.mark.parametrize(("c", "prevalence", "expected"), R2)
def test_r2_from_the_c_statistic(c: float, prevalence: float, expected: float) -> None:
    assert cox_snell_r2(c, prevalence) == pytest.approx(expected, rel=0.01)
    risk, share = normal_risks(c, prevalence)
    assert share @ risk == pytest.approx(prevalence, rel=1e-4)
    assert c_statistic_of(risk, share) == pytest.approx(c, abs=1e-4)
    by_c = development_sample_size(prevalence, 10, c_statistic=c)
    assert by_c == development_sample_size(prevalence, 10, r2=cox_snell_r2(c, prevalence))


@pytest.mark.parametrize(("c", "prevalence"), [(0.81, 0.77), (0.7, 0.1), (0.85, 0.02), (0.6, 0.4)])
def test_the_integral_converges(
    c: float, prevalence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times the nodes leave less than a third of the error in the mean, time and again."""
    errors = []
    for n in (1_250, 5_000, 20_000, 80_000):
        monkeypatch.setattr(sample_size, "N_QUANTILES", n)
        risk, share = normal_risks(c, prevalence)
        errors.append(abs(share @ risk - prevalence))
    assert all(later < earlier / 3 for earlier, later in pairwise(errors))


@pytest.mark.parametrize(("prevalence", "c", "options", "expected"), VALIDATION)
def test_validation(
    prevalence: float, c: float, options: dict[str, object], expected: list[int]
) -> None:
    result = [each.n for each in validation_sample_size(prevalence, c, **options).criteria]
    assert result[2] == expected[2]
    assert result == pytest.approx(expected, rel=0.01)


def test_the_interval_has_the_width_by_simulation() -> None:
    """At the size found, the calibration slope of simulated people has the interval asked for."""
    risk = np.array([0.02, 0.1, 0.3, 0.6])
    share = np.array([0.4, 0.3, 0.2, 0.1])
    result = validation_sample_size(
        float(share @ risk), c_statistic_of(risk, share), risks=risk, shares=share, slope_width=0.4
    )
    n = result.criteria[1].n
    from elseif.evaluation import recalibration

    rng = np.random.default_rng(0)
    widths = []
    for _ in range(20):
        drawn = rng.choice(risk, n, p=share)
        slope = recalibration(rng.random(n) < drawn, drawn).slope
        widths.append(slope.high - slope.low)
    assert np.mean(widths) == pytest.approx(0.4, rel=0.05)


def test_of_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = load_titanic()
    clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    result = sample_size_to_validate(clf, threshold=0.4)
    assert len(result.criteria) == 4
    assert result.prevalence == pytest.approx((y == "survived").mean(), abs=0.005)
    save_model(clf, tmp_path / "model.json")
    model = str(tmp_path / "model.json")
    assert run(["samplesize", "validate", "--model", model, "--threshold", "0.4"]) == 0
    assert f"{result.n:,} people" in capsys.readouterr().out
    assert run(["samplesize", "validate", "--model", model, "--prevalence", "0.4"]) == 2
    develop = ["samplesize", "develop", "--prevalence", "0.174", "--parameters", "24"]
    assert run([*develop, "--r2", "0.288"]) == 0
    assert "662 people, with about 116 events" in capsys.readouterr().out
    assert run(develop) == 2
    assert "either --r2 or --c-statistic" in capsys.readouterr().err
    normal = ["samplesize", "validate", "--prevalence", "0.1", "--c-statistic", "0.75"]
    assert run([*normal, "--lp-normal=-2.5,1.2"]) == 0
    assert run([*normal, "--lp-normal", "much"]) == 2
    assert run(["samplesize", "validate"]) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prevalence": 0}, "prevalence"),
        ({"c_statistic": 1.0}, "c_statistic"),
        ({"oe_width": 0}, "oe_width"),
        ({"c_width": 1e-9}, "no study is large enough"),
        ({"lp_normal": (0, 1), "lp_beta": (1, 1)}, "one of"),
        ({"risks": [0.1]}, "go together"),
        ({"risks": [0.1, 1.2], "shares": [1, 1]}, "between 0 and 1"),
        ({"risks": [0.1, 0.1], "shares": [1, 1]}, "no calibration slope"),
        ({"sensitivity": 0.5}, "go with threshold"),
        ({"sensitivity": 0.5, "threshold": 0.1}, "go together"),
        ({"sensitivity": 0.5, "specificity": 2, "threshold": 0.1}, "specificity"),
    ],
)
def test_impossible_studies(options: dict[str, object], words: str) -> None:
    with pytest.raises(ParamError, match=words):
        validation_sample_size(**{"prevalence": 0.1, "c_statistic": 0.75, **options})


def test_impossible_models() -> None:
    with pytest.raises(ParamError, match="is below"):
        development_sample_size(0.01, 10, r2=0.5)
    with pytest.raises(ParamError, match=r"above 0\.5"):
        development_sample_size(0.1, 10, c_statistic=0.5)
    with pytest.raises(ParamError, match="shrinkage"):
        development_sample_size(0.5, 10, r2=0.6, shrinkage=0.5)
    with pytest.raises(ParamError, match="parameters"):
        development_sample_size(0.5, 0, r2=0.1)
    given = validation_sample_size(0.1, 0.75, threshold=0.1, sensitivity=0.6, specificity=0.8)
    assert len(given.criteria) == 4


DEVELOP = ["develop", "--prevalence", "0.174", "--parameters", "24"]
VALIDATE = ["validate", "--prevalence", "0.1", "--c-statistic", "0.75"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*DEVELOP, "--c-statistic", "0.4"], "--c-statistic is 0.4; it must be above 0.5"),
        ([*DEVELOP, "--r2", "0.9"], "--r2 is 0.9; at a prevalence of 0.174"),
        ([*DEVELOP, "--r2", "0.2", "--shrinkage", "0.1"], "--shrinkage is 0.1; it must be above"),
        (["develop", "--prevalence", "2", "--parameters", "9", "--r2", "0.1"], "--prevalence is 2"),
        ([*VALIDATE, "--oe-width", "0"], "--oe-width is 0.0; it must be finite and above 0"),
        ([*VALIDATE, "--net-benefit-width", "0", "--threshold", "0.1"], "--net-benefit-width is"),
        ([*VALIDATE, "--threshold", "7"], "--threshold is 7.0"),
        ([*VALIDATE, "--lp-normal=0,-1"], "standard deviation of --lp-normal is -1"),
        ([*VALIDATE, "--lp-normal=nan,1"], "mean of --lp-normal is nan"),
        ([*VALIDATE, "--lp-beta=0,1"], "--lp-beta is 0"),
        ([*VALIDATE, "--lp-beta=2,1", "--lp-normal=0,1"], "--lp-normal or --lp-beta, not both"),
        # options of the other task, or of one that was not asked for, are not ignored
        ([*DEVELOP, "--r2", "0.1", "--threshold", "0.1"], "--threshold is an option of samplesize"),
        ([*DEVELOP, "--r2", "0.1", "--model", "m.json"], "--model is an option of samplesize"),
        ([*DEVELOP, "--r2", "0.1", "--oe-width", "0.2"], "--oe-width is an option of samplesize"),
        ([*VALIDATE, "--parameters", "4"], "--parameters is an option of samplesize develop"),
        ([*VALIDATE, "--r2", "0.4"], "--r2 is an option of samplesize develop"),
        ([*VALIDATE, "--shrinkage", "0.9"], "--shrinkage is an option of samplesize develop"),
        ([*VALIDATE, "--net-benefit-width", "0.2"], "--net-benefit-width needs --threshold"),
    ],
)  # fmt: skip
def test_refusals_name_the_options(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["samplesize", *arguments]) == 2
    assert said in capsys.readouterr().err
