"""Modules, their functions, and what those are called with.

Start reading at Function, which is what a program calls.
"""

from __future__ import annotations

import functools
import os
import re
import struct
import time

import numpy as np

from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda._contexts import Context
from quern.pycuda._copies import is_page_locked, memcpy_dtoh_async, memcpy_htod_async
from quern.pycuda._memory import mem_alloc_like
from quern.pycuda._streams import Event, timer
from quern.pycuda._textures import SurfaceReference, TextureReference
from quern.pycuda.enums import function_attribute, jit_input_type


class ArgumentHandler:
    """An argument that copies for itself around a launch: pre_call() before it, post_call() after it."""

    def __init__(self, ary):
        self.array = ary
        self.dev_alloc = None

    def get_device_alloc(self):
        """The device memory that stands for the array."""
        if self.dev_alloc is None:
            if not hasattr(self.array, "nbytes"):
                name, given = type(self).__name__, type(self.array).__name__
                raise TypeError(
                    f"{name} takes an array, not {given}, whose size in bytes is unknown; make one first, as in "
                    f"`a = numpy.array(values, numpy.float32)`, and pass {name}(a)"
                )
            self.dev_alloc = mem_alloc_like(self.array)
        return self.dev_alloc

    def pre_call(self, stream):
        """Called before the launch, with its stream or None."""

    def post_call(self, stream):
        """Called after the launch, with its stream or None."""


class In(ArgumentHandler):
    """A host array that is copied to the device before a launch.

    The array may be changed when the call returns.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous array.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> from quern.pycuda.compiler import SourceModule
    >>> copy = SourceModule("__global__ void copy(int *to, int *from) { to[threadIdx.x] = from[threadIdx.x]; }").get_function("copy")
    >>> host = numpy.zeros(2, numpy.int32)
    >>> copy(driver.Out(host), driver.In(numpy.array([1, 2], numpy.int32)), block=(2, 1, 1))
    >>> host
    array([1, 2], dtype=int32)
    """

    def pre_call(self, stream):
        """Copies to the device."""
        memcpy_htod_async(self.get_device_alloc(), self.array, stream)
        if stream is not None and is_page_locked(self.array):  # else the copy has left it
            stream.synchronize()


class Out(ArgumentHandler):
    """A host array that receives a kernel's output: it is copied from the device after a launch.

    The call waits for the copy.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous, writable array; the kernel does not see its values.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> from quern.pycuda.compiler import SourceModule
    >>> double = SourceModule("__global__ void twice(float* out, const float* in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }")
    >>> result = numpy.empty(3, numpy.float32)
    >>> double.get_function("twice")(driver.Out(result), driver.In(numpy.arange(3, dtype=numpy.float32)), block=(3, 1, 1))
    >>> result
    array([0., 2., 4.], dtype=float32)
    """

    def post_call(self, stream):
        """Copies back to the host."""
        memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)
        if stream is not None:
            stream.synchronize()


class InOut(In, Out):
    """A host array that is copied to the device before a launch, and back after it.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous, writable array.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> from quern.pycuda.compiler import SourceModule
    >>> double = SourceModule("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }").get_function("twice")
    >>> host = numpy.array([1, 2], numpy.int32)
    >>> double(driver.InOut(host), block=(2, 1, 1))
    >>> host
    array([2, 4], dtype=int32)
    """


