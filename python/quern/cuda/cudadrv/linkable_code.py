"""numba.cuda.cudadrv.linkable_code: what kernels are linked with. It is in quern/cuda/linkable.py."""

from quern.cuda.linkable import LTOIR, Archive, Cubin, CUSource, Fatbin, LinkableCode, Object, PTXSource

__all__ = ["LTOIR", "Archive", "CUSource", "Cubin", "Fatbin", "LinkableCode", "Object", "PTXSource"]
