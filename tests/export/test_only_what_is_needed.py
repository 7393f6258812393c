"""Exported code has no import, function or column that its list does not need."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from elseif import export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import make_rule_list
from tests.export.tables import NAMES, conditions, every_operator, model_of

SMOKER, AGE, CITY, _, VISIT, _, _ = NAMES
DAY = np.datetime64("2020-01-01", "us")
LISTS = {
    "nothing": [],
    "truth": [(Condition(SMOKER, "is true"),)],
    "number": [(Condition(AGE, ">", 60.0),)],
    "text": [(Condition(CITY, "=", "Aachen"),)],
    "date": [(Condition(VISIT, ">", DAY),)],
    "missing": [(Condition(VISIT, "is missing"),)],
    "everything": conditions(),
}


@pytest.fixture(params=LISTS)
def model(request: pytest.FixtureRequest) -> FittedModel:
    antecedents = [Antecedent(part) for part in LISTS[request.param]]
    counts = np.arange(2 * len(antecedents) + 2).reshape(-1, 2)
    return model_of(make_rule_list(antecedents, counts, every_operator().metadata))


def test_python(model: FittedModel, tmp_path: Path) -> None:
    """Ruff finds no name that is unused or unknown, and every function is called."""
    source = str(export_model(model, "python"))
    (tmp_path / "exported.py").write_text(source, "utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F,E9", "exported.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    tree = ast.parse(source)
    made = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} - {"predict"}
    called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert made <= called


def test_javascript(model: FittedModel) -> None:
    """Every constant is used besides where it is defined."""
    source = str(export_model(model, "javascript"))
    for name in re.findall(r"^  const (\w+) = ", source, re.MULTILINE):
        assert len(re.findall(rf"\b{name}\b", source)) > 1, name


def test_columns(model: FittedModel) -> None:
    """Only columns that the list looks at are asked for."""
    used = {c.column for rule in model.rule_list.antecedents for c in rule}
    cql = str(export_model(model, "cql"))
    assert set(re.findall(r'^parameter "(\w+)"', cql, re.MULTILINE)) == used
    assert (
        set(re.findall(r'<inputData id="\w+" name="(\w+)"', str(export_model(model, "dmn"))))
        == used
    )
    names = set(re.findall(r'"(\w+)"', str(export_model(model, "sql"))))
    assert names - used == {
        "elseif_probability_1", "elseif_probability_2", "elseif_rule", "elseif_label",
    }  # fmt: skip
