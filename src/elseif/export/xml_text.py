"""Text that is valid in XML."""

from __future__ import annotations

import re

from elseif.errors import ExportError

# all that XML 1.0 cannot hold, however it is written
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text itself; ExportError where XML has no way to write it."""
    bad = NOT_XML.search(text)
    if bad:
        raise ExportError(
            f"{text[:100]!r} holds the character {bad[0]!a}, which XML cannot hold. Rename it."
        )
    return text
