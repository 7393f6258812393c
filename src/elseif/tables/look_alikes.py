"""Names and levels that look the same but are spelt differently."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# letters of other alphabets that most typefaces draw as the Latin ones
CYRILLIC = ("АВЕЅІЈКМНОРСТУХаеѕіјкорсухԁһԛԝӏ", "ABESIJKMHOPCTYXaesijkopcyxdhqwl")
GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϲϳ", "ABEZHIKMNOPTYXovcj")
LATIN = str.maketrans({**dict(zip(*CYRILLIC, strict=True)), **dict(zip(*GREEK, strict=True))})


def as_seen(text: str) -> str:
    """A text as it looks: normalised, with look-alike letters replaced by Latin ones.

    Characters that take no room are left out.
    """
    plain = unicodedata.normalize("NFKC", text)
    if plain.isascii():
        return plain
    return "".join(c for c in plain.translate(LATIN) if unicodedata.category(c) != "Cf")


def look_alikes(texts: Iterable[str]) -> list[list[str]]:
    """Groups of two or more different texts that look the same, in the order given."""
    texts = list(texts)
    if all(map(str.isascii, texts)):  # then they differ to the eye too
        return []
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(as_seen(text), []).append(text)
    return [twins for twins in alike.values() if len(twins) > 1]
