"""jit and njit: a Python function compiled for the host, called as it is written. It runs as a kernel of one thread on the CPU.

Where it needs what the language of kernels does not have, Python runs it (interpreted.py), and a FallbackWarning says why
(quern.set_fallback).
"""

from __future__ import annotations

import collections
import ctypes
import functools
import inspect
import math
import weakref

import numpy

from quern.arrays import fallback
from quern.arrays.manipulation.stride_tricks import as_strided
from quern.device import current_device, device, set_current_device
from quern.errors import LaunchError
from quern.kernel import conversions, signatures, types
from quern.kernel.errors import KernelError, TypingError, UnsupportedError
from quern.kernel.interpreted import with_types
from quern.kernel.launching import leaves_of, numbers_of, reduced
from quern.kernel.program import Program, show_as
from quern.kernel.raised import raised_on_host
from quern.kernel.settings import settings_of
from quern.lib import _engine


def run_by_python(function, error, raises=True, known=()):
    """The function as Python runs it, with Numba's types; warns that it cannot be compiled. Raises the error where that is not wanted, or
    where its source cannot be read. ``raises``: is a division by 0 an error? ``known``: texts of errors that were given before."""
    said = f"[{function.__name__}] runs as plain Python (see quern.set_fallback), because it cannot be compiled: {error}"
    if getattr(error, "is_final", False):
        raise error.with_traceback(None)
    made = with_types(function, raises)
    fallback.tell(said, error.with_traceback(None), is_known=str(error) in known)
    return made


def check_not_none(kernel, wanted):
    """Raises TypingError where a function may return None and is declared to return a number."""
    if isinstance(kernel.result, types.Optional) and isinstance(wanted, types.Number):
        said = f"it returns None on some ways, and its signature says {wanted}"
        raise kernel.error(TypingError, kernel.source.tree, said, "end each way with `return` and a value")


class _Caller(_engine.Dispatcher):
    """Launches the wrapper kernels of a HostFunction: their first arguments take what is returned."""

    def __init__(self, owner):
        super().__init__()
        self.owner = weakref.ref(owner)  # which holds this: a cycle through the engine's object would never be freed

    def _compile(self, described, launch, args):
        types_ = tuple(signatures.of_description(d) for d in described)
        return self.owner()._wrapped(types_)


_Overload = collections.namedtuple("_Overload", "signature")


