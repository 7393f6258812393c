"""Editing with a price: change a list by hand and see what it costs."""

from __future__ import annotations

import copy
import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.named_levels import without_order
from elseif.antecedents.own_antecedents import read_antecedents
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import ABOVE, AT_MOST, BETWEEN, Condition
from elseif.editing.constraints import Constraints, best_list
from elseif.errors import DataError, ParamError, ParamTypeError
from elseif.model.likelihood import log_likelihood
from elseif.model.prior import ListPrior
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import ModelMetadata, RuleList, antecedent_truth, make_rule_list
from elseif.tables.columns import Kind
from elseif.tables.reading import Table
from elseif.visible import show_name

SAME = 1e-6  # log posteriors of the same list and data agree to this, and to
SAME_SHARE = 1e-9  # this part of their size


@dataclass(frozen=True, eq=False)
class EditContext:
    """What lists are weighed on: the training data, the prior and the posterior."""

    table: Table
    codes: np.ndarray  # int64 (rows,): -1 where a row does not count
    weights: np.ndarray  # int64 (rows,): whole numbers of units
    pool: Pool
    prior: ListPrior
    metadata: ModelMetadata
    posterior: Posterior | None  # a model may be saved without it
    kinds: Mapping[str, Kind]  # of columns, as told to fit
    orders: Mapping[str, tuple[Any, ...]]
    open_columns: Container[str] = ()  # of which the model does not name all levels
    classifier: Any = None  # what as_classifier copies

    @cached_property
    def places(self) -> dict[Antecedent, int]:
        """Where each antecedent stands in the pool."""
        return {antecedent: a for a, antecedent in enumerate(self.pool.antecedents)}

    def label_counts(self, antecedents: Sequence[Antecedent]) -> np.ndarray:
        """N[j, l] in units, the default rule last."""
        n_labels = len(self.metadata.classes)
        place = np.full(self.table.n_rows, len(antecedents), dtype=np.int64)
        left = self.codes >= 0
        used = left.copy()
        for j, antecedent in enumerate(antecedents):
            captured = left & antecedent_truth(antecedent, self.table, self.known_kinds(antecedent))
            place[captured] = j
            left &= ~captured  # later rules see only what earlier ones left
        counts = np.zeros((len(antecedents) + 1, n_labels), dtype=np.int64)
        np.add.at(counts, (place[used], self.codes[used]), self.weights[used])
        return counts

    def known_kinds(self, antecedent: Antecedent) -> dict[str, Kind]:
        """Kinds of an antecedent's columns: as in fit, or as the table has them."""
        known = {**self.kinds, **self.metadata.kinds}
        return {c: known[c] for c in antecedent.columns if c in known} | {
            c: self.table.column(c).kind for c in antecedent.columns if c not in known
        }

    def read(self, told: Any) -> Antecedent:
        """An antecedent from itself, the name of one in the pool, or conditions."""
        if isinstance(told, Antecedent) and told in self.places:
            return told
        if isinstance(told, str) and told not in self.table:
            if told in self.pool.names:
                return self.pool[self.pool.names.index(told)]
            raise ParamError(
                f"{show_name(told)!r} is neither a column nor an antecedent of the pool; write it "
                "as conditions, such as ('age', '>', 60)."
            )
        kinds = {**self.kinds, **self.metadata.kinds}
        read = read_antecedents([told], self.table, kinds, self.orders)[0]
        antecedent = Antecedent(without_order(c, self.open_columns) for c in read)
        apart = Antecedent(part for condition in antecedent for part in _apart(condition))
        return apart if apart in self.places else antecedent


