"""What belongs to the host whatever device arrays are on: files, text, and arrays made from numbers alone.

These go through NumPy without a warning, as nothing would be gained elsewhere: what is made is copied to the device once.
"""

import functools
import inspect

import numpy

from quern.arrays.core import check_recorded
from quern.arrays.fallback import _Exchange

_FILES = ("frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt")
_FILES += ("save", "savetxt", "savez", "savez_compressed")
_TEXT = ("array2string", "array_repr", "array_str")
_NUMBERS = ("diag_indices", "fromfunction", "fromiter", "ix_", "mask_indices", "tril_indices", "triu_indices")


def _made(name):
    host = getattr(numpy, name)

    @functools.wraps(host)
    def call(*args, **kwargs):
        exchange = _Exchange(None)
        if name in _NUMBERS:
            check_recorded(name, *args, *kwargs.values())
        return exchange.back(host(*[exchange.there(a) for a in args], **{k: exchange.there(v) for k, v in kwargs.items()}))

    call.__module__ = __name__
    call.__doc__ = f"NumPy's ``{name}``, for arrays of quern's. NumPy says of it:\n\n{inspect.getdoc(host)}"
    return call


for _name in _FILES + _TEXT + _NUMBERS:
    globals()[_name] = _made(_name)
