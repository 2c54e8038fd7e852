"""What CuPy's ufuncs tell of themselves, on the type that quern's are of."""

from quern.arrays.ufuncs import ufunc


class _Told:
    """An attribute that each ufunc has of its own, and the type documents."""

    def __init__(self, doc, get=None):
        self.__doc__, self._get = doc, get

    def __get__(self, instance, owner=None):
        return self if instance is None else self._get(instance)


ufunc.nin = _Told("How many inputs it takes.")
ufunc.nout = _Told("How many results it gives.")
ufunc.nargs = _Told("How many of both.")
ufunc.types = _Told("The types it is computed in, as letters: inputs->results.")
ufunc.name = _Told("CuPy's name of it, such as cupy_add.", lambda self: f"cupy_{self.__name__}")
