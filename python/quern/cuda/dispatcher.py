"""numba.cuda.dispatcher: what ``@cuda.jit`` makes. It is in quern/kernel/dispatcher.py."""

from quern.kernel.dispatcher import Definition as _Kernel
from quern.kernel.dispatcher import Dispatcher as CUDADispatcher
from quern.kernel.dispatcher import ForAll

FakeCUDAKernel = CUDADispatcher  # the simulator's name

__all__ = ["CUDADispatcher", "FakeCUDAKernel", "ForAll", "_Kernel"]
