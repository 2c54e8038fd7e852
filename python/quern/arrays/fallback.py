"""Functions without a native implementation run through NumPy on the host: arguments are copied there, results back to the same device.

`run` is the one place where that happens; it warns once for each line of the user's (or raises, see `set_fallback`). Who comes here:
`served` (the wrapper of every native function, when that raises Unserved or does not take an argument), `stand_in` (names of
NumPy's without a native function), ufuncs, methods and NumPy's protocols.
"""

import functools
import inspect
import time
import types

import numpy

from quern.arrays.core import Array, NoDerivative, _names, asarray, asnumpy
from quern.arrays.numbers import ARRAYS, NUMBERS, array_in, number, numbers_in
from quern.arrays.removed_names import todays
from quern.device import current_device, device, set_current_device
from quern.lib import _engine
from quern.user_files import warn_user

_mode = "warn"
_pairs_of_types = {}  # NumPy's stateful types -> ours: each takes the other's object, and has it as `_host`


class FallbackWarning(UserWarning):
    """A function without a native implementation ran through NumPy on the host, with copies there and back."""


class Unserved(NotImplementedError):
    """Raised in a native function for arguments that it does not accept; the message completes "... is not supported natively: "."""


FallbackWarning.__module__ = "quern"


def set_fallback(mode):
    """Set what happens if a function has no native implementation, or cannot be compiled for the host.

    Parameters
    ----------
    mode : {'warn', 'silent', 'error'}
        "warn", the default: NumPy computes the function on the host (Python runs a function of njit), with one FallbackWarning for each
        source line. "silent": the same without the warning. "error": raise NotImplementedError or KernelError.

    Returns
    -------
    str
        The mode before the call.

    Raises
    ------
    ValueError
        For another mode.

    Examples
    --------
    >>> import quern as qn
    >>> before = qn.set_fallback("silent")
    >>> qn.set_fallback(before)
    'silent'
    """
    global _mode
    if mode not in ("warn", "silent", "error"):
        raise ValueError(f"[set_fallback] the mode must be 'warn', 'silent' or 'error', not {mode!r}")
    before, _mode = _mode, mode
    return before


def _announce(name, reason):
    what = f"[{name}] is not supported natively{': ' + reason if reason else ''}"
    unserved = NotImplementedError(f"{what}; quern.set_fallback('warn') lets NumPy compute it on the host")
    tell(f"{what}; NumPy computes it on the host, with copies there and back (see quern.set_fallback)", unserved)


def tell(text, unserved, is_known=False):
    """Warns, at the user's line, of what runs otherwise than by quern itself; raises ``unserved`` where programs have asked for errors.

    ``is_known``: the program has been warned of the same.
    """
    if _mode == "error":
        raise unserved
    if _mode == "silent" or is_known:
        return
    warn_user(text, FallbackWarning)


# ---- there and back


class _Exchange:
    """The arguments of one call on the host, and what belongs to them here."""

    def __init__(self, kind):
        self.kind = kind
        self.number = None
        self.hosts = {}  # id of ours -> (ours, NumPy's)

    def there(self, value):
        if isinstance(value, Array):
            if id(value) not in self.hosts:
                self.hosts[id(value)] = (value, asnumpy(value))
                if self.number is None:
                    self.number = value._device_number
                if self.kind is None and type(value) is not Array:
                    self.kind = type(value)
            return self.hosts[id(value)][1]
        if type(value) in (list, tuple):
            parts = [self.there(v) for v in value]
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else type(value)(parts)
        if type(value) is dict:
            return {k: self.there(v) for k, v in value.items()}
        return getattr(value, "_host", value) if type(value).__module__.startswith("quern") else value

    def back(self, value):
        """A result: NumPy's arrays and numbers become ours where their type is supported; what came from here goes back as it was."""
        for ours, host in self.hosts.values():
            if host is value:
                return ours
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            if value.dtype.name not in _names:
                return value
            out = asarray(value)
            if isinstance(value, numpy.generic) and self.kind in (None, Array):
                out = number(out)
            return out if self.kind is None else out._as(self.kind)
        if isinstance(value, (list, tuple)):
            parts = [self.back(v) for v in value]
            if hasattr(value, "_fields"):
                return type(value)(*parts)
            return type(value)(parts) if type(value) in (list, tuple) else value
        if type(value) is dict:
            return {k: self.back(v) for k, v in value.items()}
        wrapper = _pairs_of_types.get(type(value))
        return value if wrapper is None else wrapper(value)

    def write(self, value):
        if isinstance(value, tuple):
            for part in value:
                self.write(part)
        elif id(value) in self.hosts:
            ours, host = self.hosts[id(value)]
            ours[...] = asarray(host)

    def on_device(self):
        """Results go where the arguments were."""
        return _on_device(self.number)


