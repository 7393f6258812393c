"""Under a minimum cell no count of fewer people is told, nor follows from what is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif.disclosure.linear_attack import recovered_by_programmes
from elseif.errors import DisclosureError
from elseif.federation import SiteCounts, count_site, make_plan, read_site, save_site
from elseif.federation.federation_text import federation_text, site_report
from elseif.federation.site_lines import site_lines
from elseif.tables.federated import federation_sentences
from tests.federation.sites import SHORT, nwtco, split
from tests.federation.test_federation import federated, mixed


@pytest.mark.parametrize("cell", [2, 5, 11, 40])
def test_the_attack_finds_nothing(cell: int, tmp_path: Path) -> None:
    """An attacker who knows the totals, and which patterns anybody has at all."""
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.05)
    for exact, site in zip(
        split(plan, X, y, institution),
        split(plan, X, y, institution, min_cell=cell),
        strict=True,
    ):
        assert np.all((site.counts == 0) | (site.counts >= cell))
        read = read_site(save_site(site, tmp_path / f"{site.site} {cell}.json"), plan)
        assert read.withheld == site.withheld
        totals = exact.counts.sum(axis=0)
        places = [_place(exact.patterns, row) for row in site.patterns]
        for label, total in enumerate(totals):
            inside = np.zeros((len(places) + 1, len(exact.patterns)), dtype=bool)
            inside[np.arange(len(places)), places] = True
            inside[-1] = True
            known = np.append(site.counts[:, label], total)
            assert recovered_by_programmes(inside, known, known, float(cell)) == []
        assert any(site.withheld)  # or nothing was tried
        np.testing.assert_array_equal(site.n_shared + np.array(site.withheld), totals)


def _place(patterns: np.ndarray, row: np.ndarray) -> int:
    return int(np.flatnonzero(np.all(patterns == row, axis=1))[0])


def test_the_attack_does_find_what_subtraction_tells() -> None:
    """One small pattern withheld alone is told by a total, so another is withheld with it."""
    counts = np.array([[100, 3], [50, 20], [70, 30]])
    inside = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    array = np.array([20, 30, 53])
    assert recovered_by_programmes(inside, array, array, 5.0) == [3.0]
    X, y = mixed(300)
    plan = make_plan(X[["smoker"]], y, antecedents=[("smoker",)])
    smoker = np.array([True] * 203 + [False] * 70)
    event = np.array([1] * 3 + [0] * 200 + [1] * 30 + [0] * 40)
    site = count_site(
        plan,
        pd.DataFrame({"smoker": smoker}),
        np.where(event == 1, "yes", "no"),
        site="one",
        min_cell=5,
    )
    assert len(site.patterns) == 0  # the second pattern would have told the first
    assert site.withheld == (240, 33)
    assert counts.sum() > 0


def test_a_label_of_very_few_people_is_not_counted() -> None:
    X, y = mixed(300)
    plan = make_plan(X[["smoker"]], y, antecedents=[("smoker",)])
    event = np.arange(200) < 2
    smoker = np.arange(200) % 2 == 0
    site = count_site(
        plan, pd.DataFrame({"smoker": smoker}), np.where(event, "yes", "no"), site="one", min_cell=5
    )
    assert site.withheld[1] is None
    assert site.most_withheld[1] == 4
    assert "1 to 4 labelled yes" in " ".join(site_report(plan, site))


def test_what_is_lost_is_said_and_bounded() -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.05)
    exact = split(plan, X, y, institution)
    sites = split(plan, X, y, institution, min_cell=5)
    federation = federated(plan, sites, **SHORT)
    text = federation_text(federation)
    for site in sites:
        assert f"{site.withheld[1]:,} of {site.withheld[1] + site.n_shared[1]:,}" in text.replace(
            "\n  ", " "
        )
    assert "if withheld" in text
    rule_list = federation.model.chosen_list()
    from elseif.federation.pooled_counts import PooledCounts

    whole = site_lines(rule_list, exact, [PooledCounts.of(plan, [s]) for s in exact], 1)
    for line, truth in zip(federation.lines, whole, strict=True):
        if truth.n:  # wherever the withheld people are, the bounds hold
            assert line.low <= truth.observed.value <= line.high
    said = " ".join(federation_sentences(federation.model.federation))
    assert "withholds" in said


def test_plans_under_a_minimum_cell() -> None:
    X, y = mixed()
    X.loc[X.index[:200], "region"] = "west"
    few = X["region"].where(np.arange(len(X)) > 2, "isle")
    plan = make_plan(X.assign(region=few), y, min_cell=5, min_support=1)
    assert all("isle" not in str(a) for a in plan.antecedents)
    assert "region" in plan.notes[0]
    with pytest.raises(DisclosureError):
        make_plan(
            X[["region"]].assign(region=few), y, min_cell=5,
            antecedents=[(("region", "=", "isle"),)],
        )  # fmt: skip


def test_exact_counts_say_so() -> None:
    X, y, institution = nwtco()
    plan = make_plan(X, y, min_support=0.1)
    site = split(plan, X, y, institution)[0]
    assert "exact" in " ".join(site_report(plan, site))
    large = count_site(plan, X.iloc[[0] * 50 + [1] * 50], [0, 1] * 50, site="x", min_cell=5)
    assert "withholds nobody" in " ".join(site_report(plan, large))
    assert isinstance(large, SiteCounts)
    assert federated(plan, [large], **SHORT).model.n == 100
