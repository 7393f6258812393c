"""Section 2.6: proposals, one chain, many chains, convergence."""
