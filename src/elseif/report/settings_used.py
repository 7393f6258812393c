"""The settings of a model, as listed in a report."""

from __future__ import annotations

from dataclasses import dataclass

from elseif.fitted_model import FittedModel
from elseif.parameters import BY_NAME


@dataclass(frozen=True)
class SettingUsed:
    """One setting of the estimator, as Python writes it."""

    name: str
    value: str
    is_default: bool


def settings_used(model: FittedModel) -> list[SettingUsed]:
    """Every setting, and whether it was left at its default."""
    return [
        SettingUsed(
            name, _text(value), name in BY_NAME and repr(value) == repr(BY_NAME[name].default)
        )
        for name, value in model.settings.items()
    ]


def _text(value: object) -> str:
    """As Python writes it, without the zeros of a large number."""
    is_large = isinstance(value, float) and value.is_integer() and abs(value) >= 1e6
    return f"{value:g}" if is_large else repr(value)
