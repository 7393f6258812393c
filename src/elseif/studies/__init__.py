"""The paper's experiments, written on the public interface alone."""
