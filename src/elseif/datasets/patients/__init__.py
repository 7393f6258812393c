"""Synthetic patients in an OMOP database: who they are, what is recorded, where it is kept."""
