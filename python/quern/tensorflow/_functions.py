"""tf's functions of tensors: keras.ops under TensorFlow's names and keywords."""

import builtins
import functools
import inspect
import math
import time

import keras
import numpy as np
from keras.src.backend.common.keras_tensor import KerasTensor

import quern as qn
from quern.keras.backend import recording
from quern.keras.backend._tensor import typed
from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.keras.backend.core import no_gradients
from quern.keras.backend.core import stop_gradient as _stopped
from quern.lib import _engine
from quern.tensorflow import _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow._constants import converted as _converted
from quern.tensorflow._creation import (  # noqa: F401
    _check_whole,
    _sizes,
    cast,
    constant,
    convert_to_tensor,
    eye,
    fill,
    identity,
    is_tensor,
    linspace,
    ones,
    range,  # noqa: A004
    saturate_cast,
    stop_gradient,
    zeros,
)
from quern.tensorflow._gathering import (  # noqa: F401
    gather,
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from quern.tensorflow._ordering import (  # noqa: F401
    _running,
    argmax,
    argmin,
    argsort,
    boolean_mask,
    cumprod,
    cumsum,
    one_hot,
    searchsorted,
    sequence_mask,
    sort,
    unique,
    unique_with_counts,
)
from quern.tensorflow._shapes import TensorShape, broadcast_static_shape  # noqa: F401
from quern.tensorflow._tape import variables_read
from quern.tensorflow.dtypes import (  # noqa: F401
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

_ops = keras.ops
newaxis = None


@_errors.checked
def shape(input, out_type="int32", name=None):
    """The sizes, as a tensor."""
    return _tensor(list(_tensor(input).shape) or np.zeros(0), out_type)


@_errors.checked
def size(input, out_type="int32", name=None):
    """How many elements there are, as a tensor."""
    return _tensor(_tensor(input).size, out_type)


@_errors.checked
def rank(input, name=None):
    """How many axes there are, as a tensor."""
    return _tensor(_tensor(input).ndim, "int32")


@_errors.checked
def reshape(tensor, shape, name=None):
    """The elements in another shape."""
    return _ops.reshape(_tensor(tensor), _sizes(shape))


@_errors.checked
def transpose(a, perm=None, conjugate=False, name=None):
    """The axes in another order."""
    a = a if _is_symbolic(a) else _converted(a)
    made = _ops.transpose(a, perm)
    return _ops.conj(made) if conjugate and "complex" in _operands._name(made) else made


@_errors.checked
def concat(values, axis, name=None):
    """Concatenate tensors along an axis.

    Parameters
    ----------
    values : list of array_like
        Tensors of one data type.
    axis : int
        Axis.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Concatenation.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)
    """
    return _ops.concatenate(_operands.all_alike(values if isinstance(values, (list, tuple)) else [values], "ConcatV2"), axis)


@_errors.checked
def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts along an axis: so many, or of these sizes."""
    value = _tensor(value)
    if not isinstance(num_or_size_splits, int):
        sizes = [int(n) for n in num_or_size_splits]
        if -1 in sizes:  # what is left
            sizes[sizes.index(-1)] = value.shape[axis] - sum(sizes) - 1
        if sum(sizes) != value.shape[axis]:
            raise _errors.InvalidArgumentError(f"[tf.split] the sizes {sizes} must add up to {value.shape[axis]}, the size of the axis")
        num_or_size_splits = np.cumsum(sizes)[:-1].tolist()
    return _ops.split(value, num_or_size_splits, axis)


@_errors.checked
def slice(input_, begin, size, name=None):  # noqa: A001
    """A part: where it begins and how large it is along each axis; -1: up to the end."""
    x, begin, size = _tensor(input_), _sizes(begin), _sizes(size)
    for i, (b, n, whole) in enumerate(zip(begin, size, x.shape, strict=True)):
        if not 0 <= b <= whole:
            raise _errors.InvalidArgumentError(f"[tf.slice] Expected begin[{i}] in [0, {whole}], but got {b}")
        if n != -1 and not 0 <= n <= whole - b:
            raise _errors.InvalidArgumentError(f"[tf.slice] Expected size[{i}] in [0, {whole - b}], but got {n}")
    return x[tuple(builtins.slice(b, None if n == -1 else b + n) for b, n in zip(begin, size, strict=True))]


@_errors.checked
def roll(input, shift, axis, name=None):
    """The elements moved along axes; those that fall off come in at the other end."""
    return _ops.roll(_tensor(input), shift, axis)


@_errors.checked
def divide(x, y, name=None):
    """x / y; of integers real numbers, as TensorFlow has them: float32 of up to 16 bits, else float64."""
    return _operands.computed("divide", x if _operands.is_tensor(x) else _converted(x), y)


truediv = divide


def _alike(x, y, kernel="AddV2"):
    """Two tensors of one type; what is none takes the other's, where that holds it."""
    return _operands.alike(x, y, kernel)


@_errors.checked
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scale a tensor so that its norm is at most a limit.

    Parameters
    ----------
    t : array_like
        Values.
    clip_norm : float
        Largest norm.
    axes : int or list of ints, optional
        Axes of the norm; None is all.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `t`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    t = _tensor(t)
    squares = _ops.sum(_ops.square(t), axis=axes, keepdims=True)
    length = _ops.sqrt(_ops.where(squares > 0, squares, _ops.ones_like(squares)))
    return t * clip_norm / _ops.maximum(_ops.where(squares > 0, length, squares), clip_norm)


@_errors.checked
def global_norm(t_list, name=None):
    """The norm of all tensors' elements together; None is left out."""
    return sqrt(builtins.sum(_ops.sum(_ops.square(_tensor(t))) for t in t_list if t is not None))  # noqa: F821


@_errors.checked
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """The tensors, made shorter by one factor where their global norm is above ``clip_norm``; and that norm."""
    length = global_norm(t_list) if use_norm is None else use_norm
    factor = clip_norm / _ops.maximum(length, clip_norm)
    return [None if t is None else _tensor(t) * _ops.cast(factor, _tensor(t)._dtype_name) for t in t_list], length


@_errors.checked
def custom_gradient(f=None):
    """A function that gives a result and the function of its gradient, which takes ``variables=`` where the function reads some."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        with no_gradients(), variables_read() as read:
            results, derivative = f(*args, **kwargs)
        variables = [v for v in read.values() if v.trainable and all(v is not x for x in args)]
        if not variables:
            return _ops.custom_gradient(lambda *_: (results, derivative))(*args)
        known = inspect.signature(derivative).parameters
        if "variables" not in known and all(p.kind is not p.VAR_KEYWORD for p in known.values()):
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must accept a 'variables' keyword argument."
            )

        def of_all(*given):
            of_args, of_variables = derivative(*given, variables=variables)
            of_args = list(of_args) if isinstance(of_args, (list, tuple)) else [of_args]
            return [*of_args, *[None] * (len(args) - len(of_args)), *of_variables]

        return _ops.custom_gradient(lambda *_: (results, of_all))(*args, *[v.value for v in variables])

    return call


@_errors.checked
def where(condition, x=None, y=None, name=None):
    """Select elements of two tensors by a condition, or return the indices where it is true.

    Parameters
    ----------
    condition : array_like of bool
        Condition.
    x : array_like, optional
        Values where the condition is true.
    y : array_like, optional
        Values where it is false.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Selected values; without `x` and `y` the indices, int64, one in a row.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4], dtype=int32)
    """
    if x is None and y is None:
        return _tensor(_ops.stack(_ops.nonzero(_tensor(condition)), axis=-1), "int64")
    if not _is_symbolic(condition):
        condition = _operands.as_kind(condition, "bool")
        if condition._dtype_name != "bool":
            _operands.refuse_mixed("SelectV2", "bool", condition._dtype_name, 0)
    x, y = _operands.all_alike([x, y], "SelectV2", 1)
    return _of_one_type("where", condition, x, y)


def _of_one_type(name, *operands):
    """A function of tensors of one data type, which its result has; Keras's rules would make 32 bits of 64."""
    return getattr(_ops, name)(*operands) if any(map(_is_symbolic, operands)) else _numpys(name, *operands)


