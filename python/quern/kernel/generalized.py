"""guvectorize: a Python function of small arrays as a function of larger ones, over all of their leading axes."""

from __future__ import annotations

import functools
import math
import operator
import re

import numpy
from numpy.exceptions import AxisError

from quern.arrays import core as _core
from quern.arrays.creation import empty
from quern.arrays.manipulation import moveaxis
from quern.device import current_device
from quern.kernel import loops as _loops
from quern.kernel import signatures, times, types
from quern.kernel.element_errors import error_of, numbers_of_failed, told_program
from quern.kernel.errors import KernelError
from quern.kernel.hosted import run_by_python
from quern.kernel.launching import leaves_of, numbers_of, reduced
from quern.kernel.program import show_as
from quern.kernel.settings import settings_of
from quern.lib import _engine

_BLOCK = 128


def parsed_layout(layout):
    """``"(m,n),(n)->(m)"`` as two lists of tuples of names or numbers. Raises ValueError for what is no layout."""
    sides = re.sub(r"\s", "", layout).split("->")
    made = []
    for side in sides:
        if not re.fullmatch(r"\([\w,]*\)(,\([\w,]*\))*", side):
            raise ValueError(f"[guvectorize] {layout!r} is not a layout; write it as '(m,n),(n)->(m)'")
        made.append([tuple(int(d) if d.isdigit() else d for d in part.split(",") if d) for part in re.findall(r"\(([\w,]*)\)", side)])
    if len(made) != 2:
        raise ValueError(f"[guvectorize] {layout!r} is not a layout; write it as '(m,n),(n)->(m)'")
    known = {d for part in made[0] for d in part}
    for part in made[1]:
        for d in part:
            if isinstance(d, str) and d not in known:
                raise NameError(f"[guvectorize] the dimension {d!r} of a result occurs in no argument")
    return made


class _Caller(_engine.Dispatcher):
    """Launches the kernels of one loop of a GeneralFunction."""

    def __init__(self, owner, parameters):
        super().__init__()
        self.owner, self.parameters, self.__name__ = owner, parameters, owner.__name__
        self.warns = owner.targetoptions.get("target") == "cuda"
        self.told = {}

    def _compile(self, described, launch, args):
        return self.owner._kernel(self.parameters, tuple(signatures.of_description(d) for d in described))


class _PythonCaller:
    """The same for a function that cannot be compiled: Python runs it."""

    def __init__(self, owner, parameters, function):
        self.owner, self.parameters, self.function = owner, parameters, function

    def __getitem__(self, launch):
        return self

    def __call__(self, *given):
        arrays = given[:-1]
        values = [numpy.array(_core.asnumpy(a)) for a in arrays]
        tails = [max(len(core), 1) for core in self.owner._inputs + self.owner._outputs]
        for place in numpy.ndindex(values[0].shape[: values[0].ndim - tails[0]]):
            parts = [v[place] for v in values]
            self.function(*[p if isinstance(t, types.Array) else p[0] for p, t in zip(parts, self.parameters, strict=True)])
        for array, value in list(zip(arrays, values, strict=True))[self.owner.nin :]:
            _core.Array.__setitem__(array, ..., value)


