"""Editing: change a list by hand and see what it costs."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.editing.constraints import Constraints, best_list
from elseif.editing.edit_context import EditContext
from elseif.errors import DataError, ParamError, ParamTypeError
from elseif.model.likelihood import log_likelihood
from elseif.posterior.rule_list import RuleList, make_rule_list
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel

SAME = 1e-6  # log posteriors of the same list and data agree to this, and to
SAME_SHARE = 1e-9  # this part of their size


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """A list that is being edited. Every edit gives a new draft. Positions are numbered from 0.

    Attributes
    ----------
    context : EditContext
        Data, prior and posterior that lists are evaluated with.
    antecedents : tuple[Antecedent, ...]
        The antecedents in order, the default rule not among them.
    done : str
        What the last edit was.
    previous : Draft | None
        The draft before it.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> draft = clf.edit(X, y)
    >>> shorter = draft.drop(2)
    >>> round(shorter.change, 1)  # of the log posterior
    2.2
    >>> shorter.undo().change
    0.0
    >>> draft.move(2, to=0).antecedents[0].name
    'class = 1st'
    >>> draft.insert("class = 2nd", at=3).replace(0, "sex = male").antecedents[0].name
    'sex = male'
    >>> draft.take(["sex = male"]).antecedents
    (Antecedent('sex = male'),)
    >>> draft.best_with(must="age", must_not="class = 1st").antecedents[0].name
    'age = adult and sex = male'
    >>> shorter.as_classifier().edited_ == shorter.as_model().edited
    True
    >>> print(shorter.to_text().splitlines()[0])
    Probability of survived (95% credible interval)
    """

    context: EditContext
    antecedents: tuple[Antecedent, ...]
    done: str = "as fitted"
    previous: Draft | None = None

    # ------------------------------------------------------------------------ edits

    def drop(self, position: int) -> Draft:
        """Remove a rule.

        Parameters
        ----------
        position : int
            The rule's position, from 0.

        Returns
        -------
        Draft
            The new draft.
        """
        position = self._checked(position)
        left = self.antecedents[:position] + self.antecedents[position + 1 :]
        return self._next(left, f"drop {self._quoted(self.antecedents[position])}")

    def move(self, position: int, to: int) -> Draft:
        """Move a rule to another position.

        Parameters
        ----------
        position : int
            The rule's position, from 0.
        to : int
            Its new position; the rules between close up.

        Returns
        -------
        Draft
            The new draft.
        """
        position, to = self._checked(position), self._checked(to, "to")
        order = list(self.antecedents)
        order.insert(to, order.pop(position))
        done = f"move {self._quoted(self.antecedents[position])} from {position + 1} to {to + 1}"
        return self._next(order, done)

    def insert(self, antecedent: Any, at: int) -> Draft:
        """Insert a rule.

        Parameters
        ----------
        antecedent : Antecedent, str or tuple
            An antecedent, the name of one in the pool, or conditions.
        at : int
            The new rule's position, from 0.

        Returns
        -------
        Draft
            The new draft.
        """
        at = self._checked(at, "at", len(self.antecedents))
        new = self._new(antecedent, self.antecedents)
        order = [*self.antecedents[:at], new, *self.antecedents[at:]]
        return self._next(order, f"insert {self._quoted(new)} at {at + 1}")

    def replace(self, position: int, antecedent: Any) -> Draft:
        """Replace a rule's antecedent.

        Parameters
        ----------
        position : int
            The rule's position, from 0.
        antecedent : Antecedent, str or tuple
            An antecedent, the name of one in the pool, or conditions.

        Returns
        -------
        Draft
            The new draft.
        """
        position = self._checked(position)
        others = self.antecedents[:position] + self.antecedents[position + 1 :]
        new = self._new(antecedent, others)
        order = [*self.antecedents[:position], new, *self.antecedents[position + 1 :]]
        return self._next(
            order, f"replace {self._quoted(self.antecedents[position])} by {self._quoted(new)}"
        )

    def take(self, antecedents: Sequence[Any], done: str = "take another list") -> Draft:
        """Replace all rules, for instance by a list that was edited in the explorer.

        Parameters
        ----------
        antecedents : sequence
            Antecedents, names of antecedents in the pool, or conditions.
        done : str, default="take another list"
            What to call this edit.

        Returns
        -------
        Draft
            The new draft.
        """
        order: list[Antecedent] = []
        for given in antecedents:
            order.append(self._new(given, order))
        return self._next(order, done)

    def undo(self) -> Draft:
        """Go back to the draft before the last edit.

        Returns
        -------
        Draft
            The earlier draft.
        """
        if self.previous is None:
            raise ParamError("There is nothing to undo: this is the list as it was fitted.")
        return self.previous

    def best_with(self, must: Any = (), must_not: Any = ()) -> Draft:
        """The most probable sampled list that has all of ``must`` and none of ``must_not``.

        Only lists that were sampled are considered; to search all lists, fit again with
        ``antecedents=``.

        Parameters
        ----------
        must, must_not : column, condition, antecedent, or sequence of these, default=()
            A condition is ``("age", ">", 60)`` or its name; an antecedent is a tuple of conditions
            or its name.

        Returns
        -------
        Draft
            The new draft.
        """
        posterior = self.context.model.posterior
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

    def _checked(self, position: Any, name: str = "position", last: int | None = None) -> int:
        if isinstance(position, bool) or not isinstance(position, (int, np.integer)):
            raise ParamTypeError(f"{name} is {position!r}; it must be a whole number, from 0.")
        last = len(self.antecedents) - 1 if last is None else last
        if not 0 <= position <= last:
            n = len(self.antecedents)
            n_rules = "no rules" if n == 0 else "1 rule" if n == 1 else f"{n} rules"
            allowed = "nothing" if last < 0 else f"0 to {last}"
            raise ParamError(
                f"{name} is {position}; the list has {n_rules} besides its default rule, which "
                f"stays last, so {name} can be {allowed}."
            )
        return int(position)

    def _quoted(self, antecedent: Antecedent) -> str:
        return f"'{show_name(self.context.metadata.display.text(antecedent), 80)}'"

    def _new(self, given: Any, others: Sequence[Antecedent]) -> Antecedent:
        new = self.context.read(given)
        if new in others:
            shown = self._quoted(new)
            raise ParamError(f"The list has {shown} already; a second one would never apply.")
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
        return tuple(a for a in self.antecedents if a not in self.context.positions)

    @cached_property
    def log_prior(self) -> float:
        """Log prior; minus infinity where an antecedent is not in the pool."""
        if self.outside:
            return -math.inf
        positions = self.context.positions
        return self.context.model.prior.log_probability([positions[a] for a in self.antecedents])

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
        drafts = [self]
        while drafts[-1].previous is not None:
            drafts.append(drafts[-1].previous)
        return tuple(drafts[::-1])

    @property
    def change(self) -> float:
        """Change of the log posterior from the start, in nats."""
        return self.log_posterior - self.start.log_posterior

    @property
    def change_of_prior(self) -> float:
        """Change of the log prior from the start, in nats."""
        return self.log_prior - self.start.log_prior

    @property
    def change_of_likelihood(self) -> float:
        """Change of the log likelihood from the start, in nats."""
        return self.log_likelihood - self.start.log_likelihood

    # ---------------------------------------------------------------------- results

    def as_model(self) -> FittedModel:
        """The fitted model with the edited list.

        Returns
        -------
        FittedModel
            Its ``edited`` says what was done.
        """
        done = "; ".join(step.done for step in self.steps[1:])
        model = self.context.model.with_settings(predict_with="point")
        return replace(model, rule_list=self.rule_list, edited=done or model.edited)

    def as_classifier(self) -> Any:
        """A copy of the fitted classifier that predicts with the edited list.

        Its ``rule_list_`` is the edited one, ``edited_`` says what was done, and it predicts with
        "point". Posterior, convergence and ``map_rule_list_`` are those of ``fit``.

        Returns
        -------
        BayesianRuleListClassifier
            The classifier.
        """
        if self.context.classifier is None:
            raise ParamError("This draft is of a model, not of a classifier: use as_model().")
        copied = copy.copy(self.context.classifier)
        copied.predict_with = "point"
        copied.model_ = self.as_model()
        return copied

    def to_text(self, width: int = 100) -> str:
        """Write the list, its log posterior, and the edits made.

        Parameters
        ----------
        width : int, default=100
            Longest line.

        Returns
        -------
        str
            The text.
        """
        from elseif.showing.draft_text import draft_text

        return draft_text(self, width)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from elseif.showing.draft_text import draft_html

        return draft_html(self)


def begin(context: EditContext) -> Draft:
    """A draft of the fitted list, after checking that the data are those of fit."""
    rule_list = context.model.rule_list
    draft = Draft(context, rule_list.antecedents)
    for j, (mine, fitted) in enumerate(zip(draft.rule_list.rules, rule_list.rules, strict=True)):
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
    """Check that the list has the same log posterior as in fit."""
    context = draft.context
    if draft.outside or context.model.posterior is None:
        return
    items = tuple(context.positions[a] for a in draft.antecedents)
    lists = context.model.posterior.distinct
    of_length = np.flatnonzero(lists.lengths == len(items)).tolist()
    same = [i for i in of_length if lists.antecedent_list(i) == items]
    if not same:
        return  # a list edited before need not have been drawn
    stored = float(lists.log_posterior[same[0]])
    if abs(stored - draft.log_posterior) > max(SAME, SAME_SHARE * abs(stored)):
        raise DataError(
            f"The list's log posterior is {draft.log_posterior:.6f} here and was {stored:.6f} in "
            "fit. Pass the data of fit."
        )


def _counts_text(counts: np.ndarray) -> str:
    return " and ".join(f"{n:g}" for n in counts.tolist())
