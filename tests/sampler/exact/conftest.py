"""Where compiled code runs as plain Python, the tests that take seconds there."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

# pools of three antecedents: three labels, weights of either kind, covers joined from conditions,
# no cardinality that runs out; and every kernel before and after adaptation
SMALL = {"three-labels", "three-labels-lazy", "three-of-one-cardinality", "three-weighted"}
QUICK_TESTS = {
    "test_every_list_has_the_reference_s_prior_and_likelihood",
    "test_counts_beyond_the_table_are_computed",
    "test_detailed_balance",
    "test_every_list_is_entered_as_bit_by_bit",
    "test_impossible_options_have_no_probability",
    "test_neighbours_take_turns",
    "test_a_posterior_that_is_not_a_number_is_an_error",
    "test_books_after_a_swap",
    "test_extreme_uniforms_give_possible_steps",
    "test_evidence_is_the_plain_sum",
    "test_patterns_are_those_of_the_rows",
    "test_summaries_are_those_of_the_reference",
    "test_predictions_of_every_pattern",
    "test_the_most_probable_list_is_the_best_of_all",
    "test_draws_carry_their_log_posterior_and_counts",
}


def is_quick(item: pytest.Item) -> bool:
    """Whether a test takes seconds in plain Python."""
    if getattr(item, "originalname", None) not in QUICK_TESTS:
        return False
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    case = parameters.get("case")
    name = parameters.get("name") if case is None else case.name
    return name is None or name in SMALL


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With NUMBA_DISABLE_JIT=1, leave out what would take minutes."""
    if not numba.config.DISABLE_JIT:
        return
    folder = Path(__file__).parent
    slow = [item for item in items if item.path.is_relative_to(folder) and not is_quick(item)]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
