"""Tables in a database or query engine: counted there, and never read row by row."""
