"""What the package shows to the outside: names, imports, layers, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import pytest

import elseif

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The program ``elseif``."""
    command = [sys.executable, "-m", "elseif.cli.main", *arguments]
    if (BIN / "elseif").exists():
        command = [str(BIN / "elseif"), *arguments]
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, **options
    )


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import elseif", ("numba", "sklearn", "numpy", "pandas", "scipy")),
        ("from elseif import RuleList", ("numba", "sklearn", "matplotlib")),
        (
            "from elseif import ParquetTable",
            ("numba", "sklearn", "matplotlib", "pandas", "pyarrow"),
        ),
        ("from elseif import BayesianRuleListClassifier", ("numba", "matplotlib", "typer")),
        ("from elseif.datasets import load_titanic", ("numba", "matplotlib")),
        (
            "import elseif.cohort, elseif.evaluation, elseif.export, elseif.report, elseif.studies",
            ("numba", "sklearn", "matplotlib", "pandas", "numpy", "pydantic", "jinja2"),
        ),
        ("import elseif.cli.main", ("numba", "sklearn", "matplotlib", "pandas")),
    ],
)
def test_imports_are_light(code: str, absent: tuple[str, ...]) -> None:
    """What is slow to load is loaded when it is used."""
    loaded = set(python(f"{code}; import sys; print(*sys.modules)").split())
    assert not loaded & set(absent)


def test_prediction_of_a_fitted_list_needs_no_numba(
    tmp_path: Path, titanic: Any, titanic_classifier: Any
) -> None:
    """A saved list predicts, and prints, where nothing is compiled."""
    joblib.dump((titanic_classifier.rule_list_, titanic[0]), tmp_path / "list.joblib")
    code = (
        f"import joblib, sys; rules, X = joblib.load({str(tmp_path / 'list.joblib')!r})\n"
        "rules.predict(X); str(rules); rules._repr_html_(); rules.to_frame()\n"
        "print('numba' in sys.modules, 'sklearn' in sys.modules)"
    )
    assert python(code) == "False False"


def test_layers() -> None:
    """Imports point downwards: import-linter agrees."""
    linter = BIN / "lint-imports"
    done = subprocess.run(
        [str(linter), "--no-cache"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout


def test_numba_is_imported_by_one_package() -> None:
    """Compiled code lives in elseif.compiled alone."""
    package = Path(elseif.__file__).parent
    sources = {path: path.read_text("utf-8") for path in package.rglob("*.py")}
    users = [p for p, text in sources.items() if "import numba" in text or "from numba" in text]
    assert users
    assert all(path.is_relative_to(package / "compiled") for path in users)


def test_nothing_is_printed_by_the_library() -> None:
    """Only the command line, studies and what asks for standard error print."""
    package = Path(elseif.__file__).parent
    for path in package.rglob("*.py"):
        if path.parent.name in ("cli", "studies"):
            continue
        for line in path.read_text("utf-8").split("    print(")[1:]:
            assert "file=sys.stderr" in line[:400], path


def test_help() -> None:
    """--help names the commands and works without arguments."""
    done = run("--help")
    assert done.returncode == 0
    assert "study" in done.stdout
    assert "--version" in done.stdout
    assert done.stderr == ""


def test_help_of_a_verb() -> None:
    """Each command explains its options."""
    done = run("study", "--help")
    assert done.returncode == 0
    for word in ("--out", "--seed", "titanic", "tictactoe", "simulation"):
        assert word in done.stdout


def test_version() -> None:
    """--version prints one line."""
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == f"elseif {elseif.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["study"],
        ["study", "nonsense"],
        ["study", "titanic", "--nonsense"],
        ["study", "titanic", "--seed", "-1"],
        ["study", "titanic", "--seed", "1.5"],
        ["study", "simulation", "--data-sets", "0"],
        ["study", "titanic", "--jobs", "0"],
    ],
    ids=" ".join,
)
def test_wrong_arguments(arguments: list[str], tmp_path: Path) -> None:
    """Usage errors exit with 2 and without a traceback."""
    if arguments[:2] == ["study", "titanic"]:
        arguments = [*arguments, "--out", str(tmp_path)]
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """An output folder that is a file is one line and exit code 4, before any work."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    for folder in (blocked, blocked / "below"):
        done = run("study", "simulation", "--out", str(folder))
        assert done.returncode == 4
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("elseif: ")
        assert str(folder) in done.stderr
        assert done.stdout == ""
    assert blocked.read_text() == "in the way"


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    """--debug is for those who want to see more."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = run("--debug", "study", "titanic", "--out", str(blocked))
    assert "Traceback" in done.stderr
    assert "ResourceError" in done.stderr
    assert done.returncode != 0


def test_the_titanic_study(tmp_path: Path) -> None:
    """The main job: the list is printed and the picture is where the text says."""
    done = run("study", "titanic", "--out", str(tmp_path / "new" / "folder"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "age = adult and sex = male then 21% (19%–23%)" in done.stdout
    assert "Traceback" not in done.stderr
    for ending in ("png", "svg"):
        picture = tmp_path / "new" / "folder" / f"titanic.{ending}"
        assert picture.stat().st_size > 1000
        assert not list(picture.parent.glob("*tmp*"))
    assert str(tmp_path / "new" / "folder" / "titanic.png") in done.stdout


def test_a_closed_pipe_is_quiet() -> None:
    """A reader that goes away is no error to speak of."""
    done = subprocess.run(
        f"'{sys.executable}' -m elseif.cli.main --help | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
