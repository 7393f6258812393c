"""Files of others: what cannot be read is refused in a sentence, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elseif.errors import ElseifError, FederationError, ModelFileError
from elseif.export.model_file import read_model
from elseif.federation import read_plan
from elseif.files.bounded import read_bounded

READERS = [(read_model, ModelFileError), (read_plan, FederationError)]


@pytest.mark.parametrize(("read", "refusal"), READERS, ids=["model", "plan"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.json", "there is no such file"),
        (".", "is a folder. Give a file"),
        ("a\0b.json", "cannot be read: (stat: )?embedded null"),
        ("n" * 300, "cannot be read: File name too long"),
    ],
)
def test_what_is_no_file(
    read: Callable[[Path], Any], refusal: type[ElseifError], name: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(refusal, match=said):
        read(tmp_path / name)


def test_no_more_is_read_than_allowed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, "file", 5, ModelFileError, "") == b"12345"
    with pytest.raises(ModelFileError, match="file has 5 bytes; at most 4"):
        read_bounded(path, "file", 4, ModelFileError, "at most 4")
