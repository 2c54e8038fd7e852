"""tf's functions of tensors: keras.ops under TensorFlow's names and keywords."""

import builtins

import keras
import numpy as np

from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.keras.backend.core import stop_gradient as _stopped

_ops = keras.ops

# Data types are named by strings, as in Keras.
float16, float32, float64, bfloat16 = "float16", "float32", "float64", "bfloat16"
int8, int16, int32, int64 = "int8", "int16", "int32", "int64"
uint8, uint16, uint32, uint64 = "uint8", "uint16", "uint32", "uint64"
complex64, complex128 = "complex64", "complex128"
bool = "bool"  # noqa: A001
newaxis = None


def constant(value, dtype=None, shape=None, name=None):
    """A tensor of a number, nested lists or an array; ``shape``: numbers are repeated to it."""
    x = _tensor(value, dtype)
    return x if shape is None else _ops.broadcast_to(x, shape) if not x.ndim else _ops.reshape(x, shape)


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """A tensor of what is given."""
    return _tensor(value, dtype)


def is_tensor(x):
    """Is it a tensor or a variable?"""
    return keras.ops.is_tensor(x) or isinstance(x, keras.Variable)


def cast(x, dtype, name=None):
    """The tensor with another data type."""
    return _tensor(x, dtype)


def identity(input, name=None):
    """A copy, through which gradients pass."""
    return _tensor(input) * 1 if "float" in str(_tensor(input).dtype) else _tensor(input).copy()


def stop_gradient(input, name=None):
    """The same values; gradients do not pass."""
    return _stopped(input)


def zeros(shape, dtype="float32", name=None):
    """Zeros of a shape."""
    return _ops.zeros(shape, dtype)


def ones(shape, dtype="float32", name=None):
    """Ones of a shape."""
    return _ops.ones(shape, dtype)


def fill(dims, value, name=None):
    """A tensor of a shape that holds one value."""
    return _ops.broadcast_to(_tensor(value), tuple(int(n) for n in dims))


def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """The unit matrix."""
    return _ops.eye(num_rows, num_columns, dtype=dtype)


def range(start, limit=None, delta=1, dtype=None, name=None):  # noqa: A001
    """Numbers in equal steps."""
    start, limit = (0, start) if limit is None else (start, limit)
    return _ops.arange(start, limit, delta, dtype=dtype)


def linspace(start, stop, num, name=None, axis=0):
    """Numbers in equal steps, both ends included."""
    return _ops.linspace(start, stop, num, axis=axis)


def shape(input, out_type="int32", name=None):
    """The sizes, as a tensor."""
    return _tensor(list(_tensor(input).shape) or np.zeros(0), out_type)


def size(input, out_type="int32", name=None):
    """How many elements there are, as a tensor."""
    return _tensor(_tensor(input).size, out_type)


def rank(input, name=None):
    """How many axes there are, as a tensor."""
    return _tensor(_tensor(input).ndim, "int32")


def reshape(tensor, shape, name=None):
    """The elements in another shape."""
    return _ops.reshape(tensor, tuple(int(n) for n in shape))


def transpose(a, perm=None, conjugate=False, name=None):
    """The axes in another order."""
    return _ops.transpose(a, perm)


def concat(values, axis, name=None):
    """Tensors one after the other along an axis."""
    return _ops.concatenate(values, axis)


def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts along an axis: so many, or of these sizes."""
    if not isinstance(num_or_size_splits, int):
        num_or_size_splits = np.cumsum(num_or_size_splits)[:-1].tolist()
    return _ops.split(value, num_or_size_splits, axis)


def gather(params, indices, axis=0, batch_dims=0, name=None):
    """Slices at places along an axis."""
    if batch_dims:
        raise NotImplementedError("tf.gather(batch_dims=...) is not served by quern; use keras.ops.take_along_axis")
    return _ops.take(params, indices, axis=axis)


def where(condition, x=None, y=None, name=None):
    """Elements of one or the other tensor; without them the places where the condition holds, one a row."""
    if x is None and y is None:
        return _ops.stack(_ops.nonzero(condition), axis=-1)
    return _ops.where(condition, x, y)


def one_hot(indices, depth, on_value=None, off_value=None, axis=-1, dtype="float32", name=None):
    """1 at each number's place along a new axis, 0 elsewhere."""
    x = _ops.one_hot(indices, int(depth), axis=axis, dtype=dtype)
    if on_value is None and off_value is None:
        return x
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    return _tensor(x * on + (1 - x) * off, dtype)


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """The elements limited to a range."""
    return _ops.clip(t, clip_value_min, clip_value_max)


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """The tensor with borders."""
    mode = mode.lower()
    return _ops.pad(tensor, paddings, mode, **({"constant_values": constant_values} if mode == "constant" else {}))


def norm(tensor, ord="euclidean", axis=None, keepdims=False, name=None):
    """The norm of a vector or a matrix."""
    return _ops.norm(tensor, ord=None if ord == "euclidean" else ord, axis=axis, keepdims=keepdims)


def matmul(a, b, transpose_a=False, transpose_b=False, **options):
    """The product of matrices."""
    a, b = _tensor(a), _tensor(b)
    return _ops.matmul(_ops.swapaxes(a, -1, -2) if transpose_a else a, _ops.swapaxes(b, -1, -2) if transpose_b else b)


def add_n(inputs, name=None):
    """The sum of tensors."""
    total = inputs[0]
    for x in inputs[1:]:
        total = _ops.add(total, x)
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


def _same(theirs, ours=None):
    """A function of keras.ops under TensorFlow's name, which takes ``name=`` too."""
    function = getattr(_ops, ours or theirs)

    def call(*args, name=None, **kwargs):
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = theirs
    call.__doc__ = f"keras.ops.{ours or theirs}."
    return call


def _reduction(theirs, ours):
    function = getattr(_ops, ours)

    def call(input_tensor, axis=None, keepdims=False, name=None):
        return function(input_tensor, axis=axis, keepdims=keepdims)

    call.__name__ = call.__qualname__ = theirs
    call.__doc__ = f"keras.ops.{ours} along axes."
    return call


for (
    _name
) in """add subtract multiply divide maximum minimum square sqrt exp abs sign floor round sin cos tan tanh sigmoid equal not_equal less
less_equal greater greater_equal logical_and logical_or logical_not squeeze expand_dims stack unstack tile repeat broadcast_to zeros_like
ones_like einsum tensordot cumsum sort argsort""".split():
    globals()[_name] = _same(_name)
pow, acos, asin, atan, reverse = (  # noqa: A001
    _same("pow", "power"),
    _same("acos", "arccos"),
    _same("asin", "arcsin"),
    _same("atan", "arctan"),
    _same("reverse", "flip"),
)
for _name, _ours in {"sum": "sum", "mean": "mean", "max": "max", "min": "min", "prod": "prod", "any": "any", "all": "all",
                     "logsumexp": "logsumexp", "std": "std", "variance": "var"}.items():  # fmt: skip
    globals()["reduce_" + _name] = _reduction("reduce_" + _name, _ours)


def argmax(input, axis=0, output_type="int64", name=None):
    """The places of the largest elements along an axis."""
    return _tensor(_ops.argmax(input, axis=axis), output_type)


def argmin(input, axis=0, output_type="int64", name=None):
    """The places of the smallest elements along an axis."""
    return _tensor(_ops.argmin(input, axis=axis), output_type)


NAMES = sorted(name for name in globals() if name[0] != "_" and name not in ("builtins", "keras", "np", "NAMES"))
__all__ = NAMES
