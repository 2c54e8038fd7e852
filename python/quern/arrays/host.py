"""What belongs to the host whatever device arrays are on: files, text, and arrays made from numbers alone.

These go through NumPy without a warning, as nothing would be gained elsewhere: what is made is copied to the device once.
"""

import functools
import inspect

import numpy

from quern.arrays.core import check_recorded
from quern.arrays.fallback import _Exchange


def documentation(host):
    """NumPy's docstring of a function, with a sentence that says where it runs."""
    parts = inspect.getdoc(host).split("\n\n")
    if parts[0].startswith(f"{host.__name__}("):  # functions in C begin with their signature
        del parts[0]
    return "\n\n".join([parts[0], "NumPy computes it on the host; arrays among the results are copied to the device once.", *parts[1:]])


def _made(name, of_numbers=False):
    host = getattr(numpy, name)

    @functools.wraps(host)
    def call(*args, **kwargs):
        exchange = _Exchange(None)
        if of_numbers:
            check_recorded(name, *args, *kwargs.values())
        return exchange.back(host(*[exchange.there(a) for a in args], **{k: exchange.there(v) for k, v in kwargs.items()}))

    call.__module__ = __name__
    call.__doc__ = documentation(host)
    return call


frombuffer = _made("frombuffer")
fromfile = _made("fromfile")
fromregex = _made("fromregex")
fromstring = _made("fromstring")
genfromtxt = _made("genfromtxt")
load = _made("load")
loadtxt = _made("loadtxt")
save = _made("save")
savetxt = _made("savetxt")
savez = _made("savez")
savez_compressed = _made("savez_compressed")
array2string = _made("array2string")
array_repr = _made("array_repr")
array_str = _made("array_str")
diag_indices = _made("diag_indices", of_numbers=True)
fromfunction = _made("fromfunction", of_numbers=True)
fromiter = _made("fromiter", of_numbers=True)
ix_ = _made("ix_", of_numbers=True)
mask_indices = _made("mask_indices", of_numbers=True)
tril_indices = _made("tril_indices", of_numbers=True)
triu_indices = _made("triu_indices", of_numbers=True)
