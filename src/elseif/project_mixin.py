"""Methods of a classifier for the projected list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elseif.checks import check_count
from elseif.errors import ParamError
from elseif.parameters import MOST_RULES

if TYPE_CHECKING:
    from elseif.model.problem import Problem
    from elseif.posterior.draws import Posterior
    from elseif.posterior.rule_list import RuleList
    from elseif.projection.path import ProjectionPath

SHORTEST_PATH, LONGEST_PATH = 10, 20  # where no length is given


def longest_of_path(point: RuleList) -> int:
    """The default for the maximum number of rules."""
    return min(max(2 * len(point), SHORTEST_PATH), LONGEST_PATH)


class ProjectMixin:
    """Methods of a BayesianRuleListClassifier for the list closest to its posterior."""

    def project(
        self: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        max_length: int | None = None,
        folds: int | None = 5,
    ) -> ProjectionPath:
        """The lists that best reproduce the posterior's predictions, one for each number of rules.

        Parameters
        ----------
        X, y, sample_weight
            The data of fit, which a fitted classifier does not keep.
        max_length : int, default=None
            Maximum number of rules. None allows twice as many as the point estimate has, at least
            10 and at most 20.
        folds : int, default=5
            Number of folds of the cross-validation that scores every length out of sample and
            determines the suggested length. Everything is learnt again in each fold. None skips it.

        Returns
        -------
        ProjectionPath
            The path; its ``as_classifier()`` predicts with the list of the suggested length.

        Examples
        --------
        >>> from elseif import BayesianRuleListClassifier
        >>> from elseif.datasets import load_titanic
        >>> X, y = load_titanic()
        >>> classifier = BayesianRuleListClassifier(random_state=0).fit(X, y)
        >>> path = classifier.project(X, y, max_length=3, folds=None)
        >>> [len(rule_list) for rule_list in path]
        [0, 1, 2, 3]
        """
        if max_length is not None:
            check_count("max_length", max_length, 0, MOST_RULES)
        draft = self.edit(X, y, sample_weight)  # sees to it that these are the data of fit
        posterior = draft.context.model.posterior
        if posterior is None:
            raise ParamError(
                "The model was saved without its posterior, to which lists are compared. Fit "
                "again, or save it with posterior='lists'."
            )
        longest = longest_of_path(self.rule_list_) if max_length is None else max_length
        from elseif.projection.project import problem_of_draft, project_problem

        path = project_problem(problem_of_draft(draft), posterior, self.rule_list_, longest)
        scores = None
        if folds is not None:
            from elseif.evaluation.projection_scores import score_path

            options = {"folds": folds, "progress": self._progress()}
            scores = score_path(self, X, y, sample_weight, longest, **options)
        return path.of(self, scores)

    def _check_projection(self: Any, problem: Problem) -> None:
        """Say before sampling if there is no memory for the projected list."""
        if self.predict_with == "projected" and problem.pool_size:
            from elseif.projection.target import require_target_memory

            require_target_memory(problem)

    def _projected(
        self: Any, problem: Problem, posterior: Posterior, point: RuleList
    ) -> ProjectionPath | None:
        """The projected list, if it is to predict."""
        if self.predict_with != "projected":
            return None
        from elseif.projection.project import project_problem  # loads compiled code

        max_length = len(point) if self.max_length is None else int(self.max_length)
        return project_problem(problem, posterior, point, max_length)
