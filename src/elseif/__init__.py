"""elseif: Bayesian rule lists, learnt as a posterior and made to be read."""

from elseif.public_names import lazy_names

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
__all__.append("__version__")
