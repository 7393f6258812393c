"""Columns to conditions: cut points, categories, missing values."""