@recording.noted
def _numpys(name, *operands):
    return typed(getattr(qn, name)(*operands))


@_errors.checked
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Limit elements to a range.

    Parameters
    ----------
    t : array_like
        Values.
    clip_value_min : array_like
        Lower limit.
    clip_value_max : array_like
        Upper limit.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `t`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.clip_by_value([1.0, 5.0], 2.0, 4.0).numpy()
    array([2., 4.], dtype=float32)
    """
    least = _alike(t, clip_value_max, "Minimum")
    return maximum(minimum(*least), clip_value_min)  # noqa: F821


@_errors.checked
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """The tensor with borders."""
    mode = mode.lower()
    tensor = _tensor(tensor)
    constant_values = _operands.alike(tensor, constant_values, "PadV2")[1]
    return _ops.pad(tensor, paddings, mode, **({"constant_values": constant_values} if mode == "constant" else {}))


@_errors.checked
def norm(tensor, ord="euclidean", axis=None, keepdims=False, name=None):
    """The norm of a vector; of a matrix where ``axis`` is two axes. Without an axis all elements are one vector."""
    tensor = _operands.check("norm", _tensor(tensor))
    is_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if ord in ("euclidean", "fro") or (ord == 2 and not is_matrix):
        axis = axis if axis is None or isinstance(axis, int) else tuple(axis)
        return sqrt(_ops.sum(tensor * _ops.conj(tensor), axis=axis, keepdims=keepdims))  # noqa: F821
    if axis is None:
        length = _ops.norm(_ops.reshape(tensor, (-1,)), ord=ord)
        return _ops.reshape(length, (1,) * tensor.ndim) if keepdims else length
    return _ops.norm(tensor, ord=ord, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)


@_errors.checked
def matmul(a, b, transpose_a=False, transpose_b=False, **options):
    """The product of matrices."""
    a, b = _alike(a, b, "MatMul")
    return _operands.computed(
        "matmul", _ops.swapaxes(a, -1, -2) if transpose_a else a, _ops.swapaxes(b, -1, -2) if transpose_b else b
    )


@_errors.checked
def add_n(inputs, name=None):
    """The sum of tensors."""
    total, *others = _operands.all_alike(inputs, "AddN")
    for x in others:
        total = total + x
    return total


def py_function(func, inp, Tout, name=None):  # noqa: N803
    """The function's result, as tensors of types."""
    made = func(*inp)
    return [_tensor(m, t) for m, t in zip(made, Tout, strict=True)] if isinstance(Tout, (list, tuple)) else _tensor(made, Tout)


