"""Kernels that compute each element by the user's CUDA C++ text: ElementwiseKernel, and PyCUDA's makers of such kernels.

Start at ElementwiseKernel. A text that only computes elements from elements is recorded by the engine and fused with the array work
around it; any other is a kernel of a SourceModule.
"""

from __future__ import annotations

import functools
import re
from typing import Any  # noqa: F401  (PyCUDA's name)

import numpy as np

from quern.device import current_device
from quern.lib import _engine
from quern.pycuda import _vectors  # noqa: F401  ("float3 *x" is an argument)
from quern.pycuda._arguments import ScalarArg, VectorArg, declared, dtype_to_ctype, parse_arguments
from quern.pycuda._array import GPUArray, on_stream, splay
from quern.pycuda._maker_docstrings import makes_elementwise as _makes_elementwise
from quern.pycuda.compiler import SourceModule
from quern.pycuda.tools import context_dependent_memoize


def memoize_method(method):
    """Remembers what a method gave for its arguments, in each object."""
    name = f"_memoized_{method.__name__}"

    @functools.wraps(method)
    def call(self, *args):
        known = self.__dict__.setdefault(name, {})
        if args not in known:
            known[args] = method(self, *args)
        return known[args]

    return call


_HEAD = """#include <pycuda-complex.hpp>
{preamble}
extern "C" __global__ void {name}({parameters})
{{
  const size_t tid = threadIdx.x;
  const size_t total_threads = gridDim.x * blockDim.x;
  const size_t cta_start = blockDim.x * blockIdx.x;
  (void)tid, (void)total_threads, (void)cta_start;
  {index} i;
  {loop_prep};
{loop}
  {after_loop};
}}
"""
_PLAIN = """  for (i = cta_start + tid; i < n; i += total_threads) {{
#line 1 "{name}"
    {operation};
  }}
"""
_RANGE = """  if (step < 0) {{
    for (i = (cta_start + tid) * step + start; i > stop; i += total_threads * step) {{
#line 1 "{name}"
      {operation};
    }}
  }} else {{
    for (i = (cta_start + tid) * step + start; i < stop; i += total_threads * step) {{
#line 1 "{name}"
      {operation};
    }}
  }}
"""


def _with_numbers(arguments, is_range):
    """The arguments, and last those that say which ``i`` there are, where they are not named yet."""
    names = [a.name for a in arguments]
    numbers = [ScalarArg(np.intp, name) for name in ("start", "stop", "step")] if is_range else [ScalarArg(np.uintp, "n")]
    return [*arguments, *(number for number in numbers if number.name not in names)]


def _module(arguments, operation, name, keep, options, preamble, loop_prep, after_loop, is_range):
    arguments = parse_arguments(arguments)
    arguments = _with_numbers(arguments, is_range)
    halves = "#include <cuda_fp16.h>\n" if any(a.dtype == np.float16 for a in arguments) else ""
    text = _HEAD.format(
        preamble=halves + preamble,
        name=name,
        parameters=declared(arguments),
        index="long" if is_range else "size_t",
        loop_prep=loop_prep,
        after_loop=after_loop,
        loop=(_RANGE if is_range else _PLAIN).format(operation=operation, name=name),
    )
    return SourceModule(text, options=options, keep=keep)


def get_elwise_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """A SourceModule with the kernel ``name``, which runs ``operation`` for each ``i`` below its last argument, ``n``.

    The list may name ``n`` itself, as PyCUDA wants it to.
    """
    return _module(arguments, operation, name, keep, options, preamble, loop_prep, after_loop, False)


def get_elwise_range_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """As get_elwise_module(); the kernel's last arguments are ``start``, ``stop`` and ``step`` of ``i``."""
    return _module(arguments, operation, name, keep, options, preamble, loop_prep, after_loop, True)


def get_elwise_kernel_and_types(arguments, operation, name="kernel", keep=False, options=None, use_range=False, **kwargs):
    """(module, prepared function, arguments) of such a kernel; the last ones are those that say which ``i`` there are."""
    arguments = _with_numbers(parse_arguments(arguments), use_range)
    module = (get_elwise_range_module if use_range else get_elwise_module)(arguments, operation, name, keep, options, **kwargs)
    function = module.get_function(name)
    function.prepare([a.struct_char for a in arguments])
    return module, function, arguments


