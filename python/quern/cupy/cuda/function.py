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
        """Launch the kernel with a number of threads.

        Parameters
        ----------
        size : int
            Number of threads.
        args : tuple
            Arguments of the kernel.
        shared_mem : int, optional
            Bytes of dynamic shared memory.
        block_max_size : int, optional
            Largest number of threads in a block.
        stream : Stream, optional
            Stream; None is the current one.
        """
        block = min(block_max_size, size)
        if size > 0:
            self(((size + block - 1) // block,), (block,), args, shared_mem, stream)


class Module:
    """Compiled code: a cubin or PTX on a GPU, what the compiler gave on the CPU."""

    def __init__(self):
        self._program = None

    def load(self, cubin):
        """Load compiled code.

        Parameters
        ----------
        cubin : bytes
            Cubin or PTX on a GPU; what the compiler returned on the CPU.
        """
        self._program = _engine.load_code(current_device(), bytes(cubin))

    def load_file(self, filename):
        """Load compiled code from a file.

        Parameters
        ----------
        filename : str
            Path of the file.
        """
        with open(os.fspath(filename), "rb") as file:
            self.load(file.read())

    def get_function(self, name):
        """Return a kernel of the module.

        Parameters
        ----------
        name : str
            Name of the kernel.

        Returns
        -------
        Function
            Kernel.

        Raises
        ------
        LogicError
            For a name without a kernel.
        """
        return Function(self, name)

    def get_global_var(self, name):
        """Return the memory of a variable.

        Parameters
        ----------
        name : str
            Name of a ``__device__`` or ``__constant__`` variable.

        Returns
        -------
        MemoryPointer
            Memory.
        """
        address, size = self._program.global_variable(name)
        return MemoryPointer(UnownedMemory(address, size, self), 0)


Function.__module__ = Module.__module__ = "cupy.cuda.function"
