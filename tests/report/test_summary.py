"""Every number of the report: where it comes from, and that it is plain data."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError, ParamError, ParamTypeError
from elseif.evaluation.cross_validation import cross_validate
from elseif.fitted_model import as_model
from elseif.posterior.line_intervals import line_intervals
from elseif.report.charts import precision_recall_chart
from elseif.report.report import report_page
from elseif.report.summary import Summary, summarise
from elseif.report.wording import percent_range
from tests.report.reading import (
    classifier,
    fitted,
    fitted_to_three,
    patients,
    summary,
    three_labels_summary,
    three_outcomes,
    unsteady_summary,
)


def test_it_is_json_and_comes_back() -> None:
    plain = summary().to_dict()
    again = json.loads(json.dumps(plain, allow_nan=False))
    assert again == plain
    assert report_page(again) == report_page(summary())


def test_lines_are_those_of_the_list() -> None:
    result, rule_list = summary(), fitted().rule_list_
    assert [line.n for line in result.lines] == [rule.n for rule in rule_list]
    for line, rule in zip(result.lines, rule_list, strict=True):
        assert line.condition == rule.text
        assert line.risks[0].name == "stroke"
        assert line.risks[0].n == rule.label_counts[1]
        assert line.risks[0].probability == rule.probabilities[1]
        assert (line.risks[0].low, line.risks[0].high) == rule.interval(True)
    assert [line.head for line in result.lines][:2] == ["if", "else if"]
    assert result.lines[-1].head == "else"


def test_performance_is_out_of_fold() -> None:
    X, y = patients()
    crossed = cross_validate(classifier(), X, y, folds=3)
    measures = summary().validation
    each = [
        roc_auc_score(y[crossed.fold == f], crossed.probabilities[crossed.fold == f, 1])
        for f in range(3)
    ]
    assert measures.discrimination.fold_aucs == pytest.approx(each)
    assert measures.discrimination.auc.value == pytest.approx(np.mean(each))
    assert measures.n == 400
    assert measures.n_folds == 3
    assert summary().apparent_auc == pytest.approx(
        roc_auc_score(y, fitted().predict_proba(X)[:, 1])
    )


@pytest.mark.parametrize(
    ("support", "said"), [(0.2, "holds for 20% of the cases"), (30, "holds for 30 cases")]
)
def test_a_rare_column_is_explained_without_settings(support: float, said: str) -> None:
    """Who reads a report need not know what min_support is."""
    X = pd.DataFrame({"age": np.tile(np.arange(20.0), 10), "rare": np.arange(200) % 20 == 0})
    settings: dict[str, Any] = {
        "min_support": support,
        "n_iter": 500,
        "n_chains": 1,
        "random_state": 0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BayesianRuleListClassifier(**settings).fit(X, X["age"] > 8)
        told = summarise(model, X, X["age"] > 8, folds=2)
    reasons = {column.name: column.left_out for column in told.people.columns}
    assert reasons["rare"] == f"no condition on it {said}"


def test_mean_roc_has_the_mean_area() -> None:
    result = summary().validation.discrimination
    x, height = np.array(result.mean_roc).T
    assert np.trapezoid(height, x) == pytest.approx(result.auc.value)


def test_groups_by_line_hold_everybody() -> None:
    X, y = patients()
    rows = summary().validation.calibration.by_line
    line = fitted().rule_list_.captured_by(X)
    assert [row.n for row in rows] == np.bincount(line).tolist()
    assert [row.n_events for row in rows] == np.bincount(line, weights=y).tolist()


def test_people_by_label() -> None:
    X, y = patients()
    people = summary().people
    assert people.groups == ["all", "not stroke", "stroke"]
    assert people.n == [400, int((~y).sum()), int(y.sum())]
    columns = {column.name: column for column in people.columns}
    assert columns["age"].in_list
    assert [c.in_list for c in people.columns] == sorted(
        (c.in_list for c in people.columns), reverse=True
    )
    median = columns["age"].quartiles[2]
    assert median is not None
    told = [float(median.low), float(median.median), float(median.high)]
    assert told == X["age"][y].quantile([0.25, 0.5, 0.75]).tolist()  # as pandas and R have them
    regions = {level.name: level for level in columns["region"].levels}
    # the three people of the islands are counted, not named
    expected = X["region"].replace("islands", "1 other category").value_counts()
    assert {name: level.counts[0] for name, level in regions.items()} == expected.to_dict()
    assert regions["north"].counts[2] == ((X["region"] == "north") & y).sum()
    assert regions["north"].shares[2] == pytest.approx((X["region"][y] == "north").mean())
    missing = columns["creatinine"].levels[0]
    assert (missing.name, missing.counts[0]) == ("missing", X["creatinine"].isna().sum())
    visit = columns["visit"].quartiles[0]
    assert visit is not None
    assert visit.median == str(X["visit"].sort_values().iloc[199].date())


def test_subgroups() -> None:
    X, y = patients()
    rows = {(row.column, row.name): row for row in summary().validation.subgroups}
    female = rows["sex", "female"]
    assert female.n == (X["sex"] == "female").sum()
    assert female.n_events == y[X["sex"] == "female"].sum()
    assert rows["region", "1 other category"].small
    assert np.isnan(rows["region", "1 other category"].auc.value)


def test_subgroups_that_are_no_columns() -> None:
    X, y = patients()
    centre = np.where(np.arange(400) < 100, "A", "B")
    result = summarise(fitted(), X, y, folds=2, subgroups={"centre": centre})
    assert [(r.column, r.name, r.n) for r in result.validation.subgroups] == [
        ("centre", "A", 100),
        ("centre", "B", 300),
    ]


def test_held_out_table() -> None:
    X, y = patients()
    late = patients(200, seed=8)
    result = summarise(fitted(), X, y, folds=None, holdout=late, subgroups=["sex"])
    truth, risk = late[1], fitted().predict_proba(late[0])[:, 1]
    assert result.validation.method == "held-out table"
    assert result.validation.n == 200
    assert result.validation.discrimination.auc.value == pytest.approx(roc_auc_score(truth, risk))
    assert result.stability is None
    assert result.folds == []
    assert result.about.notes == []
    assert sum(row.n for row in result.validation.subgroups) == 200  # type: ignore[misc]
    page = report_page(result)
    assert "out of sample, held-out table" in page
    assert "fold cross-validation" not in page.split('id="data"')[0]
    assert "No cross-validation was run" in page
    overstated = float(np.mean(np.sign(risk - truth.mean()) * (risk - truth)))
    assert result.validation.calibration.overstatement.value == pytest.approx(overstated)
    side = "far from" if overstated >= 0 else "close to"
    assert f"{abs(100 * overstated):.1f} percentage points too {side} the overall share" in page


def test_held_out_table_beside_folds() -> None:
    result = summarise(fitted(), *patients(), folds=3, holdout=patients(200, seed=8))
    crossed = summary().validation.discrimination.auc
    assert result.cross_validated_auc == crossed
    assert result.stability is not None
    assert "By cross-validation on the training table it is" in report_page(result)


@pytest.mark.parametrize("event", [True, False])
def test_held_out_people_of_one_label(event: bool) -> None:
    X, y = patients(200, seed=8)
    result = summarise(fitted(), *patients(), folds=None, holdout=(X[y == event], y[y == event]))
    assert np.isnan(result.validation.discrimination.auc.value)
    page = report_page(result)
    assert "The AUC needs cases both with and without the event" in page
    assert "The calibration slope cannot be estimated" in page


def test_training_data_held_out_are_noted() -> None:
    X, y = patients()
    result = summarise(fitted(), X, y, folds=None, holdout=(X.iloc[::-1], y.iloc[::-1]))
    assert any("looks like the same data" in note for note in result.about.notes)


def test_another_table_is_noted() -> None:
    result = summarise(fitted(), *patients(300, seed=5), folds=2)
    assert any("not the one that the list was fitted to" in note for note in result.about.notes)
    assert summary().about.notes == []


def test_one_of_three_labels_is_evaluated_against_the_rest() -> None:
    X, outcome = three_outcomes()
    result = summarise(fitted_to_three(), X, outcome, folds=3, positive="none")
    assert result.other_labels == []
    assert result.about.positive == "none"
    assert [row.name for row in result.validation.by_label] == ["bleeding", "none", "stroke"]
    assert result.validation.by_label[1].auc == result.validation.discrimination.auc
    assert result.validation.n_events == (outcome == "none").sum()
    assert [risk.name for risk in result.lines[0].risks] == ["none", "bleeding", "stroke"]
    page = report_page(result)
    assert "against all other labels together" in page
    assert "Each label against all others" in page


def test_of_three_labels_all_are_evaluated_unless_one_is_chosen() -> None:
    """Every label has its own curves, calibration and subgroups; none is chosen silently."""
    X, outcome = three_outcomes()
    result = three_labels_summary()
    assert [each.label for each in result.other_labels] == ["bleeding", "none"]
    assert result.about.positive == "stroke"
    assert result.about.title == "A rule list for outcome"
    for label, measures in evaluated(result).items():
        chosen = summarise(
            fitted_to_three(), X, outcome, folds=None, holdout=(X, outcome), positive=label
        )
        assert measures.n_events == (outcome == label).sum() == chosen.validation.n_events
        short = next(row for row in measures.by_label if row.name == label)
        assert short.auc == measures.discrimination.auc
    page = report_page(result)
    for label in ("bleeding", "none", "stroke"):
        heading = f'<h3><bdi>{label}</bdi> <span class="basis">against all other labels'
        assert page.count(heading) == 5  # discrimination to subgroups
    assert page.count('<td class="label-name">') == 3 * len(result.lines)
    assert "Predicted outcome: <bdi>outcome</bdi> (<bdi>bleeding</bdi>, <bdi>none</bdi>" in page


def evaluated(result: Summary) -> dict[str, Any]:
    """The measures of each label."""
    others = {each.label: each.validation for each in result.other_labels}
    return {result.about.positive: result.validation, **others}


def test_three_labels_under_a_minimum_cell() -> None:
    result = three_labels_summary(min_cell=10)
    assert [n for n in counts_in(result.to_dict()) if n % 10] == []
    for measures in evaluated(result).values():
        histogram = measures.calibration.histogram
        assert [n for n in [*histogram.events, *histogram.others] if n % 10] == []
    report_page(result)


def test_the_histogram_holds_everybody() -> None:
    measures = summary().validation
    histogram = measures.calibration.histogram
    assert sum(histogram.events) == measures.n_events
    assert sum(histogram.others) == measures.n - measures.n_events
    assert histogram.edges[0] == 0
    assert len(histogram.edges) == len(histogram.events) + 1
    sizes = [row.n for row in measures.calibration.by_quantile]
    assert sum(sizes) == sum(histogram.events) + sum(histogram.others)


def test_weights_are_for_fitting_alone() -> None:
    X, y = patients()
    weights = np.where(y, 2.0, 1.0)
    weights[7] = 0
    heavy = classifier().fit(X, y, sample_weight=weights)
    result = summarise(heavy, X, y, folds=2, sample_weight=weights)
    assert result.about.weighted
    assert result.about.notes == []
    assert sum(line.n for line in result.lines) == weights.sum()  # type: ignore[misc]
    assert result.validation.n == 399
    assert result.people.n[0] == 399
    assert "In evaluation, every case counts once" in report_page(result)


def test_averages_over_the_posterior_are_what_is_judged() -> None:
    X, y = patients()
    averaging = classifier(predict_with="posterior").fit(X, y)
    late = patients(200, seed=8)
    result = summarise(averaging, X, y, folds=None, holdout=late)
    area = roc_auc_score(late[1], averaging.predict_proba(late[0])[:, 1])
    assert result.validation.discrimination.auc.value == pytest.approx(area)
    assert "averages over all lists" in report_page(result)
    (curve,) = result.validation.discrimination.curves
    assert len(curve.sensitivity) <= 100
    assert (curve.sensitivity[0], curve.sensitivity[-1]) == (0, 1)


@pytest.mark.parametrize("predict_with", ["point", "posterior", "map"])
def test_a_model_gives_what_its_classifier_gives(predict_with: str) -> None:
    X, y = patients()
    late = patients(150, seed=3)
    result = classifier(predict_with=predict_with).fit(X, y)
    training = {"fingerprint": "sha256:12", "date": "2026-01-01", "versions": {"elseif": "0"}}
    model = replace(as_model(result), training=training)
    ours, theirs = (summarise(m, X, y, folds=2, holdout=late) for m in (result, model))
    assert theirs.validation.discrimination.auc == ours.validation.discrimination.auc
    assert theirs.lines == ours.lines
    assert theirs.about.fingerprint == "sha256:12"
    assert "sha256:12" in report_page(theirs)


def test_a_model_without_draws_or_diagnostics() -> None:
    X, y = patients()
    model = replace(as_model(fitted()), posterior=None, convergence=None, training={})
    short = summarise(model, X, y, folds=None, holdout=patients(100, seed=2))
    assert short.posterior is None
    page = report_page(short)
    assert "has no record of convergence" in page
    assert "There are no draws of the posterior" in page


def test_a_list_without_rules() -> None:
    X, y = patients()
    alone = classifier(empty_pool="default_rule", min_support=0.999)
    constant = X.assign(age=0.0)[["age"]]
    result = summarise(alone.fit(constant, y), constant, y, folds=2)
    assert [line.head for line in result.lines] == ["always"]
    assert result.validation.discrimination.auc.value == 0.5
    assert result.posterior is None
    assert "nothing to sample" in report_page(result)


def test_the_list_of_the_report_is_among_the_good_ones() -> None:
    posterior = summary().posterior
    assert posterior is not None
    shown = [good for good in posterior.lists if good.is_shown]
    assert [good.rules for good in shown] == [
        [rule.text for rule in fitted().rule_list_.rules[:-1]]
    ]
    assert posterior.lists[0].log_posterior_below_best == 0
    assert [good.rank for good in posterior.lists[:-1]] == list(range(1, len(posterior.lists)))
    below = fitted().posterior_.distinct.log_posterior
    for good in posterior.lists:  # a list further down has its own rank, on the page too
        assert good.log_posterior_below_best is not None
        better = below > below.max() - good.log_posterior_below_best + 1e-9
        assert good.rank is not None
        assert int(better.sum()) < good.rank <= len(below)
        assert f'<li value="{good.rank}"' in report_page(summary())
    assert sum(p for _, p in posterior.lengths) == pytest.approx(1)


def test_settings_to_the_letter() -> None:
    settings = {s.name: s for s in summary().settings}
    # how a fit is run is no part of a model
    assert set(settings) == set(fitted().get_params()) - {"checkpoint", "n_shards"}
    assert (settings["max_cardinality"].value, settings["max_cardinality"].is_default) == (
        "1",
        False,
    )
    assert settings["min_support"].is_default


def test_date_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    X, y = patients()
    result = summarise(fitted(), X, y, folds=None, holdout=patients(100, seed=1))
    assert result.about.created == "1970-01-01 00:00 UTC"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"folds": None}, ParamError, "needs observations that the list was not learnt from"),
        ({"fold": 3}, ParamTypeError, "no option 'fold'"),
        ({"subgroups": "sex"}, ParamTypeError, r"such as \['sex'\]"),
        ({"subgroups": ["sx"]}, ParamError, "no column 'sx'"),
        ({"subgroups": {"c": [1]}}, DataError, "has 1 values"),
        ({"positive": "yes"}, ParamError, "'yes' is not a label"),
        ({"min_cell": 1}, ParamError, "2 or more"),
        ({"thresholds": [1.5]}, ParamError, "between 0 and 1"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        summarise(fitted(), *patients(), **options)


def test_what_is_not_fitted_cannot_be_reported() -> None:
    with pytest.raises(ParamTypeError, match="Call fit first"):
        summarise(classifier(), *patients())


def test_other_labels_cannot_be_reported() -> None:
    X, y = patients()
    with pytest.raises(DataError, match="those of the list are"):
        summarise(fitted(), X, y.map({True: "a", False: "b"}), folds=2)
    with pytest.raises(DataError, match="X has 399 rows, y has 400 labels"):
        summarise(fitted(), X[:-1], y, folds=None, holdout=(X, y))


# ------------------------------------------------------------------------ small cells


# parts of a summary that hold no count of people
ABOUT_LISTS = ("posterior", "convergence", "stability", "settings", "tripod")
PEOPLE = ("n", "n_events", "n_without_label", "counts", "n_treated", "n_true_positive",
          "n_false_positive", "n_train", "n_test", "events", "others")  # fmt: skip
# whole numbers in the other parts that count no people
NOT_PEOPLE = {
    "format", "n_antecedents", "random_state", "min_cell", "rounded_to", "n_columns_left_out",
    "n_folds",
}  # fmt: skip


def numbers_in(value: Any, key: str = "") -> Iterator[tuple[str, float]]:
    """Every number in plain data, with the key that it stands under."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from numbers_in(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from numbers_in(part, key)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield key, value