def get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs):
    """A prepared Function whose arguments are ``arguments`` and the number of elements."""
    return get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[1]


class _Row:
    """A text that only computes elements from elements, as the engine records it; None where it does more."""

    def __init__(self, arguments, operation, name, preamble):
        vectors = [a for a in arguments if isinstance(a, VectorArg)]
        self.order = []  # for inputs and outputs, the places of their arguments
        text = operation
        for a in vectors:
            text = re.sub(rf"\b{a.name}\s*\[\s*i\s*\]", a.name, text)
        writes = [n for n, a in enumerate(arguments) if _is_written(text, a.name)]
        reads = [n for n in range(len(arguments)) if n not in writes]
        self.reads, self.writes = reads, writes
        # An array may be two of the arguments: a row reads before it writes, and so does a text whose last statement alone writes.
        *before, last = text.strip("; \n\t").split(";")
        names = [arguments[n].name for n in writes]
        self.writes_last = len(writes) == 1 and not re.search(r"[{},]", last) and not any(_is_written(part, names[0]) for part in before)
        self.pairs = [(n, arguments.index(a)) for n in writes for a in vectors if n != arguments.index(a)]
        try:
            self.kernel = _engine.ElementwiseKernel(
                ", ".join(f"{arguments[n].dtype.name} {arguments[n].name}" for n in reads),
                ", ".join(f"{arguments[n].dtype.name} {arguments[n].name}" for n in writes),
                text,
                name,
                preamble,
                "",
                "",
                True,
                [],
            )
        except (TypeError, ValueError):
            self.kernel = None

    @classmethod
    def of(cls, arguments, operation, name, preamble):
        both = operation + "\n" + preamble
        vectors = [a.name for a in arguments if isinstance(a, VectorArg)]
        scalars = [a.name for a in arguments if not isinstance(a, VectorArg)]
        rest = operation
        for vector in vectors:
            rest = re.sub(rf"\b{vector}\s*\[\s*i\s*\]", " ", rest)
        names = "|".join(["auto", "goto", "asm", *vectors, "tid", "total_threads", "cta_start", "i", "n"])
        # What may write by reference or to what is in parentheses, and what headers define that a row has not.
        others = rf"(?<!&)&(?!&)|#|\b(pycuda|std|half\w*|curand\w*|[A-Z][A-Z0-9_]{{2,}})\b|\)\s*({_SETS})"
        # What knows of threads, whose numbers are a launch's, and texture references, which are a module's.
        others += r"|\b((thread|block)(Idx|Dim)|gridDim|texture|surface|__shared__|__sync\w*|\w+_sync)\b"
        if re.search(rf"\b({names})\b", rest) or re.search(others, both) or "&" in preamble:
            return None
        if any(_is_written(operation, s) for s in scalars) or any(a.dtype.kind == "V" for a in arguments):
            return None
        self = cls(arguments, operation, name, preamble)
        return self if self.writes and self.kernel is not None and self.kernel.fuses else None

    def takes(self, args):
        """Is the row what the text is, whichever of these arrays of one layout show the same memory?"""
        return self.writes_last or not any(args[a]._ranges_meet(args[b]) for a, b in self.pairs)

    def call(self, args):
        self.kernel.call(tuple([args[n] for n in self.reads]), tuple([args[n] for n in self.writes]), None, 128, current_device(), GPUArray)


def _packed(argument, value):
    is_number = isinstance(argument, ScalarArg) and argument.dtype.kind != "V"
    return argument.dtype.type(value) if is_number else value


_SETS = r"=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--"


def _is_written(text, name):
    place = rf"\b{name}\b(?:\s*\.\s*\w+)*\s*(?:{_SETS})"
    return bool(re.search(place, text) or re.search(rf"(?:\+\+|--)\s*{name}\b", text))


