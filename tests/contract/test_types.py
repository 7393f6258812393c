"""What type checkers and editors see of the public interface."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

USE = """
from elseif import BayesianRuleListClassifier
from elseif.estimator import BayesianRuleListClassifier as C

clf: C = BayesianRuleListClassifier(min_support=0.2).fit([[1]], [1])
more: C = clf.sample_more(n_iter=1_000)
reveal_type(clf.with_labels({}))
BayesianRuleListClassifier(minsupport=0.2)
BayesianRuleListClassifier(n_chains="four")
"""


@pytest.mark.slow  # mypy reads all that elseif imports
def test_the_constructor_and_what_methods_return_are_typed(tmp_path: Path) -> None:
    """A misspelt parameter, or one of the wrong type, is an error before anything runs."""
    script = tmp_path / "use.py"
    script.write_text(USE, "utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "", "--cache-dir", str(tmp_path)]
    done = subprocess.run(
        [*command, str(script)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert 'Revealed type is "elseif.estimator.BayesianRuleListClassifier"' in done.stdout
    assert 'use.py:8: error: Unexpected keyword argument "minsupport"' in done.stdout
    assert 'use.py:9: error: Argument "n_chains"' in done.stdout
    assert "Found 2 errors" in done.stdout
