"""elseif: Bayesian rule lists, learnt as a posterior and made to be read."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.explain_mixin import edit
    from elseif.explaining.case import UNKNOWN
    from elseif.explaining.explanation import explain
    from elseif.explaining.unknown_values import possible_rules
    from elseif.export.formats import export_model
    from elseif.export.model_file import load_model, save_model
    from elseif.posterior.rule_list import RuleList
    from elseif.tables.parquet import ParquetTable
    from elseif.tables.sparse_table import SparseTable

__version__ = "0.1.0"
__all__ = [
    "BayesianRuleListClassifier",
    "RuleList",
    "ParquetTable",
    "SparseTable",
    "save_model",
    "load_model",
    "export_model",
    "explain",
    "edit",
    "possible_rules",
    "UNKNOWN",
    "__version__",
]

_HOMES = {
    "BayesianRuleListClassifier": "elseif.estimator",
    "RuleList": "elseif.posterior.rule_list",
    "ParquetTable": "elseif.tables.parquet",
    "SparseTable": "elseif.tables.sparse_table",
    "save_model": "elseif.export.model_file",
    "load_model": "elseif.export.model_file",
    "export_model": "elseif.export.formats",
    "explain": "elseif.explaining.explanation",
    "edit": "elseif.explain_mixin",
    "possible_rules": "elseif.explaining.unknown_values",
    "UNKNOWN": "elseif.explaining.case",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import elseif`` is quick."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'elseif' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
