"""Section 4 and the appendix: the classifiers that Bayesian rule lists are compared with."""
