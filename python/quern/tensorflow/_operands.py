"""Which operands TensorFlow's operations take: the data types of each operation, and operands of one type.

Tensors are never promoted. A Python number, a list or a NumPy array next to a tensor is converted to the tensor's data type.
"""

import dis
import operator
import sys

import keras
import numpy as np
from keras.src.backend.common.keras_tensor import KerasTensor

from quern.keras.backend import recording
from quern.keras.backend.core import Array, KerasVariable, stop_gradient
from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.lib import _engine
from quern.tensorflow._constants import converted
from quern.tensorflow.dtypes import as_dtype
from quern.tensorflow.errors import InvalidArgumentError

_SIGNED, _UNSIGNED = frozenset(("int8", "int16", "int32", "int64")), frozenset(("uint8", "uint16", "uint32", "uint64"))
_REAL, _COMPLEX = frozenset(("bfloat16", "float16", "float32", "float64")), frozenset(("complex64", "complex128"))
_INTEGER = _SIGNED | _UNSIGNED
_ORDERED = _REAL | _INTEGER
_NUMBER = _ORDERED | _COMPLEX
_BOOL = frozenset(("bool",))
_ALL = _NUMBER | _BOOL
_KERNEL_NAMES = {"float16": "half", "float32": "float", "float64": "double"}

# By quern's name of an operator or TensorFlow's of a function: the operation's name, and the data types that it takes.
_TAKEN = {
    name: (kernel, kinds)
    for kinds, names in {
        _NUMBER: "add:AddV2 subtract:Sub multiply:Mul floor_divide:FloorDiv divide:RealDiv square:Square cumsum:Cumsum cumprod:Cumprod "
        "reduce_sum:Sum reduce_mean:Mean reduce_prod:Prod add_n:AddN matmul:MatMul",
        _ORDERED: "remainder:FloorMod less:Less less_equal:LessEqual greater:Greater greater_equal:GreaterEqual maximum:Maximum "
        "minimum:Minimum relu:Relu relu6:Relu6 reduce_max:Max reduce_min:Min top_k:TopKV2 sort:TopKV2",
        _REAL | _COMPLEX | _SIGNED: "power:Pow sign:Sign round:Round negative:Neg abs:Abs",
        _REAL: "atan2:Atan2 floor:Floor ceil:Ceil rint:Rint erf:Erf erfc:Erfc erfinv:Erfinv lgamma:Lgamma digamma:Digamma "
        "softplus:Softplus softsign:Softsign is_nan:IsNan is_inf:IsInf is_finite:IsFinite elu:Elu selu:Selu softmax:Softmax "
        "log_softmax:LogSoftmax log_sigmoid:Softplus reduce_logsumexp:Exp",
        _REAL | _COMPLEX: "divide_no_nan:DivNoNan xlogy:Xlogy xlog1py:Xlog1py xdivy:Xdivy multiply_no_nan:MulNoNan sqrt:Sqrt exp:Exp "
        "sin:Sin cos:Cos tan:Tan tanh:Tanh sigmoid:Sigmoid silu:Sigmoid acos:Acos asin:Asin atan:Atan acosh:Acosh asinh:Asinh "
        "atanh:Atanh cosh:Cosh sinh:Sinh log:Log log1p:Log1p expm1:Expm1 rsqrt:Rsqrt reciprocal:Reciprocal norm:Sqrt",
        _REAL | _COMPLEX | {"int32", "int64"}: "squared_difference:SquaredDifference",
        _INTEGER: "bitwise_and:BitwiseAnd bitwise_or:BitwiseOr bitwise_xor:BitwiseXor",
        _BOOL: "logical_and:LogicalAnd logical_or:LogicalOr logical_not:LogicalNot logical_xor:LogicalOr reduce_any:Any reduce_all:All",
        _ALL: "equal:Equal not_equal:NotEqual",
    }.items()
    for name, _, kernel in (one.partition(":") for one in names.split())
}
def _floor_divided(x, y):
    """``x // y``: of real numbers the quotient rounded down, which is above Python's where the quotient rounds up, without a gradient."""
    if "float" not in _name(x):
        return operator.floordiv(x, y)
    return stop_gradient(keras.ops.floor(x / y))


OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": _floor_divided,
    "remainder": operator.mod,
    "power": operator.pow,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "matmul": operator.matmul,
}
_COMPARED = ("equal", "not_equal")
_OF_REALS = frozenset(OPERATORS) - {"equal", "not_equal", "matmul", "bitwise_and", "bitwise_or", "bitwise_xor"}  # all real dtypes


def kernel_of(name):
    """Return TensorFlow's name of an operation."""
    return _TAKEN[name][0] if name in _TAKEN else name


def refuse_mixed(kernel, wanted, found, at=1):
    """Raise InvalidArgumentError for an operand of another data type."""
    names = _KERNEL_NAMES.get(wanted, wanted), _KERNEL_NAMES.get(found, found)
    raise InvalidArgumentError(
        f"cannot compute {kernel} as input #{at}(zero-based) was expected to be a {names[0]} tensor but is a {names[1]} tensor "
        f"[Op:{kernel}]; convert it with tf.cast()"
    )


def check(name, x):
    """Raise InvalidArgumentError where an operation does not take a tensor of this data type. Returns the tensor."""
    kernel, kinds = _TAKEN.get(name, (name, _ALL))
    kind = x._dtype_name if isinstance(x, Array) else getattr(x.dtype, "name", x.dtype)
    if kind in kinds:
        return x
    if kinds is _BOOL:
        refuse_mixed(kernel, "bool", kind, 0)
    raise InvalidArgumentError(
        f"Value for attr 'T' of {_KERNEL_NAMES.get(kind, kind)} is not in the list of allowed values: {', '.join(sorted(kinds))} "
        f"[Op:{kernel}]; convert it with tf.cast()"
    )


def is_tensor(x):
    """Return whether ``x`` has a data type that TensorFlow keeps: it is a tensor or a variable, not an array of NumPy's."""
    return isinstance(x, (Array, KerasVariable, KerasTensor, _engine.BareArray))


def exactly(x, dtype):
    """Return a tensor; raise ValueError where its data type is another one than that which is asked for."""
    kind = None if dtype is None else as_dtype(dtype).name
    if kind is None or kind == _name(x):
        return x
    raise ValueError(f"Tensor conversion requested dtype {kind} for Tensor with dtype {_name(x)}: {x!r}; use tf.cast()")


