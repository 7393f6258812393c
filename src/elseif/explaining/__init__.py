"""Explanations: why a list predicts what it does for a case, and what would change it."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
