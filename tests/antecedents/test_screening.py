"""Pools above max_antecedents are screened by evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln

from elseif.antecedents.evidence import evidence_of, one_rule_gains
from elseif.antecedents.mining import Mined, MiningSettings, mine
from elseif.antecedents.sharded_mining import mine_on_shards
from elseif.antecedents.strongest_conditions import join_the_strongest
from elseif.bits.counting import conjunction_counts
from elseif.bits.packed_mask import stack_words
from elseif.errors import MiningError
from elseif.model.likelihood import log_likelihood
from elseif.shards.shard_rows import ShardRows
from elseif.shards.shards import Shards
from tests.antecedents.test_mining_options import prepared
from tests.shards.parts import ShardHere, keys_of
from tests.tables.fitting import assert_same, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def pool(X: Any, y: Any, weights: Any = None, **asked: Any) -> Mined:
    return mine(*prepared(X, y, weights), MiningSettings(**asked))


def wide(n_rows: int = 600, n_columns: int = 30, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that are all noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n_rows, n_columns)) < 0.5)
    X.columns = [f"f{i}" for i in range(n_columns)]
    return X, rng.integers(0, 2, n_rows)


def test_the_gain_is_the_log_bayes_factor_of_a_list_of_one_rule() -> None:
    X, y = random_frame(200, 4, n_labels=3)
    antecedents = pool(X, y)
    pseudocounts = np.array([0.5, 1.0, 2.0])
    counts = conjunction_counts(
        antecedents.covers,
        np.arange(len(antecedents.pool), dtype=np.int32)[:, None],
        antecedents.layout,
    )
    gains = one_rule_gains(evidence_of(antecedents.layout, pseudocounts), counts)
    totals = antecedents.layout.label_totals
    for gain, own in zip(gains, counts, strict=True):
        with_rule = log_likelihood(np.stack([own, totals - own]), pseudocounts)
        np.testing.assert_allclose(gain, with_rule - log_likelihood(totals[None], pseudocounts))


def test_single_conditions_and_the_strongest_conjunction_stay() -> None:
    X, y = wide()
    y = np.where(X["f3"] & X["f17"], 1, y)
    antecedents = pool(X, y, max_antecedents=100)
    assert len(antecedents.pool) == 100
    assert set(X.columns) <= set(antecedents.pool.names)
    assert "f17 and f3" in antecedents.pool.names or "f3 and f17" in antecedents.pool.names


def test_an_interaction_of_conditions_that_tell_nothing_alone_stays() -> None:
    """Labels that are the parity of two columns: neither tells anything, their pair all."""
    X, _ = wide(800)
    X["g"] = ~X["f5"]
    X["h"] = ~X["f6"]
    y = (X["f5"] ^ X["f6"]).to_numpy().astype(int)
    names = set(pool(X, y, max_antecedents=80).pool.names)
    for pair in ({"f5", "f6"}, {"f5", "h"}, {"f6", "g"}, {"g", "h"}):
        assert any(set(name.split(" and ")) == pair for name in names), pair


def test_a_rule_that_only_shows_below_another_stays() -> None:
    """The second rule says the opposite among those whom the first captures."""
    rng = np.random.default_rng(1)
    X, _ = wide(2000, 40)
    first, second = X["f0"].to_numpy(), X["f1"].to_numpy()
    risk = np.where(first, np.where(second, 0.95, 0.55), np.where(second, 0.1, 0.5))
    y = (rng.random(2000) < risk).astype(int)
    antecedents = pool(X, y, max_antecedents=60, max_cardinality=2)
    assert {"f0", "f1"} <= set(antecedents.pool.names)
    assert any(set(name.split(" and ")) == {"f0", "f1"} for name in antecedents.pool.names)


def test_conditions_compete_where_they_are_too_many_themselves() -> None:
    X, y = wide()
    y = np.where(X["f3"], 1, y)
    antecedents = pool(X, y, max_antecedents=20)
    assert len(antecedents.pool) == 20
    assert "f3" in antecedents.pool.names
    clf = quick(max_antecedents=20).fit(X, y)
    assert clf.pool_.names == antecedents.pool.names
    used = {condition.column for condition in clf.pool_.conditions}
    assert used == {name for a in clf.pool_ for name in a.columns} < set(X.columns)
    assert set(clf.fit_report_.excluded) == set(X.columns) - used


def test_screening_does_not_depend_on_the_order_of_rows_and_columns() -> None:
    X, y = wide(300, 12)
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    asked = {"max_antecedents": 40, "max_correlation": 0.9}
    shuffled = X.iloc[rows, columns].reset_index(drop=True)
    assert_same(quick(**asked).fit(X, y), quick(**asked).fit(shuffled, y[rows]))


def test_a_weight_of_two_is_a_row_that_is_there_twice() -> None:
    X, y = wide(200, 12)
    weights = np.random.default_rng(3).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    asked: dict[str, Any] = {"max_antecedents": 40, "max_correlation": 0.9, "min_support": 0.1}
    weighted = pool(X, y, weights, **asked)
    plain = pool(X.iloc[repeated].reset_index(drop=True), y[repeated], **asked)
    assert weighted.pool.names == plain.pool.names
    assert weighted.left_out == plain.left_out


def test_the_posterior_is_that_of_the_pool_that_is_kept() -> None:
    """A screened fit is the fit of the kept antecedents, draw for draw."""
    X, y = wide(300, 12)
    screened = quick(max_antecedents=30).fit(X, y)
    given = quick(antecedents=[tuple(c.column for c in a) for a in screened.pool_]).fit(X, y)
    assert screened.pool_.names == given.pool_.names
    np.testing.assert_array_equal(screened.posterior_.log_posterior, given.posterior_.log_posterior)


def test_three_labels_and_own_pseudocounts() -> None:
    X, y = wide(400, 14)
    labels = np.array(["a", "b", "c"])[y + (X["f2"] & X["f4"]).to_numpy()]
    clf = quick(max_antecedents=30, pseudocounts={"a": 0.5, "b": 1, "c": 3}).fit(X, labels)
    assert len(clf.pool_) == 30
    assert any({"f2", "f4"} == set(a.columns) for a in clf.pool_)


def test_gamma_functions_are_not_looked_up_in_a_table_that_is_empty() -> None:
    """Evidence has no table of logarithms; what it computes is the same."""
    layout = prepared(*random_frame(50, 2))[1]
    evidence = evidence_of(layout, np.ones(2), np.array([30, 20]))
    (gain,) = one_rule_gains(evidence, np.array([[10, 5]]))

    def term(a: int, b: int) -> float:
        return float(gammaln(a + 1) + gammaln(b + 1) - gammaln(a + b + 2))

    np.testing.assert_allclose(gain, term(10, 5) + term(20, 15) - term(30, 20))


def test_pairs_of_the_strongest_conditions_where_all_pairs_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every condition can be used alone, and those that tell most can be joined."""
    X, y = wide()
    y = np.where(X["f3"] & X["f17"], 1, y)
    monkeypatch.setattr("elseif.antecedents.mining.MOST_MINED", 200)
    antecedents = pool(X, y, max_antecedents=200)
    members = antecedents.pool.members
    assert set(X.columns) <= set(antecedents.pool.names)
    assert {"f17 and f3", "f3 and f17"} & set(antecedents.pool.names)
    in_pairs = np.unique(members[members[:, 1] >= 0])
    n_pairs = int((members[:, 1] >= 0).sum())
    assert 30 + n_pairs <= 200
    assert n_pairs == len(in_pairs) * (len(in_pairs) - 1) // 2  # all have the support
    (note,) = antecedents.left_out.notes
    assert note.startswith(f"Of 30 conditions the {len(in_pairs)} with most evidence were joined")