class GeneralFunction:
    """What ``@guvectorize`` makes: called with its inputs, or inputs and outputs.

    Where every argument is of the host, so is the result; else it is an array of the device, of the class ``kind``.

    Raises
    ------
    ValueError
        Where shapes do not fit the layout or each other.
    TypeError
        Where no signature takes the arguments.
    quern.kernel.errors.KernelError
        When the function cannot be compiled.
    Exception
        What the function raises, for another target than "cuda".
    """

    def __init__(self, function, given, layout, **options):
        functools.update_wrapper(self, function)
        self.py_func, self.signature, self.targetoptions = function, layout, options
        self._kind = options.pop("kind", _core.Array)
        self._inputs, self._outputs = parsed_layout(layout)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs = self.nin + self.nout
        self._loops = {}  # types -> (Program, _Caller)
        for one in given:
            self.add(one)
        self._is_open = not self._loops

    def __reduce__(self):
        given = [] if self._is_open else [signatures.Signature(types.none, loop) for loop in self._loops]
        return reduced(self, given, self.signature, kind=self._kind, **self.targetoptions)

    @property
    def types(self):
        """The loops as NumPy writes them, such as "dd->d"."""
        chars = [[_element(t).dtype.char for t in loop] for loop in self._loops]
        return ["".join(c[: self.nin]) + "->" + "".join(c[self.nin :]) for c in chars]

    def add(self, sig):
        """Compiles it for a signature: a type for each argument and each result."""
        signature = signatures.parsed(sig)
        if len(signature.args) != self.nargs:
            raise TypeError(f"[{self.__name__}] the layout has {self.nargs} arguments and results, and {sig!r} {len(signature.args)}")
        if signature.return_type not in (None, types.none):
            raise TypeError(
                f"[{self.__name__}] guvectorized functions cannot return values: signature {sig} specifies {signature.return_type} return "
                "type; its results are its last arguments"
            )
        for type_, core in zip(signature.args, self._inputs + self._outputs, strict=True):
            ndim = type_.ndim if isinstance(type_, types.Array) else 0
            if ndim != max(len(core), 1) and not (ndim == 0 and not core):
                raise TypeError(f"[{self.__name__}] {type_} does not fit the layout ({','.join(map(str, core))})")
        try:
            options = {**self.targetoptions, "error_model": "numpy"}
            settings = None if options.get("target") == "cuda" else settings_of(options)
            program, caller = told_program(self.py_func, signature.args, settings), _Caller(self, signature.args)
        except KernelError as e:
            if self.targetoptions.get("target") == "cuda":
                raise
            program, caller = None, _PythonCaller(self, signature.args, run_by_python(self.py_func, e, raises=False))
        self._loops[signature.args] = (program, caller)

    def _chosen(self, args, known, given, wanted, casting):
        """The types of the loop for the arguments; ``known``: what is known of them before they are arrays (loops.py)."""
        if not self._loops and not given:
            raise TypeError(f"[{self.__name__}] without a signature the results' types are not known: give outputs, or signatures")
        loops = {tuple(map(_element, loop)): loop for loop in self._loops}
        if self._is_open and given:
            arrays = [_element_type(a, core) for a, core in zip([*args, *given], self._inputs + self._outputs, strict=True)]
            if tuple(map(_element, arrays)) not in loops:
                self.add((*(t if core else t.dtype for t, core in zip(arrays, self._inputs, strict=False)), *arrays[self.nin :]))
            return next(loop for loop in self._loops if tuple(map(_element, loop)) == tuple(map(_element, arrays)))
        if wanted is not None or self.targetoptions.get("target") != "cuda":
            return loops[_loops.nearest(self.__name__, loops, known, wanted, casting, is_exact=True)]
        for rules in ("safe", "numbers are weak", "wider"):
            for loop in self._loops:
                if self._fits(args, loop, rules):
                    return loop
        raise _loops.refusal(self.__name__, self._loops, [a.dtype for a in args])

    def _fits(self, args, loop, rules):
        """Does a loop take the arguments? For "cuda" wider ones than its own, too (int64 for int32), where no other does."""
        for a, t in zip(args, loop, strict=False):
            given, own = a.dtype, _element(t).dtype
            may_lose = rules != "safe" and (a.ndim == 0 or (rules == "wider" and numpy.can_cast(own, given)))
            if not numpy.can_cast(given, own, "same_kind" if may_lose else "safe"):
                return False
        return True

    def __call__(self, *args, out=None, stream=0, dtype=None, signature=None, sig=None, casting="same_kind", **axes):
        """``axis``, ``axes``, ``keepdims``: where the core dimensions of arguments and results are, as for NumPy's generalized ufuncs;
        ``dtype``, ``signature``: the loop; ``casting``: how arguments and results may be cast."""
        signature = sig if signature is None else signature
        unknown = [name for name in axes if name not in ("axis", "axes", "keepdims")]
        if unknown:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{unknown[0]}'")
        if axes:
            return self._along(args, out, {"dtype": dtype, "signature": signature, "casting": casting}, **axes)
        given = self._targets(args, out)
        known = [_loops.known_of(a) for a in args[: self.nin]]
        args = [_given(a) for a in args[: self.nin]]
        args = self._without_ones(args, given)
        wanted = _loops.wanted_types(self.__name__, self.nin, self.nout, dtype, signature)
        loop = self._chosen(args, known, given, wanted, casting)
        pairs = zip(args, known, loop, strict=False)
        typed = [numpy.asarray(a.item(), _element(t).dtype) if _loops.is_python(k) else a for a, k, t in pairs]
        arrays = [_converted(a, _element(t)) for a, t in zip(typed, loop, strict=False)]
        outer, sizes = self._shapes(arrays, given)
        operands = []
        for array, core in zip(arrays, self._inputs, strict=True):
            array = array if core else array.reshape((*array.shape, 1))
            tail = array.shape[array.ndim - max(len(core), 1) :]
            operands.append(_core.Array.__getitem__(_broadcast(array, (*outer, *tail)), ...))
        made = []
        for n, (type_, core) in enumerate(zip(loop[self.nin :], self._outputs, strict=True)):
            shape = (*outer, *(sizes.get(d, d) for d in core))
            made.append(self._result(shape, _element(type_), given[n] if given else None, casting))
        results = [m if core else m.reshape((*m.shape, 1)) for m, core in zip(made, self._outputs, strict=True)]
        if all(o.size for o in operands):
            self._launch(loop, outer, operands, results, given)
        made = [
            times.as_times(m, _element(t).dtype) if isinstance(_element(t), types.Time) else m
            for m, t in zip(made, loop[self.nin :], strict=True)
        ]
        if given:
            return self._given_back(made, given)
        if all(isinstance(a, numpy.ndarray) for a in args):
            made = [_core.asnumpy(m)[()] for m in made]
        else:
            made = [m if self._kind is _core.Array else m._as(self._kind) for m in made]
        return made[0] if self.nout == 1 else tuple(made)

    def _targets(self, args, out):
        """The arrays that take the results, after a check of how many arguments there are."""
        if out is not None and len(args) > self.nin:
            raise ValueError("cannot specify argument 'out' as both positional and keyword")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"This gufunc accepts {_arguments(self.nin)} (when providing input only) or {_arguments(self.nargs)} (when providing input "
                f"and output). Got {_arguments(len(args))}."
            )
        given = list(args[self.nin :]) or ([] if out is None else list(out) if isinstance(out, tuple) else [out])
        given = [_core._as_target(to) for to in given]
        for to in given:
            if not isinstance(to, (numpy.ndarray, _core.Array)):
                raise TypeError(f"[{self.__name__}] an output must be an array, not a {type(to).__name__}")
        return given

    def _launch(self, loop, outer, operands, results, given):
        """Run a loop for each place on the leading axes."""
        count = math.prod(outer)
        if count == 0:
            return
        program, caller = self._loops[loop]
        launch = caller[-(-count // _BLOCK), _BLOCK]
        if program is None or program.raised is None:
            launch(*operands, *results, count)
            return
        failed = empty(outer, numpy.uint32)
        launch(*operands, *results, failed.reshape(count), count)
        numbers = numbers_of_failed(failed)
        if numbers is not None:
            raise self._error(program, numbers, operands, results, given)

    def _error(self, program, numbers, operands, results, given):
        """What is raised: as in Numba, by the first place on the leading axes that raises, before which all results are stored."""
        first = numpy.flatnonzero(numbers)[0]
        place = numpy.unravel_index(first, numbers.shape)
        values = [_core.asnumpy(array)[place] for array in operands]
        for result, to, core in zip(results, given, self._outputs, strict=False):
            ndim = max(len(core), 1)
            made, kept = (_core.asnumpy(a).reshape((numbers.size, *result.shape[result.ndim - ndim :])) for a in (result, to))
            values.append(numpy.array(kept[first]))
            stored = numpy.concatenate([made[: first + 1], kept[first + 1 :]]).reshape(to.shape)
            if isinstance(to, numpy.ndarray):
                to[...] = stored
            else:
                _core.Array.__setitem__(to, ..., stored)
        values += [numpy.zeros(r.shape[numbers.ndim :], r.dtype) for r in results[len(given) :]]
        values = [v if isinstance(t, types.Array) else v[0] for v, t in zip(values, program.kernel.parameters, strict=True)]
        return error_of(program, int(numbers[place]), [numpy.array(v) if v.ndim else v for v in values])

    def _without_ones(self, args, given):
        """Arguments without leading axes of one element that the arrays for the results do not have, as NumPy's ufuncs take them."""
        cores = self._inputs + self._outputs
        most = max((to.ndim - len(core) for to, core in zip(given, cores[self.nin :], strict=False)), default=None)
        if most is None:
            return args
        made = []
        for array, core in zip(args, cores, strict=False):
            extra = array.ndim - len(core) - most
            made.append(array.reshape(array.shape[extra:]) if extra > 0 and set(array.shape[:extra]) == {1} else array)
        return made

    def _along(self, args, out, options, axis=None, axes=None, keepdims=False):
        """The call with core dimensions moved to the end; those of results are moved where they belong."""
        outs = list(args[self.nin :]) or ([] if out is None else list(out) if isinstance(out, tuple) else [out])
        args = [_given(a) for a in args[: self.nin]]
        places = self._places(args, axis, axes, keepdims)
        moved = [_moved(a, at, -len(at)) for a, at in zip(args, places, strict=False)]
        kept = (0,) * (len(self._inputs[0]) if keepdims else 0)  # axes of one element
        views = [_moved(to, at, -len(at)) for to, at in zip(outs, places[self.nin :], strict=False)]
        made = self(*moved, *(v[(..., *kept)] for v in views), **options)
        if outs:
            return outs[0] if self.nout == 1 else tuple(outs)
        results = [made] if self.nout == 1 else list(made)
        results = [r[(..., *(None for _ in kept))] for r in results]
        results = [_moved(r, range(-len(at), 0), at) for r, at in zip(results, places[self.nin :], strict=True)]
        return results[0] if self.nout == 1 else tuple(results)

    def _places(self, args, axis, axes, keepdims):
        """The axes of each argument and result that are its core dimensions."""
        if type(keepdims) is not bool:
            raise TypeError("'keepdims' must be a boolean")
        if axis is not None and axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        counts = [len(core) for core in self._inputs + self._outputs]
        if keepdims:
            self._check_keepdims(counts)
            counts = [counts[0]] * self.nargs
        if axes is not None:
            return self._axes_given(axes, counts, keepdims)
        names = {core for core in self._inputs + self._outputs if core}
        if axis is None:
            return [list(range(-n, 0)) for n in counts]
        if len(names) != 1 or len(next(iter(names))) != 1:
            distinct = len({d for core in names for d in core})
            raise TypeError(
                f"{self.__name__}: axis can only be used with a single shared core dimension, not with the {distinct} distinct ones "
                f"implied by signature {self.signature}."
            )
        return [[operator.index(axis)] if n == 1 else [] for n in counts]

    def _check_keepdims(self, counts):
        for i, count in enumerate(counts):
            wanted = counts[0] if i < self.nin else 0
            if count != wanted:
                operand = f"input {i}" if i < self.nin else f"output {i - self.nin}"
                raise TypeError(
                    f"{self.__name__} does not support keepdims: its signature {self.signature} requires {operand} to have {count} core "
                    "dimensions, but keepdims can only be used when all inputs have the same number of core dimensions and all outputs "
                    "have no core dimensions."
                )

    def _axes_given(self, axes, counts, keepdims):
        """The entries of ``axes``, checked. Without entries for results that keep dimensions those are where the first argument's are."""
        if not isinstance(axes, list):
            raise TypeError("axes should be a list.")
        entries = list(axes)
        if len(entries) == self.nin and not any(self._outputs):
            entries += [entries[0] if keepdims else ()] * self.nout
        if len(entries) != self.nargs:
            raise ValueError(
                f"axes should be a list with an entry for all {self.nargs} inputs and outputs; entries for outputs can only be omitted if "
                "none of them has core axes."
            )
        made = []
        for i, (entry, count) in enumerate(zip(entries, counts, strict=True)):
            if not isinstance(entry, tuple):
                entry = (operator.index(entry),)
                said = "the axes item is a single integer"
            else:
                said = f"{len(entry)} dimensions are specified by axes tuple"
            if len(entry) != count:
                raise AxisError(f"{self.__name__}: operand {i} has {count} core dimensions, but {said}.")
            made.append([operator.index(n) for n in entry])
        return made

    def _result(self, shape, element, to, casting):
        """An array for a result. Where one is given for it, this has its elements: the function may read them, or leave some alone."""
        if to is not None:
            if to.shape != shape:
                raise ValueError(f"[{self.__name__}] the result has shape {shape}, and `out` {to.shape}")
            if not numpy.can_cast(element.dtype, to.dtype, casting):
                said = f"which cannot be cast to an array of {to.dtype} (casting='{casting}')"
                raise TypeError(f"[{self.__name__}] the result is {element.dtype}, {said}")
        is_time = isinstance(element, types.Time)
        made = empty(shape, numpy.int64 if is_time else element.dtype)
        if to is not None and made.size:
            if is_time:
                to = to.astype(element.dtype).view(numpy.int64)
            if numpy.can_cast(to.dtype, made.dtype, "same_kind"):
                _core.Array.__setitem__(made, ..., to)
        return made

    def _given_back(self, made, given):
        for result, to in zip(made, given, strict=True):
            if isinstance(to, numpy.ndarray):
                to[...] = _core.asnumpy(result)
            else:
                _core.Array.__setitem__(to, ..., result)
        return given[0] if self.nout == 1 else tuple(given)

    def _shapes(self, arrays, given):
        """What all leading axes broadcast to, with those of the arrays that results go into, and the size of each name."""
        if given and len(given) != self.nout:
            raise TypeError(f"[{self.__name__}] it has {self.nout} results, and {len(given)} arrays are given for them")
        sizes, outer = {}, []
        for number, (array, core) in enumerate(zip(arrays, self._inputs, strict=True), 1):
            if array.ndim < len(core):
                raise ValueError(f"[{self.__name__}] argument {number} has {array.ndim} dimensions; the layout asks for {len(core)}")
            start = array.ndim - len(core)
            outer.append(array.shape[:start])
            for size, name in zip(array.shape[start:], core, strict=True):
                if sizes.setdefault(name, size if isinstance(name, str) else name) != size:
                    raise ValueError(f"[{self.__name__}] argument {number} has {size} elements where '{name}' is {sizes[name]}")
        outer += [to.shape[: to.ndim - len(core)] for to, core in zip(given, self._outputs, strict=False) if to.ndim >= len(core)]
        return numpy.broadcast_shapes(*outer), sizes

    def _kernel(self, parameters, given):
        """The kernel whose threads each take one element of the leading axes."""
        program = self._loops[parameters][0]
        outer = given[0].ndim - max(len(self._inputs[0]), 1)
        head, values = [], []
        for i, (type_, core) in enumerate(zip(parameters, self._inputs + self._outputs, strict=True)):
            ndim = max(len(core), 1)
            element = _element(type_)
            head.append(f"array<{element.c}, {outer + ndim}, false> a{i}")
            places = [f"p{d}" for d in range(outer)]
            if isinstance(type_, types.Array):
                parts = [f"at({p})" for p in places] + ["slice_of(none_given, none_given, none_given)"] * ndim
                values.append(f"{type_.c}(view<{ndim}, false>(a{i}, {', '.join(parts)}))")
            else:
                values.append(f"a{i}({', '.join([*places, '0'])})")
        call = [f"  {program.kernel.symbol}({', '.join(values)});"]
        if program.raised is not None:
            head.append("array<unsigned int, 1, true> failed")
            call = [f"  status now(nullptr);\n  {program.kernel.symbol}({', '.join([*values, 'now'])});\n  failed(place) = now.left;"]
        lines = [
            "  long long rest = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;",
            "  if (rest >= count) return;",
            *["  const long long place = rest;"] * (program.raised is not None),
            *[f"  const long long p{d} = rest % a0.extent({d}); rest /= a0.extent({d});" for d in reversed(range(outer))],
            *call,
        ]
        name = f"each_{program.kernel.source.symbol}"
        show_as(name, program.kernel.source)
        text = "\n".join(
            [
                program.text + "using namespace quern::py;",
                f'extern "C" __global__ void {name}({", ".join(head)}, long long count) {{',
                *lines,
                "}\n",
            ]
        )
        built = _engine.build(current_device(), text, f"{self.__name__}.cu", keep=True, types=signatures.listed(given))
        written = program.kernel.written
        names = program.kernel.parameter_names()
        writes = [i >= self.nin or names[i] in written for i in range(self.nargs)] + [True] * (program.raised is not None)
        count = len([leaf for p in given for leaf in leaves_of("", p)])
        return built, name, writes + [False] * (count - len(writes)), "", False, False, numbers_of(given)


def _moved(array, source, destination):
    """The array with axes moved; a view of it."""
    source = list(source)
    destination = range(destination, 0) if isinstance(destination, int) else destination
    if not source:
        return array
    for axis in [*source, *destination]:
        if not -array.ndim <= axis < array.ndim:
            raise AxisError(axis, array.ndim)
    return (numpy.moveaxis if isinstance(array, numpy.ndarray | numpy.generic) else moveaxis)(array, source, list(destination))


def _arguments(count):
    return f"{count} positional argument{'s' * (count != 1)}"


def _given(value):
    """An argument as an array of the host or the device; sequences may hold arrays of the device."""
    if isinstance(value, _core.Array):
        return value
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__cuda_array_interface__"):
        return _core.asarray(value, copy=False)
    if isinstance(value, (tuple, list)):
        value = [_core.asnumpy(v) if isinstance(v, _core.Array) else v for v in value]
    return numpy.asarray(value)


def _element(type_):
    return type_.dtype if isinstance(type_, types.Array) else type_


def _element_type(array, core):
    element = types.of_dtype(array.dtype)
    return types.Array(element, max(len(core), 1), "A")


def _converted(array, type_):
    if isinstance(type_, types.Time):
        return times.as_integers(array, type_.dtype)
    array = _core.asarray(array)
    if any(step % array.dtype.itemsize for step in array.strides):  # a field of packed records
        array = array.copy()
    return array if array.dtype == type_.dtype else array.astype(type_.dtype)


def _broadcast(array, shape):
    from quern.arrays.manipulation import broadcast_to

    return array if array.shape == tuple(shape) else broadcast_to(array, shape)
