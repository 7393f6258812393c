"""Data sets of the paper's sections 3 and 4."""

from elseif.datasets.patients.planted import PlantedRule, PlantedStroke, read_planted
from elseif.datasets.simulated import RuleListProblem, make_rule_list_problem
from elseif.datasets.stroke_cdm import make_stroke_cdm
from elseif.datasets.tictactoe import load_tictactoe
from elseif.datasets.titanic import load_titanic

__all__ = [
    "PlantedRule",
    "PlantedStroke",
    "RuleListProblem",
    "load_tictactoe",
    "load_titanic",
    "make_rule_list_problem",
    "make_stroke_cdm",
    "read_planted",
]
