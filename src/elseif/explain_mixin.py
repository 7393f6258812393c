"""What a fitted classifier offers to people: explanations, edits, a view in notebooks."""

from __future__ import annotations

import warnings
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from elseif.antecedents.named_levels import known_levels
from elseif.antecedents.own_antecedents import read_weights
from elseif.conditions.binarise import refuse_missing
from elseif.errors import DataError
from elseif.explaining.case import as_mapping, one_row, read_case
from elseif.model.prior import ListPrior
from elseif.parameters import check_choice
from elseif.tables.reading import Table, parse_kinds
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.editing.draft import Draft
    from elseif.explaining.explanation import Explanation


class ExplainMixin:
    """Methods of a fitted BayesianRuleListClassifier that speak to people."""

    def explain(self: Any, X: Any, row: int = 0, level: float = 0.95) -> Explanation:
        """Why the list says what it says of a row of X, and what would change it.

        X may also be a dict of one case's values by column. The list explained is the one
        that predicts: with ``predict_with="map"`` the most probable one, else the point
        estimate, beside which the posterior's judgement stands.
        """
        check_is_fitted(self)
        check_choice("predict_with", self.predict_with)
        if as_mapping(X) is None:
            table = self._read_again(one_row(X, row))
        else:
            table = read_case(X)
            self._refuse_missing_in(table)
        rule_list = self.map_rule_list_ if self.predict_with == "map" else self.rule_list_
        return rule_list.explain(
            table,
            posterior=getattr(self, "posterior_", None),  # a model may be saved without it
            levels=known_levels(self.fit_report_.columns),
            level=level,
            allow_missing=self.missing != "error",
        )

    def _refuse_missing_in(self: Any, table: Table) -> None:
        """Raise for missing values where fit was told to."""
        if self.missing == "error":
            known = [c for c in self.fit_report_.columns if c.excluded is None and c.name in table]
            refuse_missing({c.name: table.column(c.name, c.kind).n_missing for c in known})

    def edit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Draft:
        """A draft of ``rule_list_`` to change by hand, every change with its price.

        X, y and sample_weight are the data of fit, which a fitted classifier does not keep.
        """
        from elseif.editing.draft import EditContext, begin  # loaded by those who edit

        check_is_fitted(self)
        if self.rule_list_.metadata.rounding is not None:
            raise DataError(
                "This model was saved with min_cell: its counts are rounded, and only the rules of "
                "its lists are in it. Edit the model that was saved without min_cell."
            )
        table = self._read_again(X)
        labels = self._read_labels(y, sample_weight, table)
        metadata = self.rule_list_.metadata
        if not np.array_equal(labels.classes, metadata.classes):
            raise DataError(
                "These are not the data that the list was fitted to: the labels of y are "
                f"{labels.classes.tolist()}, and were {metadata.classes.tolist()} in fit."
            )
        if labels.unit != metadata.count_unit:
            raise DataError(
                "These are not the data that the list was fitted to: the weights are other ones. "
                "Pass the sample_weight of fit, or none if it had none."
            )
        kinds, orders = parse_kinds(self.kinds, table.names)
        weights = read_weights(self.antecedent_weights, self.pool_, table.names)
        prior = ListPrior(
            self.pool_.cardinalities,
            float(self.expected_length),
            float(self.expected_cardinality),
            weights,
        )
        context = EditContext(
            table=table,
            codes=labels.codes,
            weights=labels.weights,
            pool=self.pool_,
            prior=prior,
            metadata=metadata,
            posterior=getattr(self, "posterior_", None),
            kinds=kinds,
            orders=orders,
            open_columns={c.name for c in self.fit_report_.columns if c.n_other_levels},
            classifier=self,
        )
        return begin(context, self.rule_list_)

    def _warn_of_convergence(self: Any) -> None:
        from elseif.sampler.convergence import is_good_enough

        found = self.convergence_
        if not len(self.pool_) or is_good_enough(found):
            return
        longer = "n_iter" if self.n_iter is not None else "max_iter"
        if found.independent:
            told = (
                f"Only {found.n_chains * found.n_kept:,} lists were drawn from the posterior. "
                f"Raise {longer}: of so few, another seed may give another list."
            )
        else:
            shown = "not available" if np.isnan(found.r_hat) else f"{found.r_hat:.3f}"
            told = (
                f"The chains have not converged after {found.n_iter:,} iterations: R-hat {shown}, "
                f"largest rank-normalised R-hat {found.max_r_hat:.3f}, fewest effective draws "
                f"{found.min_ess:.0f}. Raise {longer}, or make the pool smaller by a higher "
                "min_support or a lower max_cardinality. The result is there, but another seed "
                "may give another list."
            )
        warnings.warn(told, ConvergenceWarning, stacklevel=3)

    def _html_repr(self: Any) -> str:
        """For notebooks: the list once it is fitted, scikit-learn's diagram until then."""
        if not hasattr(self, "rule_list_"):
            diagram: str = super()._html_repr()  # type: ignore[misc]
            return diagram
        lines = [f"<b>{escape(type(self).__name__)}</b>, fitted"]
        if hasattr(self, "edited_"):
            lines.append(f"Edited by hand: {escape(show_name(self.edited_, 500))}.")
        lines.append(escape(convergence_line(self)))
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        return f"<div>{paragraphs}{self.rule_list_._repr_html_()}</div>"


def convergence_line(classifier: Any) -> str:
    """One sentence on the chains."""
    convergence = getattr(classifier, "convergence_", None)
    if convergence is None:
        return "Nothing is known of its convergence: it was saved without."
    return str(convergence.sentence())


def edit(classifier: Any, X: Any, y: Any, sample_weight: Any = None) -> Draft:
    """A draft of a fitted classifier's list to change by hand, every change with its price."""
    draft: Draft = classifier.edit(X, y, sample_weight)
    return draft
