"""CUDA C++ source as kernels, in CuPy's way: RawKernel and RawModule."""

from __future__ import annotations

from quern.device import current_device
from quern.errors import LogicError
from quern.lib import _engine

_BRIDGE = '#include <cupy/cuComplex_bridge.h>\n#line 1 "kernel.cu"\n'


class RawModule:
    """CUDA C++ source with several kernels.

    Parameters
    ----------
    code : str
        The source.
    path : str
        In place of ``code``: a file of compiled code (cubin, PTX, fatbin), for GPUs.
    options : tuple of str
        Compiler options, such as ``("-DN=4", "--use_fast_math")``.
    backend : str
        Accepted for compatibility; "nvrtc" and "nvcc" mean the same here.
    translate_cucomplex : bool
        Types and functions of ``cuComplex.h`` are those of ``complex<T>``: operators work, and functions take both precisions.
    enable_cooperative_groups : bool
        Launches are cooperative: blocks may wait for each other with ``cooperative_groups::this_grid().sync()``.
    name_expressions : sequence of str
        Template kernels to instantiate, such as ``["scale<float>"]``; request them by the same text.
    jitify : bool
        Accepted for compatibility: headers of the standard library are there anyway.

    Raises
    ------
    quern.CompileError
        At the first use, with the compiler's log.
    quern.LogicError
        At the first use, for a file that is not there.

    Examples
    --------
    >>> import quern
    >>> m = quern.RawModule(code="template <class T> __global__ void set(T* a) { *a = 7; }", name_expressions=["set<double>"])
    >>> m.get_function("set<double>").name
    'set<double>'
    """

    code = file_path = None
    options = name_expressions = ()
    backend = "nvrtc"
    translate_cucomplex = enable_cooperative_groups = False

    def __init__(
        self,
        *,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=False,
    ):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if isinstance(options, str):
            raise TypeError("options must be a tuple of str")
        if code is not None and not isinstance(code, str):
            raise TypeError(f"code must be a str, not {type(code).__name__}")
        self.code = code
        self.file_path = path
        self.options = tuple(options)
        self.backend = backend
        self.translate_cucomplex = bool(translate_cucomplex)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self.name_expressions = tuple(name_expressions or ())
        self._programs = {}

    def __getstate__(self):
        return {**self.__dict__, "_programs": {}}  # compiled anew, or found in the cache

    def _program(self):
        device = current_device()
        found = self._programs.get(device)
        if found is None:
            if self.code is None:
                try:
                    with open(self.file_path, "rb") as f:
                        code = f.read()
                except OSError as error:
                    raise LogicError(f"[RawModule] CUDA_ERROR_FILE_NOT_FOUND: {error}") from error
                found = _engine.load_code(device, code)
            else:
                code = (_BRIDGE if self.translate_cucomplex else "") + self.code
                found = _engine.build(device, code, "kernel.cu", list(self.options), list(self.name_expressions))
            self._programs[device] = found
        return found

    def compile(self, log_stream=None):
        """Compile the module now.

        Parameters
        ----------
        log_stream : file object, optional
            File that receives the warnings of the compiler.

        Raises
        ------
        CompileError
            For source that does not compile; with the compiler's log.

        Examples
        --------
        >>> import quern as qn
        >>> module = qn.RawModule(code='extern "C" __global__ void f(int* a) { *a = 7; }')
        >>> module.compile()
        """
        log = self._program().log
        if log_stream is not None:
            log_stream.write(log)

    @property
    def module(self):
        """The compiled program on the current device.

        Examples
        --------
        >>> import quern as qn
        >>> module = qn.RawModule(code='extern "C" __global__ void f(int* a) { *a = 7; }')
        >>> module.module is module.module
        True
        """
        return self._program()

    def get_function(self, name):
        """Return a kernel of the module.

        Parameters
        ----------
        name : str
            Name of the kernel, or one of the name expressions.

        Returns
        -------
        RawKernel
            Kernel.

        Raises
        ------
        LogicError
            For a name without a kernel; the message lists the kernels.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawModule(code='extern "C" __global__ void f(int* a) { *a = 7; }').get_function("f")
        >>> x = qn.zeros(1, "int32")
        >>> kernel((1,), (1,), (x,))
        >>> x
        array([7], dtype=int32)
        """
        self._program().kernel(name)
        return RawKernel._of(self, name)

    def get_global(self, name):
        """Return address and size of a variable.

        Parameters
        ----------
        name : str
            Name of a ``__device__`` or ``__constant__`` variable.

        Returns
        -------
        tuple of ints
            Address, and size in bytes.

        Raises
        ------
        LogicError
            For a name without a variable.

        Examples
        --------
        >>> import quern as qn
        >>> module = qn.RawModule(code='__constant__ float table[4]; extern "C" __global__ void f(float* a) { *a = table[0]; }')
        >>> module.get_global("table")[1]
        16
        """
        return self._program().global_variable(name)


