"""The options of fit are the estimator's parameters, with its defaults."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elseif.cli import settings
from elseif.cli.fit import fit
from elseif.cli.in_options import in_options
from elseif.cli.main import COMMANDS, NAMES
from elseif.errors import ParamError
from elseif.parameters import BY_NAME, CHOICES
from tests.cli.conftest import Run


def options() -> dict[str, Any]:
    """The options of fit that are settings, with their defaults."""
    parameters = inspect.signature(fit).parameters
    return {name: parameters[name].default for name in BY_NAME if name in parameters}


def test_every_setting_is_an_option_with_the_same_default() -> None:
    """verbose is there as --quiet, no command reads a Dask table; the help says two defaults."""
    assert set(options()) | {"verbose", "n_shards"} == set(BY_NAME)
    result = settings.estimator_parameters(options())
    expected = {name: BY_NAME[name].default for name in result} | settings.CLI_DEFAULTS
    assert result == expected
    assert {n: type(v) for n, v in result.items()} | {"pseudocounts": int} == {
        name: type(value) for name, value in expected.items()
    }


def test_choices_are_the_estimators() -> None:
    """A choice that the estimator knows and the command line does not would be lost."""
    for name, allowed in CHOICES.items():
        assert tuple(type(options()[name])) == allowed, name


@pytest.mark.parametrize("command", [NAMES.get(command, command.__name__) for command in COMMANDS])
def test_help_speaks_of_things_not_types(elseif: Run, command: str) -> None:
    """It fits 80 columns, and every option that takes a value says of what kind."""
    ended = elseif(command, "--help")
    assert ended.code == 0
    assert not re.search(r"<|\bx>=|PATH|\{|list\[|INTEGER|FLOAT", ended.out.replace("[[", "")), (
        ended.out
    )
    assert max(map(len, ended.out.splitlines())) <= 80
    assert ended.out.startswith(f"Usage: elseif {command} [OPTIONS]")


def test_categories_that_contain_a_comma() -> None:
    """They are quoted as in CSV, and a hint quotes them so."""
    given = ['grade="1,0","2,0"', "stage=I,II", "unit=mg;ml,l"]
    assert settings.read_kinds(given) == {
        "grade": ["1,0", "2,0"],
        "stage": ["I", "II"],
        "unit": ["mg;ml", "l"],
    }
    hint = in_options("This order is kinds={'grade': ['1,0', '2,0']}.")
    assert hint == 'This order is --kinds \'grade="1,0","2,0"\'.'


def test_help_loads_nothing_heavy() -> None:
    """The slow libraries come when a command works, not when one asks for help."""
    code = (
        "import sys; from elseif.cli.main import run; run(['fit', '--help']);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'numba', 'scipy', 'matplotlib', 'jinja2')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_show_and_export_need_no_scikit_learn(folder: Path) -> None:
    """Reading a model is quick: no estimator, no compiled code, no data frames."""
    code = (
        "import sys; from elseif.cli.main import run; path = sys.argv[1];"
        "run(['show', path]); run(['export', path, '--to', 'python']);"
        "print([m for m in ('pandas', 'sklearn', 'numba') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(folder / "titanic.json")]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONUTF8": "1"}
    )
    assert done.stdout.decode().splitlines()[-1] == "[]"


def test_texts_become_settings(tmp_path: Path) -> None:
    """Names may hold the sign of equality; the last one counts."""
    own = tmp_path / "own.json"
    own.write_text(json.dumps([["smoker", ["age", ">", 60]]]))
    assert settings.read_antecedents(own) == [("smoker", ("age", ">", 60))]
    assert settings.read_support("30") == 30
    assert settings.read_support("1.0") == 1.0
    assert settings.read_pseudocounts(["died=1", "a=b=2"]) == {"died": 1, "a=b": 2}
    assert settings.read_weights(["age > 60=2"]) == {"age > 60": 2}
    assert settings.read_kinds(["stage=I,II", "age=numeric"]) == {
        "stage": ["I", "II"],
        "age": "numeric",
    }
    kinds = {"grade": ["1", "2", "3"]}
    assert settings.read_cuts(["age=50,60", "day=2020-01-01", "grade=2", "x=mdl"], kinds) == {
        "age": [50, 60],
        "day": ["2020-01-01"],
        "grade": ["2"],
        "x": "mdl",
    }


@pytest.mark.parametrize(
    ("reader", "told", "why"),
    [
        (settings.read_support, "many", "must be a number"),
        (settings.read_pseudocounts, ["1", "2"], "NAME=VALUE"),
        (settings.read_pseudocounts, ["died=x"], "not a number"),
        (settings.read_kinds, ["age"], "NAME=VALUE"),
        (settings.read_kinds, ["=numeric"], "NAME=VALUE"),
        (settings.read_cuts, ["age="], "NAME=VALUE"),
        (settings.read_antecedents, Path("nowhere.json"), "there is no such file"),
        (settings.read_pseudocounts, ["0=1", "1=1", "0=2"], "'0' is given twice"),
        (settings.read_weights, ["age=1", "age=3"], "'age' is given twice"),
    ],
)
def test_texts_that_are_no_settings(reader: Any, told: Any, why: str) -> None:
    """A parameter's fault is named with its option."""
    with pytest.raises(ParamError, match=why):
        reader(told)


def test_antecedents_within_antecedents(tmp_path: Path) -> None:
    """Too deep for the reader of JSON is a fault of the file, not of the program."""
    own = tmp_path / "own.json"
    own.write_text("[" * 100_000)
    with pytest.raises(ParamError, match="lists within lists"):
        settings.read_antecedents(own)
