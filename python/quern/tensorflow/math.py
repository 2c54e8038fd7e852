"""tf.math: functions of elements and reductions."""

import builtins
import collections

import keras
import numpy as np

from quern.keras.backend import recording
from quern.keras.backend._tensor import as_tensor as _as_tensor
from quern.lib import _engine
from quern.tensorflow import _functions, _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow._functions import (  # noqa: F401
    _same,
    abs,
    acos,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    atan,
    cos,
    cumprod,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    not_equal,
    pow,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    round,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
)
from quern.tensorflow._gathering import _check as _check_places
from quern.tensorflow._segments import (  # noqa: F401
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)

log = _same("log")
log1p = _same("log1p")
expm1 = _same("expm1")
ceil = _same("ceil")
cosh = _same("cosh")
sinh = _same("sinh")
rsqrt = _same("rsqrt")
erf = _same("erf")
logical_xor = _same("logical_xor")
mod = _same("mod")
reciprocal = _same("reciprocal")
softplus = _same("softplus")
softsign = _same("softsign")
conj = _same("conj")
imag = _same("imag")
real = _same("real")
negative = _same("negative")
is_nan, is_inf, is_finite, floormod, floordiv, atan2 = (
    _same("is_nan", "isnan"),
    _same("is_inf", "isinf"),
    _same("is_finite", "isfinite"),
    _same("floormod", "mod"),
    _same("floordiv", "floor_divide"),
    _same("atan2", "arctan2"),
)
log_sigmoid = _same("log_sigmoid")
acosh, asinh, atanh = _same("acosh", "arccosh"), _same("asinh", "arcsinh"), _same("atanh", "arctanh")


@_errors.checked
def divide_no_nan(x, y, name=None):
    """x / y, 0 where y is 0; of integers real numbers, as of divide()."""
    x, y = _functions._alike(x, y, "DivNoNan") if not (_operands.is_tensor(x) and _operands.is_tensor(y)) else (x, y)
    quotient = _operands.computed("divide", x, y)
    empty = keras.ops.equal(y, 0)
    return keras.ops.where(empty, keras.ops.zeros_like(quotient), x / keras.ops.where(empty, keras.ops.ones_like(y), y))


@_errors.checked
def angle(input, name=None):
    """The angles of complex numbers; of real ones 0, or pi below 0."""
    x = _functions.convert_to_tensor(input)
    return keras.ops.arctan2(imag(x), real(x))  # noqa: F821


@_errors.checked
def squared_difference(x, y, name=None):
    """(x - y) * (x - y)."""
    x, y = _functions._alike(x, y, "SquaredDifference")
    _operands.check("squared_difference", x)
    return keras.ops.square(x - y)


def _or_zero(name, function, doc):
    """A function of two tensors that is 0 where the first one is 0, whatever the other is."""

    def call(x, y, name=None):
        x, y = _functions._alike(x, y, _operands.kernel_of(what))
        _operands.check(what, x)
        empty = keras.ops.equal(x, 0)
        return keras.ops.where(empty, keras.ops.zeros_like(x), function(x, keras.ops.where(empty, keras.ops.ones_like(y), y)))

    what, call.__doc__ = name, doc
    call.__name__ = call.__qualname__ = name
    return _errors.checked(call)


xlogy = _or_zero("xlogy", lambda x, y: x * keras.ops.log(y), "x * log(y), 0 where x is 0.")
xlog1py = _or_zero("xlog1py", lambda x, y: x * keras.ops.log1p(y), "x * log(1 + y), 0 where x is 0.")
xdivy = _or_zero("xdivy", lambda x, y: x / y, "x / y, 0 where x is 0.")


@_errors.checked
def l2_normalize(x, axis=None, epsilon=1e-12, name=None):
    """x divided by its norm along axes, which counts as at least the root of ``epsilon``."""
    x = _functions.convert_to_tensor(x)
    axis = tuple(axis) if isinstance(axis, list) else axis
    return x * keras.ops.rsqrt(keras.ops.maximum(keras.ops.sum(keras.ops.square(x), axis=axis, keepdims=True), epsilon))


