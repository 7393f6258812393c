"""The paper's experiments, using only the public interface."""
