"""Section 2.6: proposals, one chain, many chains, convergence."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
