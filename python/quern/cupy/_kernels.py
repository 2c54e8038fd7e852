"""Kernels of the user's on arrays: ElementwiseKernel and ReductionKernel. The engine does the work (engine/run/user_kernel.h)."""


import numpy

from quern.arrays.core import _axis
from quern.cupy._array import ndarray
from quern.cupy.cuda.memory import MemoryPointer, UnownedMemory
from quern.cupy.cuda.texture import SurfaceObject, TextureObject
from quern.device import current_device
from quern.errors import LogicError
from quern.lib import _engine
from quern.raw import RawModule as _RawModule
from quern.user_files import warn_user

_TEXTURES = TextureObject, SurfaceObject


class ParameterInfo:
    """A parameter of a kernel: ``name``; ``dtype``, or None when any type will do; ``ctype``, the type as it is written; ``raw``;
    ``is_const``, is it an input?"""

    def __init__(self, name, type_name, raw, is_const):
        self.name = name
        self.ctype = type_name
        self.dtype = None if len(type_name) == 1 else numpy.dtype(type_name)
        self.raw = raw
        self.is_const = is_const

    def __repr__(self):
        return f"<ParameterInfo(name={self.name!r} dtype={self.dtype!r} ctype={self.ctype!r} raw={self.raw!r} is_const={self.is_const!r})>"


class RawModule(_RawModule):
    """Compile CUDA C++ source with several kernels and variables.

    The parameters are those of :class:`quern.RawModule`: ``code`` or ``path``, ``options``, ``backend``, ``translate_cucomplex``,
    ``enable_cooperative_groups``, ``name_expressions`` and ``jitify``. ``get_function(name)`` returns a kernel, ``get_global(name)`` a
    MemoryPointer of a variable.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> module = cp.RawModule(code='extern "C" __global__ void set(int* a) { a[threadIdx.x] = 7; }')
    >>> x = cp.zeros(2, cp.int32)
    >>> module.get_function("set")((1,), (2,), (x,))
    >>> x
    array([7, 7], dtype=int32)
    """

    def __reduce__(self):
        return _made, ("RawModule", self.__getstate__())

    def get_global(self, name):
        """Where a ``__device__`` or ``__constant__`` variable is, as a MemoryPointer; ``mem.size`` is its bytes."""
        try:
            address, size = super().get_global(name)
        except LogicError as e:
            raise LogicError(f"CUDA_ERROR_NOT_FOUND: named symbol not found: {e}") from None
        return MemoryPointer(UnownedMemory(address, size, self), 0)


def _made(name, *state):
    """What a pickle says of a kernel: classes have CuPy's names, which only programs that use the CuPy front end can import."""
    kernel_type = globals()[name]
    if issubclass(kernel_type, _RawModule):
        made = kernel_type.__new__(kernel_type)
        made.__dict__.update(*state)
        return made
    args, kwargs = state
    return kernel_type(*args, **kwargs)


class _Kernel:
    # What an instance says of itself; see the parameters of the classes.
    in_params = out_params = params = ()
    nin = nout = nargs = 0
    name = preamble = ""
    reduce_dims = True
    _engine = None

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self._given = args, kwargs
        return self

    def __reduce__(self):
        return _made, (type(self).__name__, *self._given)

    def _describe(self):
        self.in_params = tuple(ParameterInfo(*p, True) for p in self._engine.in_params)
        self.out_params = tuple(ParameterInfo(*p, False) for p in self._engine.out_params)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout

    @property
    def cached_codes(self):
        """The CUDA C++ texts compiled so far, numbered. Work that was fused with other array work has no text of its own."""
        if not self._engine.codes:
            warn_user("No codes are cached: the kernel was not called yet, or is fused with other array work.")
        return dict(enumerate(self._engine.codes))

    @property
    def cached_code(self):
        """The first of ``cached_codes``."""
        codes = self._engine.codes
        if not codes:
            raise RuntimeError(f"[{self.name}] no code is compiled yet; call the kernel first (fused kernels have none)")
        return codes[0]


def _options(options):
    if isinstance(options, str):
        raise TypeError("options must be a tuple of str")
    return list(options)


