"""Data drawn from a known rule list (section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.errors import ParamError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class RuleListProblem:
    """Simulated observations and labels, and the list that the labels were drawn from.

    Attributes
    ----------
    X : pd.DataFrame
        Whether each rule applies to each observation.
    y : np.ndarray
        The labels, 0 or 1.
    antecedents : tuple[str, ...]
        The true list, in order.
    probabilities : np.ndarray
        Probability of label 1 for each rule, the default rule last.

    Examples
    --------
    >>> from elseif.datasets import make_rule_list_problem
    >>> problem = make_rule_list_problem(n_observations=50, n_rules=8, length=2, random_state=0)
    >>> problem.X.shape, len(problem.antecedents), len(problem.probabilities)
    ((50, 8), 2, 3)
    """

    X: pd.DataFrame
    y: np.ndarray
    antecedents: tuple[str, ...]
    probabilities: np.ndarray

    def __iter__(self) -> Any:
        """So that ``X, y = make_rule_list_problem()`` works."""
        return iter((self.X, self.y))


def make_rule_list_problem(
    n_observations: int = 1000,
    n_rules: int = 100,
    length: int = 5,
    cover_probability: float = 0.5,
    random_state: int | np.random.Generator | None = None,
) -> RuleListProblem:
    """Simulate rules, a random list of some of them, and labels drawn from the list.

    As in the paper, the probabilities of the list are draws from Beta(1/2, 1/2).

    Parameters
    ----------
    n_observations : int, default=1000
        Number of observations.
    n_rules : int, default=100
        Number of rules.
    length : int, default=5
        Number of rules in the list, the default rule not counted.
    cover_probability : float, default=0.5
        Probability that a rule applies to an observation.
    random_state : int, Generator or None, default=None
        The seed.

    Returns
    -------
    RuleListProblem
        Observations, labels and the true list.

    Examples
    --------
    >>> from elseif.datasets import make_rule_list_problem
    >>> make_rule_list_problem(n_observations=50, n_rules=8, length=2, random_state=0).y.shape
    (50,)
    """
    import pandas as pd

    for name, value, least in (
        ("n_observations", n_observations, 1),
        ("n_rules", n_rules, 1),
        ("length", length, 0),
    ):
        if value < least:
            raise ParamError(f"{name} is {value!r}; it must be {least} or more.")
    if length > n_rules:
        raise ParamError(f"length is {length}, more than n_rules={n_rules}.")
    if not 0 < cover_probability < 1:
        raise ParamError(f"cover_probability is {cover_probability!r}; it lies between 0 and 1.")
    rng = np.random.default_rng(random_state)
    width = len(str(n_rules))
    names = [f"rule {i + 1:0{width}d}" for i in range(n_rules)]
    covers = rng.random((n_observations, n_rules)) < cover_probability
    chosen = rng.choice(n_rules, size=length, replace=False)
    probabilities = rng.beta(0.5, 0.5, size=length + 1)
    applies = np.column_stack([covers[:, chosen], np.ones(n_observations, dtype=bool)])
    first = np.argmax(applies, axis=1)
    y = (rng.random(n_observations) < probabilities[first]).astype(int)
    return RuleListProblem(
        X=pd.DataFrame(covers, columns=names),
        y=y,
        antecedents=tuple(names[i] for i in chosen),
        probabilities=probabilities,
    )
