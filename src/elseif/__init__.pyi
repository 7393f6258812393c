from elseif.estimator import BayesianRuleListClassifier as BayesianRuleListClassifier
from elseif.explain_mixin import edit as edit
from elseif.explaining.case import UNKNOWN as UNKNOWN
from elseif.explaining.explanation import explain as explain
from elseif.explaining.unknown_values import possible_rules as possible_rules
from elseif.export.formats import export_model as export_model
from elseif.export.model_file import (
    load_model as load_model,
    save_model as save_model,
)
from elseif.posterior.rule_list import RuleList as RuleList
from elseif.tables.parquet import ParquetTable as ParquetTable
from elseif.tables.sparse_table import SparseTable as SparseTable

__version__: str
__all__: list[str]
