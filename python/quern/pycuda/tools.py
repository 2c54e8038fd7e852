"""PyCUDA's tools: default contexts, what is remembered for a context, occupancy, pools, structures as C lays them
out; the C names of types and the arguments of kernels (_arguments.py)."""

from __future__ import annotations

import functools
import gc
import os
import re
import sys
import traceback
import warnings

import numpy as np

from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda import _vectors  # noqa: F401  ("float3" is a type)
from quern.pycuda import driver as cuda
from quern.pycuda._arguments import (  # noqa: F401  (PyCUDA's names)
    Argument,
    ScalarArg,
    VectorArg,
    base_dtype_to_ctype,
    c_name,
    dtype_to_ctype,
    get_arg_type,
    get_or_register_dtype,
    parse_c_arg,
    register_dtype,
)
from quern.pycuda.driver import (  # noqa: F401  (PyCUDA's names)
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    PooledDeviceAllocation,
    PooledHostAllocation,
    bitlog2,
    device_attribute,
)

# ---- contexts


def get_default_device(default=0):
    """The device that CUDA_DEVICE or the file ~/.cuda_device names, else `default`."""
    number = os.environ.get("CUDA_DEVICE")
    if number is None:
        try:
            with open(os.path.expanduser("~/.cuda_device")) as f:
                number = f.read().strip()
        except OSError:
            number = default
    return cuda.Device(int(number))


def make_default_context(ctx_maker=None):
    """A context on the default device, made current. `ctx_maker` is called with the device to make another one."""
    device = get_default_device()
    return ctx_maker(device) if ctx_maker else device.make_context()


context_dependent_memoized_functions = []


def context_dependent_memoize(func):
    """Remembers what `func` returned, for its arguments and the current context.

    Examples
    --------
    >>> from quern.pycuda import tools
    >>> @tools.context_dependent_memoize
    ... def double(x):
    ...     print("computed")
    ...     return 2 * x
    >>> double(3)
    computed
    6
    >>> double(3)
    6
    """
    results = {}

    @functools.wraps(func)
    def remembered(*args, **kwargs):
        of_context = results.setdefault(_engine.current_device(), {})
        key = (args, frozenset(kwargs.items())) if kwargs else args
        try:
            return of_context[key]
        except KeyError:
            result = of_context[key] = func(*args, **kwargs)
            return result

    remembered.results_of_contexts = results
    context_dependent_memoized_functions.append(remembered)
    return remembered


def clear_context_caches():
    """Forgets what was remembered for the current context, and gives unused device memory back."""
    device = _engine.current_device()
    for function in context_dependent_memoized_functions:
        function.results_of_contexts.pop(device, None)
    device.trim()


def init_cuda_context_fixture():
    """The body of a pytest fixture, which makes the default context current for a test."""
    context = make_default_context()
    try:
        yield
    finally:
        context.pop()
        clear_context_caches()
        gc.collect()


def mark_cuda_test(inner_f):
    """A test that runs with the default context current, and has the mark ``cuda``."""

    @functools.wraps(inner_f)
    def test(*args, **kwargs):
        for _ in init_cuda_context_fixture():
            inner_f(*args, **kwargs)

    try:
        import pytest
    except ImportError:
        return test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program may not have registered the mark
        return pytest.mark.cuda(test)


# ---- what a device has room for


