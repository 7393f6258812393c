"""Section 2.7: draws, rule lists, point estimates, prediction."""
