"""PacketedSpMV, PyCUDA's product of a square matrix with a vector."""

import numpy as np

from quern.pycuda.sparse._rows import RowProduct


class PacketedSpMV:
    """A square sparse matrix on the device.

    Parameters: ``mat``, SciPy's or another with tocsr(); ``is_symmetric``, which PyCUDA's packing asks and this one does not need;
    ``dtype`` of the numbers. Called with a GPUArray x (n,) it gives A x, added to ``y`` where one is given. PyCUDA's packets want vectors
    in an order of their own, to and from which permute() and unpermute() go; here it is the matrix's, so both give a copy.

    Examples
    --------
    >>> spmv = PacketedSpMV(matrix, False, np.float32)  # doctest: +SKIP
    >>> y = spmv.unpermute(spmv(spmv.permute(x)))       # doctest: +SKIP
    """

    def __init__(self, mat, is_symmetric, dtype):
        if mat.shape[0] != mat.shape[1]:
            raise ValueError(f"[PacketedSpMV] a square matrix is needed, not one of shape {tuple(mat.shape)}")
        self._product = RowProduct("PacketedSpMV", mat.tocsr(), dtype)
        self.is_symmetric = is_symmetric
        self.dtype, self.shape = np.dtype(dtype), self._product.shape

    def permute(self, x):
        """A vector in the order that the product takes."""
        return x.copy()

    def unpermute(self, x):
        """A vector of the product's order in the matrix's."""
        return x.copy()

    def __call__(self, x, y=None):
        return self._product(x, y)
