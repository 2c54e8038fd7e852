"""vectorize: a Python function of numbers as a function of arrays, whose text is inlined into what is computed around it.

folds.py has its methods reduce, accumulate, reduceat and at.
"""

from __future__ import annotations

import functools

import numpy

from quern.arrays import core as _core
from quern.device import current_device
from quern.kernel import loops as _loops
from quern.kernel import signatures, times, types
from quern.kernel.derivative import gradient_of
from quern.kernel.dispatcher import check_returned
from quern.kernel.element_errors import error_of, numbers_of_failed, store_others, told_program
from quern.kernel.errors import KernelError, TypingError
from quern.kernel.folds import Folds, global_text, word_of
from quern.kernel.function import Function
from quern.kernel.hosted import run_by_python
from quern.kernel.launching import reduced
from quern.kernel.settings import settings_of
from quern.lib import _engine


class Row:
    """A function for given types of numbers, as a kernel of arrays that fuses; what it computes has gradients, by the function's own
    source (derivative.py). ``results``: their types, by default what the function returns; ``several``: that may be a tuple of numbers.
    ``rules``: as Program has them. ``settings``: those of a function whose exceptions are raised (element_errors.py).

    Called with operands, arrays for the results (or none) and the type that new arrays get; returns a list of arrays.
    """

    def __init__(self, function, parameters, results=None, several=False, rules=Function, settings=None):
        program = self.program = told_program(function, parameters, settings, rules=rules)
        self.kernel = program.kernel
        made = self.kernel.result
        self.is_tuple = isinstance(made, types.Tuple) and (several or results is not None)
        found = made.types if self.is_tuple else [made]
        for t in found:
            if not isinstance(t, (types.Number, types.Time)):
                raise self.kernel.error(TypingError, self.kernel.source.tree, f"it must return a number, not {t}")
        if results is not None and not self.is_tuple:
            check_returned(program, results[0])
            if isinstance(made, types.Time) and made != results[0]:
                raise self.kernel.error(TypingError, self.kernel.source.tree, f"it returns {made}, and its signature says {results[0]}")
        self.function, self.parameters, self.results = function, parameters, list(results or found)
        self.derivatives = {}  # numbers of the operands that a gradient is wanted of -> Row
        values = ", ".join(f"a{i}.half()" if t == types.float16 else f"a{i}" for i, t in enumerate(parameters))
        name = self.name_of_results
        inputs = ", ".join(f"{word_of(t)} a{i}" for i, t in enumerate(parameters))
        outputs = ", ".join(f"{word_of(t)} {name(i)}" for i, t in enumerate(self.results))
        before, behind = "", ""
        if program.raised is not None:
            before, behind, outputs, values = "status now;", "failed = now.left;", f"{outputs}, uint32 failed", f"{values}, now"
        value = f"{self.kernel.symbol}({values})"
        part = "made.template get<{}>()" if self.is_tuple else "made"
        cast = "quern::py::host::cast" if program.of_host else "quern::py::cast"
        parts = [f"{name(i)} = {cast}<{global_text(t)}>({part.format(i)});" for i, t in enumerate(self.results)]
        text = f"{before} const auto made = {value}; {' '.join(parts)} {behind}".strip()
        symbol = self.kernel.source.symbol
        self.compiled = _engine.ElementwiseKernel(inputs, outputs, text, symbol, program.inline(), "", "", True, [], True)

    def name_of_results(self, i):
        return "out" if len(self.results) == 1 else f"out{i}"

    def __call__(self, operands, out, kind, into=None):
        """``into``: the array that the first result is for, where that is not ``out``."""
        targets = [into] if into is not None else out
        if _engine.records(operands) or (out and _engine.records(out)):
            return self._handed(self._recorded(operands, kind, targets), out)
        if self.program.raised is not None:
            return self._handed(self._computed(operands, kind, targets), out)
        return self.compiled.call(operands, out, None, 128, current_device(), kind)

    def _computed(self, operands, kind, targets):
        """The results; raises what the function has raised."""
        made = self.compiled.call(operands, (), None, 128, current_device(), kind)
        if self.program.raised is None:
            return made
        *made, failed = made
        numbers = numbers_of_failed(failed)
        if numbers is not None:
            raise self._error(operands, numbers, made, targets)
        return made

    @staticmethod
    def _handed(made, out):
        for target, value in zip(out, made, strict=False):
            _core.Array.__setitem__(target, ..., value)
        return list(out) or made

    def _error(self, operands, numbers, made, targets):
        """What is raised: as in Numba, by the last element that raises; the results of those that do not are stored."""
        for target, value in zip(targets, made, strict=False):
            store_others(target, value, numbers)
        last = numpy.flatnonzero(numbers)[-1]
        arrays = [_core.asnumpy(o) if isinstance(o, _engine.BareArray) else numpy.asarray(o) for o in operands]
        values = [numpy.broadcast_to(a, numbers.shape).reshape(-1)[last] for a in arrays]
        return error_of(self.program, numbers.reshape(-1)[last], [v.astype(t.dtype) for v, t in zip(values, self.parameters, strict=True)])

    def _recorded(self, operands, kind, targets):
        """The results, with their gradients."""
        given = list(operands)
        places = [i for i, o in enumerate(given) if isinstance(o, _engine.BareArray)]
        smooth = [i for i in places if isinstance(self.parameters[i], (types.Float, types.Complex)) and _engine.wants_gradient(given[i])]
        self._derivative(tuple(smooth))  # functions without one raise here, at the call

        def make():
            return self._computed(given, kind, targets)

        def derivative(gradients, wanted, kept):
            now = list(given)
            for i, value in zip(places, kept, strict=True):
                now[i] = value
            which = tuple(i for i, w in zip(places, wanted, strict=True) if w and i in smooth)
            zeros = [0.0 if g is None else g for g in gradients]
            made = self._derivative(which)([*now, *zeros], (), kind) if which else []
            of = dict(zip(which, made, strict=True))
            return [of.get(i) for i in places]

        inputs = [given[i] for i in places]
        return _engine.differentiable(self.kernel.source.symbol, inputs, make, derivative, kind, True)

    def _derivative(self, which):
        found = self.derivatives.get(which)
        if found is None and which:
            function = gradient_of(self.function, self.parameters, self.results, which)
            wanted = [self.parameters[i] for i in which]
            found = self.derivatives[which] = Row(function, (*self.parameters, *self.results), wanted)
        return found


