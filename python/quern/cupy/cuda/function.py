"""cupy.cuda.function: compiled code, by hand."""

import os

from quern.cupy.cuda.memory import MemoryPointer, UnownedMemory
from quern.device import current_device
from quern.lib import _engine


class Function(_engine.RawFunction):
    """A kernel of a Module's. Call it with ``(grid, block, args)``; keywords: ``shared_mem``, ``stream``."""

    def __init__(self, module, funcname):
        super().__init__()
        self.module, self.name = module, funcname
        self.set_kernel(module._program, funcname)

    def _bind(self):
        self.set_kernel(self.module._program, self.name)

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        super().__call__(grid, block, args, shared_mem=shared_mem, stream=stream)

    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None):
        """Launches so many threads, in blocks of at most ``block_max_size``."""
        block = min(block_max_size, size)
        if size > 0:
            self(((size + block - 1) // block,), (block,), args, shared_mem, stream)


class Module:
    """Compiled code: a cubin or PTX on a GPU, what the compiler gave on the CPU."""

    def __init__(self):
        self._program = None

    def load(self, cubin):
        """Takes the code."""
        self._program = _engine.load_code(current_device(), bytes(cubin))

    def load_file(self, filename):
        """Takes the code from a file."""
        with open(os.fspath(filename), "rb") as file:
            self.load(file.read())

    def get_function(self, name):
        """The kernel of that name, as a Function. Raises quern.LogicError when there is none."""
        return Function(self, name)

    def get_global_var(self, name):
        """A variable's place, as a MemoryPointer."""
        address, size = self._program.global_variable(name)
        return MemoryPointer(UnownedMemory(address, size, self), 0)


Function.__module__ = Module.__module__ = "cupy.cuda.function"
