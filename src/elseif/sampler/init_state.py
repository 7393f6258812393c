"""The state that a chain starts from: what each rule of its lists captures, counted from scratch.

A chain does this once for every list it starts from, and again when it needs room; what happens
between is the compiled code's, which only ever counts changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif import compiled
from elseif.antecedents.covers import LazyCovers
from elseif.bits.packing import zero_words
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.shards.shards import Shards


def new_state(
    posed: CompiledProblem,
    lists: Sequence[Sequence[int]],
    capacity: int,
    first_steps: int = 0,
    exactly: bool = False,
) -> compiled.State:
    """A state with one replica for each list, the coldest first, to be advanced by compiled code.

    ``capacity`` is the length of list to make room for, at most the pool's; it is raised to twice
    the longest list unless ``exactly`` is set. ``first_steps`` are taken by the coldest replica
    before the next one's turn.
    """
    data, prior = posed.data, posed.prior
    pool_size, n_words = len(prior.cardinality_class), len(data.everyone)
    n_labels, n_classes = len(data.pseudocounts), len(prior.class_sizes)
    if not exactly:
        longest = max(len(antecedent_list) for antecedent_list in lists)
        capacity = min(max(capacity, 2 * longest), pool_size)
    n_replicas = len(lists)
    n_rows = n_replicas * (capacity + 1)
    state = compiled.State(
        replica=np.arange(n_replicas),
        temperature=np.zeros(1, dtype=np.int64),
        steps_left=np.array([first_steps]),
        n_swap_rounds=np.zeros(1, dtype=np.int64),
        length=np.zeros(n_replicas, dtype=np.int64),
        log_posterior=np.zeros(n_replicas),
        log_tempered=np.zeros(n_replicas),
        antecedent_list=np.zeros((n_replicas, capacity), dtype=np.int64),
        rows=np.zeros((n_replicas, capacity + 1), dtype=np.int64),
        captured=zero_words(n_rows, n_words),
        label_counts=np.zeros((n_rows, n_labels), dtype=np.int64),
        log_likelihoods=np.zeros(n_rows),
        in_list=np.zeros((n_replicas, pool_size), dtype=bool),
        used=np.zeros((n_replicas, n_classes), dtype=np.int64),
        new_counts=np.zeros((capacity + 1, n_labels), dtype=np.int64),
        rule_counts=np.zeros((1, n_labels), dtype=np.int64),
        pending=zero_words(compiled.BLOCK_WORDS),
        pending_counts=np.zeros(n_labels, dtype=np.int64),
        trial=np.zeros(capacity + 1, dtype=np.int64),
        trial_used=np.zeros(n_classes, dtype=np.int64),
        lazy_cover=zero_words(compiled.BLOCK_WORDS),
        position_weights=np.zeros(capacity + 1),
    )
    if posed.problem.shards is None:
        for r, antecedent_list in enumerate(lists):
            init_replica(posed, state, r, antecedent_list)
    else:
        _count_on_shards(posed, state, lists, posed.problem.shards)
    return state


def init_replica(
    posed: CompiledProblem, state: compiled.State, replica: int, antecedent_list: Sequence[int]
) -> None:
    """Make a list the replica's: its observations, its counts and its log posterior."""
    data = posed.data
    _set_list(posed, state, replica, antecedent_list)
    rows, length = state.rows[replica], len(antecedent_list)
    is_lazy = data.condition_ids.shape[1] > 0
    covers = LazyCovers(data.covers, data.condition_ids) if is_lazy else data.covers
    left = data.everyone.copy()
    for row, antecedent in zip(rows, antecedent_list, strict=False):
        np.bitwise_and(left, covers[antecedent], out=state.captured[row])
        left ^= state.captured[row]
    state.captured[rows[length]] = left
    _count(data, state, rows[: length + 1])
    compiled.refresh_log_posterior(posed.prior, state, replica)


def _count_on_shards(
    posed: CompiledProblem,
    state: compiled.State,
    lists: Sequence[Sequence[int]],
    shards: Shards,
) -> None:
    """Make lists the replicas', with the counts that the shards of the observations have."""
    for r, antecedent_list in enumerate(lists):
        _set_list(posed, state, r, antecedent_list)
    plain = [[int(a) for a in antecedent_list] for antecedent_list in lists]
    rows = [state.rows[r, : len(antecedents) + 1] for r, antecedents in enumerate(plain)]
    state.label_counts[np.concatenate(rows)] = shards.total("count_lists", plain)
    _find_terms(posed.data, state, np.concatenate(rows))
    for r in range(len(plain)):
        compiled.refresh_log_posterior(posed.prior, state, r)


