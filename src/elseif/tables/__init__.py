"""Section 2.2: a table of any kind, its columns, and the conditions on them."""