class Function(_engine.Function):
    """A kernel of a module; call it to launch it.

    Parameters
    ----------
    *args
        Arguments of the kernel: device memory, NumPy scalars, Python numbers (converted to the parameter's type),
        :class:`In`, :class:`Out` and :class:`InOut`, managed arrays, and objects with ``gpudata`` or
        ``__cuda_array_interface__``.
    block : tuple of ints
        Threads of a block, up to three numbers.
    grid : tuple of ints, optional
        Blocks of the grid, up to three numbers.
    stream : Stream, optional
        Stream of the launch; None is the default stream.
    shared : int, optional
        Bytes of dynamic shared memory.
    time_kernel : bool, optional
        Whether to wait for the kernel and return its time.

    Returns
    -------
    float or None
        Seconds, with `time_kernel`.

    Raises
    ------
    TypeError
        For an argument that does not fit its parameter, or too many or too few arguments.
    ValueError
        Without `block`.
    LogicError
        For a block, a grid or shared memory above the limits, and for memory that was freed.
    """

    def _call_slowly(self, *args, block=None, grid=(1,), stream=None, shared=0, texrefs=(), time_kernel=False, **others):
        if others:
            raise ValueError(f"extra keyword arguments: {','.join(others)}")
        if block is None:
            raise ValueError("must specify block size, as in block=(256, 1, 1)")
        _check_references(texrefs, "launch")
        if stream is not None and not isinstance(stream, _engine.Stream):
            raise TypeError(f"[launch] stream must be a Stream or None, not {type(stream).__name__}")
        handlers = [a for a in args if isinstance(a, ArgumentHandler)]
        plain = [a.get_device_alloc() if isinstance(a, ArgumentHandler) else a for a in args]
        for handler in handlers:
            handler.pre_call(stream)
        start = None
        if time_kernel:
            Context.synchronize()
            start = time.perf_counter()
        _engine.Function.__call__(self, *plain, block=block, grid=grid, stream=stream, shared=shared)
        seconds = None
        if time_kernel:
            Context.synchronize()
            seconds = time.perf_counter() - start
        for handler in handlers:
            handler.post_call(stream)
        if handlers and stream is None:
            Context.synchronize()
        return seconds

    _module = None  # what holds the module's texture references
    _references = ()

    # prepared calls

    def prepare(self, arg_types, texrefs=()):
        """Fix the types of the arguments.

        Parameters
        ----------
        arg_types : str or sequence
            Format characters of ``struct`` ("P" for pointers), or dtypes.
        texrefs : sequence of TextureReference, optional
            Accepted for compatibility.

        Returns
        -------
        Function
            The function itself.
        """
        _check_references(texrefs, "prepare")
        self._references = list(texrefs or ())
        parts = [arg_types] if isinstance(arg_types, str) else arg_types
        self._converters = [_converter(t) for part in parts for t in _formats(part)]
        return self

    def _prepared(self, args):
        converters = getattr(self, "_converters", None)
        if converters is None:
            raise LogicError("[prepared_call] prepare() was not called")
        if len(args) != len(converters):
            raise struct.error(f"pack expected {len(converters)} items for packing (got {len(args)})")
        return [convert(value) for convert, value in zip(converters, args, strict=True)]

    def prepared_call(self, grid, block, *args, shared_size=0):
        """Launch the kernel with the types that :meth:`prepare` fixed.

        Parameters
        ----------
        grid, block : tuple of ints
            Blocks of the grid, threads of a block.
        *args
            Arguments of the kernel.
        shared_size : int, optional
            Bytes of dynamic shared memory.

        Raises
        ------
        LogicError
            Before :meth:`prepare`.
        struct.error
            For another number of arguments.
        """
        self(*self._prepared(args), block=block, grid=grid, shared=shared_size)

    def prepared_async_call(self, grid, block, stream, *args, shared_size=0):
        """Launch the kernel in a stream with the types that :meth:`prepare` fixed.

        Parameters
        ----------
        grid, block : tuple of ints
            Blocks of the grid, threads of a block.
        stream : Stream
            Stream of the launch.
        *args
            Arguments of the kernel.
        shared_size : int, optional
            Bytes of dynamic shared memory.
        """
        self(*self._prepared(args), block=block, grid=grid, stream=stream, shared=shared_size)

    def prepared_timed_call(self, grid, block, *args, shared_size=0):
        """Launch the kernel with the types that :meth:`prepare` fixed, and time it.

        Parameters
        ----------
        grid, block : tuple of ints
            Blocks of the grid, threads of a block.
        *args
            Arguments of the kernel.
        shared_size : int, optional
            Bytes of dynamic shared memory.

        Returns
        -------
        callable
            Function that waits for the kernel and returns its seconds.
        """
        start, end = Event(), Event()
        start.record()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        end.record()
        return timer(start, end)

    # what came before calls: parameters by their place, launched alone

    _old = None

    def _bytes(self):
        if self._old is None:
            self._old = {"bytes": bytearray(4096), "block": None, "shared": 0}
        return self._old["bytes"]

    def param_set_size(self, bytes):
        """Do nothing; accepted for compatibility: the kernel has the size of its parameters."""
        if int(bytes) > len(self._bytes()):
            raise LogicError(f"[param_set_size] {bytes} bytes are more than the {len(self._bytes())} that a kernel takes")

    def _put(self, what, offset, data):
        if not 0 <= offset <= len(self._bytes()) - len(data):
            raise LogicError(f"[{what}] {len(data)} bytes at {offset} are not inside the {len(self._bytes())} that a kernel takes")
        self._bytes()[offset : offset + len(data)] = data

    def param_seti(self, offset, value):
        """Set an integer of 4 bytes among the parameters.

        Parameters
        ----------
        offset : int
            First byte.
        value : int
            Value.
        """
        self._put("param_seti", offset, struct.pack("I", int(value) & 0xFFFFFFFF))

    def param_setf(self, offset, value):
        """Set a float of 4 bytes among the parameters.

        Parameters
        ----------
        offset : int
            First byte.
        value : float
            Value.
        """
        self._put("param_setf", offset, struct.pack("f", value))

    def param_setv(self, offset, buffer):
        """Set bytes among the parameters.

        Parameters
        ----------
        offset : int
            First byte.
        buffer : object
            Object with the buffer protocol.
        """
        self._put("param_setv", offset, memoryview(buffer).tobytes())

    def param_set(self, *args):
        """Set the parameters of the kernel, one after another.

        Parameters
        ----------
        *args : object
            NumPy scalars, device memory and addresses.
        """
        offset = 0
        for number, arg in enumerate(args):
            if isinstance(arg, np.generic):
                data, alignment = arg.tobytes(), arg.dtype.alignment
            elif isinstance(arg, (int, float, complex)) and not isinstance(arg, np.generic):
                raise TypeError(f"invalid type on parameter #{number} (0-based): a Python number has no width; pass a NumPy scalar")
            else:
                data, alignment = struct.pack("P", _engine.device_address(arg)), 8
            offset = (offset + alignment - 1) // alignment * alignment
            self._put("param_set", offset, data)
            offset += len(data)
        self.param_set_size(offset)

    def param_set_texref(self, texref):
        """Accepted: a kernel finds a texture reference by its name; this keeps it."""
        _check_references([texref], "param_set_texref")
        self._references = [*self._references, texref]

    def set_block_shape(self, x, y=1, z=1):
        """Set the block of :meth:`launch`, :meth:`launch_grid` and :meth:`launch_grid_async`.

        Parameters
        ----------
        x : int
            Number of threads in x.
        y : int, optional
            Number of threads in y.
        z : int, optional
            Number of threads in z.
        """
        self._bytes()
        self._old["block"] = (x, y, z)

    def set_shared_size(self, bytes):
        """Set the dynamic shared memory of :meth:`launch`, :meth:`launch_grid` and :meth:`launch_grid_async`.

        Parameters
        ----------
        bytes : int
            Number of bytes.
        """
        self._bytes()
        self._old["shared"] = int(bytes)

    def launch(self):
        """Launches one block with what set_block_shape(), set_shared_size() and the param_set*() methods said."""
        self.launch_grid(1, 1)

    def launch_grid(self, width, height):
        """Launch the kernel with a grid of blocks.

        Parameters
        ----------
        width : int
            Number of blocks in x.
        height : int
            Number of blocks in y.

        Raises
        ------
        LogicError
            Where :meth:`set_block_shape` was not called.
        """
        self.launch_grid_async(width, height, None)

    def launch_grid_async(self, width, height, stream):
        """Launch the kernel with a grid of blocks in a stream.

        Parameters
        ----------
        width : int
            Number of blocks in x.
        height : int
            Number of blocks in y.
        stream : Stream or None
            Stream; None is the default one.

        Raises
        ------
        LogicError
            Where :meth:`set_block_shape` was not called.
        """
        data, places = self._bytes(), self.info()["places"]
        if self._old["block"] is None:
            raise LogicError("[launch_grid] set_block_shape() was not called")
        if places is None:
            raise LogicError("[launch_grid] this driver does not report the offsets of parameters; call the function with its arguments")
        args = [np.frombuffer(data, f"V{size}", 1, offset)[0] for offset, size in places]
        self(*args, block=self._old["block"], grid=(width, height), stream=stream, shared=self._old["shared"])

    # resources

    def get_attribute(self, attribute):
        """Return an attribute of the kernel.

        Parameters
        ----------
        attribute : function_attribute
            Attribute, such as ``function_attribute.NUM_REGS``.

        Returns
        -------
        int
            Its value.

        Raises
        ------
        LogicError
            For an attribute that is not supported.
        """
        info, number = self.info(), int(attribute)
        keys = {0: "max_threads", 1: "static_shared", 2: "const_bytes", 3: "local_bytes", 4: "registers"}
        if number in keys:
            return info[keys[number]]
        device = _engine.current_device().info()
        if number in (function_attribute.PTX_VERSION, function_attribute.BINARY_VERSION):
            major, minor = device["compute_capability"]
            return 10 * major + minor
        if number == function_attribute.CACHE_MODE_CA:
            return 0
        if number == function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES:
            return device["max_shared_optin"] - info["static_shared"]
        if number == function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            return -1
        raise LogicError(f"[get_attribute] {attribute!r} is not a supported function attribute")

    def set_attribute(self, attribute, value):
        """Checked, and else nothing: dynamic shared memory above 48 KiB is granted at the launch, the rest are wishes."""
        if int(attribute) == function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES:
            most = self.get_attribute(attribute)
            if not 0 <= int(value) <= most:
                raise LogicError(f"[set_attribute] {value} bytes of dynamic shared memory; the device has {most} for this kernel")
        elif int(attribute) != function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            raise LogicError(f"[set_attribute] {attribute!r} is a read-only function attribute")

    def set_cache_config(self, config):
        """Do nothing; accepted for compatibility: the device decides."""

    def set_shared_config(self, config):
        """Do nothing; accepted for compatibility: the device decides."""

    local_size_bytes = property(lambda self: self.info()["local_bytes"])
    shared_size_bytes = property(lambda self: self.info()["static_shared"])
    const_size_bytes = property(lambda self: self.info()["const_bytes"])
    num_regs = property(lambda self: self.info()["registers"])
    max_threads_per_block = property(lambda self: self.info()["max_threads"])

    def __getattr__(self, name):
        value = function_attribute.names.get(name.upper())
        if value is None or name.startswith("_"):
            raise AttributeError(f"'Function' object has no attribute '{name}'")
        return self.get_attribute(value)