def counts_in(summary: dict[str, Any]) -> list[float]:
    """Every count of people in a summary's plain data; weights may make it a fraction."""
    about_people = {k: v for k, v in summary.items() if k not in ABOUT_LISTS}
    values = list(numbers_in(about_people))
    unknown = {key for key, n in values if isinstance(n, int)} - {*PEOPLE, *NOT_PEOPLE}
    assert unknown == set(), "say in PEOPLE or NOT_PEOPLE whether these count people"
    return [n for key, n in values if key in PEOPLE]


def test_counts_are_rounded_everywhere() -> None:
    exact = counts_in(summary().to_dict())
    assert {1, 2, 3} & set(exact)  # there is something to round
    result = summary(min_cell=10)
    counts = counts_in(result.to_dict())
    assert len(counts) > 100
    assert [n for n in counts if n % 10] == []
    page = report_page(result)
    assert "Counts are rounded to multiples of 10." in page
    assert "Counts are rounded" not in report_page(summary())


def test_rounded_numbers_are_near_the_true_ones() -> None:
    """A set of people has its true number by label, rounded; measures are those of rounding."""
    result, exact = summary(min_cell=10), summary()
    for line, true in zip(result.lines, exact.lines, strict=True):
        for risk, of_exact in zip(line.risks, true.risks, strict=True):
            assert risk.n == 10 * np.floor(of_exact.n / 10 + 0.5)
        assert line.n == sum(risk.n for risk in line.risks)
        events = line.risks[0].n
        assert line.risks[0].probability == pytest.approx((events + 1) / (line.n + 2))
    assert abs(result.validation.discrimination.auc.value - exact.apparent_auc) < 0.15
    assert abs(result.apparent_auc - exact.apparent_auc) < 0.05
    assert result.validation.discrimination.fold_aucs == []
    assert np.isnan(result.stability.mean_risk_difference) if result.stability else False