class HostFunction:
    """What ``@njit`` makes.

    Called with numbers, NumPy arrays, arrays of quern's on the CPU, and tuples of these. Arrays are used in place.

    What cannot be compiled is run by Python.

    Raises
    ------
    quern.kernel.errors.KernelError
        When the function, with these types, cannot be compiled, and ``quern.set_fallback("error")`` holds.
    Exception
        What the function raises; AssertionError; ZeroDivisionError (not with ``error_model="numpy"``, which divides as kernels do).
    """

    def __init__(self, function, given=(), **options):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self._programs = {}  # types -> Program
        self._wrappers = {}
        self._launch = _Caller(self)[1, 1]
        code = function.__code__
        variadic = code.co_flags & inspect.CO_VARARGS
        self._most = math.inf if variadic else code.co_argcount
        self._least = code.co_argcount - len(function.__defaults__ or ())
        self._plain = None  # what Python runs, where no types can be compiled
        self._told = set()  # why
        self._by_types = {}  # types of arguments that cannot be compiled -> what Python runs; None: of arguments without a type
        parsed = [self._parsed(one) for one in given]
        self.declared = list({s.args: s for s in parsed}.values())  # where there are some, arguments become what one of them takes
        self._chosen = {}  # types of arguments -> which of these
        for signature in self.declared:
            try:
                kernel = self._program(signature.args).kernel
            except KernelError as e:
                if not hasattr(e, "undefined"):  # else it may stand further down: the function is compiled at the call
                    self._plain = self._run_by_python(e)
            else:
                check_not_none(kernel, signature.return_type)

    def __reduce__(self):
        return reduced(self, self.declared, **self.targetoptions)

    def _run_by_python(self, error):
        if self.settings().locals:
            error.is_final = True  # Python does not convert what names get
        made = run_by_python(self.py_func, error, not self.settings().divides, self._told)
        self._told.add(str(error))
        return made

    def settings(self, caller=None):
        """What its options say about its errors, where ``caller`` are the settings of the compiled function that calls it."""
        return settings_of(self.targetoptions, caller)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    @property
    def signatures(self):
        """The types of arguments that it takes, or was compiled for."""
        return [s.args for s in self.declared] or list(self._programs)

    @property
    def nopython_signatures(self):
        """The same with what is returned."""
        declared = {s.args: s.return_type for s in self.declared}
        results = {args: declared.get(args) or self._programs[args].kernel.result for args in self.signatures}
        return [signatures.Signature(result, args) for args, result in results.items()]

    @property
    def overloads(self):
        """What it was compiled for: of the arguments' types what has ``signature``."""
        return {signature.args: _Overload(signature) for signature in self.nopython_signatures}

    def compile(self, sig):
        """Compiles for a signature now."""
        self._program(self._parsed(sig).args)

    def _parsed(self, given):
        """A signature of this function. Raises TypeError where it has another number of arguments."""
        made, takes = signatures.parsed(given), self.py_func.__code__.co_argcount
        if self._most != math.inf and len(made.args) != takes:
            raise TypeError(f"Signature mismatch: {len(made.args)} argument types given, but function takes {takes} arguments")
        return made

    def _program(self, parameters):
        found = self._programs.get(parameters)
        if found is None:
            found = self._programs[parameters] = Program(
                self.py_func, parameters, False, debug=True, raises=True, settings=self.settings(), of_host=True
            )
        return found

    def __call__(self, *args, **named):
        if named:
            args = self._in_order(args, named)
        elif not self.declared and not self._least <= len(args) <= self._most:
            what, count = ("not enough", self._least) if len(args) < self._least else ("too many", self._most)
            raise TypeError(f"{what} arguments: expected {count}, got {len(args)}")
        declared = None
        if self.declared:
            args, declared = self._as_declared(args)
        plain, parameters = self._plain, None
        if plain is None:
            try:
                parameters = self._types_of(args)
                plain = self._by_types.get(parameters)
                if plain is None:
                    kernel, places = self._places(parameters)
            except (KernelError, TypeError) as e:
                plain = self._by_types.get(parameters)
                if plain is None:
                    plain = self._by_types[parameters] = self._run_by_python(e)
        if plain is not None:
            made, result = plain(*args), None
        else:
            self._run(kernel, places, args)
            result = kernel.result
            made = _value(result, [p[0] for p in places], args)
        if declared is None or declared == result:
            return made
        return None if isinstance(declared, types.NoneType) else _python_number(_converted(made, declared))

    def _as_declared(self, args):
        """The arguments as the signature that they mean takes them, and what it says is returned."""
        known = tuple([signatures.of_description(d) for d in _engine.argument_types(*args)])
        if types.uint64 in known:  # as Numba has it, each of Python's integers is an int64 here
            known = tuple([types.int64 if type(v) is int else k for v, k in zip(args, known, strict=True)])
        chosen = self._chosen.get(known)
        if chosen is None:
            found = conversions.only_nearest([s.args for s in self.declared], known, self.__name__)
            chosen = self._chosen[known] = next(s for s in self.declared if s.args == found)
        made = args
        if known != chosen.args or types.int64 in known:
            made = [v if k == t and type(v) is not int else _unboxed(v, t) for v, k, t in zip(args, known, chosen.args, strict=True)]
        return made, chosen.return_type

    def of_numbers(self, *args):
        """What it returns for numbers, each of NumPy's type that it has in a kernel: one, or a tuple."""
        kernel, places = self._places(self._types_of(args))
        if _holds_array(kernel.result) or isinstance(kernel.result, (types.Optional, types.NoneType)):
            raise UnsupportedError(f"[{self.__name__}] it returns {kernel.result}; a number is required")
        self._run(kernel, places, args)
        return tuple(p[0] for p in places) if isinstance(kernel.result, types.Tuple) else places[0][0]

    def _types_of(self, args):
        try:
            return tuple([signatures.of_description(d) for d in _engine.argument_types(*args)])
        except OverflowError as e:
            error = TypingError(f"[{self.__name__}] {str(e).removeprefix('[launch] ')}; pass a float")
            error.is_final = True
            raise error from None

    def _places(self, parameters):
        """The compiled function, and an array for each number of what it returns; compiles."""
        function = self._program(parameters).kernel
        return function, [numpy.empty(1, t.dtype) for t in _parts(function, function.result)]

    def _run(self, kernel, places, args):
        before = current_device()
        set_current_device(device("cpu"))
        try:
            self._launch(*places, *args)
            if not places:  # nothing of the host waits for it
                device("cpu").synchronize()
        except LaunchError as e:
            raise raised_on_host(e, kernel.program.exceptions) or e from e
        finally:
            set_current_device(before)

    def _in_order(self, args, named):
        code = self.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        defaults = dict(zip(reversed(names), reversed(self.py_func.__defaults__ or ()), strict=False))
        values = list(args)
        for name in names[len(args) :]:
            if name in named:
                values.append(named.pop(name))
            elif name in defaults:
                values.append(defaults[name])
            else:
                raise TypeError(f"[{self.__name__}] missing a required argument: '{name}'")
        if named:
            raise TypeError(f"[{self.__name__}] got an unexpected keyword argument '{next(iter(named))}'")
        return values

    def _wrapped(self, given):
        """The kernel that calls the function and stores what it returns."""
        count = len(given)
        for parameters, program in self._programs.items():
            parts = _parts(program.kernel, program.kernel.result)
            if count != len(parts) + len(parameters) or given[len(parts) :] != parameters:
                continue
            # Of a number more and an argument less it is another program.
            if all(isinstance(g, types.Array) and g.dtype == part for g, part in zip(given, parts, strict=False)):
                break
        else:
            raise AssertionError(f"[{self.__name__}] no program for {given}")
        text = "// nvrtc: skip\n" + program.caller(given[: len(parts)])  # its failing asserts are the CPU's alone
        symbol = f"call_{program.kernel.source.symbol}"
        show_as(symbol, program.kernel.source)
        flags = [] if self.targetoptions.get("fastmath") else ["--fmad=false"]  # on the host Numba rounds each product
        built = _engine.build(device("cpu"), text, f"{self.__name__}.cu", flags, keep=True, types=signatures.listed(given[len(parts) :]))
        leaves = [leaf for p in given for leaf in leaves_of("", p)]
        return built, symbol, [True] * len(leaves), "", False, False, numbers_of(given)


