"""Section 4: comparison classifiers, and how classifiers are judged out of sample."""
