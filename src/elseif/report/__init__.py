"""Pages that people read: one self-contained HTML file each, drawn from plain data."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
