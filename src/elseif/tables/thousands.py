"""Numbers with thousands separators: 1,234,567 or 1.234,5 or 1 234."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# what may set thousands apart; the first two may also be the decimal sign
SEPARATORS = (",", ".", "'", "\N{RIGHT SINGLE QUOTATION MARK}", " ", "\N{NO-BREAK SPACE}",
              "\N{NARROW NO-BREAK SPACE}", "\N{THIN SPACE}")  # fmt: skip


def without_thousands(text: str, separator: str, decimal: str) -> str | None:
    """A number without its thousands separators: "1,234.5" becomes "1234.5"; None if misplaced."""
    match = _grouped(separator, decimal).fullmatch(text)
    return None if match is None else text.replace(separator, "")


def certain_separator(texts: Sequence[str], decimal: str) -> str | None:
    """The thousands separator in texts, if unambiguous.

    A comma may be one of decimals: it must come twice in a number, or before a decimal point.
    """
    for separator in SEPARATORS:
        if separator == decimal:
            continue
        grouped = [t for t in texts if _grouped(separator, decimal).fullmatch(t)]
        is_sure = separator not in ",." or any(
            text.count(separator) > 1 or decimal in text for text in grouped
        )
        if grouped and is_sure:
            return separator
    return None


@lru_cache
def _grouped(separator: str, decimal: str) -> re.Pattern[str]:
    group, point = re.escape(separator), re.escape(decimal)
    return re.compile(rf"[+-]?\d{{1,3}}({group}\d{{3}})+({point}\d*)?", re.ASCII)
