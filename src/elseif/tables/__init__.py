"""Section 2.2: a table of any kind, its columns, and the conditions on them."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
