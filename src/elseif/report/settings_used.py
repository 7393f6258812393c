"""The settings of a model, as listed in a report."""

from __future__ import annotations

from dataclasses import dataclass

from elseif.fitted_model import FittedModel
from elseif.parameters import BY_NAME


@dataclass(frozen=True)
class Setting:
    """One setting of the estimator, as Python writes it."""

    name: str
    value: str
    is_default: bool


def settings_used(model: FittedModel) -> list[Setting]:
    """Every setting, and whether it was left at its default."""
    return [
        Setting(name, repr(value), name in BY_NAME and repr(value) == repr(BY_NAME[name].default))
        for name, value in model.settings.items()
    ]