def test_a_coarse_cell_leaves_a_page() -> None:
    """Lines, groups and folds may round to nobody, and everything is still drawn."""
    result = summary(min_cell=60)
    assert any(line.n == 0 for line in result.lines)
    assert all(np.isfinite(risk.probability) for line in result.lines for risk in line.risks)
    page = report_page(result)
    assert "nan" not in page.lower().replace("finance", "")
    assert isinstance(result, Summary)


def test_columns_left_out_tell_no_values() -> None:
    X, y = patients()
    X["patient"] = [f"P{i:05}" for i in range(len(X))]
    with pytest.warns(UserWarning, match="looks like an identifier"):
        clf = classifier().fit(X, y)
    exact = summarise(clf, X, y, folds=2).people.columns
    numbered = next(c for c in exact if c.name == "patient")
    assert numbered.levels == [] == numbered.quartiles  # with no minimum cell either
    assert numbered.left_out == "looks like an identifier (400 distinct values in 400 rows)"
    result = summarise(clf, X, y, folds=2, min_cell=10)
    column = next(c for c in result.people.columns if c.name == "patient")
    assert column.levels == [] == column.quartiles
    assert "P00" not in report_page(result)


def test_rare_levels_are_taken_together() -> None:
    result = summary(min_cell=10)
    region = next(c for c in result.people.columns if c.name == "region")
    assert [level.name for level in region.levels] == ["north", "south", "west", "other"]
    groups = [row.name for row in result.validation.subgroups if row.column == "region"]
    assert groups == ["north", "south", "west", "other"]