def _set_list(
    posed: CompiledProblem, state: compiled.State, replica: int, antecedent_list: Sequence[int]
) -> None:
    """Make a list the replica's, but for what it captures."""
    length, items = len(antecedent_list), np.array(antecedent_list, dtype=np.int64)
    rows = state.rows[replica]
    rows[:] = replica * len(rows) + np.arange(len(rows))
    state.length[replica] = length
    state.antecedent_list[replica, :length] = items
    state.in_list[replica] = False
    state.in_list[replica, items] = True
    classes = posed.prior.cardinality_class[items]
    state.used[replica] = np.bincount(classes, minlength=state.used.shape[1])


def list_of(state: compiled.State, replica: int) -> tuple[int, ...]:
    """The antecedent list that a replica is at."""
    return tuple(state.antecedent_list[replica, : state.length[replica]].tolist())


def grown(posed: CompiledProblem, state: compiled.State) -> compiled.State:
    """The same state, with room for lists of twice the length."""
    lists = [list_of(state, r) for r in range(len(state.length))]
    larger = new_state(posed, lists, 2 * state.antecedent_list.shape[1])
    larger.replica[:] = state.replica
    _keep_turn(state, larger)
    return larger


def with_list(
    posed: CompiledProblem, state: compiled.State, replica: int, antecedent_list: Sequence[int]
) -> compiled.State:
    """A state in which a replica has another list; the state given may be changed into it.

    It is a new one if observations are in shards, which load it.
    """
    capacity = state.antecedent_list.shape[1]
    if posed.problem.shards is None and len(antecedent_list) <= capacity:
        init_replica(posed, state, replica, antecedent_list)
        return state
    lists = [list_of(state, r) for r in range(len(state.length))]
    lists[replica] = tuple(antecedent_list)
    larger = capacity if len(antecedent_list) <= capacity else 2 * len(antecedent_list)
    other = new_state(posed, lists, min(larger, state.in_list.shape[1]), exactly=True)
    other.replica[:] = state.replica
    _keep_turn(state, other)
    return other


def restored_state(
    posed: CompiledProblem,
    lists: np.ndarray,
    capacity: int,
    replica: np.ndarray,
    turn: np.ndarray,
) -> compiled.State:
    """A state with known lists, capacity and turn, which continues as the original would have.

    ``lists`` has the list of each replica, padded with -1: (replicas, longest). ``replica`` says
    which replica has which temperature. ``turn`` has the temperature at work, the steps left at it,
    and the number of rounds of swaps.
    """
    known = [row[row >= 0].tolist() for row in lists]
    state = new_state(posed, known, capacity, exactly=True)
    state.replica[:] = replica
    state.temperature[0], state.steps_left[0], state.n_swap_rounds[0] = turn
    return state


def with_replicas_of(
    posed: CompiledProblem, state: compiled.State, temperatures: np.ndarray
) -> compiled.State:
    """A state with another number of replicas, whose lists are those of the given temperatures.

    It must be the coldest replica's turn; the new replicas are numbered from the coldest on.
    """
    lists = [list_of(state, int(state.replica[t])) for t in temperatures]
    resized = new_state(posed, lists, state.antecedent_list.shape[1])
    _keep_turn(state, resized)
    return resized


def _keep_turn(state: compiled.State, other: compiled.State) -> None:
    """Copy the position in the round of steps and swaps to another state."""
    for name in ("temperature", "steps_left", "n_swap_rounds"):
        getattr(other, name)[:] = getattr(state, name)


def _count(data: compiled.Data, state: compiled.State, rows: np.ndarray) -> None:
    """Count the labels of what is captured, and find the rules' terms of the likelihood."""
    sections = (data.section_starts, data.section_labels, data.section_weights)
    counts = np.zeros((len(rows), len(data.pseudocounts)), dtype=np.int64)
    alone = rows.astype(np.int32)[:, None]  # each the conjunction of itself
    compiled.count_conjunctions(state.captured, alone, sections, state.lazy_cover, counts)
    state.label_counts[rows] = counts
    _find_terms(data, state, rows)


def _find_terms(data: compiled.Data, state: compiled.State, rows: np.ndarray) -> None:
    """The rules' terms of the likelihood, of the counts that they have."""
    for row in rows:
        term = compiled.log_marginal_likelihood(data, state.label_counts, row)
        state.log_likelihoods[row] = term
