"""Model files as the verbs use them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.export.model import Model


def read(path: Path) -> Model:
    """The model in a file."""
    from elseif.export.model_file import read_model

    return read_model(path)


def find_label(name: str, classes: np.ndarray) -> Any:
    """The label that a user calls so."""
    for label in classes.tolist():
        if str(label) == name or str(label).lower() == name.lower():
            return label
    shown = ", ".join(map(repr, map(str, classes.tolist())))
    raise ParamError(f"--label is {name!r}; the labels are {shown}.")


def outcome_of(model: Model, told: str | None) -> str:
    """The column that holds the label: as told, or by the name it had in fit."""
    if told is not None:
        return told
    if model.vocabulary.outcome is None:
        raise ParamError("The model does not know the name of its label; say --label COLUMN.")
    return model.vocabulary.outcome


def positive_name(model: Model) -> str | None:
    """The label whose probability the model shows, as --positive would be told; None if numbers."""
    label = model.rule_list.positive
    return label if isinstance(label, str) else None