def test_quartiles_are_told_of_enough_people_and_in_few_digits() -> None:
    result = summary(min_cell=80)
    age = next(c for c in result.people.columns if c.name == "age")
    assert age.quartiles[0] is not None
    assert age.quartiles[2] is None  # 100 people with a stroke are told as 80, one step
    visit = next(c for c in summary(min_cell=10).people.columns if c.name == "visit")
    assert visit.quartiles[0] is not None
    assert len(visit.quartiles[0].median) == len("2021-03")


@pytest.mark.parametrize("kind", ["holdout", "both"])
def test_held_out_people_are_rounded(kind: str) -> None:
    X, y = patients()
    other = patients(150, seed=3)
    folds = 2 if kind == "both" else None
    result = summarise(fitted(), X, y, folds=folds, holdout=other, min_cell=10)
    assert result.validation.n % 10 == 0
    assert abs(result.validation.n - 150) <= 10
    assert (result.cross_validated_auc is None) == (kind == "holdout")
    report_page(result)


def test_averages_over_the_posterior_cannot_be_disclosed() -> None:
    X, y = patients()
    clf = classifier(predict_with="posterior").fit(X, y)
    with pytest.raises(
        ParamError, match="with min_cell use predict_with='point', 'map' or 'projected'"
    ):
        summarise(clf, X, y, folds=2, min_cell=10)


