"""Observations that are too many for one machine, held in parts that count them."""
