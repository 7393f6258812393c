"""Sections 2.3 to 2.5: prior, likelihood, consequent."""
