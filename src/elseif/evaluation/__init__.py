"""Section 4: comparison classifiers and how they are judged."""
