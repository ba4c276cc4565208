"""The order of examples: a permutation, or draws with replacement, from the raw words of numpy's generator.

Plain Python that the build also compiles, as `_permutation`, like core.py; _permutation.pxd gives it types.
"""

try:
    import cython
except ImportError:
    from rosenblatt.engine import uncompiled as cython

if not cython.compiled:
    from rosenblatt.engine.vector import digest, next_word, permute, scaled_down, words_of


def shuffle(order, bits):
    """Fisher-Yates from the last place downwards, one random word of the bit generator a place.

    >>> from numpy import arange, int32
    >>> from numpy.random import PCG64
    >>> order = arange(4, dtype=int32)
    >>> shuffle(order, PCG64(0))
    >>> order
    array([1, 3, 0, 2], dtype=int32)
    """
    source = words_of(bits)
    with cython.nogil:
        permute(order, source)


def draw(order, bits, pool):
    """order[k] becomes a random member of the pool, one random word each: drawing with replacement."""
    source = words_of(bits)
    with cython.nogil:
        for k in range(order.shape[0]):
            order[k] = pool[scaled_down(next_word(source), pool.shape[0])]


def source_digest():
    """SHA-256 of the sources that this module was compiled from; empty uncompiled."""
    return digest()
