"""Section 4: comparison classifiers, and out-of-sample evaluation."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
