"""Models over HTTP: a calculator, predictions, explanations, and cards for a record system."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
