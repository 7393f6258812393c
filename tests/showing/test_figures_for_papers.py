"""Figures that a paper can print: no text on another, rows with names, axes that fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from elseif import BayesianRuleListClassifier
from elseif.antecedents import Antecedent
from elseif.conditions import Condition
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.sampler.convergence import Quantity
from elseif.showing.convergence_plot import plot_convergence
from elseif.tables.columns import Kind

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def chains() -> tuple[BayesianRuleListClassifier, pd.DataFrame, pd.Series]:
    """Chains over a pool of long names and a rare outcome."""
    rng = np.random.default_rng(1)
    n = 1500
    X = pd.DataFrame(
        {f"laboratory value number {i}": rng.normal(size=n).round(2) for i in range(3)}
    )
    X["potassium"], X["smoker"] = rng.normal(4, 1, n).round(1), rng.random(n) < 0.3
    risk = np.where(X["potassium"] < 3, 0.08, np.where(X["smoker"], 0.03, 0.004))
    y = pd.Series(rng.random(n) < risk, name="death")
    fitted = BayesianRuleListClassifier(random_state=0, n_iter=4000, kernel="tempered")
    return fitted.fit(X, y), X, y


def texts_of(figure: Any) -> Iterator[tuple[str, Any]]:
    """Every text that is drawn, with its box; a title above an axis is a text too."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    beyond = set()  # labels of ticks outside the axes, which are not drawn
    for axes in figure.axes:
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in axis.get_major_ticks():
                if not min(low, high) - 1e-9 <= tick.get_loc() <= max(low, high) + 1e-9:
                    beyond.add(tick.label1)
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in beyond:
            yield text.get_text(), text.get_window_extent(renderer)


def test_no_text_lies_on_another(
    chains: tuple[BayesianRuleListClassifier, pd.DataFrame, pd.Series],
) -> None:
    """In any figure, and all of it is on the page."""
    fitted, X, y = chains
    figures = {
        "list": fitted.rule_list_.plot(),
        "traces": fitted.posterior_.plot_traces(),
        "inclusion": fitted.posterior_.plot_inclusion(),
        "lengths": fitted.posterior_.plot_lengths(),
        "convergence": fitted.convergence_.plot(),
        "path": fitted.project(X, y, folds=2, max_length=3).plot(),
    }
    for name, figure in figures.items():
        texts = list(texts_of(figure))
        assert texts, name
        for (first, a), (second, b) in combinations(texts, 2):
            width = min(a.x1, b.x1) - max(a.x0, b.x0)
            height = min(a.y1, b.y1) - max(a.y0, b.y0)
            assert width <= 1 or height <= 1, (name, first, second)
        for text, box in texts:
            assert box.x0 >= -1, (name, text)
            assert box.x1 <= figure.bbox.x1 + 1, (name, text)


def test_long_names_of_neighbouring_rows_do_not_collide() -> None:
    """A row of two lines is as high as it needs; both axes say what they are."""
    long = [f"inclusion of {a} pressure at admission > 140 and {a} ≤ 1234567" for a in "abc"]
    names = [*(f"inclusion of {a}" for a in "abcdefghijkl"), *long]
    quantities = tuple(Quantity(name, 1.01, 500.0, 0.001) for name in names)
    figure = plot_convergence(quantities, 1.05, 400, {})
    boxes = [box for text, box in texts_of(figure) if text]
    for a, b in combinations(boxes, 2):
        width = min(a.x1, b.x1) - max(a.x0, b.x0)
        assert width <= 1 or min(a.y1, b.y1) - max(a.y0, b.y0) <= 1


def test_long_names_of_rows_differ_by_their_ends() -> None:
    """A name of no reasonable length is cut in its middle: the value stays."""
    start = "share of the list: C-reactive protein, measured on the first day in hospital > 8; " * 3
    quantities = [Quantity(f"{start}age > {age}", 1.0, 1000.0, 0.001) for age in (60, 70)]
    axes = plot_convergence(quantities, 1.05, 400, {}).axes[0]
    texts = [" ".join(tick.get_text().split()) for tick in axes.get_yticklabels()]
    assert [text[-8:] for text in texts] == ["age > 60", "age > 70"]
    assert all("…" in text for text in texts)


def test_rows_of_convergence_have_names(
    chains: tuple[BayesianRuleListClassifier, pd.DataFrame, pd.Series],
) -> None:
    """Rules and lists in words, and in those of a labels file."""
    fitted, _, _ = chains
    labels = {"columns": {"potassium": {"name": "K", "unit": "mmol/L"}}}
    for classifier, name in ((fitted, "potassium"), (fitted.with_labels(labels), "K")):
        axes = classifier.convergence_.plot().axes[0]
        rows = [label.get_text() for label in axes.get_yticklabels()]
        assert "20 predicted probabilities" in rows
        assert not any("antecedent" in row or "list 1" in row for row in rows)
        assert any(row.startswith(f"inclusion of {name} ") for row in rows), rows
        assert any(row.startswith("share of the list:") for row in rows), rows
    assert fitted.convergence_ == fitted.model_.convergence


@pytest.mark.parametrize(
    ("n", "events", "end"), [(20_000, 12, 0.01), (4000, 200, 0.06), (50, 40, 1)]
)
def test_the_axis_of_a_list_fits(n: int, events: int, end: float) -> None:
    """A rare outcome fills the picture, too."""
    metadata = ModelMetadata(np.array([False, True]), np.ones(2), {"a": Kind.BOOLEAN}, outcome="y")
    counts = np.array([[n - events, events], [n, 1]])
    rule_list = make_rule_list([Antecedent([Condition("a", "is true")])], counts, metadata)
    (axes,) = rule_list.plot().axes
    assert axes.get_xlim() == (0, end)
