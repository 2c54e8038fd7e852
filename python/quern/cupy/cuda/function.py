"""cupy.cuda.function: compiled code, by hand."""

import os

from quern.cupy.cuda.memory import MemoryPointer, UnownedMemory
from quern.device import current_device
from quern.lib import _engine


class Function(_engine.RawFunction):
    """Kernel of a `Module`; a call is ``function(grid, block, args, shared_mem=0, stream=None)``.

    Parameters
    ----------
    module : Module
        Module with the kernel.
    funcname : str
        Name of the kernel.

    Raises
    ------
    LogicError
        For a name without a kernel.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> module = cp.cuda.compile_with_cache('extern "C" __global__ void set(int* a) { a[threadIdx.x] = 7; }')
    >>> kernel = cp.cuda.Function(module, "set")
    >>> a = cp.zeros(2, "int32")
    >>> kernel((1,), (2,), (a,))
    >>> a
    array([7, 7], dtype=int32)
    """

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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> module = cp.cuda.compile_with_cache('extern "C" __global__ void set(int* a) { a[threadIdx.x] = 7; }')
        >>> a = cp.zeros(2, "int32")
        >>> module.get_function("set").linear_launch(2, (a,))
        >>> a
        array([7, 7], dtype=int32)
        """
        block = min(block_max_size, size)
        if size > 0:
            self(((size + block - 1) // block,), (block,), args, shared_mem, stream)


class Module:
    """Compiled code: a cubin or PTX on a GPU, the compiler's output on the CPU.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> module = cp.cuda.compile_with_cache('extern "C" __global__ void f() {}')
    >>> type(module).__name__
    'Module'
    """

    def __init__(self):
        self._program = None

    def load(self, cubin):
        """Load compiled code.

        Parameters
        ----------
        cubin : bytes
            Cubin or PTX on a GPU; the compiler's output on the CPU.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> code, names = cp.cuda.compiler.compile_using_nvrtc('extern "C" __global__ void f() {}')
        >>> module = cp.cuda.Module()
        >>> module.load(code)
        >>> module.get_function("f").name
        'f'
        """
        self._program = _engine.load_code(current_device(), bytes(cubin))

    def load_file(self, filename):
        """Load compiled code from a file.

        Parameters
        ----------
        filename : str
            Path of the file.

        Raises
        ------
        FileNotFoundError
            For a file that does not exist.

        Examples
        --------
        >>> import os, tempfile
        >>> from quern import cupy as cp
        >>> code, names = cp.cuda.compiler.compile_using_nvrtc('extern "C" __global__ void f() {}')
        >>> module = cp.cuda.Module()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "f.bin")
        ...     with open(path, "wb") as file:
        ...         size = file.write(code)
        ...     module.load_file(path)
        >>> module.get_function("f").name
        'f'
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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.compile_with_cache('extern "C" __global__ void f() {}').get_function("f").name
        'f'
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

        Raises
        ------
        LogicError
            For a name without a variable.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> code = '__constant__ float table[4]; extern "C" __global__ void f(float* a) { *a = table[0]; }'
        >>> cp.cuda.compile_with_cache(code).get_global_var("table").mem.size
        16
        """
        address, size = self._program.global_variable(name)
        return MemoryPointer(UnownedMemory(address, size, self), 0)


Function.__module__ = Module.__module__ = "cupy.cuda.function"
