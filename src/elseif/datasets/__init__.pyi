from elseif.datasets.nafld_cdm import (
    Nafld as Nafld,
    NafldFacts as NafldFacts,
    load_nafld as load_nafld,
    make_nafld_cdm as make_nafld_cdm,
)
from elseif.datasets.patients.planted import (
    PlantedRule as PlantedRule,
    PlantedStroke as PlantedStroke,
    facts_path as facts_path,
    read_planted as read_planted,
)
from elseif.datasets.simulated import (
    RuleListProblem as RuleListProblem,
    make_rule_list_problem as make_rule_list_problem,
)
from elseif.datasets.stroke_cdm import make_stroke_cdm as make_stroke_cdm
from elseif.datasets.survival_tables import read_survival as read_survival
from elseif.datasets.tictactoe import load_tictactoe as load_tictactoe
from elseif.datasets.titanic import load_titanic as load_titanic