def _check_references(texrefs, what):
    for reference in texrefs or ():
        if not isinstance(reference, TextureReference):
            raise TypeError(f"[{what}] texrefs must be TextureReferences of Module.get_texref(), not {type(reference).__name__}")


_FORMATS = re.compile(r"(?:\s*(\d*)([cbB?hHiIlLqQnNefdFDPs]))")


def _formats(part):
    """Each format of a text of them: "P2i16s" has four; what is none, such as a dtype, stays one."""
    if not isinstance(part, str) or not re.fullmatch(f"{_FORMATS.pattern}+\\s*", part):
        return [part]
    out = []
    for count, kind in _FORMATS.findall(part):
        out += [f"{count or 1}s"] if kind == "s" else [kind] * int(count or 1)
    return out


def _converter(kind):
    """What turns a value into what a prepared type holds, with the errors of struct."""
    if not (isinstance(kind, str) and len(kind) == 1 and kind in "PnN?"):
        if isinstance(kind, str) and kind.endswith("s"):  # bytes, as struct has them: "12s"
            return functools.partial(_bytes_by_value, kind)
        dtype = np.dtype(kind)
        if dtype.kind == "V":
            return functools.partial(_bytes_by_value, f"{dtype.itemsize}s")
        kind = dtype.char
    return functools.partial(_packed, kind)


