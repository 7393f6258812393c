"""Pictures: ordinary figures with the right numbers in them, and nothing left behind."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError
from elseif.sampler.convergence import Convergence, Quantity, nothing_to_sample
from tests.posterior.test_rule_list import HOSTILE, THREE, TWO, make
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def drawn(figure: Any) -> list[str]:
    """A figure is drawn to the end; the texts that it shows."""
    assert isinstance(figure, Figure)
    memory = io.BytesIO()
    figure.savefig(memory, format="png")
    assert memory.getvalue().startswith(b"\x89PNG")
    texts = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    texts += [text.get_text() for axes in figure.axes for text in axes.texts]
    texts += [axes.get_xlabel() for axes in figure.axes]
    return texts


def test_a_list_of_two_labels() -> None:
    """A bar to a rule from low to high, a point at the mean, the numbers beside it."""
    figure = TWO.plot(level=0.9)
    texts = drawn(figure)
    assert "if smoker\nn = 40" in texts
    assert "else\nn = 5" in texts
    assert "probability of yes, with its 90% credible interval" in texts
    (axes,) = figure.axes
    bars = [line.get_xdata() for line in axes.get_lines() if len(line.get_xdata()) == 2]
    points = [line.get_xdata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(bars, [rule.interval("yes", 0.9) for rule in TWO.rules])
    np.testing.assert_allclose(points, [rule.probabilities[1] for rule in TWO.rules])
    assert axes.get_xlim() == (0, 1)


def test_a_list_of_three_labels() -> None:
    """Every label has a colour, named in the legend; one label can be asked for."""
    figure = THREE.plot()
    drawn(figure)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]
    assert "probability of b, with its 95% credible interval" in drawn(THREE.plot("b"))
    with pytest.raises(ParamError, match="'z'"):
        THREE.plot("z")


def test_more_labels_than_colours() -> None:
    """Of very many labels the most frequent are drawn."""
    classes = [f"label {i:02}" for i in range(12)]
    counts = [[*range(12)], [*range(12)]]
    figure = make(["smoker"], counts, classes).plot()
    drawn(figure)
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["label 09", "label 10", "label 11"]


def test_the_empty_list() -> None:
    """One line, always."""
    assert "always\nn = 100" in drawn(make([], [[30, 70]]).plot())


# a font need not have every letter; the picture is drawn all the same
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", [*HOSTILE, "a $x$ b", r"$\frac{", "$", r"\$5"], ids=ascii)
def test_hostile_names(name: str) -> None:
    """Nothing in a name is mathematics, breaks the picture or floods it."""
    figure = make([name, "b"], [[1, 2], [3, 4], [5, 6]], ["no", name or "yes"]).plot()
    texts = drawn(figure)
    assert max(map(len, texts)) < 300
    assert figure.get_size_inches()[1] < 8


def test_the_posterior(titanic_classifier: BayesianRuleListClassifier) -> None:
    """Lengths and inclusion are those of the sum over all lists."""
    posterior = titanic_classifier.posterior_
    figure = posterior.plot_lengths()
    drawn(figure)
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    expected = posterior.length_probabilities
    np.testing.assert_allclose(heights, expected[expected >= 5e-4])
    figure = posterior.plot_inclusion(most=4)
    texts = drawn(figure)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    np.testing.assert_allclose(widths, list(posterior.inclusion().values())[:4])
    assert "age = adult and sex = male" in texts
    for most in (0, -1, 1.5, "3", True):
        with pytest.raises(ParamError, match="most is"):
            posterior.plot_inclusion(most=most)


def test_the_posterior_of_chains() -> None:
    """Lengths are those of the draws where only chains ran."""
    X, y = random_frame()
    posterior = quick(kernel="tempered").fit(X, y).posterior_
    figure = posterior.plot_lengths()
    drawn(figure)
    assert figure.axes[0].get_ylabel() == "share of the draws"
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    lengths = posterior.lengths
    expected = [(lengths == m).mean() for m in range(lengths.min(), lengths.max() + 1)]
    np.testing.assert_allclose(heights, expected)
    # an inclusion that is not steady is marked as text, in notebooks and in the figure, alone
    names = list(posterior.inclusion())[:3]
    for unsteady in ([], names[1:2]):
        posterior.unsteady = frozenset(posterior.pool.names.index(name) for name in unsteady)
        inclusion = posterior.inclusion()
        lines = str(inclusion).splitlines()
        assert ["%~ " in line for line in lines[:3]] == [name in unsteady for name in names]
        assert lines[-1].startswith("~ not yet steady") == bool(unsteady)
        for page in (inclusion._repr_html_(), posterior._repr_html_()):
            assert page.count(" ~</td>") == len(unsteady)
            assert ("~ not yet steady" in page) == bool(unsteady)
        figure = posterior.plot_inclusion(most=3)
        texts = drawn(figure)
        assert sum(text.endswith(" ~") for text in texts) == len(unsteady)
        assert ("not yet steady" in figure.axes[0].get_xlabel()) == bool(unsteady)


def test_the_traces(titanic_classifier: BayesianRuleListClassifier) -> None:
    """A row to a chain: log posterior and length, of the draws themselves."""
    posterior = titanic_classifier.posterior_
    figure = posterior.plot_traces()
    drawn(figure)
    assert len(figure.axes) == 2 * len(posterior.chains)
    line = figure.axes[0].get_lines()[0]
    points = line.get_xdata().astype(int) - 1
    np.testing.assert_array_equal(line.get_ydata(), posterior.log_posterior[0, points])
    line = figure.axes[3].get_lines()[0]
    lengths = posterior.lengths.reshape(len(posterior.chains), -1)
    np.testing.assert_array_equal(line.get_ydata(), lengths[1, line.get_xdata().astype(int) - 1])


def test_one_chain_and_a_frozen_one() -> None:
    """Short and constant traces are drawn too."""
    X, y = random_frame()
    classifier = quick(n_chains=1, n_iter=20).fit(X, y)
    drawn(classifier.posterior_.plot_traces())
    drawn(classifier.convergence_.plot())
    alone = quick(min_support=1.0, empty_pool="default_rule").fit(X, y)
    for figure in (
        alone.posterior_.plot_traces(),
        alone.posterior_.plot_lengths(),
        alone.posterior_.plot_inclusion(),
        alone.convergence_.plot(),
        alone.rule_list_.plot(),
    ):
        drawn(figure)


def test_many_chains() -> None:
    """The first eight are drawn, and the picture says so."""
    X, y = random_frame()
    figure = quick(n_chains=10, n_iter=20).fit(X, y).posterior_.plot_traces()
    assert "kept draw, the first 8 of 10 chains" in drawn(figure)


def test_convergence(titanic_classifier: BayesianRuleListClassifier) -> None:
    """R-hat and effective draws of every quantity; what has no number says so."""
    convergence = titanic_classifier.convergence_
    figure = convergence.plot()
    texts = drawn(figure)
    assert "log posterior" in texts
    points = [
        line.get_xdata()[0] for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 1
    ]
    finite = [q.r_hat for q in convergence.quantities if np.isfinite(q.r_hat)]
    np.testing.assert_allclose(points, finite)
    nan = float("nan")
    odd = (Quantity("frozen", float("inf"), nan, nan), Quantity("constant", nan, nan, nan))
    texts = drawn(Convergence(nan, "not converged", odd, nan, nan, 2, 100, 3).plot())
    assert {"infinite", "not available"} <= set(texts)
    drawn(nothing_to_sample().plot())


def test_notebooks_show_figures() -> None:
    """A figure shows itself, pyplot or not."""
    assert TWO.plot()._repr_png_().startswith(b"\x89PNG")


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_pyplot_is_left_alone() -> None:
    """Figures belong to nobody: pyplot is not loaded, so nothing needs closing."""
    code = (
        "import sys\n"
        "from tests.posterior.test_rule_list import TWO\n"
        "assert 'matplotlib' not in sys.modules\n"
        "TWO.plot()._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert run(code) == "False"


def test_without_matplotlib() -> None:
    """The error names the extra."""
    code = (
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "from tests.posterior.test_rule_list import TWO\n"
        "from elseif.errors import ParamError\n"
        "try:\n"
        "    TWO.plot()\n"
        "except ParamError as error:\n"
        "    print(error)"
    )
    assert run(code) == "Figures need matplotlib: pip install '.[plot]' in a clone of elseif."