class _PythonRow:
    """What Row is for a function that cannot be compiled: Python runs it for each element."""

    def __init__(self, function, result):
        self.function, self.results = function, [result]

    def __call__(self, operands, out, kind, into=None):
        values = numpy.broadcast_arrays(*[_core.asnumpy(o) if isinstance(o, _core.Array) else o for o in operands])
        made = numpy.empty(values[0].shape, self.results[0].dtype)
        made.reshape(-1)[:] = [self.function(*each) for each in zip(*(v.reshape(-1) for v in values), strict=True)]
        if not out:
            return [_core.asarray(made)._as(kind)]
        _core.Array.__setitem__(out[0], ..., made)
        return list(out)


class VectorFunction(Folds):
    """What ``@vectorize`` makes: called with arrays and numbers, which broadcast.

    Where every argument is a NumPy array or a number, so is the result; else it is an array of the device, and the work is fused with
    what is recorded around it. ``out=`` takes the result.

    Raises
    ------
    TypeError
        Where no signature takes the arguments.
    quern.kernel.errors.KernelError
        When the function cannot be compiled.
    Exception
        What the function raises, for another target than "cuda".
    """

    def __init__(self, function, given=(), **options):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self._rows = {}  # types -> (Row, the result's type)
        self._known = {}  # classes and dtypes of arguments -> the types of their loop
        self._quick = {}  # names of the types of arrays on the device that need no conversion -> (Row, the name of the result's type)
        self._folds = {}  # what folds it, by types
        self._kind = options.pop("kind", _core.Array)  # of results, where no argument is an array of ours
        self.identity = options.get("identity")
        if self.identity not in (None, "reorderable") and not isinstance(self.identity, (int, float)):
            raise ValueError(f"[{self.__name__}] identity must be a number, 'reorderable' or None, not {self.identity!r}")
        code = function.__code__
        self.nin, self.nout, self.nargs = code.co_argcount, 1, code.co_argcount + 1
        for one in given:
            signature = signatures.parsed(one)
            if len(signature.args) != self.nin:
                takes = f"{self.nin} argument{'s' * (self.nin != 1)}"
                raise TypeError(f"[{self.__name__}] it takes {takes}, and {one!r} has {len(signature.args)}")
            self._row(signature.args, signature.return_type)
        self._is_open = not self._rows

    def __reduce__(self):
        given = [] if self._is_open else [signatures.Signature(row[1], args) for args, row in self._rows.items()]
        return reduced(self, given, kind=self._kind, **self.targetoptions)

    @property
    def types(self):
        """The loops as NumPy writes them, such as "ff->f"."""
        return ["".join(t.dtype.char for t in args) + "->" + row[1].dtype.char for args, row in self._rows.items()]

    @property
    def ntypes(self):
        return len(self._rows)

    @property
    def signature(self):
        return None

    def add(self, sig):
        """Compiles it for a signature."""
        signature = signatures.parsed(sig)
        self._row(signature.args, signature.return_type)

    def _settings(self):
        """Those of exceptions that are raised; None for CUDA, where they are not."""
        return None if self.targetoptions.get("target") == "cuda" else settings_of({**self.targetoptions, "error_model": "numpy"})

    def _row(self, parameters, result=None):
        found = self._rows.get(parameters)
        if found is None:
            for t in parameters:
                if not isinstance(t, (types.Number, types.Time)):
                    raise TypeError(f"[{self.__name__}] the arguments of a vectorized function must be scalars, not {t}")
            try:
                row = Row(self.py_func, parameters, None if result is None else [result], settings=self._settings())
            except KernelError as e:
                if result is None or self.targetoptions.get("target") == "cuda":
                    raise
                row = _PythonRow(run_by_python(self.py_func, e, raises=False), result)
            found = self._rows[parameters] = (row, row.results[0])
            self._known.clear()
        return found

    def _chosen(self, args, wanted=None, casting="same_kind"):
        """The types of the loop for these arguments, which is compiled if there is none and it may be."""
        if wanted is not None or casting != "same_kind":
            return self._searched(args, wanted, casting)
        key = tuple([(type(a), getattr(a, "dtype", None)) for a in args])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._searched(args, wanted, casting)
        return found

    def _searched(self, args, wanted, casting):
        loops = {(*parameters, row[1]): parameters for parameters, row in self._rows.items()}
        is_cuda = self.targetoptions.get("target") == "cuda"
        if not self._is_open or not is_cuda:
            try:
                if is_cuda and wanted is None:
                    return loops[_loops.exact(self.__name__, loops, args)]
                return loops[_loops.nearest(self.__name__, loops, list(map(_loops.known_of, args)), wanted, casting)]
            except TypeError:
                if not self._is_open or wanted is not None:
                    raise
        return tuple(types.of_dtype(a.dtype) if hasattr(a, "dtype") else signatures.argument_type(a) for a in args)

    def __call__(self, *args, out=None, stream=0, **options):
        """``dtype``, ``signature``: of the loop; ``casting``: how arguments and the result may be cast, as for NumPy's ufuncs."""
        quick = self._quick.get(tuple([getattr(a, "_dtype_name", None) for a in args]))
        if quick and not options and (out is None or getattr(out, "_dtype_name", None) == quick[1]):
            (made,) = quick[0](args, () if out is None else (out,), type(args[0]))
            return made if out is None else out
        wanted, casting = self._read(**options) if options else (None, "same_kind")
        if len(args) == self.nargs and out is None:
            args, out = args[:-1], args[-1]
        if len(args) != self.nin:
            raise TypeError(f"[{self.__name__}] it takes {self.nin} argument{'s' * (self.nin != 1)}, not {len(args)}")
        if isinstance(out, tuple) and len(out) == 1:
            (out,) = out
        out = _core._as_target(out)
        if out is not None and not isinstance(out, (numpy.ndarray, _core.Array)):
            raise TypeError(f"[{self.__name__}] out must be an array, not a {type(out).__name__}")
        args = [_taken(a, self._kind) for a in args]
        loop = self._chosen(args, wanted, casting)
        row, result = self._row(loop)
        on_device = [a for a in args if not isinstance(a, (numpy.ndarray, numpy.generic, bool, int, float, complex))]
        of_times = any(isinstance(t, types.Time) for t in (*loop, result))
        if not of_times and all(isinstance(a, _core.Array) and a.dtype == t.dtype for a, t in zip(args, loop, strict=True)):
            self._quick[tuple(a._dtype_name for a in args)] = (row, word_of(result))
        operands = [_operand(a, t) for a, t in zip(args, loop, strict=True)]
        if not any(isinstance(o, _core.Array) for o in operands):
            operands[0] = _core.asarray(operands[0], word_of(loop[0]))
        kind = next((type(a) for a in (*on_device, out) if isinstance(a, _core.Array)), self._kind)
        if out is not None and not numpy.can_cast(result.dtype, out.dtype, casting):
            said = f"which cannot be cast to an array of {out.dtype} (casting='{casting}')"
            raise TypeError(f"[{self.__name__}] the result is {result}, {said}")
        if isinstance(out, _core.Array) and out.dtype == result.dtype:
            row(operands, (times.as_integers(out, out.dtype) if of_times and out.dtype.kind in "mM" else out,), kind)
            return out
        (made,) = row(operands, (), kind, out)
        if isinstance(result, types.Time):
            made = times.as_times(made, result.dtype)
        if out is not None:
            if isinstance(out, numpy.ndarray):
                numpy.copyto(out, _core.asnumpy(made), casting)
            else:
                _core.Array.__setitem__(out, ..., made)
            return out
        if on_device:
            return made
        host = _core.asnumpy(made)
        return host if any(isinstance(a, numpy.ndarray) for a in args) and host.ndim else host[()]

    def _read(self, dtype=None, casting="same_kind", signature=None, sig=None, **unknown):
        if unknown:
            raise TypeError(f"[{self.__name__}] got an unexpected keyword argument '{next(iter(unknown))}'")
        return _loops.wanted_types(self.__name__, self.nin, 1, dtype, sig if signature is None else signature), casting


def _taken(value, kind):
    """An argument; of what only offers memory of a GPU an array over it, of the class ``kind``."""
    if isinstance(value, (list, tuple)):
        return numpy.asarray(value)
    if isinstance(value, (_core.Array, numpy.ndarray)) or not hasattr(value, "__cuda_array_interface__"):
        return value
    return _core.asarray(value, copy=False)._as(kind)


def _operand(value, type_):
    """As an array of the device of that type, or a number."""
    if isinstance(type_, types.Time):
        made = times.as_integers(value, type_.dtype)
        return made if isinstance(value, _core.Array) or made.ndim else _core.asnumpy(made)[()]
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        return type_.dtype.type(value)
    array = _core.asarray(value)
    return array if array.dtype == type_.dtype else array.astype(type_.dtype)
