"""Plain names for files, made of any text."""

from __future__ import annotations

import re

LONGEST_NAME = 80
# names that Windows keeps for itself
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{d}{k}" for d in ("COM", "LPT") for k in range(1, 10))}


def file_name(text: str, suffix: str = "", fallback: str = "model") -> str:
    """A plain name for a file from any text: no folder, no dot in front, nothing odd."""
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip(".-_")[:LONGEST_NAME]
    if plain.split(".")[0].upper() in DEVICES:
        plain = f"{fallback}-{plain}"
    return (plain.strip(".-_") or fallback) + suffix
