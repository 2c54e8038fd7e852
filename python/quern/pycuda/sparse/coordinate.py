"""CoordinateSpMV, PyCUDA's product of a matrix that is given by coordinates with a vector."""

import numpy as np

from quern.pycuda.sparse._rows import RowProduct


class _Rows:
    """Coordinates in any order, ordered by rows; what stands twice is added by the product."""

    def __init__(self, coo):
        rows = np.asarray(coo.row)
        order = np.argsort(rows, kind="stable")
        self.shape = coo.shape
        self.data, self.indices = np.asarray(coo.data)[order], np.asarray(coo.col)[order]
        self.indptr = np.searchsorted(rows[order], np.arange(coo.shape[0] + 1))


class CoordinateSpMV:
    """A sparse matrix on the device.

    Parameters: ``mat``, SciPy's or another with tocoo(); ``dtype`` of the numbers. Called with a GPUArray x (n,) it gives A x (m,), added
    to ``y`` where one is given.
    """

    def __init__(self, mat, dtype):
        self._product = RowProduct("CoordinateSpMV", _Rows(mat.tocoo()), dtype)
        self.dtype, self.shape = np.dtype(dtype), self._product.shape

    def __call__(self, x, y=None):
        return self._product(x, y)
