"""Cohorts from a database in the OMOP common data model: who, when, what before, what after."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
