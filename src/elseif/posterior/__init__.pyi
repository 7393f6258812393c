from elseif.posterior.draws import Posterior as Posterior
from elseif.posterior.rule_list import (
    Rule as Rule,
    RuleList as RuleList,
)
