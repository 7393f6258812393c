"""Base class of the parts of the model file's document: strict, without unknown fields."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from elseif.export.field_types import MOST_UNKNOWN


class Part(BaseModel):
    """A part of the document: every field known, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _check_number_of_fields(cls, given: Any) -> Any:
        """Refuse an object with far more fields than exist at once: each would be an error."""
        if isinstance(given, dict) and len(given) > len(cls.model_fields) + MOST_UNKNOWN:
            raise ValueError(f"it has {len(given):,} fields, of which some are unknown")
        return given
