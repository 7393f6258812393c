"""A model file that cannot be written leaves the earlier one as it was."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from elseif import BayesianRuleListClassifier, save_model
from elseif.errors import FileExistsAlreadyError, ResourceError


@pytest.mark.fault(
    "51, 71-72",
    "a full disk, an existing file, a link, a folder that does not exist",
    "`ResourceError` or `FileExistsAlreadyError`; existing files are left intact, with "
    "their permissions",
)
def test_a_failing_save_keeps_the_earlier_model(
    classifier: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model on disk is replaced by a whole one or not at all."""
    path = tmp_path / "m.json"
    save_model(classifier, path)
    before = path.read_bytes()
    with pytest.raises(FileExistsAlreadyError):
        save_model(classifier, path)

    def full(handle: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ResourceError, match="unchanged"):
        save_model(classifier, path, force=True)
    assert path.read_bytes() == before