def _unboxed(value, type_):
    """An argument as Numba makes a number of that type from it, or a tuple of them; others stay what they are.

    An integer is cut to the type's bits. Raises OverflowError for one of more than 64 bits, and for a negative one without a sign.
    """
    if isinstance(type_, types.Optional):
        return None if value is None else _unboxed(value, type_.type)
    if isinstance(type_, types.Tuple):
        return tuple(_unboxed(v, t) for v, t in zip(value, type_.types, strict=True))
    if isinstance(type_, types.Integer):
        cut = int(value).to_bytes(8, "little", signed=type_.signed)[: type_.bits // 8]
        return type_.dtype.type(int.from_bytes(cut, "little", signed=type_.signed))
    if not isinstance(type_, types.Number):
        return value
    with numpy.errstate(over="ignore"):
        return numpy.asarray(float(value) if isinstance(type_, types.Float) else value).astype(type_.dtype)[()]


def _converted(value, type_):
    """What is returned, as the type that a signature says: a number, or a tuple of them; others stay what they are."""
    if isinstance(type_, types.Tuple):
        return tuple(_converted(v, t) for v, t in zip(value, type_.types, strict=True))
    if not isinstance(type_, types.Number):
        return value
    return numpy.asarray(value).astype(type_.dtype)[()]


def _python_number(value):
    return tuple(map(_python_number, value)) if isinstance(value, tuple) else value.item() if isinstance(value, numpy.generic) else value


def _parts(function, result):
    """The numbers that a result consists of."""
    if isinstance(result, types.NoneType):
        return []
    if isinstance(result, types.Tuple):
        return [part for t in result.types for part in _parts(function, t)]
    if isinstance(result, types.Optional):
        return [types.boolean, *_parts(function, result.type)]
    if isinstance(result, types.Array):
        return [types.int64] * (1 + 2 * result.ndim)
    if not isinstance(result, (types.Number, types.Time)):
        hint = "a compiled function returns numbers, arrays that it is given and tuples of them"
        raise function.error(UnsupportedError, function.source.tree, f"it returns {result}", hint)
    return [result]


def _holds_array(type_):
    if isinstance(type_, types.Optional):
        return _holds_array(type_.type)
    return isinstance(type_, types.Array) or (isinstance(type_, types.Tuple) and any(map(_holds_array, type_.types)))


def _value(type_, numbers, args, is_given=True):
    """What Python gets: its own numbers, as from Numba's functions, and arrays that lie in those of ``args``. Where it is not given, None
    is in place of arrays."""
    if isinstance(type_, types.NoneType):
        return None
    if isinstance(type_, types.Tuple):
        made = [_value(t, numbers, args, is_given) for t in type_.types]
        return type_.instance_class(*made) if isinstance(type_, types.NamedTuple) else tuple(made)
    if isinstance(type_, types.Optional):
        is_given = numbers.pop(0).item() and is_given
        value = _value(type_.type, numbers, args, is_given)
        return value if is_given else None
    if isinstance(type_, types.Array) and not is_given:
        del numbers[: 1 + 2 * type_.ndim]
        return None
    if isinstance(type_, types.Array):
        address, *sizes = (int(numbers.pop(0)) for _ in range(1 + 2 * type_.ndim))
        return _array_at(address, type_, tuple(sizes[: type_.ndim]), tuple(sizes[type_.ndim :]), list(_arrays_in(args)))
    return numbers.pop(0) if isinstance(type_, types.Time) else numbers.pop(0).item()


def _arrays_in(args):
    for one in args:
        if isinstance(one, tuple):
            yield from _arrays_in(one)
        elif isinstance(one, (numpy.ndarray, _engine.Array)):
            yield one


def _array_at(address, type_, shape, strides, given):
    """The given array that lies there, else a view into one; what lies in none (an array that the function has found) is copied."""
    dtype = numpy.dtype(type_.dtype.dtype)
    for one in given:
        start = one.ctypes.data if isinstance(one, numpy.ndarray) else _engine.device_address(one)
        if (start, tuple(one.shape), one.dtype) == (address, shape, dtype) and (one.size == 0 or one.strides == strides):
            return one
    for one in given if 0 not in shape else ():
        if isinstance(one, numpy.ndarray):
            low, high = numpy.lib.array_utils.byte_bounds(one)
            if low <= address < high:
                return _laid_out(low, high, one, address, dtype, shape, strides)
            continue
        low = _engine.device_address(one)
        if one.flags.c_contiguous and low <= address < low + one.nbytes and one.dtype == dtype:
            return as_strided(one.reshape(-1)[(address - low) // dtype.itemsize :], shape, strides)
    if 0 in shape:
        return numpy.lib.stride_tricks.as_strided(numpy.empty(1, dtype), shape, strides)
    steps = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    low, high = address + sum(min(0, s) for s in steps), address + sum(max(0, s) for s in steps) + dtype.itemsize
    return _laid_out(low, high, None, address, dtype, shape, strides).copy()


def _laid_out(low, high, owner, address, dtype, shape, strides):
    """NumPy's array over the memory from ``low`` to ``high``, which is ``owner``'s."""
    memory = (ctypes.c_char * (high - low)).from_address(low)
    memory.owner = owner
    made = numpy.ndarray(shape, dtype, memory, address - low, strides)
    made.flags.writeable = owner is not None and owner.flags.writeable
    return made