def test_too_few_people() -> None:
    X, y = patients()
    with pytest.raises(DataError, match="too few people for min_cell=1000"):
        summarise(fitted(), X, y, folds=2, min_cell=1000)


def test_another_table_is_rounded_apart_from_the_list() -> None:
    """The list's own counts are of people who are not at hand: rounded on their own."""
    X, y = patients(300, seed=8)
    result = summarise(fitted(), X, y, folds=2, min_cell=10)
    assert any("not the one that the list was fitted to" in note for note in result.about.notes)
    own = [10 * np.floor(rule.label_counts[1] / 10 + 0.5) for rule in fitted().rule_list_]
    assert [line.risks[0].n for line in result.lines] == own
    report_page(result)


def test_weighted_people_are_rounded() -> None:
    X, y = patients()
    weights = np.resize([1.0, 2.0, 0.5], len(y))
    clf = classifier().fit(X, y, sample_weight=weights)
    result = summarise(clf, X, y, sample_weight=weights, folds=2, min_cell=10)
    assert [n for n in counts_in(result.to_dict()) if n % 10] == []
    assert abs(sum(line.n for line in result.lines) - weights.sum()) <= 50
    assert abs(result.about.n - 400) <= 10


# ------------------------------------------------------ convergence and other lists


def test_means_and_errors_of_convergence_are_left_out_under_a_minimum_cell() -> None:
    """Neither in numbers nor in words; without a minimum cell they are in both."""
    for min_cell in (None, 5):
        content = unsteady_summary(min_cell=min_cell).to_dict()
        quantities = content["convergence"]["quantities"]
        assert len(quantities) > 3
        for name in ("mean", "mcse"):
            assert all(q[name] is None for q in quantities) == (min_cell is not None)
        page = report_page(content)
        assert ("percentage points" in str(content["convergence"]["rows"])) == (min_cell is None)
        assert ("standard error up to" in page) == (min_cell is None)