def _bytes_by_value(kind, value):
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return value  # a record, which goes as it is
    return np.frombuffer(struct.pack(kind, bytes(value)), f"V{kind[:-1]}")[0]


def _packed(kind, value):
    if kind == "P":
        if isinstance(value, (float, complex, str, bytes, np.floating, np.complexfloating)):
            raise struct.error("required argument is not an integer")
        return value
    if kind in "FD":
        try:
            return np.dtype(kind).type(complex(value))
        except TypeError:
            raise struct.error("required argument is not a complex number") from None
    (plain,) = struct.unpack(kind, struct.pack(kind, value))
    return {"n": np.intp, "N": np.uintp, "?": np.bool_}.get(kind, np.dtype(kind).type if kind not in "nN" else None)(plain)


class Module:
    """Compiled code on the current device."""

    def __init__(self, program):
        self._program = program
        self._references = {}  # by name: what is bound stays so for as long as the module or a kernel of it is there

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
            For a name without a kernel; the message lists the kernels.
        """
        function = Function(self._program, name)
        function._module = self
        return function

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
        """
        return self._program.global_variable(name)

    def get_texref(self, name):
        """Return a texture reference of the module.

        Parameters
        ----------
        name : str
            Name of the texture reference.

        Returns
        -------
        TextureReference
            Texture reference.

        Raises
        ------
        LogicError
            For a name that no kernel uses.
        """
        return self._reference(name, TextureReference)

    def get_surfref(self, name):
        """Return a surface reference of the module.

        Parameters
        ----------
        name : str
            Name of the surface reference.

        Returns
        -------
        SurfaceReference
            Surface reference.

        Raises
        ------
        LogicError
            For a name that no kernel uses.
        """
        return self._reference(name, SurfaceReference)

    def _reference(self, name, kind):
        found = self._references.get(name)
        if not isinstance(found, kind):
            found = self._references[name] = kind._of(self._program, name)
        return found


