"""tf.linalg: the basics."""

import functools as _functools

import keras

from quern.keras.backend import recording as _recording
from quern.keras.backend._tensor import as_tensor as _as_tensor
from quern.tensorflow import _functions, _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow import math as _math
from quern.tensorflow._functions import _same, einsum, eye, matmul, norm, tensordot  # noqa: F401
from quern.tensorflow._functions import convert_to_tensor as _tensor


def _at_once(function):
    """Return a factorization that is computed at the call, so that a singular matrix raises there."""

    @_errors.checked
    @_functools.wraps(function)
    def call(*args, **kwargs):
        made = function(*args, **kwargs)
        if _recording.recorder() is None:
            for one in made if isinstance(made, tuple) else (made,):
                if hasattr(one, "_dtype_name"):
                    one.get()
        return made

    return call


_REALS = frozenset(("float16", "float32", "float64", "complex64", "complex128"))


def _of_one_type(name):
    """Return a function of keras.ops for matrices of one data type, which are real or complex numbers."""
    function = _same(name)

    @_errors.checked
    @_functools.wraps(function)
    def call(a, *others, name=None, **kwargs):
        a, *others = _operands.all_alike([a, *others], f"Matrix{title}")
        if getattr(a.dtype, "name", a.dtype) not in _REALS:
            raise _errors.InvalidArgumentError(f"Value for attr 'T' of {a.dtype} is not in the list of allowed values: {sorted(_REALS)}")
        return function(a, *others, **kwargs)

    title = {"inv": "Inverse", "det": "Determinant"}.get(name, name.title())
    return call


inv = _at_once(_of_one_type("inv"))
det = _of_one_type("det")
solve = _at_once(_of_one_type("solve"))
cholesky = _at_once(_of_one_type("cholesky"))
qr = _of_one_type("qr")
eigh = _of_one_type("eigh")
if hasattr(keras.ops, "pinv"):
    pinv = _of_one_type("pinv")
trace = _same("trace")
cross = _same("cross")
logdet = _same("logdet") if hasattr(keras.ops, "logdet") else None
l2_normalize, global_norm = _math.l2_normalize, _functions.global_norm


@_errors.checked
def diag(diagonal, name=None):
    """Matrices with these elements on their diagonals, the last axis of them."""
    x = _tensor(diagonal)
    return keras.ops.where(keras.ops.eye(x.shape[-1], dtype="bool"), keras.ops.expand_dims(x, -1), keras.ops.zeros((), x.dtype))


@_errors.checked
def diag_part(input, name=None):
    """The diagonals of matrices."""
    return keras.ops.diagonal(_tensor(input), axis1=-2, axis2=-1)


@_errors.checked
def set_diag(input, diagonal, name=None):
    """Matrices with other elements on their diagonals."""
    x = _tensor(input)
    here = keras.ops.eye(x.shape[-2], x.shape[-1], dtype="bool")
    rows = x.shape[-2] > x.shape[-1]
    d = _tensor(diagonal, x.dtype)
    short = x.shape[-1] - d.shape[-1] if not rows else x.shape[-2] - d.shape[-1]
    d = keras.ops.pad(d, [(0, 0)] * (d.ndim - 1) + [(0, short)])
    return keras.ops.where(here, keras.ops.expand_dims(d, -1 if rows else -2), x)


@_errors.checked
def band_part(input, num_lower, num_upper, name=None):
    """Matrices with zeros outside of a band around the diagonal; a number below 0: the whole triangle."""
    x = _tensor(input)
    apart = keras.ops.expand_dims(keras.ops.arange(x.shape[-2]), -1) - keras.ops.arange(x.shape[-1])
    low = x.shape[-2] if num_lower < 0 else num_lower
    high = x.shape[-1] if num_upper < 0 else num_upper
    return keras.ops.where((apart <= low) & (-apart <= high), x, keras.ops.zeros_like(x))


@_errors.checked
def matrix_transpose(a, name=None, conjugate=False):
    """The last two axes swapped."""
    return keras.ops.swapaxes(keras.ops.conj(_tensor(a)) if conjugate else _tensor(a), -1, -2)


@_errors.checked
def adjoint(matrix, name=None):
    """The last two axes swapped, and the elements' conjugates."""
    return matrix_transpose(matrix, conjugate=True)


@_errors.checked
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """The tensor divided by its norm, and that."""
    length = norm(tensor, ord, axis, keepdims=True)
    return _tensor(tensor) / length, length


@_errors.checked
def eigvalsh(tensor, name=None):
    """The eigenvalues of symmetric matrices."""
    return keras.ops.eigh(_tensor(tensor))[0]


@_errors.checked
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The x for which matrix @ x is nearest to the right side."""
    if l2_regularizer:
        raise NotImplementedError("tf.linalg.lstsq(l2_regularizer=...) is not supported by quern; use tf.linalg.solve")
    return keras.ops.lstsq(*_functions._alike(matrix, rhs, "MatrixSolveLs"))


@_errors.checked
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """The x for which the triangle of a matrix times x is the right side."""
    a, rhs = _functions._alike(matrix, rhs, "MatrixTriangularSolve")
    a = band_part(a, -1, 0) if lower else band_part(a, 0, -1)
    return keras.ops.solve(matrix_transpose(a, conjugate=True) if adjoint else a, _tensor(rhs))


@_errors.checked
def cholesky_solve(chol, rhs, name=None):
    """The x for which L @ L^T @ x is the right side."""
    lower = _tensor(chol)
    return triangular_solve(lower, triangular_solve(lower, rhs), adjoint=True)


@_errors.checked
def expm(input, name=None):
    """The exponentials of matrices."""
    from quern.torch import Tensor, matrix_exp

    x = _tensor(input)
    if x._dtype_name not in _REALS:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x._dtype_name}; use tf.cast()")
    return _as_tensor(matrix_exp(x._as(Tensor)))


@_errors.checked
def slogdet(input, name=None):
    """The signs of determinants, and the logarithms of their sizes."""
    return tuple(keras.ops.slogdet(_tensor(input)))


tensor_diag, tensor_diag_part = diag, diag_part


@_errors.checked
def matvec(a, b, **options):
    """The product of matrices and vectors."""
    a, b = _functions._alike(a, b, "MatMul")
    return keras.ops.squeeze(_functions.matmul(a, keras.ops.expand_dims(b, -1), **options), -1)


@_errors.checked
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular values s, and u and v where they are wanted: tensor = u @ diag(s) @ v^T."""
    found = keras.ops.svd(tensor, full_matrices=full_matrices, compute_uv=compute_uv)
    return (found[1], found[0], keras.ops.swapaxes(found[2], -1, -2)) if compute_uv else found


def __getattr__(name):
    raise AttributeError(f"tensorflow.linalg.{name} is not supported by quern; use keras.ops.linalg or numpy.linalg")
