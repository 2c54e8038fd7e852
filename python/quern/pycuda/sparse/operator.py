"""Linear operators that conjugate gradients take: what has ``dtype`` and ``shape`` and is called with a vector."""

import numpy as np


class OperatorBase:
    """What operators of one's own derive from: ``dtype``, ``shape`` and ``__call__(x)`` are theirs to give."""

    @property
    def dtype(self):
        raise NotImplementedError(f"{type(self).__name__} defines no dtype")

    @property
    def shape(self):
        raise NotImplementedError(f"{type(self).__name__} defines no shape")

    def __call__(self, operand):
        raise NotImplementedError(f"{type(self).__name__} defines no __call__")


class IdentityOperator(OperatorBase):
    """Gives what it gets, a vector of ``n`` elements."""

    def __init__(self, dtype, n):
        self._dtype, self._n = np.dtype(dtype), int(n)

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._n, self._n

    def __call__(self, operand):
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies by a diagonal, a GPUArray: as a preconditioner the reciprocals of the matrix's own."""

    def __init__(self, diagonal):
        self.diagonal = diagonal

    @property
    def dtype(self):
        return self.diagonal.dtype

    @property
    def shape(self):
        n = self.diagonal.shape[0]
        return n, n

    def __call__(self, operand):
        return self.diagonal * operand