def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):  # noqa: A001
    """Prints values."""
    import sys

    stream = output_stream if hasattr(output_stream, "write") else sys.stderr
    builtins.print(*[str(x) for x in inputs], sep=sep, end=end, file=stream)


def _has_tensors(x):
    """Is it a tensor, a symbolic one, or a list of some?"""
    if isinstance(x, (list, tuple)):
        return any(_has_tensors(one) for one in x)
    return hasattr(x, "dtype") and not isinstance(x, (np.ndarray, np.generic))


_OF_TWO = {  # TensorFlow's names of functions of two tensors of one type: quern's names of operators, or those of _operands
    "add": "add", "subtract": "subtract", "multiply": "multiply", "equal": "equal", "not_equal": "not_equal", "less": "less",
    "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater_equal", "pow": "power", "mod": "remainder",
    "floormod": "remainder", "floordiv": "floor_divide",
}  # fmt: skip
_KEEPS_TYPE = ("mean", "sum", "prod", "max", "min")


def _is_symbolic(x):
    return isinstance(x, KerasTensor)


def _operation(theirs, ours):
    """An operator under TensorFlow's name of its function."""

    def call(x, y, name=None):
        if theirs == "multiply":  # the operator of bools is another one
            _operands.check("multiply", _operands.alike(x, y, "Mul")[0])
        if theirs == "add" and not _operands.is_tensor(x):
            x = _converted(x)
        return _operands.computed(ours, x, y)

    call.__name__ = call.__qualname__ = theirs
    call.__doc__ = f"Call `keras.ops.{ours}`, which describes the parameters; `name` is accepted for compatibility."
    return _errors.checked(call)


def _extreme(theirs):
    """``maximum`` or ``minimum``: of integers in their own type."""
    function = getattr(_ops, theirs)

    def call(x, y):
        return function(x, y) if "float" in _operands._name(x) else _of_one_type(theirs, x, y)

    return call


def _same(theirs, ours=None):
    """A function of keras.ops under TensorFlow's name, which takes ``name=`` too."""
    if theirs in _OF_TWO:
        return _operation(theirs, _OF_TWO[theirs])
    function = getattr(_ops, ours or theirs)
    if theirs in ("maximum", "minimum"):
        function = _extreme(theirs)
    has_two = theirs in ("maximum", "minimum", "atan2", "divide_no_nan", "logical_and", "logical_or", "logical_xor")

    def call(*args, name=None, **kwargs):
        if has_two:
            x, y = _operands.alike(*args, _operands.kernel_of(theirs)) if "logical" not in theirs else _of_bools(args, theirs)
            _operands.check(theirs, x)
            return function(x, y, **kwargs)
        if args and not isinstance(args[0], (str, tuple)) and not _has_tensors(args[0]):
            args = (_converted(args[0]), *args[1:])
        if args and hasattr(args[0], "dtype"):
            _operands.check(theirs, args[0])
        made = function(*args, **kwargs)
        return _stopped(made) if theirs in ("floor", "ceil", "round") else made  # TensorFlow has no gradient of these

    call.__name__ = call.__qualname__ = theirs
    call.__doc__ = f"Call `keras.ops.{ours or theirs}`, which describes the parameters; `name` is accepted for compatibility."
    return _errors.checked(call)


