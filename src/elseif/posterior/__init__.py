"""Section 2.7: draws, rule lists, point estimates, prediction."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
