"""Extraction of cohorts, held to answers written by hand and to a slow reference."""
