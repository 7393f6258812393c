"""Changes to a list by hand, each with its price."""