class ElementwiseKernel(_Kernel):
    """A kernel that computes each element, from CUDA C++ source.

    Parameters
    ----------
    in_params, out_params : str
        ``"T x, float32 y, raw S z"``: for each parameter a type and a name. A type of one letter stands for any type. ``raw``
        arguments do not broadcast; the text indexes them (``z[i]``, ``z[{i, j}]``, ``z.size()``, ``z.shape()``).
    operation : str
        The statements for one element. They may name the parameters, ``i`` (the element's number), ``n`` (how many there are) and
        ``_ind`` (``_ind.size()``, ``_ind.get()``).
    name : str
        The kernel's name in traces.
    reduce_dims : bool
        Whether neighbouring dimensions are merged; seen only in ``_ind.get()``.
    preamble : str
        Text in front: functions, types.
    no_return, return_tuple : bool
        Whether calls return None; whether they return a tuple also for one output.
    loop_prep, after_loop : str
        Statements before and after a thread's loop.
    options : tuple of str
        Compiler options.

    Call it with the inputs, or the inputs and the outputs: arrays (their types must fit exactly) and numbers. Keywords: ``size``, the
    number of elements when every array is raw; ``block_size``. Returns the output, or a tuple of them. A kernel that just computes
    elements from elements is recorded and fused with the array work around it; others are launched at once.

    Raises
    ------
    TypeError
        When a type does not fit, or arguments are missing.
    ValueError
        When shapes do not fit, or nothing says how many elements there are.
    quern.CompileError
        At the first call, with the compiler's log.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cupy as cp
    >>> squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> squared_diff(cp.asarray([1.0, 5.0]), 2)
    array([1., 9.])
    """

    operation = ""
    kwargs = {}
    no_return = return_tuple = False

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        loop_prep="",
        after_loop="",
        options=(),
    ):
        texts = operation, name, preamble, loop_prep, after_loop, bool(reduce_dims), _options(options)
        self._engine = _engine.ElementwiseKernel(in_params, out_params, *texts)
        self._made_with_textures = {(): (out_params, texts)}
        self.operation, self.name, self.__name__, self.preamble = operation, name, name, preamble
        self.reduce_dims, self.no_return, self.return_tuple = bool(reduce_dims), bool(no_return), bool(return_tuple)
        self.kwargs = {key: value for key, value in (("loop_prep", loop_prep), ("after_loop", after_loop), ("options", options)) if value}
        self._describe()

    def __call__(self, *args, size=None, stream=None, block_size=128):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or {self.nargs} (with outputs), "
                f"but given {len(args)}."
            )
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        given = args[self.nin :]
        size = None if size is None or size == -1 else size
        textures = tuple(i for i in range(self.nin) if type(args[i]) in _TEXTURES)
        engine = self._with_textures(textures) if textures else self._engine
        out = engine.call(args[: self.nin], given, size, block_size, current_device(), ndarray)
        if textures:
            _engine.array_evaluate_all()  # while somebody keeps them
        if self.no_return:
            return None
        out = given or tuple(out)
        return out[0] if self.nout == 1 and not self.return_tuple else out

    def _with_textures(self, places):
        """The engine's kernel where the inputs at these places are textures, whose placeholders are numbers then."""
        found = self._made_with_textures.get(places)
        if found is None:
            out_params, (operation, name, preamble, *more) = self._made_with_textures[()]
            params, types = [], set()
            for i, p in enumerate(self.in_params):
                is_placeholder = i in places and p.dtype is None
                if is_placeholder:
                    types.add(f"typedef unsigned long long {p.ctype};\n")
                params.append(f"{'raw ' if p.raw else ''}{'uint64' if is_placeholder else p.ctype} {p.name}")
            preamble = "".join(sorted(types)) + preamble
            found = _engine.ElementwiseKernel(", ".join(params), out_params, operation, name, preamble, *more)
            self._made_with_textures[places] = found
        return found


class ReductionKernel(_Kernel):
    """A kernel that maps elements and combines what comes out, by CUDA C++ expressions.

    Parameters
    ----------
    in_params, out_params : str
        As for :class:`ElementwiseKernel`.
    map_expr : str
        The value of one element, from the inputs' names.
    reduce_expr : str
        ``a`` and ``b`` combined.
    post_map_expr : str
        A statement that sets the output from ``a``, the combined value, such as ``"y = sqrt(a)"``. It may ask for
        ``_in_ind.size()`` and ``_out_ind.size()``.
    identity : str or None
        What to start from; None: from the first element, and nothing to combine is an error.
    name : str
        The kernel's name in traces.
    reduce_type : str
        The C++ type of what is combined; by default the first output's.
    reduce_dims : bool
        Accepted for compatibility.
    preamble : str
        Text in front: functions, types.
    options : tuple of str
        Compiler options.

    Call it with the inputs. Keywords: ``axis``, an int, a tuple, or None for all; ``keepdims``; ``out``. The order in which elements are
    combined depends on the shape alone. Raises as :class:`ElementwiseKernel` does.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    >>> norm(cp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    array([ 5., 10.])
    """

    identity = map_expr = reduce_expr = post_map_expr = ""
    reduce_type = None
    options = ()

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.identity = "" if identity is None else str(identity)
        self._engine = _engine.ReductionKernel(
            in_params, out_params, map_expr, reduce_expr, post_map_expr, self.identity, name, reduce_type or "", preamble, _options(options)
        )
        self.name = self.__name__ = name
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.reduce_type = self._engine.reduce_type
        self.reduce_dims, self.preamble, self.options = bool(reduce_dims), preamble, options
        self._describe()

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"[{self.name}] invalid number of arguments: it must be {self.nin} or {self.nargs}, not {len(args)}")
        given = args[self.nin :]
        if any(type(a) in _TEXTURES for a in args):
            raise TypeError(f"[{self.name}] textures are supported in elementwise and raw kernels only; read the values first")
        if out is not None:
            if self.nout != 1:
                raise NotImplementedError(f"[{self.name}] out= requires a kernel with one output; pass the outputs after the inputs")
            if given:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            given = (out,)
        axes = None
        if axis is not None:
            ndim = self._engine.rank(args[: self.nin])
            axes = [_axis(n, ndim) for n in (axis if isinstance(axis, (tuple, list)) else (axis,))]
            if len(set(axes)) != len(axes):
                raise ValueError("duplicate value in 'axis'")
        results = self._engine.call(args[: self.nin], given, axes, bool(keepdims), ndarray)
        return given[0] if given else results[0]


for _class in (ElementwiseKernel, ReductionKernel, RawModule):
    _class.__module__ = "cupy"
