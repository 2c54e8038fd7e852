"""vectorize: a Python function of numbers as a function of arrays, whose text is inlined into what is computed around it; reduce."""

from __future__ import annotations

import functools

import numpy

from quern.arrays import core as _core
from quern.device import current_device
from quern.kernel import signatures, types
from quern.kernel.dispatcher import check_returned
from quern.kernel.errors import TypingError
from quern.kernel.program import Program
from quern.lib import _engine


class VectorFunction:
    """What ``@vectorize`` makes: called with arrays and numbers, which broadcast.

    Where every argument is a NumPy array or a number, so is the result; else it is an array of the device, and the work is fused with
    what is recorded around it. ``out=`` takes the result.

    Raises
    ------
    TypeError
        Where no signature takes the arguments.
    quern.kernel.errors.KernelError
        When the function cannot be compiled.
    """

    def __init__(self, function, given=(), **options):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self._rows = {}  # types -> (the engine's kernel, the result's type)
        self._quick = {}  # names of the types of arrays on the device that need no conversion -> (kernel, the name of the result's type)
        self._loops = []  # of the signatures that were given, in order
        self.identity = options.get("identity")
        if self.identity not in (None, "reorderable") and not isinstance(self.identity, (int, float)):
            raise ValueError(f"[{self.__name__}] an identity is a number, 'reorderable' or None, not {self.identity!r}")
        code = function.__code__
        self.nin, self.nout, self.nargs = code.co_argcount, 1, code.co_argcount + 1
        for one in given:
            signature = signatures.parsed(one)
            if len(signature.args) != self.nin:
                raise TypeError(f"[{self.__name__}] it takes {self.nin} arguments, and {one!r} has {len(signature.args)}")
            self._row(signature.args, signature.return_type)
            self._loops.append(signature.args)
        self._is_open = not self._loops

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
        self._loops.append(signature.args)

    def _row(self, parameters, result=None):
        found = self._rows.get(parameters)
        if found is None:
            for t in parameters:
                if not isinstance(t, types.Number):
                    raise TypeError(f"[{self.__name__}] a function of numbers is vectorized; its arguments are numbers, not {t}")
            program = Program(self.py_func, parameters, False)
            made = program.kernel.result
            if not isinstance(made, types.Number):
                raise program.kernel.error(TypingError, program.kernel.source.tree, f"it must return a number, not {made}")
            check_returned(program, result)
            result = result or made
            values = [f"a{i}.half()" if t == types.float16 else f"a{i}" for i, t in enumerate(parameters)]
            value = f"quern::py::cast<{_global_text(result)}>({program.kernel.symbol}({', '.join(values)}))"
            inputs = ", ".join(f"{_word(t)} a{i}" for i, t in enumerate(parameters))
            kernel = _engine.ElementwiseKernel(
                inputs, f"{_word(result)} out", f"out = {value}", program.kernel.symbol, program.inline(), "", "", True, [], True
            )
            found = self._rows[parameters] = (kernel, result)
        return found

    def _chosen(self, args):
        """The loop for these arguments: as NumPy chooses one, Python's own numbers take the others' type."""
        known = [a.dtype if hasattr(a, "dtype") else type(a) for a in args]
        if self._is_open:
            return tuple(
                types.of_dtype(k) if isinstance(k, numpy.dtype) else signatures.typeof(a) for k, a in zip(known, args, strict=True)
            )
        for loop in self._loops:
            if all(_goes(k, t) for k, t in zip(known, loop, strict=True)):
                return loop
        listed = "; ".join(f"({', '.join(map(str, loop))})" for loop in self._loops)
        given = ", ".join(str(k if isinstance(k, numpy.dtype) else k.__name__) for k in known)
        raise TypeError(f"[{self.__name__}] no signature takes ({given}); there is {listed}. Convert the arguments with astype()")

    def __call__(self, *args, out=None, stream=0, **unknown):
        quick = self._quick.get(tuple([getattr(a, "_dtype_name", None) for a in args]))
        if quick and not unknown and (out is None or getattr(out, "_dtype_name", None) == quick[1]):
            (made,) = quick[0].call(args, () if out is None else (out,), None, 128, current_device(), type(args[0]))
            return made if out is None else out
        if unknown:
            raise TypeError(f"[{self.__name__}] there is no keyword '{next(iter(unknown))}'")
        if len(args) == self.nargs and out is None:
            args, out = args[:-1], args[-1]
        if len(args) != self.nin:
            raise TypeError(f"[{self.__name__}] it takes {self.nin} arguments, not {len(args)}")
        if isinstance(out, tuple) and len(out) == 1:
            (out,) = out
        if out is not None and not isinstance(out, (numpy.ndarray, _core.Array)):
            raise TypeError(f"[{self.__name__}] out is an array, not a {type(out).__name__}")
        args = [numpy.asarray(a) if isinstance(a, (list, tuple)) else a for a in args]
        loop = self._chosen(args)
        kernel, result = self._row(loop)
        on_device = [a for a in args if not isinstance(a, (numpy.ndarray, numpy.generic, bool, int, float, complex))]
        if all(isinstance(a, _core.Array) and a.dtype == t.dtype for a, t in zip(args, loop, strict=True)):
            self._quick[tuple(a._dtype_name for a in args)] = (kernel, _word(result))
        operands = [_operand(a, t) for a, t in zip(args, loop, strict=True)]
        if not any(isinstance(o, _core.Array) for o in operands):
            operands[0] = _core.asarray(operands[0], loop[0].dtype.name)
        kind = next((type(a) for a in (*on_device, out) if isinstance(a, _core.Array)), _core.Array)
        if isinstance(out, _core.Array) and out.dtype == result.dtype:
            kernel.call(operands, [out], None, 128, current_device(), kind)
            return out
        (made,) = kernel.call(operands, [], None, 128, current_device(), kind)
        if out is not None:
            if not numpy.can_cast(result.dtype, out.dtype, "same_kind"):
                raise TypeError(f"[{self.__name__}] the result is {result}, which does not go into an array of {out.dtype}")
            if isinstance(out, numpy.ndarray):
                out[...] = _core.asnumpy(made)
            else:
                _core.Array.__setitem__(out, ..., made)
            return out
        if on_device:
            return made
        host = _core.asnumpy(made)
        return host if any(isinstance(a, numpy.ndarray) for a in args) and host.ndim else host[()]

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        """The function folded over the elements along an axis; the function takes two arguments and its order does not matter."""
        if self.nin != 2:
            raise ValueError(f"[{self.__name__}] reduce only supported for binary functions; this one takes {self.nin}")
        given = array
        array = _core.asarray(array)
        kernel = reduction(self.py_func, types.of_dtype(array.dtype), self.__name__, self.identity)
        axes = None if axis is None else [_core._axis(a, array.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
        (made,) = kernel.call([array], [], axes, bool(keepdims), type(array))
        if out is not None:
            if out.shape != made.shape:
                raise ValueError(f"[{self.__name__}] the result has shape {made.shape}, and the array for it {out.shape}")
            out[...] = _core.asnumpy(made) if isinstance(out, numpy.ndarray) else made
            return out
        return made if isinstance(given, _core.Array) else _core.asnumpy(made)[()]


def reduction(function, type_, name, identity=None):
    """The engine's kernel that folds ``function`` over numbers of that type."""
    program = Program(function, (type_, type_), False)
    result = program.kernel.result
    if types.unified(result, type_) is None:
        raise program.kernel.error(TypingError, program.kernel.source.tree, f"it folds numbers of {type_} and returns {result}")
    word = _word(type_)
    half = ".half()" if type_ == types.float16 else ""
    fold = f"quern::py::cast<{_global_text(type_)}>(quern::py::{program.kernel.symbol}(a{half}, b{half}))"
    start = "" if identity in (None, "reorderable") else str(identity)
    return _engine.ReductionKernel(f"{word} x", f"{word} y", "x", fold, "y = a", start, program.kernel.symbol, "", program.text, [])


def _operand(value, type_):
    """As an array of the device of that type, or a number."""
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        return type_.dtype.type(value)
    array = _core.asarray(value)
    return array if array.dtype == type_.dtype else array.astype(type_.dtype)


def _goes(known, type_):
    if isinstance(known, numpy.dtype):
        return numpy.can_cast(known, type_.dtype, "safe")
    order = "biufc"
    return order.index({bool: "b", int: "i", float: "f", complex: "c"}[known]) <= order.index(type_.kind.replace("u", "i"))


def _global_text(type_):
    """The C++ type, outside of quern's namespaces."""
    return type_.c.replace("op::", "quern::op::").replace("complex<", "quern::complex<")


def _word(type_):
    return "bool" if type_ == types.boolean else type_.name
