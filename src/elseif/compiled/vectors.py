"""Loops over packed words: LLVM's vectors where Numba compiles, NumPy's where it does not.

With ``NUMBA_DISABLE_JIT=1`` all of ``elseif.compiled`` runs as plain Python, which a debugger can
step through and a coverage tool can see.
"""

from numba import config

if config.DISABLE_JIT:
    from elseif.compiled.vectors_numpy import (
        clear_words,
        copy_words,
        count_both,
        count_group,
        fetch_words,
        keep_covered,
        move_covered,
        take_group,
        words_at,
        wrapping_add,
    )
else:
    from elseif.compiled.vectors_llvm import (
        clear_words,
        copy_words,
        count_both,
        count_group,
        fetch_words,
        keep_covered,
        move_covered,
        take_group,
        words_at,
        wrapping_add,
    )

__all__ = [
    "clear_words",
    "copy_words",
    "count_both",
    "count_group",
    "fetch_words",
    "keep_covered",
    "move_covered",
    "take_group",
    "words_at",
    "wrapping_add",
]
