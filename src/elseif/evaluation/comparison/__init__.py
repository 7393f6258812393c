"""Section 4 and the appendix: the classifiers that Bayesian rule lists are compared with."""

from elseif.evaluation.comparison.indicators import Indicators
from elseif.evaluation.comparison.published import (
    EVERYBODY,
    MEN,
    PUBLISHED,
    WOMEN,
    Figure,
    Published,
)
from elseif.evaluation.comparison.registry import Comparison, comparison_classifiers
from elseif.evaluation.comparison.svm import TunedSVM
from elseif.evaluation.comparison.through_r import C50, BayesianCART
from elseif.evaluation.comparison.trees import PrunedTree, TunedForest

__all__ = [
    "comparison_classifiers",
    "Comparison",
    "Indicators",
    "PrunedTree",
    "TunedForest",
    "TunedSVM",
    "C50",
    "BayesianCART",
    "PUBLISHED",
    "Published",
    "Figure",
    "EVERYBODY",
    "WOMEN",
    "MEN",
]
