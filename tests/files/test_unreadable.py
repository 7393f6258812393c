"""Every command says of a file that is absent that there is no such file."""

from __future__ import annotations

from pathlib import Path

import pytest

from elseif.cli.main import run
from elseif.files.unreadable import unreadable

COMMANDS = {
    "a table": ["fit", "{absent}", "--label", "ill"],
    "antecedents": ["fit", "{table}", "--label", "ill", "--antecedents", "{absent}"],
    "labels": ["fit", "{table}", "--label", "ill", "--labels", "{absent}"],
    "a model": ["show", "{absent}"],
    "a table for a model": ["predict", "{model}", "{absent}"],
    "an edited list": ["edit", "{model}", "{table}", "--list", "{absent}"],
    "a report": ["export", "{model}", "--to", "calculator", "--report", "{absent}"],
    "a definition": ["extract", "--definition", "{absent}", "--database", "stroke", "--out", "o"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    table, model = folder / "people.csv", folder / "model.json"
    table.write_text("smoker,ill\n" + "yes,1\nno,0\n" * 30 + "yes,0\nno,1\n" * 10)
    fit = ["fit", str(table), "--label", "ill", "--model", str(model), "--quiet"]
    assert run(fit) == 0
    return {"table": str(table), "model": str(model), "absent": str(folder / "absent.yaml")}


@pytest.mark.parametrize("what", COMMANDS)
def test_an_absent_file_is_named(
    what: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([part.format(**files) for part in COMMANDS[what]]) in (2, 3, 5)  # call, data, model
    said = " ".join(capsys.readouterr().err.split())
    assert "absent.yaml: there is no such file." in said
    assert "Errno" not in said


def test_other_reasons_are_those_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        tmp_path.read_bytes()
    assert unreadable("here", caught.value) == "here cannot be read: Is a directory."