class _on_device:  # noqa: N801
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.before = current_device()
        if self.number is not None:
            set_current_device(device("cpu" if self.number < 0 else f"cuda:{self.number}"))

    def __exit__(self, *_):
        set_current_device(self.before)


# Functions that write into their first argument; a pair (keyword, value) is when they do.
_WRITES = dict.fromkeys(("put", "place", "putmask", "copyto", "fill_diagonal", "put_along_axis", "shuffle", "at"), True)
_WRITES["nan_to_num"] = ("copy", False)
_WRITING_METHODS = {"sort", "partition", "put", "fill", "setfield", "byteswap", "itemset"}


@functools.cache
def _signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _written(name, function, args, kwargs):
    """The arguments that the function writes into."""
    found = []
    if kwargs.get("out") is not None:
        found.append(kwargs["out"])
    signature = _signature(function)
    if signature is not None and "out" not in kwargs and "out" in signature.parameters:
        place = list(signature.parameters).index("out")
        if place < len(args) and signature.parameters["out"].kind is not inspect.Parameter.KEYWORD_ONLY:
            found.append(args[place])
    if isinstance(function, numpy.ufunc):
        found.extend(args[function.nin :])
    when = _WRITES.get(name.rpartition(".")[2])
    if when is not None and (when is True or kwargs.get(when[0], not when[1]) is when[1]):
        found.append(args[0] if args else next(iter(kwargs.values()), None))
    return found


def run(name, function, args, kwargs, reason="", kind=None, writes=None):
    """Calls a function of NumPy's with arrays of ours.

    ``kind``: the type that arrays among the results get, by default that of the first array; ``writes``: the arguments that it
    writes into where that is known here alone.
    """
    _announce(name, reason)
    began = time.perf_counter_ns()
    exchange = _Exchange(kind)
    given = [exchange.there(a) for a in args]
    named = {k: exchange.there(v) for k, v in kwargs.items()}
    if _engine.records([ours for ours, _ in exchange.hosts.values()]):
        raise NotImplementedError(
            f"[{name}] derivative for {name} is not implemented: NumPy computes it on the host, where nothing is recorded; pass "
            "arrays of quern.autograd.detach(), or compose it of native functions"
        )
    result = function(*given, **named)
    with exchange.on_device():
        for value in _written(name, function, args, kwargs) if writes is None else writes:
            exchange.write(value)
        result = exchange.back(result)
    _engine.trace_fallback(began, name)
    return result


# ---- who comes here


def on_host(name, args, kwargs, reason, kind=None):
    """A call of a function of the engine's table with arguments that its row does not accept."""
    if args and hasattr(args[0], "draw_on_host"):  # a generator of random numbers
        return args[0].draw_on_host(name, args[1:], kwargs)
    return run(name, getattr(numpy, name), args, kwargs, reason, kind)


_engine.set_front_end("numpy", fall_back=on_host)


def _takes(function, args, kwargs):
    signature = _signature(function)
    if signature is None:
        return function is not None
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _called_on(place, function, args, kwargs):
    """With the arrays' device as the current one: what a function makes on the way is made there."""
    before = current_device()
    set_current_device(place)
    try:
        return function(*args, **kwargs)
    finally:
        set_current_device(before)


def served(function, host, name=None):
    """The native function, with NumPy's for the arguments that it does not take."""
    name = name or function.__name__
    is_number, is_array = name in NUMBERS, name in ARRAYS

    @functools.wraps(function)
    def call(*args, **kwargs):
        elsewhere = _engine.device_elsewhere(args)
        if elsewhere is not None:
            return _called_on(elsewhere, call, args, kwargs)
        try:
            result = _engine.array_settled(function(*args, **kwargs))
            if is_number:
                return numbers_in(result, args, kwargs)
            return array_in(result) if is_array else result
        except NoDerivative:
            raise
        except NotImplementedError as error:
            reason = str(error)
        except TypeError as error:
            # Only of the call itself: an argument that is not known here, but to NumPy.
            if error.__traceback__.tb_next is not None or not _takes(host, args, kwargs):
                raise
            reason = str(error)
        if host is None:
            raise NotImplementedError(reason)
        return run(name, host, args, kwargs, reason)

    call.__quern_native__ = function
    return call


def serve_module(namespace, host_module, prefix):
    """Wraps the public functions that a module defines, and returns its __getattr__: NumPy's functions for what is missing."""
    module = namespace["__name__"]
    for name, value in list(namespace.items()):
        if isinstance(value, types.FunctionType) and value.__module__ == module and name[0] != "_":
            namespace[name] = served(value, getattr(host_module, name, None), f"{prefix}{name}")

    def __getattr__(name):
        value = stand_in(host_module, name, module, prefix)
        namespace[name] = value
        return value

    return __getattr__


