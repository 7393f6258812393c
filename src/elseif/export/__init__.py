"""What leaves the program: the model file, and the list in other languages."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