@_errors.checked
def count_nonzero(input, axis=None, keepdims=False, dtype="int64", name=None):
    """How many elements are not 0."""
    other = keras.ops.cast(keras.ops.not_equal(_functions.convert_to_tensor(input), 0), "int32")
    return keras.ops.cast(keras.ops.sum(other, axis=axis, keepdims=keepdims), dtype)


@_errors.checked
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """The root of the sum of squares along axes."""
    x = _functions.convert_to_tensor(input_tensor)
    axis = tuple(axis) if isinstance(axis, list) else axis
    if not _functions._is_symbolic(x) and "float" in x._dtype_name and _engine.wants_gradient(x):
        length = _length(x, axis)
        return length if keepdims else keras.ops.reshape(length, keras.ops.sum(x, axis).shape)
    length = keras.ops.sqrt(keras.ops.sum(keras.ops.square(x), axis=axis, keepdims=keepdims))
    return keras.ops.cast(length, _operands._name(x))  # of integers the whole part


def _length(x, axis):
    @_functions.custom_gradient
    def of(x):
        length = keras.ops.sqrt(keras.ops.sum(keras.ops.square(x), axis, keepdims=True))
        return length, lambda g: x / (_length(x, axis) / g)  # NaN at zeros

    return of(x)


@_errors.checked
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None, binary_output=False):
    """How often each number from 0 on comes, or the sums of its weights; numbers from ``maxlength`` on are left out."""
    if axis is not None or binary_output:
        raise NotImplementedError("tf.math.bincount(axis=..., binary_output=...) is not supported by quern; use tf.one_hot() and a sum")
    x = keras.ops.reshape(_functions.convert_to_tensor(arr), (-1,))
    weights = None if weights is None else keras.ops.reshape(_functions.convert_to_tensor(weights), (-1,))
    if maxlength is not None:
        minlength = builtins.max(int(minlength or 0), builtins.min(int(keras.ops.max(x)) + 1 if x.size else 0, int(maxlength)))
        inside = x < int(maxlength)
        x, weights = x[inside], None if weights is None else weights[inside]
    made = keras.ops.bincount(x, weights, int(minlength or 0))
    return made if weights is not None else _functions.cast(made, dtype)


@_errors.checked
def in_top_k(targets, predictions, k, name=None):
    """Is each target's prediction among the k largest of its row?"""
    return keras.ops.in_top_k(_functions.convert_to_tensor(targets), _functions.convert_to_tensor(predictions), int(k))


@_errors.checked
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype="int32", name=None):
    """How often each label, a row, was predicted as each class, a column."""
    labels, predictions = _functions.convert_to_tensor(labels), _functions.convert_to_tensor(predictions)
    for what, x in (("labels", labels), ("predictions", predictions)):
        _check_places(x, np.iinfo("int64").max if num_classes is None else int(num_classes), f"tf.math.confusion_matrix, `{what}`", None)
    count = int(keras.ops.maximum(keras.ops.max(labels), keras.ops.max(predictions))) + 1 if num_classes is None else int(num_classes)
    ones = keras.ops.ones(labels.shape, dtype) if weights is None else keras.ops.cast(_functions.convert_to_tensor(weights), dtype)
    places = keras.ops.stack([labels, predictions], axis=-1)
    return keras.ops.scatter(places, ones, (count, count))


def _special(name, doc):
    """A function of torch.special's of real numbers, under TensorFlow's name; it has its derivative."""

    def call(x, name=None):
        from quern.torch import Tensor, special

        return _as_tensor(getattr(special, torchs)(_operands.check(name_of_it, _functions.convert_to_tensor(x))._as(Tensor)))

    torchs, name_of_it = {"lgamma": "gammaln"}.get(name, name), name
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return _errors.checked(call)


lgamma = _special("lgamma", "The logarithm of the size of the gamma function.")
digamma = _special("digamma", "The derivative of lgamma().")
erfc = _special("erfc", "1 - erf(x).")
erfinv = _special("erfinv", "The number whose erf is x.")


