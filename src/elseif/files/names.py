"""Safe file names from any text."""

from __future__ import annotations

import re

LONGEST_NAME = 80
# names that Windows keeps for itself
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{d}{k}" for d in ("COM", "LPT") for k in range(1, 10))}


def file_name(text: str, suffix: str = "", fallback: str = "model") -> str:
    """Make a safe file name from any text.

    Parameters
    ----------
    text : str
        The text.
    suffix : str, default=""
        Put at the end.
    fallback : str, default="model"
        Used if nothing of the text is left.

    Returns
    -------
    str
        A name without folders, leading dots and special characters.

    Examples
    --------
    >>> from elseif.files import file_name
    >>> file_name("../Stroke (12 months)", ".json")
    'Stroke-12-months.json'
    """
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip(".-_")[:LONGEST_NAME]
    if plain.split(".")[0].upper() in DEVICES:
        plain = f"{fallback}-{plain}"
    return (plain.strip(".-_") or fallback) + suffix
