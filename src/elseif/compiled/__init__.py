"""All compiled code: arrays in, arrays out, independent of the rest of the package.

Observations are sorted by label and packed 64 to a word. A *section* is a run of words whose bits
share one label and one weight, padded to whole 64-byte blocks, so that a label count is a popcount
of a slice times a weight.
"""

from elseif.compiled.chain import (
    NEEDS_BUFFER,
    NEEDS_ROWS,
    NOT_FINITE,
    REACHED,
    advance,
    refresh_log_posterior,
    write_run,
)
from elseif.compiled.correlation import find_nearest
from elseif.compiled.covers import count_conjunctions, join_covers
from elseif.compiled.evidence import one_rule_gains
from elseif.compiled.marginal_likelihood import log_marginal_likelihood
from elseif.compiled.mining import mine_from
from elseif.compiled.moves.options import N_OPTIONS, OPTION_NAMES
from elseif.compiled.near_equivalence import find_leaders
from elseif.compiled.projection import assign_lines, list_loss, score_insertions, search_all
from elseif.compiled.short_lists import join_some, score_pairs
from elseif.compiled.sizes import BLOCK_WORDS, WORDS_COMPARED
from elseif.compiled.structs import (
    CoverComparison,
    Data,
    Evidence,
    Info,
    Miner,
    Prior,
    State,
    TraceBuffer,
    Tuning,
)

__all__ = [
    "advance",
    "write_run",
    "refresh_log_posterior",
    "log_marginal_likelihood",
    "count_conjunctions",
    "join_covers",
    "find_nearest",
    "find_leaders",
    "one_rule_gains",
    "join_some",
    "score_pairs",
    "mine_from",
    "assign_lines",
    "list_loss",
    "score_insertions",
    "search_all",
    "CoverComparison",
    "Data",
    "Evidence",
    "Prior",
    "Tuning",
    "State",
    "TraceBuffer",
    "Info",
    "Miner",
    "BLOCK_WORDS",
    "WORDS_COMPARED",
    "N_OPTIONS",
    "OPTION_NAMES",
    "REACHED",
    "NEEDS_ROWS",
    "NEEDS_BUFFER",
    "NOT_FINITE",
]
