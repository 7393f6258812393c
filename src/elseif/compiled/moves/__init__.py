"""The moves of a chain, one file each (section 2.6)."""
