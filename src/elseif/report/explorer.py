"""The explorer: the posterior's good lists as a landscape, and editing with its cost."""

from __future__ import annotations

from typing import Any

from elseif import __version__
from elseif.disclosure.holding import hold
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding, check_min_cell
from elseif.export.disclosed import first_digit
from elseif.report.exploration import Exploration, explore
from elseif.report.explorer_data import explorer_data
from elseif.report.page import render_page
from elseif.tables.origin import says_so


def explorer_page(
    model: Any,
    X: Any,
    y: Any,
    n_lists: int = 200,
    min_cell: int | None = None,
    sample_weight: Any = None,
    holdout: tuple[Any, Any] | None = None,
    title: str | None = None,
) -> str:
    """Write an explorer: one self-contained HTML page to explore the posterior and to edit lists.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        A fitted classifier, or a model that was saved with its sampled lists.
    X, y : table and labels
        The training data; the page contains only counts of them.
    n_lists : int, default=200
        Number of lists on the page, the most probable ones.
    min_cell : int, default=None
        Round every number of people to multiples of this. Log posteriors and editing are then
        left out, because they would reveal counts.
    sample_weight : array, default=None
        The weights of ``fit``.
    holdout : tuple, default=None
        Another ``(X, y)`` to measure AUC on.
    title : str, default=None
        Title of the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import explorer_page
    >>> explorer_page(clf, X, y, n_lists=20).startswith("<!doctype html>")
    True
    """
    smallest = check_min_cell(min_cell)
    explored = explore(model, X, y, n_lists, sample_weight, holdout)
    if smallest is None:
        return explorer_html(explored, explorer_data(explored), title)

    def attempt(rounding: Rounding) -> tuple[dict[str, Any], list[Cells]]:
        cells = explored.cases.cells(rounding, explored.unit)
        held_out = explored.held_out_cells(rounding)
        data = explorer_data(explored, cells, held_out)
        return data, [cells] if held_out is None else [cells, held_out]

    return explorer_html(explored, hold(smallest, attempt), title)


def explorer_html(explored: Exploration, data: dict[str, Any], title: str | None = None) -> str:
    """The page of data that may be shown."""
    is_binary = len(explored.metadata.classes) == 2
    metadata = explored.metadata
    name = metadata.display.outcome.name or metadata.outcome
    n_found = len(explored.posterior.distinct)
    outcome = metadata.probability_of(1) if is_binary else f"each {name or 'label'}"
    context = {
        "title": says_so(
            title or f"Lists for the probability of {outcome}", explored.model.is_synthetic
        ),
        "data": data,
        "version": __version__,
        "is_held_out": explored.held_out is not None,
        "n_found": int(first_digit(n_found)) if data["roundedTo"] else n_found,
    }
    return render_page("explorer.html", context, data)