def _apart(condition: Condition) -> tuple[Condition, ...]:
    """An interval as its two thresholds, which is how mining writes one."""
    if condition.operator != BETWEEN:
        return (condition,)
    low, high = condition.value
    return (
        Condition(condition.column, ABOVE, low, condition.order),
        Condition(condition.column, AT_MOST, high, condition.order),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """A list under edit; every edit gives a new draft. Places of rules count from 0."""

    context: EditContext
    antecedents: tuple[Antecedent, ...]
    done: str = "as fitted"  # what the last edit was
    previous: Draft | None = None

    # ------------------------------------------------------------------------ edits

    def drop(self, place: int) -> Draft:
        """Without the rule at a place."""
        place = self._checked(place)
        left = self.antecedents[:place] + self.antecedents[place + 1 :]
        return self._next(left, f"drop {_quoted(self.antecedents[place])}")

    def move(self, place: int, to: int) -> Draft:
        """With the rule at a place moved to another; those between close up."""
        place, to = self._checked(place), self._checked(to, "to")
        order = list(self.antecedents)
        order.insert(to, order.pop(place))
        done = f"move {_quoted(self.antecedents[place])} from {place + 1} to {to + 1}"
        return self._next(order, done)

    def insert(self, antecedent: Any, at: int) -> Draft:
        """With a new rule at a place: an antecedent, a name of the pool, or conditions."""
        at = self._checked(at, "at", len(self.antecedents))
        new = self._new(antecedent, self.antecedents)
        order = [*self.antecedents[:at], new, *self.antecedents[at:]]
        return self._next(order, f"insert {_quoted(new)} at {at + 1}")

    def replace(self, place: int, antecedent: Any) -> Draft:
        """With another antecedent at a place."""
        place = self._checked(place)
        others = self.antecedents[:place] + self.antecedents[place + 1 :]
        new = self._new(antecedent, others)
        order = [*self.antecedents[:place], new, *self.antecedents[place + 1 :]]
        return self._next(order, f"replace {_quoted(self.antecedents[place])} by {_quoted(new)}")

    def take(self, antecedents: Sequence[Any], done: str = "take another list") -> Draft:
        """With all rules replaced by others, such as those of ``elseif.report.edited_list``."""
        order: list[Antecedent] = []
        for told in antecedents:
            order.append(self._new(told, order))
        return self._next(order, done)

    def undo(self) -> Draft:
        """The draft before the last edit."""
        if self.previous is None:
            raise ParamError("There is nothing to undo: this is the list as it was fitted.")
        return self.previous

    def best_with(self, must: Any = (), must_not: Any = ()) -> Draft:
        """The most probable list drawn that has all of ``must`` and none of ``must_not``.

        Each entry is a column, a condition such as ``("age", ">", 60)`` or its name, or a
        whole antecedent: a tuple of conditions or its name. Only lists that were drawn are
        looked at: to search all lists, fit again with ``antecedents=``.
        """
        posterior = self.context.posterior
        if posterior is None:
            raise ParamError(
                "The model was saved without its posterior, so there are no drawn lists to choose "
                "from. Fit again, or save it with its lists."
            )
        constraints = Constraints.read(
            must, must_not, self.context.read, self.context.pool, self.context.table
        )
        chosen = posterior.distinct.antecedent_list(best_list(posterior, constraints))
        antecedents = [self.context.pool[a] for a in chosen]
        return self._next(antecedents, f"take the best drawn list {constraints.text}")

    def _next(self, antecedents: Sequence[Antecedent], done: str) -> Draft:
        return Draft(self.context, tuple(antecedents), done, self)

    def _checked(self, place: Any, name: str = "place", last: int | None = None) -> int:
        if isinstance(place, bool) or not isinstance(place, (int, np.integer)):
            raise ParamTypeError(f"{name} is {place!r}; it must be a whole number, from 0.")
        last = len(self.antecedents) - 1 if last is None else last
        if not 0 <= place <= last:
            n = len(self.antecedents)
            held = "no rules" if n == 0 else "1 rule" if n == 1 else f"{n} rules"
            allowed = "nothing" if last < 0 else f"0 to {last}"
            raise ParamError(
                f"{name} is {place}; the list has {held} beside its default rule, which stays "
                f"last, so {name} can be {allowed}."
            )
        return int(place)

    def _new(self, told: Any, others: Sequence[Antecedent]) -> Antecedent:
        new = self.context.read(told)
        if new in others:
            raise ParamError(
                f"The list has {_quoted(new)} already; a second one would never apply."
            )
        return new

    # ----------------------------------------------------------------------- prices

    @cached_property
    def _counts(self) -> np.ndarray:
        return self.context.label_counts(self.antecedents)

    @cached_property
    def rule_list(self) -> RuleList:
        """The edited list, with its own counts, probabilities and intervals."""
        metadata = self.context.metadata
        kinds = dict(metadata.kinds)
        for antecedent in self.antecedents:
            kinds |= self.context.known_kinds(antecedent)
        return make_rule_list(self.antecedents, self._counts, replace(metadata, kinds=kinds))

    @property
    def outside(self) -> tuple[Antecedent, ...]:
        """Antecedents that are not in the pool: the prior gives them no probability."""
        return tuple(a for a in self.antecedents if a not in self.context.places)

    @cached_property
    def log_prior(self) -> float:
        """Log prior; minus infinity where an antecedent is not in the pool."""
        if self.outside:
            return -math.inf
        places = self.context.places
        return self.context.prior.log_probability([places[a] for a in self.antecedents])

    @cached_property
    def log_likelihood(self) -> float:
        """Log likelihood of the training labels, probabilities integrated out."""
        metadata = self.context.metadata
        return log_likelihood(self._counts * metadata.count_unit, metadata.pseudocounts)

    @property
    def log_posterior(self) -> float:
        """Log posterior up to the evidence, as in ``Posterior.lists()``."""
        return self.log_prior + self.log_likelihood

    @property
    def start(self) -> Draft:
        """The draft that editing began with."""
        draft = self
        while draft.previous is not None:
            draft = draft.previous
        return draft

    @property
    def steps(self) -> tuple[Draft, ...]:
        """Every draft from the start to this one."""
        found = [self]
        while found[-1].previous is not None:
            found.append(found[-1].previous)
        return tuple(found[::-1])

    @property
    def change(self) -> float:
        """Change of the log posterior against the start, in nats."""
        return self.log_posterior - self.start.log_posterior

    @property
    def change_of_prior(self) -> float:
        """Change of the log prior against the start, in nats."""
        return self.log_prior - self.start.log_prior

    @property
    def change_of_likelihood(self) -> float:
        """Change of the log likelihood against the start, in nats."""
        return self.log_likelihood - self.start.log_likelihood

    # ---------------------------------------------------------------------- results

    def as_classifier(self) -> Any:
        """A copy of the fitted classifier that predicts by the edited list.

        Its ``rule_list_`` is the edited one, ``edited_`` says what was done, and it predicts
        with "point". Posterior, convergence and ``map_rule_list_`` are those of fit.
        """
        copied = copy.copy(self.context.classifier)
        copied.rule_list_ = self.rule_list
        copied.predict_with = "point"
        steps = [step.done for step in self.steps[1:]]
        if steps:
            copied.edited_ = "; ".join(steps)
        return copied

    def to_text(self, width: int = 100) -> str:
        """The list, its price, and what was done."""
        from elseif.showing.draft_text import draft_text

        return draft_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from elseif.showing.draft_text import draft_html

        return draft_html(self)


def begin(context: EditContext, rule_list: RuleList) -> Draft:
    """A draft of the list that was fitted, after a look whether the data are those of fit."""
    draft = Draft(context, rule_list.antecedents)
    found = draft.rule_list
    for j, (mine, fitted) in enumerate(zip(found.rules, rule_list.rules, strict=True)):
        if not np.array_equal(mine.label_counts, fitted.label_counts):
            line = "the default rule" if j == len(rule_list) else f"rule {j + 1}"
            raise DataError(
                f"These are not the data that the list was fitted to: {line} captures "
                f"{_counts_text(mine.label_counts)} of the labels here, and captured "
                f"{_counts_text(fitted.label_counts)} in fit. Pass the same X, y and sample_weight."
            )
    _check_price(draft)
    return draft


def _check_price(draft: Draft) -> None:
    """The same list must weigh what it weighed in fit."""
    context = draft.context
    if draft.outside or context.posterior is None:
        return
    items = tuple(context.places[a] for a in draft.antecedents)
    lists = context.posterior.distinct
    of_length = np.flatnonzero(lists.lengths == len(items)).tolist()
    same = [i for i in of_length if lists.antecedent_list(i) == items]
    if not same:
        return  # a list edited before need not have been drawn
    stored = float(lists.log_posterior[same[0]])
    if abs(stored - draft.log_posterior) > max(SAME, SAME_SHARE * abs(stored)):
        raise DataError(
            f"The list's log posterior is {draft.log_posterior:.6f} here and was {stored:.6f} in "
            "fit. Pass the data of fit, and leave expected_length, expected_cardinality and "
            "antecedent_weights as they were."
        )


def _counts_text(counts: np.ndarray) -> str:
    return " and ".join(f"{n:g}" for n in counts.tolist())


def _quoted(antecedent: Antecedent) -> str:
    return f"'{show_name(antecedent.name, 80)}'"
