"""numba.set_num_threads() and related functions: accepted without effect; quern uses as many threads as there are cores."""

import contextlib

from quern.cuda import config

_now = {"threads": config.NUMBA_NUM_THREADS, "chunk": 0}


def get_num_threads():
    """The number that set_num_threads() was given; at first config.NUMBA_NUM_THREADS.

    Returns
    -------
    int
        Number of threads.

    Examples
    --------
    >>> from quern import numba
    >>> numba.get_num_threads() >= 1
    True
    """
    return _now["threads"]


def set_num_threads(n):
    """Do nothing but check the argument; accepted for compatibility.

    Parameters
    ----------
    n : int
        Number of threads, from 1 to ``config.NUMBA_NUM_THREADS``.

    Raises
    ------
    TypeError
        For a value that is no int.
    ValueError
        For a number out of range.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    if not 1 <= n <= config.NUMBA_NUM_THREADS:
        raise ValueError(f"The number of threads must be between 1 and {config.NUMBA_NUM_THREADS}")
    _now["threads"] = int(n)


def get_parallel_chunksize():
    """The number that set_parallel_chunksize() was given; at first 0."""
    return _now["chunk"]


def set_parallel_chunksize(n):
    """Set the chunk size of parallel loops, which has no effect.

    Parameters
    ----------
    n : int
        Chunk size, not negative.

    Returns
    -------
    int
        Chunk size before.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError("The parallel chunksize must be an integer")
    if n < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    before, _now["chunk"] = _now["chunk"], int(n)
    return before


@contextlib.contextmanager
def parallel_chunksize(chunksize):
    """Set the chunk size of parallel loops, which has no effect, as a context manager.

    Parameters
    ----------
    chunksize : int
        Chunk size, not negative.
    """
    before = set_parallel_chunksize(chunksize)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


def threading_layer():
    """What runs threads: quern's own pool.

    Returns
    -------
    str
        Name.
    """
    return "quern"


__all__ = [
    "get_num_threads",
    "get_parallel_chunksize",
    "parallel_chunksize",
    "set_num_threads",
    "set_parallel_chunksize",
    "threading_layer",
]