class ElementwiseKernel:
    """A kernel that computes each element, from CUDA C++ source.

    Call it with the arguments in their order: contiguous GPUArrays of one size, and numbers. It returns None. Keywords:

    - ``range``: slice of ``i``, with plain numbers;
    - ``slice``: slice of ``i``, which may count from the end;
    - ``stream``: stream of the work.

    Parameters
    ----------
    arguments : str, or list of VectorArg and ScalarArg
        Declarations, such as ``"float a, float *x, float *z"``.
    operation : str
        Statements for one element, whose number is ``i`` (of ``n``): ``"z[i] = a * x[i]"``.
    name : str
        Name of the kernel.
    keep : bool
        Accepted for compatibility.
    options : list of str
        Compiler options.
    **kwargs : str
        ``preamble``: source in front of the kernel; ``loop_prep`` and ``after_loop``: statements before and after a thread's loop.

    Raises
    ------
    TypeError
        For missing arguments, or an array of another dtype.
    ValueError
        For an array with fewer elements than the first one, of which the text takes element ``i``.
    RuntimeError
        For arrays with gaps.
    pycuda.driver.CompileError
        With the compiler's log, at the call or where the values are needed.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> from quern.pycuda.elementwise import ElementwiseKernel
    >>> x = gpuarray.to_gpu(numpy.ones(3, numpy.float32))
    >>> ElementwiseKernel("float a, float *x", "x[i] = a * x[i] + i")(5, x)
    >>> x
    array([5., 6., 7.], dtype=float32)
    """

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        self.name = name
        self.arguments = parse_arguments(arguments)
        if not any(isinstance(a, VectorArg) for a in self.arguments):
            raise RuntimeError("ElementwiseKernel can only be used with functions that have at least one vector argument")
        unknown = set(kwargs) - {"preamble", "loop_prep", "after_loop"}
        if unknown:
            raise TypeError(f"[ElementwiseKernel] unexpected keyword argument: {', '.join(sorted(unknown))}")
        self.gen_kwargs = {"operation": operation, "name": name, "keep": keep, "options": options, **kwargs}
        plain = not options and not kwargs.get("loop_prep") and not kwargs.get("after_loop")
        self._row = _Row.of(self.arguments, operation, name, kwargs.get("preamble", "")) if plain else None
        self._functions = {}
        # Of each argument: it, is it an array, the name of its dtype (None: of a structure).
        self._kinds = [(a, isinstance(a, VectorArg), a.dtype.name if a.dtype.kind != "V" else None) for a in self.arguments]
        self._vectors = [(n, name) for n, (_, is_vector, name) in enumerate(self._kinds) if is_vector]
        self._numbers = [n for n, (_, is_vector, _) in enumerate(self._kinds) if not is_vector]

    def generate_stride_kernel_and_types(self, use_range):
        """(module, prepared function, arguments) of the kernel, with or without a range."""
        key = (current_device(), bool(use_range))
        if key not in self._functions:
            self._functions[key] = get_elwise_kernel_and_types(self.arguments, use_range=use_range, **self.gen_kwargs)
        return self._functions[key]

    def get_texref(self, name, use_range=False):
        """The texture reference of that name, which ``preamble`` declares, of the kernel with or without a range."""
        return self.generate_stride_kernel_and_types(use_range)[0].get_texref(name)

    def _is_plain(self, args):
        """Are these arrays of one shape and layout without gaps, of the types in the text, and plain numbers? Says no when unsure."""
        if len(args) != len(self._kinds):
            return False
        shape = None
        for n, name in self._vectors:
            value = args[n]
            if type(value) is not GPUArray or value._dtype_name != name:
                return False
            if shape is None:
                shape, strides, contiguous = value.shape, value.strides, value._contiguous
            elif value.shape != shape or value.strides != strides:
                return False
        return True in contiguous and all([type(args[n]) in (float, int) for n in self._numbers])

    def __call__(self, *args, **kwargs):
        if not kwargs and self._row is not None and self._is_plain(args) and self._row.takes(args):
            self._row.call(args)
            return
        range_ = slice_ = stream = None
        if kwargs:
            range_, slice_, stream = (kwargs.pop(name, None) for name in ("range", "slice", "stream"))
            if kwargs:
                raise TypeError(f"invalid keyword arguments specified: {', '.join(kwargs)}")
        if len(args) != len(self.arguments):
            raise TypeError(f"[{self.name}] {len(self.arguments)} arguments are needed, not {len(args)}")
        first, alike = None, True
        for (argument, is_vector, dtype_name), value in zip(self._kinds, args, strict=True):
            is_array = isinstance(value, GPUArray)
            if not is_vector:
                if is_array:
                    raise TypeError(f"[{self.name}] '{argument.name}' must be a scalar; the array's .get() returns its values")
                continue
            if not is_array:
                alike = False
                continue
            is_c, is_fortran = value._contiguous
            if not is_c and not is_fortran:
                raise RuntimeError(f"[{self.name}] elementwise kernel cannot deal with non-contiguous arrays: copy '{argument.name}'")
            if value._dtype_name != dtype_name:
                if dtype_name is not None and value.itemsize != argument.dtype.itemsize:
                    raise TypeError(f"[{self.name}] '{argument.name}' points to {argument.dtype}, but the array is {value.dtype}")
                alike = False
            if first is None:
                first = value
                shape, strides = value.shape, value.strides
            elif value.shape != shape or value.strides != strides:
                alike = False
        if first is None:
            raise TypeError(f"[{self.name}] none of the arguments is a GPUArray, so the number of elements is unknown")
        if self._row is not None and slice_ is None and range_ is None and not alike:  # a row takes element i of each array
            for (argument, is_vector, _), value in zip(self._kinds, args, strict=True):
                if is_vector and isinstance(value, GPUArray) and value.size < first.size:
                    have = f"'{argument.name}' has {value.size} elements"
                    raise ValueError(f"[{self.name}] {have}, fewer than the {first.size} of the first array")
        if slice_ is not None:
            if range_ is not None:
                raise TypeError("may not specify both range and slice keyword arguments")
            range_ = slice(*slice_.indices(first.size))
        with on_stream(stream):
            if range_ is None and alike and self._row is not None and self._row.takes(args):
                self._row.call(args)
                return
            self._launch(args, first.size, range_, stream)

    def _launch(self, args, size, range_, stream):
        numbers = (np.uint64(size),)
        if range_ is not None:
            start, stop, step = range_.start or 0, range_.stop, 1 if range_.step is None else range_.step
            size = max(0, -(-(stop - start) // step))
            numbers = (np.int64(start), np.int64(stop), np.int64(step))
        if size == 0:
            return
        function = self.generate_stride_kernel_and_types(range_ is not None)[1]
        grid, block = splay(size)
        plain = (_packed(a, v) for a, v in zip(self.arguments, args, strict=True))
        function(*plain, *numbers, block=block, grid=grid, stream=stream)


# ---- PyCUDA's makers of prepared kernels. Their arguments come in the order of the text, then the number of elements.


def _argument(given):
    if isinstance(given, str):
        return given
    dtype, name = given
    return (VectorArg if name[0] == "*" else ScalarArg)(dtype, name.lstrip("*"))


def _of(arguments, operation, name):
    return get_elwise_kernel([_argument(a) for a in arguments], operation, name)


def _with_textures(arguments, operation, name, textures, loop_prep=""):
    """(function, texture references) of a kernel that reads ``textures``, (name, dtype) of each, by fp_tex1Dfetch()."""
    declared = "".join(f"texture<{dtype_to_ctype(kind, True)}, 1, cudaReadModeElementType> {text};\n" for text, kind in textures)
    module, function, all_arguments = get_elwise_kernel_and_types(
        [_argument(a) for a in arguments], operation, name, preamble="#include <pycuda-helpers.hpp>\n" + declared, loop_prep=loop_prep
    )
    references = [module.get_texref(text) for text, _ in textures]
    return function.prepare([a.struct_char for a in all_arguments], texrefs=references), references


_CHOICE = "result[i] = crit[i] {} 0 ? then_[i] : else_[i]"


def _choice(crit_dtype, dtype, compare):
    return _of([(crit_dtype, "*crit"), (dtype, "*then_"), (dtype, "*else_"), (dtype, "*result")], _CHOICE.format(compare), "choice")


def _operand(dtype, name, is_scalar=False):
    return ((dtype, name), name) if is_scalar else ((dtype, f"*{name}"), f"{name}[i]")


@context_dependent_memoize
@_makes_elementwise("*[numpy.float32] * 3", "2 x 10 y z", "42., 54., 66.")
def get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False):
    """z = a * x + b * y; arguments a, x, b, y, z."""
    (x, of_x), (y, of_y) = _operand(dtype_x, "x", x_is_scalar), _operand(dtype_y, "y", y_is_scalar)
    return _of([(dtype_x, "a"), x, (dtype_y, "b"), y, (dtype_z, "*z")], f"z[i] = a * {of_x} + b * {of_y}", "axpbyz")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "2 x 1 z", "3., 5., 7.")
