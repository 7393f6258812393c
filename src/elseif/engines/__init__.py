"""Tables that live in an engine: counted there, and never read row by row."""
