"""tf.debugging: functions that raise where values or shapes are not as they should be."""

import keras as _keras

from quern.tensorflow import _functions
from quern.tensorflow._constants import converted as _converted
from quern.tensorflow._shapes import TensorShape as _TensorShape
from quern.tensorflow.errors import InvalidArgumentError as _InvalidArgumentError


def _raise(message, text):
    raise _InvalidArgumentError(f"{message or ''} {text}".strip())


def _comparison(name, word, function):
    def call(x, y, message=None, summarize=None, name=None):
        x, y = _functions._alike(x, y)
        if not bool(_keras.ops.all(function(x, y))):
            _raise(message, f"Condition x {word} y did not hold. x: {x.numpy()}, y: {y.numpy()}")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Raise InvalidArgumentError unless x {word} y for all elements."
    return call


_ops = _keras.ops
assert_equal = _comparison("assert_equal", "==", _ops.equal)
assert_none_equal = _comparison("assert_none_equal", "!=", _ops.not_equal)
assert_less = _comparison("assert_less", "<", _ops.less)
assert_less_equal = _comparison("assert_less_equal", "<=", _ops.less_equal)
assert_greater = _comparison("assert_greater", ">", _ops.greater)
assert_greater_equal = _comparison("assert_greater_equal", ">=", _ops.greater_equal)


def _sign(name, word, function):
    def call(x, message=None, summarize=None, name=None):
        x = _converted(x)
        if not bool(_keras.ops.all(function(x, 0))):
            _raise(message, f"Condition x {word} 0 did not hold. x: {x.numpy()}")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Raise InvalidArgumentError unless x {word} 0 for all elements."
    return call


assert_positive = _sign("assert_positive", ">", _ops.greater)
assert_negative = _sign("assert_negative", "<", _ops.less)
assert_non_negative = _sign("assert_non_negative", ">=", _ops.greater_equal)
assert_non_positive = _sign("assert_non_positive", "<=", _ops.less_equal)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raise InvalidArgumentError unless |x - y| <= atol + rtol * |y| for all elements."""
    x, y = _functions._alike(x, y)
    step = 10 * float(_keras.ops.finfo(x._dtype_name).eps) if hasattr(_keras.ops, "finfo") else 1e-6
    rtol, atol = step if rtol is None else rtol, step if atol is None else atol
    if not bool(_ops.all(_ops.abs(x - y) <= atol + rtol * _ops.abs(y))):
        _raise(message, f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}. x: {x.numpy()}, y: {y.numpy()}")


def assert_rank(x, rank, message=None, name=None):
    """Raise ValueError unless a tensor has so many axes."""
    x = _converted(x)
    if x.ndim != int(rank):
        raise ValueError(f"{message or ''} Tensor must have rank {rank}. Received rank {x.ndim}, shape {tuple(x.shape)}".strip())


def assert_rank_at_least(x, rank, message=None, name=None):
    """Raise ValueError where a tensor has fewer axes."""
    x = _converted(x)
    if x.ndim < int(rank):
        raise ValueError(f"{message or ''} Tensor must have rank at least {rank}. Received rank {x.ndim}, shape {tuple(x.shape)}".strip())


def assert_scalar(tensor, message=None, name=None):
    """Return a tensor without axes; raise ValueError for others."""
    x = _converted(tensor)
    if x.ndim:
        raise ValueError(f"{message or ''} Expected scalar shape, saw shape: {tuple(x.shape)}.".strip())
    return x


def assert_type(tensor, tf_type, message=None, name=None):
    """Raise TypeError unless a tensor has this data type."""
    x = _converted(tensor)
    if x.dtype != tf_type:
        raise TypeError(f"{message or ''} tensor must be of type {tf_type!r}; got {x.dtype!r}".strip())


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raise ValueError unless tensors have shapes; the same letter or word is the same size, None or "." any size."""
    known = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        sizes = tuple(_converted(x).shape) if not hasattr(x, "shape") else tuple(x.shape)
        wanted = list(wanted) if isinstance(wanted, (str, list, tuple, _TensorShape)) else [wanted]
        if wanted and wanted[0] in ("...", Ellipsis, "*"):
            wanted = [None] * (len(sizes) - len(wanted) + 1) + wanted[1:]
        if len(wanted) != len(sizes):
            raise ValueError(f"{message or ''} Tensor must have rank {len(wanted)}. Received rank {len(sizes)}, shape {sizes}".strip())
        for i, (n, want) in enumerate(zip(sizes, wanted, strict=True)):
            if want in (None, "."):
                continue
            want = known.setdefault(want, n) if isinstance(want, str) and not want.isdigit() else int(want)
            if n != want:
                raise ValueError(f"{message or ''} Tensor dimension {i} must have size {want}. Received size {n}, shape {sizes}".strip())


def check_numerics(tensor, message, name=None):
    """Return a tensor; raise InvalidArgumentError where it holds NaN or infinity."""
    x = _converted(tensor)
    found = [word for word, test in (("Inf", _ops.isinf), ("NaN", _ops.isnan)) if bool(_ops.any(test(x)))]
    if found:
        raise _InvalidArgumentError(f"{message} : Tensor had {' and '.join(found)} values")
    return x


def __getattr__(name):
    raise AttributeError(f"tensorflow.debugging.{name} is not supported by quern; compare tensors with keras.ops, or use assert")
