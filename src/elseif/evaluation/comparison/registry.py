"""The comparison classifiers by name: how they are made, and what they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from elseif.errors import ParamError, install
from elseif.evaluation.comparison import modern
from elseif.evaluation.comparison.published import PUBLISHED, Published
from elseif.evaluation.comparison.svm import MOST_ROWS, TunedSVM
from elseif.evaluation.comparison.through_r import C50, BayesianCART, RClassifier, lacking_in_r
from elseif.evaluation.comparison.trees import PrunedTree, TunedForest

L1_COSTS = tuple(2.0**k for k in range(-6, 7, 2))
N_TUNING_FOLDS = 3


@dataclass(frozen=True, eq=False)
class Comparison:
    """One classifier to compare with.

    Attributes
    ----------
    name : str
        The name.
    factory : Callable[[], Any]
        Makes the estimator.
    note : str
        How it is set up, for a footnote.
    needs : str
        What has to be installed; empty if it comes with elseif.
    published : Published
        What the paper reports for it.
    unavailable : str | None
        Why it cannot run here, or None; the text can follow "not run:".

    Examples
    --------
    >>> from elseif.evaluation import comparison_classifiers
    >>> comparison_classifiers()["CART"].make()
    PrunedTree(random_state=0)
    """

    name: str
    factory: Callable[[], Any]
    note: str
    needs: str = ""
    published: Published = field(default_factory=Published)
    unavailable: str | None = None

    def make(self) -> Any:
        """Make an unfitted estimator.

        Returns
        -------
        estimator
            It takes a table of 0 and 1, sparse or dense. If it cannot be made, a ParamError says
            why.
        """
        if self.unavailable is not None:
            raise ParamError(f"{self.name} is not run: {self.unavailable}.")
        return self.factory()


def comparison_classifiers(
    seed: int = 0,
    n_jobs: int | None = None,
    shape: tuple[int, int] | None = None,
) -> dict[str, Comparison]:
    """The classifiers of the paper's appendix with its grids, and newer ones.

    Parameters
    ----------
    seed : int, default=0
        Random seed of every classifier.
    n_jobs : int, default=None
        Number of jobs, as in joblib.
    shape : (int, int), default=None
        Rows and columns of a training table. Classifiers that cannot handle one so large are
        marked as unavailable.

    Returns
    -------
    dict of Comparison
        By name.

    Examples
    --------
    >>> from elseif.evaluation import comparison_classifiers
    >>> sorted(comparison_classifiers())[:3]
    ['Bayesian CART', 'C5.0', 'CART']
    """
    entries = [
        *_of_the_appendix(seed, n_jobs),
        _through_r("C5.0", C50, "R's C50 with its defaults", seed, shape),
        _through_r(
            "Bayesian CART",
            BayesianCART,
            "R's tgp, bcart with its defaults; it ran out of memory in the paper's stroke study",
            seed,
            shape,
        ),
        *_of_today(seed, n_jobs),
    ]
    return {entry.name: entry for entry in entries}


def _of_the_appendix(seed: int, n_jobs: int | None) -> list[Comparison]:
    logistic = LogisticRegression(solver="liblinear", l1_ratio=1.0, random_state=seed)
    search = partial(
        GridSearchCV, logistic, {"C": list(L1_COSTS)}, cv=N_TUNING_FOLDS, n_jobs=n_jobs
    )
    made: list[tuple[str, Callable[[], Any], str]] = [
        (
            "CART",
            partial(PrunedTree, random_state=seed, n_jobs=n_jobs),
            "scikit-learn's tree with rpart's least sizes of nodes, pruned at the cost complexity "
            "of the best accuracy in 10 folds",
        ),
        (
            "l1 logistic regression",
            search,
            "LIBLINEAR; C of 2^-6, 2^-4, ..., 2^6 by accuracy in 3 folds",
        ),
        (
            "SVM",
            partial(TunedSVM, random_state=seed, n_jobs=n_jobs),
            "LIBSVM with a radial basis function; C of 2^-2, ..., 2^6 and gamma of 2^-6, ..., 2^2 "
            "by accuracy in 3 folds, all 25 pairs, sharing one table of distances; ranked by its "
            f"decision function; of more than {MOST_ROWS:,} training rows a stratified sample",
        ),
        (
            "random forests",
            partial(TunedForest, random_state=seed, n_jobs=n_jobs),
            "500 trees; features tried at a split tuned on 50 trees as by R's tuneRF",
        ),
    ]
    return [Comparison(n, make, note, published=PUBLISHED[n]) for n, make, note in made]


def _through_r(
    name: str,
    kind: type[RClassifier],
    note: str,
    seed: int,
    shape: tuple[int, int] | None,
) -> Comparison:
    too_large = None if shape is None else kind().too_large(*shape)
    return Comparison(
        name,
        partial(kind, random_state=seed),
        note,
        f"R with its package {kind.package}",
        PUBLISHED[name],
        too_large or lacking_in_r(kind.package),
    )


def _of_today(seed: int, n_jobs: int | None) -> list[Comparison]:
    boosted, curves = f"{modern.FOR_BOOSTING:.0%}", f"{modern.FOR_CURVES:.0%}"
    extra = install("compare")
    return [
        Comparison(
            "gradient boosting",
            partial(modern.gradient_boosting, seed),
            "scikit-learn's HistGradientBoostingClassifier, 100 trees of at most 8 leaves, on "
            f"columns true in {boosted} of the training rows or more, for it holds them densely",
        ),
        Comparison(
            "explainable boosting",
            partial(modern.explainable_boosting, seed, n_jobs),
            "interpret's explainable boosting machine, 8 bags, at most "
            f"{modern.MOST_ROUNDS:,} rounds, without interactions, on columns true in "
            f"{curves} of the training rows or more: those that rules are mined from",
            extra,
            unavailable=_lacking(extra, "interpret"),
        ),
        Comparison(
            "FIGS",
            partial(modern.greedy_tree_sums, seed),
            "imodels' sum of small trees with 12 splits altogether, on columns true in "
            f"{boosted} of the training rows or more; imodels' Bayesian rule list takes too long "
            "on a table of this size",
            extra,
            unavailable=_lacking(extra, "imodels", "six"),
        ),
        Comparison(
            "CORELS",
            modern.optimal_rule_list,
            f"corels, rules of at most 2 conditions with a support of {curves} or more, 100,000 "
            "nodes of its search; probabilities are shares of training rows",
            "pip install corels",
            unavailable=_lacking("pip install corels", "corels"),
        ),
    ]


def _lacking(remedy: str, *modules: str) -> str | None:
    missing = modern.lacking_in_python(*modules)
    return f"needs {' and '.join(missing)} ({remedy})" if missing else None
