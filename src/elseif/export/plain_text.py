"""A rule list as plain text."""

from __future__ import annotations

from typing import Any

from elseif.export.plain import header
from elseif.fitted_model import as_model


def to_text(model: Any, which: str | None = None, level: float = 0.95, width: int = 100) -> str:
    """The list as plain text."""
    model = as_model(model)
    rule_list = model.chosen_list(which)
    shown = rule_list.to_text(level=level, width=width)
    # the list's own caption may say already how counts are rounded
    below = [line for line in header(model, rule_list) if line not in shown]
    return "\n".join([shown, "", *below]) + "\n"