_HOST_CLASSES = ("broadcast", "flatiter", "matrix", "memmap", "ndenumerate", "nditer", "poly1d", "recarray", "vectorize", "chararray")
_HOST_MODULES = ("emath", "polynomial", "lib", "ma", "char", "strings", "rec")
_LEFT_OUT = ("get_include", "core", "f2py", "show_config", "show_runtime", "ctypeslib")  # of NumPy the package
# Functions that no array goes through, or whose answer is no array: NumPy's as they are.
_PLAIN = {
    "base_repr", "binary_repr", "format_float_positional",
    "format_float_scientific", "frompyfunc", "get_printoptions", "getbufsize", "geterr", "geterrcall", "info", "isdtype",
    "issubdtype", "iterable", "mintypecode", "printoptions", "set_printoptions", "setbufsize", "seterr", "seterrcall", "typename",
}  # fmt: skip


def stand_in(host_module, name, module, prefix="", kind=None):
    """NumPy's public ``name`` for arrays of ours: functions through `run`; types, constants and errors as they are.

    Raises AttributeError for a name that NumPy has not.
    """
    why = todays(name, module) if host_module is numpy else ""
    missing = AttributeError(f"module '{module}' has no attribute {name!r}{why}")
    if name.startswith("_") or name == "test" or (host_module is numpy and name in _LEFT_OUT):
        raise missing
    try:
        value = getattr(host_module, name)
    except AttributeError:
        raise missing from None
    if isinstance(value, types.ModuleType):
        if name in ("testing", "exceptions", "dtypes", "typing", "version"):
            return value
        if name in _HOST_MODULES or host_module is not numpy:
            return _HostModule(value, f"{module}.{name}", f"{prefix}{name}.", kind)
        raise missing
    if isinstance(value, type) and not (host_module is numpy and name in _HOST_CLASSES):
        return _pairs_of_types.get(value, value)
    if host_module is numpy and name in _PLAIN:
        return value
    if callable(value):
        return host_function(value, name, prefix, kind)
    if hasattr(type(value), "__getitem__") and type(value).__module__.startswith("numpy") and name in ("r_", "c_"):
        return _HostIndex(value, name, kind)
    return value


def host_function(value, name, prefix="", kind=None):
    """A function of NumPy's that takes and gives arrays of ours."""

    def call(*args, **kwargs):
        return run(prefix + name, value, args, kwargs, kind=kind)

    call.__name__ = call.__qualname__ = name
    call.__module__ = f"quern.{prefix}".rstrip(".")
    call.__doc__ = f"NumPy's ``{prefix}{name}``, computed on the host; see :func:`quern.set_fallback`.\n\n{inspect.getdoc(value) or ''}"
    call.__quern_host__ = value
    signature = None if isinstance(value, type) else _signature(value)
    if signature is not None:
        call.__signature__ = signature
    return call


class _HostModule(types.ModuleType):
    """A module of NumPy's whose functions run on the host."""

    def __init__(self, host, name, prefix, kind):
        super().__init__(name, host.__doc__)
        self.__dict__.update(_host=host, _prefix=prefix, _kind=kind)

    def __getattr__(self, name):
        value = stand_in(self._host, name, self.__name__, self._prefix, self._kind)
        setattr(self, name, value)
        return value


class _HostIndex:
    """``r_`` and ``c_``: what stands in brackets is put together on the host."""

    def __init__(self, host, name, kind):
        self._host_index, self._name, self._kind = host, name, kind

    def __getitem__(self, key):
        return run(self._name, self._host_index.__getitem__, (key,), {}, kind=self._kind)


_OF_HOST_METHOD = """Call NumPy's method ``{name}``, computed on the host; see :func:`quern.set_fallback`.

Parameters
----------
*args : object
    Positional arguments of :meth:`numpy.ndarray.{name}`.
**kwargs : object
    Keyword arguments of it.

Returns
-------
object
    What NumPy's method returns, with arrays as this front end's.
"""


def host_method(name):
    """A method of NumPy's arrays that ours have not natively."""
    host = getattr(numpy.ndarray, name)

    def call(self, *args, **kwargs):
        writes = [self] if name in _WRITING_METHODS and (name != "byteswap" or args[:1] == (True,) or kwargs.get("inplace")) else None
        return run(f"ndarray.{name}", host, (self, *args), kwargs, kind=type(self), writes=writes)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _OF_HOST_METHOD.format(name=name)
    call.__quern_host__ = host
    return call


def attach_missing(array_type):
    """Gives the array type the methods that NumPy's arrays have and ours do not."""
    left_out = {"resize", "setflags", "getfield", "newbyteorder"}  # they change how memory is seen, which a copy cannot
    missing = {}
    for name in dir(numpy.ndarray):
        if name.startswith("_") or name in left_out or hasattr(array_type, name):
            continue
        if callable(getattr(numpy.ndarray, name)):
            missing[name] = host_method(name)
    _engine.add_methods(array_type, missing)