def module_from_buffer(buffer, options=(), message_handler=None):
    """Return a module of compiled code.

    Parameters
    ----------
    buffer : bytes
        On a GPU a cubin, PTX or a fatbin; on the CPU the result of ``compiler.compile()``.
    options : sequence, optional
        Accepted for compatibility.
    message_handler : callable, optional
        Called once as ``message_handler(compiled, info, error)``, with the log.

    Returns
    -------
    Module
        The module on the current device.

    Examples
    --------
    >>> from quern.pycuda import compiler, driver
    >>> code = compiler.compile("__global__ void f(int *x) { *x = 1; }")
    >>> type(driver.module_from_buffer(code).get_function("f")).__name__
    'Function'
    """
    module = Module(_engine.load_code(_engine.current_device(), bytes(buffer)))
    if message_handler is not None:
        message_handler(True, module._program.log, "")
    return module


def module_from_file(filename):
    """Return a module of the compiled code in a file.

    Parameters
    ----------
    filename : str or path
        File; see :func:`module_from_buffer`.

    Returns
    -------
    Module
        The module on the current device.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    """
    with open(os.fspath(filename), "rb") as f:
        return module_from_buffer(f.read())


_KINDS = {
    int(jit_input_type.CUBIN): "a cubin",
    int(jit_input_type.PTX): "PTX",
    int(jit_input_type.FATBINARY): "a fatbin",
    int(jit_input_type.OBJECT): "an object file",
    int(jit_input_type.LIBRARY): "an archive",
}


class Linker:
    """Links compiled code to a module: cubins, PTX, fatbins, object files and archives of GPUs.

    The CPU runs one piece of code alone, from compiler.compile().
    """

    def __init__(self, message_handler=None, options=None, log_verbose=False):
        self._message_handler = message_handler
        self._added = []

    def add_data(self, data, input_type, name="unknown"):
        """Adds code from memory; `input_type` is one of jit_input_type."""
        if int(input_type) not in _KINDS:
            raise LogicError(f"[Linker.add_data] {input_type!r} is not one of jit_input_type")
        data = data.encode() if isinstance(data, str) else bytes(data)
        self._added.append((_KINDS[int(input_type)], data, name))

    def add_file(self, filename, input_type):
        """Adds code from a file."""
        try:
            with open(os.fspath(filename), "rb") as f:
                data = f.read()
        except OSError as e:
            raise LogicError(f"[Linker.add_file] {filename} cannot be read: {e.strerror}") from None
        self.add_data(data, input_type, str(filename))

    def link_module(self):
        """The module. Raises LogicError or CompileError, with the linker's log, when it cannot be linked."""
        device = _engine.current_device()
        if not self._added:
            raise LogicError("[Linker] no code to link; call add_data() or add_file()")
        if len(self._added) == 1 and self._added[0][0] == "a cubin":
            program = _engine.load_code(device, self._added[0][1])
        elif device.kind == "cpu":
            raise LogicError("[Linker] GPU code cannot be linked on the CPU; compile the whole source with SourceModule")
        else:
            program = _engine.build(device, "", "linked.cu", [], [], self._added)
        if self._message_handler is not None:
            self._message_handler(True, program.log, "")
        return Module(program)
