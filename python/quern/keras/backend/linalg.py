"""keras.ops.linalg: NumPy's linear algebra, on quern's arrays."""

import quern as qn
from quern.keras.backend import _borrowed, recording
from quern.keras.backend.core import convert_to_tensor

_borrowed.names_of("linalg", globals())


def solve_triangular(a, b, lower=False):
    """x in a @ x = b, where only the lower, or upper, triangle of a counts."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    a = qn.tril(a) if lower else qn.triu(a)
    is_vector = b.ndim == a.ndim - 1
    out = qn.linalg.solve(a, b[..., None] if is_vector else b)
    return out[..., 0] if is_vector else out


def cholesky_inverse(a, upper=False):
    """The inverse of the matrix whose Cholesky factor is given."""
    a = convert_to_tensor(a)
    inverse = solve_triangular(a, qn.eye(a.shape[-1], dtype=a.dtype), lower=not upper)
    return qn.matmul(inverse, inverse.T) if upper else qn.matmul(inverse.T, inverse)


recording.note_functions(globals())
