"""cupyx.errstate, seterr and geterr, which cupy.linalg reads."""

import contextlib
import threading

from quern.lib import _engine

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

    Parameters: ``linalg``: what becomes of a result that a singular or otherwise unsuitable matrix leaves undefined. "raise": the call
    waits and raises LinAlgError; "ignore" and None: nobody waits, and the result is what the library leaves. Raises NotImplementedError for
    the others: floating-point errors are not detected.
    """
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        if value is not None:
            raise NotImplementedError(f"[cupyx.seterr] {name}= is not supported: floating-point errors are not detected")
    if linalg not in (None, "raise", "ignore"):
        raise NotImplementedError(f"[cupyx.seterr] linalg must be 'raise', 'ignore' or None, not {linalg!r}")
    before = geterr()
    _state()["linalg"] = linalg
    _engine.raise_at_calls(linalg == "raise")
    return before


def linalg():
    """What holds for linear algebra: "raise", "ignore" or None."""
    return _state()["linalg"]


@contextlib.contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """seterr() for a block."""
    before = seterr(divide=divide, over=over, under=under, invalid=invalid, linalg=linalg)
    try:
        yield
    finally:
        _local.state = before
        _engine.raise_at_calls(before["linalg"] == "raise")
