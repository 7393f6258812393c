"""Section 4: comparison classifiers, and how classifiers are judged out of sample."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