def get_axpbz_kernel(dtype_x, dtype_z):
    """z = a * x + b; arguments a, x, b, z."""
    return _of([(dtype_z, "a"), (dtype_x, "*x"), (dtype_z, "b"), (dtype_z, "*z")], "z[i] = a * x[i] + b", "axpb")


@context_dependent_memoize
def get_linear_combination_kernel(summand_descriptors, dtype_z):
    """(function, texture references): z = a0 * x0 + a1 * x1 ...; for each summand (is the factor on the device, its dtype, the array's).

    Arguments a0, x0, ..., z, less the factors on the device: these are the first element of what is bound to a reference each.
    """
    arguments, terms, held = [], [], []
    for n, (is_on_device, factor, vector) in enumerate(summand_descriptors):
        if is_on_device:
            held.append((n, factor))
        else:
            arguments.append((factor, f"a{n}"))
        arguments.append((vector, f"*x{n}"))
        terms.append(f"a{n} * x{n}[i]")
    factors = "; ".join(f"{dtype_to_ctype(factor)} a{n} = fp_tex1Dfetch(tex_a{n}, 0)" for n, factor in held)
    text = "z[i] = " + " + ".join(terms)
    return _with_textures([*arguments, (dtype_z, "*z")], text, "linear_combination", [(f"tex_a{n}", kind) for n, kind in held], factors)


