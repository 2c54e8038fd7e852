"""numba.np.ufunc: vectorize and guvectorize, and how many threads there are."""

from quern.cuda.decorators import guvectorize, vectorize
from quern.kernel.generalized import GeneralFunction as GUFunc
from quern.kernel.vectorize import VectorFunction as DUFunc
from quern.numba.threads import get_num_threads, set_num_threads

__all__ = ["DUFunc", "GUFunc", "get_num_threads", "guvectorize", "set_num_threads", "vectorize"]