class DeviceData:
    """Device attributes that decide how many blocks run at once, of ``dev`` or of the current device."""

    def __init__(self, dev=None):
        dev = cuda.Context.get_device() if dev is None else dev

        def number(attribute, otherwise=0):
            try:
                return dev.get_attribute(attribute) or otherwise
            except LogicError:
                return otherwise

        self.max_threads = number(device_attribute.MAX_THREADS_PER_BLOCK)
        self.warp_size = number(device_attribute.WARP_SIZE, 32)
        self.warps_per_mp = number(device_attribute.MAX_THREADS_PER_MULTIPROCESSOR, self.max_threads) // self.warp_size
        self.thread_blocks_per_mp = number(device_attribute.MAX_BLOCKS_PER_MULTIPROCESSOR, self.warps_per_mp)
        per_block = number(device_attribute.MAX_REGISTERS_PER_BLOCK)
        self.registers = number(device_attribute.MAX_REGISTERS_PER_MULTIPROCESSOR, per_block)
        of_block = number(device_attribute.MAX_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory = number(device_attribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, of_block)
        self.smem_reserved = number(device_attribute.RESERVED_SHARED_MEMORY_PER_BLOCK)
        self.smem_alloc_granularity = 128 if dev.compute_capability() >= (8, 0) else 256
        self.smem_granularity = 32  # banks
        self.register_granularity = 256  # of a warp
        self.register_allocation_unit = "warp"
        self.warp_granularity = 4  # schedulers, each of which has its own registers

    def align_bytes(self, word_size=4):
        """What addresses should be a multiple of, for words of that size to be fetched together."""
        if word_size not in (4, 8, 16):
            raise ValueError(f"[DeviceData] words of {word_size} bytes are not supported; use 4, 8 or 16")
        return 64 if word_size == 4 else 128

    def align(self, bytes, word_size=4):
        """`bytes`, rounded up to a multiple of align_bytes()."""
        return _up(bytes, self.align_bytes(word_size))

    def align_dtype(self, elements, dtype_size):
        """A number of elements, rounded up so that their bytes are aligned."""
        return self.align(elements * dtype_size, dtype_size) // dtype_size

    def align_words(self, word_size):
        """How many words align_bytes() are."""
        return self.align_bytes(word_size) // word_size

    def coalesce(self, thread_count):
        """A number of threads, rounded up to half warps."""
        return _up(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size):
        """The number of channels from `size` up that a texture may have."""
        for count in (1, 2, 4):
            if size <= count:
                return count
        raise ValueError(f"[DeviceData] a texture has 1, 2 or 4 channels, not {size}")


def _up(number, multiple):
    return (number + multiple - 1) // multiple * multiple


class OccupancyRecord:
    """How many blocks of a kernel run on a multiprocessor at once.

    Parameters
    ----------
    devdata : DeviceData
        Of the device.
    threads : int
        In a block.
    shared_mem, registers : int
        Bytes of shared memory of a block; registers of a thread.

    Attributes
    ----------
    tb_per_mp : int
        Blocks.
    limited_by : str
        What there is too little of for one more: "warps", "device" (the most blocks it takes), "regs" or "smem".
    warps_per_mp : int
        Warps of these blocks.
    occupancy : float
        The part that they are of the most warps.
    tb_per_mp_limits : list of (int, str)
        How many blocks each of these allows.

    Raises ValueError for a block that has too many threads, registers or bytes of shared memory to run at all.
    """

    def __init__(self, devdata, threads, shared_mem=0, registers=0):
        if not 0 < threads <= devdata.max_threads:
            raise ValueError(f"[OccupancyRecord] a block has from 1 to {devdata.max_threads} threads, not {threads}")
        warps = -(-threads // devdata.warp_size)
        limits = [(devdata.thread_blocks_per_mp, "device"), (devdata.warps_per_mp // warps, "warps")]
        if registers > 0:
            of_warp = _up(registers * devdata.warp_size, devdata.register_granularity)
            granularity = devdata.warp_granularity
            limits.append((devdata.registers // of_warp // granularity * granularity // warps, "regs"))
        if shared_mem > 0 or devdata.smem_reserved:
            of_block = _up(shared_mem + devdata.smem_reserved, devdata.smem_alloc_granularity)
            limits.append((devdata.shared_memory // of_block, "smem"))
        self.tb_per_mp_limits = limits
        self.tb_per_mp, self.limited_by = min(limits, key=lambda limit: limit[0])
        if self.tb_per_mp == 0:
            raise ValueError(f"[OccupancyRecord] too many {self.limited_by}: not one block of {threads} threads has room")
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp


class DebugMemoryPool(DeviceMemoryPool):
    """A pool that prints the caller of each allocation; on a terminal it waits for Enter when memory runs short."""

    def __init__(self, interactive=True, logfile=None):
        super().__init__()
        self.interactive, self.logfile = interactive, logfile if logfile is not None else sys.stdout

    def allocate(self, size):
        caller = traceback.extract_stack(limit=2)[0]
        try:
            result = super().allocate(size)
        except MemoryError:
            self._tell(f"no room for {size} bytes, {caller.filename}:{caller.lineno}")
            if self.interactive and sys.stdin.isatty():
                input("[Enter]")
            raise
        self._tell(f"{size} bytes, {caller.filename}:{caller.lineno}")
        return result

    def _tell(self, text):
        print(f"[pool] {text}; {self.active_blocks} blocks of {self.active_bytes} bytes in use, {self.held_blocks} held", file=self.logfile)


# ---- structures


def _c_alignment(dtype):
    """What C++ aligns it to: CUDA's vectors of two and four to their size."""
    if dtype.subdtype:
        return _c_alignment(dtype.subdtype[0])
    if not dtype.names:
        return dtype.alignment
    most = max(_c_alignment(dtype.fields[name][0]) for name in dtype.names)
    vector = re.fullmatch(r"(?:u?char|u?short|u?int|u?long|u?longlong|float|double)([24])", c_name(dtype))
    return min(most * int(vector[1]), 16) if vector else most


def match_dtype_to_c_struct(device, name, dtype, context=None):
    """The text of a C structure with a record type's fields, and the record type as C lays that out: ``(dtype, text)``.

    Types of fields that are records themselves must have a name, from get_or_register_dtype(). The layouts of CPU and GPUs are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from quern.pycuda import driver, tools
    >>> dtype, text = tools.match_dtype_to_c_struct(driver.Device(0), "pair", np.dtype([("n", "i4"), ("x", "f8")]))
    >>> dtype.itemsize, dtype.fields["x"][1]
    (16, 8)
    """
    dtype = np.dtype(dtype)
    if not dtype.names:
        raise ValueError(f"[match_dtype_to_c_struct] '{dtype}' has no fields")
    fields, lines, end = [], [], 0
    for field in sorted(dtype.names, key=lambda n: dtype.fields[n][1]):
        kind = dtype.fields[field][0]
        base, shape = kind.subdtype or (kind, ())
        alignment = _c_alignment(kind)
        offset = _up(end, alignment)
        fields.append((field, kind, offset))
        lines.append(f"  {dtype_to_ctype(base)} {field}{''.join(f'[{n}]' for n in shape)};\n")
        end = offset + kind.itemsize
    names, kinds, offsets = zip(*fields, strict=True)
    size = _up(end, max(_c_alignment(kind) for kind in kinds))
    laid_out = np.dtype({"names": names, "formats": kinds, "offsets": offsets, "itemsize": size})
    return laid_out, f"typedef struct {{\n{''.join(lines)}}} {name};\n\n"
