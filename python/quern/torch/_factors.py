"""What factorizations of the torch front end raise at the call, and how they find out: by one read of the status.

A factorization that fails raises torch.linalg.LinAlgError in PyTorch's words, where the work is asked for. The functions whose names end
in ``_ex`` return the status instead and wait for nothing.
"""

import numpy

from quern.torch._core import host_values


class _LinAlgError(RuntimeError):
    """A matrix has no factors of that kind: it is singular, not positive definite, or not finite."""


_LinAlgError.__module__ = "torch.linalg"
SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def check(info, name, text):
    """Waits for the status of each matrix; _LinAlgError with the first that is not 0, which stands for {} in the text."""
    if not info._size:
        return
    values = host_values(info)
    if not values.any():
        return
    flat = values.reshape(-1)
    at = int(numpy.flatnonzero(flat)[0])
    where = f"(Batch element {at}): " if values.ndim else ""
    raise _LinAlgError(f"{name}: {where}{text.format(int(flat[at]))}")