class RawKernel(_engine.RawFunction):
    """One kernel from CUDA C++ source.

    Call it with ``(grid, block, args)``, by position or by name: two tuples of up to three ints, and the arguments. These are device
    memory (allocations, objects with ``__cuda_array_interface__``, addresses as ints), NumPy scalars, Python numbers (which are
    converted to the parameter's type), and NumPy records or 0-d arrays for structs. Keywords: ``shared_mem``, bytes of dynamic shared
    memory; ``stream``; ``enable_cooperative_groups``, for this launch.

    Parameters
    ----------
    code : str
        The source.
    name : str
        The kernel: its name in the source, or a template's name expression such as ``"scale<float>"``.
    options : tuple of str
        Compiler options.
    backend : str
        Accepted for compatibility; "nvrtc" and "nvcc" mean the same here.
    translate_cucomplex : bool
        Types and functions of ``cuComplex.h`` are those of ``complex<T>``: operators work, and functions accept both precisions.
    enable_cooperative_groups : bool
        Launches are cooperative: blocks may wait for each other with ``cooperative_groups::this_grid().sync()``.
    jitify : bool
        Accepted for compatibility: headers of the standard library are available anyway.

    Raises
    ------
    quern.CompileError
        At the first use, with the compiler's log.
    TypeError
        When an argument does not fit its parameter, or there are too many or too few.
    quern.LogicError
        When grid, block or shared memory are over the device's limits, or there is no such kernel.

    Examples
    --------
    >>> import quern as qn
    >>> kernel = qn.RawKernel('extern "C" __global__ void set(int* a) { a[threadIdx.x] = 7; }', "set")
    >>> x = qn.zeros(2, "int32")
    >>> kernel((1,), (2,), (x,))
    >>> x
    array([7, 7], dtype=int32)
    """

    name = ""

    def __init__(
        self, code, name, options=(), backend="nvrtc", translate_cucomplex=False, *, enable_cooperative_groups=False, jitify=False
    ):
        super().__init__()
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        expressions = [name] if "<" in name else None
        module = RawModule(
            code=code,
            options=options,
            backend=backend,
            name_expressions=expressions,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
        )
        self._init(module, name)

    def __reduce__(self):
        return type(self)._of, (self._module, self.name)

    @classmethod
    def _of(cls, module, name):
        self = cls.__new__(cls)
        _engine.RawFunction.__init__(self)
        self._init(module, name)
        return self

    def _init(self, module, name):
        self._module = module
        self.name = name
        self.cooperative = module.enable_cooperative_groups

    def _bind(self):
        """Makes the current device's kernel the one that a call launches."""
        self.set_kernel(self._module._program(), self.name)

    def _function(self):
        self._bind()
        return self

    def compile(self, log_stream=None):
        """Compile the kernel now.

        Parameters
        ----------
        log_stream : file object, optional
            File that receives the warnings of the compiler.

        Raises
        ------
        CompileError
            For source that does not compile; with the compiler's log.
        LogicError
            For a name without a kernel.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawKernel('extern "C" __global__ void f(int* a) { *a = 7; }', "f")
        >>> kernel.compile()
        """
        self._module.compile(log_stream)
        self._function()

    @property
    def kernel(self):
        """The kernel itself, compiled; its method ``info()`` returns registers, shared memory and the access of each pointer.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawKernel('extern "C" __global__ void f(int* a) { *a = 7; }', "f")
        >>> "registers" in kernel.kernel.info()
        True
        """
        return self._function()

    @property
    def code(self):
        """The source; None for a kernel of a loaded file.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel("__global__ void f() {}", "f").code
        '__global__ void f() {}'
        """
        return self._module.code

    @property
    def options(self):
        """The compiler options, a tuple of str.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel("__global__ void f() {}", "f", ("-DN=4",)).options
        ('-DN=4',)
        """
        return self._module.options

    @property
    def backend(self):
        """The name of the compiler that was requested; it has no effect.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel("__global__ void f() {}", "f").backend
        'nvrtc'
        """
        return self._module.backend

    @property
    def file_path(self):
        """The file that the module was loaded from, or None.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel("__global__ void f() {}", "f").file_path is None
        True
        """
        return self._module.file_path

    @property
    def enable_cooperative_groups(self):
        """Whether launches are cooperative.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel("__global__ void f() {}", "f", enable_cooperative_groups=True).enable_cooperative_groups
        True
        """
        return self._module.enable_cooperative_groups

    @property
    def attributes(self):
        """The resources of the kernel as a dict, with CUDA's names in lower case.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawKernel('extern "C" __global__ void f() {}', "f")
        >>> kernel.attributes["shared_size_bytes"]
        0
        """
        info = self._function().info()
        return {
            "max_threads_per_block": info["max_threads"],
            "shared_size_bytes": info["static_shared"],
            "const_size_bytes": info["const_bytes"],
            "local_size_bytes": info["local_bytes"],
            "num_regs": info["registers"],
            "max_dynamic_shared_size_bytes": self.max_dynamic_shared_size_bytes,
            "preferred_shared_memory_carveout": self.preferred_shared_memory_carveout,
            "binary_version": self.binary_version,
            "ptx_version": self.ptx_version,
            "cache_mode_ca": self.cache_mode_ca,
        }

    cache_mode_ca = 0
    preferred_shared_memory_carveout = -1  # a wish that may be set; the driver decides

    @property
    def binary_version(self):
        """The compute capability of the compiled code, such as 90; 0 on the CPU.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawKernel('extern "C" __global__ void f() {}', "f")
        >>> kernel.binary_version == kernel.ptx_version
        True
        """
        info = current_device().info()
        major, minor = info.get("compute_capability", (0, 0))
        return major * 10 + minor

    ptx_version = binary_version

    @property
    def max_threads_per_block(self):
        """The largest number of threads in a block of this kernel.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel('extern "C" __global__ void f() {}', "f").max_threads_per_block
        1024
        """
        return self._function().info()["max_threads"]

    @property
    def shared_size_bytes(self):
        """The bytes of static shared memory of a block.

        Examples
        --------
        >>> import quern as qn
        >>> text = 'extern "C" __global__ void f(int* a) { __shared__ int s[4]; s[*a] = 1; __syncthreads(); *a = s[3 - *a]; }'
        >>> qn.RawKernel(text, "f").shared_size_bytes
        16
        """
        return self._function().info()["static_shared"]

    @property
    def const_size_bytes(self):
        """The bytes of ``__constant__`` variables.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel('extern "C" __global__ void f() {}', "f").const_size_bytes
        0
        """
        return self._function().info()["const_bytes"]

    @property
    def local_size_bytes(self):
        """The bytes of local memory of a thread.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel('extern "C" __global__ void f() {}', "f").local_size_bytes
        0
        """
        return self._function().info()["local_bytes"]

    @property
    def num_regs(self):
        """The registers of a thread; 0 on the CPU.

        Examples
        --------
        >>> import quern as qn
        >>> qn.RawKernel('extern "C" __global__ void f() {}', "f").num_regs >= 0
        True
        """
        return self._function().info()["registers"]

    @property
    def max_dynamic_shared_size_bytes(self):
        """The bytes of dynamic shared memory that a launch may request: by default all that the device has left; it can be set lower.

        Examples
        --------
        >>> import quern as qn
        >>> kernel = qn.RawKernel('extern "C" __global__ void f() {}', "f")
        >>> kernel.max_dynamic_shared_size_bytes = 1024
        >>> kernel.max_dynamic_shared_size_bytes
        1024
        """
        return self._shared_wish if self._shared_wish is not None else self._most_shared()

    _shared_wish = None

    def _most_shared(self):
        return current_device().info()["max_shared_optin"] - self._function().info()["static_shared"]

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, bytes):
        most = self._most_shared()
        if bytes > most:
            raise ValueError(f"[RawKernel] {bytes} bytes of shared memory are more than the device's {most}")
        self._shared_wish = bytes
