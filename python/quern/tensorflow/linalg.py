"""tf.linalg: the basics."""

import keras

from quern.tensorflow import _functions
from quern.tensorflow._functions import _same

matmul, norm, eye, einsum, tensordot = (getattr(_functions, _name) for _name in ("matmul", "norm", "eye", "einsum", "tensordot"))
for _name in "inv det solve cholesky qr eigh pinv trace cross".split():
    if hasattr(keras.ops, _name):
        globals()[_name] = _same(_name)
diag, diag_part = _same("diag"), _same("diag_part", "diagonal")


def matvec(a, b, **options):
    """The product of matrices and vectors."""
    return keras.ops.squeeze(keras.ops.matmul(a, keras.ops.expand_dims(b, -1)), -1)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular values s, and u and v where they are wanted: tensor = u @ diag(s) @ v^T."""
    found = keras.ops.svd(tensor, full_matrices=full_matrices, compute_uv=compute_uv)
    return (found[1], found[0], keras.ops.swapaxes(found[2], -1, -2)) if compute_uv else found


def __getattr__(name):
    raise AttributeError(f"tensorflow.linalg.{name} is not served by quern; use keras.ops.linalg or numpy.linalg")
