"""Sections 2.1 and 2.2: antecedents, the pool, and mining."""