def _of_bools(args, theirs):
    made = [_operands.as_kind(x, "bool") for x in args]
    for i, x in enumerate(made):
        if _operands._name(x) != "bool":
            _operands.refuse_mixed(_operands.kernel_of(theirs), "bool", _operands._name(x), i)
    return made


@_errors.checked
def stack(values, axis=0, name="stack"):
    """Tensors of one shape and data type along a new axis."""
    if isinstance(values, (list, tuple)) and not any(map(_operands.is_tensor, values)):
        values = _ops.unstack(_converted(list(values)))
    values = _operands.all_alike(values, "Pack")
    if values and not -values[0].ndim - 1 <= axis <= values[0].ndim:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-values[0].ndim - 1}, {values[0].ndim + 1})")
    return _ops.stack(values, axis)


@_errors.checked
def einsum(equation, *inputs, **options):
    """The sum of products of elements that an equation of their axes' letters says."""
    return _ops.einsum(equation, *_operands.all_alike(inputs, "Einsum"))


@_errors.checked
def tensordot(a, b, axes, name=None):
    """Sums of products along axes of both tensors."""
    return _ops.tensordot(*_alike(a, b, "MatMul"), axes)


def _with_neutral(x, axis, ours):
    """A tensor without elements with one more along the axes of a reduction: the extreme of nothing is the type's own."""
    kind, is_max = x._dtype_name, ours == "max"
    if "int" in kind:
        limits = np.iinfo(kind)
        neutral = limits.min if is_max else limits.max
    else:
        neutral = -math.inf if is_max else math.inf
    axes = [a % x.ndim for a in (builtins.range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,))]
    sizes = [1 if i in axes and not n else n for i, n in enumerate(x.shape)]
    return _ops.full(sizes, neutral, dtype=kind)


