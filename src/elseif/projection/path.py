"""ProjectionPath: for every number of rules the list that best reproduces the posterior."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.errors import ParamError
from elseif.posterior.rule_list import RuleList

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

LOSS_ERRORS = 2.0  # standard errors that a suggested list's log loss may be above the lowest
AUC_TOLERANCE = 0.01  # that its AUC may be below the highest of such lists


@dataclass(frozen=True, eq=False)
class PathScores:
    """How the lists of a path predict observations that they were not learnt from.

    Arrays have an entry for each length from 0.

    Attributes
    ----------
    folds : int
        Number of folds.
    n : int
        Number of observations.
    log_loss : np.ndarray
        Mean log loss by length.
    log_loss_gap : np.ndarray
        Mean difference from the lowest log loss.
    log_loss_gap_error : np.ndarray
        Standard error of that difference, row by row; 0 for the lowest.
    auc : np.ndarray
        AUC by length; with more than two labels the mean of one label against the others.
    posterior_log_loss : float
        Log loss of the average over the posterior.
    posterior_auc : float
        AUC of the average over the posterior.
    point_log_loss : float
        Log loss of the point estimate.
    point_auc : float
        AUC of the point estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.projection import PathScores
    >>> loss, auc = np.array([0.6, 0.5, 0.5]), np.array([0.5, 0.7, 0.705])
    >>> PathScores(5, 100, loss, loss - 0.5, np.full(3, 0.01), auc, 0.5, 0.8, 0.5, 0.8).suggested
    1
    """

    folds: int
    n: int
    log_loss: np.ndarray
    log_loss_gap: np.ndarray
    log_loss_gap_error: np.ndarray
    auc: np.ndarray
    posterior_log_loss: float
    posterior_auc: float
    point_log_loss: float
    point_auc: float

    @property
    def near_best(self) -> np.ndarray:
        """Whether each length is nearly as good as the best, by log loss and by AUC.

        Its log loss is within two standard errors of the lowest, and its AUC within 0.01 of the
        highest of the lengths of which that holds. Without an AUC, log loss alone decides.
        """
        near: np.ndarray = self.log_loss_gap <= LOSS_ERRORS * self.log_loss_gap_error
        auc = np.where(near, self.auc, np.nan)
        if np.isnan(auc).all():
            return near
        return near & (auc >= np.nanmax(auc) - AUC_TOLERANCE)

    @property
    def suggested(self) -> int:
        """The shortest length that is nearly as good as the best, by log loss and by AUC."""
        return int(np.flatnonzero(self.near_best)[0])


class ProjectionPath:
    """For every number of rules, the list whose lines best reproduce the posterior.

    ``path[m]`` is the closest list of at most m rules, the default rule not counted, with at least
    10 training observations, or units of weight, on every line. Distances
    are the mean of the Kullback-Leibler divergence from the posterior predictive, averaged over
    the training rows, and of the ranking that is lost, in nats: of both, the list without rules
    loses the same.

    Parameters
    ----------
    lists : sequence of RuleList
        The closest list for each length from 0.
    distances : sequence of float
        Their distances from the posterior predictive.
    point_distance : float
        Distance of the point estimate.
    scores : PathScores, default=None
        Scores out of sample.
    classifier : BayesianRuleListClassifier, default=None
        What ``as_classifier`` copies.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic()
    >>> classifier = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> path = classifier.project(X, y, max_length=4, folds=None)
    >>> len(path[2])
    2
    >>> bool(path.distances[4] < path.distances[2])
    True
    >>> path.as_classifier(4).predict_with
    'projected'
    >>> len(path.to_frame()), path.of(classifier).to_text() == path.to_text()
    (5, True)
    >>> path.plot().savefig("path.png")
    """

    def __init__(
        self,
        lists: Sequence[RuleList],
        distances: Sequence[float],
        point_distance: float,
        scores: PathScores | None = None,
        classifier: Any = None,
    ) -> None:
        self.lists = tuple(lists)
        self.distances = np.asarray(distances, dtype=float)
        self.point_distance = point_distance  # of the paper's point estimate
        self.scores = scores
        self._classifier = classifier

    @property
    def max_length(self) -> int:
        """The longest length that was looked at."""
        return len(self.lists) - 1

    @property
    def suggested(self) -> int | None:
        """The shortest length that is nearly as good as the best, if the path was validated."""
        return None if self.scores is None else self.scores.suggested

    def __len__(self) -> int:
        return len(self.lists)

    def __iter__(self) -> Iterator[RuleList]:
        return iter(self.lists)

    def __getitem__(self, length: int) -> RuleList:
        return self.lists[self._checked(length)]

    def as_classifier(self, length: int | None = None) -> Any:
        """A copy of the fitted classifier that predicts with a list of the path.

        Parameters
        ----------
        length : int, default=None
            Most rules of the list. None takes the suggested length, or the longest where the path
            was not validated.

        Returns
        -------
        BayesianRuleListClassifier
            With ``predict_with="projected"``, that ``max_length``, and the list as
            ``projected_rule_list_``.
        """
        if self._classifier is None:
            raise ParamError("This path came without a classifier: use the one that it came from.")
        chosen = self.chosen if length is None else self._checked(length)
        copied = copy.copy(self._classifier)
        copied.predict_with = "projected"
        copied.max_length = chosen  # what is fitted again, as to folds, has lists of that length
        copied.model_ = replace(
            self._classifier.model_.with_settings(max_length=chosen),
            projection_path=self.of(copied),
            projected_rule_list=self.lists[chosen],
        )
        return copied

    @property
    def chosen(self) -> int:
        """The suggested length, or the longest where none is suggested."""
        return self.max_length if self.suggested is None else self.suggested

    def of(self, classifier: Any, scores: PathScores | None = None) -> ProjectionPath:
        """The same path for another classifier.

        Parameters
        ----------
        classifier : BayesianRuleListClassifier
            What ``as_classifier`` copies.
        scores : PathScores, default=None
            Scores out of sample; by default those of the path.

        Returns
        -------
        ProjectionPath
            The path.
        """
        return ProjectionPath(
            self.lists,
            self.distances.tolist(),
            self.point_distance,
            scores or self.scores,
            classifier,
        )

    def to_frame(self) -> pd.DataFrame:
        """Convert to a data frame.

        Returns
        -------
        DataFrame
            One row for each length: rules, distance, and scores out of sample if there are any.
        """
        import pandas as pd  # loaded when a table is requested

        columns: dict[str, Any] = {
            "max_length": range(len(self)),
            "rules": [len(each) for each in self.lists],
            "distance": self.distances,
        }
        if self.scores is not None:
            columns |= {
                "log_loss": self.scores.log_loss,
                "log_loss_gap": self.scores.log_loss_gap,
                "log_loss_gap_error": self.scores.log_loss_gap_error,
                "auc": self.scores.auc,
                "suggested": np.arange(len(self)) == self.suggested,
            }
        return pd.DataFrame(columns)

    def plot(self) -> Figure:
        """Draw distance and out-of-sample log loss by length.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.path_plot import plot_path  # loads matplotlib

        return plot_path(self)

    def to_text(self, width: int = 100, length: int | None = None) -> str:
        """Write the path as a table, with one of its lists.

        Parameters
        ----------
        width : int, default=100
            Longest line.
        length : int, default=None
            Most rules of the list shown; None shows that of the suggested length, or the longest.

        Returns
        -------
        str
            The text.
        """
        from elseif.showing.path_text import path_text

        return path_text(self, width, length)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from elseif.showing.path_text import path_html  # loaded in notebooks only

        return path_html(self)

    def _checked(self, length: Any) -> int:
        if isinstance(length, bool) or not isinstance(length, (int, np.integer)):
            raise ParamError(f"length is {length!r}; it must be a whole number.")
        if not 0 <= length <= self.max_length:
            raise ParamError(
                f"length is {length}; the path has lists of at most 0 to {self.max_length} rules."
            )
        return int(length)