@context_dependent_memoize
@_makes_elementwise('numpy.float32, numpy.float32, numpy.float32, "*"', "x y z", " 4., 10., 18.")
def get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False):
    """z = x OP y; arguments x, y, z."""
    (x, of_x), (y, of_y) = _operand(dtype_x, "x", x_is_scalar), _operand(dtype_y, "y", y_is_scalar)
    return _of([x, y, (dtype_z, "*z")], f"z[i] = {of_x} {operator} {of_y}", "binary_op")


@context_dependent_memoize
@_makes_elementwise('numpy.float32, numpy.float32, numpy.float32, "-"', "x 1 z", "0., 1., 2.")
def get_scalar_op_kernel(dtype_x, dtype_a, dtype_y, operator):
    """y = x OP a; arguments x, a, y."""
    return _of([(dtype_x, "*x"), (dtype_a, "a"), (dtype_y, "*y")], f"y[i] = x[i] {operator} a", "scalar_op")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "x 6 z", "6., 3., 2.")
def get_rdivide_elwise_kernel(dtype_x, dtype_z):
    """z = y / x; arguments x, y (a number), z."""
    return _of([(dtype_x, "*x"), (dtype_z, "y"), (dtype_z, "*z")], "z[i] = y / x[i]", "divide_r")


@context_dependent_memoize
@_makes_elementwise('"fmaxf", numpy.float32, numpy.float32, numpy.float32', "x y z", "4., 5., 6.")
def get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z):
    """z = func(x, y); arguments x, y, z."""
    return _of([(dtype_x, "*x"), (dtype_y, "*y"), (dtype_z, "*z")], f"z[i] = {func}(x[i], y[i])", f"{func}_kernel")


@context_dependent_memoize
@_makes_elementwise('"fmaxf", numpy.float32, numpy.float32, numpy.float32', "x 2 z", "2., 2., 3.")
def get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z):
    """z = func(x, y); arguments x, y (a number), z."""
    return _of([(dtype_x, "*x"), (dtype_y, "y"), (dtype_z, "*z")], f"z[i] = {func}(x[i], y)", f"{func}_kernel")


@_makes_elementwise('"max", numpy.float32, numpy.float32, numpy.float32, True', "x 2 z", "2., 2., 3.")
def get_binary_minmax_kernel(func, dtype_x, dtype_y, dtype_z, use_scalar):
    """z = func(x, y), where func is "min" or "max"; arguments x, y (a number where ``use_scalar``), z."""
    func = "f" + func if np.dtype(dtype_z).kind == "f" else func
    return (get_binary_func_scalar_kernel if use_scalar else get_binary_func_kernel)(func, dtype_x, dtype_y, dtype_z)


