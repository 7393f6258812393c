"""Cohorts from a database in the OMOP common data model: members, features and outcomes."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