def test_lines_have_an_interval_over_all_lists() -> None:
    """Of every label and line; absent under a minimum cell, and of a model without its draws."""
    X, y = patients()
    expected = line_intervals(
        fitted().posterior_, fitted().rule_list_, fitted().model_.read(X), 0.95
    )
    content = summary().to_dict()
    for line, ends in zip(content["lines"], expected, strict=True):
        intervals = [[risk["low_over_lists"], risk["high_over_lists"]] for risk in line["risks"]]
        np.testing.assert_allclose(intervals, ends[::-1], rtol=0, atol=1e-12)
    page = report_page(content)
    assert "Over all lists" in page
    first = content["lines"][0]["risks"][0]
    both = percent_range(first["low_over_lists"], first["high_over_lists"], 0)
    assert f"over all lists </span>{both}</td>" in page
    assert "Two things are uncertain" in page
    assert "their risks are too extreme for new cases" in page
    model = replace(fitted().model_, posterior=None)
    for without in (summary(min_cell=5), summarise(model, X, y, folds=2)):
        risks = [risk for line in without.lines for risk in line.risks]
        assert all(risk.low_over_lists is None for risk in risks)
        assert "ver all lists" not in report_page(without)


def test_a_rare_event_has_thresholds_and_an_axis_of_its_own() -> None:
    """Hardly a risk reaches the usual 5 %; precisions would lie on an axis that ends at 100 %."""
    rows = np.arange(6_000)
    X = pd.DataFrame({"old": rows % 4 == 0, "other": rows % 3 == 0})
    y = ((rows % 199 == 0) | ((rows % 4 == 0) & (rows % 56 == 0))).astype(int)
    clf = BayesianRuleListClassifier(random_state=0, expected_length=1)
    made = summarise(clf.fit(X, y), X, y, folds=2)
    thresholds = [row.threshold for row in made.validation.thresholds]
    assert thresholds == [0.005, 0.01, 0.02, 0.03, 0.05]
    chart = str(precision_recall_chart(made.to_dict()["validation"]["discrimination"], ""))
    assert chart.count(">100%<") == 1  # of recall alone
    frequent = summary().to_dict()["validation"]["discrimination"]
    assert str(precision_recall_chart(frequent, "")).count(">100%<") == 2