@context_dependent_memoize
@_makes_elementwise("numpy.float32", "7 z", "7., 7., 7.")
def get_fill_kernel(dtype):
    """z = a; arguments a, z."""
    return _of([(dtype, "a"), (dtype, "*z")], "z[i] = a", "fill")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "z x", "1., 2., 3.")
def get_copy_kernel(dtype_dest, dtype_src):
    """dest = src; arguments dest, src."""
    return _of([(dtype_dest, "*dest"), (dtype_src, "*src")], "dest[i] = src[i]", "copy")


@context_dependent_memoize
@_makes_elementwise("numpy.float32", "x z", "3., 2., 1.")
def get_reverse_kernel(dtype):
    """z[i] = y[n - 1 - i]; arguments y, z."""
    return _of([(dtype, "*y"), (dtype, "*z")], "z[i] = y[n - 1 - i]", "reverse")


@context_dependent_memoize
@_makes_elementwise("numpy.complex64, numpy.float32", "c z", "1., 3., 5.")
def get_real_kernel(dtype, real_dtype):
    """z = real(y); arguments y, z."""
    return _of([(dtype, "*y"), (real_dtype, "*z")], "z[i] = real(y[i])", "real")


@context_dependent_memoize
@_makes_elementwise("numpy.complex64, numpy.float32", "c z", " 2., -4.,  0.")
def get_imag_kernel(dtype, real_dtype):
    """z = imag(y); arguments y, z."""
    return _of([(dtype, "*y"), (real_dtype, "*z")], "z[i] = imag(y[i])", "imag")


@context_dependent_memoize
@_makes_elementwise("numpy.complex64, numpy.complex64", "c w", "1.-2.j, 3.+4.j, 5.-0.j")
def get_conj_kernel(dtype, conj_dtype):
    """z = conj(y); arguments y, z."""
    return _of([(dtype, "*y"), (conj_dtype, "*z")], "z[i] = conj(y[i])", "conj")


@context_dependent_memoize
@_makes_elementwise("numpy.float32", "z 5 2", "5., 7., 9.")
def get_arange_kernel(dtype):
    """z = start + i * step; arguments z, start, step."""
    return _of([(dtype, "*z"), (dtype, "start"), (dtype, "step")], f"z[i] = start + ({dtype_to_ctype(dtype)})i * step", "arange")


@context_dependent_memoize
@_makes_elementwise("numpy.float32", "2 x z", "1., 4., 9.")
def get_pow_kernel(dtype):
    """z = pow(y, value); arguments value, y, z."""
    func = "powf" if np.dtype(dtype) == np.float32 else "pow"
    return _of([(dtype, "value"), (dtype, "*y"), (dtype, "*z")], f"z[i] = {func}(y[i], value)", "pow_method")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32, numpy.float32, True, False", "x 3 z", " 1.,  8., 27.")
def get_pow_array_kernel(dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array):
    """z = pow(x, y); arguments x, y, z, of which x and y may be numbers."""
    func = "powf" if np.dtype(dtype_z) == np.float32 else "pow"
    (x, of_x), (y, of_y) = _operand(dtype_x, "x", not is_base_array), _operand(dtype_y, "y", not is_exp_array)
    return _of([x, y, (dtype_z, "*z")], f"z[i] = {func}({of_x}, {of_y})", "pow_method")


@context_dependent_memoize
@_makes_elementwise("", "y x z", "0., 1., 0.")
def get_fmod_kernel():
    """z = fmod(arg, mod); arguments arg, mod, z, of float."""
    return _of(["float *arg", "float *mod", "float *z"], "z[i] = fmodf(arg[i], mod[i])", "fmod_kernel")


@context_dependent_memoize
@_makes_elementwise("", "f x z", " 0.5 , -0.25,  0.  ")
def get_modf_kernel():
    """fracpart = modff(x, &intpart); arguments x, intpart, fracpart, of float."""
    return _of(["float *x", "float *intpart", "float *fracpart"], "fracpart[i] = modff(x[i], &intpart[i])", "modf_kernel")


@context_dependent_memoize
@_makes_elementwise("", "x y z", "1., 2., 2.")
def get_frexp_kernel():
    """significand = frexpf(x, &exponent); arguments x, significand, exponent, of float."""
    text = "int e; significand[i] = frexpf(x[i], &e); exponent[i] = e"
    return _of(["float *x", "float *significand", "float *exponent"], text, "frexp_kernel")