@_errors.checked
def polyval(coeffs, x, name=None):
    """A polynomial's values: the coefficient of the highest power comes first."""
    x = _functions.convert_to_tensor(x)
    total = keras.ops.zeros_like(x)
    for i, c in enumerate(coeffs):
        total = total * x + c if i else total + c
    return total


@_errors.checked
def zero_fraction(value, name=None):
    """Which share of the elements is 0."""
    return keras.ops.mean(keras.ops.cast(keras.ops.equal(_functions.convert_to_tensor(value), 0), "float32"))


@_errors.checked
def rint(x, name=None):
    """The nearest whole numbers, of two the even one."""
    return _functions.round(x)


@_errors.checked
def multiply_no_nan(x, y, name=None):
    """x * y, 0 where y is 0, whatever x is."""
    x, y = _functions._alike(x, y, "MulNoNan")
    _operands.check("multiply_no_nan", x)
    if _functions._is_symbolic(x) or _functions._is_symbolic(y):
        return x * y
    sizes = np.broadcast_shapes(x.shape, y.shape)
    return _product_without_nan(keras.ops.broadcast_to(x, sizes), keras.ops.broadcast_to(y, sizes))


@_functions.custom_gradient
def _product_without_nan(x, y):
    empty = keras.ops.equal(y, 0)
    product = keras.ops.where(empty, keras.ops.zeros_like(y), keras.ops.where(empty, keras.ops.zeros_like(x), x) * y)
    return product, lambda g: (_product_without_nan(g, y), _product_without_nan(x, g))


@_errors.checked
def reciprocal_no_nan(x, name=None):
    """1 / x, 0 where x is 0."""
    x = _functions.convert_to_tensor(x)
    return divide_no_nan(keras.ops.ones_like(x), x)


@_errors.checked
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """The logarithms of the sums of exp(x) up to each element; ``exclusive``: without it; ``reverse``: from the end."""

    def running(x, axis):
        from quern.torch import Tensor, logcumsumexp

        return _as_tensor(logcumsumexp(x._as(Tensor), axis))

    return _functions._running(running, float("-inf"))(x, axis, exclusive, reverse)


@_errors.checked
def softmax(logits, axis=-1, name=None):
    """exp(x) divided by its sum along an axis."""
    return keras.ops.softmax(_operands.check("softmax", _functions.convert_to_tensor(logits)), _inner(logits, axis))


@_errors.checked
def log_softmax(logits, axis=-1, name=None):
    """The logarithm of softmax()."""
    return keras.ops.log_softmax(_operands.check("log_softmax", _functions.convert_to_tensor(logits)), _inner(logits, axis))


def _inner(x, axis):
    rank = _functions.convert_to_tensor(x).ndim
    if axis is not None and not -rank <= axis < rank:
        raise _errors.InvalidArgumentError(f"`dim` must be in the range [{-rank}, {rank}) of the input's dimensions. Received: {axis}")
    return -1 if axis is None else axis


@_errors.checked
def invert_permutation(x, name=None):
    """The places at which each number stands in a permutation."""
    x = _functions.convert_to_tensor(x)
    _check_places(x, x.size, "tf.math.invert_permutation", None)
    if recording.recorder() is None and len(set(x.get().tolist())) != x.size:
        raise _errors.InvalidArgumentError("[tf.math.invert_permutation] the permutation contains a value more than once")
    return _functions.cast(keras.ops.argsort(x), x._dtype_name)


TopK = collections.namedtuple("TopKV2", ["values", "indices"])


@_errors.checked
def top_k(input, k=1, sorted=True, name=None):
    """The k largest elements along the last axis, and their places: ``values`` and ``indices``."""
    x = _functions.convert_to_tensor(input)
    if not x.ndim or x.shape[-1] < int(k):
        raise _errors.InvalidArgumentError(f"[tf.math.top_k] input must have at least k columns. Had {x.shape[-1:]}, needed {int(k)}")
    return TopK(*keras.ops.top_k(x, int(k), sorted))


def __getattr__(name):
    raise AttributeError(f"tensorflow.math.{name} is not supported by quern; use keras.ops")