def as_kind(value, kind):
    """Return what stands next to a tensor of a data type; what is no tensor is converted to that type."""
    if is_tensor(value):
        return value if isinstance(value, KerasTensor) else _tensor(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _tensor(value, kind)
    return converted(value, kind)


def alike(x, y, kernel):
    """Return two operands as tensors of one data type, that of the first tensor among them, or of ``x``."""
    if is_tensor(x) or not is_tensor(y):
        x = (x if isinstance(x, KerasTensor) else _tensor(x)) if is_tensor(x) else converted(x)
        y = as_kind(y, _name(x))
    else:
        y = y if isinstance(y, KerasTensor) else _tensor(y)
        x = as_kind(x, _name(y))
    if _name(x) != _name(y):
        refuse_mixed(kernel, _name(x), _name(y))
    return x, y


def all_alike(values, kernel, first=0):
    """Return tensors of one data type, that of the first tensor among them; ``first``: the number of the first one in errors."""
    kind = next((_name(x) for x in values if is_tensor(x)), None)
    made = []
    for x in values:
        made.append(converted(x) if kind is None else as_kind(x, kind))
        kind = kind or _name(made[0])
    for i, x in enumerate(made):
        if _name(x) != _name(made[0]):
            refuse_mixed(kernel, _name(made[0]), _name(x), i + first)
    return made


def _name(x):
    return x._dtype_name if isinstance(x, Array) else getattr(x.dtype, "name", x.dtype)


def computed(name, x, y):
    """Return the result of an operator of two operands, one of which is a tensor."""
    x = _tensor(x) if isinstance(x, KerasVariable) else x
    y = _tensor(y) if isinstance(y, KerasVariable) else y
    is_plain = type(x) is Array and type(y) is Array and x._dtype_name == y._dtype_name and x._dtype_name in _REAL
    if not is_plain:
        x, y = _operands(name, x, y)
    symbolic = isinstance(x, KerasTensor) or isinstance(y, KerasTensor)
    try:
        return OPERATORS[name](x, y) if symbolic or is_plain and name in _OF_REALS else _of_tensors(name, x, y)
    except InvalidArgumentError:
        raise
    except (ValueError, IndexError) as e:
        raise InvalidArgumentError(f"{e} [Op:{kernel_of(name)}]") from None


def _operands(name, x, y):
    kernel = kernel_of(name)
    given = x, y
    try:
        x, y = alike(x, y, kernel)
    except InvalidArgumentError:
        if name == "multiply" and any(is_tensor(one) and _name(_tensor(one)) == "bool" for one in given):
            return [one if is_tensor(one) else converted(one) for one in given]
        if name == "divide":
            kinds = [_name(one if is_tensor(one) else converted(one)) for one in given]
            raise TypeError(f"`x` and `y` must have the same dtype, got tf.{kinds[0]} != tf.{kinds[1]}; use tf.cast()") from None
        raise
    except TypeError:
        if name == "add" and is_tensor(given[0]):
            refuse_mixed(kernel, _name(_tensor(given[0])), _name(converted(given[1])))
        raise
    return x, y


def _of_tensors(name, x, y):
    kind = x._dtype_name
    if name == "multiply" and "bool" in (kind, y._dtype_name):  # TensorFlow's rule for the operator
        return _tensor(_tensor(x, "int32") * _tensor(y, "int32"), "bool")
    if name == "divide" and kind == "bool":
        raise TypeError("Invalid dtype tf.bool in __truediv__; convert it with tf.cast()")
    if name.startswith("bitwise_") and kind == "bool":
        return OPERATORS[name](x, y)
    check(name, x)
    if kind in _INTEGER and name in ("floor_divide", "remainder", "power"):
        _check_integers(name, y)
    if name in _COMPARED:
        try:
            return OPERATORS[name](x, y)
        except ValueError:  # of shapes that do not broadcast: they are not equal
            return _tensor(name == "not_equal")
    if name == "matmul" and min(x.ndim, y.ndim) < 2:
        raise InvalidArgumentError(f"In[{int(x.ndim > 1)}] is not a matrix; the operands of a product have at least two axes [Op:MatMul]")
    return OPERATORS[name](x, y)


def _check_integers(name, y):
    """Raise InvalidArgumentError for integers raised to negative powers and, on a CPU, divided by zero, as TensorFlow does."""
    if recording.recorder() is not None or not y.size:
        return
    if name == "power" and int(y.get().min()) < 0:
        raise InvalidArgumentError("Integers to negative integer powers are not allowed [Op:Pow]; convert them with tf.cast()")
    if _engine.default_device().kind != "cpu":
        return
    if name != "power" and not y.get().all():
        raise InvalidArgumentError(f"Integer division by zero [Op:{kernel_of(name)}]")


def is_within(frame):
    """Return whether a frame belongs to quern or Keras, whose operators promote."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in ("quern", "keras")


def loads_attribute(frame):
    """Return whether a frame of the program is at an attribute that is written there: not of quern or Keras, and not in a call."""
    if is_within(frame):
        return False
    code, at = frame.f_code.co_code, frame.f_lasti
    while dis.opname[code[at]] == "CACHE":  # of an instruction that Python 3.12 has specialized
        at -= 2
    return dis.opname[code[at]] in ("LOAD_ATTR", "LOAD_METHOD")


def operated(name, x, y):
    """Answer for an operator of a tensor and something that is not alike; NotImplemented where the operator promotes."""
    name = "divide" if name == "true_divide" else name
    of_others = any(isinstance(one, _engine.BareArray) and not isinstance(one, Array) for one in (x, y))  # front ends that promote
    if of_others or is_within(sys._getframe(1)) or name not in OPERATORS:
        return NotImplemented
    return computed(name, x, y)