def _reduction(theirs, ours):
    function = getattr(_ops, ours)

    def call(input_tensor, axis=None, keepdims=False, name=None):
        x = input_tensor if _is_symbolic(input_tensor) else _operands.as_kind(input_tensor, "bool" if ours in ("any", "all") else None)
        if ours in ("std", "var") and "int" in str(x.dtype):
            raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
        _operands.check(theirs, x)
        if ours in ("max", "min") and not _is_symbolic(x) and not x.size:
            x = _with_neutral(x, axis, ours)
        made = function(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
        if ours == "std" and not _is_symbolic(x):  # with the slope of the root, which is infinite where all elements are equal
            return sqrt(reduce_variance(x, axis, keepdims))  # noqa: F821
        if ours == "var" and "complex" in _operands._name(x):
            return _ops.real(made)
        # Of integers the mean is an integer, too.
        return _tensor(made, x._dtype_name) if ours in _KEEPS_TYPE and not _is_symbolic(x) else made

    call.__name__ = call.__qualname__ = theirs
    call.__doc__ = f"Reduce a tensor by `keras.ops.{ours}` along `axis`, None for all axes; `name` is accepted for compatibility."
    return _errors.checked(call)


add = _same("add")
subtract = _same("subtract")
multiply = _same("multiply")
maximum = _same("maximum")
minimum = _same("minimum")
square = _same("square")
sqrt = _same("sqrt")
exp = _same("exp")
abs = _same("abs")  # noqa: A001
sign = _same("sign")
floor = _same("floor")
round = _same("round")  # noqa: A001
sin = _same("sin")
cos = _same("cos")
tan = _same("tan")
tanh = _same("tanh")
sigmoid = _same("sigmoid")
equal = _same("equal")
not_equal = _same("not_equal")
less = _same("less")
less_equal = _same("less_equal")
greater = _same("greater")
greater_equal = _same("greater_equal")
logical_and = _same("logical_and")
logical_or = _same("logical_or")
logical_not = _same("logical_not")
squeeze = _same("squeeze")
expand_dims = _same("expand_dims")
unstack = _same("unstack")
tile = _same("tile")
repeat = _same("repeat")
broadcast_to = _same("broadcast_to")
zeros_like = _same("zeros_like")
ones_like = _same("ones_like")
cosh = _same("cosh")
sinh = _same("sinh")
negative = _same("negative")
pow = _same("pow", "power")  # noqa: A001
acos = _same("acos", "arccos")
asin = _same("asin", "arcsin")
atan = _same("atan", "arctan")
acosh = _same("acosh", "arccosh")
asinh = _same("asinh", "arcsinh")
atanh = _same("atanh", "arctanh")
atan2 = _same("atan2", "arctan2")
reverse = _same("reverse", "flip")
reduce_sum = _reduction("reduce_sum", "sum")
reduce_mean = _reduction("reduce_mean", "mean")
reduce_max = _reduction("reduce_max", "max")
reduce_min = _reduction("reduce_min", "min")
reduce_prod = _reduction("reduce_prod", "prod")
reduce_any = _reduction("reduce_any", "any")
reduce_all = _reduction("reduce_all", "all")
reduce_logsumexp = _reduction("reduce_logsumexp", "logsumexp")
reduce_std = _reduction("reduce_std", "std")
reduce_variance = _reduction("reduce_variance", "var")


@_errors.checked
def meshgrid(*args, indexing="xy", name=None):
    """Tensors of the coordinates of a grid."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    return list(_ops.meshgrid(*map(_tensor, args), indexing=indexing))


@_errors.checked
def complex(real, imag, name=None):  # noqa: A001
    """Complex numbers of their parts."""
    kinds = [_operands._name(one if _operands.is_tensor(one) else _converted(one)) for one in (real, imag)]
    if kinds[0] != kinds[1] or kinds[0] not in ("float32", "float64"):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {kinds[0]} {kinds[1]}. They must be consistent, and one of "
            "[tf.float32, tf.float64]; use tf.cast()"
        )
    real, imag = _alike(real, imag)
    kind = "complex128" if kinds[0] == "float64" else "complex64"
    if _is_symbolic(real) or _is_symbolic(imag) or not real.size or not imag.size:
        return real + imag * _tensor(1j, kind)
    sizes = np.broadcast_shapes(real.shape, imag.shape)
    return _of_pairs(_ops.stack([_ops.broadcast_to(real, sizes), _ops.broadcast_to(imag, sizes)], -1), kind)


@recording.noted
def _of_pairs(pairs, kind):
    """Complex numbers of their parts side by side: a sum with 1j * imag would make NaN of infinite parts."""
    return typed(_engine.array_viewed_as(pairs, list(pairs.shape[:-1]), list(pairs._strides[:-1]), pairs._offset, kind))


@_errors.checked
def bitcast(input, type, name=None):  # noqa: A002
    """The same bytes as elements of another type: of a smaller one with a last axis more, of a larger one with one less."""
    x, kind = _tensor(input), np.dtype(as_dtype(type).as_numpy_dtype)
    old = np.dtype(x._dtype_name).itemsize
    if old > kind.itemsize:
        x = _ops.expand_dims(x, -1)
    return _tensor(x.copy().view(kind)) if old >= kind.itemsize else _tensor(x.copy().view(kind))[..., 0]


@_errors.checked
def histogram_fixed_width(values, value_range, nbins=100, dtype="int32", name=None):
    """How many elements lie in each of as many equal intervals; those outside are in the first and in the last one."""
    values = _tensor(values)
    low, high = (float(one) for one in value_range)
    places = _ops.cast(_ops.floor((values - low) / (high - low) * nbins), "int32")
    return _tensor(_ops.bincount(_ops.reshape(_ops.clip(places, 0, nbins - 1), (-1,)), minlength=nbins), dtype)


@_errors.checked
def ensure_shape(x, shape, name=None):
    """The tensor itself, where it has the shape; None fits any size."""
    x = _tensor(x)
    if shape is not None and (len(shape) != x.ndim or any(n is not None and int(n) != m for n, m in zip(shape, x.shape, strict=True))):
        raise ValueError(f"[tf.ensure_shape] Shape of tensor {tuple(x.shape)} is not compatible with expected shape {tuple(shape)}")
    return x


@_errors.checked
def broadcast_dynamic_shape(shape_x, shape_y, name=None):
    """Return the shape to which two shapes broadcast, as a tensor."""
    return _tensor(list(broadcast_static_shape(_sizes(shape_x), _sizes(shape_y))), "int32")


@_errors.checked
def timestamp(name=None):
    """The time in seconds since 1970."""
    return _tensor(time.time(), "float64")


# Imports that are no functions of TensorFlow's.
_IMPORTED = """builtins functools inspect keras math np qn recording time KerasTensor no_gradients typed variables_read NAMES""".split()
NAMES = sorted(name for name in globals() if name[0] != "_" and name not in _IMPORTED)
__all__ = NAMES
