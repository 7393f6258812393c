"""Sizes that the loops over packed words are cut into."""

VECTOR_WORDS = 8  # words of a vector: a line of the cache
GROUP = 4  # rules that are processed together, so that what they share is read once
BLOCK_WORDS = 1024  # words processed before the next rule: 8 kB, which stay in the nearest cache
WORDS_AHEAD = 256  # how far ahead a cover is prefetched that is in no near cache
WORDS_COMPARED = 64  # words of two covers that are compared before checking whether to continue
