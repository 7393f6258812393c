"""Random numbers: a chain's own stream."""

import numpy as np

from elseif.compiled.jit import compiled, inlined
from elseif.compiled.vectors import wrapping_add


@inlined
def next_uniform(seed):
    """xoshiro256++ (Blackman and Vigna): a uniform of [0, 1) from a state of 4 words."""
    a, b, c, d = seed[0], seed[1], seed[2], seed[3]
    total = wrapping_add(a, d)
    out = wrapping_add((total << np.uint64(23)) | (total >> np.uint64(41)), a)
    t = b << np.uint64(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << np.uint64(45)) | (d >> np.uint64(19))
    seed[0], seed[1], seed[2], seed[3] = a, b, c, d
    return np.float64(out >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def draw_uniforms(seed, uniforms):
    """The next numbers of a chain's stream, row by row."""
    for i in range(uniforms.shape[0]):
        for k in range(uniforms.shape[1]):
            uniforms[i, k] = next_uniform(seed)
