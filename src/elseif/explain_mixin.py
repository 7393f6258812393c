"""Methods of a fitted classifier for human readers: explanations, edits, notebook display."""

from __future__ import annotations

import copy
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from elseif.fitted_model import as_model
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.editing.draft import Draft
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.explaining.explanation import Explanation


# in HTML, above the list; the point estimate needs no words
WHAT_PREDICTS = {
    "projected": "This is the projected list (<code>projected_rule_list_</code>), which predicts; "
    "<code>rule_list_</code> is the point estimate.",
    "map": "This is the most probable list drawn (<code>map_rule_list_</code>), which predicts; "
    "<code>rule_list_</code> is the point estimate.",
    "posterior": "Predictions are averages over the whole posterior; this is the point estimate "
    "(<code>rule_list_</code>), which does not predict.",
}


class ExplainMixin:
    """Methods of a fitted BayesianRuleListClassifier for human readers."""

    def explain(self: Any, X: Any, row: int = 0, level: float = 0.95) -> Explanation:
        """Explain the prediction for one case, and what would change it.

        The list that predicts is explained: with ``predict_with="map"`` the most probable list,
        with "projected" the projected one, otherwise the point estimate. What the other lists of
        the posterior predict is shown as well.

        Parameters
        ----------
        X : table or dict
            A table, or the values of one case by column.
        row : int, default=0
            Which row of the table.
        level : float, default=0.95
            Level of the credible intervals.

        Returns
        -------
        Explanation
            It prints as text.
        """
        check_is_fitted(self)
        return as_model(self).explain(X, row, level)

    def with_labels(self: Any, labels: Any) -> BayesianRuleListClassifier:
        """Use the names in a labels file wherever people read the model.

        Parameters
        ----------
        labels : str, path or dict
            The labels file, or its contents: names of columns, units, levels, the outcome and
            conditions.

        Returns
        -------
        BayesianRuleListClassifier
            A copy with the same predictions.

        Examples
        --------
        >>> from elseif import BayesianRuleListClassifier
        >>> from elseif.datasets import load_titanic
        >>> X, y = load_titanic(split="paper")
        >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
        >>> named = clf.with_labels(
        ...     {
        ...         "outcome": {"name": "survival"},
        ...         "columns": {"class": {"name": "cabin class"}},
        ...         "conditions": {"age = adult and sex = male": "adult men"},
        ...     }
        ... )
        >>> print(named.rule_list_)
        Probability of survival (95% credible interval)
        if      adult men         then 21% (19%–23%)  n = 1,324
        else if cabin class = 3rd then 44% (38%–51%)  n =   206
        else if cabin class = 1st then 96% (92%–99%)  n =   120
        else                           88% (82%–94%)  n =   111
        """
        check_is_fitted(self)
        worded: BayesianRuleListClassifier = copy.copy(self)
        worded.model_ = self.model_.with_labels(labels)
        return worded

    def predict_interval(
        self: Any, X: Any, level: float = 0.95, predict_with: str = "posterior"
    ) -> np.ndarray:
        """Credible intervals for the probability of each label.

        Two things are uncertain: which list is right, and how probable each label is on a given
        line. "posterior" covers both: the ends are quantiles of the mixture, over all lists of the
        posterior, of the Beta distributions of the lines that apply, accurate to 1e-8. The interval
        of a single list takes the list as given, and is mostly narrower.

        Parameters
        ----------
        X : table
            Rows to predict for.
        level : float, default=0.95
            Probability content of the equal-tailed interval.
        predict_with : {"posterior", "point", "map", "projected"}, default="posterior"
            All lists, or the line of one list; independent of the classifier's own
            ``predict_with``.

        Returns
        -------
        ndarray of shape (n_rows, n_labels, 2)
            Lower and upper end for each label, in the order of ``classes_``.

        Examples
        --------
        >>> from elseif import BayesianRuleListClassifier
        >>> from elseif.datasets import load_titanic
        >>> X, y = load_titanic()
        >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
        >>> clf.predict_interval(X.head(2)).shape
        (2, 2, 2)
        """
        check_is_fitted(self)
        model = as_model(self)
        needed = model.columns_used(predict_with)
        return model.intervals(model.read(X, type(self).__name__, needed), level, predict_with)

    def edit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Draft:
        """Start editing ``rule_list_`` by hand, with the cost of every change.

        Parameters
        ----------
        X, y : table and labels
            The data of ``fit``, which a fitted classifier does not keep.
        sample_weight : array, default=None
            The weights of ``fit``.

        Returns
        -------
        Draft
            The fitted list, ready to be changed.
        """
        check_is_fitted(self)
        return as_model(self).edit(X, y, sample_weight, self)

    def _html_repr(self: Any) -> str:
        """For notebooks: the list once it is fitted, scikit-learn's diagram until then."""
        if not hasattr(self, "rule_list_"):
            diagram: str = super()._html_repr()  # type: ignore[misc]
            return diagram
        lines = [f"<b>{escape(type(self).__name__)}</b>, fitted"]
        if hasattr(self, "edited_"):
            lines.append(f"Edited by hand: {escape(show_name(self.edited_, 500))}.")
        lines.append(escape(convergence_line(self)))
        model = as_model(self)
        if model.predict_with in WHAT_PREDICTS:
            lines.append(WHAT_PREDICTS[model.predict_with])
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        return f"<div>{paragraphs}{model.chosen_list()._repr_html_()}</div>"


def convergence_line(classifier: Any) -> str:
    """One sentence on the chains."""
    convergence = getattr(classifier, "convergence_", None)
    if convergence is None:
        return "The model was saved without its convergence."
    return str(convergence.sentence())


def edit(classifier: Any, X: Any, y: Any, sample_weight: Any = None) -> Draft:
    """Edit the list of a fitted classifier, and see what each change costs.

    Parameters
    ----------
    classifier : BayesianRuleListClassifier
        A fitted classifier.
    X, y : table and labels
        The data it was fitted to, which a fitted classifier does not keep.
    sample_weight : array, default=None
        The weights it was fitted with.

    Returns
    -------
    Draft
        The fitted list, ready to be changed.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> draft = elseif.edit(clf, X, y).drop(0)
    >>> round(draft.change, 1)  # of the log posterior
    -179.6
    """
    draft: Draft = classifier.edit(X, y, sample_weight)
    return draft
