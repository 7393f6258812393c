"""Sections 2.1 and 2.2: antecedents, the pool, and mining."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
