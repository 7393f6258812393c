"""The list of so many rules whose predictions are closest to the whole posterior's."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
