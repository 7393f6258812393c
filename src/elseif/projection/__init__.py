"""The list of so many rules whose lines best reproduce the whole posterior's predictions."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
