"""Text, HTML and figures of results from other packages; imports none of them."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