@context_dependent_memoize
@_makes_elementwise("", "x y z", " 16.,  64., 192.")
def get_ldexp_kernel():
    """z = sig * 2 ** expt; arguments sig, expt, z, of float."""
    return _of(["float *sig", "float *expt", "float *z"], "z[i] = ldexpf(sig[i], (int)expt[i])", "ldexp_kernel")


@context_dependent_memoize
@_makes_elementwise('"sqrtf", numpy.float32', "x z", "1.       , 1.4142135, 1.7320508")
def get_unary_func_kernel(func_name, in_dtype, out_dtype=None):
    """z = func_name(y); arguments y, z."""
    return _of([(in_dtype, "*y"), (in_dtype if out_dtype is None else out_dtype, "*z")], f"z[i] = {func_name}(y[i])", f"{func_name}_kernel")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "f x y z", "1., 5., 3.")
def get_if_positive_kernel(crit_dtype, dtype):
    """result = crit > 0 ? then_ : else_; arguments crit, then_, else_, result."""
    return _choice(crit_dtype, dtype, ">")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "f x y z", "1., 2., 3.")
def get_where_kernel(crit_dtype, dtype):
    """result = crit != 0 ? then_ : else_; arguments crit, then_, else_, result."""
    return _choice(crit_dtype, dtype, "!=")


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.float32", "x z", "0., 0., 0.")
def get_logical_not_kernel(dtype_x, dtype_out):
    """z = x == 0; arguments x, z."""
    return _of([(dtype_x, "*x"), (dtype_out, "*z")], "z[i] = x[i] == 0", "logical_not")


def _numbers(count):
    """The numbers of that many arrays. Raises ValueError for more than a kernel has parameters for."""
    most = 500  # 4 KiB of pointers
    if count > most:
        raise ValueError(f"[elementwise] vec_count is {count}; a kernel takes up to {most} arrays")
    return range(count)


def _each(count, *patterns):
    return [(dtype, f"*{name}{n}") for dtype, name in patterns for n in _numbers(count)]


@context_dependent_memoize
@_makes_elementwise("numpy.float32, numpy.int32", "i z x", "2., 3., 1.")
def get_put_kernel(dtype, idx_dtype, vec_count=1):
    """dest[idx] = src; arguments idx, then ``vec_count`` arrays to write, then as many to read."""
    text = "; ".join(f"dest{n}[idx[i]] = src{n}[i]" for n in _numbers(vec_count))
    return _of([(idx_dtype, "*idx"), *_each(vec_count, (dtype, "dest"), (dtype, "src"))], text, "put")


def _sources(count, dtype):
    return [(f"tex_src{n}", dtype) for n in _numbers(count)]


@context_dependent_memoize
def get_take_kernel(dtype, idx_dtype, vec_count=1):
    """(function, texture references): dest = src[idx]; arguments idx and ``vec_count`` arrays to write; the references are src."""
    text = "; ".join(f"dest{n}[i] = fp_tex1Dfetch(tex_src{n}, idx[i])" for n in _numbers(vec_count))
    return _with_textures([(idx_dtype, "*idx"), *_each(vec_count, (dtype, "dest"))], text, "take", _sources(vec_count, dtype))


@context_dependent_memoize
def get_take_put_kernel(dtype, idx_dtype, with_offsets, vec_count=1):
    """(function, texture references): dest[dest_idx] = src[src_idx + offset]; arguments dest_idx, src_idx, ``vec_count`` arrays to write,
    and with offsets as many numbers; the references are src."""
    offsets = [(idx_dtype, f"offset{n}") for n in _numbers(vec_count)] if with_offsets else []
    places = [f"src_idx[i]{f' + offset{n}' if with_offsets else ''}" for n in _numbers(vec_count)]
    text = "; ".join(f"dest{n}[dest_idx[i]] = fp_tex1Dfetch(tex_src{n}, {place})" for n, place in enumerate(places))
    arguments = [(idx_dtype, "*dest_idx"), (idx_dtype, "*src_idx"), *_each(vec_count, (dtype, "dest")), *offsets]
    return _with_textures(arguments, text, "take_put", _sources(vec_count, dtype))