def test_the_same_pairs_where_the_rows_are_in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = wide()
    binarised, layout = prepared(X, np.where(X["f3"] & X["f17"], 1, y))
    truths = np.stack([layout.unpack(words) for words in stack_words(binarised.truths, layout)])
    codes, weights = layout.row_labels(), layout.row_weights()
    rows = np.flatnonzero(codes >= 0)
    parts = [
        ShardRows(keys_of(truths)[some], codes[some].astype(np.int64), weights[some], 2)
        for some in np.array_split(rows, 2)
    ]
    shards = Shards([ShardHere(part) for part in parts], 2, layout.unit)
    for module in ("mining", "sharded_mining"):
        monkeypatch.setattr(f"elseif.antecedents.{module}.MOST_MINED", 200)
    asked = MiningSettings(max_antecedents=200)
    local = mine(binarised, layout, asked)
    there, _ = mine_on_shards(binarised, shards, asked, np.ones(2))
    assert there.pool.names == local.pool.names
    assert there.left_out.notes == local.left_out.notes != ()


def test_conditions_of_three_that_are_too_many_are_still_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = wide()
    monkeypatch.setattr("elseif.antecedents.mining.MOST_MINED", 200)
    with pytest.raises(MiningError, match="max_cardinality=3: too many"):
        pool(X, y, max_antecedents=200, max_cardinality=3)


def test_fewer_conditions_are_joined_until_their_pairs_fit() -> None:
    X, y = wide()
    binarised, layout = prepared(X, np.where(X["f3"], 1, y))
    tried = []

    def join(places: np.ndarray) -> np.ndarray | None:
        tried.append(places)
        pairs = np.column_stack([np.arange(len(places)), np.full(len(places), -1)])
        return None if len(places) > 20 else pairs.astype(np.int32)

    covers = stack_words(binarised.truths, layout)
    members, note = join_the_strongest(covers, 30, layout, np.ones(2), join)
    assert [len(places) for places in tried] == [22, 16]
    assert all([c.name for c in binarised.conditions].index("f3") in places for places in tried)
    assert sorted(members[:, 0]) == list(range(30))
    assert (members[:, 1] == -1).all()
    assert "Of 30 conditions the 16 with most evidence" in note
