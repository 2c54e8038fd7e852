"""cupyx.errstate and its kin."""

import contextlib
import threading

_local = threading.local()


def _state():
    if not hasattr(_local, "state"):
        _local.state = {"divide": None, "over": None, "under": None, "invalid": None, "linalg": None}
    return _local.state


def geterr():
    """What seterr() set: a dict. Only "linalg" can be other than None."""
    return dict(_state())


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """Sets how errors are handled; returns what held before.

    Parameters: ``linalg``: "raise", "ignore" or None. Singular matrices raise LinAlgError whatever it says; the value is kept for
    programs that ask. Raises NotImplementedError for the others: floating-point errors are not watched.
    """
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        if value is not None:
            raise NotImplementedError(f"[cupyx.seterr] {name}= is not served: floating-point errors are not watched")
    if linalg not in (None, "raise", "ignore"):
        raise NotImplementedError(f"[cupyx.seterr] linalg must be 'raise', 'ignore' or None, not {linalg!r}")
    before = geterr()
    _state()["linalg"] = linalg
    return before


@contextlib.contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """seterr() for a block."""
    before = seterr(divide=divide, over=over, under=under, invalid=invalid, linalg=linalg)
    try:
        yield
    finally:
        _local.state = before
